// y = x w + (x a) b in f16, 512 x 512 with an update of rank 16, by tensor cores. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
typedef wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
typedef wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> right;
typedef wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;

extern "C" __global__ void lora_down(__half *t, const __half *x, const __half *a)
{
    __shared__ float out[256];
    int row = blockIdx.x * 16;
    sums acc;
    wmma::fill_fragment(acc, 0.0f);
    for (int k = 0; k < 512; k += 16) {
        left fx;
        right fa;
        wmma::load_matrix_sync(fx, x + row * 512 + k, 512);
        wmma::load_matrix_sync(fa, a + k * 16, 16);
        wmma::mma_sync(acc, fx, fa, acc);
    }
    wmma::store_matrix_sync(out, acc, 16, wmma::mem_row_major);
    __syncwarp();
    for (int i = threadIdx.x; i < 256; i += 32)
        t[row * 16 + i] = __float2half(out[i]);
}

extern "C" __global__ void lora_base(float *base, const __half *x, const __half *w)
{
    int row = blockIdx.y * 16, col = blockIdx.x * 64 + threadIdx.x / 32 * 16;
    sums acc;
    wmma::fill_fragment(acc, 0.0f);
    for (int k = 0; k < 512; k += 16) {
        left fx;
        right fw;
        wmma::load_matrix_sync(fx, x + row * 512 + k, 512);
        wmma::load_matrix_sync(fw, w + k * 512 + col, 512);
        wmma::mma_sync(acc, fx, fw, acc);
    }
    wmma::store_matrix_sync(base + row * 512 + col, acc, 512, wmma::mem_row_major);
}

extern "C" __global__ void lora_up(__half *y, const float *base, const __half *t, const __half *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = i / 512, col = i % 512;
    float sum = base[i];
    for (int k = 0; k < 16; k++)
        sum += __half2float(t[row * 16 + k]) * __half2float(b[k * 512 + col]);
    y[i] = __float2half(sum);
}

// Each warp has 16 x 16 outputs, and the small product for itself.
extern "C" __global__ void lora_merged(__half *__restrict__ y, const __half *__restrict__ x, const __half *__restrict__ w,
                                       const __half *__restrict__ a, const __half *__restrict__ b)
{
    __shared__ float out[4][256];
    __shared__ __half small[4][256];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int row = blockIdx.y * 16, col = blockIdx.x * 64 + warp * 16;
    sums acc, down;
    left fx;
    right fw;
    wmma::fill_fragment(acc, 0.0f);
    wmma::fill_fragment(down, 0.0f);
    for (int k = 0; k < 512; k += 16) {
        right fa;
        wmma::load_matrix_sync(fx, x + row * 512 + k, 512);
        wmma::load_matrix_sync(fw, w + k * 512 + col, 512);
        wmma::load_matrix_sync(fa, a + k * 16, 16);
        wmma::mma_sync(acc, fx, fw, acc);
        wmma::mma_sync(down, fx, fa, down);
    }
    wmma::store_matrix_sync(out[warp], down, 16, wmma::mem_row_major);
    __syncwarp();
    for (int i = lane; i < 256; i += 32)
        small[warp][i] = __float2half(out[warp][i]);
    __syncwarp();
    wmma::load_matrix_sync(fx, small[warp], 16);
    wmma::load_matrix_sync(fw, b + col, 512);
    wmma::mma_sync(acc, fx, fw, acc);
    wmma::store_matrix_sync(out[warp], acc, 16, wmma::mem_row_major);
    __syncwarp();
    for (int i = lane; i < 256; i += 32)
        y[(row + i / 16) * 512 + col + i % 16] = __float2half(out[warp][i]);
}

// 64 x 64 outputs a block, slices of 32 of the inner length in shared memory.
extern "C" __global__ void __launch_bounds__(256) lora_tiles(__half *__restrict__ y, const __half *__restrict__ x,
                                                             const __half *__restrict__ w, const __half *__restrict__ a,
                                                             const __half *__restrict__ b)
{
    __shared__ __align__(32) __half xs[64][40], ws[32][72], as[32][16], ts[64][16];
    __shared__ __align__(32) float out[64][68];
    int t = threadIdx.x, warp = t / 32, r = warp / 2 * 16, c = warp % 2 * 32;
    int row = blockIdx.y * 64, col = blockIdx.x * 64;
    sums acc[2], down;
    left fx;
    right fw;
    wmma::fill_fragment(acc[0], 0.0f);
    wmma::fill_fragment(acc[1], 0.0f);
    wmma::fill_fragment(down, 0.0f);
    for (int k0 = 0; k0 < 512; k0 += 32) {
        *(uint4 *)&xs[t / 4][t % 4 * 8] = *(const uint4 *)&x[(row + t / 4) * 512 + k0 + t % 4 * 8];
        *(uint4 *)&ws[t / 8][t % 8 * 8] = *(const uint4 *)&w[(k0 + t / 8) * 512 + col + t % 8 * 8];
        if (t < 64)
            *(uint4 *)&as[t / 2][t % 2 * 8] = *(const uint4 *)&a[(k0 + t / 2) * 16 + t % 2 * 8];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; k += 16) {
            wmma::load_matrix_sync(fx, &xs[r][k], 40);
#pragma unroll
            for (int j = 0; j < 2; j++) {
                wmma::load_matrix_sync(fw, &ws[k][c + 16 * j], 72);
                wmma::mma_sync(acc[j], fx, fw, acc[j]);
            }
            if (c == 0) {
                wmma::load_matrix_sync(fw, &as[k][0], 16);
                wmma::mma_sync(down, fx, fw, down);
            }
        }
        __syncthreads();
    }
    if (c == 0)
        wmma::store_matrix_sync(&out[r][0], down, 68, wmma::mem_row_major);
    __syncthreads();
    for (int i = t; i < 1024; i += 256)
        ts[i / 16][i % 16] = __float2half(out[i / 16][i % 16]);
    __syncthreads();
    wmma::load_matrix_sync(fx, &ts[r][0], 16);
#pragma unroll
    for (int j = 0; j < 2; j++) {
        wmma::load_matrix_sync(fw, b + col + c + 16 * j, 512);
        wmma::mma_sync(acc[j], fx, fw, acc[j]);
        wmma::store_matrix_sync(&out[r][c + 16 * j], acc[j], 68, wmma::mem_row_major);
    }
    __syncthreads();
    for (int i = t; i < 2048; i += 256) {
        float2 v = *(float2 *)&out[i / 32][i % 32 * 2];
        *(__half2 *)&y[(row + i / 32) * 512 + col + i % 32 * 2] = __floats2half2_rn(v.x, v.y);
    }
}
