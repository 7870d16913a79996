// Video instructions: a 32-bit word as one lane, two (vadd2) or four (vadd4), whole or with its bytes and halves
// selected. Compilers write vabsdiff4; the others come by hand.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/decode.h"

__extension__ typedef __int128 wide;

enum video_kind {
    VIDEO_ADD,
    VIDEO_SUB,
    VIDEO_AVERAGE,
    VIDEO_DISTANCE,
    VIDEO_MIN,
    VIDEO_MAX,
    VIDEO_LEFT,
    VIDEO_RIGHT,
    VIDEO_SET,
    VIDEO_MULTIPLY,
};
enum video_flags {
    A_SIGNED = 1,
    B_SIGNED = 2,
    D_SIGNED = 4,
    SATURATE = 8,
    SECOND_ADD = 16, // the result and c: their sum, the smaller, the larger
    SECOND_MIN = 32,
    SECOND_MAX = 64,
    WRAP = 128,     // shifts: by the low five bits; else by at most 32
    PLUS_ONE = 256, // vmad, as all below
    MINUS_PRODUCT = 512,
    MINUS_ADDEND = 1024,
    SHIFT_7 = 2048,
    SHIFT_15 = 4096,
};
enum { COMPARES = 6, WORD_BITS = 32 };
enum { BYTE = 0xff, MORE_KIND = 8, MORE_COMPARE = 16 };

static int32_t part_of(uint32_t word, unsigned bits, unsigned i, bool is_signed)
{
    uint32_t raw = word >> i * bits & ((1u << bits) - 1);
    return is_signed ? (int32_t)(raw << (WORD_BITS - bits)) >> (WORD_BITS - bits) : (int32_t)raw;
}

static bool holds(unsigned compare, int64_t a, int64_t b)
{
    const bool results[COMPARES] = {a == b, a != b, a<b, a <= b, a> b, a >= b};
    return results[compare];
}

// PTX ISA: sources become numbers of 33 bits, and the result has 34 before it is saturated or cut.
static int64_t cut_to_34_bits(uint64_t x)
{
    enum { UNUSED = 64 - 34 };
    return (int64_t)(x << UNUSED) >> UNUSED;
}

static int64_t video_result(enum video_kind kind, int64_t a, int64_t b, unsigned compare,
                            unsigned flags)
{
    int64_t by = (flags & WRAP) != 0 ? b & (WORD_BITS - 1) : b > WORD_BITS ? WORD_BITS : b;
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
    case VIDEO_LEFT:
        return cut_to_34_bits((uint64_t)a << by);
    case VIDEO_RIGHT:
        return a >> by;
    case VIDEO_SET:
        return holds(compare, a, b);
    case VIDEO_MULTIPLY:
        break; // op_video_multiply
    }
    return 0;
}

static int64_t saturated(int64_t x, unsigned bits, unsigned flags)
{
    bool is_signed = (flags & D_SIGNED) != 0;
    int64_t high = ((int64_t)1 << (bits - is_signed)) - 1, low = is_signed ? -high - 1 : 0;
    if ((flags & SATURATE) == 0)
        return x;
    return x < low ? low : x > high ? high : x;
}

/* ---- two or four lanes -------------------------------------------------------------------------- */

// Selectors of lanes, in imm: three bits for each lane of a's side and of b's (from the lowest; numbers from
// 4 / 2 on are parts of b), then a bit for each lane of the result that is written.
enum { SELECT_BITS = 3, SELECT_B = 4 * SELECT_BITS, SELECT_RESULT = 8 * SELECT_BITS };

static int32_t lane_selected(uint32_t a, uint32_t b, unsigned bits, unsigned select, bool is_signed)
{
    unsigned parts = WORD_BITS / bits;
    select &= (1u << SELECT_BITS) - 1;
    return part_of(select < parts ? a : b, bits, select % parts, is_signed);
}

// imm: selectors, more: bits of a lane, enum video_kind, the comparison (a byte each), small: enum video_flags.
const struct uop *op_video(struct warp *w, const struct uop *u)
{
    unsigned bits = u->more & BYTE, flags = u->small;
    uint32_t lane_mask = (1u << bits) - 1;
    EACH_LANE(lane, guard_mask(w, u))
    {
        uint32_t a = row32(w, u->a)[lane], b = row32(w, u->b)[lane], c = row32(w, u->c)[lane];
        uint32_t merged = c, sum = c;
        for (unsigned i = 0; i < WORD_BITS / bits; i++) {
            if ((u->imm >> (SELECT_RESULT + i) & 1) == 0)
                continue;
            int64_t x = video_result(
                (enum video_kind)(u->more >> MORE_KIND & BYTE),
                lane_selected(a, b, bits, u->imm >> i * SELECT_BITS, (flags & A_SIGNED) != 0),
                lane_selected(a, b, bits, u->imm >> (SELECT_B + i * SELECT_BITS),
                              (flags & B_SIGNED) != 0),
                u->more >> MORE_COMPARE, flags);
            x = saturated(x, bits, flags);
            merged = (merged & ~(lane_mask << i * bits)) | ((uint32_t)x & lane_mask) << i * bits;
            sum += (uint32_t)x;
        }
        row32(w, u->d)[lane] = (flags & SECOND_ADD) != 0 ? sum : merged;
    }
    return u + 1;
}

/* ---- of one word -------------------------------------------------------------------------------- */

// Selectors in imm, three bits each, of a, b and the result: the word, one of its bytes, one of its halves.
enum { PART_WORD = 0, PART_BYTE = 1, PART_HALF = 5, PART_B = 3, PART_RESULT = 6, PART_MASK = 7 };

static unsigned select_bits(unsigned select)
{
    return select == PART_WORD ? WORD_BITS : select < PART_HALF ? 8 : 16;
}

static unsigned select_index(unsigned select)
{
    return select == PART_WORD ? 0 : select - (select < PART_HALF ? PART_BYTE : PART_HALF);
}

static int64_t word_selected(uint32_t word, unsigned select, bool is_signed)
{
    if (select == PART_WORD)
        return is_signed ? (int64_t)(int32_t)word : (int64_t)word;
    return part_of(word, select_bits(select), select_index(select), is_signed);
}

static uint32_t word_second(unsigned flags, uint32_t x, uint32_t c)
{
    bool less = (flags & D_SIGNED) != 0 ? (int32_t)x < (int32_t)c : x < c;
    if ((flags & SECOND_ADD) != 0)
        return x + c;
    if ((flags & SECOND_MIN) != 0)
        return less ? x : c;
    return (flags & SECOND_MAX) != 0 && less ? c : x;
}

// The selected part of c becomes x.
static uint32_t word_merged(unsigned select, uint32_t x, uint32_t c)
{
    unsigned bits = select_bits(select), at = select_index(select) * bits;
    if (select == PART_WORD)
        return x;
    uint32_t mask = ((1u << bits) - 1) << at;
    return (c & ~mask) | (x << at & mask);
}

// imm: selectors, more and small: as op_video's.
const struct uop *op_video_word(struct warp *w, const struct uop *u)
{
    unsigned flags = u->small, select = u->imm >> PART_RESULT & PART_MASK;
    EACH_LANE(lane, guard_mask(w, u))
    {
        int64_t a =
            word_selected(row32(w, u->a)[lane], u->imm & PART_MASK, (flags & A_SIGNED) != 0);
        int64_t b = word_selected(row32(w, u->b)[lane], u->imm >> PART_B & PART_MASK,
                                  (flags & B_SIGNED) != 0);
        uint32_t c = row32(w, u->c)[lane];
        int64_t x = video_result((enum video_kind)(u->more >> MORE_KIND & BYTE), a, b,
                                 u->more >> MORE_COMPARE, flags);
        x = saturated(x, select_bits(select), flags);
        row32(w, u->d)[lane] = word_merged(select, word_second(flags, (uint32_t)x, c), c);
    }
    return u + 1;
}

// imm: selectors, small: enum video_flags, D_SIGNED if anything is signed or negated. The negative product is
// its complement and one: the sum is exact before it is shifted and saturated.
const struct uop *op_video_multiply(struct warp *w, const struct uop *u)
{
    unsigned flags = u->small;
    bool is_signed = (flags & D_SIGNED) != 0;
    unsigned shift = (flags & SHIFT_7) != 0 ? 7 : (flags & SHIFT_15) != 0 ? 15 : 0;
    wide high = is_signed ? (wide)INT32_MAX : (wide)UINT32_MAX, low = is_signed ? INT32_MIN : 0;
    EACH_LANE(lane, guard_mask(w, u))
    {
        uint32_t addend = row32(w, u->c)[lane];
        wide product =
            (wide)word_selected(row32(w, u->a)[lane], u->imm & PART_MASK, (flags & A_SIGNED) != 0) *
            word_selected(row32(w, u->b)[lane], u->imm >> PART_B & PART_MASK,
                          (flags & B_SIGNED) != 0);
        if ((flags & MINUS_ADDEND) != 0)
            addend = ~addend;
        wide x = ((flags & MINUS_PRODUCT) != 0 ? ~product : product) +
                 (is_signed ? (wide)(int32_t)addend : (wide)addend) +
                 ((flags & (PLUS_ONE | MINUS_PRODUCT | MINUS_ADDEND)) != 0);
        x >>= shift;
        if ((flags & SATURATE) != 0)
            x = x < low ? low : x > high ? high : x;
        row32(w, u->d)[lane] = (uint32_t)(x & UINT32_MAX);
    }
    return u + 1;
}

/* ---- decoding ----------------------------------------------------------------------------------- */

static const struct video_form {
    enum ptx_opcode opcode;
    enum video_kind kind;
    unsigned bits; // of a lane
} FORMS[] = {
    {PTX_OP_VADD, VIDEO_ADD, 32},           {PTX_OP_VSUB, VIDEO_SUB, 32},
    {PTX_OP_VABSDIFF, VIDEO_DISTANCE, 32},  {PTX_OP_VMIN, VIDEO_MIN, 32},
    {PTX_OP_VMAX, VIDEO_MAX, 32},           {PTX_OP_VSHL, VIDEO_LEFT, 32},
    {PTX_OP_VSHR, VIDEO_RIGHT, 32},         {PTX_OP_VSET, VIDEO_SET, 32},
    {PTX_OP_VMAD, VIDEO_MULTIPLY, 32},      {PTX_OP_VADD2, VIDEO_ADD, 16},
    {PTX_OP_VSUB2, VIDEO_SUB, 16},          {PTX_OP_VAVRG2, VIDEO_AVERAGE, 16},
    {PTX_OP_VABSDIFF2, VIDEO_DISTANCE, 16}, {PTX_OP_VMIN2, VIDEO_MIN, 16},
    {PTX_OP_VMAX2, VIDEO_MAX, 16},          {PTX_OP_VSET2, VIDEO_SET, 16},
    {PTX_OP_VADD4, VIDEO_ADD, 8},           {PTX_OP_VSUB4, VIDEO_SUB, 8},
    {PTX_OP_VAVRG4, VIDEO_AVERAGE, 8},      {PTX_OP_VABSDIFF4, VIDEO_DISTANCE, 8},
    {PTX_OP_VMIN4, VIDEO_MIN, 8},           {PTX_OP_VMAX4, VIDEO_MAX, 8},
    {PTX_OP_VSET4, VIDEO_SET, 8},
};

// Which of eq, ne, lt … the instruction has; COMPARES if none.
static uint32_t compare_of(const struct ptx_instruction *in)
{
    static const char *const names[COMPARES] = {"eq", "ne", "lt", "le", "gt", "ge"};
    uint32_t i = 0;
    while (i < COMPARES && !in_has(in, names[i]))
        i++;
    return i;
}

// vset compares its result and c as a's type says (as an H200 does); vmad's is signed if anything in it is.
static unsigned flags_of(const struct ptx_instruction *in, enum video_kind kind)
{
    static const struct {
        const char *word;
        unsigned flag;
    } words[] = {
        {"sat", SATURATE}, {"add", SECOND_ADD}, {"min", SECOND_MIN}, {"max", SECOND_MAX},
        {"wrap", WRAP},    {"po", PLUS_ONE},    {"shr7", SHIFT_7},   {"shr15", SHIFT_15},
    };
    unsigned flags = 0;
    const enum ptx_type *sources = in->types + (kind != VIDEO_SET);
    flags |= sources[0] == PTX_TYPE_S32 ? A_SIGNED : 0u;
    flags |= sources[1] == PTX_TYPE_S32 ? B_SIGNED : 0u;
    for (size_t i = 0; i < COUNT_OF(words); i++)
        flags |= in_has(in, words[i].word) ? words[i].flag : 0u;
    if (kind == VIDEO_MULTIPLY) {
        flags |= in->operands[1].minus != in->operands[2].minus ? MINUS_PRODUCT : 0u;
        flags |= in->operands[3].minus ? MINUS_ADDEND : 0u;
        return flags |
               ((flags & (A_SIGNED | B_SIGNED | MINUS_PRODUCT | MINUS_ADDEND)) != 0 ? D_SIGNED
                                                                                    : 0u);
    }
    return flags | (in->types[0] == PTX_TYPE_S32 ? D_SIGNED : 0u);
}

static uint32_t part_selector(const struct ptx_operand *o)
{
    if (!o->selector)
        return PART_WORD;
    return (uint32_t)(o->selector[1] - '0') + (o->selector[0] == 'b' ? PART_BYTE : PART_HALF);
}

// "h32", "b7654": from the highest lane to the lowest; without one the lanes in order from `first`.
static uint32_t lane_selectors(const struct ptx_operand *o, unsigned lanes, uint32_t first)
{
    uint32_t select = 0;
    for (unsigned i = 0; i < lanes; i++) {
        uint32_t part = o->selector ? (uint32_t)(o->selector[lanes - i] - '0') : first + i;
        select |= part << i * SELECT_BITS;
    }
    return select;
}

static uint32_t lane_mask(const struct ptx_operand *o, unsigned lanes)
{
    uint32_t mask = 0;
    for (const char *s = o->selector ? o->selector + 1 : ""; *s; s++)
        mask |= 1u << (*s - '0');
    return o->selector ? mask : (1u << lanes) - 1;
}

static bool types_fit(const struct ptx_instruction *in, enum video_kind kind)
{
    bool shifts = kind == VIDEO_LEFT || kind == VIDEO_RIGHT;
    for (int i = 0; i < in->type_count; i++)
        if (in->types[i] != PTX_TYPE_U32 && in->types[i] != PTX_TYPE_S32)
            return false;
    return in->type_count == (kind == VIDEO_SET ? 2 : 3) &&
           !(shifts && in->types[2] != PTX_TYPE_U32);
}

void decode_video(struct decoder *d, const struct ptx_instruction *in)
{
    const struct video_form *form = FORMS;
    while (form->opcode != in->opcode)
        form++;
    unsigned lanes = WORD_BITS / form->bits;
    uint32_t compare = form->kind == VIDEO_SET ? compare_of(in) : 0;
    if (!types_fit(in, form->kind) || compare == COMPARES) {
        unsupported(d,
                    form->kind == VIDEO_SET
                        ? "video comparisons are of two types, .u32 or .s32, with eq ne lt le gt ge"
                        : "video instructions are of three types, .u32 or .s32; shifts by .u32");
        return;
    }
    uint32_t rows[3];
    for (int i = 0; i < 3; i++) // without c: a, which nothing reads
        rows[i] = source_row(d, &in->operands[1 + i < in->operand_count ? 1 + i : 1], WORD_BITS,
                             PTX_TYPE_U32);
    const struct ptx_operand *o = in->operands;
    struct uop *u = emit(d, lanes > 1                      ? op_video
                            : form->kind == VIDEO_MULTIPLY ? op_video_multiply
                                                           : op_video_word);
    u->d = result_row(d, &o[0]);
    u->a = rows[0], u->b = rows[1], u->c = rows[2];
    u->more = form->bits | form->kind << MORE_KIND | compare << MORE_COMPARE;
    u->small = (uint16_t)flags_of(in, form->kind);
    if (lanes > 1)
        u->imm = lane_selectors(&o[1], lanes, 0) | lane_selectors(&o[2], lanes, lanes) << SELECT_B |
                 lane_mask(&o[0], lanes) << SELECT_RESULT;
    else
        u->imm = part_selector(&o[1]) | part_selector(&o[2]) << PART_B |
                 part_selector(&o[0]) << PART_RESULT;
}
