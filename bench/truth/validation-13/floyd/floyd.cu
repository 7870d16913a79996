// Floyd and Warshall's shortest paths between all pairs of nodes, in place on a copy of the weights. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void floyd_begin(int *d, const int *weights, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n * n)
        d[i] = i / n == i % n ? 0 : weights[i];
}

extern "C" __global__ void floyd_node(int *d, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) {
        int through = d[i * n + k] + d[k * n + j];
        if (through < d[i * n + j])
            d[i * n + j] = through;
    }
}

extern "C" __global__ void floyd_corner(int *d, int n, int round)
{
    __shared__ int s[32][32];
    int x = threadIdx.x, y = threadIdx.y, at = (round * 32 + y) * n + round * 32 + x;
    s[y][x] = d[at];
    __syncthreads();
    for (int k = 0; k < 32; k++) {
        int v = min(s[y][x], s[y][k] + s[k][x]);
        __syncthreads();
        s[y][x] = v;
        __syncthreads();
    }
    d[at] = s[y][x];
}

// The tiles beside the corner (blockIdx.y 0) and above and below it (1).
extern "C" __global__ void floyd_cross(int *d, int n, int round)
{
    __shared__ int corner[32][32], s[32][33];
    int x = threadIdx.x, y = threadIdx.y, tile = blockIdx.x + (blockIdx.x >= round);
    int at = blockIdx.y == 0 ? (round * 32 + y) * n + tile * 32 + x : (tile * 32 + y) * n + round * 32 + x;
    corner[y][x] = d[(round * 32 + y) * n + round * 32 + x];
    s[y][x] = d[at];
    __syncthreads();
    for (int k = 0; k < 32; k++) {
        int v = blockIdx.y == 0 ? corner[y][k] + s[k][x] : s[y][k] + corner[k][x];
        v = min(v, s[y][x]);
        __syncthreads();
        s[y][x] = v;
        __syncthreads();
    }
    d[at] = s[y][x];
}

// All other tiles, four numbers of a column a thread.
extern "C" __global__ void __launch_bounds__(256) floyd_rest(int *d, int n, int round)
{
    __shared__ int a[32][32], b[32][32];
    int x = threadIdx.x, y = threadIdx.y, i0 = (blockIdx.y + (blockIdx.y >= round)) * 32, j0 = (blockIdx.x + (blockIdx.x >= round)) * 32, v[4];
#pragma unroll
    for (int r = 0; r < 4; r++) {
        a[y + 8 * r][x] = d[(i0 + y + 8 * r) * n + round * 32 + x];
        b[y + 8 * r][x] = d[(round * 32 + y + 8 * r) * n + j0 + x];
        v[r] = d[(i0 + y + 8 * r) * n + j0 + x];
    }
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < 32; k++) {
        int by = b[k][x];
#pragma unroll
        for (int r = 0; r < 4; r++)
            v[r] = min(v[r], a[y + 8 * r][k] + by);
    }
#pragma unroll
    for (int r = 0; r < 4; r++)
        d[(i0 + y + 8 * r) * n + j0 + x] = v[r];
}
