// Pairs of words exchanged in place: for tuning the model of time.
// SPDX-License-Identifier: Apache-2.0
__device__ unsigned mix(unsigned h)
{
    h = (h ^ h >> 16) * 0x7feb352du;
    h = (h ^ h >> 15) * 0x846ca68bu;
    return h ^ h >> 16;
}

__device__ unsigned lower(unsigned i, unsigned distance)
{
    return 2 * i - (i & (distance - 1));
}

// Where the first is larger: nowhere, when it is run again.
extern "C" __global__ void sort_pairs(unsigned *v, unsigned distance)
{
    unsigned at = lower(blockIdx.x * blockDim.x + threadIdx.x, distance), a = v[at], b = v[at + distance];
    if (a > b)
        v[at] = b, v[at + distance] = a;
}

// One pair of two, by place: each time.
extern "C" __global__ void swap_some(unsigned *v, unsigned distance)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, at = lower(i, distance), a = v[at], b = v[at + distance];
    if (mix(i) & 1)
        v[at] = b, v[at + distance] = a;
}

extern "C" __global__ void swap_all(unsigned *v, unsigned distance)
{
    unsigned at = lower(blockIdx.x * blockDim.x + threadIdx.x, distance), a = v[at], b = v[at + distance];
    v[at] = b, v[at + distance] = a;
}

extern "C" __global__ void swap_none(unsigned *v, unsigned distance)
{
    unsigned at = lower(blockIdx.x * blockDim.x + threadIdx.x, distance), a = v[at], b = v[at + distance];
    if (a > 0xfffffff0u + (b & 1))
        v[at] = b, v[at + distance] = a;
}
