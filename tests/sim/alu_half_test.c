// f16, bf16 and narrower floats of the ALU: every f16 there and back, arithmetic held to exact
// integers, conversions to a search through all values of the narrow format.
// SPDX-License-Identifier: Apache-2.0
#include "alu_support.h"

#include "sim/alu/alu_soft.h"

/* ---- values, plainly ----------------------------------------------------------------------------- */

// sign, exponent, significand; exact as a double for every format here.
static f64 value_of(u64 raw, int exponent_bits, int mantissa_bits)
{
    const bool negative = (raw >> (exponent_bits + mantissa_bits) & 1) != 0;
    const u64 exponent = raw >> mantissa_bits & (((u64)1 << exponent_bits) - 1);
    const u64 mantissa = raw & (((u64)1 << mantissa_bits) - 1);
    const int bias = (1 << (exponent_bits - 1)) - 1;
    f64 v;
    if (exponent == ((u64)1 << exponent_bits) - 1)
        v = mantissa == 0 ? (f64)INFINITY : (f64)NAN;
    else if (exponent == 0)
        v = ldexp((f64)mantissa, 1 - bias - mantissa_bits);
    else
        v = ldexp((f64)(mantissa | (u64)1 << mantissa_bits), (int)exponent - bias - mantissa_bits);
    return negative ? -v : v;
}
static f64 f16_value(u64 raw)
{
    return value_of(raw, 5, 10);
}
static f64 bf16_of(u64 raw)
{
    return value_of(raw, 8, 7);
}

// An exact value in units of 2^-48 to the nearest f16, ties to even, by comparing neighbours.
static u64 f16_nearest(s128 units, bool minus_zero)
{
    const u128 m = (u128)(units < 0 ? -units : units);
    const u64 sign = units < 0 || (units == 0 && minus_zero) ? 0x8000 : 0;
    u64 low = 0, high = 0x7c00; // 0x7c00: as if 2^16
    while (high - low > 1) {
        const u64 middle = (low + high) / 2;
        const u128 v = (u128)ldexp(f16_value(middle), 48);
        if (v <= m)
            low = middle;
        else
            high = middle;
    }
    const u128 below = (u128)ldexp(f16_value(low), 48);
    const u128 above = high == 0x7c00 ? (u128)1 << 64 : (u128)ldexp(f16_value(high), 48);
    const u128 down = m - below, up = above > m ? above - m : 0;
    return sign | (down < up || (down == up && (low & 1) == 0) ? low : high);
}

static s128 f16_units(u64 raw, int scale)
{
    return (s128)ldexp(f16_value(raw), scale);
}

static bool f16_finite(u64 raw)
{
    return (raw & 0x7c00) != 0x7c00;
}

static u64 fma_f16(u64 x, u64 y, u64 z)
{
    x &= 0xffff, y &= 0xffff, z &= 0xffff;
    if (!f16_finite(x) || !f16_finite(y) || !f16_finite(z)) {
        const f64 r = f16_value(x) * f16_value(y) + f16_value(z);
        return r != r ? NAN_F16 : r > 0 ? 0x7c00 : 0xfc00;
    }
    const s128 product = f16_units(x, 24) * f16_units(y, 24);
    const bool minus = ((x ^ y) & 0x8000) != 0 && (z & 0x8000) != 0;
    const bool zeros = product == 0 && (z & 0x7fff) == 0;
    return f16_nearest(product + f16_units(z, 48), zeros && minus);
}
static u64 add_f16(u64 x, u64 y)
{
    return fma_f16(x, 0x3c00, y);
}
static u64 mul_f16(u64 x, u64 y)
{
    return fma_f16(x, y, (x ^ y) & 0x8000);
}

/* ---- f16 ----------------------------------------------------------------------------------------- */

#define ORACLE(name, expression)                \
    static u64 name(u64 x, u64 y, u64 z, u64 w) \
    {                                           \
        (void)x, (void)y, (void)z, (void)w;     \
        return (u64)(expression);               \
    }
#define PAIR_OF(low, high) ((low) | (high) << 16)
ORACLE(add, add_f16(x, y))
ORACLE(sub, add_f16(x, y ^ 0x8000))
ORACLE(mul, mul_f16(x, y))
ORACLE(fma16, fma_f16(x, y, z))
ORACLE(fma_relu, fma_f16(x, y, z) > 0x8000 ? 0 : fma_f16(x, y, z) & 0x7fff)
ORACLE(add_x2, PAIR_OF(add_f16(x, y), add_f16(x >> 16, y >> 16)))
ORACLE(mul_x2, PAIR_OF(mul_f16(x, y), mul_f16(x >> 16, y >> 16)))
ORACLE(fma_x2, PAIR_OF(fma_f16(x, y, z), fma_f16(x >> 16, y >> 16, z >> 16)))

static void f16_arithmetic_rounds_once(void **state)
{
    check_bits("add.f16", 16, add);
    check_bits("sub.rn.f16", 16, sub);
    check_bits("mul.f16", 16, mul);
    check_bits("fma.rn.f16", 16, fma16);
    check_bits("fma.rn.relu.f16", 16, fma_relu);
    check("add.f16x2", add_x2);
    check("mul.rn.f16x2", mul_x2);
    check("fma.rn.f16x2", fma_x2);
}

static void every_f16_goes_to_f32_and_back(void **state)
{
    for (int isa = 0; isa <= (int)sim_isa_best(); isa++) {
        const struct alu_op widen = alu_of("cvt.f32.f16", (enum sim_isa)isa);
        const struct alu_op narrow = alu_of("cvt.rn.f16.f32", (enum sim_isa)isa);
        for (u32 first = 0; first < 0x10000; first += LANES) {
            struct operands o;
            struct result r, back;
            for (u32 l = 0; l < LANES; l++)
                o.narrow[0][l] = first + l;
            alu_run(&widen, &o, 0, &r);
            struct operands wide;
            for (int l = 0; l < LANES; l++)
                wide.narrow[0][l] = (u32)r.lane[l];
            alu_run(&narrow, &wide, 0, &back);
            for (u32 l = 0; l < LANES; l++) {
                const f64 v = f16_value(first + l);
                if (v != v) {
                    assert_int_equal(r.lane[l], NAN_F32);
                    assert_int_equal(back.lane[l], NAN_F16);
                } else {
                    assert_int_equal(r.lane[l], bits_f32((f32)v));
                    assert_int_equal(back.lane[l], first + l);
                }
            }
        }
    }
}

/* ---- other formats: a search through every value -------------------------------------------------- */

struct narrow_format {
    const char *name;
    int exponent_bits, mantissa_bits;
    u64 largest, infinity, nan; // infinity 0: none
};
static const struct narrow_format F16_FORMAT = {"f16", 5, 10, 0x7bff, 0x7c00, 0x7fff};
static const struct narrow_format BF16_FORMAT = {"bf16", 8, 7, 0x7f7f, 0x7f80, 0x7fff};
static const struct narrow_format E4M3_FORMAT = {"e4m3x2", 4, 3, 0x7e, 0, 0x7f};
static const struct narrow_format E5M2_FORMAT = {"e5m2x2", 5, 2, 0x7b, 0x7c, 0x7f};

// e4m3 has ordinary values where others have infinities: one more exponent.
static f64 narrow_value(const struct narrow_format *f, u64 raw)
{
    if (f->infinity == 0 && raw >= (u64)15 << 3)
        return ldexp((f64)(8 + (raw & 7)), 15 - 7 - 3);
    return value_of(raw, f->exponent_bits, f->mantissa_bits);
}

// Rounded to nearest even, or towards zero; satfinite: never an infinity.
static u64 narrow_of(const struct narrow_format *f, f64 v, bool zero_ward, bool satfinite)
{
    if (v != v)
        return f->nan;
    const u64 sign = signbit(v) ? (u64)1 << (f->exponent_bits + f->mantissa_bits) : 0;
    const f64 m = fabs(v);
    u64 low = 0, high = f->largest + 1;
    while (high - low > 1) {
        const u64 middle = (low + high) / 2;
        if (narrow_value(f, middle) <= m)
            low = middle;
        else
            high = middle;
    }
    const f64 below = narrow_value(f, low);
    // Past the largest value: the next one if exponents went on.
    const f64 step = ldexp(1, ilogb(narrow_value(f, f->largest)) - f->mantissa_bits);
    const f64 above =
        low == f->largest ? narrow_value(f, f->largest) + step : narrow_value(f, high);
    const bool up =
        !zero_ward && (m - below > above - m || (m - below == above - m && (low & 1) != 0));
    u64 r = up ? high : low;
    const bool overflows = r > f->largest || m == (f64)INFINITY;
    if (overflows)
        r = satfinite || f->infinity == 0 || (zero_ward && m < (f64)INFINITY) ? f->largest
                                                                              : f->infinity;
    return sign | r;
}

static const struct narrow_format *format;
static bool toward_zero;
ORACLE(narrow_f32, narrow_of(format, (f64)f32_bits((u32)x), toward_zero, false))
ORACLE(narrow_pair, PAIR_OF(narrow_of(format, (f64)f32_bits((u32)y), toward_zero, false),
                            narrow_of(format, (f64)f32_bits((u32)x), toward_zero, false)))
ORACLE(narrow_bytes, narrow_of(format, (f64)f32_bits((u32)y), false, true) |
                         narrow_of(format, (f64)f32_bits((u32)x), false, true) << 8)
ORACLE(bytes_of_halves, narrow_of(format, f16_value(x & 0xffff), false, true) |
                            narrow_of(format, f16_value(x >> 16), false, true) << 8)
static u64 half_of_byte(u64 byte)
{
    const f64 v = narrow_value(format, byte & 0x7f);
    const bool nan = (byte & 0x7f) > (format->infinity != 0 ? format->infinity : format->largest);
    return nan ? NAN_F16 : narrow_of(&F16_FORMAT, byte >= 0x80 ? -v : v, false, false);
}
ORACLE(halves_of_bytes, PAIR_OF(half_of_byte(x & 0xff), half_of_byte(x >> 8 & 0xff)))

static void floats_narrow_to_every_format(void **state)
{
    format = &F16_FORMAT;
    check("cvt.rn.f16.f32", narrow_f32);
    check("cvt.rn.f16x2.f32", narrow_pair);
    toward_zero = true;
    check("cvt.rz.f16.f32", narrow_f32);
    format = &BF16_FORMAT;
    check("cvt.rz.bf16.f32", narrow_f32);
    check("cvt.rz.bf16x2.f32", narrow_pair);
    toward_zero = false;
    check("cvt.rn.bf16.f32", narrow_f32);
    check("cvt.rn.bf16x2.f32", narrow_pair);
    const struct narrow_format *const bytes[] = {&E4M3_FORMAT, &E5M2_FORMAT};
    for (size_t i = 0; i < COUNT_OF(bytes); i++) {
        char text[64];
        format = bytes[i];
        (void)snprintf(text, sizeof(text), "cvt.rn.satfinite.%s.f32", format->name);
        check(text, narrow_bytes);
        (void)snprintf(text, sizeof(text), "cvt.rn.satfinite.%s.f16x2", format->name);
        check(text, bytes_of_halves);
        (void)snprintf(text, sizeof(text), "cvt.rn.f16x2.%s", format->name);
        check_bits(text, 16, halves_of_bytes);
    }
}

ORACLE(tf32_rna, ((u32)x & 0x7fffffff) >= 0x7f800000 ? ((u32)x & 0x7fffff) == 0 ? x : 0x7fffe000
                                                     : ((u32)x + 0x1000) & 0xffffe000)
ORACLE(tf32_rz, ((u32)x & 0x7fffffff) > 0x7f800000 ? 0x7fffe000 : (u32)x & 0xffffe000)

static void tf32_keeps_ten_bits(void **state)
{
    check("cvt.rna.tf32.f32", tf32_rna);
    check("cvt.rz.tf32.f32", tf32_rz);
}

/* ---- bf16 ----------------------------------------------------------------------------------------- */

// Exact in the soft floats, which alu_float_test and real chips vouch for, and rounded by search.
static u64 bf16_fma_of(u64 x, u64 y, u64 z)
{
    const f64 p = bf16_of(x & 0xffff) * bf16_of(y & 0xffff), c = bf16_of(z & 0xffff);
    const f64 sum = p + c; // inexact: settled below
    if (!(fabs(sum) < (f64)INFINITY))
        return sum != sum ? 0x7fff : sum > 0 ? 0x7f80 : 0xff80;
    const struct float_format *d = float_format(PTX_TYPE_F64);
    const struct soft exact =
        soft_add(soft_unpack(d, bits_f64(p), 0), soft_unpack(d, bits_f64(c), 0), 0);
    const f64 down = f64_bits(soft_pack(d, exact, ROUND_DOWN));
    const f64 up = f64_bits(soft_pack(d, exact, ROUND_UP));
    const u64 a = narrow_of(&BF16_FORMAT, down, false, false);
    const u64 b = narrow_of(&BF16_FORMAT, up, false, false);
    if (a == b || down == up)
        return sum == 0 ? narrow_of(&BF16_FORMAT, sum, false, false) : a;
    // A tie lies between: the neighbour on the exact value's side.
    return narrow_of(&BF16_FORMAT, (bits_f64(down) & 1) != 0 ? down : up, false, false);
}
ORACLE(bf16_add, bf16_fma_of(x, 0x3f80, y))
ORACLE(bf16_sub, bf16_fma_of(x, 0x3f80, y ^ 0x8000))
ORACLE(bf16_mul, bf16_fma_of(x, y, (x ^ y) & 0x8000))
ORACLE(bf16_fma3, bf16_fma_of(x, y, z))
ORACLE(bf16_fma_x2, PAIR_OF(bf16_fma_of(x, y, z), bf16_fma_of(x >> 16, y >> 16, z >> 16)))

static void bf16_arithmetic_rounds_once(void **state)
{
    check_bits("add.bf16", 16, bf16_add);
    check_bits("sub.bf16", 16, bf16_sub);
    check_bits("mul.rn.bf16", 16, bf16_mul);
    check_bits("fma.rn.bf16", 16, bf16_fma3);
    check("fma.rn.bf16x2", bf16_fma_x2);
}

/* ---- the rest -------------------------------------------------------------------------------------- */

static u64 half_extreme_of(u64 x, u64 y, bool largest)
{
    const f64 p = f16_value(x & 0xffff), q = f16_value(y & 0xffff);
    if (p != p || q != q)
        return p != p && q != q ? 0x7fff : p != p ? y & 0xffff : x & 0xffff;
    if (p == q)
        return (largest ? x & y : x | y) & 0xffff;
    return ((p > q) == largest ? x : y) & 0xffff;
}
ORACLE(min16, half_extreme_of(x, y, false))
ORACLE(max_x2, PAIR_OF(half_extreme_of(x, y, true), half_extreme_of(x >> 16, y >> 16, true)))
ORACLE(neg16, f16_value(x) != f16_value(x) ? 0x7fff : x ^ 0x8000)
ORACLE(lt16, f16_value(x) < f16_value(y))
ORACLE(gtu_bf16, !(bf16_of(x) <= bf16_of(y)))
ORACLE(set_x2, PAIR_OF(f16_value(x & 0xffff) == f16_value(y & 0xffff) ? (u64)0x3c00 : 0,
                       f16_value(x >> 16) == f16_value(y >> 16) ? (u64)0x3c00 : 0))
ORACLE(ex2_16, narrow_of(&F16_FORMAT, exp2(f16_value(x)), false, false))

static void halves_compare_and_approximate(void **state)
{
    check_bits("min.f16", 16, min16);
    check("max.f16x2", max_x2);
    check_bits("neg.f16", 16, neg16);
    check_bits("setp.lt.f16", 16, lt16);
    check_bits("setp.gtu.bf16", 16, gtu_bf16);
    check("set.eq.f16x2.f16x2", set_x2);
    check_bits("ex2.approx.f16", 16, ex2_16);
}

static void setp_of_halves_gives_two_masks(void **state)
{
    const struct alu_op op = alu_of("setp.lt.f16x2", SIM_ISA_BASELINE);
    assert_int_equal(op.result_bits, 2);
    struct operands o;
    operands_fill(&o);
    u32 masks[2];
    op.fn(masks, o.narrow[0], o.narrow[1], NULL, NULL, op.imm);
    for (int l = 0; l < LANES; l++)
        for (int half = 0; half < 2; half++) {
            const f64 x = f16_value(o.narrow[0][l] >> 16 * half & 0xffff);
            const f64 y = f16_value(o.narrow[1][l] >> 16 * half & 0xffff);
            assert_int_equal(masks[half] >> l & 1, x < y);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_f16_goes_to_f32_and_back),
        cmocka_unit_test(f16_arithmetic_rounds_once),
        cmocka_unit_test(floats_narrow_to_every_format),
        cmocka_unit_test(tf32_keeps_ten_bits),
        cmocka_unit_test(bf16_arithmetic_rounds_once),
        cmocka_unit_test(halves_compare_and_approximate),
        cmocka_unit_test(setp_of_halves_gives_two_masks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
