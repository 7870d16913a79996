// Faults that compute-sanitizer must report, each by one of its tools: without them a clean report would prove nothing.
// SPDX-License-Identifier: Apache-2.0

// memcheck: the last thread writes beyond the buffer.
extern "C" __global__ void beyond(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
    if (i == n - 1)
        out[i + 4096] = 0;
}

// racecheck: a neighbour's word is read without a barrier.
extern "C" __global__ void race(float *out, const float *in, int n)
{
    __shared__ float words[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    words[threadIdx.x] = i < n ? in[i] : 0;
    float other = words[255 - threadIdx.x];
    if (i < n)
        out[i] = in[i] + (other == 12345 ? 1 : 0);
}

// synccheck: half of a warp waits at the barrier of all.
extern "C" __global__ void half_barrier(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x % 32 < 16)
        __syncthreads();
    if (i < n)
        out[i] = in[i];
}
