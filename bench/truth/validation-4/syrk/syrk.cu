// A matrix of n rows times its transpose, all of the symmetric result written. Nothing is tuned on these kernels
// (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
constexpr int TILE = 32, ROWS = 8;

extern "C" __global__ void syrk_naive(float *c, const float *a, int n, int k)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x >= n || y >= n)
        return;
    float sum = 0.0f;
    for (int i = 0; i < k; ++i)
        sum += a[y * k + i] * a[x * k + i];
    c[y * n + x] = sum;
}

__device__ void load(float (*s)[TILE + 1], const float *a, int row0, int k0, int n, int k)
{
    for (int r = threadIdx.y; r < TILE; r += ROWS)
        s[r][threadIdx.x] = row0 + r < n && k0 + threadIdx.x < k ? a[(row0 + r) * k + k0 + threadIdx.x] : 0.0f;
}

// A tile of 32 x 32, four rows a thread.
extern "C" __global__ void syrk_tile(float *c, const float *a, int n, int k)
{
    __shared__ float p[TILE][TILE + 1], q[TILE][TILE + 1];
    int x0 = blockIdx.x * TILE, y0 = blockIdx.y * TILE;
    float sum[4] = {};
    for (int k0 = 0; k0 < k; k0 += TILE) {
        load(p, a, y0, k0, n, k);
        load(q, a, x0, k0, n, k);
        __syncthreads();
        for (int i = 0; i < TILE; i++) {
            float v = q[threadIdx.x][i];
            for (int r = 0; r < 4; r++)
                sum[r] += p[threadIdx.y + ROWS * r][i] * v;
        }
        __syncthreads();
    }
    for (int r = 0; r < 4; r++) {
        int x = x0 + threadIdx.x, y = y0 + threadIdx.y + ROWS * r;
        if (x < n && y < n)
            c[y * n + x] = sum[r];
    }
}

// Tiles at and below the diagonal alone; each is written twice, once turned through shared memory.
extern "C" __global__ void syrk_lower(float *c, const float *a, int n, int k)
{
    __shared__ float p[TILE][TILE + 1], q[TILE][TILE + 1];
    int by = (int)((sqrtf(8.0f * blockIdx.x + 1.0f) - 1.0f) * 0.5f);
    while ((by + 1) * (by + 2) / 2 <= (int)blockIdx.x)
        by++;
    while (by * (by + 1) / 2 > (int)blockIdx.x)
        by--;
    int bx = blockIdx.x - by * (by + 1) / 2, x0 = bx * TILE, y0 = by * TILE;
    float sum[4] = {};
    for (int k0 = 0; k0 < k; k0 += TILE) {
        load(p, a, y0, k0, n, k);
        load(q, a, x0, k0, n, k);
        __syncthreads();
        for (int i = 0; i < TILE; i++) {
            float v = q[threadIdx.x][i];
            for (int r = 0; r < 4; r++)
                sum[r] += p[threadIdx.y + ROWS * r][i] * v;
        }
        __syncthreads();
    }
    for (int r = 0; r < 4; r++) {
        int x = x0 + threadIdx.x, y = y0 + threadIdx.y + ROWS * r;
        if (x < n && y < n)
            c[y * n + x] = sum[r];
        p[threadIdx.y + ROWS * r][threadIdx.x] = sum[r];
    }
    if (bx == by)
        return;
    __syncthreads();
    for (int r = threadIdx.y; r < TILE; r += ROWS) {
        int x = y0 + threadIdx.x, y = x0 + r;
        if (x < n && y < n)
            c[y * n + x] = p[threadIdx.x][r];
    }
}
