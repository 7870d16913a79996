// A kernel that draws as much power as arithmetic can, and two that draw less: in bursts, and on part of the SMs.
// SPDX-License-Identifier: Apache-2.0
#ifndef PAUSE_NS
#define PAUSE_NS 0 // of every warp, after each burst
#endif

static __device__ float burst(float x, int steps)
{
    for (int i = 0; i < steps; i++)
        x = x * 0.999f + 0.5f;
    return x;
}

// Every thread goes on by the grid's size: a smaller grid is a lower intensity.
extern "C" __global__ void work(float *out, const float *in, int n, int bursts, int steps)
{
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        float x = in[i];
        for (int b = 0; b < bursts; b++) {
            x = burst(x, steps);
#if PAUSE_NS > 0
            __nanosleep(PAUSE_NS);
#endif
        }
        out[i] = x;
    }
}
