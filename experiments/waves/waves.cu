// Sums of blocks of 1024 numbers on waves of 32 lanes (NVIDIA's warps) and of 64 (AMD's CDNA). Neighbouring lanes read
// neighbouring words: a request is whole lines on both. How the lanes' sums meet differs:
//   sum_tree   in shared memory, no shuffles: the same code on any device
//   sum_warps  32 lanes by shuffles, on AMD's a half of a wave
//   sum_waves  all lanes of a wave by shuffles: one step more on a wave of 64, half as many sums to add up at the end
// SPDX-License-Identifier: Apache-2.0
#ifdef __AMDGCN__
#define WAVE RIDGE_WAVE_SIZE
#define DOWN(v, by) __shfl_down(v, by, WAVE)
#else
#define WAVE 32
#define DOWN(v, by) __shfl_down_sync(0xffffffffu, v, by)
#endif

// The block's 1024 numbers, dealt to as many threads as the launch has.
static __device__ float own_sum(const float *in)
{
    float sum = 0;
    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x)
        sum += in[blockIdx.x * 1024 + i];
    return sum;
}

extern "C" __global__ void sum_tree(float *sums, const float *in)
{
    __shared__ float tile[1024];
    tile[threadIdx.x] = own_sum(in);
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            tile[threadIdx.x] += tile[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = tile[0];
}

extern "C" __global__ void sum_warps(float *sums, const float *in)
{
    __shared__ float parts[32];
    float sum = own_sum(in);
    for (int by = 16; by > 0; by /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, by);
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned i = 1; i < blockDim.x / 32; i++)
            sum += parts[i];
        sums[blockIdx.x] = sum;
    }
}

extern "C" __global__ void sum_waves(float *sums, const float *in)
{
    __shared__ float parts[32];
    float sum = own_sum(in);
    for (int by = WAVE / 2; by > 0; by /= 2)
        sum += DOWN(sum, by);
    if (threadIdx.x % WAVE == 0)
        parts[threadIdx.x / WAVE] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned i = 1; i < blockDim.x / WAVE; i++)
            sum += parts[i];
        sums[blockIdx.x] = sum;
    }
}
