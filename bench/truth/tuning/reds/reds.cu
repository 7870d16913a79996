// Atomics and stores of a few kinds by where their lanes meet: for tuning the model of time.
// SPDX-License-Identifier: Apache-2.0
__device__ unsigned mix(unsigned h)
{
    h = (h ^ h >> 16) * 0x7feb352du;
    h = (h ^ h >> 15) * 0x846ca68bu;
    return h ^ h >> 16;
}

// `run` neighbours (a power of two) have one address; which one is by chance.
__device__ unsigned place(unsigned i, unsigned run, unsigned mask)
{
    return mix(i / run) & mask;
}

#define RUNS(name, type, step)                                                             \
    extern "C" __global__ void name(type *out, unsigned run, unsigned mask)                \
    {                                                                                      \
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x; \
        _Pragma("unroll") for (int k = 0; k < 4; k++, i += all)                            \
        {                                                                                  \
            type *at = &out[place(i, run, mask)];                                          \
            step;                                                                          \
        }                                                                                  \
    }
RUNS(red_u32, unsigned, atomicAdd(at, 1u))
RUNS(red_f32, float, atomicAdd(at, 1.0f))
RUNS(red_f64, double, atomicAdd(at, 1.0))
RUNS(red_u64, unsigned long long, atomicAdd(at, 1ull))
RUNS(red_max, int, atomicMax(at, (int)i))
RUNS(atom_u32, unsigned, if (atomicAdd(at, 1u) == ~0u) out[0] = 1)
RUNS(atom_f32, float, if (atomicAdd(at, 1.0f) == -1.0f) out[0] = 1)
RUNS(atom_cas, unsigned, if (atomicCAS(at, 0u, i) == ~0u) out[0] = 1)
RUNS(store_u32, unsigned, *at = i)

// As scatter of bench/truth/tuning/uneven, with the words read before.
extern "C" __global__ void store_read(unsigned *out, unsigned run, unsigned mask)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    unsigned old[4];
#pragma unroll
    for (int k = 0; k < 4; k++)
        old[k] = out[place(i + k * all, run, mask)];
#pragma unroll
    for (int k = 0; k < 4; k++)
        out[place(i + k * all, run, mask)] = old[k] + i;
}

extern "C" __global__ void load_u32(unsigned *out, unsigned *in, unsigned run, unsigned mask)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x, sum = 0;
#pragma unroll
    for (int k = 0; k < 4; k++)
        sum += in[place(i + k * all, run, mask)];
    if (sum == 0x12345677)
        out[0] = sum;
}

// One counter of the grid: as many tickets as blocks, or as warps.
extern "C" __global__ void ticket_blocks(unsigned *out, unsigned *counter)
{
    __shared__ unsigned mine;
    if (threadIdx.x == 0)
        mine = atomicAdd(counter, 1u);
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = mine;
}

extern "C" __global__ void ticket_warps(unsigned *out, unsigned *counter)
{
    unsigned mine = 0;
    if (threadIdx.x % 32 == 0)
        mine = atomicAdd(counter, 1u);
    out[blockIdx.x * blockDim.x + threadIdx.x] = __shfl_sync(~0u, mine, 0);
}

// Sums of a block's bins in shared memory, added to those of all at its end.
extern "C" __global__ void bins_block(unsigned *bins, const unsigned *in, int each)
{
    __shared__ unsigned own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < each; k++, at += gridDim.x * blockDim.x)
        atomicAdd(&own[in[at] & 255], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}
