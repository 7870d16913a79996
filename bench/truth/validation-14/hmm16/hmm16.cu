// c = a*b + bias, all in f16 and by rows; a is m x k, b is k x n, and sums stay in f16. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>

extern "C" __global__ void hmm16_pair(__half2 *c, const __half *a, const __half2 *b, const __half2 *bias, int m, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || 2 * j >= n)
        return;
    __half2 sum = bias[j];
    for (int p = 0; p < k; p++)
        sum = __hfma2(__half2half2(a[i * k + p]), b[p * (n / 2) + j], sum);
    c[i * (n / 2) + j] = sum;
}

// 32 x 64 outputs a block of 32 x 8, four rows of two a thread; n is a multiple of 64, k of 32.
extern "C" __global__ void __launch_bounds__(256) hmm16_tile(__half2 *__restrict__ c, const __half *__restrict__ a, const __half2 *__restrict__ b, const __half2 *__restrict__ bias, int n, int k)
{
    __shared__ __half2 as[32][33], bs[32][32];
    int x = threadIdx.x, y = threadIdx.y, j = blockIdx.x * 32 + x, i0 = blockIdx.y * 32;
    __half2 sum[4];
    for (int r = 0; r < 4; r++)
        sum[r] = bias[j];
    for (int p0 = 0; p0 < k; p0 += 32) {
        for (int r = y; r < 32; r += 8) {
            as[r][x] = __half2half2(a[(i0 + r) * k + p0 + x]);
            bs[r][x] = b[(size_t)(p0 + r) * (n / 2) + j];
        }
        __syncthreads();
#pragma unroll 8
        for (int p = 0; p < 32; p++) {
            __half2 v = bs[p][x];
            for (int r = 0; r < 4; r++)
                sum[r] = __hfma2(as[y + 8 * r][p], v, sum[r]);
        }
        __syncthreads();
    }
    for (int r = 0; r < 4; r++)
        c[(size_t)(i0 + y + 8 * r) * (n / 2) + j] = sum[r];
}

__device__ __forceinline__ unsigned shared_at(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

// 64 x 64 outputs a block of four warps of 16 rows each.
extern "C" __global__ void __launch_bounds__(128) hmm16_tensor(__half *__restrict__ c, const __half *__restrict__ a, const __half *__restrict__ b, const __half *__restrict__ bias, int n, int k)
{
    __shared__ __align__(16) __half as[64][40], bs[32][72];
    int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    size_t i0 = blockIdx.y * 64, j0 = blockIdx.x * 64;
    unsigned sum[8][2];
#pragma unroll
    for (int s = 0; s < 8; s++)
        sum[s][0] = sum[s][1] = *(const unsigned *)&bias[j0 + 8 * s + lane % 4 * 2];
    for (int p0 = 0; p0 < k; p0 += 32) {
#pragma unroll
        for (int u = t; u < 256; u += 128) {
            *(uint4 *)&as[u / 4][u % 4 * 8] = *(const uint4 *)&a[(i0 + u / 4) * k + p0 + u % 4 * 8];
            *(uint4 *)&bs[u / 8][u % 8 * 8] = *(const uint4 *)&b[(size_t)(p0 + u / 8) * n + j0 + u % 8 * 8];
        }
        __syncthreads();
#pragma unroll
        for (int p = 0; p < 32; p += 16) {
            unsigned f[4], g[2];
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                         : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3])
                         : "r"(shared_at(&as[warp * 16 + lane % 16][p + lane / 16 * 8])));
#pragma unroll
            for (int s = 0; s < 8; s++) {
                asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(g[0]), "=r"(g[1]) : "r"(shared_at(&bs[p + lane % 16][8 * s])));
                asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
                             : "+r"(sum[s][0]), "+r"(sum[s][1])
                             : "r"(f[0]), "r"(f[1]), "r"(f[2]), "r"(f[3]), "r"(g[0]), "r"(g[1]));
            }
        }
        __syncthreads();
    }
    __half *to = c + (i0 + warp * 16 + lane / 4) * n + j0 + lane % 4 * 2;
#pragma unroll
    for (int s = 0; s < 8; s++) {
        *(unsigned *)&to[8 * s] = sum[s][0];
        *(unsigned *)&to[8 * s + 8 * n] = sum[s][1];
    }
}
