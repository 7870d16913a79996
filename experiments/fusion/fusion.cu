// y = gelu(scale * x + bias[column]) + residual, the end of a layer: one step after another, and at once.
//   scale_bias, gelu, add_residual   a launch a step, each reads and writes all
//   bias_gelu, add_residual          two launches
//   fused                            one launch, an element a thread
//   wide_fused                       the same, 16 bytes per lane; columns must be a multiple of 4
// SPDX-License-Identifier: Apache-2.0
#define BLOCK 256

static __device__ float gelu_of(float x)
{
    return 0.5f * x * (1 + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
}

extern "C" __global__ void scale_step(float *y, const float *x, float scale, long long n)
{
    long long i = blockIdx.x * (long long)BLOCK + threadIdx.x;
    if (i < n)
        y[i] = scale * x[i];
}

extern "C" __global__ void bias_step(float *y, const float *bias, long long n, int cols)
{
    long long i = blockIdx.x * (long long)BLOCK + threadIdx.x;
    if (i < n)
        y[i] += bias[i % cols];
}

extern "C" __global__ void gelu_step(float *y, long long n)
{
    long long i = blockIdx.x * (long long)BLOCK + threadIdx.x;
    if (i < n)
        y[i] = gelu_of(y[i]);
}

extern "C" __global__ void residual_step(float *y, const float *residual, long long n)
{
    long long i = blockIdx.x * (long long)BLOCK + threadIdx.x;
    if (i < n)
        y[i] += residual[i];
}

extern "C" __global__ void bias_gelu(float *y, const float *x, const float *bias, float scale,
                                     long long n, int cols)
{
    long long i = blockIdx.x * (long long)BLOCK + threadIdx.x;
    if (i < n)
        y[i] = gelu_of(scale * x[i] + bias[i % cols]);
}

extern "C" __global__ void fused(float *y, const float *x, const float *bias, const float *residual,
                                 float scale, long long n, int cols)
{
    long long i = blockIdx.x * (long long)BLOCK + threadIdx.x;
    if (i < n)
        y[i] = gelu_of(scale * x[i] + bias[i % cols]) + residual[i];
}

extern "C" __global__ void wide_fused(float *y, const float *x, const float *bias,
                                      const float *residual, float scale, long long n, int cols)
{
    long long i = blockIdx.x * (long long)BLOCK + threadIdx.x;
    if (i >= n / 4)
        return;
    float4 a = __ldcs((const float4 *)x + i), r = __ldcs((const float4 *)residual + i);
    float4 b = __ldg((const float4 *)bias + i % (cols / 4));
    a.x = gelu_of(scale * a.x + b.x) + r.x;
    a.y = gelu_of(scale * a.y + b.y) + r.y;
    a.z = gelu_of(scale * a.z + b.z) + r.z;
    a.w = gelu_of(scale * a.w + b.w) + r.w;
    __stcs((float4 *)y + i, a);
}
