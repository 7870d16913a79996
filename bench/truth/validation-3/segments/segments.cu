// The sum of each segment of an array; segment i is from offsets[i] to offsets[i + 1]. Nothing is tuned on these kernels
// (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// A thread per segment.
extern "C" __global__ void segments_thread(float *sums, const float *x, const int *offsets, int segments)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= segments)
        return;
    int begin = offsets[id], end = offsets[id + 1];
    float sum = 0.0f;
    for (int i = begin; i < end; i++)
        sum += x[i];
    sums[id] = sum;
}

// A warp per segment.
extern "C" __global__ void segments_warp(float *sums, const float *x, const int *offsets, int segments)
{
    int id = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (id >= segments)
        return;
    int begin = __ldg(offsets + id), end = __ldg(offsets + id + 1);
    float sum = 0.0f;
    for (int i = begin + lane; i < end; i += 32)
        sum += x[i];
    for (int step = 16; step; step >>= 1)
        sum += __shfl_down_sync(0xffffffff, sum, step);
    if (lane == 0)
        sums[id] = sum;
}

// A block of 128 per segment.
extern "C" __global__ void segments_block(float *sums, const float *x, const int *offsets, int segments)
{
    __shared__ float warp_sums[4];
    int id = blockIdx.x, tid = threadIdx.x;
    int begin = offsets[id], end = offsets[id + 1];
    float sum = 0.0f;
    for (int i = begin + tid; i < end; i += blockDim.x)
        sum += x[i];
    for (int step = 16; step; step >>= 1)
        sum += __shfl_down_sync(0xffffffff, sum, step);
    if ((tid & 31) == 0)
        warp_sums[tid >> 5] = sum;
    __syncthreads();
    if (tid == 0)
        sums[id] = warp_sums[0] + warp_sums[1] + warp_sums[2] + warp_sums[3];
}
