// c = a*b with all matrices stored by columns: a is m x k, b is k x n. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>

#define IDX(i, j, ld) ((j) * (ld) + (i))

extern "C" __global__ void colmm_output(float *c, const __half *a, const __half *b, int m, int n, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < m && j < n) {
        float sum = 0.0f;
        for (int p = 0; p < k; p++)
            sum += __half2float(a[IDX(i, p, m)]) * __half2float(b[IDX(p, j, k)]);
        c[IDX(i, j, m)] = sum;
    }
}

// 32 x 32 outputs a block, four of a row a thread.
extern "C" __global__ void colmm_tile(float *c, const __half *a, const __half *b, int m, int n, int k)
{
    __shared__ float as[32][32], bs[32][33];
    int x = threadIdx.x, y = threadIdx.y, i = blockIdx.x * 32 + x, j0 = blockIdx.y * 32;
    float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int p0 = 0; p0 < k; p0 += 32) {
        for (int r = y; r < 32; r += 8) {
            as[r][x] = i < m && p0 + r < k ? __half2float(a[IDX(i, p0 + r, m)]) : 0.0f;
            bs[r][x] = j0 + r < n && p0 + x < k ? __half2float(b[IDX(p0 + x, j0 + r, k)]) : 0.0f;
        }
        __syncthreads();
        for (int p = 0; p < 32; p++) {
            float v = as[p][x];
            for (int r = 0; r < 4; r++)
                sum[r] += v * bs[y + 8 * r][p];
        }
        __syncthreads();
    }
    for (int r = 0; r < 4; r++)
        if (i < m && j0 + y + 8 * r < n)
            c[IDX(i, j0 + y + 8 * r, m)] = sum[r];
}

__device__ __forceinline__ void load4(unsigned (&r)[4], const __half *from)
{
    unsigned at = (unsigned)__cvta_generic_to_shared(from);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
}

__device__ __forceinline__ void load4t(unsigned (&r)[4], const __half *from)
{
    unsigned at = (unsigned)__cvta_generic_to_shared(from);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
}

// 64 x 64 outputs a block of four warps, which have 32 x 32 each; all sizes are multiples of 64.
extern "C" __global__ void __launch_bounds__(128) colmm_tensor(float *__restrict__ c, const __half *__restrict__ a, const __half *__restrict__ b, int m, int n, int k)
{
    __shared__ __align__(16) __half as[32][72], bs[64][40];
    int t = threadIdx.x, lane = t & 31, warp = t >> 5, i0 = blockIdx.x * 64, j0 = blockIdx.y * 64, wi = warp % 2 * 32, wj = warp / 2 * 32;
    float sum[2][4][4] = {};
    for (int p0 = 0; p0 < k; p0 += 32) {
#pragma unroll
        for (int r = 0; r < 2; r++) {
            int u = t + 128 * r;
            *(uint4 *)&as[u / 8][u % 8 * 8] = *(const uint4 *)&a[(size_t)(p0 + u / 8) * m + i0 + u % 8 * 8];
            *(uint4 *)&bs[u / 4][u % 4 * 8] = *(const uint4 *)&b[(size_t)(j0 + u / 4) * k + p0 + u % 4 * 8];
        }
        __syncthreads();
#pragma unroll
        for (int p = 0; p < 32; p += 16) {
            unsigned fa[2][4], fb[2][4];
#pragma unroll
            for (int r = 0; r < 2; r++) {
                load4t(fa[r], &as[p + lane / 16 * 8 + lane % 8][wi + 16 * r + lane / 8 % 2 * 8]);
                load4(fb[r], &bs[wj + 16 * r + lane / 16 * 8 + lane % 8][p + lane / 8 % 2 * 8]);
            }
#pragma unroll
            for (int r = 0; r < 2; r++)
#pragma unroll
                for (int s = 0; s < 4; s++)
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                                 : "+f"(sum[r][s][0]), "+f"(sum[r][s][1]), "+f"(sum[r][s][2]), "+f"(sum[r][s][3])
                                 : "r"(fa[r][0]), "r"(fa[r][1]), "r"(fa[r][2]), "r"(fa[r][3]), "r"(fb[s / 2][s % 2 * 2]), "r"(fb[s / 2][s % 2 * 2 + 1]));
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < 2; r++)
#pragma unroll
        for (int s = 0; s < 4; s++) {
            float *to = c + (size_t)(j0 + wj + 8 * s + lane % 4 * 2) * m + i0 + wi + 16 * r + lane / 4;
            to[0] = sum[r][s][0];
            to[m] = sum[r][s][1];
            to[8] = sum[r][s][2];
            to[m + 8] = sum[r][s][3];
        }
}
