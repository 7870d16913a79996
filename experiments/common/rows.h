// What kernels over the rows of a matrix share: sums over a warp and a block, and 16-byte vectors of
// elements, which are float, or bf16 with -DBF16. Sums and vectors are always float inside.
// SPDX-License-Identifier: Apache-2.0
#ifndef EXPERIMENTS_COMMON_ROWS_H
#define EXPERIMENTS_COMMON_ROWS_H

#ifdef BF16
#include "bf16.h"
#endif

#define WARP 32
#define ALL 0xffffffffu
#define LEAST __uint_as_float(0xff800000u) // minus infinity

#ifdef BF16
typedef unsigned short element;
#define VECTOR 8 // elements of 16 bytes
#else
typedef float element;
#define VECTOR 4
#endif

static __device__ float element_get(const element *p)
{
#ifdef BF16
    return __uint_as_float((unsigned)*p << 16);
#else
    return *p;
#endif
}

static __device__ void element_put(element *p, float x)
{
#ifdef BF16
    *p = (unsigned short)two_bf16(x, 0);
#else
    *p = x;
#endif
}

static __device__ void vector_unpack(float *x, uint4 v)
{
#ifdef BF16
    unsigned word[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int i = 0; i < 4; i++) {
        x[2 * i] = __uint_as_float(word[i] << 16);
        x[2 * i + 1] = __uint_as_float(word[i] & 0xffff0000u);
    }
#else
    x[0] = __uint_as_float(v.x);
    x[1] = __uint_as_float(v.y);
    x[2] = __uint_as_float(v.z);
    x[3] = __uint_as_float(v.w);
#endif
}

static __device__ uint4 vector_pack(const float *x)
{
#ifdef BF16
    return make_uint4(two_bf16(x[0], x[1]), two_bf16(x[2], x[3]), two_bf16(x[4], x[5]),
                      two_bf16(x[6], x[7]));
#else
    return make_uint4(__float_as_uint(x[0]), __float_as_uint(x[1]), __float_as_uint(x[2]),
                      __float_as_uint(x[3]));
#endif
}

static __device__ uint4 row_load_each(const element *row, int first, int cols)
{
    float x[VECTOR];
#pragma unroll
    for (int c = 0; c < VECTOR; c++)
        x[c] = first + c < cols ? element_get(row + first + c) : 0;
    return vector_pack(x);
}

// Elements first … first + VECTOR - 1 of a row, packed; those beyond its end are 0. Where rows don't
// begin at multiples of 16 bytes, element by element.
static __device__ uint4 row_load(const element *row, int first, int cols)
{
    if (cols % VECTOR != 0)
        return row_load_each(row, first, cols);
    return first < cols ? __ldcs((const uint4 *)(row + first)) : make_uint4(0, 0, 0, 0);
}

// The same for what other blocks read as well, and the caches should keep.
static __device__ uint4 row_keep(const element *row, int first, int cols)
{
    if (cols % VECTOR != 0)
        return row_load_each(row, first, cols);
    return first < cols ? *(const uint4 *)(row + first) : make_uint4(0, 0, 0, 0);
}

static __device__ void row_store(element *row, int first, int cols, const float *x)
{
    if (cols % VECTOR == 0) {
        if (first < cols)
            __stcs((uint4 *)(row + first), vector_pack(x));
        return;
    }
#pragma unroll
    for (int c = 0; c < VECTOR; c++)
        if (first + c < cols)
            element_put(row + first + c, x[c]);
}

// Of a cluster (compute capability 9.0): what a thread wrote before it arrives is seen by those that have waited.
static __device__ void cluster_arrive(void)
{
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}

static __device__ void cluster_wait(void)
{
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// A float of the shared memory of another block of the cluster.
static __device__ float cluster_load(const float *p, int rank)
{
    unsigned at = (unsigned)__cvta_generic_to_shared(p), there;
    float x;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at), "r"(rank));
    asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(x) : "r"(there) : "memory");
    return x;
}

// Over the WARP lanes of a warp, in all of them.
static __device__ float warp_sum(float x)
{
#pragma unroll
    for (int step = WARP / 2; step > 0; step /= 2)
        x += __shfl_xor_sync(ALL, x, step);
    return x;
}

static __device__ float warp_max(float x)
{
#pragma unroll
    for (int step = WARP / 2; step > 0; step /= 2)
        x = fmaxf(x, __shfl_xor_sync(ALL, x, step));
    return x;
}

// Two sums over a block of COUNT warps at once, in all its threads. Two barriers, so that it may be used again.
template <int COUNT> static __device__ float2 block_sums(float a, float b)
{
    __shared__ float2 sums[COUNT];
    a = warp_sum(a);
    b = warp_sum(b);
    if (threadIdx.x % WARP == 0)
        sums[threadIdx.x / WARP] = make_float2(a, b);
    __syncthreads();
    float2 s = threadIdx.x % WARP < COUNT ? sums[threadIdx.x % WARP] : make_float2(0, 0);
    s.x = warp_sum(s.x);
    s.y = warp_sum(s.y);
    __syncthreads();
    return s;
}

#endif
