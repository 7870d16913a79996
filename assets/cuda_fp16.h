// Numbers of 16 bits for clang without a CUDA toolkit: __half and __nv_bfloat16, their pairs, conversions and
// arithmetic, as CUDA's cuda_fp16.h and cuda_bf16.h name them. Both headers are this one. Written after the CUDA
// Math API's reference and the PTX ISA; sums and products are the instructions of the type, division and the functions
// go by float. Not here: saturating forms, atomics, comparisons of pairs.
// SPDX-License-Identifier: Apache-2.0
// clang-format off
#ifndef RIDGE_CUDA_FP16_H
#define RIDGE_CUDA_FP16_H

#define RIDGE_16 __device__ __forceinline__
struct __half_raw { unsigned short x; };
struct __nv_bfloat16_raw { unsigned short x; };

RIDGE_16 unsigned short ridge_bits_f16(float v) { unsigned short r; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(v)); return r; }
RIDGE_16 float ridge_float_f16(unsigned short v) { float r; asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(v)); return r; }
RIDGE_16 unsigned short ridge_bits_bf16(float v)
{
    unsigned bits = __float_as_uint(v);
    return (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fff : (unsigned short)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}
RIDGE_16 float ridge_float_bf16(unsigned short v) { return __uint_as_float((unsigned)v << 16); }

// The type, its pair, and what both know.
#define RIDGE_NUMBER(H, H2, raw, kind)                                                                                  \
    struct __align__(2) H                                                                                               \
    {                                                                                                                   \
        unsigned short __x;                                                                                             \
        H() = default;                                                                                                  \
        RIDGE_16 H(raw r) : __x(r.x) {}                                                                                 \
        RIDGE_16 H(float v) : __x(ridge_bits_##kind(v)) {}                                                              \
        RIDGE_16 H(double v) : __x(ridge_bits_##kind((float)v)) {}                                                      \
        RIDGE_16 H(int v) : __x(ridge_bits_##kind((float)v)) {}                                                         \
        RIDGE_16 H(unsigned v) : __x(ridge_bits_##kind((float)v)) {}                                                    \
        RIDGE_16 operator float() const { return ridge_float_##kind(__x); }                                             \
        RIDGE_16 H &operator=(float v) { __x = ridge_bits_##kind(v); return *this; }                                    \
    };                                                                                                                  \
    struct __align__(4) H2                                                                                              \
    {                                                                                                                   \
        H x, y;                                                                                                         \
        H2() = default;                                                                                                 \
        RIDGE_16 H2(H a, H b) : x(a), y(b) {}                                                                           \
    };                                                                                                                  \
    RIDGE_16 H2 __halves2##kind(H a, H b) { return H2(a, b); }                                                          \
    RIDGE_16 float __low2float(H2 v) { return (float)v.x; }                                                             \
    RIDGE_16 float __high2float(H2 v) { return (float)v.y; }                                                            \
    RIDGE_16 H __hdiv(H a, H b) { return H((float)a / (float)b); }                                                      \
    RIDGE_16 H2 __h2div(H2 a, H2 b) { return H2(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }                                  \
    RIDGE_16 H __hneg(H a) { a.__x ^= 0x8000; return a; }                                                               \
    RIDGE_16 H __habs(H a) { a.__x &= 0x7fff; return a; }                                                               \
    RIDGE_16 H __hmax(H a, H b) { return H(fmaxf((float)a, (float)b)); }                                                \
    RIDGE_16 H __hmin(H a, H b) { return H(fminf((float)a, (float)b)); }                                                \
    RIDGE_16 H2 __hmax2(H2 a, H2 b) { return H2(__hmax(a.x, b.x), __hmax(a.y, b.y)); }                                  \
    RIDGE_16 H2 __hmin2(H2 a, H2 b) { return H2(__hmin(a.x, b.x), __hmin(a.y, b.y)); }                                  \
    RIDGE_16 bool __hgt(H a, H b) { return (float)a > (float)b; }                                                       \
    RIDGE_16 bool __hge(H a, H b) { return (float)a >= (float)b; }                                                      \
    RIDGE_16 bool __hlt(H a, H b) { return (float)a < (float)b; }                                                       \
    RIDGE_16 bool __hle(H a, H b) { return (float)a <= (float)b; }                                                      \
    RIDGE_16 bool __heq(H a, H b) { return (float)a == (float)b; }                                                      \
    RIDGE_16 bool __hne(H a, H b) { return (float)a != (float)b; }                                                      \
    RIDGE_16 bool __hisnan(H a) { return isnan((float)a); }                                                             \
    RIDGE_16 H hexp(H a) { return H(expf((float)a)); }                                                                  \
    RIDGE_16 H hlog(H a) { return H(logf((float)a)); }                                                                  \
    RIDGE_16 H hsqrt(H a) { return H(sqrtf((float)a)); }                                                                \
    RIDGE_16 H hrsqrt(H a) { return H(rsqrtf((float)a)); }                                                              \
    RIDGE_16 H hrcp(H a) { return H(1.0f / (float)a); }                                                                 \
    RIDGE_16 H htanh(H a) { return H(tanhf((float)a)); }                                                                \
    RIDGE_16 H2 h2exp(H2 a) { return H2(hexp(a.x), hexp(a.y)); }                                                        \
    RIDGE_16 H __ldg(const H *p) { H r; r.__x = __ldg(&p->__x); return r; }                                             \
    RIDGE_16 H operator+(H a, H b) { return __hadd(a, b); }                                                             \
    RIDGE_16 H operator-(H a, H b) { return __hsub(a, b); }                                                             \
    RIDGE_16 H operator*(H a, H b) { return __hmul(a, b); }                                                             \
    RIDGE_16 H operator/(H a, H b) { return __hdiv(a, b); }                                                             \
    RIDGE_16 H operator-(H a) { return __hneg(a); }                                                                     \
    RIDGE_16 H &operator+=(H &a, H b) { return a = __hadd(a, b); }                                                      \
    RIDGE_16 H &operator-=(H &a, H b) { return a = __hsub(a, b); }                                                      \
    RIDGE_16 H &operator*=(H &a, H b) { return a = __hmul(a, b); }                                                      \
    RIDGE_16 H &operator/=(H &a, H b) { return a = __hdiv(a, b); }                                                      \
    RIDGE_16 bool operator<(H a, H b) { return __hlt(a, b); }                                                           \
    RIDGE_16 bool operator>(H a, H b) { return __hgt(a, b); }                                                           \
    RIDGE_16 bool operator<=(H a, H b) { return __hle(a, b); }                                                          \
    RIDGE_16 bool operator>=(H a, H b) { return __hge(a, b); }                                                          \
    RIDGE_16 bool operator==(H a, H b) { return __heq(a, b); }                                                          \
    RIDGE_16 bool operator!=(H a, H b) { return __hne(a, b); }                                                          \
    RIDGE_16 H2 operator+(H2 a, H2 b) { return __hadd2(a, b); }                                                         \
    RIDGE_16 H2 operator-(H2 a, H2 b) { return __hsub2(a, b); }                                                         \
    RIDGE_16 H2 operator*(H2 a, H2 b) { return __hmul2(a, b); }                                                         \
    RIDGE_16 H2 &operator+=(H2 &a, H2 b) { return a = __hadd2(a, b); }                                                  \
    RIDGE_16 H2 &operator*=(H2 &a, H2 b) { return a = __hmul2(a, b); }

struct __half;
struct __half2;
struct __nv_bfloat16;
struct __nv_bfloat162;
#define RIDGE_DECLARE(H, H2)                                                                                            \
    RIDGE_16 H __hadd(H a, H b);                                                                                        \
    RIDGE_16 H __hsub(H a, H b);                                                                                        \
    RIDGE_16 H __hmul(H a, H b);                                                                                        \
    RIDGE_16 H __hfma(H a, H b, H c);                                                                                   \
    RIDGE_16 H2 __hadd2(H2 a, H2 b);                                                                                    \
    RIDGE_16 H2 __hsub2(H2 a, H2 b);                                                                                    \
    RIDGE_16 H2 __hmul2(H2 a, H2 b);                                                                                    \
    RIDGE_16 H2 __hfma2(H2 a, H2 b, H2 c);
RIDGE_DECLARE(__half, __half2)
RIDGE_DECLARE(__nv_bfloat16, __nv_bfloat162)
RIDGE_NUMBER(__half, __half2, __half_raw, f16)
RIDGE_NUMBER(__nv_bfloat16, __nv_bfloat162, __nv_bfloat16_raw, bf16)
typedef __half half;
typedef __half2 half2;
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define RIDGE_OP16(name, ptx) \
    RIDGE_16 __half name(__half a, __half b) { __half r; asm(ptx " %0, %1, %2;" : "=h"(r.__x) : "h"(a.__x), "h"(b.__x)); return r; }
RIDGE_OP16(__hadd, "add.f16")
RIDGE_OP16(__hsub, "sub.f16")
RIDGE_OP16(__hmul, "mul.f16")
RIDGE_16 __half __hfma(__half a, __half b, __half c)
{
    __half r;
    asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r.__x) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
    return r;
}
RIDGE_16 __half2 __hadd2(__half2 a, __half2 b) { return __half2(__hadd(a.x, b.x), __hadd(a.y, b.y)); }
RIDGE_16 __half2 __hsub2(__half2 a, __half2 b) { return __half2(__hsub(a.x, b.x), __hsub(a.y, b.y)); }
RIDGE_16 __half2 __hmul2(__half2 a, __half2 b) { return __half2(__hmul(a.x, b.x), __hmul(a.y, b.y)); }
RIDGE_16 __half2 __hfma2(__half2 a, __half2 b, __half2 c) { return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }

// A sum is a*1 + b, a product a*b + -0: rounded once.
RIDGE_16 __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c)
{
    __nv_bfloat16 r;
    asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(r.__x) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
    return r;
}
RIDGE_16 __nv_bfloat16 __hadd(__nv_bfloat16 a, __nv_bfloat16 b) { return __hfma(a, __nv_bfloat16(1.0f), b); }
RIDGE_16 __nv_bfloat16 __hsub(__nv_bfloat16 a, __nv_bfloat16 b) { return __hfma(b, __nv_bfloat16(-1.0f), a); }
RIDGE_16 __nv_bfloat16 __hmul(__nv_bfloat16 a, __nv_bfloat16 b) { return __hfma(a, b, __nv_bfloat16(-0.0f)); }
RIDGE_16 __nv_bfloat162 __hadd2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hadd(a.x, b.x), __hadd(a.y, b.y)); }
RIDGE_16 __nv_bfloat162 __hsub2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hsub(a.x, b.x), __hsub(a.y, b.y)); }
RIDGE_16 __nv_bfloat162 __hmul2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hmul(a.x, b.x), __hmul(a.y, b.y)); }
RIDGE_16 __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) { return __nv_bfloat162(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }

RIDGE_16 __half __float2half(float v) { return __half(v); }
RIDGE_16 __half __float2half_rn(float v) { return __half(v); }
RIDGE_16 __half __double2half(double v) { return __half(v); }
RIDGE_16 __half __int2half_rn(int v) { return __half(v); }
RIDGE_16 int __half2int_rn(__half v) { return __float2int_rn((float)v); }
RIDGE_16 float __half2float(__half v) { return (float)v; }
RIDGE_16 __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
RIDGE_16 __half2 __half2half2(__half a) { return __half2(a, a); }
RIDGE_16 __half2 __float2half2_rn(float v) { return __half2(__half(v), __half(v)); }
RIDGE_16 __half2 __floats2half2_rn(float a, float b) { return __half2(__half(a), __half(b)); }
RIDGE_16 __half2 __float22half2_rn(float2 v) { return __half2(__half(v.x), __half(v.y)); }
RIDGE_16 float2 __half22float2(__half2 v) { return make_float2((float)v.x, (float)v.y); }
RIDGE_16 __half __low2half(__half2 v) { return v.x; }
RIDGE_16 __half __high2half(__half2 v) { return v.y; }
RIDGE_16 __half2 make_half2(__half a, __half b) { return __half2(a, b); }
RIDGE_16 unsigned short __half_as_ushort(__half v) { return v.__x; }
RIDGE_16 short __half_as_short(__half v) { return (short)v.__x; }
RIDGE_16 __half __ushort_as_half(unsigned short v) { __half r; r.__x = v; return r; }
RIDGE_16 __half __short_as_half(short v) { return __ushort_as_half((unsigned short)v); }

RIDGE_16 __nv_bfloat16 __float2bfloat16(float v) { return __nv_bfloat16(v); }
RIDGE_16 __nv_bfloat16 __float2bfloat16_rn(float v) { return __nv_bfloat16(v); }
RIDGE_16 float __bfloat162float(__nv_bfloat16 v) { return (float)v; }
RIDGE_16 __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
RIDGE_16 __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }
RIDGE_16 __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(b)); }
RIDGE_16 __nv_bfloat162 __float22bfloat162_rn(float2 v) { return __floats2bfloat162_rn(v.x, v.y); }
RIDGE_16 float2 __bfloat1622float2(__nv_bfloat162 v) { return make_float2((float)v.x, (float)v.y); }
RIDGE_16 __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) { return v.x; }
RIDGE_16 __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) { return v.y; }
RIDGE_16 unsigned short __bfloat16_as_ushort(__nv_bfloat16 v) { return v.__x; }
RIDGE_16 __nv_bfloat16 __ushort_as_bfloat16(unsigned short v) { __nv_bfloat16 r; r.__x = v; return r; }

#undef RIDGE_OP16
#undef RIDGE_DECLARE
#undef RIDGE_NUMBER
#undef RIDGE_16
#endif
