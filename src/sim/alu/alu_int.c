// The ALU's integer and bit instructions beyond the vector code: alu_int.def. Semantics after the
// PTX manual's pseudo-code of each instruction.
// SPDX-License-Identifier: Apache-2.0
#include "sim/alu/alu.h"

#define MIN(x, y) ((x) < (y) ? (x) : (y))
#define MAX(x, y) ((x) > (y) ? (x) : (y))
#define RELU(x) MAX(x, 0)
#define CLAMP(x, low, high) clamp(x, low, high)
#define LO16(v) ((v)&0xffff)
#define HI16(v) ((v) >> 16)
#define LOS16(v) ((s32)(s16)(u16)(v))
#define HIS16(v) ((s32)(s16)(u16)((v) >> 16))
#define PAIR16(low, high) ((u32)(u16)(low) | (u32)(u16)(high) << 16)
#define U24(v) ((u64)(v)&0xffffff)
#define S24(v) ((s64)((s32)((v) << 8) >> 8))

static inline s64 clamp(s64 v, s64 low, s64 high)
{
    return v < low ? low : v > high ? high : v;
}

/* ---- dot products ---------------------------------------------------------------------------- */

static inline s32 byte_of(u32 v, unsigned i, bool is_signed)
{
    const u8 byte = (u8)(v >> 8 * i);
    return is_signed ? (s8)byte : byte;
}

static inline u32 dp4a(u32 x, u32 y, u32 z, bool x_signed, bool y_signed)
{
    for (unsigned i = 0; i < 4; i++)
        z += (u32)(byte_of(x, i, x_signed) * byte_of(y, i, y_signed));
    return z;
}

static inline u32 dp2a(u32 x, u32 y, u32 z, bool x_signed, bool y_signed, u32 imm)
{
    const unsigned first = (imm & IMM_HIGH) != 0 ? 2 : 0;
    for (unsigned i = 0; i < 2; i++) {
        const u16 half = (u16)(x >> 16 * i);
        z += (u32)((x_signed ? (s16)half : half) * byte_of(y, first + i, y_signed));
    }
    return z;
}

/* ---- bit fields ------------------------------------------------------------------------------ */

static inline u64 low_mask(u32 count)
{
    return count >= 64 ? UINT64_MAX : ((u64)1 << count) - 1;
}

// Positions and lengths have 8 bits (manual, bfe); 64-bit forms take them whole (seen on an H200).
static inline u32 bit_place(u32 v, u32 width)
{
    return width == 64 ? MIN(v, 255) : v & 0xff;
}

// Bits past the top read as the sign (bfe's sign: the field's last bit, or the value's).
static inline u64 bit_field(u64 v, u32 position, u32 length, u32 width, bool is_signed)
{
    position = bit_place(position, width);
    length = bit_place(length, width);
    if (length == 0)
        return 0;
    const u32 last = MIN(position + length - 1, width - 1);
    const bool sign = is_signed && (v >> last & 1) != 0;
    const u64 fill = sign ? UINT64_MAX : 0;
    if (position >= width)
        return fill;
    const u32 there = MIN(length, width - position);
    const u64 field = v >> position & low_mask(there);
    return field | (fill & ~low_mask(there));
}

static inline u64 bit_insert(u64 field, u64 into, u32 position, u32 length, u32 width)
{
    position = bit_place(position, width);
    length = bit_place(length, width);
    if (position >= width)
        return into;
    const u64 mask = low_mask(length) << position;
    return (into & ~mask) | (field << position & mask);
}

// Number of the highest set bit, or how far to shift it to the top; all ones if none.
static inline u32 bit_find(u64 v, u32 top, u32 imm)
{
    if (v == 0)
        return UINT32_MAX;
    const u32 at = 63 - (u32)__builtin_clzll(v);
    return (imm & IMM_SHIFTAMT) != 0 ? top - at : at;
}

static inline u64 bit_reverse(u64 v)
{
    v = (v >> 1 & 0x5555555555555555) | (v & 0x5555555555555555) << 1;
    v = (v >> 2 & 0x3333333333333333) | (v & 0x3333333333333333) << 2;
    v = (v >> 4 & 0x0f0f0f0f0f0f0f0f) | (v & 0x0f0f0f0f0f0f0f0f) << 4;
    return __builtin_bswap64(v);
}

// .clamp or .wrap of a count of bits.
static inline u32 bit_count(u32 v, u32 imm)
{
    return (imm & IMM_CLAMP) != 0 ? MIN(v, 32) : v & 31;
}

static inline u32 bit_mask(u32 from, u32 width, u32 imm)
{
    const u32 first = bit_count(from, imm), end = first + bit_count(width, imm);
    return (u32)(low_mask(end) & ~low_mask(first));
}

// Four bytes of y:x; a selector's top bit asks for the byte's sign instead.
static inline u32 permute(u32 x, u32 y, u32 selectors, u32 imm)
{
    const u64 bytes = (u64)y << 32 | x;
    const enum alu_permute mode = (enum alu_permute)(imm >> IMM_PERMUTE_SHIFT & 7);
    const u32 c = selectors & 3;
    u32 r = 0;
    for (u32 i = 0; i < 4; i++) {
        const u32 by_mode[] = {
            [PERMUTE_SELECT] = selectors >> 4 * i & 7,
            [PERMUTE_F4E] = c + i,
            [PERMUTE_B4E] = (c - i) & 7,
            [PERMUTE_RC8] = c,
            [PERMUTE_ECL] = MAX(i, c),
            [PERMUTE_ECR] = MIN(i, c),
            [PERMUTE_RC16] = (c & 1) * 2 + (i & 1),
        };
        u32 byte = (u32)(bytes >> 8 * by_mode[mode]) & 0xff;
        if (mode == PERMUTE_SELECT && (selectors >> 4 * i & 8) != 0)
            byte = byte >> 7 != 0 ? 0xff : 0;
        r |= byte << 8 * i;
    }
    return r;
}

// The offset-th set bit from base, upwards or downwards; all ones if there is none.
static inline u32 nth_set(u32 mask, u32 base, s32 offset)
{
    if (offset == 0)
        return base < 32 && (mask >> base & 1) != 0 ? base : UINT32_MAX;
    s64 left = (offset > 0 ? (s64)offset : -(s64)offset) - 1;
    for (s64 at = base; at >= 0 && at<32; at += offset> 0 ? 1 : -1)
        if ((mask >> at & 1) != 0 && left-- == 0)
            return (u32)at;
    return UINT32_MAX;
}

/* ---- carries --------------------------------------------------------------------------------- */

// A difference is x + ~y + 1 in the machine, and its flag that sum's carry: 1 where nothing was
// borrowed. It shows where addc follows sub.cc, or subc add.cc.

// expression: of x, y, z and flag (0 or 1) in 128 bits; what lies above the width is the flag.
#define CARRY_FUNCTION(id, T, U, bits, reads, writes, expression)                                \
    static void id(void *d, const void *a, const void *b, const void *c, const void *e, u32 imm) \
    {                                                                                            \
        (void)imm;                                                                               \
        (void)c;                                                                                 \
        const u32 in = *(const lane_u32 *)e;                                                     \
        u32 out = 0;                                                                             \
        for (unsigned l = 0; l < LANES; l++) {                                                   \
            const T x = GET(T, a, l), y = GET(T, b, l);                                          \
            const u128 flag = (reads) ? in >> l & 1 : 0;                                         \
            const u128 r = (expression);                                                         \
            ((lane_##U *)d)[l] = (U)r;                                                           \
            out |= (u32)(r >> (bits)&1) << l;                                                    \
        }                                                                                        \
        if (writes)                                                                              \
            carry_write(e, out);                                                                 \
    }

// The flag is handed over as a source that is also a result (internal.h, struct alu_op).
static void carry_write(const void *e, u32 out)
{
    union {
        const void *from;
        lane_u32 *to;
    } flag = {.from = e};
    *flag.to = out;
}

#define SUM_FUNCTIONS(T, bits)                                                         \
    CARRY_FUNCTION(add_cc_##bits, T, T, bits, false, true, (u128)x + y + flag)         \
    CARRY_FUNCTION(addc_##bits, T, T, bits, true, false, (u128)x + y + flag)           \
    CARRY_FUNCTION(addc_cc_##bits, T, T, bits, true, true, (u128)x + y + flag)         \
    CARRY_FUNCTION(sub_cc_##bits, T, T, bits, false, true, (u128)x + (T)~y + 1 + flag) \
    CARRY_FUNCTION(subc_##bits, T, T, bits, true, false, (u128)x + (T)~y + flag)       \
    CARRY_FUNCTION(subc_cc_##bits, T, T, bits, true, true, (u128)x + (T)~y + flag)
SUM_FUNCTIONS(u32, 32)
SUM_FUNCTIONS(u64, 64)

#define PRODUCT_LOW(U) ((u128)(U)((U)x * (U)y))
#define PRODUCT_HIGH(U, wide, bits) ((u128)(U)(((wide)x * (wide)y) >> (bits)))
#define ADDEND(U) (u128)(GET(U, c, l)) + flag
#define MAD_FUNCTIONS(T, U, wide, bits)                                                           \
    CARRY_FUNCTION(mad_lo_cc_##T, T, U, bits, false, true, PRODUCT_LOW(U) + ADDEND(U))            \
    CARRY_FUNCTION(madc_lo_##T, T, U, bits, true, false, PRODUCT_LOW(U) + ADDEND(U))              \
    CARRY_FUNCTION(madc_lo_cc_##T, T, U, bits, true, true, PRODUCT_LOW(U) + ADDEND(U))            \
    CARRY_FUNCTION(mad_hi_cc_##T, T, U, bits, false, true,                                        \
                   PRODUCT_HIGH(U, wide, bits) + ADDEND(U))                                       \
    CARRY_FUNCTION(madc_hi_##T, T, U, bits, true, false, PRODUCT_HIGH(U, wide, bits) + ADDEND(U)) \
    CARRY_FUNCTION(madc_hi_cc_##T, T, U, bits, true, true, PRODUCT_HIGH(U, wide, bits) + ADDEND(U))
MAD_FUNCTIONS(u32, u32, u64, 32)
MAD_FUNCTIONS(s32, u32, s64, 32)
MAD_FUNCTIONS(u64, u64, u128, 64)
MAD_FUNCTIONS(s64, u64, s128, 64)

/* ---- the functions and their table ----------------------------------------------------------- */

#include "sim/alu/alu_lanes.h"
#include "sim/alu/alu_int.def"

#include "sim/alu/alu_row.h"
static const struct alu_row ROWS[] = {
#include "sim/alu/alu_int.def"
};
const struct alu_rows sim_alu_int = {ROWS, COUNT_OF(ROWS)};
