// What several instructions compute: fields of bits, floats, the steps of a division. Pure functions. Compared with the
// pseudo code of "AMD Instinct CDNA4 ISA" (docs/amd.md).
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_AMD_BITS_H
#define RIDGE_SIM_AMD_BITS_H

#include "sim/alu/alu_half.h"

#include <math.h>
#include <string.h>

static inline uint64_t field_u64(uint64_t value, unsigned at, unsigned width)
{
    return width >= 64 ? value >> at : value >> at & ((UINT64_C(1) << width) - 1);
}

// Of the width that a scalar instruction names: at most up to the value's end.
static inline unsigned field_width(uint32_t operand, unsigned bits)
{
    unsigned at = operand & (bits - 1), width = operand >> 16 & 0x7f;
    return at + width > bits ? bits - at : width;
}

static inline int64_t field_i64(int64_t value, unsigned at, unsigned width)
{
    if (width == 0)
        return 0;
    unsigned end = at + width > 64 ? 64 : at + width;
    return (int64_t)((uint64_t)value << (64 - end)) >> (64 - end + at);
}

static inline uint32_t reverse_u32(uint32_t v)
{
    v = (v >> 1 & 0x55555555) | (v & 0x55555555) << 1;
    v = (v >> 2 & 0x33333333) | (v & 0x33333333) << 2;
    v = (v >> 4 & 0x0f0f0f0f) | (v & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(v);
}

static inline int32_t first_one(uint64_t v)
{
    return v == 0 ? -1 : __builtin_ctzll(v);
}

static inline int32_t leading_zeros(uint64_t v, int bits)
{
    return v == 0 ? -1 : __builtin_clzll(v) - (64 - bits);
}

static inline uint64_t quad_mask(uint64_t v)
{
    uint64_t r = 0;
    for (unsigned quad = 0; quad < 16; quad++)
        r |= (uint64_t)((v >> (4 * quad) & 15) != 0) << quad;
    return r;
}

static inline uint64_t whole_quads(uint64_t v)
{
    uint64_t r = 0;
    for (unsigned quad = 0; quad < 16; quad++)
        r |= (v >> (4 * quad) & 15) != 0 ? UINT64_C(15) << (4 * quad) : 0;
    return r;
}

static inline uint64_t twice_each_bit(uint32_t v)
{
    uint64_t r = 0;
    for (unsigned i = 0; i < 32; i++)
        r |= (uint64_t)(v >> i & 1) * 3 << (2 * i);
    return r;
}

static inline uint32_t lanes_below(int lane)
{
    return lane <= 0 ? 0 : lane >= 32 ? 0xffffffff : (1u << lane) - 1;
}

// Of the sum as it is, in 65 bits.
static inline bool sum_is_negative(int64_t a, int64_t b)
{
    int64_t sum;
    bool overflow = __builtin_add_overflow(a, b, &sum);
    return (sum < 0) != overflow;
}

static inline int32_t low24(int32_t v)
{
    return (int32_t)((uint32_t)v << 8) >> 8;
}

// Bytes 0-3 are b's, 4-7 a's; 8-11 copies of signs, 12 zero, more are ones.
static inline uint32_t permute_bytes(uint32_t a, uint32_t b, uint32_t select)
{
    uint64_t both = (uint64_t)a << 32 | b;
    uint32_t r = 0;
    for (unsigned i = 0; i < 4; i++) {
        uint32_t s = select >> (8 * i) & 0xff;
        uint32_t byte = s < 8     ? (uint32_t)(both >> (8 * s) & 0xff)
                        : s < 12  ? (both >> (16 * (s - 8) + 15) & 1 ? 0xffu : 0)
                        : s == 12 ? 0
                                  : 0xffu;
        r |= byte << (8 * i);
    }
    return r;
}

/* ---- floats -------------------------------------------------------------------------------------------- */

static inline bool quiet_f32(float v)
{
    return (bits_f32(v) >> 22 & 1) != 0;
}
static inline bool quiet_f64(double v)
{
    return (bits_f64(v) >> 51 & 1) != 0;
}
// Of IEEE mode, which kernels have: the first signalling NaN is the result, quiet.
static inline bool signals_f32(float a, float b, float *quiet)
{
    float first = isnan(a) && !quiet_f32(a) ? a : b;
    *quiet = f32_bits(bits_f32(first) | 1u << 22);
    return isnan(first) && !quiet_f32(first);
}
static inline bool signals_f64(double a, double b, double *quiet)
{
    double first = isnan(a) && !quiet_f64(a) ? a : b;
    *quiet = f64_bits(bits_f64(first) | UINT64_C(1) << 51);
    return isnan(first) && !quiet_f64(first);
}

static inline float min_f32(float a, float b)
{
    float quiet;
    return signals_f32(a, b, &quiet)         ? quiet
           : isnan(a)                        ? b
           : isnan(b)                        ? a
           : a < b || (a == b && signbit(a)) ? a
                                             : b;
}
static inline float max_f32(float a, float b)
{
    float quiet;
    return signals_f32(a, b, &quiet)          ? quiet
           : isnan(a)                         ? b
           : isnan(b)                         ? a
           : a > b || (a == b && !signbit(a)) ? a
                                              : b;
}
static inline double min_f64(double a, double b)
{
    double quiet;
    return signals_f64(a, b, &quiet)         ? quiet
           : isnan(a)                        ? b
           : isnan(b)                        ? a
           : a < b || (a == b && signbit(a)) ? a
                                             : b;
}
static inline double max_f64(double a, double b)
{
    double quiet;
    return signals_f64(a, b, &quiet)          ? quiet
           : isnan(a)                         ? b
           : isnan(b)                         ? a
           : a > b || (a == b && !signbit(a)) ? a
                                              : b;
}
static inline float middle_f32(float a, float b, float c)
{
    return isnan(a) || isnan(b) || isnan(c) ? min_f32(min_f32(a, b), c)
                                            : max_f32(min_f32(a, b), min_f32(max_f32(a, b), c));
}
static inline double turns(double v)
{
    return (v - floor(v)) * 6.283185307179586476925;
}

static inline int32_t clamp_i32(double v)
{
    return isnan(v)             ? 0
           : v <= -2147483648.0 ? INT32_MIN
           : v >= 2147483647.0  ? INT32_MAX
                                : (int32_t)v;
}
static inline uint32_t clamp_u32(double v)
{
    return !(v > 0) ? 0 : v >= 4294967295.0 ? UINT32_MAX : (uint32_t)v;
}
static inline uint32_t clamp_u16(float v)
{
    return !(v > 0) ? 0 : v >= 65535.0F ? 65535 : (uint32_t)v;
}
static inline int32_t clamp_i16(float v)
{
    return isnan(v) ? 0 : v <= -32768.0F ? -32768 : v >= 32767.0F ? 32767 : (int32_t)v;
}

static inline int32_t exponent_of(double v)
{
    int e = 0;
    if (isfinite(v))
        (void)frexp(v, &e);
    return e;
}
static inline double mantissa_of(double v)
{
    int e = 0;
    return isfinite(v) ? frexp(v, &e) : v;
}

// The nearest of 16 bits.
static inline uint32_t half_of_i32(int32_t v)
{
    return (uint32_t)(v < INT16_MIN ? INT16_MIN : v > INT16_MAX ? INT16_MAX : v) & 0xffff;
}
// c and four products of bytes, modulo 2^32; signs: bit 0 for those of a, bit 1 for those of b.
static inline int32_t dot_bytes(uint32_t a, uint32_t b, int32_t c, unsigned signs)
{
    uint32_t sum = (uint32_t)c;
    for (unsigned i = 0; i < 32; i += 8) {
        int x = (int)(a >> i & 0xff), y = (int)(b >> i & 0xff);
        x -= (signs & 1) && x > INT8_MAX ? 256 : 0;
        y -= (signs & 2) && y > INT8_MAX ? 256 : 0;
        sum += (uint32_t)(x * y);
    }
    return (int32_t)sum;
}

static inline float fma_half(float a, float b, float c)
{
    const double product = (double)(a * b); // exact: 22 bits
    return narrow_to_odd(sum_to_odd(product, (double)c));
}

static inline uint32_t half_toward_zero(float v)
{
    uint32_t h = half_round(v);
    bool away = isfinite(v) && fabsf(half_value(h)) > fabsf(v);
    return away ? h - 1 : h;
}

// One bit: signalling NaN, quiet NaN, -inf, -normal, -denormal, -0, +0, +denormal, +normal, +inf.
static inline uint32_t class_of(double v, bool denormal, bool quiet)
{
    if (isnan(v))
        return quiet ? 2 : 1;
    unsigned size = isinf(v) ? 3 : v == 0 ? 0 : denormal ? 1 : 2;
    return signbit(v) ? 1u << (5 - size) : 1u << (6 + size);
}

/* ---- division: V_DIV_SCALE, V_DIV_FMAS, V_DIV_FIXUP ------------------------------------------------------ */

static inline int biased_f32(float v)
{
    return (int)(bits_f32(v) >> 23 & 0xff);
}
static inline int biased_f64(double v)
{
    return (int)(bits_f64(v) >> 52 & 0x7ff);
}

// a is what is scaled: the denominator b or the numerator c.
static inline float division_scale_f32(float a, float b, float c, bool *scaled)
{
    const float least = 0x1p-126F;
    *scaled = false;
    if (c == 0 || b == 0)
        return (float)NAN;
    if (biased_f32(c) - biased_f32(b) >= 96) {
        *scaled = true;
        return a == b ? ldexpf(a, 64) : a;
    }
    if (biased_f32(b) == 0)
        return ldexpf(a, 64);
    bool small = fabs(1 / (double)b) < (double)least,
         tiny = fabs((double)c / (double)b) < (double)least;
    if (small && tiny) { // the denominator is huge: the pseudo code's 64 would make it infinite
        *scaled = true;
        return a == b ? ldexpf(a, -64) : a;
    }
    if (small)
        return ldexpf(a, -64);
    if (tiny) {
        *scaled = true;
        return a == c ? ldexpf(a, 64) : a;
    }
    return biased_f32(c) <= 23 ? ldexpf(a, 64) : a;
}

static inline double division_scale_f64(double a, double b, double c, bool *scaled)
{
    const double least = 0x1p-1022;
    *scaled = false;
    if (c == 0 || b == 0)
        return (double)NAN;
    if (biased_f64(c) - biased_f64(b) >= 768) {
        *scaled = true;
        return a == b ? ldexp(a, 128) : a;
    }
    if (biased_f64(b) == 0)
        return ldexp(a, 128);
    bool small = fabs(1 / b) < least, tiny = fabs(c / b) < least;
    if (small && tiny) { // as of floats
        *scaled = true;
        return a == b ? ldexp(a, -128) : a;
    }
    if (small)
        return ldexp(a, -128);
    if (tiny) {
        *scaled = true;
        return a == c ? ldexp(a, 128) : a;
    }
    return biased_f64(c) <= 53 ? ldexp(a, 128) : a;
}

// c is the quotient so far: its size says in which direction it was scaled. The step and the scale are rounded once:
// first to odd, with more bits than are kept (doubles: where the result is denormal by two bits or more).
static inline float division_step_f32(float a, float b, float c, bool scaled)
{
    if (!scaled)
        return fmaf(a, b, c);
    double wide = sum_to_odd((double)a * (double)b, (double)c); // the product is exact: 48 bits
    return (float)ldexp(wide, biased_f32(c) > 127 ? 64 : -64);
}

static inline double to_odd(double value, double error)
{
    uint64_t b = bits_f64(value);
    bool inexact = (error > 0 || error < 0) && isfinite(value), away = (error > 0) == (value > 0);
    return f64_bits(inexact && (b & 1) == 0 ? (away ? b + 1 : b - 1) : b);
}

static inline double division_step_f64(double a, double b, double c, bool scaled)
{
    double r = fma(a, b, c);
    if (!scaled || biased_f64(c) > 1023)
        return scaled ? ldexp(r, 128) : r;
    bool denormal = fabs(r) < 0x1p-894; // 2^-1022 times 2^128
    return ldexp(denormal ? to_odd(r, fma(a, b, c - r)) : r, -128);
}

// too_small: the quotient's exponent below which it is zero.
static inline double division_fix(double quotient, double denominator, double numerator,
                                  int too_small)
{
    double sign = signbit(denominator) != signbit(numerator) ? -1.0 : 1.0;
    if (isnan(numerator) || isnan(denominator))
        return isnan(numerator) ? numerator : denominator;
    if ((denominator == 0 && numerator == 0) || (isinf(denominator) && isinf(numerator)))
        return -(double)NAN;
    if (denominator == 0 || isinf(numerator))
        return copysign((double)INFINITY, sign);
    if (isinf(denominator) || numerator == 0 ||
        exponent_of(numerator) - exponent_of(denominator) < too_small)
        return copysign(0.0, sign);
    // A NaN: the steps overflowed.
    return copysign(isnan(quotient) ? (double)INFINITY : quotient, sign);
}

#endif
