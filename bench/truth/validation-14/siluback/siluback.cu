// Gradients of silu(gate) * up in bf16. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <cuda_bf16.h>

extern "C" __global__ void siluback_number(__nv_bfloat16 *dgate, __nv_bfloat16 *dup, const __nv_bfloat16 *gate, const __nv_bfloat16 *up, const __nv_bfloat16 *dout, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float g = __bfloat162float(gate[i]), u = __bfloat162float(up[i]), d = __bfloat162float(dout[i]);
        float s = 1.0f / (1.0f + expf(-g));
        dgate[i] = __float2bfloat16(d * u * s * (1.0f + g * (1.0f - s)));
        dup[i] = __float2bfloat16(d * g * s);
    }
}

extern "C" __global__ void siluback_pairs(__nv_bfloat162 *dgate, __nv_bfloat162 *dup, const __nv_bfloat162 *gate, const __nv_bfloat162 *up, const __nv_bfloat162 *dout, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float2 g = __bfloat1622float2(gate[i]), u = __bfloat1622float2(up[i]), d = __bfloat1622float2(dout[i]);
        float s = __fdividef(1.0f, 1.0f + __expf(-g.x)), r = __fdividef(1.0f, 1.0f + __expf(-g.y));
        dgate[i] = __floats2bfloat162_rn(d.x * u.x * s * (1.0f + g.x * (1.0f - s)), d.y * u.y * r * (1.0f + g.y * (1.0f - r)));
        dup[i] = __floats2bfloat162_rn(d.x * g.x * s, d.y * g.y * r);
    }
}

__device__ __forceinline__ float low(unsigned v)
{
    return __uint_as_float(v << 16);
}

__device__ __forceinline__ float high(unsigned v)
{
    return __uint_as_float(v & 0xffff0000u);
}

__device__ __forceinline__ unsigned pack(float a, float b)
{
    unsigned r;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(b), "f"(a));
    return r;
}

__device__ __forceinline__ float sigmoid(float v)
{
    float r;
    asm("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(0.5f * v));
    return fmaf(0.5f, r, 0.5f);
}

// 16 bytes a thread.
extern "C" __global__ void __launch_bounds__(128) siluback_wide(uint4 *__restrict__ dgate, uint4 *__restrict__ dup, const uint4 *__restrict__ gate, const uint4 *__restrict__ up, const uint4 *__restrict__ dout, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n)
        return;
    uint4 a = gate[i], b = up[i], c = dout[i], x, y;
    const unsigned *g = &a.x, *u = &b.x, *d = &c.x;
    unsigned *dg = &x.x, *du = &y.x;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        float gl = low(g[k]), gh = high(g[k]), sl = sigmoid(gl), sh = sigmoid(gh), dl = low(d[k]), dh = high(d[k]);
        float ml = dl * sl, mh = dh * sh;
        du[k] = pack(ml * gl, mh * gh);
        dg[k] = pack(ml * low(u[k]) * fmaf(gl, 1.0f - sl, 1.0f), mh * high(u[k]) * fmaf(gh, 1.0f - sh, 1.0f));
    }
    dgate[i] = x;
    dup[i] = y;
}
