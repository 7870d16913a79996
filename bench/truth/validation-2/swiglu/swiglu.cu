// out = silu(gate)*up in half precision, arithmetic in f32. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>

__device__ float silu(float x)
{
    return x / (1 + expf(-x));
}

extern "C" __global__ void swiglu_scalar(__half *out, const __half *gate, const __half *up, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = __float2half(silu(__half2float(gate[i])) * __half2float(up[i]));
}

extern "C" __global__ void swiglu_pair(__half2 *out, const __half2 *gate, const __half2 *up, int pairs)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pairs)
        return;
    float2 g = __half22float2(gate[i]), u = __half22float2(up[i]);
    out[i] = __floats2half2_rn(silu(g.x) * u.x, silu(g.y) * u.y);
}

// Eight numbers a thread.
extern "C" __global__ void swiglu_eight(uint4 *out, const uint4 *gate, const uint4 *up, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i * 8 >= n)
        return;
    uint4 g = gate[i], u = up[i], r;
    const __half2 *gs = (const __half2 *)&g, *us = (const __half2 *)&u;
    __half2 *rs = (__half2 *)&r;
#pragma unroll
    for (int e = 0; e < 4; e++) {
        float2 a = __half22float2(gs[e]), b = __half22float2(us[e]);
        rs[e] = __floats2half2_rn(__fdividef(a.x, 1 + __expf(-a.x)) * b.x, __fdividef(a.y, 1 + __expf(-a.y)) * b.y);
    }
    out[i] = r;
}

// Blocks that stay and walk over the numbers, pairs of pairs.
extern "C" __global__ void swiglu_stride(uint2 *out, const uint2 *gate, const uint2 *up, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
        uint2 g = gate[i], u = up[i], r;
#pragma unroll
        for (int e = 0; e < 2; e++) {
            float2 a = __half22float2(((const __half2 *)&g)[e]), b = __half22float2(((const __half2 *)&u)[e]);
            ((__half2 *)&r)[e] = __floats2half2_rn(silu(a.x) * b.x, silu(a.y) * b.y);
        }
        out[i] = r;
    }
}
