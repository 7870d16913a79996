// Kernels that the fake driver knows by name: one per way of exchanging.
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void total(float *out, const float *in, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += in[i];
    out[0] = sum;
}

extern "C" __global__ void beside(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = (i > 0 ? in[i - 1] : 0) + (i + 1 < n ? in[i + 1] : 0);
}

extern "C" __global__ void turned(float *out, const float *in, int n, int columns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n * columns)
        out[i % columns * n + i / columns] = in[i];
}

extern "C" __global__ void scaled(float *out, const float *in, int n, const float *factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = factor[i & 3] * in[i];
}
