// Rows of 256 in f16, sorted by expert, times the expert's matrix of 256 x 128. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void moegemm_thread(__half *y, const __half *x, const __half *w, const int *starts, int experts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = i / 128, col = i % 128;
    if (row >= n)
        return;
    int e = 0;
    while (e + 1 < experts && starts[e + 1] <= row)
        e++;
    float sum = 0.0f;
    for (int k = 0; k < 256; k++)
        sum += __half2float(x[row * 256 + k]) * __half2float(w[(e * 256 + k) * 128 + col]);
    y[i] = __float2half(sum);
}

// The expert and the first row of a block's tile of 32 rows; rows to the expert's end, or none.
__device__ int place(const int *starts, int experts, int tile, int &expert, int &first)
{
    for (expert = 0; expert < experts; expert++) {
        int from = starts[expert], rows = starts[expert + 1] - from, tiles = (rows + 31) / 32;
        if (tile < tiles) {
            first = from + 32 * tile;
            return rows - 32 * tile;
        }
        tile -= tiles;
    }
    return 0;
}

extern "C" __global__ void moegemm_tile(__half *y, const __half *x, const __half *w, const int *starts, int experts)
{
    __shared__ float xs[32][33], ws[32][64];
    int e, first, rows = place(starts, experts, blockIdx.y, e, first);
    if (rows <= 0)
        return;
    int t = threadIdx.x, col = t % 64, r0 = t / 64;
    float sum[8] = {};
    for (int k0 = 0; k0 < 256; k0 += 32) {
        for (int i = t; i < 1024; i += 256)
            xs[i / 32][i % 32] = i / 32 < rows ? __half2float(x[(first + i / 32) * 256 + k0 + i % 32]) : 0.0f;
        for (int i = t; i < 2048; i += 256)
            ws[i / 64][i % 64] = __half2float(w[(e * 256 + k0 + i / 64) * 128 + blockIdx.x * 64 + i % 64]);
        __syncthreads();
        for (int k = 0; k < 32; k++)
            for (int j = 0; j < 8; j++)
                sum[j] += xs[r0 + 4 * j][k] * ws[k][col];
        __syncthreads();
    }
    for (int j = 0; j < 8; j++)
        if (r0 + 4 * j < rows)
            y[(first + r0 + 4 * j) * 128 + blockIdx.x * 64 + col] = __float2half(sum[j]);
}

// Eight warps have 16 x 16 outputs each of 32 x 64.
extern "C" __global__ void __launch_bounds__(256) moegemm_tensor(__half *__restrict__ y, const __half *__restrict__ x, const __half *__restrict__ w,
                                                                 const int *__restrict__ starts, int experts)
{
    __shared__ __align__(32) __half xs[32][72], ws[64][72];
    __shared__ __align__(32) float out[32][68];
    int e, first, rows = place(starts, experts, blockIdx.y, e, first);
    if (rows <= 0)
        return;
    int t = threadIdx.x, warp = t / 32, r = warp / 4 * 16, c = warp % 4 * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
    wmma::fill_fragment(acc, 0.0f);
    for (int k0 = 0; k0 < 256; k0 += 64) {
        uint4 v = make_uint4(0, 0, 0, 0);
        if (t / 8 < rows)
            v = *(const uint4 *)&x[(first + t / 8) * 256 + k0 + t % 8 * 8];
        *(uint4 *)&xs[t / 8][t % 8 * 8] = v;
        for (int i = t / 8; i < 64; i += 32)
            *(uint4 *)&ws[i][t % 8 * 8] = *(const uint4 *)&w[(e * 256 + k0 + i) * 128 + blockIdx.x * 64 + t % 8 * 8];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 64; k += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fx;
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fw;
            wmma::load_matrix_sync(fx, &xs[r][k], 72);
            wmma::load_matrix_sync(fw, &ws[k][c], 72);
            wmma::mma_sync(acc, fx, fw, acc);
        }
        __syncthreads();
    }
    wmma::store_matrix_sync(&out[r][c], acc, 68, wmma::mem_row_major);
    __syncthreads();
    for (int i = t; i < 1024; i += 256)
        if (i / 32 < rows) {
            float2 v = *(float2 *)&out[i / 32][i % 32 * 2];
            *(__half2 *)&y[(first + i / 32) * 128 + blockIdx.x * 64 + i % 32 * 2] = __floats2half2_rn(v.x, v.y);
        }
}
