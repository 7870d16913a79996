// Shared memory by addresses that say so and by generic ones, one load after the other and many at once; and copies to it of a sector
// of each row, with and without the hint to fetch whole lines to L2. For tuning the model of time, and what the counters have.
// SPDX-License-Identifier: Apache-2.0
__shared__ __align__(16) unsigned words[2048];

__device__ unsigned load_shared(unsigned at)
{
    unsigned value, place = (unsigned)__cvta_generic_to_shared(words) + at;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(place));
    return value;
}

__device__ unsigned load_generic(unsigned at)
{
    unsigned value;
    asm volatile("ld.u32 %0, [%1];" : "=r"(value) : "l"((unsigned long long)words + at));
    return value;
}

__device__ void store_shared(unsigned at, unsigned value)
{
    unsigned place = (unsigned)__cvta_generic_to_shared(words) + at;
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(place), "r"(value));
}

__device__ void store_generic(unsigned at, unsigned value)
{
    asm volatile("st.u32 [%0], %1;" ::"l"((unsigned long long)words + at), "r"(value));
}

__device__ void fill(void)
{
    for (unsigned i = threadIdx.x; i < 2048; i += blockDim.x)
        words[i] = (i * 4 + 512) % 8192;
    __syncthreads();
}

#define CHAIN(name, load)                                                                          \
    extern "C" __global__ void name(unsigned *out, int count)                                      \
    {                                                                                              \
        fill();                                                                                    \
        unsigned at = threadIdx.x * 4;                                                             \
        _Pragma("unroll 1") for (int i = 0; i < count; i++) at = load(at);                         \
        out[blockIdx.x * blockDim.x + threadIdx.x] = at;                                           \
    }

#define RATE(name, load)                                                                           \
    extern "C" __global__ void name(unsigned *out, int count)                                      \
    {                                                                                              \
        fill();                                                                                    \
        unsigned at = threadIdx.x * 4, sum = 0;                                                    \
        _Pragma("unroll 1") for (int i = 0; i < count / 8; i++)                                    \
        {                                                                                          \
            _Pragma("unroll") for (int k = 0; k < 8; k++) sum += load(at + k * 128);               \
            at ^= 4;                                                                               \
        }                                                                                          \
        out[blockIdx.x * blockDim.x + threadIdx.x] = sum;                                          \
    }

#define STORES(name, store)                                                                        \
    extern "C" __global__ void name(unsigned *out, int count)                                      \
    {                                                                                              \
        fill();                                                                                    \
        unsigned at = threadIdx.x * 4;                                                             \
        _Pragma("unroll 1") for (int i = 0; i < count / 8; i++)                                    \
        {                                                                                          \
            _Pragma("unroll") for (int k = 0; k < 8; k++) store(at + k * 128, (unsigned)i);        \
            at ^= 4;                                                                               \
        }                                                                                          \
        __syncthreads();                                                                           \
        out[blockIdx.x * blockDim.x + threadIdx.x] = words[threadIdx.x];                           \
    }

CHAIN(shared_chain, load_shared)
CHAIN(generic_chain, load_generic)
RATE(shared_rate, load_shared)
RATE(generic_rate, load_generic)
STORES(shared_stores, store_shared)
STORES(generic_stores, store_generic)
