// c = a*b: n x k by k x n in bf16, all row by row, c and its sums in f32. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <cuda_bf16.h>
#include <mma.h>
using namespace nvcuda;
typedef __nv_bfloat16 bf16;

extern "C" __global__ void bf16mm_naive(float *c, const bf16 *a, const bf16 *b, int n, int k)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || col >= n)
        return;
    float acc = 0.0f;
    for (int i = 0; i < k; ++i)
        acc += __bfloat162float(a[row * k + i]) * __bfloat162float(b[i * n + col]);
    c[row * n + col] = acc;
}

// Tiles of 32 x 32 stay bf16 in shared memory.
extern "C" __global__ void bf16mm_tile(float *c, const bf16 *a, const bf16 *b, int n, int k)
{
    __shared__ bf16 as[32][32], bs[32][32];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * 32 + ty, col = blockIdx.x * 32 + tx;
    bf16 zero = __float2bfloat16(0.0f);
    float acc = 0.0f;
    for (int k0 = 0; k0 < k; k0 += 32) {
        as[ty][tx] = row < n && k0 + tx < k ? a[row * k + k0 + tx] : zero;
        bs[ty][tx] = k0 + ty < k && col < n ? b[(k0 + ty) * n + col] : zero;
        __syncthreads();
        for (int i = 0; i < 32; ++i)
            acc += __bfloat162float(as[ty][i]) * __bfloat162float(bs[i][tx]);
        __syncthreads();
    }
    if (row < n && col < n)
        c[row * n + col] = acc;
}

// Two warps of 16 x 32 each, fragments straight from global memory.
extern "C" __global__ void bf16mm_tensor(float *c, const bf16 *a, const bf16 *b, int n, int k)
{
    int warp = threadIdx.x / 32;
    int row0 = blockIdx.y * 32 + warp * 16, col0 = blockIdx.x * 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2];
    wmma::fill_fragment(acc[0], 0.0f);
    wmma::fill_fragment(acc[1], 0.0f);
    for (int k0 = 0; k0 < k; k0 += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, bf16, wmma::row_major> fa;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, bf16, wmma::row_major> fb[2];
        wmma::load_matrix_sync(fa, a + row0 * k + k0, k);
        wmma::load_matrix_sync(fb[0], b + k0 * n + col0, n);
        wmma::load_matrix_sync(fb[1], b + k0 * n + col0 + 16, n);
        wmma::mma_sync(acc[0], fa, fb[0], acc[0]);
        wmma::mma_sync(acc[1], fa, fb[1], acc[1]);
    }
    wmma::store_matrix_sync(c + row0 * n + col0, acc[0], n, wmma::mem_row_major);
    wmma::store_matrix_sync(c + row0 * n + col0 + 16, acc[1], n, wmma::mem_row_major);
}

// Tiles of 64 x 64 of four warps, 32 x 32 each; slices of 32 of k through shared memory, 16 bytes at once.
extern "C" __global__ void __launch_bounds__(128) bf16mm_shared(float *c, const bf16 *a, const bf16 *b, int n, int k)
{
    __shared__ __align__(16) bf16 as[64][40], bs[32][72];
    int t = threadIdx.x, warp = t / 32;
    int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64, wr = warp / 2 * 32, wc = warp % 2 * 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
    for (int y = 0; y < 2; ++y)
        for (int x = 0; x < 2; ++x)
            wmma::fill_fragment(acc[y][x], 0.0f);
    for (int k0 = 0; k0 < k; k0 += 32) {
        for (int i = t; i < 256; i += 128) {
            *(uint4 *)&as[i / 4][i % 4 * 8] = *(const uint4 *)&a[(row0 + i / 4) * k + k0 + i % 4 * 8];
            *(uint4 *)&bs[i / 8][i % 8 * 8] = *(const uint4 *)&b[(k0 + i / 8) * n + col0 + i % 8 * 8];
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 32; i += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, bf16, wmma::row_major> fa[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, bf16, wmma::row_major> fb[2];
            wmma::load_matrix_sync(fa[0], &as[wr][i], 40);
            wmma::load_matrix_sync(fa[1], &as[wr + 16][i], 40);
            wmma::load_matrix_sync(fb[0], &bs[i][wc], 72);
            wmma::load_matrix_sync(fb[1], &bs[i][wc + 16], 72);
            for (int y = 0; y < 2; ++y)
                for (int x = 0; x < 2; ++x)
                    wmma::mma_sync(acc[y][x], fa[y], fb[x], acc[y][x]);
        }
        __syncthreads();
    }
    for (int y = 0; y < 2; ++y)
        for (int x = 0; x < 2; ++x)
            wmma::store_matrix_sync(c + (row0 + wr + 16 * y) * n + col0 + wc + 16 * x, acc[y][x], n, wmma::mem_row_major);
}
