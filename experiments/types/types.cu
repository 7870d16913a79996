// A mean of 64 sines an element, each by four terms of Taylor's series, in several types:
//   single   f32
//   half     f16, one at a time
//   halves   f16, two neighbouring elements in a register
//   bf16s    bf16, two likewise
//   fixed    integers of 32 bits, 30 of them behind the point
// Halves and bf16 are added in their own type eight at a time, then in f32. For elements within [-1, 0].
// SPDX-License-Identifier: Apache-2.0
#include "../common/bf16.h"

enum { TERMS = 64, GROUP = 8 };

static __device__ __forceinline__ int element()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

extern "C" __global__ void single(float *out, const float *in, int N)
{
    int i = element();
    if (i >= N)
        return;
    float x = in[i], sum = 0;
#pragma unroll 8
    for (int k = 0; k < TERMS; k++) {
        float y = x + (float)k * (1.0f / TERMS), z = y * y;
        float p = fmaf(fmaf(fmaf(-1.0f / 5040, z, 1.0f / 120), z, -1.0f / 6), z, 1.0f);
        sum = fmaf(p, y, sum);
    }
    out[i] = sum / TERMS;
}

/* ---- two in a register -------------------------------------------------------------------------------- */

#ifdef __AMDGCN__
typedef _Float16 halves __attribute__((ext_vector_type(2)));
static __device__ __forceinline__ halves two_halves(float low, float high)
{
    return (halves){(_Float16)low, (_Float16)high};
}
static __device__ __forceinline__ halves fma_halves(halves a, halves b, halves c)
{
    return __builtin_elementwise_fma(a, b, c);
}
static __device__ __forceinline__ void to_floats(halves v, float *low, float *high)
{
    *low = (float)v.x;
    *high = (float)v.y;
}
#else
typedef unsigned halves;
static __device__ __forceinline__ halves two_halves(float low, float high)
{
    unsigned short bits[2];
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits[0]) : "f"(low));
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits[1]) : "f"(high));
    return (unsigned)bits[1] << 16 | bits[0];
}
static __device__ __forceinline__ halves fma_halves(halves a, halves b, halves c)
{
    halves r;
    asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}
static __device__ __forceinline__ void to_floats(halves v, float *low, float *high)
{
    asm("cvt.f32.f16 %0, %1;" : "=f"(*low) : "h"((unsigned short)v));
    asm("cvt.f32.f16 %0, %1;" : "=f"(*high) : "h"((unsigned short)(v >> 16)));
}
#endif

// x + k / 64 and the group's sum in the type; PAIR(a, b) makes a pair of two floats, FMA multiplies and adds.
#define GROUPS(pair, PAIR, FMA, TO_FLOATS)                                                                     \
    const pair one = PAIR(1, 1), step = PAIR(1.0f / TERMS, 1.0f / TERMS);                                      \
    const pair c7 = PAIR(-1.0f / 5040, -1.0f / 5040), c5 = PAIR(1.0f / 120, 1.0f / 120);                       \
    const pair c3 = PAIR(-1.0f / 6, -1.0f / 6);                                                                \
    float sum[2] = {0, 0};                                                                                     \
    for (int first = 0; first < TERMS; first += GROUP) {                                                       \
        pair group = PAIR(0, 0), at = PAIR(first, first);                                                      \
        _Pragma("unroll") for (int k = 0; k < GROUP; k++)                                                      \
        {                                                                                                      \
            pair y = FMA(at, step, x), z = FMA(y, y, PAIR(0, 0));                                              \
            group = FMA(FMA(FMA(FMA(c7, z, c5), z, c3), z, one), y, group);                                    \
            at = FMA(at, one, one);                                                                            \
        }                                                                                                      \
        float low, high;                                                                                       \
        TO_FLOATS(group, &low, &high);                                                                         \
        sum[0] += low;                                                                                         \
        sum[1] += high;                                                                                        \
    }

extern "C" __global__ void packed_halves(float2 *out, const float2 *in, int N)
{
    int i = element();
    if (2 * i >= N)
        return;
    float2 v = in[i];
    halves x = two_halves(v.x, v.y);
    GROUPS(halves, two_halves, fma_halves, to_floats)
    out[i] = make_float2(sum[0] / TERMS, sum[1] / TERMS);
}

#ifndef __AMDGCN__
static __device__ __forceinline__ unsigned fma_bf16s(unsigned a, unsigned b, unsigned c)
{
    unsigned r;
    asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}
static __device__ __forceinline__ void floats_of_bf16s(unsigned v, float *low, float *high)
{
    *low = __uint_as_float(v << 16);
    *high = __uint_as_float(v & 0xffff0000u);
}

extern "C" __global__ void packed_bf16s(float2 *out, const float2 *in, int N)
{
    int i = element();
    if (2 * i >= N)
        return;
    float2 v = in[i];
    unsigned x = two_bf16(v.x, v.y);
    GROUPS(unsigned, two_bf16, fma_bf16s, floats_of_bf16s)
    out[i] = make_float2(sum[0] / TERMS, sum[1] / TERMS);
}

static __device__ __forceinline__ unsigned short fma_half(unsigned short a, unsigned short b, unsigned short c)
{
    unsigned short r;
    asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r) : "h"(a), "h"(b), "h"(c));
    return r;
}
static __device__ __forceinline__ unsigned short half_of(float x, float)
{
    unsigned short r;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(x));
    return r;
}
static __device__ __forceinline__ void float_of_half(unsigned short v, float *low, float *high)
{
    asm("cvt.f32.f16 %0, %1;" : "=f"(*low) : "h"(v));
    *high = 0;
}

extern "C" __global__ void lone_half(float *out, const float *in, int N)
{
    int i = element();
    if (i >= N)
        return;
    unsigned short x = half_of(in[i], 0);
    GROUPS(unsigned short, half_of, fma_half, float_of_half)
    out[i] = sum[0] / TERMS;
}
#endif

/* ---- integers ----------------------------------------------------------------------------------------- */

enum { POINT = 30 };
#define FIXED(x) ((int)((x) * (1 << POINT)))

static __device__ __forceinline__ int multiply(int a, int b) // |a b| < 2
{
    return (int)((long long)a * b >> POINT);
}

extern "C" __global__ void fixed(float *out, const float *in, int N)
{
    int i = element();
    if (i >= N)
        return;
    int x = (int)(in[i] * (float)(1 << POINT)), sum = 0;
#pragma unroll 8
    for (int k = 0; k < TERMS; k++) {
        int y = x + k * ((1 << POINT) / TERMS), z = multiply(y, y);
        int p = multiply(FIXED(-1.0 / 5040), z) + FIXED(1.0 / 120);
        p = multiply(p, z) - FIXED(1.0 / 6);
        p = multiply(p, z) + FIXED(1.0);
        sum += multiply(p, y) / TERMS;
    }
    out[i] = (float)sum * (1.0f / (1 << POINT));
}
