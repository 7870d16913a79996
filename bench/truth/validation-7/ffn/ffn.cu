// c = relu(a*b + bias), n x k by k x n in f16 with sums in f32. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <mma.h>
#include <cuda_fp16.h>
using namespace nvcuda;
typedef wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
typedef wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right;
typedef wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums16;

// 32 x 32 outputs a block of four warps.
__device__ void product(sums16 &acc, const half *a, const half *b, int row, int col, int n, int k)
{
    wmma::fill_fragment(acc, 0.0f);
    for (int i = 0; i < k; i += 16) {
        left fa;
        right fb;
        wmma::load_matrix_sync(fa, a + row * k + i, k);
        wmma::load_matrix_sync(fb, b + i * n + col, n);
        wmma::mma_sync(acc, fa, fb, acc);
    }
}

extern "C" __global__ void ffn_product(float *sums, const half *a, const half *b, int n, int k)
{
    int warp = threadIdx.x / 32, row = blockIdx.y * 32 + warp / 2 * 16, col = blockIdx.x * 32 + warp % 2 * 16;
    sums16 acc;
    product(acc, a, b, row, col, n, k);
    wmma::store_matrix_sync(sums + row * n + col, acc, n, wmma::mem_row_major);
}

extern "C" __global__ void ffn_bias(half *c, const float *sums, const float *bias, int n, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        c[i] = __float2half(fmaxf(sums[i] + bias[i % n], 0.0f));
}

extern "C" __global__ void ffn_merged(half *c, const half *a, const half *b, const float *bias, int n, int k)
{
    __shared__ float s[4][256];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int row = blockIdx.y * 32 + warp / 2 * 16, col = blockIdx.x * 32 + warp % 2 * 16;
    sums16 acc;
    product(acc, a, b, row, col, n, k);
    wmma::store_matrix_sync(s[warp], acc, 16, wmma::mem_row_major);
    __syncwarp();
    for (int i = lane; i < 256; i += 32) {
        float v = s[warp][i] + bias[col + i % 16];
        c[(row + i / 16) * n + col + i % 16] = __float2half(v > 0.0f ? v : 0.0f);
    }
}

// 64 x 64 outputs a block, 32 x 32 a warp, slices of 32 of k in padded shared memory.
extern "C" __global__ void __launch_bounds__(128) ffn_shared(half *__restrict__ c, const half *__restrict__ a,
                                                             const half *__restrict__ b, const float *__restrict__ bias, int n,
                                                             int k)
{
    __shared__ __align__(32) half as[64][40], bs[32][72];
    __shared__ __align__(32) float s[4][16][20];
    int t = threadIdx.x, warp = t / 32, lane = t % 32;
    int row = warp / 2 * 32, col = warp % 2 * 32, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    sums16 acc[2][2];
#pragma unroll
    for (int i = 0; i < 4; i++)
        wmma::fill_fragment(acc[i / 2][i % 2], 0.0f);
    for (int k0 = 0; k0 < k; k0 += 32) {
        for (int i = t; i < 256; i += 128) {
            *(uint4 *)&as[i / 4][i % 4 * 8] = *(const uint4 *)&a[(row0 + i / 4) * k + k0 + i % 4 * 8];
            *(uint4 *)&bs[i / 8][i % 8 * 8] = *(const uint4 *)&b[(k0 + i / 8) * n + col0 + i % 8 * 8];
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 32; i += 16) {
            left fa[2];
            right fb[2];
#pragma unroll
            for (int j = 0; j < 2; j++) {
                wmma::load_matrix_sync(fa[j], &as[row + 16 * j][i], 40);
                wmma::load_matrix_sync(fb[j], &bs[i][col + 16 * j], 72);
            }
#pragma unroll
            for (int j = 0; j < 4; j++)
                wmma::mma_sync(acc[j / 2][j % 2], fa[j / 2], fb[j % 2], acc[j / 2][j % 2]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int j = 0; j < 4; j++) {
        wmma::store_matrix_sync(&s[warp][0][0], acc[j / 2][j % 2], 20, wmma::mem_row_major);
        __syncwarp();
        int y = row0 + row + j / 2 * 16, x = col0 + col + j % 2 * 16 + lane % 8 * 2;
        float b0 = bias[x], b1 = bias[x + 1];
        for (int i = lane / 8; i < 16; i += 4) {
            float2 v = *(const float2 *)&s[warp][i][lane % 8 * 2];
            *(half2 *)&c[(y + i) * n + x] = __floats2half2_rn(fmaxf(v.x + b0, 0.0f), fmaxf(v.y + b1, 0.0f));
        }
        __syncwarp();
    }
}
