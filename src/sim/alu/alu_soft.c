// See alu_soft.h. Significands are kept with their first bit at a known place of 128, so that one
// shift, whose lost bits stay as a sticky last one, is all an operation needs.
// SPDX-License-Identifier: Apache-2.0
#include "sim/alu/alu_soft.h"

const struct float_format *float_format(enum ptx_type type)
{
    static const struct float_format FORMATS[PTX_TYPE_COUNT] = {
        [PTX_TYPE_F16] = {11, 5, 15, 0, true, NAN_F16},
        [PTX_TYPE_F16X2] = {11, 5, 15, 0, true, NAN_F16},
        [PTX_TYPE_BF16] = {8, 8, 127, 0, true, NAN_F16},
        [PTX_TYPE_BF16X2] = {8, 8, 127, 0, true, NAN_F16},
        [PTX_TYPE_F32] = {24, 8, 127, 0, true, NAN_F32},
        [PTX_TYPE_TF32] = {11, 8, 127, 13, true, 0x7fffe000},
        [PTX_TYPE_F64] = {53, 11, 1023, 0, true, NAN_F64},
        [PTX_TYPE_E4M3] = {4, 4, 8, 0, false, 0x7f},
        [PTX_TYPE_E4M3X2] = {4, 4, 8, 0, false, 0x7f},
        [PTX_TYPE_E5M2] = {3, 5, 15, 0, true, 0x7f},
        [PTX_TYPE_E5M2X2] = {3, 5, 15, 0, true, 0x7f},
    };
    return FORMATS[type].precision != 0 ? &FORMATS[type] : NULL;
}

static int bit_length(u128 v)
{
    const u64 high = (u64)(v >> 64), low = (u64)v;
    if (high != 0)
        return 128 - __builtin_clzll(high);
    return low != 0 ? 64 - __builtin_clzll(low) : 0;
}

// To the right; what is lost leaves a sticky last bit.
static u128 shift_sticky(u128 v, int count)
{
    if (count <= 0)
        return v;
    if (count > 127)
        return v != 0;
    const u128 kept = v >> count;
    return kept << count != v ? kept | 1 : kept;
}

// The first bit at `top` (from 0).
static struct soft normalise(struct soft v, int top)
{
    const int shift = top + 1 - bit_length(v.significand);
    if (shift >= 0)
        v.significand <<= shift;
    else
        v.significand = shift_sticky(v.significand, -shift);
    v.exponent -= shift;
    return v;
}

static int exponent_min(const struct float_format *f)
{
    return 2 - (1 << (f->exponent_bits - 1));
}

static u64 sign_bit(const struct float_format *f)
{
    return (u64)1 << (f->exponent_bits + f->precision - 1 + f->unused_bits);
}

struct soft soft_unpack(const struct float_format *f, u64 raw, u32 imm)
{
    const int mantissa_bits = f->precision - 1;
    const u64 hidden = (u64)1 << mantissa_bits;
    const u64 exponents = ((u64)1 << f->exponent_bits) - 1;
    struct soft v = {.negative = (raw & sign_bit(f)) != 0};
    raw >>= f->unused_bits;
    const u64 mantissa = raw & (hidden - 1), exponent = raw >> mantissa_bits & exponents;
    if (exponent == exponents && (f->has_infinity || mantissa == hidden - 1)) {
        v.kind = f->has_infinity && mantissa == 0 ? SOFT_INFINITY : SOFT_NAN;
        return v;
    }
    if (exponent == 0 && (mantissa == 0 || (imm & IMM_FTZ) != 0))
        return v;
    v.kind = SOFT_FINITE;
    v.significand = exponent == 0 ? mantissa : mantissa | hidden;
    v.exponent = exponent_min(f) - mantissa_bits + (exponent == 0 ? 0 : (int)exponent - 1);
    return v;
}

/* ---- rounding -------------------------------------------------------------------------------- */

// Cuts `count` low bits off, as ROUND says.
static u128 round_off(u128 v, int count, bool negative, u32 imm)
{
    if (count <= 0)
        return v;
    const u128 kept = count > 127 ? 0 : v >> count;
    const u128 rest = count > 127 ? (u128)(v != 0) : v - (kept << count);
    const u128 half = count > 127 ? (u128)2 : (u128)1 << (count - 1);
    bool up = false;
    switch ((enum alu_round)(imm & IMM_ROUND)) {
    case ROUND_NEAREST:
        up = rest > half || (rest == half && (kept & 1) != 0);
        break;
    case ROUND_AWAY:
        up = rest >= half;
        break;
    case ROUND_ZERO:
        break;
    case ROUND_DOWN:
        up = negative && rest != 0;
        break;
    case ROUND_UP:
        up = !negative && rest != 0;
        break;
    }
    return kept + up;
}

static u64 largest(const struct float_format *f)
{
    const u64 mantissa = ((u64)1 << (f->precision - 1)) - (f->has_infinity ? 1 : 2);
    const u64 exponent = (u64)(f->exponent_max - exponent_min(f) + 1);
    return (exponent << (f->precision - 1) | mantissa) << f->unused_bits;
}

static u64 infinity(const struct float_format *f)
{
    return (((u64)1 << f->exponent_bits) - 1) << (f->precision - 1) << f->unused_bits;
}

static u64 overflow(const struct float_format *f, bool negative, u32 imm)
{
    const u32 round = imm & IMM_ROUND;
    const bool finite = (imm & IMM_SATFINITE) != 0 || !f->has_infinity || round == ROUND_ZERO ||
                        round == (negative ? ROUND_UP : ROUND_DOWN);
    return finite ? largest(f) : infinity(f);
}

static u64 pack_finite(const struct float_format *f, struct soft v, u32 imm)
{
    const int mantissa_bits = f->precision - 1;
    const bool flushes = (imm & IMM_FTZ) != 0; // decided of the value rounded without an end
    int exponent = v.exponent + bit_length(v.significand) - 1;
    if (exponent < exponent_min(f) && !flushes)
        exponent = exponent_min(f);
    const int shift = exponent - mantissa_bits - v.exponent;
    u128 kept =
        shift < 0 ? v.significand << -shift : round_off(v.significand, shift, v.negative, imm);
    if (kept >> f->precision != 0) {
        kept >>= 1;
        exponent++;
    }
    if (exponent < exponent_min(f))
        return 0;
    const u64 hidden = (u64)1 << mantissa_bits;
    if ((kept & hidden) == 0) // subnormal
        return (u64)kept << f->unused_bits;
    const u64 biased = (u64)(exponent - exponent_min(f) + 1);
    const u64 raw = (biased << mantissa_bits | ((u64)kept & (hidden - 1))) << f->unused_bits;
    if (exponent > f->exponent_max || raw > largest(f))
        return overflow(f, v.negative, imm);
    return raw;
}

u64 soft_pack(const struct float_format *f, struct soft v, u32 imm)
{
    const u64 sign = v.negative ? sign_bit(f) : 0;
    if (v.kind == SOFT_NAN)
        return (imm & IMM_SAT) != 0 ? 0 : f->nan;
    if (v.negative && (imm & (IMM_SAT | IMM_RELU)) != 0)
        return 0;
    if (v.kind == SOFT_ZERO)
        return sign;
    u64 raw = v.kind == SOFT_FINITE                           ? pack_finite(f, v, imm)
              : f->has_infinity && (imm & IMM_SATFINITE) == 0 ? infinity(f)
                                                              : largest(f);
    if ((imm & IMM_SAT) != 0) {
        const u64 one = (u64)(1 - exponent_min(f)) << (f->precision - 1) << f->unused_bits;
        raw = raw > one ? one : raw;
    }
    return sign | raw;
}

/* ---- integers -------------------------------------------------------------------------------- */

struct soft soft_of_integer(u64 magnitude, bool negative)
{
    if (magnitude == 0)
        return (struct soft){.kind = SOFT_ZERO};
    return (struct soft){.kind = SOFT_FINITE, .negative = negative, .significand = magnitude};
}

struct soft soft_integral(struct soft v, u32 imm)
{
    if (v.kind != SOFT_FINITE || v.exponent >= 0)
        return v;
    v.significand = round_off(v.significand, -v.exponent, v.negative, imm);
    v.exponent = 0;
    if (v.significand == 0)
        v.kind = SOFT_ZERO;
    return v;
}

s128 soft_to_integer(struct soft v, s128 low, s128 high)
{
    if (v.kind == SOFT_ZERO)
        return 0;
    if (v.kind == SOFT_INFINITY || v.exponent + bit_length(v.significand) > 66)
        return v.negative ? low : high;
    const s128 magnitude = (s128)(v.significand << v.exponent);
    const s128 value = v.negative ? -magnitude : magnitude;
    return value < low ? low : value > high ? high : value;
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

static const struct soft SOFT_IS_NAN = {.kind = SOFT_NAN};

// Tops of the significands: a sum needs one bit more.
enum { TOP = 125 };

struct soft soft_add(struct soft x, struct soft y, u32 imm)
{
    if (x.kind == SOFT_NAN || y.kind == SOFT_NAN)
        return SOFT_IS_NAN;
    if (x.kind == SOFT_INFINITY || y.kind == SOFT_INFINITY) {
        if (x.kind == y.kind && x.negative != y.negative)
            return SOFT_IS_NAN;
        return x.kind == SOFT_INFINITY ? x : y;
    }
    const bool down = (imm & IMM_ROUND) == ROUND_DOWN;
    if (x.kind == SOFT_ZERO && y.kind == SOFT_ZERO) {
        x.negative = down ? x.negative || y.negative : x.negative && y.negative;
        return x;
    }
    if (x.kind == SOFT_ZERO || y.kind == SOFT_ZERO)
        return x.kind == SOFT_ZERO ? y : x;
    x = normalise(x, TOP);
    y = normalise(y, TOP);
    const bool swap =
        x.exponent < y.exponent || (x.exponent == y.exponent && x.significand < y.significand);
    const struct soft large = swap ? y : x, small = swap ? x : y;
    const u128 aligned = shift_sticky(small.significand, large.exponent - small.exponent);
    struct soft sum = large;
    sum.significand = large.negative == small.negative ? large.significand + aligned
                                                       : large.significand - aligned;
    if (sum.significand == 0)
        return (struct soft){.kind = SOFT_ZERO, .negative = down};
    return sum;
}

struct soft soft_multiply(struct soft x, struct soft y)
{
    struct soft r = {.negative = x.negative != y.negative};
    if (x.kind == SOFT_NAN || y.kind == SOFT_NAN)
        return SOFT_IS_NAN;
    if (x.kind == SOFT_INFINITY || y.kind == SOFT_INFINITY) {
        if (x.kind == SOFT_ZERO || y.kind == SOFT_ZERO)
            return SOFT_IS_NAN;
        r.kind = SOFT_INFINITY;
        return r;
    }
    if (x.kind == SOFT_ZERO || y.kind == SOFT_ZERO)
        return r;
    r.kind = SOFT_FINITE;
    r.exponent = x.exponent + y.exponent;
    r.significand = x.significand * y.significand; // operands as unpacked: at most 64 bits each
    return r;
}

struct soft soft_fma(struct soft x, struct soft y, struct soft z, u32 imm)
{
    return soft_add(soft_multiply(x, y), z, imm);
}

struct soft soft_divide(struct soft x, struct soft y)
{
    struct soft r = {.negative = x.negative != y.negative};
    if (x.kind == SOFT_NAN || y.kind == SOFT_NAN || (x.kind == y.kind && x.kind != SOFT_FINITE))
        return SOFT_IS_NAN;
    if (x.kind == SOFT_INFINITY || y.kind == SOFT_ZERO) {
        r.kind = SOFT_INFINITY;
        return r;
    }
    if (x.kind == SOFT_ZERO || y.kind == SOFT_INFINITY)
        return r;
    x = normalise(x, 126);
    y = normalise(y, 62); // exact: at most 53 bits
    r.kind = SOFT_FINITE;
    r.exponent = x.exponent - y.exponent;
    r.significand = x.significand / y.significand; // 64 or 65 bits
    r.significand |= x.significand % y.significand != 0;
    return r;
}

struct soft soft_sqrt(struct soft x)
{
    if (x.kind == SOFT_NAN || (x.negative && x.kind != SOFT_ZERO))
        return SOFT_IS_NAN;
    if (x.kind != SOFT_FINITE)
        return x;
    x = normalise(x, TOP);
    if (x.exponent % 2 != 0) {
        x.significand <<= 1;
        x.exponent--;
    }
    u128 rest = x.significand, root = 0;
    for (u128 bit = (u128)1 << 126; bit != 0; bit >>= 2) { // digit by digit
        const bool fits = rest >= root + bit;
        rest -= fits ? root + bit : 0;
        root = (root >> 1) + (fits ? bit : 0);
    }
    x.significand = root << 1 | (rest != 0);
    x.exponent = x.exponent / 2 - 1;
    return x;
}
