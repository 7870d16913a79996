// A histogram of floats from 0 to 1 in 1024 bins; what is outside counts in the first and last bin. A launch clears them
// first. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
constexpr int BINS = 1024;

extern "C" __global__ void bins_clear(unsigned *bins)
{
    bins[blockIdx.x * blockDim.x + threadIdx.x] = 0;
}

__device__ int bin(float v)
{
    return min(max((int)floorf(v * BINS), 0), BINS - 1);
}

// Every number adds to global memory.
extern "C" __global__ void bins_global(unsigned *bins, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[bin(in[i])], 1u);
}

// A block's own in shared memory, merged at its end.
extern "C" __global__ void bins_shared(unsigned *bins, const float *in, int n)
{
    __shared__ unsigned s[BINS];
    for (int i = threadIdx.x; i < BINS; i += blockDim.x)
        s[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&s[bin(in[i])], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < BINS; i += blockDim.x)
        if (s[i] > 0)
            atomicAdd(&bins[i], s[i]);
}

// Eight copies a block, four warps each, a word apart so that the same bin lies in other banks; four numbers a load.
extern "C" __global__ void bins_copies(unsigned *bins, const float4 *in, int quads)
{
    __shared__ unsigned s[8][BINS + 1];
    unsigned *mine = s[threadIdx.x / 32 % 8];
    for (int i = threadIdx.x; i < 8 * (BINS + 1); i += 1024)
        s[0][i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 1024 + threadIdx.x; i < quads; i += gridDim.x * 1024) {
        float4 v = in[i];
        atomicAdd(&mine[bin(v.x)], 1u);
        atomicAdd(&mine[bin(v.y)], 1u);
        atomicAdd(&mine[bin(v.z)], 1u);
        atomicAdd(&mine[bin(v.w)], 1u);
    }
    __syncthreads();
    unsigned sum = 0;
#pragma unroll
    for (int c = 0; c < 8; c++)
        sum += s[c][threadIdx.x];
    if (sum > 0)
        atomicAdd(&bins[threadIdx.x], sum);
}
