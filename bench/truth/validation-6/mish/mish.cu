// x tanh(log(1 + exp x)) of numbers in f16. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>

extern "C" __global__ void mish_one(__half *out, const __half *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = __half2float(in[i]);
    out[i] = __float2half(x * tanhf(log1pf(expf(x))));
}

// With e = exp x the tangent is (e e + 2 e) / (e e + 2 e + 2).
__device__ float mish(float x)
{
    float e = __expf(fminf(x, 20.0f)), p = e * e + 2.0f * e;
    return x * __fdividef(p, p + 2.0f);
}

extern "C" __global__ void mish_two(__half2 *out, const __half2 *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float2 x = __half22float2(in[i]);
    out[i] = __floats2half2_rn(mish(x.x), mish(x.y));
}

extern "C" __global__ void mish_eight(uint4 *__restrict__ out, const uint4 *__restrict__ in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint4 v = in[i];
    __half2 *h = (__half2 *)&v;
#pragma unroll
    for (int j = 0; j < 4; j++) {
        float2 x = __half22float2(h[j]);
        h[j] = __floats2half2_rn(mish(x.x), mish(x.y));
    }
    out[i] = v;
}
