// Keys of rank 64 made long by a head's matrix of 64 x 64 and multiplied with the head's query. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void mla_keys(__half *k, const __half *c, const __half *w, int length, int rank, int dim)
{
    int at = blockIdx.x * blockDim.x + threadIdx.x, d = at % dim, i = at / dim % length, head = at / (dim * length);
    float sum = 0.0f;
    for (int r = 0; r < rank; r++)
        sum += __half2float(c[i * rank + r]) * __half2float(w[(head * rank + r) * dim + d]);
    k[at] = __float2half(sum);
}

extern "C" __global__ void mla_scores(float *out, const __half *k, const float *q, int length, int dim)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, head = blockIdx.y;
    if (i >= length)
        return;
    float sum = 0.0f;
    for (int d = 0; d < dim; d++)
        sum += q[head * dim + d] * __half2float(k[(head * length + i) * dim + d]);
    out[head * length + i] = sum * 0.125f;
}

// 32 keys a block; they are never stored.
extern "C" __global__ void __launch_bounds__(256) mla_merged(float *out, const __half *c, const __half *w, const float *q, int length)
{
    __shared__ float ws[64][64], cs[32][64], part[2][32];
    int t = threadIdx.x, first = blockIdx.x * 32, head = blockIdx.y, d = t % 64, group = t / 64;
    for (int i = t; i < 4096; i += 256)
        ws[i / 64][i % 64] = __half2float(w[head * 4096 + i]);
    for (int i = t; i < 2048; i += 256)
        cs[i / 64][i % 64] = __half2float(c[first * 64 + i]);
    __syncthreads();
    float sum[8] = {}, own = q[head * 64 + d];
    for (int r = 0; r < 64; r++)
        for (int j = 0; j < 8; j++)
            sum[j] += cs[group * 8 + j][r] * ws[r][d];
    for (int j = 0; j < 8; j++) {
        float v = sum[j] * own;
        for (int s = 16; s > 0; s /= 2)
            v += __shfl_xor_sync(0xffffffff, v, s);
        if (t % 32 == 0)
            part[d / 32][group * 8 + j] = v;
    }
    __syncthreads();
    if (t < 32)
        out[head * length + first + t] = (part[0][t] + part[1][t]) * 0.125f;
}

// Four warps have 16 x 32 of 32 keys with 64 numbers each.
extern "C" __global__ void __launch_bounds__(128) mla_tensor(float *__restrict__ out, const __half *__restrict__ c, const __half *__restrict__ w,
                                                             const float *__restrict__ q, int length)
{
    __shared__ __align__(32) __half ws[64][72], cs[32][72];
    __shared__ __align__(32) float keys[32][68];
    int t = threadIdx.x, warp = t / 32, first = blockIdx.x * 32, head = blockIdx.y, row = warp / 2 * 16, col = warp % 2 * 32;
#pragma unroll
    for (int i = t; i < 512; i += 128)
        *(uint4 *)&ws[i / 8][i % 8 * 8] = *(const uint4 *)&w[head * 4096 + i * 8];
#pragma unroll
    for (int i = t; i < 256; i += 128)
        *(uint4 *)&cs[i / 8][i % 8 * 8] = *(const uint4 *)&c[first * 64 + i * 8];
    __syncthreads();
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> low, high;
    wmma::fill_fragment(low, 0.0f);
    wmma::fill_fragment(high, 0.0f);
#pragma unroll
    for (int k = 0; k < 64; k += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b;
        wmma::load_matrix_sync(a, &cs[row][k], 72);
        wmma::load_matrix_sync(b, &ws[k][col], 72);
        wmma::mma_sync(low, a, b, low);
        wmma::load_matrix_sync(b, &ws[k][col + 16], 72);
        wmma::mma_sync(high, a, b, high);
    }
    wmma::store_matrix_sync(&keys[row][col], low, 68, wmma::mem_row_major);
    wmma::store_matrix_sync(&keys[row][col + 16], high, 68, wmma::mem_row_major);
    __syncthreads();
    int key = t / 4, part = t % 4;
    float sum = 0.0f;
#pragma unroll
    for (int j = 0; j < 4; j++) {
        float4 v = *(float4 *)&keys[key][16 * j + 4 * part], u = *(const float4 *)&q[head * 64 + 16 * j + 4 * part];
        sum += v.x * u.x + v.y * u.y + v.z * u.z + v.w * u.w;
    }
    sum += __shfl_xor_sync(0xffffffff, sum, 1);
    sum += __shfl_xor_sync(0xffffffff, sum, 2);
    if (part == 0)
        out[head * length + first + key] = sum * 0.125f;
}
