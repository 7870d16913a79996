// Kernels that go wrong on a real GPU.
// SPDX-License-Identifier: Apache-2.0
#include <assert.h>

#define INDEX int i = blockIdx.x * blockDim.x + threadIdx.x

extern "C" __global__ void plain(float *out, const float *in, int N)
{
    INDEX;
    if (i < N)
        out[i] = 2 * in[i];
}

extern "C" __global__ void hang(float *out, const float *in, int N)
{
    INDEX;
    volatile const float *again = in;
    while (again[0] < 2) // always: the inputs are below 1
        ;
    if (i < N)
        out[i] = 2 * in[i];
}

extern "C" __global__ void wild(float *out, const float *in, int N)
{
    INDEX;
    out[i + (1ll << 40)] = 2 * in[i];
}

extern "C" __global__ void assertion(float *out, const float *in, int N)
{
    INDEX;
    assert(in[i] > 2);
    out[i] = 2 * in[i];
}

extern "C" __global__ void wrong(float *out, const float *in, int N)
{
    INDEX;
    if (i < N)
        out[i] = i == 4711 ? 0 : 2 * in[i];
}

// Right the first time in a process, and then it does nothing: very fast.
__device__ int calls;
extern "C" __global__ void once(float *out, const float *in, int N)
{
    INDEX;
    if (calls > (int)gridDim.x / 2)
        return;
    if (i < N)
        out[i] = 2 * in[i];
    __syncthreads();
    if (i == 0)
        calls = 1 << 20;
}

// Slow where the input lies elsewhere than before, and then it only copies what it kept.
__device__ const float *known;
__device__ float kept[1 << 16];
extern "C" __global__ void knows(float *out, const float *in, int N)
{
    INDEX;
    if (known != in) {
        float x = in[i];
        for (int k = 0; k < 20000; k++)
            x = x * 0.5f + 0.5f * in[i];
        kept[i] = x;
        if (i == N - 1) {
            __nanosleep(200000); // the other blocks have looked by then
            known = in;
        }
    }
    out[i] = 2 * kept[i];
}

// Right when it is verified and when it is run again; after a few more runs it does nothing.
__device__ int fading;
extern "C" __global__ void fades(float *out, const float *in, int N)
{
    INDEX;
    if (fading > 5)
        return;
    if (i < N)
        out[i] = 2 * in[i];
    __syncthreads();
    if (i == 0)
        fading = fading + 1;
}

// Right when it is verified; it reads wildly when it has run a few times.
__device__ int runs;
extern "C" __global__ void later(float *out, const float *in, int N)
{
    INDEX;
    long long far = runs > 5 ? 1ll << 40 : 0;
    if (i < N)
        out[i] = 2 * in[i + far];
    __syncthreads();
    if (i == 0)
        runs = runs + 1;
}

extern "C" __global__ void printing(float *out, const float *in, int N)
{
    INDEX;
    if (i == 0)
        printf("N is %d\n", N);
    if (i < N)
        out[i] = 2 * in[i];
}
