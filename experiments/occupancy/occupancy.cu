// Loads at random, each thread LOADS of them: how many warps wait for memory at once.
//   gathered      as it is; shared memory of the launch or BLOCKS of __launch_bounds__ limits the blocks on an SM
// SPDX-License-Identifier: Apache-2.0
#ifndef LOADS
#define LOADS 1
#endif
#ifndef THREADS
#define THREADS 256
#endif
#ifndef BLOCKS
#define BLOCKS 8
#endif
enum { EACH = LOADS > 8 ? LOADS : 8 };

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
gathered(float *out, const float *in, const unsigned *index, int N)
{
    int first = blockIdx.x * THREADS * EACH + threadIdx.x;
#pragma unroll 1
    for (int r = 0; r < EACH; r += LOADS) {
        float x[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++) {
            int i = first + (r + k) * THREADS;
            x[k] = i < N ? in[index[i]] : 0;
        }
#pragma unroll
        for (int k = 0; k < LOADS; k++) {
            int i = first + (r + k) * THREADS;
            if (i < N)
                out[i] = x[k] * 2;
        }
    }
}
