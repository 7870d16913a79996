// out = in, and the ways to get it wrong. The tests name these lines.
// SPDX-License-Identifier: Apache-2.0
#include <assert.h>
#include <stdio.h>

#define I (int)(blockIdx.x * blockDim.x + threadIdx.x)

extern "C" __global__ void right(int *out, const int *in, int N)
{
    if (I < N)
        out[I] = in[I];
}

extern "C" __global__ void wrong(int *out, const int *in, int N)
{
    out[I] = I == 77 ? 1000 : in[I];
}

extern "C" __global__ void unwritten(int *out, const int *in, int N)
{
    if (I % 2 == 0)
        out[I] = in[I];
}

extern "C" __global__ void out_of_bounds(int *out, const int *in, int N)
{
    out[I == 200 ? N + 3 : I] = in[I];
}

extern "C" __global__ void reads_outside(int *out, const int *in, int N)
{
    out[I] = in[I == 130 ? -1 : I];
}

extern "C" __global__ void null_pointer(int *out, const int *in, int N)
{
    int *p = (int *)(size_t)(N - 256);
    p[I] = in[I];
}

extern "C" __global__ void shared_outside(int *out, const int *in, int N)
{
    __shared__ int tile[256];
    tile[I == 5 ? N + 1000000 : I] = in[I];
    __syncthreads();
    out[I] = tile[I];
}

extern "C" __global__ void misaligned(int *out, const int *in, int N)
{
    *(int *)((char *)out + 4 * I + (I == 9)) = in[I];
}

extern "C" __global__ void uninitialised(int *out, const int *in, int N)
{
    __shared__ int tile[512];
    tile[I] = in[I];
    __syncthreads();
    out[I] = tile[I == 40 ? 300 : I];
}

extern "C" __global__ void shared_race(int *out, const int *in, int N)
{
    __shared__ int tile[256];
    tile[I] = in[I];
    out[I] = tile[(I + 32) % 256];
}

extern "C" __global__ void global_race(int *out, const int *in, int N)
{
    out[I % 128] = in[I];
    out[I] = in[I];
}

extern "C" __global__ void barrier_divergence(int *out, const int *in, int N)
{
    __shared__ int tile[256];
    tile[I] = in[I];
    if (threadIdx.x % 2 == 0)
        __syncthreads();
    out[I] = tile[I];
}

extern "C" __global__ void endless(int *out, const int *in, int N)
{
    volatile int *p = out;
    while (p[0] != 12345678)
        ;
    out[I] = in[I];
}

extern "C" __global__ void asserts(int *out, const int *in, int N)
{
    assert(I != 33);
    out[I] = in[I];
}

extern "C" __global__ void traps(int *out, const int *in, int N)
{
    if (I == 64)
        __trap();
    out[I] = in[I];
}

extern "C" __global__ void prints(int *out, const int *in, int N)
{
    out[I] = in[I];
    if (I == 3)
        printf("I am thread %d of %d\n", I, N);
}

extern "C" __global__ void exits(int *out, const int *in, int N)
{
    __shared__ int tile[256];
    int i = threadIdx.x;
    if (i < 56)
        out[200 + i] = in[200 + i];
    if (i >= 200)
        return;
    tile[199 - i] = in[i];
    __syncthreads();
    out[i] = tile[199 - i];
}
