// The ALU's conversions beyond the vector code: alu_convert.def. Results narrower than 32 bits come
// as alu.h's CONTAIN_ says.
// SPDX-License-Identifier: Apache-2.0
#include "sim/alu/alu_soft.h"

static bool is_signed(enum ptx_type type)
{
    return ptx_type_kind(type) == PTX_KIND_SIGNED;
}

static s128 integer_low(enum ptx_type type)
{
    return is_signed(type) ? -((s128)1 << (ptx_type_bits(type) - 1)) : 0;
}

static s128 integer_high(enum ptx_type type)
{
    return ((s128)1 << (ptx_type_bits(type) - is_signed(type))) - 1;
}

// The value of the low bits of a register.
static s128 integer_read(u64 raw, enum ptx_type type)
{
    const int unused = 64 - ptx_type_bits(type);
    return is_signed(type) ? (s128)((s64)(raw << unused) >> unused)
                           : (s128)(raw << unused >> unused);
}

static u64 integer_write(s128 value, enum ptx_type type)
{
    const int bits = ptx_type_bits(type);
    if (bits == 64)
        return (u64)value;
    const s128 v = integer_read((u64)value, type);
    return bits == 32 ? (u32)v : (u16)v; // s8: its sign up to bit 15
}

static s128 clamp(s128 v, s128 low, s128 high)
{
    return v < low ? low : v > high ? high : v;
}

static u64 integer_of_integer(u64 raw, u32 imm)
{
    const enum ptx_type to = IMM_TYPE0(imm);
    const s128 v = integer_read(raw, IMM_TYPE1(imm));
    const bool saturates = (imm & IMM_SAT) != 0;
    return integer_write(saturates ? clamp(v, integer_low(to), integer_high(to)) : v, to);
}

// .ftz is about f32 only, and not on the way to f16 (seen on an H200).
static u32 ftz_of(u32 imm, enum ptx_type type)
{
    const bool applies = type == PTX_TYPE_F32 && IMM_TYPE0(imm) != PTX_TYPE_F16;
    return applies ? imm : imm & ~(u32)IMM_FTZ;
}

// Out of range: the nearest end. NaN: 0, or the top bit where 64 bits are on either side (manual,
// cvt, "In float-to-integer conversions").
static u64 integer_of_float(u64 raw, u32 imm)
{
    const enum ptx_type to = IMM_TYPE0(imm), from = IMM_TYPE1(imm);
    const struct soft v = soft_unpack(float_format(from), raw, ftz_of(imm, from));
    const bool wide = ptx_type_bits(to) == 64 || from == PTX_TYPE_F64;
    if (v.kind == SOFT_NAN)
        return wide ? integer_write((s128)1 << (ptx_type_bits(to) - 1), to) : 0;
    return integer_write(soft_to_integer(soft_integral(v, imm), integer_low(to), integer_high(to)),
                         to);
}

static u64 float_of_integer(u64 raw, u32 imm)
{
    const enum ptx_type to = IMM_TYPE0(imm);
    const s128 v = integer_read(raw, IMM_TYPE1(imm));
    const struct soft value = soft_of_integer((u64)(v < 0 ? -v : v), v < 0);
    return soft_pack(float_format(to), value, imm);
}

// NaN from or to f64 keeps its payload (alu.h); so does one that is only moved. Seen on an H200.
static u64 nan_of_nan(u64 raw, enum ptx_type from, enum ptx_type to, u32 imm)
{
    const u32 narrowed = nan_narrowed(raw);
    if (from == to && (imm & (IMM_INTEGRAL | IMM_FTZ)) == 0 && ptx_type_bits(to) >= 32)
        return raw;
    if (from == PTX_TYPE_F64 && to == PTX_TYPE_F64)
        return raw | QUIET_F64;
    if (from == PTX_TYPE_F64 && to == PTX_TYPE_F16)
        return (narrowed >> 16 & 0x8000) | 0x7e00 | (narrowed >> 13 & 0x1ff);
    if (from == PTX_TYPE_F64)
        return to == PTX_TYPE_F32 ? narrowed : narrowed >> 16;
    if (to == PTX_TYPE_F64 && from == PTX_TYPE_F16)
        return nan_widened((u32)(raw & 0x8000) << 16 | (u32)(raw & 0x3ff) << 13);
    if (to == PTX_TYPE_F64 && (imm & IMM_FTZ) != 0)
        return nan_widened(NAN_F32);
    if (to == PTX_TYPE_F64)
        return nan_widened(from == PTX_TYPE_BF16 ? (u32)raw << 16 : (u32)raw);
    return float_format(to)->nan;
}

static u64 float_of_float(u64 raw, u32 imm)
{
    const enum ptx_type to = IMM_TYPE0(imm), from = IMM_TYPE1(imm);
    struct soft v = soft_unpack(float_format(from), raw, ftz_of(imm, from));
    if (v.kind == SOFT_NAN && (imm & IMM_SAT) == 0)
        return nan_of_nan(raw, from, to, imm);
    if ((imm & IMM_INTEGRAL) != 0)
        v = soft_integral(v, imm);
    return soft_pack(float_format(to), v, ftz_of(imm, to));
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static u32 element(u64 raw, enum ptx_type from, enum ptx_type to, u32 imm)
{
    return (u32)soft_pack(float_format(to), soft_unpack(float_format(from), raw, 0), imm);
}

static u32 pair_of_f32(u32 upper, u32 lower, int bits, u32 imm)
{
    const enum ptx_type to = IMM_TYPE0(imm);
    return element(upper, PTX_TYPE_F32, to, imm) << bits | element(lower, PTX_TYPE_F32, to, imm);
}

static u32 bytes_of_halves(u32 v, u32 imm)
{
    const enum ptx_type to = IMM_TYPE0(imm);
    return element(v >> 16, PTX_TYPE_F16, to, imm) << 8 |
           element(v & 0xffff, PTX_TYPE_F16, to, imm);
}

static u32 halves_of_bytes(u32 v, u32 imm)
{
    const enum ptx_type from = IMM_TYPE1(imm);
    return element(v >> 8 & 0xff, from, PTX_TYPE_F16, imm) << 16 |
           element(v & 0xff, from, PTX_TYPE_F16, imm);
}

// cvt.pack: a and b clamped, above them the low bits of c.
static u32 pack_integers(u32 upper, u32 lower, u32 rest, int bits, u32 imm)
{
    const enum ptx_type to = IMM_TYPE0(imm);
    const u32 mask = ((u32)1 << bits) - 1;
    const u32 p = (u32)clamp((s32)upper, integer_low(to), integer_high(to)) & mask;
    const u32 q = (u32)clamp((s32)lower, integer_low(to), integer_high(to)) & mask;
    return (bits == 8 ? rest << 16 : 0) | p << bits | q;
}

/* ---- the functions and their table ----------------------------------------------------------- */

#include "sim/alu/alu_lanes.h"
#include "sim/alu/alu_convert.def"

#include "sim/alu/alu_row.h"
static const struct alu_row ROWS[] = {
#include "sim/alu/alu_convert.def"
};
const struct alu_rows sim_alu_convert = {ROWS, COUNT_OF(ROWS)};
