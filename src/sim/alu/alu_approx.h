// The special-function unit's approximations, within the manual's errors: polynomials in double that
// are rounded once, so that every host and every build gives the same bits; code that vectorises.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_ALU_APPROX_H
#define RIDGE_SIM_ALU_APPROX_H

#include "sim/alu/alu.h"

// A number's nearest integer, halves to even, for |v| < 2^51.
static inline f64 nearest(f64 v)
{
    const f64 magic = 0x1.8p52;
    return (v + magic) - magic;
}

// 2^v, |v| <= 1/2: the series of exp(v ln 2) to 13 terms, error below 1e-16.
static inline f64 ex2_series(f64 v)
{
    const f64 t = v * 0x1.62e42fefa39efp-1;
    f64 r = 1.0 / 479001600;
    r = r * t + 1.0 / 39916800;
    r = r * t + 1.0 / 3628800;
    r = r * t + 1.0 / 362880;
    r = r * t + 1.0 / 40320;
    r = r * t + 1.0 / 5040;
    r = r * t + 1.0 / 720;
    r = r * t + 1.0 / 120;
    r = r * t + 1.0 / 24;
    r = r * t + 1.0 / 6;
    r = r * t + 0.5;
    r = r * t + 1.0;
    return r * t + 1.0;
}

// 2^v for |v| <= 1000.
static inline f64 ex2_double(f64 v)
{
    const f64 whole = nearest(v);
    const u64 scale = bits_f64(whole + 0x1.8p52) << 52; // low bits of the sum are the integer
    return f64_bits(bits_f64(ex2_series(v - whole)) + scale);
}

static inline f32 ex2_approx(f32 x)
{
    f64 v = x > 200.0F ? 200.0 : (f64)x;
    v = x < -200.0F ? -200.0 : v;
    return (f32)ex2_double(v);
}

// log2 = exponent + log2(m), m in [sqrt 1/2, sqrt 2): 2/ln 2 atanh((m - 1)/(m + 1)).
static inline f32 lg2_approx(f32 x)
{
    const u64 b = bits_f64((f64)x);
    const u64 shifted = b - 0x3fe6a09e667f3bcd; // sqrt 1/2
    const u64 exponent = shifted >> 52;         // 12 bits, of a sign in normal use
    const f64 m = f64_bits(b - (exponent << 52));
    const f64 t = (m - 1.0) / (m + 1.0), s = t * t;
    f64 r = 1.0 / 19;
    r = r * s + 1.0 / 17;
    r = r * s + 1.0 / 15;
    r = r * s + 1.0 / 13;
    r = r * s + 1.0 / 11;
    r = r * s + 1.0 / 9;
    r = r * s + 1.0 / 7;
    r = r * s + 1.0 / 5;
    r = r * s + 1.0 / 3;
    r = r * s + 1.0;
    const f64 whole = f64_bits(0x4338000000000000 + (exponent ^ 0x800)) - (0x1.8p52 + 0x800);
    f64 v = whole + r * t * 0x1.71547652b82fep+1;
    v = x > 3.4028234663852886e38F ? (f64)x : v;
    v = x == 0 ? -(f64)INFINITY : v;
    return (f32)(x >= 0 ? v : (f64)NAN);
}

// As machine code does: the turns x / 2 pi as a float rounded towards zero, of which the fraction
// counts; so a huge argument gives sin 0. Then quarters: sin(q pi/2 + g), |g| <= pi/4.
static inline f32 sin_approx(f32 x, int quarter)
{
    const f64 product = (f64)x * 0x1.45f306p-3; // exact
    const f64 turns = f64_bits(bits_f64(product) >> 29 << 29);
    const bool huge = fabs(turns) >= 0x1p50;
    const f64 fraction = huge ? 0.0 : turns - nearest(turns);
    const f64 q = nearest(fraction * 4.0);
    const f64 g = (fraction - q * 0.25) * 0x1.921fb54442d18p+2, s = g * g;
    f64 sine = -1.0 / 39916800;
    sine = sine * s + 1.0 / 362880;
    sine = sine * s - 1.0 / 5040;
    sine = sine * s + 1.0 / 120;
    sine = sine * s - 1.0 / 6;
    sine = sine * s * g + g;
    f64 cosine = 1.0 / 479001600;
    cosine = cosine * s - 1.0 / 3628800;
    cosine = cosine * s + 1.0 / 40320;
    cosine = cosine * s - 1.0 / 720;
    cosine = cosine * s + 1.0 / 24;
    cosine = cosine * s - 0.5;
    cosine = cosine * s + 1.0;
    const u64 k = bits_f64(q + (f64)quarter + 0x1.8p52);
    const f64 value = (k & 1) != 0 ? cosine : sine;
    const f64 v = (k & 2) != 0 ? -value : value;
    // Zeros keep their sign; infinities and NaN have no sine.
    const f64 zero = quarter == 0 && v == 0 ? copysign(0.0, (f64)x) : v;
    return (f32)(fabsf(x) <= 3.4028234663852886e38F ? zero : (f64)NAN);
}

static inline f32 tanh_approx(f32 x)
{
    const f64 v = (f64)x, m = fabs(v) < 20.0 ? fabs(v) : 20.0;
    const f64 power = ex2_double(m * 0x1.71547652b82fep+1); // e^2m
    const f64 large = 1.0 - 2.0 / (power + 1.0), s = m * m;
    const f64 small = m * (1.0 - s * (1.0 / 3 - s * (2.0 / 15)));
    const f64 r = copysign(m < 0x1p-6 ? small : large, v);
    return (f32)(v == v ? r : v);
}

#endif
