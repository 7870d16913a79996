// Lion: a step of one size along the sign of a running mean, with decay; gradients in bf16. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <cuda_bf16.h>

__device__ float moved(float *later, float weight, float mean, float g, float rate, float decay)
{
    float way = fmaf(0.9f, mean, 0.1f * g);
    float sign = way > 0.0f ? 1.0f : way < 0.0f ? -1.0f : 0.0f;
    *later = 0.99f * mean + 0.01f * g;
    return weight - rate * (sign + decay * weight);
}

extern "C" __global__ void lion_one(float *next, float *later, const float *weight, const float *mean, const __nv_bfloat16 *grad,
                                    float rate, float decay, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        next[i] = moved(&later[i], weight[i], mean[i], __bfloat162float(grad[i]), rate, decay);
}

extern "C" __global__ void lion_four(float4 *__restrict__ next, float4 *__restrict__ later, const float4 *__restrict__ weight,
                                     const float4 *__restrict__ mean, const uint2 *__restrict__ grad, float rate, float decay, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint2 g = grad[i];
    float4 w = weight[i], m = mean[i], l;
    w.x = moved(&l.x, w.x, m.x, __uint_as_float(g.x << 16), rate, decay);
    w.y = moved(&l.y, w.y, m.y, __uint_as_float(g.x & 0xffff0000), rate, decay);
    w.z = moved(&l.z, w.z, m.z, __uint_as_float(g.y << 16), rate, decay);
    w.w = moved(&l.w, w.w, m.w, __uint_as_float(g.y & 0xffff0000), rate, decay);
    next[i] = w;
    later[i] = l;
}
