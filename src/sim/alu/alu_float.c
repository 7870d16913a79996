// The ALU's f32 and f64 beyond the vector code: alu_float.def.
// SPDX-License-Identifier: Apache-2.0
#include "sim/alu/alu_soft.h"

#define F32 float_format(PTX_TYPE_F32)
#define F64 float_format(PTX_TYPE_F64)
#define SIGN32 ((u64)1 << 31)
#define SIGN64 ((u64)1 << 63)

// Packs; a NaN of f64 is an operand's, the first of these.
static u64 float_result(const struct float_format *f, struct soft r, u32 imm, u64 first, u64 second,
                        u64 third)
{
    const u64 raw = soft_pack(f, r, imm);
    return f == F64 ? nan64_of(first, second, third, raw) : raw;
}

// flip: turns y's sign, for a difference (a NaN keeps its own).
static u64 float_add(u64 x, u64 y, u32 imm, const struct float_format *f, u64 flip)
{
    const struct soft p = soft_unpack(f, x, imm), q = soft_unpack(f, y ^ flip, imm);
    return float_result(f, soft_add(p, q, imm), imm, y, x, x);
}

static u64 float_mul(u64 x, u64 y, u32 imm, const struct float_format *f)
{
    const struct soft p = soft_unpack(f, x, imm), q = soft_unpack(f, y, imm);
    return float_result(f, soft_multiply(p, q), imm, y, x, x);
}

static u64 float_fma(u64 x, u64 y, u64 z, u32 imm, const struct float_format *f)
{
    const struct soft p = soft_unpack(f, x, imm), q = soft_unpack(f, y, imm);
    return float_result(f, soft_fma(p, q, soft_unpack(f, z, imm), imm), imm, y, z, x);
}

static u64 float_div(u64 x, u64 y, u32 imm, const struct float_format *f)
{
    const struct soft p = soft_unpack(f, x, imm), q = soft_unpack(f, y, imm);
    return float_result(f, soft_divide(p, q), imm, x, y, y);
}

static u64 float_sqrt(u64 x, u32 imm, const struct float_format *f)
{
    return float_result(f, soft_sqrt(soft_unpack(f, x, imm)), imm, x, x, x);
}

// min and max with .ftz, .NaN (one NaN makes a NaN), .xorsign.abs (of the magnitudes, with the
// product's sign).
static u32 extreme32(u32 x, u32 y, u32 imm, bool largest)
{
    if ((imm & IMM_FTZ) != 0) {
        x = bits_f32(flush32(f32_bits(x)));
        y = bits_f32(flush32(f32_bits(y)));
    }
    const u32 sign = (imm & IMM_XORSIGN) != 0 ? (x ^ y) & 0x80000000 : 0;
    const u32 keep = (imm & IMM_XORSIGN) != 0 ? 0x7fffffff : UINT32_MAX;
    x &= keep;
    y &= keep;
    const bool x_nan = (x & 0x7fffffff) > 0x7f800000, y_nan = (y & 0x7fffffff) > 0x7f800000;
    if ((x_nan && y_nan) || ((x_nan || y_nan) && (imm & IMM_NAN) != 0))
        return NAN_F32;
    if (x_nan || y_nan)
        return (x_nan ? y : x) | sign;
    const f32 p = f32_bits(x), q = f32_bits(y);
    const bool x_less = p < q || (p == q && x > y); // -0 < +0
    return (x_less != largest ? x : y) | sign;
}

/* ---- the functions and their table ----------------------------------------------------------- */

#include "sim/alu/alu_lanes.h"
#include "sim/alu/alu_float.def"

#include "sim/alu/alu_row.h"
static const struct alu_row ROWS[] = {
#include "sim/alu/alu_float.def"
};
const struct alu_rows sim_alu_float = {ROWS, COUNT_OF(ROWS)};
