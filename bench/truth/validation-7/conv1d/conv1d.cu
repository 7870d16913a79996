// y = silu(bias + the last four steps times four weights), 512 channels in bf16, time by time. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <cuda_bf16.h>

extern "C" __global__ void conv1d_output(__nv_bfloat16 *y, const __nv_bfloat16 *x, const float *w, const float *bias, int length,
                                         int channels, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int c = i % channels, t = i / channels % length;
    float sum = bias[c];
    for (int j = 0; j < 4; j++)
        if (t - 3 + j >= 0)
            sum += w[c * 4 + j] * __bfloat162float(x[i - (3 - j) * channels]);
    y[i] = __float2bfloat16(sum / (1.0f + expf(-sum)));
}

// 16 steps of a channel a thread, the last three in registers.
extern "C" __global__ void conv1d_run(__nv_bfloat16 *__restrict__ y, const __nv_bfloat16 *__restrict__ x,
                                      const float4 *__restrict__ w, const float *__restrict__ bias, int length, int channels)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, t0 = blockIdx.y * 16, base = blockIdx.z * length * channels + c;
    if (c >= channels)
        return;
    float4 k = w[c];
    float b = bias[c], x0 = 0.0f, x1 = 0.0f, x2 = 0.0f;
    if (t0 > 0) {
        x0 = __bfloat162float(x[base + (t0 - 3) * channels]);
        x1 = __bfloat162float(x[base + (t0 - 2) * channels]);
        x2 = __bfloat162float(x[base + (t0 - 1) * channels]);
    }
    int end = min(t0 + 16, length);
    for (int t = t0; t < end; t++) {
        float x3 = __bfloat162float(x[base + t * channels]);
        float v = b + k.x * x0 + k.y * x1 + k.z * x2 + k.w * x3;
        y[base + t * channels] = __float2bfloat16(__fdividef(v, 1.0f + __expf(-v)));
        x0 = x1;
        x1 = x2;
        x2 = x3;
    }
}

// Two channels a thread; 16 steps are loaded first.
extern "C" __global__ void __launch_bounds__(256) conv1d_two(__nv_bfloat162 *__restrict__ y, const __nv_bfloat162 *__restrict__ x,
                                                             const float4 *__restrict__ w, const float2 *__restrict__ bias,
                                                             int length)
{
    int c = threadIdx.x, t0 = blockIdx.x * 16, base = blockIdx.y * length * 256 + c;
    float4 k = w[2 * c], l = w[2 * c + 1];
    float2 b = bias[c], v[19];
#pragma unroll
    for (int i = 0; i < 19; i++) {
        int t = t0 + i - 3;
        v[i] = t >= 0 && t < length ? __bfloat1622float2(x[base + t * 256]) : make_float2(0.0f, 0.0f);
    }
#pragma unroll
    for (int i = 0; i < 16; i++) {
        if (t0 + i >= length)
            break;
        float p = b.x + k.x * v[i].x + k.y * v[i + 1].x + k.z * v[i + 2].x + k.w * v[i + 3].x;
        float q = b.y + l.x * v[i].y + l.y * v[i + 1].y + l.z * v[i + 2].y + l.w * v[i + 3].y;
        y[base + (t0 + i) * 256] =
            __floats2bfloat162_rn(__fdividef(p, 1.0f + __expf(-p)), __fdividef(q, 1.0f + __expf(-q)));
    }
}
