// The gradient of GELU in its tanh form, bf16 in and out, computed in f32. Nothing is tuned on these kernels
// (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <cuda_bf16.h>

__device__ __forceinline__ float slope(float x)
{
    const float scale = 0.7978845608f, cubic = 0.044715f;
    float t = tanhf(scale * (x + cubic * x * x * x));
    return 0.5f * (1.0f + t) + 0.5f * x * (1.0f - t * t) * scale * (1.0f + 3.0f * cubic * x * x);
}

// A thread per number.
extern "C" __global__ void geluback_scalar(__nv_bfloat16 *dx, const __nv_bfloat16 *dy, const __nv_bfloat16 *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        dx[i] = __float2bfloat16(slope(__bfloat162float(x[i])) * __bfloat162float(dy[i]));
}

// A thread per pair.
extern "C" __global__ void geluback_pairs(__nv_bfloat162 *dx, const __nv_bfloat162 *dy, const __nv_bfloat162 *x, int pairs)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pairs) {
        float2 v = __bfloat1622float2(x[i]), g = __bfloat1622float2(dy[i]);
        dx[i] = __floats2bfloat162_rn(slope(v.x) * g.x, slope(v.y) * g.y);
    }
}

// Eight numbers a thread, 16 bytes a load.
extern "C" __global__ void __launch_bounds__(128) geluback_sixteen(uint4 *dx, const uint4 *dy, const uint4 *x, int octets)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= octets)
        return;
    uint4 xs = x[i], gs = dy[i], rs;
    const __nv_bfloat162 *xp = (const __nv_bfloat162 *)&xs, *gp = (const __nv_bfloat162 *)&gs;
    __nv_bfloat162 *rp = (__nv_bfloat162 *)&rs;
#pragma unroll
    for (int e = 0; e < 4; e++) {
        float2 v = __bfloat1622float2(xp[e]), g = __bfloat1622float2(gp[e]);
        rp[e] = __floats2bfloat162_rn(slope(v.x) * g.x, slope(v.y) * g.y);
    }
    dx[i] = rs;
}
