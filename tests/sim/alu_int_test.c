// Integer and bit instructions of the ALU, each held to a plain one-lane version of the manual's text.
// SPDX-License-Identifier: Apache-2.0
#include "alu_support.h"

#define ORACLE(name, expression)                \
    static u64 name(u64 x, u64 y, u64 z, u64 w) \
    {                                           \
        (void)x, (void)y, (void)z, (void)w;     \
        return (u64)(expression);               \
    }
#define S16(v) ((s64)(s16)(u16)(v))
#define S32(v) ((s64)(s32)(u32)(v))
#define U32(v) ((u64)(u32)(v))
#define W(v) ((s128)(s64)(v))

/* ---- arithmetic ------------------------------------------------------------------------------ */

ORACLE(add16, (x + y) & 0xffff)
ORACLE(add32, U32(x + y))
ORACLE(add64, x + y)
ORACLE(sub16, (x - y) & 0xffff)
ORACLE(sub32, U32(x - y))
ORACLE(sub64, x - y)
static s64 bounded(s64 v)
{
    return v < INT32_MIN ? INT32_MIN : v > INT32_MAX ? INT32_MAX : v;
}
ORACLE(add_sat, U32(bounded(S32(x) + S32(y))))
ORACLE(sub_sat, U32(bounded(S32(x) - S32(y))))

static void sums_wrap_or_saturate(void **state)
{
    check_bits("add.u16", 16, add16);
    check_bits("add.s16", 16, add16);
    check("add.u32", add32);
    check("add.s32", add32);
    check("add.u64", add64);
    check("add.s64", add64);
    check_bits("sub.s16", 16, sub16);
    check("sub.u32", sub32);
    check("sub.s64", sub64);
    check("add.sat.s32", add_sat);
    check("sub.sat.s32", sub_sat);
}

ORACLE(mul_lo16, (x * y) & 0xffff)
ORACLE(mul_lo32, U32(x *y))
ORACLE(mul_lo64, x *y)
ORACLE(mul_hi_u16, (x * y) >> 16)
ORACLE(mul_hi_s16, (u16)((S16(x) * S16(y)) >> 16))
ORACLE(mul_hi_u32, (x * y) >> 32)
ORACLE(mul_hi_s32, U32((S32(x) * S32(y)) >> 32))
ORACLE(mul_hi_u64, ((u128)x * y) >> 64)
ORACLE(mul_hi_s64, (u128)(W(x) * W(y)) >> 64)
ORACLE(mul_wide_u16, U32(x *y))
ORACLE(mul_wide_s16, U32(S16(x) * S16(y)))
ORACLE(mul_wide_u32, x *y)
ORACLE(mul_wide_s32, S32(x) * S32(y))
ORACLE(mad_lo16, (x * y + z) & 0xffff)
ORACLE(mad_lo32, U32(x *y + z))
ORACLE(mad_lo64, x *y + z)
ORACLE(mad_wide_u16, U32(x *y + z))
ORACLE(mad_wide_s16, U32((u64)(S16(x) * S16(y)) + z))
ORACLE(mad_wide_u32, x *y + z)
ORACLE(mad_wide_s32, (u64)(S32(x) * S32(y)) + z)
ORACLE(mad_hi_u16, (((x * y) >> 16) + z) & 0xffff)
ORACLE(mad_hi_s16, (u16)(((S16(x) * S16(y)) >> 16) + S16(z)))
ORACLE(mad_hi_u32, U32(((x * y) >> 32) + z))
ORACLE(mad_hi_s32, U32(((S32(x) * S32(y)) >> 32) + S32(z)))
ORACLE(mad_hi_sat, U32(bounded(((S32(x) * S32(y)) >> 32) + S32(z))))
ORACLE(mad_hi_u64, (u64)(((u128)x * y) >> 64) + z)
ORACLE(mad_hi_s64, (u64)((u128)(W(x) * W(y)) >> 64) + z)

static void products_give_low_high_or_wide(void **state)
{
    check_bits("mul.lo.u16", 16, mul_lo16);
    check_bits("mul.lo.s16", 16, mul_lo16);
    check("mul.lo.s32", mul_lo32);
    check("mul.lo.s64", mul_lo64);
    check_bits("mul.hi.u16", 16, mul_hi_u16);
    check_bits("mul.hi.s16", 16, mul_hi_s16);
    check("mul.hi.u32", mul_hi_u32);
    check("mul.hi.s32", mul_hi_s32);
    check("mul.hi.u64", mul_hi_u64);
    check("mul.hi.s64", mul_hi_s64);
    check_bits("mul.wide.u16", 16, mul_wide_u16);
    check_bits("mul.wide.s16", 16, mul_wide_s16);
    check("mul.wide.u32", mul_wide_u32);
    check("mul.wide.s32", mul_wide_s32);
    check_bits("mad.lo.u16", 16, mad_lo16);
    check("mad.lo.s32", mad_lo32);
    check("mad.lo.u64", mad_lo64);
    check_bits("mad.wide.u16", 16, mad_wide_u16);
    check_bits("mad.wide.s16", 16, mad_wide_s16);
    check("mad.wide.u32", mad_wide_u32);
    check("mad.wide.s32", mad_wide_s32);
    check_bits("mad.hi.u16", 16, mad_hi_u16);
    check_bits("mad.hi.s16", 16, mad_hi_s16);
    check("mad.hi.u32", mad_hi_u32);
    check("mad.hi.s32", mad_hi_s32);
    check("mad.hi.sat.s32", mad_hi_sat);
    check("mad.hi.u64", mad_hi_u64);
    check("mad.hi.s64", mad_hi_s64);
}

static s64 low24(u64 v)
{
    const s64 low = (s64)(v & 0xffffff);
    return low >= 0x800000 ? low - 0x1000000 : low;
}
ORACLE(mul24_lo_u, U32((x & 0xffffff) * (y & 0xffffff)))
ORACLE(mul24_hi_u, U32(((x & 0xffffff) * (y & 0xffffff)) >> 16))
ORACLE(mul24_lo_s, U32(low24(x) * low24(y)))
ORACLE(mul24_hi_s, U32((low24(x) * low24(y)) >> 16))
ORACLE(mad24_lo_s, U32(low24(x) * low24(y) + S32(z)))
ORACLE(mad24_hi_u, U32((((x & 0xffffff) * (y & 0xffffff)) >> 16) + z))
ORACLE(mad24_hi_sat, U32(bounded(((low24(x) * low24(y)) >> 16) + S32(z))))
static u64 dot(u64 x, u64 y, u64 z, int count, int first, bool xs, bool ys)
{
    for (int i = 0; i < count; i++) {
        const u64 a = count == 4 ? x >> 8 * i & 0xff : x >> 16 * i & 0xffff;
        const u64 b = y >> 8 * (first + i) & 0xff;
        const s64 p = !xs ? (s64)a : count == 4 ? (s8)(u8)a : S16(a);
        z += (u64)(p * (ys ? (s8)(u8)b : (s64)b));
    }
    return U32(z);
}
ORACLE(dp4a_ss, dot(x, y, z, 4, 0, true, true))
ORACLE(dp4a_uu, dot(x, y, z, 4, 0, false, false))
ORACLE(dp4a_su, dot(x, y, z, 4, 0, true, false))
ORACLE(dp4a_us, dot(x, y, z, 4, 0, false, true))
ORACLE(dp2a_lo_ss, dot(x, y, z, 2, 0, true, true))
ORACLE(dp2a_hi_us, dot(x, y, z, 2, 2, false, true))

static void short_products_and_dots_take_their_parts(void **state)
{
    check("mul24.lo.u32", mul24_lo_u);
    check("mul24.hi.u32", mul24_hi_u);
    check("mul24.lo.s32", mul24_lo_s);
    check("mul24.hi.s32", mul24_hi_s);
    check("mad24.lo.s32", mad24_lo_s);
    check("mad24.hi.u32", mad24_hi_u);
    check("mad24.hi.sat.s32", mad24_hi_sat);
    check("dp4a.s32.s32", dp4a_ss);
    check("dp4a.u32.u32", dp4a_uu);
    check("dp4a.s32.u32", dp4a_su);
    check("dp4a.u32.s32", dp4a_us);
    check("dp2a.lo.s32.s32", dp2a_lo_ss);
    check("dp2a.hi.u32.s32", dp2a_hi_us);
}

ORACLE(div_u16, y == 0 ? 0xffff : x / y)
ORACLE(div_s16, (u16)(y == 0 ? -1 : S16(x) / S16(y)))
ORACLE(div_u32, y == 0 ? UINT32_MAX : x / y)
ORACLE(div_s32, U32(y == 0 ? -1 : S32(x) / S32(y)))
ORACLE(div_u64, y == 0 ? UINT64_MAX : x / y)
ORACLE(div_s64, y == 0 ? -1 : W(x) / W(y))
ORACLE(rem_u16, y == 0 ? 0xffff : x % y)
ORACLE(rem_s16, (u16)(y == 0 ? -1 : S16(x) % S16(y)))
ORACLE(rem_u32, y == 0 ? UINT32_MAX : x % y)
ORACLE(rem_s32, U32(y == 0 ? -1 : S32(x) % S32(y)))
ORACLE(rem_u64, y == 0 ? UINT64_MAX : x % y)
ORACLE(rem_s64, y == 0 ? -1 : W(x) % W(y))

static void quotients_truncate_and_survive_zero(void **state)
{
    check_bits("div.u16", 16, div_u16);
    check_bits("div.s16", 16, div_s16);
    check("div.u32", div_u32);
    check("div.s32", div_s32);
    check("div.u64", div_u64);
    check("div.s64", div_s64);
    check_bits("rem.u16", 16, rem_u16);
    check_bits("rem.s16", 16, rem_s16);
    check("rem.u32", rem_u32);
    check("rem.s32", rem_s32);
    check("rem.u64", rem_u64);
    check("rem.s64", rem_s64);
}

#define LOWER(x, y) ((x) < (y) ? (x) : (y))
#define HIGHER(x, y) ((x) > (y) ? (x) : (y))
#define PAIR_OF(low, high) (((u64)(low)&0xffff) | ((u64)(high)&0xffff) << 16)
ORACLE(neg16, (0 - x) & 0xffff)
ORACLE(neg32, U32(0 - x))
ORACLE(neg64, 0 - x)
ORACLE(abs16, (u16)(S16(x) < 0 ? -S16(x) : S16(x)))
ORACLE(abs32, U32(S32(x) < 0 ? -S32(x) : S32(x)))
ORACLE(abs64, (u64)(W(x) < 0 ? -W(x) : W(x)))
ORACLE(min_u, LOWER(x, y))
ORACLE(max_u, HIGHER(x, y))
ORACLE(min_s16, (u16)LOWER(S16(x), S16(y)))
ORACLE(max_s16, (u16)HIGHER(S16(x), S16(y)))
ORACLE(min_s32, U32(LOWER(S32(x), S32(y))))
ORACLE(max_s32, U32(HIGHER(S32(x), S32(y))))
ORACLE(min_s64, LOWER((s64)x, (s64)y))
ORACLE(max_s64, HIGHER((s64)x, (s64)y))
ORACLE(min_relu, U32(HIGHER(LOWER(S32(x), S32(y)), 0)))
ORACLE(add_x2, PAIR_OF(x + y, (x >> 16) + (y >> 16)))
ORACLE(min_u16x2, PAIR_OF(LOWER(x & 0xffff, y & 0xffff), LOWER(x >> 16, y >> 16)))
ORACLE(max_s16x2, PAIR_OF(HIGHER(S16(x), S16(y)), HIGHER(S16(x >> 16), S16(y >> 16))))
ORACLE(max_relu_s16x2,
       PAIR_OF(HIGHER(HIGHER(S16(x), S16(y)), 0), HIGHER(HIGHER(S16(x >> 16), S16(y >> 16)), 0)))
ORACLE(sad_u16, (u16)(z + (x < y ? y - x : x - y)))
ORACLE(sad_s16, (u16)(z + (u64)llabs(S16(x) - S16(y))))
ORACLE(sad_u32, U32(z + (x < y ? y - x : x - y)))
ORACLE(sad_s32, U32(z + (u64)llabs(S32(x) - S32(y))))
ORACLE(sad_u64, z + (x < y ? y - x : x - y))
ORACLE(sad_s64, z + (u64)(W(x) < W(y) ? W(y) - W(x) : W(x) - W(y)))

static void signs_and_extremes(void **state)
{
    check_bits("neg.s16", 16, neg16);
    check("neg.s32", neg32);
    check("neg.s64", neg64);
    check_bits("abs.s16", 16, abs16);
    check("abs.s32", abs32);
    check("abs.s64", abs64);
    check_bits("min.u16", 16, min_u);
    check("max.u32", max_u);
    check("min.u64", min_u);
    check_bits("min.s16", 16, min_s16);
    check_bits("max.s16", 16, max_s16);
    check("min.s32", min_s32);
    check("max.s32", max_s32);
    check("min.s64", min_s64);
    check("max.s64", max_s64);
    check("min.relu.s32", min_relu);
    check("add.u16x2", add_x2);
    check("min.u16x2", min_u16x2);
    check("max.s16x2", max_s16x2);
    check("max.relu.s16x2", max_relu_s16x2);
    check_bits("sad.u16", 16, sad_u16);
    check_bits("sad.s16", 16, sad_s16);
    check("sad.u32", sad_u32);
    check("sad.s32", sad_s32);
    check("sad.u64", sad_u64);
    check("sad.s64", sad_s64);
}

/* ---- bits ------------------------------------------------------------------------------------ */

ORACLE(and_, x &y)
ORACLE(or_, x | y)
ORACLE(xor_, x ^ y)
ORACLE(not16, ~x & 0xffff)
ORACLE(not32, U32(~x))
ORACLE(not64, ~x)
ORACLE(not1, x ^ 1)
ORACLE(is_zero, x == 0)
ORACLE(shl16, y >= 16 ? 0 : x << y & 0xffff)
ORACLE(shl32, y >= 32 ? 0 : U32(x << y))
ORACLE(shl64, y >= 64 ? 0 : x << y)
ORACLE(shr_u, y >= 64 ? 0 : x >> y)
ORACLE(shr_s16, (u16)(S16(x) >> LOWER(y, 15)))
ORACLE(shr_s32, U32(S32(x) >> LOWER(y, 31)))
ORACLE(shr_s64, (s64)x >> LOWER(y, 63))
ORACLE(shf_l_wrap, U32((y << 32 | x) >> (32 - (z & 31))))
ORACLE(shf_r_wrap, U32((y << 32 | x) >> (z & 31)))
ORACLE(shf_l_clamp, U32((y << 32 | x) >> (32 - LOWER(z, 32))))
ORACLE(shf_r_clamp, U32((y << 32 | x) >> LOWER(z, 32)))

static void logic_and_shifts(void **state)
{
    check("and.pred", and_);
    check("or.pred", or_);
    check("xor.pred", xor_);
    check("not.pred", not1);
    check_bits("and.b16", 16, and_);
    check("and.b32", and_);
    check("and.b64", and_);
    check("or.b32", or_);
    check("or.b64", or_);
    check("xor.b32", xor_);
    check("xor.b64", xor_);
    check_bits("not.b16", 16, not16);
    check("not.b32", not32);
    check("not.b64", not64);
    check_bits("cnot.b16", 16, is_zero);
    check("cnot.b32", is_zero);
    check("cnot.b64", is_zero);
    check_bits("shl.b16", 16, shl16);
    check("shl.b32", shl32);
    check("shl.b64", shl64);
    check_bits("shr.u16", 16, shr_u);
    check("shr.u32", shr_u);
    check("shr.b32", shr_u);
    check("shr.u64", shr_u);
    check_bits("shr.s16", 16, shr_s16);
    check("shr.s32", shr_s32);
    check("shr.s64", shr_s64);
    check("shf.l.wrap.b32", shf_l_wrap);
    check("shf.r.wrap.b32", shf_r_wrap);
    check("shf.l.clamp.b32", shf_l_clamp);
    check("shf.r.clamp.b32", shf_r_clamp);
}

static u64 field(u64 x, u64 position, u64 length, u64 width, bool is_signed)
{
    position = width == 64 ? position : position & 0xff;
    length = width == 64 ? LOWER(length, 255) : length & 0xff;
    const u64 last = LOWER(position + length - 1, width - 1);
    const u64 sign = length == 0 || !is_signed ? 0 : x >> last & 1;
    u64 r = 0;
    for (u64 i = 0; i < width; i++)
        r |= (i < length && position + i < width ? x >> (position + i) & 1 : sign) << i;
    return r;
}
static u64 insert(u64 x, u64 into, u64 position, u64 length, u64 width)
{
    position = width == 64 ? position : position & 0xff;
    length = width == 64 ? LOWER(length, 255) : length & 0xff;
    for (u64 i = 0; i < length && position + i < width; i++) {
        const u64 bit = (u64)1 << (position + i);
        into = (into & ~bit) | (x >> i & 1 ? bit : 0);
    }
    return into;
}
static u64 find(u64 x, u64 top, bool amount)
{
    for (u64 i = top + 1; i-- > 0;)
        if ((x >> i & 1) != 0)
            return amount ? top - i : i;
    return UINT32_MAX;
}
static u64 reverse(u64 x, u64 width)
{
    u64 r = 0;
    for (u64 i = 0; i < width; i++)
        r |= (x >> i & 1) << (width - 1 - i);
    return r;
}
ORACLE(bfe_u32, field(x, y, z, 32, false))
ORACLE(bfe_s32, field(x, y, z, 32, true))
ORACLE(bfe_u64, field(x, y, z, 64, false))
ORACLE(bfe_s64, field(x, y, z, 64, true))
ORACLE(bfi32, insert(x, y, z, w, 32))
ORACLE(bfi64, insert(x, y, z, w, 64))
ORACLE(bfind_u32, find(x, 31, false))
ORACLE(bfind_s32, find(S32(x) < 0 ? U32(~x) : x, 31, false))
ORACLE(bfind_amount_u32, find(x, 31, true))
ORACLE(bfind_u64, find(x, 63, false))
ORACLE(bfind_amount_s64, find((s64)x < 0 ? ~x : x, 63, true))
ORACLE(brev32, reverse(x, 32))
ORACLE(brev64, reverse(x, 64))
ORACLE(popc, __builtin_popcountll(x))
ORACLE(clz32, find(x, 31, true) == UINT32_MAX ? 32 : find(x, 31, true))
ORACLE(clz64, find(x, 63, true) == UINT32_MAX ? 64 : find(x, 63, true))
static u64 ones(u64 from, u64 width)
{
    u64 r = 0;
    for (u64 i = from; i < from + width && i < 32; i++)
        r |= (u64)1 << i;
    return r;
}
ORACLE(bmsk_clamp, ones(LOWER(x, 32), LOWER(y, 32)))
ORACLE(bmsk_wrap, ones(x & 31, y & 31))
ORACLE(szext_clamp_s, field(x, 0, LOWER(y, 32), 32, true))
ORACLE(szext_wrap_u, field(x, 0, y & 31, 32, false))
static u64 fns(u64 mask, u64 base, s64 offset)
{
    if (offset == 0)
        return base < 32 && (mask >> base & 1) != 0 ? base : UINT32_MAX;
    s64 count = (offset < 0 ? -offset : offset) - 1;
    for (s64 at = (s64)base; at >= 0 && at<32; at += offset> 0 ? 1 : -1)
        if ((mask >> at & 1) != 0 && count-- == 0)
            return (u64)at;
    return UINT32_MAX;
}
ORACLE(fns32, fns(x, y, S32(z)))

static void fields_and_counts(void **state)
{
    check("bfe.u32", bfe_u32);
    check("bfe.s32", bfe_s32);
    check("bfe.u64", bfe_u64);
    check("bfe.s64", bfe_s64);
    check("bfi.b32", bfi32);
    check("bfi.b64", bfi64);
    check("bfind.u32", bfind_u32);
    check("bfind.s32", bfind_s32);
    check("bfind.shiftamt.u32", bfind_amount_u32);
    check("bfind.u64", bfind_u64);
    check("bfind.shiftamt.s64", bfind_amount_s64);
    check("brev.b32", brev32);
    check("brev.b64", brev64);
    check("popc.b32", popc);
    check("popc.b64", popc);
    check("clz.b32", clz32);
    check("clz.b64", clz64);
    check("bmsk.clamp.b32", bmsk_clamp);
    check("bmsk.wrap.b32", bmsk_wrap);
    check("szext.clamp.s32", szext_clamp_s);
    check("szext.wrap.u32", szext_wrap_u);
    check("fns.b32", fns32);
}

// The manual's tables, bytes of d from the highest; selectors 0 to 3.
static const char *const PRMT_TABLES[][5] = {
    {"f4e", "3210", "4321", "5432", "6543"}, {"b4e", "5670", "6701", "7012", "0123"},
    {"rc8", "0000", "1111", "2222", "3333"}, {"ecl", "3210", "3211", "3222", "3333"},
    {"ecr", "0000", "1110", "2210", "3210"}, {"rc16", "1010", "3232", "1010", "3232"},
};
static u64 prmt_row;
static u64 prmt_mode(u64 x, u64 y, u64 z, u64 w)
{
    (void)w;
    const char *row = PRMT_TABLES[prmt_row][1 + (z & 3)];
    u64 r = 0;
    for (int i = 0; i < 4; i++)
        r = r << 8 | ((y << 32 | x) >> 8 * (row[i] - '0') & 0xff);
    return r;
}
static u64 prmt_select(u64 x, u64 y, u64 z, u64 w)
{
    (void)w;
    u64 r = 0;
    for (int i = 0; i < 4; i++) {
        const u64 s = z >> 4 * i & 15, byte = (y << 32 | x) >> 8 * (s & 7) & 0xff;
        r |= (s < 8 ? byte : byte >= 128 ? 0xff : (u64)0) << 8 * i;
    }
    return r;
}

static void permutations_follow_the_tables(void **state)
{
    check("prmt.b32", prmt_select);
    for (prmt_row = 0; prmt_row < COUNT_OF(PRMT_TABLES); prmt_row++) {
        char text[32];
        (void)snprintf(text, sizeof(text), "prmt.b32.%s", PRMT_TABLES[prmt_row][0]);
        check(text, prmt_mode);
    }
}

static void lop3_reads_its_table(void **state)
{
    struct mnemonic m;
    assert_true(mnemonic_parse(&m, "lop3.b32"));
    for (u32 table = 0; table < 256; table++) {
        m.in.operand_count = 5;
        m.in.operands[4] = (struct ptx_operand){.kind = PTX_OPERAND_IMMEDIATE, .bits = table};
        for (int isa = 0; isa <= (int)sim_isa_best(); isa++) {
            struct alu_op op;
            const char *why;
            assert_true(sim_alu_find(&m.in, (enum sim_isa)isa, &op, &why));
            struct operands o;
            struct result r;
            operands_fill(&o);
            alu_run(&op, &o, 0, &r);
            for (int l = 0; l < LANES; l++)
                for (u32 i = 0; i < 32; i++) {
                    const u32 x = o.narrow[0][l] >> i & 1, y = o.narrow[1][l] >> i & 1;
                    const u32 z = o.narrow[2][l] >> i & 1;
                    assert_int_equal(r.lane[l] >> i & 1, table >> (x * 4 + y * 2 + z) & 1);
                }
        }
    }
}

/* ---- carries --------------------------------------------------------------------------------- */

struct carry_case {
    const char *text;
    int width;
    char kind; // + - or *: low product, ^: high product
    bool is_signed;
};

static u128 carry_oracle(const struct carry_case *c, u64 x, u64 y, u64 z, u64 flag)
{
    const u64 mask = c->width == 32 ? UINT32_MAX : UINT64_MAX;
    if (c->kind == '+')
        return (u128)x + y + flag;
    if (c->kind == '-')
        return (u128)x + (~(u128)y & mask) + flag; // the machine's sum: subc subtracts 1 - flag
    const s128 p = c->width == 32 ? S32(x) : W(x), q = c->width == 32 ? S32(y) : W(y);
    const u128 product = c->is_signed ? (u128)(p * q) : (u128)x * y;
    const u64 part = c->kind == '*' ? (u64)product & mask : (u64)(product >> c->width) & mask;
    return (u128)part + z + flag;
}

static void carries_pass_through_the_flag(void **state)
{
    static const struct carry_case CASES[] = {
        {"add.cc.u32", 32, '+', false},     {"addc.u32", 32, '+', false},
        {"addc.cc.s32", 32, '+', false},    {"add.cc.u64", 64, '+', false},
        {"addc.u64", 64, '+', false},       {"addc.cc.u64", 64, '+', false},
        {"sub.cc.u32", 32, '-', false},     {"subc.s32", 32, '-', false},
        {"subc.cc.u32", 32, '-', false},    {"sub.cc.s64", 64, '-', false},
        {"subc.cc.u64", 64, '-', false},    {"mad.lo.cc.u32", 32, '*', false},
        {"mad.hi.cc.u32", 32, '^', false},  {"mad.hi.cc.s32", 32, '^', true},
        {"madc.lo.cc.s32", 32, '*', true},  {"madc.hi.u32", 32, '^', false},
        {"madc.hi.cc.s32", 32, '^', true},  {"mad.lo.cc.u64", 64, '*', false},
        {"madc.hi.cc.u64", 64, '^', false}, {"madc.hi.s64", 64, '^', true},
        {"madc.lo.cc.u64", 64, '*', false},
    };
    for (size_t i = 0; i < COUNT_OF(CASES); i++) {
        const struct carry_case *c = &CASES[i];
        const struct alu_op op = alu_of(c->text, SIM_ISA_BASELINE);
        for (int round = 0; round < ROUNDS; round++) {
            struct operands o;
            struct result r;
            operands_fill(&o);
            const u32 in = (u32)random64();
            alu_run(&op, &o, in, &r);
            for (int l = 0; l < LANES; l++) {
                const u64 flag = op.reads_carry ? in >> l & 1 : c->kind == '-';
                const u128 want =
                    carry_oracle(c, source_lane(&o, &op, 0, l), source_lane(&o, &op, 1, l),
                                 source_lane(&o, &op, 2, l), flag);
                const u64 low = c->width == 32 ? (u32)want : (u64)want;
                const u32 out = op.writes_carry ? (u32)(want >> c->width) & 1 : in >> l & 1;
                if (r.lane[l] != low || (r.carry >> l & 1) != out)
                    fail_msg("%s: lane %d", c->text, l);
            }
        }
    }
}

/* ---- comparisons and choices ------------------------------------------------------------------- */

ORACLE(eq, x == y)
ORACLE(ne, x != y)
ORACLE(lt_u, x < y)
ORACLE(le_u, x <= y)
ORACLE(gt_u, x > y)
ORACLE(ge_u, x >= y)
ORACLE(lt_s16, S16(x) < S16(y))
ORACLE(le_s32, S32(x) <= S32(y))
ORACLE(lt_s32, S32(x) < S32(y))
ORACLE(gt_s32, S32(x) > S32(y))
ORACLE(ge_s32, S32(x) >= S32(y))
ORACLE(lt_s64, (s64)x < (s64)y)
ORACLE(ge_s64, (s64)x >= (s64)y)
ORACLE(set_gt_u32, x > y ? UINT32_MAX : 0)
ORACLE(set_lt_s32_f32, S32(x) < S32(y) ? 0x3f800000 : 0)
ORACLE(set_ge_u64_and, x >= y && z != 0 ? UINT32_MAX : 0)
ORACLE(set_eq_s16_xor, (x == y) != (z != 0) ? UINT32_MAX : 0)
ORACLE(choose, z != 0 ? x : y)
ORACLE(slct_s32, S32(z) >= 0 ? x : y)
ORACLE(same, x)

static void comparisons_and_choices(void **state)
{
    check_bits("setp.eq.b16", 16, eq);
    check_bits("setp.lt.s16", 16, lt_s16);
    check_bits("setp.hi.u16", 16, gt_u);
    check("setp.eq.s32", eq);
    check("setp.ne.u32", ne);
    check("setp.lt.u32", lt_u);
    check("setp.lo.u32", lt_u);
    check("setp.ls.u32", le_u);
    check("setp.hi.u32", gt_u);
    check("setp.hs.u32", ge_u);
    check("setp.lt.s32", lt_s32);
    check("setp.le.s32", le_s32);
    check("setp.gt.s32", gt_s32);
    check("setp.ge.and.s32", ge_s32);
    check("setp.eq.b64", eq);
    check("setp.gt.u64", gt_u);
    check("setp.lt.s64", lt_s64);
    check("setp.ge.s64", ge_s64);
    check("set.gt.u32.u32", set_gt_u32);
    check("set.lt.f32.s32", set_lt_s32_f32);
    check("set.ge.and.s32.u64", set_ge_u64_and);
    check_bits("set.eq.xor.u32.s16", 16, set_eq_s16_xor);
    check("selp.b32", choose);
    check("selp.f64", choose);
    check("slct.u32.s32", slct_s32);
    check("slct.f64.s32", slct_s32);
    check("mov.b32", same);
    check("mov.f64", same);
    check("mov.pred", same);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_wrap_or_saturate),
        cmocka_unit_test(products_give_low_high_or_wide),
        cmocka_unit_test(short_products_and_dots_take_their_parts),
        cmocka_unit_test(quotients_truncate_and_survive_zero),
        cmocka_unit_test(signs_and_extremes),
        cmocka_unit_test(logic_and_shifts),
        cmocka_unit_test(fields_and_counts),
        cmocka_unit_test(permutations_follow_the_tables),
        cmocka_unit_test(lop3_reads_its_table),
        cmocka_unit_test(carries_pass_through_the_flag),
        cmocka_unit_test(comparisons_and_choices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
