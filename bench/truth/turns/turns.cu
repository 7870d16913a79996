// Loops of a few instructions, turned a given number of times by one warp: how many instructions a GPU executes of each:
// nvcc -arch=sm_90 turns.cu -o turns && ncu --csv --page raw --metrics smsp__inst_executed.sum ./turns.
// What ptxas makes of a loop (how often it has the body, what it does before and behind it) shows in how the count grows.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>
#define KERNEL extern "C" __global__ void

KERNEL row_sum(float *out, const float *in, int n)
{
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += in[threadIdx.x * 64 + k];
    out[threadIdx.x] = sum;
}
KERNEL column_sum(float *out, const float *in, int n)
{
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += in[k * n + threadIdx.x];
    out[threadIdx.x] = sum;
}
KERNEL warp_sum(float *out, const float *in, int n)
{
    float sum = 0;
    for (int k = threadIdx.x; k < n * 32; k += 32)
        sum += in[k];
    out[threadIdx.x] = sum;
}
KERNEL list_walk(unsigned *out, const unsigned *next, int n)
{
    unsigned at = threadIdx.x;
    for (int k = n; k > 0; k--)
        at = next[at & 1023];
    out[threadIdx.x] = at;
}
KERNEL list_walk_lanes(unsigned *out, const unsigned *next, int n)
{
    unsigned at = threadIdx.x;
    for (int left = n - threadIdx.x % 2; left > 0; left--)
        at = next[at & 1023];
    out[threadIdx.x] = at;
}
KERNEL gather(float *out, const float *in, const unsigned *index, const int *ends)
{
    float sum = 0;
    for (int k = 0, end = ends[0]; k < end; k++)
        sum += in[index[k] & 1023] * 0.5f;
    out[threadIdx.x] = sum;
}
KERNEL arithmetic(float *out, float x, int n)
{
    for (int k = 0; k < n; k++)
        x = x * 0.99f + 1;
    out[threadIdx.x] = x;
}
KERNEL random_hits(unsigned *out, int n)
{
    unsigned state = threadIdx.x, hits = 0;
    for (int k = 0; k < n; k++) {
        state = state * 1664525 + 1013904223;
        if ((state >> 8) * 5.9604645e-8f < 0.3f)
            hits++;
    }
    out[threadIdx.x] = hits;
}
KERNEL copy_row(float *out, const float *in, int n)
{
    for (int k = 0; k < n; k++)
        out[k * 32 + threadIdx.x] = in[k * 32 + threadIdx.x] * 2;
}
KERNEL shared_sum(float *out, const float *in, int n)
{
    __shared__ float s[64];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += s[k];
    out[threadIdx.x] = sum;
}
KERNEL bins(unsigned *out, const unsigned *in, int n)
{
    __shared__ unsigned b[64];
    b[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < n; k++)
        atomicAdd(&b[in[k * 32 + threadIdx.x] & 31], 1);
    __syncthreads();
    out[threadIdx.x] = b[threadIdx.x];
}
KERNEL until(unsigned *out, const unsigned *next, int n)
{
    unsigned at = threadIdx.x, k = 0;
    while (at != 77777 && k < n) {
        at = next[at & 1023];
        k++;
    }
    out[threadIdx.x] = k + at;
}
KERNEL until_99(unsigned *out, const unsigned *next, unsigned last)
{
    unsigned at = threadIdx.x, k = 0;
    while (k < 99 && at != last) {
        at = next[at & 1023] + 1;
        k++;
    }
    out[threadIdx.x] = k + at;
}
KERNEL polynomial(float *out, const float *in, const float *factors, int n)
{
    float x = in[threadIdx.x], v = 0;
    for (int k = n - 1; k >= 0; k--)
        v = v * x + factors[k];
    out[threadIdx.x] = v;
}
KERNEL exponents(float *out, const float *in, int n)
{
    float sum = 0;
    for (int k = threadIdx.x; k < n * 32; k += 32)
        sum += expf(in[k]);
    out[threadIdx.x] = sum;
}
KERNEL doubles(double *out, const float *in, int n)
{
    double sum = 0;
    for (int k = threadIdx.x; k < n * 32; k += 32)
        sum += exp((double)in[k]);
    out[threadIdx.x] = sum;
}
KERNEL quotients(double *out, const float *in, int n)
{
    double by = in[threadIdx.x] + 1.0;
    for (int k = threadIdx.x; k < n * 32; k += 32)
        out[k] = in[k] / by;
}
KERNEL add_uniform(unsigned *count, unsigned *out)
{
    out[threadIdx.x] = atomicAdd(count, 1);
}
KERNEL add_uniform_lost(unsigned *count, unsigned by)
{
    atomicAdd(count, by);
}
KERNEL add_lanes_lost(unsigned *count)
{
    atomicAdd(count, threadIdx.x);
}

int main()
{
    enum { N = 1 << 16 };
    static float *in, *out;
    static unsigned *index;
    static int *ends;
    cudaMalloc(&in, N * 8), cudaMalloc(&out, N * 8), cudaMalloc(&index, N * 4), cudaMalloc(&ends, 256 * 4);
    float *f = (float *)malloc(N * 4);
    unsigned *u = (unsigned *)malloc(N * 4);
    for (int i = 0; i < N; i++)
        f[i] = (i * 37 % 1000) / 1000.0f, u[i] = (i * 613 + 7) % 1024;
    int e[256];
    for (int i = 0; i < 256; i++)
        e[i] = i;
    cudaMemcpy(in, f, N * 4, cudaMemcpyHostToDevice), cudaMemcpy(index, u, N * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(ends, e, sizeof e, cudaMemcpyHostToDevice);
    const int turns[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 16, 21, 33};
    for (int n : turns) {
        row_sum<<<1, 32>>>(out, in, n);
        column_sum<<<1, 32>>>(out, in, n);
        warp_sum<<<1, 32>>>(out, in, n);
        list_walk<<<1, 32>>>((unsigned *)out, index, n);
        list_walk_lanes<<<1, 32>>>((unsigned *)out, index, n);
        gather<<<1, 32>>>(out, in, index, ends + n);
        arithmetic<<<1, 32>>>(out, 1.0f, n);
        random_hits<<<1, 32>>>((unsigned *)out, n);
        copy_row<<<1, 32>>>(out, in, n);
        shared_sum<<<1, 32>>>(out, in, n);
        bins<<<1, 32>>>((unsigned *)out, index, n);
        until<<<1, 32>>>((unsigned *)out, index, n);
        until_99<<<1, 32>>>((unsigned *)out, index, n);
        polynomial<<<1, 32>>>(out, in, in, n);
        exponents<<<1, 32>>>(out, in, n);
        doubles<<<1, 32>>>((double *)out, in, n);
        quotients<<<1, 32>>>((double *)out, in, n);
    }
    add_uniform<<<1, 32>>>(index, (unsigned *)out);
    add_uniform_lost<<<1, 32>>>(index, 3);
    add_lanes_lost<<<1, 32>>>(index);
    return cudaDeviceSynchronize() != cudaSuccess;
}
