// y = relu(norm(x) + residual) in f16, 64 channels of 784 pixels; a mean and a variance a channel. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>

extern "C" __global__ void bnrelu_number(half *y, const half *x, const half *residual, const float *mean, const float *var,
                                         const float *gain, const float *shift, int channels, int pixels, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int c = i / pixels % channels;
    float v = (__half2float(x[i]) - mean[c]) / sqrtf(var[c] + 1e-5f) * gain[c] + shift[c];
    v += __half2float(residual[i]);
    y[i] = __float2half(v > 0.0f ? v : 0.0f);
}

extern "C" __global__ void bnrelu_plane(half *__restrict__ y, const half *__restrict__ x, const half *__restrict__ residual,
                                        const float *__restrict__ mean, const float *__restrict__ var,
                                        const float *__restrict__ gain, const float *__restrict__ shift, int pixels)
{
    int c = blockIdx.x, plane = (blockIdx.y * gridDim.x + c) * pixels;
    float scale = gain[c] * rsqrtf(var[c] + 1e-5f), offset = shift[c] - mean[c] * scale;
    for (int i = threadIdx.x; i < pixels; i += blockDim.x) {
        float v = __half2float(x[plane + i]) * scale + offset + __half2float(residual[plane + i]);
        y[plane + i] = __float2half(fmaxf(v, 0.0f));
    }
}

// Eight numbers a thread; a plane has 98 times eight.
extern "C" __global__ void bnrelu_wide(uint4 *__restrict__ y, const uint4 *__restrict__ x, const uint4 *__restrict__ residual,
                                       const float *__restrict__ mean, const float *__restrict__ var,
                                       const float *__restrict__ gain, const float *__restrict__ shift, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int c = i / 98 & 63;
    float scale = gain[c] * rsqrtf(var[c] + 1e-5f), offset = shift[c] - mean[c] * scale;
    uint4 a = x[i], r = residual[i], out;
    const half2 *ah = (const half2 *)&a, *rh = (const half2 *)&r;
    half2 *oh = (half2 *)&out;
#pragma unroll
    for (int j = 0; j < 4; j++) {
        float2 v = __half22float2(ah[j]), w = __half22float2(rh[j]);
        oh[j] = __floats2half2_rn(fmaxf(v.x * scale + offset + w.x, 0.0f), fmaxf(v.y * scale + offset + w.y, 0.0f));
    }
    y[i] = out;
}
