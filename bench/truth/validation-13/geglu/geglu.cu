// The first half of each row plus its bias, times GELU of the second half plus its bias. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <cuda_bf16.h>

extern "C" __global__ void geglu_erf(__nv_bfloat16 *out, const __nv_bfloat16 *x, const __nv_bfloat16 *bias, int rows, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * width) {
        int row = i / width, col = i % width;
        float v = __bfloat162float(x[row * 2 * width + col]) + __bfloat162float(bias[col]);
        float g = __bfloat162float(x[row * 2 * width + width + col]) + __bfloat162float(bias[width + col]);
        out[i] = __float2bfloat16(v * (0.5f * g * (1.0f + erff(g * 0.70710678f))));
    }
}

__device__ __forceinline__ float gelu(float v)
{
    float t = v * fmaf(0.0356774081f * v, v, 0.7978845608f);
    asm("tanh.approx.f32 %0, %0;" : "+f"(t));
    return fmaf(0.5f * v, t, 0.5f * v);
}

__device__ __forceinline__ float2 wide(unsigned pair)
{
    return make_float2(__uint_as_float(pair << 16), __uint_as_float(pair & 0xffff0000));
}

__device__ __forceinline__ unsigned merged(unsigned v, unsigned g, unsigned bv, unsigned bg)
{
    float2 a = wide(v), b = wide(g), c = wide(bv), d = wide(bg);
    __nv_bfloat162 r = __floats2bfloat162_rn((a.x + c.x) * gelu(b.x + d.x), (a.y + c.y) * gelu(b.y + d.y));
    return *(unsigned *)&r;
}

// Eight numbers a thread, a block a row of 1024.
extern "C" __global__ void __launch_bounds__(128) geglu_wide(uint4 *__restrict__ out, const uint4 *__restrict__ x, const uint4 *__restrict__ bias)
{
    size_t row = blockIdx.x;
    int t = threadIdx.x;
    uint4 v = x[row * 256 + t], g = x[row * 256 + 128 + t], bv = bias[t], bg = bias[128 + t];
    out[row * 128 + t] = make_uint4(merged(v.x, g.x, bv.x, bg.x), merged(v.y, g.y, bv.y, bg.y), merged(v.z, g.z, bv.z, bg.z), merged(v.w, g.w, bv.w, bg.w));
}
