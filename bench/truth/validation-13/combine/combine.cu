// To each token's row the rows that its experts left at two places, each times its weight. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>

extern "C" __global__ void combine_number(__half *out, const __half *h, const __half *e, const int *at, const float *weight, int tokens, int width, int experts)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int t = i / width, c = i % width;
    if (t >= tokens)
        return;
    float sum = __half2float(h[i]);
    for (int k = 0; k < experts; k++)
        sum += weight[t * experts + k] * __half2float(e[at[t * experts + k] * width + c]);
    out[i] = __float2half(sum);
}

// A warp a token, pairs of numbers.
extern "C" __global__ void combine_warp(__half2 *out, const __half2 *h, const __half2 *e, const int *at, const float *weight, int tokens)
{
    int t = blockIdx.x * 8 + threadIdx.y;
    if (t >= tokens)
        return;
    int p = at[2 * t], q = at[2 * t + 1];
    float u = weight[2 * t], v = weight[2 * t + 1];
    for (int i = threadIdx.x; i < 512; i += 32) {
        float2 own = __half22float2(h[t * 512 + i]), a = __half22float2(e[p * 512 + i]), b = __half22float2(e[q * 512 + i]);
        out[t * 512 + i] = __floats2half2_rn(own.x + u * a.x + v * b.x, own.y + u * a.y + v * b.y);
    }
}

__device__ __forceinline__ unsigned mixed(unsigned h, unsigned a, unsigned b, float u, float v)
{
    float2 own = __half22float2(*(__half2 *)&h), x = __half22float2(*(__half2 *)&a), y = __half22float2(*(__half2 *)&b);
    __half2 r = __floats2half2_rn(fmaf(v, y.x, fmaf(u, x.x, own.x)), fmaf(v, y.y, fmaf(u, x.y, own.y)));
    return *(unsigned *)&r;
}

// Eight numbers a thread, a block a token.
extern "C" __global__ void __launch_bounds__(128) combine_wide(uint4 *__restrict__ out, const uint4 *__restrict__ h, const uint4 *__restrict__ e, const int2 *__restrict__ at,
                                                               const float2 *__restrict__ weight)
{
    int t = blockIdx.x, i = threadIdx.x;
    int2 from = __ldg(&at[t]);
    float2 by = __ldg(&weight[t]);
    uint4 own = __ldg(&h[t * 128 + i]), a = __ldg(&e[from.x * 128 + i]), b = __ldg(&e[from.y * 128 + i]);
    out[t * 128 + i] = make_uint4(mixed(own.x, a.x, b.x, by.x, by.y), mixed(own.y, a.y, b.y, by.x, by.y), mixed(own.z, a.z, b.z, by.x, by.y), mixed(own.w, a.w, b.w, by.x, by.y));
}
