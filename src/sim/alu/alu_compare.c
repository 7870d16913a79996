// The ALU's comparisons beyond the vector code: alu_compare.def. Every float fits a double.
// SPDX-License-Identifier: Apache-2.0
#include "sim/alu/alu_half.h"

static enum alu_compare order_of(u32 imm)
{
    return (enum alu_compare)(imm >> IMM_COMPARE_SHIFT & 15);
}

// The comparison of two values of which is known whether they are less, equal, greater or none.
static bool holds(enum alu_compare order, bool less, bool equal, bool greater)
{
    const bool unordered = !less && !equal && !greater;
    switch (order) {
    case COMPARE_EQ:
        return equal;
    case COMPARE_NE:
        return less || greater;
    case COMPARE_LT:
        return less;
    case COMPARE_LE:
        return less || equal;
    case COMPARE_GT:
        return greater;
    case COMPARE_GE:
        return greater || equal;
    case COMPARE_EQU:
        return equal || unordered;
    case COMPARE_NEU:
        return !equal;
    case COMPARE_LTU:
        return less || unordered;
    case COMPARE_LEU:
        return !greater;
    case COMPARE_GTU:
        return greater || unordered;
    case COMPARE_GEU:
        return !less;
    case COMPARE_NUM:
        return !unordered;
    case COMPARE_NAN:
        return unordered;
    }
    return false;
}

static bool ordered(u32 imm, f64 x, f64 y)
{
    return holds(order_of(imm), x<y, x == y, x> y);
}

static bool is_bf16(enum ptx_type type)
{
    return type == PTX_TYPE_BF16 || type == PTX_TYPE_BF16X2;
}

static f64 half_of(u32 v, u32 imm, enum ptx_type type)
{
    if (is_bf16(type))
        return (f64)bf16_value(v);
    return (imm & IMM_FTZ) != 0 && (v & 0x7c00) == 0 ? 0.0 : (f64)half_value(v);
}

static bool ordered_s64(u32 imm, s64 x, s64 y)
{
    return holds(order_of(imm), x<y, x == y, x> y);
}

// Of set's second type, up to 32 bits wide.
static bool compare32(u32 imm, u32 x, u32 y)
{
    const enum ptx_type type = IMM_TYPE1(imm);
    if (type == PTX_TYPE_F32 && (imm & IMM_FTZ) != 0)
        return ordered(imm, (f64)flush32(f32_bits(x)), (f64)flush32(f32_bits(y)));
    if (type == PTX_TYPE_F32)
        return ordered(imm, (f64)f32_bits(x), (f64)f32_bits(y));
    if (type == PTX_TYPE_F16 || type == PTX_TYPE_BF16)
        return ordered(imm, half_of(x, imm, type), half_of(y, imm, type));
    if (type == PTX_TYPE_S16)
        return ordered_s64(imm, (s16)(u16)x, (s16)(u16)y);
    if (type == PTX_TYPE_S32)
        return ordered_s64(imm, (s32)x, (s32)y);
    return ordered_s64(imm, (s64)x, (s64)y);
}

static bool compare64(u32 imm, u64 x, u64 y)
{
    const enum ptx_type type = IMM_TYPE1(imm);
    if (type == PTX_TYPE_F64)
        return ordered(imm, f64_bits(x), f64_bits(y));
    if (type == PTX_TYPE_S64)
        return ordered_s64(imm, (s64)x, (s64)y);
    return holds(order_of(imm), x<y, x == y, x> y);
}

// True of set's first type: 1.0 of a float, all ones of an integer.
static u32 truth(u32 imm, bool holds_true)
{
    if (!holds_true)
        return 0;
    const enum ptx_type type = IMM_TYPE0(imm);
    return type == PTX_TYPE_F32                             ? 0x3f800000
           : type == PTX_TYPE_F16 || type == PTX_TYPE_F16X2 ? 0x3c00
           : is_bf16(type)                                  ? 0x3f80
           : type == PTX_TYPE_U16 || type == PTX_TYPE_S16   ? 0xffff
                                                            : UINT32_MAX;
}

static u32 truth_halves(u32 imm, u32 x, u32 y)
{
    const enum ptx_type type = IMM_TYPE1(imm);
    const bool low = ordered(imm, half_of(LO(x), imm, type), half_of(LO(y), imm, type));
    const bool high = ordered(imm, half_of(HI(x), imm, type), half_of(HI(y), imm, type));
    return PAIR(truth(imm, low) & 0xffff, truth(imm, high) & 0xffff);
}

static bool boolean(u32 imm, bool x, bool y)
{
    switch ((enum alu_boolean)(imm >> IMM_BOOLEAN_SHIFT & 3)) {
    case BOOLEAN_AND:
        return x && y;
    case BOOLEAN_OR:
        return x || y;
    case BOOLEAN_XOR:
        return x != y;
    case BOOLEAN_NONE:
        break;
    }
    return x;
}

LANE_FUNCTION(set_boolean_32)
{
    (void)e;
    const u32 with = *(const lane_u32 *)c;
    for (unsigned l = 0; l < LANES; l++) {
        const bool r = compare32(imm, GET(u32, a, l), GET(u32, b, l));
        PUT(u32, d, l, truth(imm, boolean(imm, r, (with >> l & 1) != 0)));
    }
}

LANE_FUNCTION(set_boolean_64)
{
    (void)e;
    const u32 with = *(const lane_u32 *)c;
    for (unsigned l = 0; l < LANES; l++) {
        const bool r = compare64(imm, GET(u64, a, l), GET(u64, b, l));
        PUT(u32, d, l, truth(imm, boolean(imm, r, (with >> l & 1) != 0)));
    }
}

// Two masks: of the low halves, of the high halves.
LANE_FUNCTION(setp_halves)
{
    (void)c;
    (void)e;
    const enum ptx_type type = IMM_TYPE0(imm);
    u32 low = 0, high = 0;
    for (unsigned l = 0; l < LANES; l++) {
        const u32 x = GET(u32, a, l), y = GET(u32, b, l);
        low |= (u32)ordered(imm, half_of(LO(x), imm, type), half_of(LO(y), imm, type)) << l;
        high |= (u32)ordered(imm, half_of(HI(x), imm, type), half_of(HI(y), imm, type)) << l;
    }
    ((lane_u32 *)d)[0] = low;
    ((lane_u32 *)d)[1] = high;
}

static bool slct_takes(f32 z, u32 imm)
{
    return ((imm & IMM_FTZ) != 0 ? flush32(z) : z) >= 0;
}

/* ---- the functions and their table ----------------------------------------------------------- */

#include "sim/alu/alu_lanes.h"
#include "sim/alu/alu_compare.def"

#include "sim/alu/alu_row.h"
static const struct alu_row ROWS[] = {
#include "sim/alu/alu_compare.def"
};
const struct alu_rows sim_alu_compare = {ROWS, COUNT_OF(ROWS)};
