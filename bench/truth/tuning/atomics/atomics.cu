// Atomics to random words of `bins`, for tuning the model of time.
// SPDX-License-Identifier: Apache-2.0
__device__ unsigned mix(unsigned h)
{
    h = (h ^ h >> 16) * 0x7feb352du;
    h = (h ^ h >> 15) * 0x846ca68bu;
    return h ^ h >> 16;
}

extern "C" __global__ void add_u32(unsigned *bins, unsigned places)
{
    atomicAdd(&bins[mix(blockIdx.x * blockDim.x + threadIdx.x) & (places - 1)], 1u);
}

extern "C" __global__ void add_f32(float *bins, unsigned places)
{
    atomicAdd(&bins[mix(blockIdx.x * blockDim.x + threadIdx.x) & (places - 1)], 1.0f);
}

extern "C" __global__ void swap_u32(unsigned *bins, unsigned places)
{
    unsigned at = mix(blockIdx.x * blockDim.x + threadIdx.x) & (places - 1);
    if (atomicExch(&bins[at], at) == ~0u)
        bins[0] = at;
}

// Whole lines: neighbours add to neighbours.
extern "C" __global__ void add_lines(unsigned *bins, unsigned places)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&bins[(mix(i / 32) * 32 + i % 32) & (places - 1)], 1u);
}
