// The ALU's f16 and bf16 beyond the vector code: alu_half.def. imm says which of the two.
// SPDX-License-Identifier: Apache-2.0
#include "sim/alu/alu_approx.h"
#include "sim/alu/alu_half.h"
#include "sim/alu/alu_soft.h"

#define TWO1(function, x) PAIR(function(LO(x), imm), function(HI(x), imm))
#define TWO2(function, x, y) PAIR(function(LO(x), LO(y), imm), function(HI(x), HI(y), imm))

static const struct float_format *format_of(u32 imm)
{
    return float_format(IMM_TYPE0(imm));
}

static bool is_bf16(u32 imm)
{
    return IMM_TYPE0(imm) == PTX_TYPE_BF16 || IMM_TYPE0(imm) == PTX_TYPE_BF16X2;
}

static u32 half_flush(u32 x, u32 imm)
{
    const u32 exponent = is_bf16(imm) ? 0x7f80 : 0x7c00;
    return (imm & IMM_FTZ) != 0 && (x & exponent) == 0 ? x & 0x8000 : x;
}

static u32 half_add(u32 x, u32 y, u32 imm)
{
    const struct float_format *f = format_of(imm);
    return (u32)soft_pack(f, soft_add(soft_unpack(f, x, imm), soft_unpack(f, y, imm), imm), imm);
}

static u32 half_mul(u32 x, u32 y, u32 imm)
{
    const struct float_format *f = format_of(imm);
    return (u32)soft_pack(f, soft_multiply(soft_unpack(f, x, imm), soft_unpack(f, y, imm)), imm);
}

static u32 half_fma_soft(u32 x, u32 y, u32 z, u32 imm)
{
    const struct float_format *f = format_of(imm);
    const struct soft p = soft_unpack(f, x, imm), q = soft_unpack(f, y, imm);
    return (u32)soft_pack(f, soft_fma(p, q, soft_unpack(f, z, imm), imm), imm);
}

static bool half_is_nan(u32 x, u32 imm)
{
    return (x & 0x7fff) > (is_bf16(imm) ? 0x7f80u : 0x7c00u);
}

static u32 half_neg(u32 x, u32 imm)
{
    return half_is_nan(x, imm) ? NAN_F16 : half_flush(x, imm) ^ 0x8000;
}

static u32 half_abs(u32 x, u32 imm)
{
    return half_is_nan(x, imm) ? NAN_F16 : half_flush(x, imm) & 0x7fff;
}

// As alu_float.c's extreme32. Finite halves are ordered like their bits as sign and magnitude.
static u32 half_extreme(u32 x, u32 y, u32 imm, bool largest)
{
    x = half_flush(x, imm);
    y = half_flush(y, imm);
    const u32 sign = (imm & IMM_XORSIGN) != 0 ? (x ^ y) & 0x8000 : 0;
    const u32 keep = (imm & IMM_XORSIGN) != 0 ? 0x7fff : 0xffff;
    x &= keep;
    y &= keep;
    const bool x_nan = half_is_nan(x, imm), y_nan = half_is_nan(y, imm);
    if ((x_nan && y_nan) || ((x_nan || y_nan) && (imm & IMM_NAN) != 0))
        return NAN_F16;
    if (x_nan || y_nan)
        return (x_nan ? y : x) | sign;
    const s32 p = (x & 0x8000) != 0 ? ~(s32)(x & 0x7fff) : (s32)x;
    const s32 q = (y & 0x8000) != 0 ? ~(s32)(y & 0x7fff) : (s32)y;
    return ((p < q) != largest ? x : y) | sign;
}

static u32 half_min(u32 x, u32 y, u32 imm)
{
    return half_extreme(x, y, imm, false);
}

static u32 half_max(u32 x, u32 y, u32 imm)
{
    return half_extreme(x, y, imm, true);
}

static f32 half_read(u32 x, u32 imm)
{
    x = half_flush(x, imm);
    return is_bf16(imm) ? bf16_value(x) : half_value(x);
}

static u32 half_write(f32 v, u32 imm)
{
    return half_flush(is_bf16(imm) ? bf16_round(v) : half_round(v), imm);
}

static u32 half_ex2(u32 x, u32 imm)
{
    return half_write(ex2_approx(half_read(x, imm)), imm);
}

static u32 half_tanh(u32 x, u32 imm)
{
    return half_write(tanh_approx(half_read(x, imm)), imm);
}

/* ---- the functions and their table ----------------------------------------------------------- */

#include "sim/alu/alu_lanes.h"
#include "sim/alu/alu_half.def"

#include "sim/alu/alu_row.h"
static const struct alu_row ROWS[] = {
#include "sim/alu/alu_half.def"
};
const struct alu_rows sim_alu_half = {ROWS, COUNT_OF(ROWS)};
