// c = a*b in f64, row-major: a has m rows of k, b k rows of n. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// A thread per element.
extern "C" __global__ void dgemm_naive(double *c, const double *a, const double *b, int m, int n, int k)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < m && col < n) {
        double sum = 0.0;
        for (int i = 0; i < k; i++)
            sum += a[row * k + i] * b[i * n + col];
        c[row * n + col] = sum;
    }
}

// Tiles of 16 x 16 in shared memory.
extern "C" __global__ void dgemm_tile(double *c, const double *a, const double *b, int m, int n, int k)
{
    __shared__ double as[16][16], bs[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    double sum = 0.0;
    for (int k0 = 0; k0 < k; k0 += 16) {
        as[ty][tx] = row < m && k0 + tx < k ? a[row * k + k0 + tx] : 0.0;
        bs[ty][tx] = col < n && k0 + ty < k ? b[(k0 + ty) * n + col] : 0.0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; i++)
            sum += as[ty][i] * bs[i][tx];
        __syncthreads();
    }
    if (row < m && col < n)
        c[row * n + col] = sum;
}

// Tiles of 64 x 64 and 4 x 4 results a thread, 16 apart; a waits in shared memory with its columns as rows.
extern "C" __global__ void __launch_bounds__(256) dgemm_register(double *c, const double *a, const double *b, int m, int n, int k)
{
    constexpr int TILE = 64, DEPTH = 8;
    __shared__ double as[DEPTH][TILE + 1], bs[DEPTH][TILE];
    int t = threadIdx.x, tx = t % 16, ty = t / 16, row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;
    double sum[4][4] = {};
    for (int k0 = 0; k0 < k; k0 += DEPTH) {
#pragma unroll
        for (int i = t; i < TILE * DEPTH; i += 256) {
            int ar = row0 + i / DEPTH, ac = k0 + i % DEPTH, br = k0 + i / TILE, bc = col0 + i % TILE;
            as[i % DEPTH][i / DEPTH] = ar < m && ac < k ? a[ar * k + ac] : 0.0;
            bs[i / TILE][i % TILE] = br < k && bc < n ? b[br * n + bc] : 0.0;
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < DEPTH; i++) {
            double u[4], v[4];
#pragma unroll
            for (int e = 0; e < 4; e++) {
                u[e] = as[i][ty + 16 * e];
                v[e] = bs[i][tx + 16 * e];
            }
#pragma unroll
            for (int y = 0; y < 4; y++)
#pragma unroll
                for (int x = 0; x < 4; x++)
                    sum[y][x] += u[y] * v[x];
        }
        __syncthreads();
    }
#pragma unroll
    for (int y = 0; y < 4; y++)
#pragma unroll
        for (int x = 0; x < 4; x++) {
            int row = row0 + ty + 16 * y, col = col0 + tx + 16 * x;
            if (row < m && col < n)
                c[row * n + col] = sum[y][x];
        }
}
