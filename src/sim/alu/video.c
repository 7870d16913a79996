// Video instructions: two or four lanes in a 32-bit word (compilers emit vabsdiff4; the others come by
// hand), and those of one word. Without selectors of bytes and halves: those are refused.
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

/* ---- of one word ------------------------------------------------------------------------------- */

enum word_kind { WORD_ADD, WORD_SUB, WORD_DISTANCE, WORD_MIN, WORD_MAX, WORD_LEFT, WORD_RIGHT };
enum second { SECOND_NONE, SECOND_ADD, SECOND_MIN, SECOND_MAX };
enum { WRAP = 32 }; // beside enum video_flags: of shifts, by the low five bits; else at most 32

// PTX ISA, scalar video instructions: 33 bits and a sign between the operands and the result.
static int64_t word_result(enum word_kind kind, int64_t a, int64_t b, unsigned flags)
{
    int64_t by = (flags & WRAP) != 0 ? b & 31 : b > 32 ? 32 : b;
    switch (kind) {
    case WORD_ADD:
        return a + b;
    case WORD_SUB:
        return a - b;
    case WORD_DISTANCE:
        return a > b ? a - b : b - a;
    case WORD_MIN:
        return a < b ? a : b;
    case WORD_MAX:
        return a > b ? a : b;
    case WORD_LEFT:
        return (int64_t)((uint64_t)a << by);
    case WORD_RIGHT:
        return a >> by;
    }
    return 0;
}

static uint32_t word_second(enum second second, uint32_t x, uint32_t c, bool is_signed)
{
    bool less = is_signed ? (int32_t)x < (int32_t)c : x < c;
    switch (second) {
    case SECOND_NONE:
        return x;
    case SECOND_ADD:
        return x + c;
    case SECOND_MIN:
        return less ? x : c;
    case SECOND_MAX:
        return less ? c : x;
    }
    return x;
}

// imm: enum word_kind, more: enum second, with c; small: flags.
const struct uop *op_video_word(struct warp *w, const struct uop *u)
{
    bool is_signed = (u->small & D_SIGNED) != 0;
    int64_t low = is_signed ? INT32_MIN : 0, high = is_signed ? INT32_MAX : UINT32_MAX;
    EACH_LANE(lane, guard_mask(w, u))
    {
        uint32_t a = row32(w, u->a)[lane], b = row32(w, u->b)[lane];
        int64_t left = (u->small & A_SIGNED) != 0 ? (int64_t)(int32_t)a : (int64_t)a;
        int64_t right = (u->small & B_SIGNED) != 0 ? (int64_t)(int32_t)b : (int64_t)b;
        int64_t x = word_result((enum word_kind)u->imm, left, right, u->small);
        if ((u->small & SATURATE) != 0)
            x = x < low ? low : x > high ? high : x;
        row32(w, u->d)[lane] =
            word_second((enum second)u->more, (uint32_t)x, row32(w, u->c)[lane], is_signed);
    }
    return u + 1;
}

static int word_kind(enum ptx_opcode opcode)
{
    static const enum ptx_opcode KINDS[] = {
        [WORD_ADD] = PTX_OP_VADD,   [WORD_SUB] = PTX_OP_VSUB, [WORD_DISTANCE] = PTX_OP_VABSDIFF,
        [WORD_MIN] = PTX_OP_VMIN,   [WORD_MAX] = PTX_OP_VMAX, [WORD_LEFT] = PTX_OP_VSHL,
        [WORD_RIGHT] = PTX_OP_VSHR,
    };
    for (size_t i = 0; i < COUNT_OF(KINDS); i++)
        if (KINDS[i] == opcode)
            return (int)i;
    return -1;
}

static bool has_selectors(const struct ptx_instruction *in)
{
    for (int i = 0; i < in->operand_count; i++)
        if (in->operands[i].component >= 0)
            return true;
    return false;
}

static unsigned type_flags(const struct ptx_instruction *in)
{
    return (in->types[0] == PTX_TYPE_S32 ? D_SIGNED : 0u) |
           (in->types[1] == PTX_TYPE_S32 ? A_SIGNED : 0u) |
           (in->types[2] == PTX_TYPE_S32 ? B_SIGNED : 0u) | (in_has(in, "sat") ? SATURATE : 0u);
}

static void decode_video_word(struct decoder *d, const struct ptx_instruction *in, int kind)
{
    enum second second = in_has(in, "add")   ? SECOND_ADD
                         : in_has(in, "min") ? SECOND_MIN
                         : in_has(in, "max") ? SECOND_MAX
                                             : SECOND_NONE;
    if (in->type_count != 3 || has_selectors(in) ||
        in->operand_count != (second == SECOND_NONE ? 3 : 4)) {
        unsupported(d, "video instructions that select bytes or halves are not simulated");
        return;
    }
    uint32_t a = source_row(d, &in->operands[1], 32, PTX_TYPE_U32);
    uint32_t b = source_row(d, &in->operands[2], 32, PTX_TYPE_U32);
    uint32_t c = second != SECOND_NONE ? source_row(d, &in->operands[3], 32, PTX_TYPE_U32) : a;
    struct uop *u = emit(d, op_video_word);
    u->d = result_row(d, &in->operands[0]);
    u->a = a, u->b = b, u->c = c;
    u->imm = (uint32_t)kind;
    u->more = second;
    u->small = (uint16_t)(type_flags(in) | (in_has(in, "wrap") ? WRAP : 0u));
}

void decode_video(struct decoder *d, const struct ptx_instruction *in)
{
    int word = word_kind(in->opcode);
    if (word >= 0) {
        decode_video_word(d, in, word);
        return;
    }
    static const char *const NAMES[] = {"vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"};
    const char *name = ptx_opcode_name(in->opcode);
    size_t length = strlen(name), kind = 0;
    while (kind < COUNT_OF(NAMES) &&
           !(strlen(NAMES[kind]) == length - 1 && str_starts_with(name, NAMES[kind])))
        kind++;
    char last = name[length - 1];
    if (kind == COUNT_OF(NAMES) || (last != '2' && last != '4') || in->type_count != 3 ||
        in->operand_count < 4 || in->operands[0].component >= 0) {
        unsupported(d, "vmad, vset and selectors of video instructions are not simulated");
        return;
    }
    unsigned flags = type_flags(in) | (in_has(in, "add") ? ACCUMULATE : 0u);
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
