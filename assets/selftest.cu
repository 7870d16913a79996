// What `ridge gate --self-test` runs: a copy, and in each thread `delay` dependent steps after it. The grid is
// one wave, so that the time grows by the same for every step.
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void self_test(float *out, const float *in, int n, int delay)
{
    unsigned x = threadIdx.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i];
#pragma unroll 1
    for (int k = 0; k < delay; k++)
        x = x * 1664525u + 1013904223u;
    if (x == 1u && n < 0) // never; but the compiler cannot know, and keeps the steps
        out[0] = 0.0f;
}
