// What kernels.ptx names as its source; it is not compiled.
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void plain(float *out, const float *in, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] + in[i];
}

extern "C" __global__ void endless(float *out, const float *in, unsigned n)
{
    volatile const float *seen = in;
    while (seen[0] < 2)
        ;
}

extern "C" __global__ void outside(float *out, const float *in, unsigned n)
{
    elsewhere(n);
}

extern "C" __global__ void strided(float *out, const float *in, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i] + in[i];
}
