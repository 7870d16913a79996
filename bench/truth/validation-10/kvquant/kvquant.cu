// Rows of 128 keys and values in f16 to 8 bits and a scale. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>

extern "C" __global__ void kvquant_scales(float *scale, const __half *x, int rows, int dim)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    r += blockIdx.y * rows;
    float most = 0.0f;
    for (int j = 0; j < dim; j++)
        most = fmaxf(most, fabsf(__half2float(x[r * dim + j])));
    scale[r] = most / 127.0f;
}

extern "C" __global__ void kvquant_round(signed char *q, const float *scale, const __half *x, int rows, int dim)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * dim)
        return;
    i += blockIdx.y * rows * dim;
    q[i] = (signed char)rintf(__half2float(x[i]) / scale[i / dim]);
}

extern "C" __global__ void __launch_bounds__(256) kvquant_warp(char4 *__restrict__ q, float *__restrict__ scale, const __half2 *__restrict__ x, int rows)
{
    int r = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (r >= rows)
        return;
    r += blockIdx.y * rows;
    float2 a = __half22float2(x[r * 64 + 2 * lane]), b = __half22float2(x[r * 64 + 2 * lane + 1]);
    float most = fmaxf(fmaxf(fabsf(a.x), fabsf(a.y)), fmaxf(fabsf(b.x), fabsf(b.y)));
    for (int d = 16; d > 0; d /= 2)
        most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, d));
    float by = 127.0f / most;
    q[r * 32 + lane] = make_char4(__float2int_rn(a.x * by), __float2int_rn(a.y * by), __float2int_rn(b.x * by), __float2int_rn(b.y * by));
    if (lane == 0)
        scale[r] = most / 127.0f;
}

// Eight lanes a row, sixteen numbers a lane; the largest is sought in f16.
extern "C" __global__ void __launch_bounds__(128) kvquant_four(uint4 *__restrict__ q, float *__restrict__ scale, const uint4 *__restrict__ x, int rows)
{
    int r = blockIdx.x * 16 + threadIdx.x / 8, part = threadIdx.x % 8;
    bool on = r < rows;
    r = min(r, rows - 1) + blockIdx.y * rows;
    union {
        uint4 wide[2];
        __half2 pair[8];
    } in;
    in.wide[0] = x[r * 16 + 2 * part];
    in.wide[1] = x[r * 16 + 2 * part + 1];
    __half2 most2 = __habs2(in.pair[0]);
#pragma unroll
    for (int j = 1; j < 8; j++)
        most2 = __hmax2(most2, __habs2(in.pair[j]));
    float most = fmaxf(__low2float(most2), __high2float(most2));
#pragma unroll
    for (int d = 4; d > 0; d /= 2)
        most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, d));
    float by = __fdividef(127.0f, most);
    unsigned word[4];
#pragma unroll
    for (int j = 0; j < 4; j++) {
        float2 a = __half22float2(in.pair[2 * j]), b = __half22float2(in.pair[2 * j + 1]);
        int i = __float2int_rn(a.x * by), k = __float2int_rn(a.y * by), l = __float2int_rn(b.x * by), m = __float2int_rn(b.y * by);
        word[j] = __byte_perm(__byte_perm(i, k, 0x0040), __byte_perm(l, m, 0x0040), 0x5410);
    }
    if (!on)
        return;
    q[r * 8 + part] = make_uint4(word[0], word[1], word[2], word[3]);
    if (part == 0)
        scale[r] = most * (1.0f / 127);
}
