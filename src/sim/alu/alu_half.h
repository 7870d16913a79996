// f16 and bf16 in the low 16 bits of a u32, computed in float or double with one rounding, in code
// that vectorises. Used by alu_isa.c and alu_half.c.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_ALU_HALF_H
#define RIDGE_SIM_ALU_HALF_H

#include "sim/alu/alu.h"

#define LO(v) ((v)&0xffff)
#define HI(v) ((v) >> 16)
#define PAIR(low, high) ((low) | (high) << 16)

// p + c in double rounded to odd: exact if it fits, else the neighbour whose last bit is set. What is
// rounded again to at most 51 bits comes out as if rounded once.
static inline f64 sum_to_odd(f64 p, f64 c)
{
    const f64 s = p + c, back = s - p;
    const f64 error = (p - (s - back)) + (c - back); // exact (Knuth's two-sum)
    const u64 b = bits_f64(s);
    const bool away = (error > 0) == (s > 0);
    const u64 odd = away ? b + 1 : b - 1;
    const bool inexact = error < 0 || error > 0; // not for NaN
    return f64_bits(inexact && (b & 1) == 0 ? odd : b);
}

/* ---- f16 ------------------------------------------------------------------------------------- */

static inline f32 half_value(u32 h)
{
    const u32 magnitude = (h & 0x7fff) << 13;
    // 2^112 moves the exponent from f16's bias to f32's, subnormals too.
    const u32 finite = bits_f32(f32_bits(magnitude) * 0x1p112F);
    const u32 special = magnitude | 0x7f800000;
    const u32 value = magnitude >= UINT32_C(0x7c00) << 13 ? special : finite;
    return f32_bits(value | (h & 0x8000) << 16);
}

// Nearest, ties to even; NaN becomes the canonical one.
static inline u32 half_round(f32 v)
{
    const u32 b = bits_f32(v), sign = b >> 16 & 0x8000, m = b & 0x7fffffff;
    // Subnormal results: adding 1/2 leaves the multiple of 2^-24 in the low bits.
    const u32 tiny = bits_f32(f32_bits(m) + 0.5F) - 0x3f000000;
    const u32 normal = (m - (UINT32_C(112) << 23) + 0xfff + (m >> 13 & 1)) >> 13;
    u32 r = m < 0x38800000 ? tiny : normal;
    r = m >= 0x477ff000 ? 0x7c00 : r;
    r |= sign;
    return m > 0x7f800000 ? NAN_F16 : r;
}

// A double rounded to odd to the 24 bits of a float, for values in f32's normal range.
static inline f32 narrow_to_odd(f64 v)
{
    const u64 b = bits_f64(v), low = (u64)0x1fffffff;
    const u64 odd = (b & ~low) | ((b & low) != 0 ? low + 1 : 0);
    return (f32)f64_bits(odd);
}

static inline u32 half_fma(u32 x, u32 y, u32 z)
{
    const f32 product = half_value(x) * half_value(y); // exact: 22 bits
    return half_round(narrow_to_odd(sum_to_odd((f64)product, (f64)half_value(z))));
}

/* ---- bf16 ------------------------------------------------------------------------------------ */

static inline f32 bf16_value(u32 h)
{
    return f32_bits(h << 16);
}

static inline u32 bf16_round(f32 v)
{
    const u32 b = bits_f32(v);
    const u32 r = (b + 0x7fff + (b >> 16 & 1)) >> 16;
    return (b & 0x7fffffff) > 0x7f800000 ? NAN_F16 : r;
}

// A double, exact or rounded to odd, to the nearest bf16. Below 2^-126 the grid is 2^-133: adding
// 1.5 * 2^-81 rounds there.
static inline u32 bf16_round_double(f64 v)
{
    const u64 b = bits_f64(v), drop = (u64)1 << 45;
    const u64 m = b << 1 >> 1;
    const f64 normal = f64_bits((m + drop / 2 - 1 + (m >> 45 & 1)) & ~(drop - 1));
    const f64 tiny = (f64_bits(m) + 0x1.8p-81) - 0x1.8p-81;
    const f64 r = m < bits_f64(0x1p-126) ? tiny : normal;
    const u32 value = bits_f32((f32)r) >> 16 | ((u32)(b >> 48) & 0x8000);
    return v == v ? value : NAN_F16;
}

static inline u32 bf16_fma(u32 x, u32 y, u32 z)
{
    const f64 product = (f64)bf16_value(x) * (f64)bf16_value(y);
    return bf16_round_double(sum_to_odd(product, (f64)bf16_value(z)));
}

#endif
