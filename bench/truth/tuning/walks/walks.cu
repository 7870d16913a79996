// What L1 keeps for threads that walk a line each, word by word: loads of 32 lines keep the load/store unit busy, so warps take
// turns, and all of their lines have to be there at once. `zero` is 0: each load waits for the one before.
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void walk1(unsigned *out, const unsigned *a, int zero)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned s = i;
#pragma unroll 1
    for (int w = 0; w < 32; w++)
        s = s * 3 + a[i * 32 + w + (s & zero)];
    out[i] = s;
}
extern "C" __global__ void walk2(unsigned *out, const unsigned *a, const unsigned *b, int zero)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned s = i;
#pragma unroll 1
    for (int w = 0; w < 32; w++)
        s = s * 3 + a[i * 32 + w + (s & zero)] + b[i * 32 + w + (s & zero)];
    out[i] = s;
}
extern "C" __global__ void add3(unsigned *out, const unsigned *a, const unsigned *b, int zero)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned s = i;
#pragma unroll 1
    for (int w = 0; w < 32; w++) {
        s = s * 3 + a[i * 32 + w + (s & zero)] + b[i * 32 + w + (s & zero)];
        out[i * 32 + w] = s;
    }
}
extern "C" __global__ void copy2(unsigned *out, const unsigned *a, int zero)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned s = i;
#pragma unroll 1
    for (int w = 0; w < 32; w++) {
        s = s * 3 + a[i * 32 + w + (s & zero)];
        out[i * 32 + w] = s;
    }
}
