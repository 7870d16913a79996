// Long code, beside stalls.cu: a file of its own, as it takes long to compile.
// SPDX-License-Identifier: Apache-2.0
#define ME (blockIdx.x * blockDim.x + threadIdx.x)
#define KERNEL extern "C" __global__ void

// Code that is executed once: each instruction has to be fetched.
KERNEL straight(float *out, float x)
{
    float v = x + ME;
#pragma unroll
    for (int k = 0; k < 1024; k++)
        v = v * x + (x + k);
    out[ME] = v;
}

// Four times through the same long code.
KERNEL straight_again(float *out, float x, int steps)
{
    float v = x + ME;
#pragma unroll 1
    for (int i = 0; i < steps; i++)
#pragma unroll
        for (int k = 0; k < 512; k++)
            v = v * x + (x + k);
    out[ME] = v;
}
