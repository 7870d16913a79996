// y = a*x: once with a stride of 32 bytes between lanes, once coalesced.
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void scale_strided(float *y, const float *x, float a, int N)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int i = (t % (N / 8)) * 8 + t / (N / 8);
    y[i] = a * x[i];
}

extern "C" __global__ void scale_plain(float *y, const float *x, float a, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        y[i] = a * x[i];
}
