// Eight recurrences a thread, each step of which needs the one before: how many are in flight at once
// (TOGETHER), and how many steps of the loop stand in a row (UNROLL). The results are the same.
// SPDX-License-Identifier: Apache-2.0
#ifndef TOGETHER
#define TOGETHER 1
#endif
#ifndef UNROLL
#define UNROLL 1
#endif
enum { EACH = 8 };

extern "C" __global__ void chains(float *out, const float *in, int N, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float y[EACH], x[EACH];
    if (i >= N)
        return;
#pragma unroll
    for (int e = 0; e < EACH; e++)
        y[e] = x[e] = in[e * N + i];
#pragma unroll
    for (int e = 0; e < EACH; e += TOGETHER)
#pragma unroll UNROLL
        for (int s = 0; s < steps; s++)
#pragma unroll
            for (int k = 0; k < TOGETHER; k++)
                y[e + k] = y[e + k] * 0.5f + x[e + k];
#pragma unroll
    for (int e = 0; e < EACH; e++)
        out[e * N + i] = y[e];
}
