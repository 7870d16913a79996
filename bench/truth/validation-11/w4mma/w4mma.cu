// Sixteen rows of 1024 numbers times weights of 4 bits, from -8 to 7 times the scale of a group of 64. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

// Two numbers a thread.
extern "C" __global__ void w4mma_unpack(__half *wide, const unsigned char *w, const float *scale, int n, int group)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n)
        return;
    float by = scale[i / group];
    wide[i] = __float2half(((w[i / 2] & 15) - 8) * by);
    wide[i + 1] = __float2half(((w[i / 2] >> 4) - 8) * by);
}

extern "C" __global__ void w4mma_product(float *out, const __half *x, const __half *wide, int n, int depth)
{
    __shared__ float a[16][16], b[16][17];
    int tx = threadIdx.x, ty = threadIdx.y, col = blockIdx.x * 16;
    float sum = 0.0f;
    for (int k = 0; k < depth; k += 16) {
        a[ty][tx] = __half2float(x[ty * depth + k + tx]);
        b[ty][tx] = __half2float(wide[(col + ty) * depth + k + tx]);
        __syncthreads();
        for (int j = 0; j < 16; j++)
            sum += a[ty][j] * b[tx][j];
        __syncthreads();
    }
    out[ty * n + col + tx] = sum;
}

// 64 columns a block, a group of 64 weights of each at a time.
extern "C" __global__ void __launch_bounds__(128)
    w4mma_tile(float *__restrict__ out, const __half *__restrict__ x, const unsigned *__restrict__ w, const float *__restrict__ scale, int n)
{
    __shared__ __align__(32) __half a[16][72], b[64][72];
    int t = threadIdx.x, warp = t / 32, col = blockIdx.x * 64;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int group = 0; group < 16; group++) {
        *(uint4 *)&a[t / 8][t % 8 * 8] = *(const uint4 *)&x[t / 8 * 1024 + group * 64 + t % 8 * 8];
#pragma unroll
        for (int i = t; i < 512; i += 128) {
            unsigned v = w[(col + i / 8) * 128 + group * 8 + i % 8];
            float by = scale[(col + i / 8) * 16 + group];
            __half2 got[4];
#pragma unroll
            for (int k = 0; k < 4; k++)
                got[k] = __floats2half2_rn(((int)(v >> 8 * k & 15) - 8) * by, ((int)(v >> (8 * k + 4) & 15) - 8) * by);
            *(uint4 *)&b[i / 8][i % 8 * 8] = *(uint4 *)got;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 64; k += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
            wmma::load_matrix_sync(fa, &a[0][k], 72);
            wmma::load_matrix_sync(fb, &b[warp * 16][k], 72);
            wmma::mma_sync(sum, fa, fb, sum);
        }
        __syncthreads();
    }
    wmma::store_matrix_sync(&out[col + warp * 16], sum, n, wmma::mem_row_major);
}

// The number 1024 + v as a half has v in its low bits.
__device__ unsigned weights(unsigned v)
{
    unsigned bits = (v & 0x000f000f) | 0x64006400;
    __half2 h = __hsub2(*(__half2 *)&bits, __float2half2_rn(1032.0f));
    return *(unsigned *)&h;
}

__device__ void mma(float *c, const unsigned *a, unsigned b0, unsigned b1)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Eight columns a block, a quarter of the numbers a warp. Both factors have the numbers k and k + 4 of eight beside each other.
extern "C" __global__ void __launch_bounds__(128)
    w4mma_registers(float *__restrict__ out, const uint4 *__restrict__ x, const unsigned *__restrict__ w, const float *__restrict__ scale, int n)
{
    __shared__ float4 part[3][32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, c = lane % 4, first = blockIdx.x * 8;
    float sum[4] = {};
#pragma unroll
    for (int group = 0; group < 4; group++) {
        float own[4] = {};
#pragma unroll
        for (int i = 0; i < 2; i++) {
            int at = warp * 32 + group * 8 + i * 4 + c;
            unsigned v = w[(first + g) * 128 + at];
            uint4 low = x[g * 128 + at], high = x[(g + 8) * 128 + at];
            unsigned a[4] = {__byte_perm(low.x, low.z, 0x5410), __byte_perm(high.x, high.z, 0x5410), __byte_perm(low.x, low.z, 0x7632),
                             __byte_perm(high.x, high.z, 0x7632)};
            mma(own, a, weights(v), weights(v >> 4));
            unsigned b[4] = {__byte_perm(low.y, low.w, 0x5410), __byte_perm(high.y, high.w, 0x5410), __byte_perm(low.y, low.w, 0x7632),
                             __byte_perm(high.y, high.w, 0x7632)};
            mma(own, b, weights(v >> 8), weights(v >> 12));
        }
        float even = scale[(first + 2 * c) * 16 + warp * 4 + group], odd = scale[(first + 2 * c + 1) * 16 + warp * 4 + group];
        sum[0] += even * own[0];
        sum[1] += odd * own[1];
        sum[2] += even * own[2];
        sum[3] += odd * own[3];
    }
    if (warp > 0)
        part[warp - 1][lane] = make_float4(sum[0], sum[1], sum[2], sum[3]);
    __syncthreads();
    if (warp == 0) {
#pragma unroll
        for (int k = 0; k < 3; k++) {
            float4 v = part[k][lane];
            sum[0] += v.x;
            sum[1] += v.y;
            sum[2] += v.z;
            sum[3] += v.w;
        }
        *(float2 *)&out[g * n + first + 2 * c] = make_float2(sum[0], sum[1]);
        *(float2 *)&out[(g + 8) * n + first + 2 * c] = make_float2(sum[2], sum[3]);
    }
}
