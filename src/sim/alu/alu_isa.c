// The ALU's functions for kernels' inner loops, compiled once for each instruction set (SIM_ISA):
// loops that the compiler turns into vector code. The rows are in alu_hot.def. Every build gives the
// same bits: only correctly rounded operations, no contraction, NaN made canonical.
// SPDX-License-Identifier: Apache-2.0
#include "sim/alu/alu_approx.h"
#include "sim/alu/alu_half.h"
#include "sim/paste.h"

#define TABLE PASTE(sim_alu_table_, SIM_ISA)

/* ---- predicates ------------------------------------------------------------------------------ */

#define PREDICATE_FUNCTION(id, expression) \
    LANE_FUNCTION(id)                      \
    {                                      \
        UNUSED_SOURCES;                    \
        *(lane_u32 *)d = (expression);     \
    }
#define MASK_A (*(const lane_u32 *)a)
#define MASK_B (*(const lane_u32 *)b)
PREDICATE_FUNCTION(and_pred, MASK_A &MASK_B)
PREDICATE_FUNCTION(or_pred, MASK_A | MASK_B)
PREDICATE_FUNCTION(xor_pred, MASK_A ^ MASK_B)
PREDICATE_FUNCTION(not_pred, ~MASK_A)
PREDICATE_FUNCTION(mov_pred, MASK_A)

/* ---- integers -------------------------------------------------------------------------------- */

// The table's bit a*4 + b*2 + c for each bit of the sources.
static inline u32 lop3(u32 x, u32 y, u32 z, u32 table)
{
    u32 r = 0;
    for (u32 i = 0; i < 8; i++)
        r |= (0 - (table >> i & 1)) & (i & 4 ? x : ~x) & (i & 2 ? y : ~y) & (i & 1 ? z : ~z);
    return r;
}

static inline u32 popcount32(u32 v)
{
    v -= v >> 1 & 0x55555555;
    v = (v & 0x33333333) + (v >> 2 & 0x33333333);
    v = (v + (v >> 4)) & 0x0f0f0f0f;
    return v * 0x01010101 >> 24;
}

// The quotient's distance from an integer is at least 2^-32 of it: a double does not round it up.
static inline u32 quotient_u32(u32 x, u32 y)
{
    const f64 q = (f64)x / (y == 0 ? 1.0 : (f64)y);
    return y == 0 ? UINT32_MAX : (u32)(s64)q;
}

static inline u32 quotient_s32(s32 x, s32 y)
{
    const f64 q = (f64)x / (y == 0 ? 1.0 : (f64)y);
    return y == 0 ? UINT32_MAX : (u32)(s64)q; // INT_MIN / -1 wraps
}

static inline u32 u32_of_f32(f32 v)
{
    const u32 r = v > 0 && v < 4294967296.0F ? (u32)(s64)v : 0;
    return v >= 4294967296.0F ? UINT32_MAX : r;
}

static inline s32 s32_of_f32(f32 v)
{
    s32 r = v > -2147483648.0F && v < 2147483648.0F ? (s32)v : INT32_MIN;
    r = v >= 2147483648.0F ? INT32_MAX : r;
    return v == v ? r : 0;
}

// Products of 32 bits into 64, by the instruction for just that: the compiler takes the one for 64 bits, five times as dear.
#if defined(__AVX512F__)
enum { WIDE_LANES = 8 }; // of a vector
static inline __m512i wide_lanes(const void *row, unsigned i)
{
    const u8 *from = row;
    return _mm512_cvtepu32_epi64(
        _mm256_loadu_si256((const __m256i *)(const void *)(from + 32 * (size_t)i)));
}
#define WIDE_PRODUCTS(product, and_then)                                   \
    UNUSED_SOURCES;                                                        \
    for (unsigned i = 0; i < LANES / WIDE_LANES; i++) {                    \
        const __m512i value = product(wide_lanes(a, i), wide_lanes(b, i)); \
        _mm512_storeu_si512((u8 *)d + 64 * (size_t)i, and_then);           \
    }
#define WIDE_SUM _mm512_add_epi64(value, _mm512_loadu_si512((const u8 *)c + 64 * (size_t)i))
LANE_FUNCTION(mul_wide_u32){WIDE_PRODUCTS(_mm512_mul_epu32, value)} LANE_FUNCTION(mul_wide_s32){
    WIDE_PRODUCTS(_mm512_mul_epi32, value)} LANE_FUNCTION(mad_wide_u32){
    WIDE_PRODUCTS(_mm512_mul_epu32, WIDE_SUM)} LANE_FUNCTION(mad_wide_s32){
    WIDE_PRODUCTS(_mm512_mul_epi32, WIDE_SUM)}
#else
#define WIDE_PRODUCTS(type, product, more)                   \
    UNUSED_SOURCES;                                          \
    EACH_LANE(l)                                             \
    {                                                        \
        const type x = GET(type, a, l), y = GET(type, b, l); \
        PUT(u64, d, l, (u64)(product) + (more));             \
    }
LANE_FUNCTION(mul_wide_u32){WIDE_PRODUCTS(u32, (u64)x *y, 0)} LANE_FUNCTION(mul_wide_s32){
    WIDE_PRODUCTS(s32, (s64)x *y, 0)} LANE_FUNCTION(mad_wide_u32){
    WIDE_PRODUCTS(u32, (u64)x *y, GET(u64, c, l))} LANE_FUNCTION(mad_wide_s32)
{
    WIDE_PRODUCTS(s32, (s64)x * y, GET(u64, c, l))
}
#endif

/* ---- floats ---------------------------------------------------------------------------------- */

// Without an FMA unit: the exact product and a sum rounded to odd in double, then to float: the
// second rounding sees on which side the value lies (Boldo and Melquiond, "Emulation of a FMA and
// correctly rounded sums", 2008).
static inline f32 fma32(f32 x, f32 y, f32 z)
{
#if defined(__FMA__) || defined(__FP_FAST_FMAF) || defined(__aarch64__)
    return __builtin_fmaf(x, y, z);
#else
    return (f32)sum_to_odd((f64)x * (f64)y, (f64)z);
#endif
}

// .ftz of results: to zero what is below 2^-126 when rounded as if exponents had no end (seen on an
// H200), which the same operation 2^64 times larger shows. An overflow there is no tiny result.
static inline f32 flush_tiny(f32 r, f32 larger)
{
    return fabsf(larger) < 0x1p-62F ? f32_bits(bits_f32(r) & 0x80000000) : r;
}
static inline f32 mul_ftz(f32 x, f32 y)
{
    return flush_tiny(x * y, x * 0x1p64F * y);
}
static inline f32 fma_ftz(f32 x, f32 y, f32 z)
{
    return flush_tiny(fma32(x, y, z), fma32(x * 0x1p64F, y, z * 0x1p64F));
}
static inline f32 div_ftz(f32 x, f32 y)
{
    return flush_tiny(x / y, x * 0x1p64F / y);
}

// -0 < +0; one NaN loses against the other value.
static inline f32 min32(f32 x, f32 y)
{
    f32 same = x == y ? f32_bits(bits_f32(x) | bits_f32(y)) : y == y ? y : canon32(x);
    return x < y ? x : y < x ? y : same;
}
static inline f32 max32(f32 x, f32 y)
{
    f32 same = x == y ? f32_bits(bits_f32(x) & bits_f32(y)) : y == y ? y : canon32(x);
    return x > y ? x : y > x ? y : same;
}
static inline f64 min64(f64 x, f64 y)
{
    f64 same = x == y ? f64_bits(bits_f64(x) | bits_f64(y)) : y == y ? y : canon64(x, y, x, x);
    return x < y ? x : y < x ? y : same;
}
static inline f64 max64(f64 x, f64 y)
{
    f64 same = x == y ? f64_bits(bits_f64(x) & bits_f64(y)) : y == y ? y : canon64(x, y, x, x);
    return x > y ? x : y > x ? y : same;
}

// a times a reciprocal that is 0 where it would be subnormal (manual, div: 2^126 < |y| < 2^128).
static inline f32 div_approx(f32 x, f32 y)
{
    f32 magnitude = fabsf(y);
    bool vanishes = magnitude > 0x1p126F && magnitude <= 3.4028234663852886e38F;
    return canon32(vanishes ? x * copysignf(0.0F, y) : x / y);
}

// The upper half of a double, subnormals as zero: rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 read
// and give no more.
static inline f64 gross64(f64 v)
{
    const u64 b = bits_f64(v);
    return f64_bits((b >> 52 & 0x7ff) == 0 ? b >> 63 << 63 : b >> 32 << 32);
}
static inline f64 gross_result(f64 v)
{
    return v == v ? gross64(v) : f64_bits(UINT64_C(0x7fffffff00000000));
}

/* ---- the functions and their table ----------------------------------------------------------- */

#include "sim/alu/alu_lanes.h"
#include "sim/alu/alu_hot.def"

#include "sim/alu/alu_row.h"
static const struct alu_row ROWS[] = {
#include "sim/alu/alu_hot.def"
};
const struct alu_rows TABLE = {ROWS, COUNT_OF(ROWS)};
