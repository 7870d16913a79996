// What a launch takes by the number and size of its blocks, what memory takes when it is first touched, and how launches follow
// each other: for tuning the model of time.
// SPDX-License-Identifier: Apache-2.0

// 1024 dependent products and sums, some 4,200 cycles whatever the grid is.
__device__ float chain(float x, int turns)
{
#pragma unroll 1
    for (int i = 0; i < turns; i++) {
#pragma unroll
        for (int k = 0; k < 16; k++)
            x = x * 0.999f + 1.0f;
    }
    return x;
}

extern "C" __global__ void spin(float *out, int turns)
{
    float x = chain(threadIdx.x, turns);
    if (x == -1)
        out[threadIdx.x] = x;
}

extern "C" __global__ void spin_store(float *out, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = chain(threadIdx.x, turns);
}

extern "C" __global__ void load_spin(float *out, const float *in, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = chain(in[i], turns);
    if (x == -1)
        out[threadIdx.x] = x;
}

extern "C" __global__ void load_once(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    if (x == -1)
        out[threadIdx.x] = x;
}

extern "C" __global__ void store_once(float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = i;
}

extern "C" __global__ void copy_once(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

// Each warp a line of its own, `apart` words from the next.
extern "C" __global__ void load_apart(float *out, const float *in, unsigned apart, unsigned mask)
{
    unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float x = in[(warp * apart + lane) & mask];
    if (x == -1)
        out[threadIdx.x] = x;
}

// Four loads that need each other, each `apart` words from the one before.
extern "C" __global__ void chase_apart(unsigned *out, const unsigned *zeros, unsigned apart, unsigned mask)
{
    unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    unsigned at = warp * 32 + lane;
#pragma unroll
    for (int k = 0; k < 4; k++)
        at = (at + apart + zeros[at & mask]) & mask;
    if (at == 1)
        out[threadIdx.x] = at;
}

extern "C" __global__ void words_apart(unsigned *out, unsigned apart, unsigned mask)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[(i * apart) & mask] = i;
}

// The same words, read before.
extern "C" __global__ void words_read(unsigned *out, unsigned apart, unsigned mask)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[(i * apart) & mask] += i;
}

extern "C" __global__ void nothing(float *out)
{
}
