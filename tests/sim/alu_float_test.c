// f32 and f64 of the ALU: arithmetic held to the host's in each rounding direction, conversions to
// exact integers, approximations to the manual's errors.
// SPDX-License-Identifier: Apache-2.0
#include "alu_support.h"

#include <fenv.h>

#define ORACLE(name, expression)                \
    static u64 name(u64 x, u64 y, u64 z, u64 w) \
    {                                           \
        (void)x, (void)y, (void)z, (void)w;     \
        return (u64)(expression);               \
    }
#define F(v) f32_bits((u32)(v))
#define D(v) f64_bits(v)

/* ---- arithmetic, by the host ------------------------------------------------------------------- */

static int direction = FE_TONEAREST;

static u64 host32(char op, u64 x, u64 y, u64 z)
{
    const volatile f32 p = F(x), q = F(y), s = F(z);
    assert_int_equal(fesetround(direction), 0);
    const volatile f32 r = op == '+'   ? p + q
                           : op == '-' ? p - q
                           : op == '*' ? p * q
                           : op == '/' ? p / q
                           : op == 'r' ? 1 / p
                           : op == 's' ? sqrtf(p)
                                       : fmaf(p, q, s);
    (void)fesetround(FE_TONEAREST);
    return bits_f32(canon32(r));
}

static u64 host64(char op, u64 x, u64 y, u64 z)
{
    const volatile f64 p = D(x), q = D(y), s = D(z);
    assert_int_equal(fesetround(direction), 0);
    const volatile f64 r = op == '+'   ? p + q
                           : op == '-' ? p - q
                           : op == '*' ? p * q
                           : op == '/' ? p / q
                           : op == 'r' ? 1 / p
                           : op == 's' ? sqrt(p)
                                       : fma(p, q, s);
    (void)fesetround(FE_TONEAREST);
    if (r == r)
        return bits_f64(r);
    const bool one = op == 'r' || op == 's', three = op == 'f';
    const u64 last = nan64_of(one ? x : y, three ? z : x, x, NAN_F64);
    return op == '/' ? nan64_of(x, y, y, NAN_F64) : last;
}
ORACLE(add32, host32('+', x, y, z))
ORACLE(sub32, host32('-', x, y, z))
ORACLE(mul32, host32('*', x, y, z))
ORACLE(fma32, host32('f', x, y, z))
ORACLE(div32, host32('/', x, y, z))
ORACLE(rcp32, host32('r', x, y, z))
ORACLE(sqrt32, host32('s', x, y, z))
ORACLE(add64, host64('+', x, y, z))
ORACLE(sub64, host64('-', x, y, z))
ORACLE(mul64, host64('*', x, y, z))
ORACLE(fma64, host64('f', x, y, z))
ORACLE(div64, host64('/', x, y, z))
ORACLE(rcp64, host64('r', x, y, z))
ORACLE(sqrt64, host64('s', x, y, z))

struct operation {
    const char *name;
    oracle_fn f32, f64;
};
static const struct operation OPERATIONS[] = {
    {"add", add32, add64}, {"sub", sub32, sub64}, {"mul", mul32, mul64}, {"fma", fma32, fma64},
    {"mad", fma32, fma64}, {"div", div32, div64}, {"rcp", rcp32, rcp64}, {"sqrt", sqrt32, sqrt64},
};
static const struct {
    const char *word;
    int direction;
} DIRECTIONS[] = {
    {"rn", FE_TONEAREST},
    {"rz", FE_TOWARDZERO},
    {"rm", FE_DOWNWARD},
    {"rp", FE_UPWARD},
};

static void arithmetic_rounds_in_each_direction(void **state)
{
    for (size_t i = 0; i < COUNT_OF(OPERATIONS); i++)
        for (size_t j = 0; j < COUNT_OF(DIRECTIONS); j++) {
            char text[32];
            direction = DIRECTIONS[j].direction;
            (void)snprintf(text, sizeof(text), "%s.%s.f32", OPERATIONS[i].name, DIRECTIONS[j].word);
            check(text, OPERATIONS[i].f32);
            (void)snprintf(text, sizeof(text), "%s.%s.f64", OPERATIONS[i].name, DIRECTIONS[j].word);
            check(text, OPERATIONS[i].f64);
        }
    direction = FE_TONEAREST;
    check("add.f32", add32);
    check("sub.f32", sub32);
    check("mul.f32", mul32);
    check("add.f64", add64);
    check("sub.f64", sub64);
    check("mul.f64", mul64);
}

static u64 clamped(u64 v)
{
    return bits_f32(saturate32(F(v)));
}
ORACLE(add_sat, clamped(host32('+', x, y, z)))
ORACLE(mul_sat, clamped(host32('*', x, y, z)))
ORACLE(fma_sat, clamped(host32('f', x, y, z)))

static void sat_clamps_to_one_and_turns_nan_to_zero(void **state)
{
    check("add.sat.f32", add_sat);
    check("mul.rn.sat.f32", mul_sat);
    check("fma.rn.sat.f32", fma_sat);
    assert_int_equal(clamped(NAN_F32), 0);
    assert_int_equal(clamped(0x80000000), 0);
}

// A lane of one instruction.
static u64 one_lane(const char *text, enum sim_isa isa, u64 x, u64 y, u64 z)
{
    const struct alu_op op = alu_of(text, isa);
    struct operands o;
    struct result r;
    memset(&o, 0, sizeof(o));
    o.wide[0][0] = x, o.wide[1][0] = y, o.wide[2][0] = z;
    o.narrow[0][0] = (u32)x, o.narrow[1][0] = (u32)y, o.narrow[2][0] = (u32)z;
    alu_run(&op, &o, 0, &r);
    return r.lane[0];
}

struct known {
    const char *text;
    u64 x, y, z, want;
};

static void check_known(const struct known *known, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (int isa = 0; isa <= (int)sim_isa_best(); isa++) {
            const struct known *k = &known[i];
            const u64 r = one_lane(k->text, (enum sim_isa)isa, k->x, k->y, k->z);
            if (r != k->want)
                fail_msg("%s (isa %d) of %#llx %#llx %#llx: %#llx, not %#llx", k->text, isa,
                         (unsigned long long)k->x, (unsigned long long)k->y,
                         (unsigned long long)k->z, (unsigned long long)r,
                         (unsigned long long)k->want);
        }
}

// Results are flushed by what they would round to if exponents had no end: seen on an H200.
static void ftz_flushes_operands_and_tiny_results(void **state)
{
    static const struct known KNOWN[] = {
        {"add.ftz.f32", 0x00000001, 0x3f800000, 0, 0x3f800000},
        {"add.ftz.f32", 0x807fffff, 0x80000000, 0, 0x80000000},
        {"add.ftz.f32", 0x00800001, 0x80800000, 0, 0x00000000},
        {"mul.ftz.f32", 0x80000001, 0x7f000000, 0, 0x80000000},
        {"mul.ftz.f32", 0x1fffffff, 0x1fffffff, 0, 0x00000000},
        {"mul.f32", 0x1fffffff, 0x20000000, 0, 0x00800000},
        {"mul.ftz.f32", 0x1fffffff, 0x20000000, 0, 0x00000000}, // 2^-126 (1 - 2^-24)
        {"mul.rm.ftz.f32", 0x20000002, 0x9ffffffb, 0, 0x80000000},
        {"fma.rn.ftz.f32", 0x1fffffff, 0x20000000, 0x00000001, 0x00000000},
        {"fma.rn.ftz.f32", 0x3f800000, 0x3f800000, 0x80000001, 0x3f800000},
        {"rcp.rp.ftz.f32", 0x7e800001, 0, 0, 0x00000000},
        {"mul.ftz.f16", 0x1fff, 0x2000, 0, 0x0000},
        {"mul.ftz.f16", 0x23fe, 0x1c01, 0, 0x0400}, // 2^-14 (1 - 2^-20)
        {"neg.ftz.f32", 0x00000001, 0, 0, 0x80000000},
        {"abs.ftz.f32", 0x80000001, 0, 0, 0x00000000},
        {"sqrt.approx.ftz.f32", 0x00000001, 0, 0, 0x00000000},
        {"rcp.approx.ftz.f32", 0x80000001, 0, 0, 0xff800000},
        {"set.gt.ftz.u32.f32", 0x00000001, 0x00000000, 0, 0x00000000},
        {"setp.gt.ftz.f32", 0x00000001, 0x00000000, 0, 0},
    };
    check_known(KNOWN, COUNT_OF(KNOWN));
}

static void min_and_max_order_zeros_and_nans(void **state)
{
    static const struct known KNOWN[] = {
        {"min.f32", 0x80000000, 0x00000000, 0, 0x80000000},
        {"min.f32", 0x00000000, 0x80000000, 0, 0x80000000},
        {"max.f32", 0x80000000, 0x00000000, 0, 0x00000000},
        {"max.f32", 0x7fc00000, 0x3f800000, 0, 0x3f800000},
        {"max.f32", 0x3f800000, 0xffc00001, 0, 0x3f800000},
        {"max.f32", 0x7fc00001, 0xffc00001, 0, NAN_F32},
        {"max.NaN.f32", 0x3f800000, 0xffc00001, 0, NAN_F32},
        {"min.ftz.f32", 0x00000001, 0x80000001, 0, 0x80000000},
        {"max.xorsign.abs.f32", 0xc0000000, 0x3f800000, 0, 0xc0000000},
        {"min.NaN.xorsign.abs.f32", 0xc0000000, 0xbf800000, 0, 0x3f800000},
        {"min.f64", 0x8000000000000000, 0, 0, 0x8000000000000000},
        {"max.f64", 0x7ff8000000000000, 0x3ff0000000000000, 0, 0x3ff0000000000000},
        {"copysign.f32", 0x80000000, 0x3f800000, 0, 0xbf800000},
        {"copysign.f64", 0, 0xbff0000000000000, 0, 0x3ff0000000000000},
        {"neg.f32", 0x3f800000, 0, 0, 0xbf800000},
        {"neg.f32", 0xff800001, 0, 0, NAN_F32},
        {"abs.f64", 0xfff0000000000005, 0, 0, 0xfff8000000000005},
        {"add.f64", 0x7ff0000000000000, 0xfff0000000000000, 0, NAN_F64},
    };
    check_known(KNOWN, COUNT_OF(KNOWN));
}

/* ---- comparisons ------------------------------------------------------------------------------- */

static u64 float_order(const char *order, f64 x, f64 y)
{
    const bool nan = x != x || y != y;
    const size_t n = strlen(order);
    if (strcmp(order, "num") == 0)
        return !nan;
    if (strcmp(order, "nan") == 0 || (nan && n == 3))
        return nan;
    if (nan)
        return 0;
    return order[0] == 'e'   ? x == y
           : order[0] == 'n' ? x != y
           : order[0] == 'l' ? (order[1] == 't' ? x < y : x <= y)
                             : (order[1] == 't' ? x > y : x >= y);
}
static const char *order;
ORACLE(order32, float_order(order, (f64)F(x), (f64)F(y)))
ORACLE(order64, float_order(order, D(x), D(y)))
ORACLE(order_set, float_order(order, (f64)F(x), (f64)F(y)) ? UINT32_MAX : 0)
ORACLE(order_ftz, float_order(order, (f64)flush32(F(x)), (f64)flush32(F(y))))

static void comparisons_know_the_unordered(void **state)
{
    static const char *const ORDERS[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                         "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
    for (size_t i = 0; i < COUNT_OF(ORDERS); i++) {
        char text[32];
        order = ORDERS[i];
        (void)snprintf(text, sizeof(text), "setp.%s.f32", order);
        check(text, order32);
        (void)snprintf(text, sizeof(text), "setp.%s.f64", order);
        check(text, order64);
        (void)snprintf(text, sizeof(text), "setp.%s.ftz.f32", order);
        check(text, order_ftz);
        (void)snprintf(text, sizeof(text), "set.%s.u32.f32", order);
        check(text, order_set);
    }
}

ORACLE(is_finite, isfinite(F(x)) != 0)
ORACLE(is_normal, isnormal(F(x)) != 0 || F(x) == 0)
ORACLE(is_subnormal, fpclassify(D(x)) == FP_SUBNORMAL)
ORACLE(slct_f32, F(z) >= 0 ? x : y)

static void kinds_of_numbers(void **state)
{
    check("testp.finite.f32", is_finite);
    check("testp.normal.f32", is_normal);
    check("testp.subnormal.f64", is_subnormal);
    check("slct.s32.f32", slct_f32);
}

/* ---- conversions ------------------------------------------------------------------------------- */

static int to_bits;
static bool to_signed;

static u64 integer_of(f64 v, bool wide)
{
    const f64 low = to_signed ? -ldexp(1, to_bits - 1) : 0;
    const f64 end = ldexp(1, to_bits - to_signed);
    if (v != v) // the top bit; an s8 comes with its sign up to bit 15
        return !wide ? 0 : to_bits == 8 && to_signed ? 0xff80 : (u64)1 << (to_bits - 1);
    const u64 top = to_signed ? ((u64)1 << (to_bits - 1)) - 1
                              : (to_bits == 64 ? UINT64_MAX : ((u64)1 << to_bits) - 1);
    u64 r = v >= end ? top : v <= low ? (u64)(s64)low : v < 0 ? (u64)(s64)v : (u64)v;
    r &= to_bits == 64 ? UINT64_MAX : ((u64)1 << (to_bits == 8 && to_signed ? 16 : to_bits)) - 1;
    return r;
}
ORACLE(rzi32, integer_of(trunc((f64)F(x)), to_bits == 64))
ORACLE(rni32, integer_of(rint((f64)F(x)), to_bits == 64))
ORACLE(rmi32, integer_of(floor((f64)F(x)), to_bits == 64))
ORACLE(rpi64, integer_of(ceil(D(x)), true))
ORACLE(rzi64, integer_of(trunc(D(x)), true))

static void floats_saturate_to_integers(void **state)
{
    static const struct {
        const char *name;
        int bits;
        bool is_signed;
    } TYPES[] = {
        {"u8", 8, false},   {"s8", 8, true},   {"u16", 16, false}, {"s16", 16, true},
        {"u32", 32, false}, {"s32", 32, true}, {"u64", 64, false}, {"s64", 64, true},
    };
    for (size_t i = 0; i < COUNT_OF(TYPES); i++) {
        char text[32];
        to_bits = TYPES[i].bits;
        to_signed = TYPES[i].is_signed;
        (void)snprintf(text, sizeof(text), "cvt.rzi.%s.f32", TYPES[i].name);
        check(text, rzi32);
        (void)snprintf(text, sizeof(text), "cvt.rni.%s.f32", TYPES[i].name);
        check(text, rni32);
        (void)snprintf(text, sizeof(text), "cvt.rmi.%s.f32", TYPES[i].name);
        check(text, rmi32);
        (void)snprintf(text, sizeof(text), "cvt.rpi.%s.f64", TYPES[i].name);
        check(text, rpi64);
        (void)snprintf(text, sizeof(text), "cvt.rzi.%s.f64", TYPES[i].name);
        check(text, rzi64);
    }
}

static u64 from_s64(s64 v, bool wide)
{
    const volatile s64 source = v;
    assert_int_equal(fesetround(direction), 0);
    const volatile f32 narrow = (f32)source;
    const volatile f64 r = (f64)source;
    (void)fesetround(FE_TONEAREST);
    return wide ? bits_f64(r) : bits_f32(narrow);
}
ORACLE(f32_s32, from_s64((s32)(u32)x, false))
ORACLE(f32_u32, from_s64((s64)x, false))
ORACLE(f32_s64, from_s64((s64)x, false))
ORACLE(f64_s64, from_s64((s64)x, true))
ORACLE(f64_s8, from_s64((s8)(u8)x, true))
static u64 narrowed(u64 x, u64 y, u64 z, u64 w)
{
    (void)y, (void)z, (void)w;
    const volatile f64 v = D(x);
    if (v != v)
        return nan_narrowed(x);
    assert_int_equal(fesetround(direction), 0);
    const volatile f32 r = (f32)v;
    (void)fesetround(FE_TONEAREST);
    return bits_f32(r);
}
ORACLE(widened, F(x) == F(x) ? bits_f64((f64)F(x)) : nan_widened((u32)x))
ORACLE(whole_rni, bits_f32(canon32(rintf(F(x)))))
ORACLE(whole_rpi, F(x) != F(x) ? NAN_F32 : bits_f32(ceilf(F(x))))
ORACLE(sat32, clamped(x))

static void numbers_round_to_floats(void **state)
{
    for (size_t j = 0; j < COUNT_OF(DIRECTIONS); j++) {
        static const struct {
            const char *types;
            oracle_fn oracle;
        } PAIRS[] = {
            {"f32.s32", f32_s32}, {"f32.u32", f32_u32}, {"f32.s64", f32_s64},
            {"f64.s64", f64_s64}, {"f64.s8", f64_s8},   {"f32.f64", narrowed},
        };
        direction = DIRECTIONS[j].direction;
        for (size_t i = 0; i < COUNT_OF(PAIRS); i++) {
            char text[32];
            (void)snprintf(text, sizeof(text), "cvt.%s.%s", DIRECTIONS[j].word, PAIRS[i].types);
            check(text, PAIRS[i].oracle);
        }
    }
    direction = FE_TONEAREST;
    check("cvt.f64.f32", widened);
    check("cvt.rni.f32.f32", whole_rni);
    check("cvt.rpi.f32.f32", whole_rpi);
    check("cvt.sat.f32.f32", sat32);
}

ORACLE(s64_s32, (u64)(s64)(s32)(u32)x)
ORACLE(u64_u32, x)
ORACLE(low32, (u32)x)
ORACLE(low16, (u16)x)
ORACLE(s32_s16, (u64)(u32)(s32)(s16)(u16)x)
ORACLE(s32_s8, (u64)(u32)(s32)(s8)(u8)x)
ORACLE(u8_s32, (u8)x)
ORACLE(sat_u8_s32, (s32)(u32)x<0 ? 0 : (s32)(u32)x> 255 ? 255 : (u32)x)
ORACLE(sat_s32_u64, x > INT32_MAX ? INT32_MAX : x)
ORACLE(sat_s64_u64, x > INT64_MAX ? INT64_MAX : x)

static void integers_narrow_and_widen(void **state)
{
    check("cvt.s64.s32", s64_s32);
    check("cvt.u64.u32", u64_u32);
    check("cvt.u32.u64", low32);
    check("cvt.s32.s64", low32);
    check("cvt.u16.u32", low16);
    check("cvt.s32.s16", s32_s16);
    check("cvt.s32.s8", s32_s8);
    check("cvt.u8.s32", u8_s32);
    check("cvt.sat.u8.s32", sat_u8_s32);
    check("cvt.sat.s32.u64", sat_s32_u64);
    check("cvt.sat.s64.u64", sat_s64_u64);
}

/* ---- approximations ---------------------------------------------------------------------------- */

struct approximation {
    const char *text;
    f64 (*exact)(f64 v);
    f64 low, high;          // where the error holds
    f64 relative, absolute; // at most one of them
};

static f64 exact_rcp(f64 v)
{
    return 1 / v;
}
static f64 exact_rsqrt(f64 v)
{
    return 1 / sqrt(v);
}

// The manual's bounds; ours are tighter almost everywhere.
static void approximations_stay_within_the_manuals_errors(void **state)
{
    static const struct approximation TABLE[] = {
        {"rcp.approx.f32", exact_rcp, 1e-30, 1e30, 0x1p-23, 0},
        {"rsqrt.approx.f32", exact_rsqrt, 1e-35, 1e35, 0x1p-22, 0},
        {"sqrt.approx.f32", sqrt, 1e-35, 1e35, 0x1p-22, 0},
        {"sin.approx.f32", sin, -3.1415, 3.1415, 0, 0x1p-20},
        {"cos.approx.f32", cos, -3.1415, 3.1415, 0, 0x1p-20},
        {"sin.approx.f32", sin, -100, 100, 0, 0x1p-15},
        {"lg2.approx.f32", log2, 0.5, 2, 0, 0x1p-22},
        {"lg2.approx.f32", log2, 1e-38, 1e38, 0x1p-22, 0},
        {"ex2.approx.f32", exp2, -120, 120, 0x1p-22, 0},
        {"tanh.approx.f32", tanh, -20, 20, 0x1p-11, 0},
        {"tanh.approx.f32", tanh, -1e-3, 1e-3, 0x1p-11, 0},
    };
    for (size_t i = 0; i < COUNT_OF(TABLE); i++)
        for (int isa = 0; isa <= (int)sim_isa_best(); isa++)
            for (int round = 0; round < ROUNDS; round++) {
                const struct approximation *t = &TABLE[i];
                const f64 share = (f64)(random64() >> 12) * 0x1p-52;
                const f64 spread = t->low > 0 ? t->low * pow(t->high / t->low, share)
                                              : t->low + (t->high - t->low) * share;
                const f32 v = (f32)spread;
                const u64 raw = one_lane(t->text, (enum sim_isa)isa, bits_f32(v), 0, 0);
                const f64 want = t->exact((f64)v), error = fabs((f64)F(raw) - want);
                if (error > t->absolute + t->relative * fabs(want))
                    fail_msg("%s of %a: %a, not %a", t->text, (f64)v, (f64)F(raw), want);
            }
}

static void approximations_keep_the_manuals_special_values(void **state)
{
    static const struct known KNOWN[] = {
        {"rcp.approx.f32", 0x80000000, 0, 0, 0xff800000},
        {"rcp.approx.f32", 0xff800000, 0, 0, 0x80000000},
        {"rsqrt.approx.f32", 0x00000000, 0, 0, 0x7f800000},
        {"rsqrt.approx.f32", 0x80000000, 0, 0, 0xff800000},
        {"rsqrt.approx.f32", 0xbf800000, 0, 0, NAN_F32},
        {"rsqrt.approx.f32", 0x7f800000, 0, 0, 0x00000000},
        {"sqrt.approx.f32", 0x80000000, 0, 0, 0x80000000},
        {"sqrt.rn.f32", 0xbf800000, 0, 0, NAN_F32},
        {"sin.approx.f32", 0x80000000, 0, 0, 0x80000000},
        {"sin.approx.f32", 0x7f800000, 0, 0, NAN_F32},
        {"cos.approx.f32", 0x00000000, 0, 0, 0x3f800000},
        {"lg2.approx.f32", 0x00000000, 0, 0, 0xff800000},
        {"lg2.approx.f32", 0x80000000, 0, 0, 0xff800000},
        {"lg2.approx.f32", 0xbf800000, 0, 0, NAN_F32},
        {"lg2.approx.f32", 0x7f800000, 0, 0, 0x7f800000},
        {"lg2.approx.f32", 0x3f800000, 0, 0, 0x00000000},
        {"lg2.approx.f32", 0x00000001, 0, 0, 0xc3150000},
        {"lg2.approx.ftz.f32", 0x00000001, 0, 0, 0xff800000},
        {"ex2.approx.f32", 0xff800000, 0, 0, 0x00000000},
        {"ex2.approx.f32", 0x7f800000, 0, 0, 0x7f800000},
        {"ex2.approx.f32", 0xc3110000, 0, 0, 0x00000010},
        {"ex2.approx.ftz.f32", 0xc3110000, 0, 0, 0x00000000},
        {"tanh.approx.f32", 0xff800000, 0, 0, 0xbf800000},
        {"tanh.approx.f32", 0x80000000, 0, 0, 0x80000000},
        {"div.approx.f32", 0x3f800000, 0x7e800001, 0, 0x00000000},
        {"div.approx.f32", 0x7f800000, 0xfe800001, 0, NAN_F32},
        {"rcp.approx.ftz.f64", 0x4000000000000001, 0, 0, 0x3fe0000000000000},
        {"rcp.approx.ftz.f64", 0x0000000000000001, 0, 0, 0x7ff0000000000000},
    };
    check_known(KNOWN, COUNT_OF(KNOWN));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_rounds_in_each_direction),
        cmocka_unit_test(sat_clamps_to_one_and_turns_nan_to_zero),
        cmocka_unit_test(ftz_flushes_operands_and_tiny_results),
        cmocka_unit_test(min_and_max_order_zeros_and_nans),
        cmocka_unit_test(comparisons_know_the_unordered),
        cmocka_unit_test(kinds_of_numbers),
        cmocka_unit_test(floats_saturate_to_integers),
        cmocka_unit_test(numbers_round_to_floats),
        cmocka_unit_test(integers_narrow_and_widen),
        cmocka_unit_test(approximations_stay_within_the_manuals_errors),
        cmocka_unit_test(approximations_keep_the_manuals_special_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
