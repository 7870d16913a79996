// Before every source that hipRTC compiles for AMD's GPUs: CUDA's warp functions by HIP's. CUDA's have 32 lanes
// and masks of 32 bits; of a wave of 64 each half is such a warp, so that kernels that count in 32 stay right.
// HIP's own (__shfl_down, __ballot, warpSize, 64 bits) are there beside them. As with HIP, a mask is not looked at: the
// lanes that it names must be together. RIDGE_WAVE_SIZE: lanes of a wave.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_HIP_MIN_H
#define RIDGE_HIP_MIN_H

#if defined(__AMDGCN_WAVEFRONT_SIZE__)
#define RIDGE_WAVE_SIZE __AMDGCN_WAVEFRONT_SIZE__
#elif defined(__AMDGCN_WAVEFRONT_SIZE)
#define RIDGE_WAVE_SIZE __AMDGCN_WAVEFRONT_SIZE
#endif

static __device__ inline unsigned ridge_half(unsigned long long lanes)
{
    return (unsigned)(lanes >> (__lane_id() & 32));
}

template <typename T>
static __device__ inline T ridge_shfl(unsigned, T value, int lane, int width = 32)
{
    return __shfl(value, lane, width);
}
template <typename T>
static __device__ inline T ridge_shfl_up(unsigned, T value, unsigned by, int width = 32)
{
    return __shfl_up(value, by, width);
}
template <typename T>
static __device__ inline T ridge_shfl_down(unsigned, T value, unsigned by, int width = 32)
{
    return __shfl_down(value, by, width);
}
template <typename T>
static __device__ inline T ridge_shfl_xor(unsigned, T value, int by, int width = 32)
{
    return __shfl_xor(value, by, width);
}
static __device__ inline unsigned ridge_ballot(unsigned, int predicate)
{
    return ridge_half(__ballot(predicate));
}
static __device__ inline int ridge_any(unsigned, int predicate)
{
    return ridge_half(__ballot(predicate)) != 0;
}
static __device__ inline int ridge_all(unsigned, int predicate)
{
    return ridge_half(__ballot(!predicate)) == 0;
}
static __device__ inline unsigned ridge_activemask()
{
    return ridge_half(__ballot(1));
}
// Of the 32 lanes: by five exchanges where all are active, else lane after lane.
#define RIDGE_REDUCE(T, name, joined)                               \
    static __device__ inline T name(unsigned, T value)              \
    {                                                               \
        unsigned left = ridge_activemask();                         \
        T a = value, b;                                             \
        if (left == ~0u) {                                          \
            for (int by = 16; by > 0; by /= 2)                      \
                b = __shfl_xor(a, by, 32), a = joined;              \
            return a;                                               \
        }                                                           \
        a = __shfl(value, __builtin_ctz(left), 32);                 \
        for (left &= left - 1; left != 0; left &= left - 1)         \
            b = __shfl(value, __builtin_ctz(left), 32), a = joined; \
        return a;                                                   \
    }
#define RIDGE_REDUCE_NUMBERS(T)                      \
    RIDGE_REDUCE(T, ridge_reduce_add, a + b)         \
    RIDGE_REDUCE(T, ridge_reduce_min, b < a ? b : a) \
    RIDGE_REDUCE(T, ridge_reduce_max, b > a ? b : a)
RIDGE_REDUCE_NUMBERS(int)
RIDGE_REDUCE_NUMBERS(unsigned)
RIDGE_REDUCE(unsigned, ridge_reduce_and, a &b)
RIDGE_REDUCE(unsigned, ridge_reduce_or, a | b)
RIDGE_REDUCE(unsigned, ridge_reduce_xor, a ^ b)
static __device__ inline void ridge_syncwarp(unsigned = 0)
{
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
    __builtin_amdgcn_wave_barrier();
}

// Loads and stores with a hint to the caches: without it.
template <typename T> static __device__ inline T ridge_load(const T *at)
{
    return *at;
}
template <typename T, typename V> static __device__ inline void ridge_store(T *at, V value)
{
    *at = value;
}

#define __ldg ridge_load
#define __ldca ridge_load
#define __ldcg ridge_load
#define __ldcs ridge_load
#define __stcg ridge_store
#define __stcs ridge_store
#define __stwb ridge_store
#define __shfl_sync ridge_shfl
#define __shfl_up_sync ridge_shfl_up
#define __shfl_down_sync ridge_shfl_down
#define __shfl_xor_sync ridge_shfl_xor
#define __ballot_sync ridge_ballot
#define __any_sync ridge_any
#define __all_sync ridge_all
#define __activemask ridge_activemask
#define __syncwarp ridge_syncwarp
#define __reduce_add_sync ridge_reduce_add
#define __reduce_min_sync ridge_reduce_min
#define __reduce_max_sync ridge_reduce_max
#define __reduce_and_sync ridge_reduce_and
#define __reduce_or_sync ridge_reduce_or
#define __reduce_xor_sync ridge_reduce_xor

#endif
