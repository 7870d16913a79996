// SIMD video instructions: two or four lanes in a 32-bit word (compilers emit vabsdiff4; the others come
// by hand). Without lane selectors: those are refused.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/decode.h"

enum video_kind { VIDEO_ADD, VIDEO_SUB, VIDEO_AVERAGE, VIDEO_DISTANCE, VIDEO_MIN, VIDEO_MAX };
enum video_flags { A_SIGNED = 1, B_SIGNED = 2, D_SIGNED = 4, SATURATE = 8, ACCUMULATE = 16 };

static int32_t part_of(uint32_t word, unsigned bits, unsigned i, bool is_signed)
{
    uint32_t raw = word >> i * bits & ((1u << bits) - 1);
    return is_signed ? (int32_t)(raw << (32 - bits)) >> (32 - bits) : (int32_t)raw;
}

static int32_t part_result(enum video_kind kind, int32_t a, int32_t b)
{
    switch (kind) {
    case VIDEO_ADD:
        return a + b;
    case VIDEO_SUB:
        return a - b;
    case VIDEO_AVERAGE:
        return (a + b + (a + b >= 0)) >> 1;
    case VIDEO_DISTANCE:
        return a > b ? a - b : b - a;
    case VIDEO_MIN:
        return a < b ? a : b;
    case VIDEO_MAX:
        return a > b ? a : b;
    }
    return 0;
}

static int32_t saturated(int32_t x, unsigned bits, bool is_signed)
{
    int32_t high = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
    int32_t low = is_signed ? -high - 1 : 0;
    return x < low ? low : x > high ? high : x;
}

// imm: enum video_kind, more: bits of a lane, small: enum video_flags; c: added to the sum of lanes.
const struct uop *op_video(struct warp *w, const struct uop *u)
{
    unsigned bits = u->more;
    EACH_LANE(lane, guard_mask(w, u))
    {
        uint32_t a = row32(w, u->a)[lane], b = row32(w, u->b)[lane], packed = 0, sum = 0;
        for (unsigned i = 0; i < 32 / bits; i++) {
            int32_t x = part_result((enum video_kind)u->imm,
                                    part_of(a, bits, i, (u->small & A_SIGNED) != 0),
                                    part_of(b, bits, i, (u->small & B_SIGNED) != 0));
            if ((u->small & SATURATE) != 0)
                x = saturated(x, bits, (u->small & D_SIGNED) != 0);
            packed |= ((uint32_t)x & ((1u << bits) - 1)) << i * bits;
            sum += (uint32_t)x;
        }
        row32(w, u->d)[lane] = (u->small & ACCUMULATE) != 0 ? row32(w, u->c)[lane] + sum : packed;
    }
    return u + 1;
}

void decode_video(struct decoder *d, const struct ptx_instruction *in)
{
    static const char *const NAMES[] = {"vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"};
    const char *name = ptx_opcode_name(in->opcode);
    size_t length = strlen(name), kind = 0;
    while (kind < COUNT_OF(NAMES) &&
           !(strlen(NAMES[kind]) == length - 1 && str_starts_with(name, NAMES[kind])))
        kind++;
    char last = name[length - 1];
    if (kind == COUNT_OF(NAMES) || (last != '2' && last != '4') || in->type_count != 3 ||
        in->operand_count < 4 || in->operands[0].component >= 0) {
        unsupported(d, "video instructions but vadd, vsub, vavrg, vabsdiff, vmin, vmax of 2 or 4 "
                       "lanes are not simulated");
        return;
    }
    unsigned flags = in_has(in, "sat") ? SATURATE : 0;
    flags |= in_has(in, "add") ? ACCUMULATE : 0;
    flags |= in->types[0] == PTX_TYPE_S32 ? D_SIGNED : 0;
    flags |= in->types[1] == PTX_TYPE_S32 ? A_SIGNED : 0;
    flags |= in->types[2] == PTX_TYPE_S32 ? B_SIGNED : 0;
    uint32_t rows[3];
    for (int i = 0; i < 3; i++)
        rows[i] = source_row(d, &in->operands[1 + i], 32, PTX_TYPE_U32);
    struct uop *u = emit(d, op_video);
    u->d = result_row(d, &in->operands[0]);
    u->a = rows[0], u->b = rows[1], u->c = rows[2];
    u->imm = (uint32_t)kind;
    u->more = last == '2' ? 16 : 8;
    u->small = (uint16_t)flags;
}
