// Cholesky factors of many symmetric matrices of 16 x 16 in f32; only the lower triangle is read, its diagonal is raised by 8,
// and zeros are written above it. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
constexpr int N = 16;

// A thread per matrix, in place in global memory.
extern "C" __global__ void chol_thread(float *l, const float *a, int matrices)
{
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= matrices)
        return;
    a += (size_t)m * N * N;
    l += (size_t)m * N * N;
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) {
            float v = x > y ? 0 : a[y * N + x] + (x == y ? 8.0f : 0);
            for (int k = 0; k < x && x <= y; k++)
                v -= l[y * N + k] * l[x * N + k];
            l[y * N + x] = x > y ? 0 : x == y ? sqrtf(v) : v / l[x * N + x];
        }
}

// Sixteen threads per matrix, a thread per row in shared memory; two matrices a warp.
extern "C" __global__ void chol_row(float *l, const float *a, int matrices)
{
    __shared__ float s[4][N][N + 1];
    int y = threadIdx.x, m = blockIdx.x * 4 + threadIdx.y;
    if (m >= matrices)
        return;
    unsigned half = threadIdx.y % 2 ? 0xffff0000u : 0xffffu;
    float(*mine)[N + 1] = s[threadIdx.y];
    for (int k = 0; k < N; k++)
        mine[k][y] = y > k ? 0 : a[(size_t)m * N * N + k * N + y] + (y == k ? 8.0f : 0);
    __syncwarp(half);
    for (int x = 0; x < N; x++) {
        float root = sqrtf(mine[x][x]);
        __syncwarp(half);
        if (y == x)
            mine[x][x] = root;
        else if (y > x)
            mine[y][x] /= root;
        __syncwarp(half);
        if (y > x)
            for (int k = x + 1; k <= y; k++)
                mine[y][k] -= mine[y][x] * mine[k][x];
        __syncwarp(half);
    }
    for (int k = 0; k < N; k++)
        l[(size_t)m * N * N + k * N + y] = mine[k][y];
}

// A block of 256 per matrix, a thread per element in its register; a column at a time goes through shared memory.
extern "C" __global__ void chol_element(float *l, const float *a)
{
    __shared__ float column[N];
    int x = threadIdx.x, y = threadIdx.y, at = blockIdx.x * N * N + y * N + x;
    float v = x > y ? 0 : a[at] + (x == y ? 8.0f : 0);
    for (int k = 0; k < N; k++) {
        if (x == k && y >= k)
            column[y] = v;
        __syncthreads();
        float root = rsqrtf(column[k]);
        if (x == k && y >= k)
            v *= root;
        if (x > k && y >= x)
            v -= column[x] * root * column[y] * root;
        __syncthreads();
    }
    l[at] = v;
}
