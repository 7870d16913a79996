// Vector instructions: operands of 64 lanes fetched with all that their encoding does to them (signs, parts of
// registers, other lanes), one function per row of vector.def, the result put back in the active lanes.
// Compiled once for each instruction set (Makefile, ISAS): the rows are loops over 32 lanes that the compiler turns into vector
// code. Every build gives the same bits: correctly rounded operations, no contraction.
// SPDX-License-Identifier: Apache-2.0
#include "sim/alu/alu.h"
#include "sim/amd/bits.h"
#include "sim/amd/module.h"
#include "sim/amd/stretch.h"
#include "sim/paste.h"

#include <stdlib.h>

struct vector_call {
    _Alignas(64) uint32_t room[3][2][WAVE_LANES]; // of sources that are no registers as they are
    uint32_t result_low[WAVE_LANES], result_high[WAVE_LANES];
    struct vector_rows rows; // results: result_low and result_high, or registers
};

// lanes: those that are computed, 32 or 64.
static void call_init(struct vector_call *x, unsigned lanes)
{
    x->rows = (struct vector_rows){.lanes = lanes};
    for (int i = 0; i < 3; i++) {
        x->rows.low[i] = x->room[i][0];
        x->rows.high[i] = x->room[i][1];
    }
    x->rows.to_low = x->result_low;
    x->rows.to_high = x->result_high;
}

/* ---- lanes as values --------------------------------------------------------------------------------------- */

#define CTYPE_NONE int
#define CTYPE_U32 uint32_t
#define CTYPE_I32 int32_t
#define CTYPE_F32 float
#define CTYPE_U16 uint32_t
#define CTYPE_I16 int32_t
#define CTYPE_F16 float
#define CTYPE_H16 uint32_t
#define CTYPE_U64 uint64_t
#define CTYPE_I64 int64_t
#define CTYPE_F64 double
#define CTYPE_ACC uint32_t

#define GET_NONE(i) 0
#define GET_U32(i) low##i[l]
#define GET_ACC GET_U32
#define GET_I32(i) (int32_t) low##i[l]
#define GET_F32(i) f32_bits(low##i[l])
#define GET_U16(i) (low##i[l] & 0xffff)
#define GET_H16 GET_U16
#define GET_I16(i) (int16_t)(low##i[l] & 0xffff)
#define GET_F16(i) half_value(low##i[l] & 0xffff)
#define GET_U64(i) (low##i[l] | (uint64_t)high##i[l] << 32)
#define GET_I64(i) (int64_t) GET_U64(i)
#define GET_F64(i) f64_bits(GET_U64(i))

#define PUT_NONE(v) 0
#define PUT_U32(v) (v)
#define PUT_ACC(v) (v)
#define PUT_I32(v) (uint32_t)(v)
#define PUT_F32(v) bits_f32(v)
#define PUT_U16(v) ((v)&0xffff)
#define PUT_I16(v) ((uint32_t)(v)&0xffff)
#define PUT_F16(v) half_round(v)
#define PUT_U64(v) (v)
#define PUT_I64(v) (uint64_t)(v)
#define PUT_F64(v) bits_f64(v)

#define HAS_CARRY(FORM) (FORM_##FORM == FORM_WRITES || FORM_##FORM == FORM_BOTH)

// d may be a source's register: EACH_LANE. carries: false where nobody reads the carry of one that has it.
#define V(ENCODING, OPCODE, NAME, FORM, D, A, B, C, ...)                                          \
    static inline                                                                                 \
        __attribute__((always_inline)) void all_##NAME(struct vector_rows *x, const bool carries) \
    {                                                                                             \
        const bool masks = (HAS_CARRY(FORM) && carries) || FORM_##FORM == FORM_SCALE ||           \
                           FORM_##FORM == FORM_COMPARES || FORM_##FORM == FORM_COMPARES_EXEC;     \
        uint64_t outs = 0;                                                                        \
        const unsigned half = x->half;                                                            \
        (void)half;                                                                               \
        for (unsigned first = 0; first < x->lanes; first += LANES) {                              \
            const uint32_t *low0 = x->low[0] + first, *high0 = x->high[0] + first;                \
            const uint32_t *low1 = x->low[1] + first, *high1 = x->high[1] + first;                \
            const uint32_t *low2 = x->low[2] + first, *high2 = x->high[2] + first;                \
            uint32_t *to_low = x->to_low + first, *to_high = x->to_high + first;                  \
            const uint32_t ins = (uint32_t)(x->in >> first);                                      \
            int32_t flags[LANES];                                                                 \
            (void)low0, (void)low1, (void)low2, (void)high0, (void)high1, (void)high2;            \
            (void)to_low, (void)to_high, (void)ins, (void)flags;                                  \
            EACH_LANE(l)                                                                          \
            {                                                                                     \
                const CTYPE_##A a = GET_##A(0);                                                   \
                const CTYPE_##B b = GET_##B(1);                                                   \
                const CTYPE_##C c = GET_##C(2);                                                   \
                const int lane = (int)(first + l);                                                \
                const bool in = ins >> l & 1;                                                     \
                CTYPE_##D d = 0;                                                                  \
                bool out = false;                                                                 \
                (void)a, (void)b, (void)c, (void)d, (void)in, (void)lane;                         \
                __VA_ARGS__;                                                                      \
                const uint64_t value = PUT_##D(d);                                                \
                if (TYPE_##D != TYPE_NONE)                                                        \
                    to_low[l] = (uint32_t)value;                                                  \
                if (TYPE_##D == TYPE_U64 || TYPE_##D == TYPE_I64 || TYPE_##D == TYPE_F64)         \
                    to_high[l] = (uint32_t)(value >> 32);                                         \
                if (masks)                                                                        \
                    flags[l] = out ? -1 : 0;                                                      \
            }                                                                                     \
            if (masks)                                                                            \
                outs |= (uint64_t)mask_of(flags) << first;                                        \
        }                                                                                         \
        x->out = outs;                                                                            \
    }                                                                                             \
    static void run_##NAME(struct vector_rows *x)                                                 \
    {                                                                                             \
        all_##NAME(x, true);                                                                      \
    }                                                                                             \
    static inline void quiet_##NAME(struct vector_rows *x)                                        \
    {                                                                                             \
        all_##NAME(x, false);                                                                     \
    }
#include "sim/amd/vector.def"
#undef V

static void (*const functions[AMD_COUNT])(struct vector_rows *) = {
#define V(ENCODING, OPCODE, NAME, ...) [AMD_##NAME] = run_##NAME,
#include "sim/amd/vector.def"
#undef V
};
// Without the carry; NULL: it has none.
static void (*const quiet_functions[AMD_COUNT])(struct vector_rows *) = {
#define V(ENCODING, OPCODE, NAME, FORM, ...) [AMD_##NAME] = HAS_CARRY(FORM) ? quiet_##NAME : NULL,
#include "sim/amd/vector.def"
#undef V
};

/* ---- sources ------------------------------------------------------------------------------------------------ */

static uint32_t sign_of(enum amd_type type)
{
    return type == TYPE_F16 || type == TYPE_H16 ? 0x8000u : 0x80000000u;
}

static void own_room(struct vector_call *x, int i, unsigned words)
{
    if (x->rows.low[i] != x->room[i][0])
        memcpy(x->room[i][0], x->rows.low[i], sizeof x->room[i][0]);
    if (words == 2 && x->rows.high[i] != x->room[i][1])
        memcpy(x->room[i][1], x->rows.high[i], sizeof x->room[i][1]);
    x->rows.low[i] = x->room[i][0];
    x->rows.high[i] = x->room[i][1];
}

// Absolute value, then sign, in the word that holds the sign.
static void apply_signs(struct vector_call *x, int i, enum amd_type type, bool absolute,
                        bool negate)
{
    unsigned words = amd_type_words(type);
    own_room(x, i, words);
    uint32_t sign = sign_of(type), *row = x->room[i][words - 1];
    for (int lane = 0; lane < WAVE_LANES; lane++) {
        row[lane] = absolute ? row[lane] & ~sign : row[lane];
        row[lane] ^= negate ? sign : 0;
    }
}

static void fetch_scalar(const struct wave *w, const struct amd_instruction *in,
                         struct vector_call *x, int i, enum amd_type type)
{
    unsigned code = in->source[i];
    uint64_t value = scalar_value(w, in, code, type);
    for (int lane = 0; lane < WAVE_LANES; lane++)
        x->room[i][0][lane] = (uint32_t)value;
    for (int lane = 0; lane < WAVE_LANES && amd_type_words(type) == 2; lane++)
        x->room[i][1][lane] = (uint32_t)(value >> 32);
    x->rows.low[i] = x->room[i][0];
    x->rows.high[i] = x->room[i][1];
}

static inline void fetch(const struct wave *w, const struct amd_instruction *in,
                         struct vector_call *x, int i, enum amd_type type)
{
    unsigned code = in->source[i];
    if (code < OPERAND_VGPR) {
        fetch_scalar(w, in, x, i, type);
        return;
    }
    unsigned n = code - OPERAND_VGPR + (type == TYPE_ACC ? FIRST_ACC : 0);
    x->rows.low[i] = w->v[n];
    x->rows.high[i] = w->v[n + (amd_type_words(type) == 2)];
}

static void take_part(struct vector_call *x, int i, unsigned part, bool extend)
{
    if (part >= PART_ALL)
        return;
    unsigned bits = part < PART_WORD0 ? 8 : 16,
             shift = part < PART_WORD0 ? 8 * part : 16 * (part - PART_WORD0);
    own_room(x, i, 1);
    for (int lane = 0; lane < WAVE_LANES; lane++) {
        uint32_t v = x->room[i][0][lane] >> shift & ((1u << bits) - 1);
        x->room[i][0][lane] = extend ? (uint32_t)((int32_t)(v << (32 - bits)) >> (32 - bits)) : v;
    }
}

// The lane that DPP takes the first source from; -1: outside of the row or the wave.
static int dpp_lane(const struct amd_instruction *in, int lane)
{
    unsigned control = in->dpp_control;
    if (in->dpp8)
        return (lane & ~7) | (int)(in->lanes8 >> (3 * (lane & 7)) & 7);
    int row = lane & ~15, in_row = lane & 15, by = (int)(control & 15), from;
    if (control < 0x100)
        return (lane & ~3) | (int)(control >> (2 * (lane & 3)) & 3);
    switch (control & 0x1f0) {
    case 0x100:
        from = in_row + by;
        return from < 16 ? row + from : -1;
    case 0x110:
        from = in_row - by;
        return from >= 0 ? row + from : -1;
    case 0x120:
        return row + ((in_row - by) & 15);
    case 0x130: // of the whole wave: shl 0, rol 4, shr 8, ror 12
        from = by < 8 ? lane + 1 : lane - 1;
        return by == 0 || by == 8 ? (from >= 0 && from < WAVE_LANES ? from : -1) : from & 63;
    case 0x140:
        return control == 0x140   ? row + 15 - in_row
               : control == 0x141 ? (lane & ~7) + 7 - (lane & 7)
               : control == 0x142 ? (lane < 16 ? -1 : row - 1) // the row before: its last lane
                                  : (lane < 32 ? -1 : 31);
    case 0x150:
        return row + by;
    case 0x160: // row_xmask, of gfx11
        return row + (in_row ^ by);
    default:
        return -1;
    }
}

// Moves the first source between lanes; returns the lanes that may be written.
static uint64_t apply_dpp(const struct wave *w, const struct amd_instruction *in,
                          struct vector_call *x)
{
    uint64_t exec = exec_of(w), written = 0;
    uint32_t moved[WAVE_LANES];
    for (int lane = 0; lane < WAVE_LANES; lane++) {
        int from = dpp_lane(in, lane);
        bool there = from >= 0 && (in->fetch_inactive || (exec >> from & 1));
        bool enabled = (in->row_mask >> (lane / 16) & 1) && (in->bank_mask >> (lane % 16 / 4) & 1);
        moved[lane] = there ? x->rows.low[0][from] : 0;
        if (in->dpp8 || (enabled && (there || in->bound_zero)))
            written |= UINT64_C(1) << lane;
    }
    memcpy(x->room[0][0], moved, sizeof moved);
    x->rows.low[0] = x->room[0][0];
    return written;
}

/* ---- results ------------------------------------------------------------------------------------------------- */

static bool is_float(enum amd_type t)
{
    return t == TYPE_F16 || t == TYPE_F32 || t == TYPE_F64;
}

static bool is_half(enum amd_type t)
{
    return t == TYPE_F16 || t == TYPE_U16 || t == TYPE_I16 || t == TYPE_H16;
}

static double scaled(double v, const struct amd_instruction *in)
{
    static const double factors[] = {1, 2, 4, 0.5};
    v *= factors[in->scale];
    return in->clamp ? (v > 0 ? (v < 1 ? v : 1) : 0) : v;
}

static void apply_scale(const struct amd_instruction *in, enum amd_type type, struct vector_call *x)
{
    for (int lane = 0; lane < WAVE_LANES; lane++) {
        uint32_t *low = &x->result_low[lane], *high = &x->result_high[lane];
        if (type == TYPE_F32) {
            *low = bits_f32((float)scaled((double)f32_bits(*low), in));
        } else if (type == TYPE_F16) {
            *low = half_round((float)scaled((double)half_value(*low), in));
        } else {
            uint64_t v = bits_f64(scaled(f64_bits(*low | (uint64_t)*high << 32), in));
            *low = (uint32_t)v;
            *high = (uint32_t)(v >> 32);
        }
    }
}

static void put_part(const struct amd_instruction *in, const uint32_t *old, struct vector_call *x)
{
    unsigned part = in->part_result;
    if (part >= PART_ALL)
        return;
    unsigned bits = part < PART_WORD0 ? 8 : 16,
             shift = part < PART_WORD0 ? 8 * part : 16 * (part - PART_WORD0);
    uint32_t mask = ((1u << bits) - 1) << shift;
    for (int lane = 0; lane < WAVE_LANES; lane++) {
        uint32_t v = x->result_low[lane] << shift & mask;
        bool minus = v >> (shift + bits - 1) & 1;
        uint32_t rest = in->unused == 2            ? old[lane] & ~mask
                        : in->unused == 1 && minus ? ~((mask >> shift << shift) | (mask - 1))
                                                   : 0;
        x->result_low[lane] = v | rest;
    }
}

static void write_lanes(uint32_t *to, const uint32_t *from, uint64_t mask)
{
    if (mask == UINT64_MAX) {
        memcpy(to, from, sizeof(uint32_t) * WAVE_LANES);
        return;
    }
    for (unsigned first = 0; first < WAVE_LANES; first += LANES) {
        const uint32_t lanes = (uint32_t)(mask >> first);
        EACH_LANE(l)
        {
            to[first + l] = lanes >> l & 1 ? from[first + l] : to[first + l];
        }
    }
}

/* ---- the forms ------------------------------------------------------------------------------------------------- */

static void run_scalar_result(struct wave *w, const struct amd_instruction *in)
{
    const struct amd_row *r = amd_row_of(in);
    uint64_t exec = exec_of(w);
    unsigned lane = r->b == TYPE_NONE ? (exec != 0 ? (unsigned)__builtin_ctzll(exec) : 0)
                                      : (unsigned)amd_scalar_value(w, in, in->source[1], TYPE_U32) &
                                            (lanes_of(w) - 1);
    w->s[in->result] = in->source[0] >= OPERAND_VGPR
                           ? w->v[in->source[0] - OPERAND_VGPR][lane]
                           : (uint32_t)amd_scalar_value(w, in, in->source[0], TYPE_U32);
}

static void run_one_lane(struct wave *w, const struct amd_instruction *in)
{
    unsigned lane = (unsigned)amd_scalar_value(w, in, in->source[1], TYPE_U32) & (lanes_of(w) - 1);
    w->v[in->result][lane] = (uint32_t)amd_scalar_value(w, in, in->source[0], TYPE_U32);
}

// A source's half: of a pair of registers, or of a register.
static void fetch_half(const struct wave *w, const struct amd_instruction *in,
                       struct vector_call *x, int i, enum amd_type type, bool high)
{
    bool pairs = amd_row_of(in)->form == FORM_PAIRS;
    unsigned code = in->source[i];
    if (pairs && code >= OPERAND_VGPR) {
        x->rows.low[i] = w->v[code - OPERAND_VGPR + high];
        return;
    }
    bool scalar_pair = pairs && code < OPERAND_ZERO;
    fetch(w, in, x, i, pairs ? TYPE_F32 : type);
    own_room(x, i, 1);
    for (int lane = 0; lane < WAVE_LANES; lane++)
        x->room[i][0][lane] = scalar_pair      ? w->s[code + high]
                              : !pairs && high ? x->room[i][0][lane] >> 16
                                               : x->room[i][0][lane];
}

static void run_twice(struct wave *w, const struct amd_instruction *in)
{
    const struct amd_row *r = amd_row_of(in);
    const enum amd_type types[] = {r->a, r->b, r->c};
    uint32_t results[2][WAVE_LANES];
    for (unsigned half = 0; half < 2; half++) {
        struct vector_call x;
        call_init(&x, WAVE_LANES);
        x.rows.half = half;
        unsigned select = half == 0 || in->id == AMD_v_pk_mov_b32 ? in->select : in->select_high;
        unsigned negate = half == 0 ? in->negate : in->negate_high;
        for (int i = 0; i < 3; i++) {
            if (types[i] == TYPE_NONE)
                continue;
            fetch_half(w, in, &x, i, types[i], select >> i & 1);
            if (negate >> i & 1)
                apply_signs(&x, i, types[i], false, true);
        }
        functions[in->id](&x.rows);
        if (in->clamp && is_float(r->d))
            apply_scale(in, r->d, &x);
        memcpy(results[half], x.result_low, sizeof results[half]);
    }
    uint64_t exec = exec_of(w);
    if (r->form == FORM_PAIRS) {
        write_lanes(w->v[in->result], results[0], exec);
        write_lanes(w->v[in->result + 1], results[1], exec);
        return;
    }
    for (int lane = 0; lane < WAVE_LANES; lane++)
        results[0][lane] = (results[0][lane] & 0xffff) | results[1][lane] << 16;
    write_lanes(w->v[in->result], results[0], exec);
}

// op_sel of VOP3: which halves 16-bit operands are.
static void select_halves(const struct amd_instruction *in, const struct amd_row *r,
                          struct vector_call *x)
{
    const enum amd_type types[] = {r->a, r->b, r->c};
    for (int i = 0; i < 3; i++)
        if (types[i] != TYPE_NONE && (in->select >> i & 1))
            take_part(x, i, PART_WORD1, false);
}

static uint64_t fetch_all(struct wave *w, const struct amd_instruction *in, struct vector_call *x)
{
    const struct amd_row *r = amd_row_of(in);
    const enum amd_type types[] = {r->a, r->b, r->c};
    uint64_t lanes = exec_of(w);
    for (int i = 0; i < 3; i++) {
        if (types[i] == TYPE_NONE)
            continue;
        if (r->form == FORM_ADDS && i == 2) {
            x->rows.low[i] = w->v[in->result];
            x->rows.high[i] = w->v[in->result + (amd_type_words(types[i]) == 2)];
            continue;
        }
        fetch(w, in, x, i, types[i]);
        if (in->dpp && i == 0)
            lanes &= apply_dpp(w, in, x);
        if (in->sdwa && i < 2)
            take_part(x, i, in->part[i], in->extend >> i & 1);
    }
    if (in->encoding == ENCODING_VOP3 && in->select != 0)
        select_halves(in, r, x);
    for (int i = 0; i < 3; i++)
        if (types[i] != TYPE_NONE && ((in->absolute | in->negate) >> i & 1))
            apply_signs(x, i, types[i], in->absolute >> i & 1, in->negate >> i & 1);
    return lanes;
}

// Integer sums and differences that stay within their type; false: another instruction.
static bool saturate(enum amd_id id, struct vector_call *x)
{
    bool swapped = id == AMD_v_subrev_u32 || id == AMD_v_subrev_u16,
         signed_sum = id == AMD_v_add_i32 || id == AMD_v_add_i16,
         signed_difference = id == AMD_v_sub_i32 || id == AMD_v_sub_i16,
         adds = signed_sum || id == AMD_v_add_u32 || id == AMD_v_add_u16,
         subtracts = swapped || signed_difference || id == AMD_v_sub_u32 || id == AMD_v_sub_u16,
         is_signed = signed_sum || signed_difference, half = amd_rows[id].d == TYPE_U16;
    unsigned bits = half ? 16 : 32;
    int64_t least = is_signed ? -(INT64_C(1) << (bits - 1)) : 0,
            most = (INT64_C(1) << (is_signed ? bits - 1 : bits)) - 1;
    if (!adds && !subtracts)
        return false;
    for (int lane = 0; lane < WAVE_LANES; lane++) {
        uint64_t mask = (UINT64_C(1) << bits) - 1;
        int64_t a = (int64_t)(x->rows.low[0][lane] & mask),
                b = (int64_t)(x->rows.low[1][lane] & mask);
        if (is_signed) {
            a = a > most ? a - (int64_t)mask - 1 : a;
            b = b > most ? b - (int64_t)mask - 1 : b;
        }
        int64_t sum = adds ? a + b : swapped ? b - a : a - b;
        sum = sum < least ? least : sum > most ? most : sum;
        x->result_low[lane] = (uint32_t)((uint64_t)sum & mask);
    }
    return true;
}

static void write_result(struct wave *w, const struct amd_instruction *in, struct vector_call *x,
                         uint64_t lanes)
{
    const struct amd_row *r = amd_row_of(in);
    uint32_t *to = w->v[in->result + (r->d == TYPE_ACC ? FIRST_ACC : 0)];
    if ((in->clamp || in->scale) && is_float(r->d))
        apply_scale(in, r->d, x);
    else if (in->clamp && !saturate(in->id, x))
        amd_violate(w, SIM_UNSUPPORTED, 0, 0,
                    "saturates integers (clamp), which is not simulated of this instruction");
    if (in->sdwa)
        put_part(in, to, x);
    if (in->encoding == ENCODING_VOP3 && (in->select & 8))
        for (int lane = 0; lane < WAVE_LANES; lane++)
            x->result_low[lane] = (to[lane] & 0xffff) | x->result_low[lane] << 16;
    else if (in->arch == ARCH_GFX1100 && is_half(r->d)) // gfx9 clears the upper half
        for (int lane = 0; lane < WAVE_LANES; lane++)
            x->result_low[lane] = (to[lane] & 0xffff0000) | (x->result_low[lane] & 0xffff);
    write_lanes(to, x->result_low, lanes);
    if (amd_type_words(r->d) == 2)
        write_lanes(w->v[in->result + 1], x->result_high, lanes);
}

// A mask may be a constant too.
static uint64_t read_mask(const struct wave *w, const struct amd_instruction *in, unsigned code)
{
    return code < OPERAND_ZERO ? lane_mask(w, code) : amd_scalar_value(w, in, code, TYPE_U64);
}

static uint64_t read_masks(const struct wave *w, const struct amd_instruction *in)
{
    const struct amd_row *r = amd_row_of(in);
    return r->form == FORM_READS || r->form == FORM_BOTH ? read_mask(w, in, in->source[2])
           : r->form == FORM_VCC                         ? lane_mask(w, OPERAND_VCC)
                                                         : 0;
}

// What the instruction gives to each lane, nothing of it written; returns the lanes that it may write.
static uint64_t compute(struct wave *w, const struct amd_instruction *in, struct vector_call *x)
{
    call_init(x, WAVE_LANES);
    x->rows.in = read_masks(w, in);
    uint64_t lanes = fetch_all(w, in, x);
    functions[in->id](&x->rows);
    return lanes;
}

static uint64_t all_lanes(const struct wave *w)
{
    return w->narrow ? UINT32_MAX : UINT64_MAX;
}

// Writes the masks of the lanes that an instruction names.
static void write_masks(struct wave *w, const struct amd_instruction *in, uint64_t mask)
{
    enum vector_form form = amd_row_of(in)->form;
    if (form == FORM_WRITES || form == FORM_BOTH || form == FORM_SCALE || form == FORM_COMPARES ||
        form == FORM_COMPARES_EXEC)
        set_lane_mask(w, in->mask_result, mask);
    if (form == FORM_COMPARES_EXEC)
        set_lane_mask(w, OPERAND_EXEC, mask);
}

static void fill(uint32_t row[LANES], uint32_t value)
{
    EACH_LANE(l)
    {
        row[l] = value;
    }
}

static void fill_lanes(uint32_t row[WAVE_LANES], uint32_t value, unsigned lanes)
{
    fill(row, value);
    if (lanes > LANES)
        fill(row + LANES, value);
}

static void clear_rows(uint32_t (*v)[WAVE_LANES], unsigned count, unsigned lanes)
{
    for (unsigned i = 0; i < count; i++)
        fill_lanes(v[i], 0, lanes);
}

static inline void plan_value(const struct wave *w, const struct amd_plan_source *s,
                              struct vector_call *x, unsigned i)
{
    const uint64_t value = s->kind == PLAN_CONSTANT ? s->value
                           : s->two                 ? pair_of(w, s->at)
                                                    : w->s[s->at];
    fill_lanes(x->room[i][0], (uint32_t)value, x->rows.lanes);
    if (s->two)
        fill_lanes(x->room[i][1], (uint32_t)(value >> 32), x->rows.lanes);
    x->rows.low[i] = x->room[i][0];
    x->rows.high[i] = x->room[i][1];
}

// The results of one that does more than write one register with all lanes on.
static void plan_results(struct wave *w, const struct amd_plan *p, struct vector_call *x,
                         uint64_t exec)
{
    const bool direct = exec == all_lanes(w);
    x->rows.in = p->reads_mask ? lane_mask(w, p->mask) : 0;
    x->rows.to_low = direct && p->writes ? w->v[p->to] : x->result_low;
    x->rows.to_high = direct && p->two ? w->v[p->to + 1] : x->result_high;
    functions[p->id](&x->rows);
    if (!direct && p->writes)
        write_lanes(w->v[p->to], x->result_low, exec);
    if (!direct && p->two)
        write_lanes(w->v[p->to + 1], x->result_high, exec);
    if (p->writes_mask)
        set_lane_mask(w, p->mask_result, x->rows.out & exec);
    if (p->writes_exec)
        set_lane_mask(w, OPERAND_EXEC, x->rows.out & exec);
}

// Operands and results as they are; with all lanes on the result goes straight to its registers.
static inline void run_plan(struct wave *w, const struct amd_plan *p, struct vector_call *x,
                            uint64_t exec, bool all)
{
    for (unsigned i = 0; i < p->sources; i++) {
        const struct amd_plan_source *s = &p->source[i];
        if (s->kind != PLAN_ROW) {
            plan_value(w, s, x, i);
            continue;
        }
        x->rows.low[i] = w->v[s->at];
        x->rows.high[i] = w->v[s->at + s->two];
    }
    if (!p->simple || !all) {
        plan_results(w, p, x, exec);
        return;
    }
    x->rows.to_low = w->v[p->to];
    functions[p->id](&x->rows);
}

static inline void count_plans(struct amd_run *run, const struct amd_instruction *in,
                               uint64_t lanes)
{
    for (unsigned i = 0; i < in->plans; i++)
        if (in->plan[i].counts)
            amd_count_arithmetic(run, (enum amd_id)in->plan[i].id, lanes);
}

static inline void run_plans(struct wave *w, const struct amd_instruction *in,
                             struct vector_call *x, uint64_t exec, bool all)
{
    run_plan(w, &in->plan[0], x, exec, all);
    if (in->plans > 1) // the first of two leaves exec as it is
        run_plan(w, &in->plan[1], x, exec, all);
}

/* ---- stretches ------------------------------------------------------------------------------------------------- */

static void op_make(struct amd_stretch *t, const struct amd_plan *p)
{
    struct amd_op *op = &t->op[t->ops++];
    const bool quiet = p->writes_mask && p->mask_result == OPERAND_NULL && quiet_functions[p->id];
    *op = (struct amd_op){.run = quiet ? quiet_functions[p->id] : functions[p->id],
                          .to = p->to,
                          .mask = p->mask,
                          .mask_result = p->mask_result,
                          .sources = p->sources,
                          .writes = p->writes,
                          .two = p->two,
                          .reads_mask = p->reads_mask,
                          .writes_mask = p->writes_mask && !quiet,
                          .writes_exec = p->writes_exec};
    for (unsigned i = 0; i < p->sources; i++) {
        const struct amd_plan_source *s = &p->source[i];
        op->source[i] =
            (struct amd_op_source){.at = s->at, .scalar = s->kind == PLAN_SCALAR, .two = s->two};
        op->scalars |= s->kind == PLAN_SCALAR;
        if (s->kind == PLAN_ROW)
            continue;
        uint32_t(*room)[WAVE_LANES] = t->room[t->rooms++];
        fill_lanes(room[0], (uint32_t)s->value, WAVE_LANES);
        fill_lanes(room[1], (uint32_t)(s->value >> 32), WAVE_LANES);
        op->source[i].rows = room[0];
    }
    op->plain = !op->scalars && !op->reads_mask && !op->writes_mask && !op->writes_exec;
}

static bool changes_exec(const struct amd_plan *p)
{
    const bool named =
        p->writes_mask && p->mask_result + 1 >= OPERAND_EXEC && p->mask_result <= OPERAND_EXEC + 1;
    return named || p->writes_exec;
}

// From the instruction at pc on, which has plans or only takes time: to the next that has neither, or that changes exec.
static struct amd_stretch *stretch_make(const struct amd_run *run, uint64_t pc)
{
    struct amd_stretch *t = xcalloc(1, sizeof *t);
    const char *why;
    bool goes_on = true;
    t->op = xcalloc(STRETCH_OPS, sizeof *t->op);
    t->room = amd_lines_new((size_t)3 * STRETCH_OPS, sizeof *t->room);
    t->bound = xcalloc(run->waves, sizeof *t->bound);
    while (goes_on && t->ops + 2 <= STRETCH_OPS) {
        const struct amd_instruction *in = amd_instruction_at(run->module, pc, &why);
        if (!in || (in->plans == 0 && !amd_is_idle(in)))
            break;
        for (unsigned i = 0; i < in->plans; i++) {
            op_make(t, &in->plan[i]);
            goes_on &= !changes_exec(&in->plan[i]);
        }
        t->idle += in->plans == 0;
        t->count++;
        t->words += in->size_bytes / 4;
        pc += in->size_bytes;
    }
    return t;
}

static struct amd_bound *bind(const struct wave *w, const struct amd_stretch *t)
{
    struct amd_bound *b = t->bound[w->index];
    if (!b)
        b = t->bound[w->index] = amd_lines_new(1, sizeof *b + t->ops * sizeof *b->rows);
    b->v = w->v;
    for (unsigned i = 0; i < t->ops; i++) {
        const struct amd_op *op = &t->op[i];
        struct vector_rows *to = &b->rows[i];
        *to = (struct vector_rows){
            .to_low = w->v[op->to], .to_high = w->v[op->to + op->two], .lanes = lanes_of(w)};
        for (unsigned k = 0; k < op->sources; k++) {
            const struct amd_op_source *s = &op->source[k];
            to->low[k] = s->rows ? s->rows : w->v[s->at];
            to->high[k] = s->rows ? s->rows + WAVE_LANES : w->v[s->at + s->two];
        }
    }
    return b;
}

static void op_scalars(const struct wave *w, const struct amd_op *op)
{
    for (unsigned i = 0; i < op->sources; i++) {
        const struct amd_op_source *s = &op->source[i];
        if (!s->scalar)
            continue;
        fill_lanes(s->rows, w->s[s->at], lanes_of(w));
        if (s->two)
            fill_lanes(s->rows + WAVE_LANES, w->s[s->at + 1], lanes_of(w));
    }
}

// One that is not plain.
static void run_op(struct wave *w, const struct amd_op *op, struct vector_rows *x, uint64_t exec)
{
    if (op->scalars)
        op_scalars(w, op);
    if (op->reads_mask)
        x->in = lane_mask(w, op->mask);
    op->run(x);
    if (op->writes_mask)
        set_lane_mask(w, op->mask_result, x->out & exec);
    if (op->writes_exec)
        set_lane_mask(w, OPERAND_EXEC, x->out & exec);
}

// With all lanes on the results go straight to their registers.
static void run_ops(struct wave *w, const struct amd_stretch *t, uint64_t exec)
{
    struct amd_bound *b = t->bound[w->index];
    if (!b || b->v != w->v)
        b = bind(w, t);
    for (unsigned i = 0; i < t->ops; i++)
        if (t->op[i].plain)
            t->op[i].run(&b->rows[i]);
        else
            run_op(w, &t->op[i], &b->rows[i], exec);
}

static void run_ops_in_part(struct wave *w, const struct amd_stretch *t, struct vector_call *x,
                            uint64_t exec)
{
    struct amd_bound *b = t->bound[w->index];
    if (!b || b->v != w->v)
        b = bind(w, t);
    for (unsigned i = 0; i < t->ops; i++) {
        const struct amd_op *op = &t->op[i];
        struct vector_rows rows = b->rows[i];
        rows.to_low = x->result_low;
        rows.to_high = x->result_high;
        run_op(w, op, &rows, exec);
        if (op->writes)
            write_lanes(w->v[op->to], x->result_low, exec);
        if (op->two)
            write_lanes(w->v[op->to + 1], x->result_high, exec);
    }
}

// Where a wave is in the code, and what it has run that is not yet counted.
struct straight {
    const struct amd_instruction *in;
    const uint8_t *decoded;
    struct amd_site *site;
    uint64_t pc, exec, lanes; // lanes: that exec has on
    bool all;
};

static inline void straight_exec(const struct wave *w, struct straight *s)
{
    const uint64_t exec = exec_of(w);
    if (exec == s->exec)
        return;
    s->exec = exec;
    s->all = exec == all_lanes(w);
    s->lanes = (uint64_t)__builtin_popcountll(exec);
}

// false: it is not in the code.
static inline bool straight_at(const struct wave *w, struct straight *s)
{
    const struct amd_run *run = w->group->run;
    const struct amd_module *m = run->module;
    const uint64_t offset = w->pc - m->address - m->object.code_start;
    if (offset >= m->object.code_bytes || offset % 4 != 0)
        return false;
    s->pc = w->pc;
    s->in = &m->instructions[offset / 4];
    s->decoded = &m->decoded[offset / 4];
    s->site = &run->sites[offset / 4];
    return true;
}

static inline void straight_go(struct straight *s, unsigned words)
{
    s->pc += (uint64_t)words * 4;
    s->in += words;
    s->decoded += words;
    s->site += words;
}

// Returns how many instructions it has; 0: more than that.
static inline unsigned run_stretch(struct wave *w, struct straight *s, struct vector_call *x,
                                   unsigned most)
{
    struct amd_run *run = w->group->run;
    struct amd_stretch **at = &run->stretches[s->site - run->sites];
    if (!*at)
        *at = stretch_make(run, s->pc);
    struct amd_stretch *t = *at;
    if (t->count > most)
        return 0;
    if (s->all)
        run_ops(w, t, s->exec);
    else
        run_ops_in_part(w, t, x, s->exec);
    struct amd_counts *const c = &run->counts;
    const unsigned vector = t->count - t->idle;
    t->times++;
    t->lanes += s->lanes;
    c->instructions += t->count;
    c->scalar += t->idle;
    c->vector += vector;
    c->vector_lanes += vector * s->lanes;
    straight_go(s, t->words);
    straight_exec(w, s);
    return t->count;
}

// One that is done reports nothing and changes neither exec nor where the wave is. false: nothing is done.
static inline bool run_request(struct wave *w, const struct straight *s)
{
    struct amd_run *run = w->group->run;
    run->site = s->site;
    return (*run->functions.request)(w, s->in);
}

// A scalar instruction, or one of memory, which may look at any part of the wave. false: the wave goes on elsewhere, or not.
static bool run_other(struct wave *w, struct straight *s)
{
    struct amd_run *run = w->group->run;
    w->at = s->pc;
    w->pc = s->pc + s->in->size_bytes;
    run->site = s->site;
    if (*s->decoded == DECODED_SCALAR)
        amd_run_scalar(w, s->in);
    else
        amd_run_memory(w, s->in);
    return w->state == WAVE_RUNS && !w->stopped && w->pc == s->pc + s->in->size_bytes;
}

// One by one, as there is room for; a stretch at once where there is.
static unsigned run_straight(struct wave *w, unsigned most)
{
    struct amd_run *run = w->group->run;
    struct amd_counts *const c = &run->counts;
    struct vector_call x;
    struct straight s = {.exec = 0};
    unsigned count = 0;
    call_init(&x, lanes_of(w));
    straight_exec(w, &s);
    if (!straight_at(w, &s))
        return 0;
    while (count < most && *s.decoded >= DECODED_STRAIGHT) {
        const unsigned decoded = *s.decoded,
                       ran = decoded <= DECODED_IDLE ? run_stretch(w, &s, &x, most - count) : 0;
        count += ran;
        if (ran > 0)
            continue;
        s.site->instructions++;
        s.site->lanes += s.lanes;
        c->instructions++;
        count++;
        if (decoded == DECODED_REQUEST && run_request(w, &s)) {
            straight_go(&s, s.in->size_bytes / 4);
            continue;
        }
        if (decoded == DECODED_STRAIGHT) {
            run->site = s.site;
            c->vector++;
            c->vector_lanes += s.lanes;
            count_plans(run, s.in, s.lanes);
            run_plans(w, s.in, &x, s.exec, s.all);
        } else if (decoded == DECODED_IDLE) {
            c->scalar++;
        } else if (!run_other(w, &s)) {
            if (w->state != WAVE_RUNS || w->stopped || !straight_at(w, &s))
                return count;
            straight_exec(w, &s);
            continue;
        }
        straight_exec(w, &s);
        straight_go(&s, s.in->size_bytes / 4);
    }
    w->pc = s.pc;
    return count;
}

static void run_lanes(struct wave *w, const struct amd_instruction *in)
{
    const struct amd_row *r = amd_row_of(in);
    struct vector_call x;
    uint64_t lanes = compute(w, in, &x);
    if (r->d != TYPE_NONE)
        write_result(w, in, &x, lanes);
    write_masks(w, in, x.rows.out & lanes);
}

// Both read before either writes.
static void run_dual(struct wave *w, const struct amd_instruction *in)
{
    struct vector_call x, y;
    struct amd_instruction second = *in;
    second.id = in->second.id;
    second.result = in->second.result;
    memcpy(second.source, in->second.source, sizeof second.source);
    uint64_t lanes = compute(w, in, &x);
    (void)compute(w, &second, &y);
    write_result(w, in, &x, lanes);
    write_result(w, &second, &y, lanes);
}

static void run_swap(struct wave *w, const struct amd_instruction *in)
{
    uint32_t *a = w->v[in->result], *b = w->v[in->source[0] - OPERAND_VGPR], old[WAVE_LANES];
    memcpy(old, a, sizeof old);
    write_lanes(a, b, exec_of(w));
    write_lanes(b, old, exec_of(w));
}

// Four bits per lane of a row say which of the row's lanes (v_permlanex16: of the row beside it) is read. As DPP has it,
// op_sel's bits: lanes that are not active are read too; where they are not, they count as zero, and else nothing is written.
static void run_permute(struct wave *w, const struct amd_instruction *in)
{
    uint64_t exec = exec_of(w), written = exec,
             choice = (uint32_t)amd_scalar_value(w, in, in->source[1], TYPE_U32) |
                      amd_scalar_value(w, in, in->source[2], TYPE_U32) << 32;
    bool all = in->select & 1, zero = in->select & 2;
    unsigned beside = in->id == AMD_v_permlanex16_b32 ? 16 : 0;
    struct vector_call x;
    fetch(w, in, &x, 0, TYPE_U32);
    for (unsigned lane = 0; lane < lanes_of(w); lane++) {
        unsigned from = ((lane & ~15u) ^ beside) + (choice >> (4 * (lane & 15)) & 15);
        bool there = all || (exec >> from & 1);
        x.result_low[lane] = there ? x.rows.low[0][from] : 0;
        if (!there && !zero)
            written &= ~(UINT64_C(1) << lane);
    }
    write_lanes(w->v[in->result], x.result_low, written);
}

static void run_dot(struct wave *w, const struct amd_instruction *in)
{
    const struct amd_row *r = amd_row_of(in);
    const enum amd_type types[] = {r->a, r->b, r->c};
    struct vector_call x;
    call_init(&x, WAVE_LANES);
    x.rows.half = in->negate;
    for (int i = 0; i < 3; i++)
        fetch(w, in, &x, i, types[i]);
    functions[in->id](&x.rows);
    write_result(w, in, &x, exec_of(w));
}

// v_fma_mix: op_sel_hi says which sources are halves, op_sel which half; neg_hi takes away signs.
static void run_mixed(struct wave *w, const struct amd_instruction *in)
{
    struct vector_call x;
    call_init(&x, WAVE_LANES);
    uint32_t *to = w->v[in->result];
    for (int i = 0; i < 3; i++) {
        bool half = in->select_high >> i & 1, upper = in->select >> i & 1;
        fetch(w, in, &x, i, half ? TYPE_F16 : TYPE_F32);
        own_room(&x, i, 1);
        for (int lane = 0; lane < WAVE_LANES && half; lane++) {
            uint32_t v = x.room[i][0][lane];
            x.room[i][0][lane] = bits_f32(half_value((upper ? v >> 16 : v) & 0xffff));
        }
        apply_signs(&x, i, TYPE_F32, in->negate_high >> i & 1, in->negate >> i & 1);
    }
    functions[in->id](&x.rows);
    if (in->clamp)
        apply_scale(in, TYPE_F32, &x);
    for (int lane = 0; lane < WAVE_LANES && in->id != AMD_v_fma_mix_f32; lane++) {
        uint32_t half = half_round(f32_bits(x.result_low[lane]));
        x.result_low[lane] = in->id == AMD_v_fma_mixhi_f16 ? (to[lane] & 0xffff) | half << 16
                                                           : (to[lane] & 0xffff0000) | half;
    }
    write_lanes(to, x.result_low, exec_of(w));
}

// v_movrels, v_movreld: M0 is added to the number of a register; numbers beyond the last are taken as the last.
static void run_moved(struct wave *w, const struct amd_instruction *in)
{
    enum { VGPR_LAST = 255 };
    struct amd_instruction moved = *in;
    bool from = amd_row_of(in)->form == FORM_FROM_INDEXED;
    unsigned number = from ? in->source[0] - (unsigned)OPERAND_VGPR : in->result;
    uint64_t sum = (uint64_t)number + w->s[OPERAND_M0];
    number = sum < VGPR_LAST ? (unsigned)sum : VGPR_LAST;
    if (from && in->source[0] >= OPERAND_VGPR)
        moved.source[0] = (uint16_t)(OPERAND_VGPR + number);
    else if (!from)
        moved.result = (uint16_t)number;
    run_lanes(w, &moved);
}

// Registers are numbers plus M0's low byte, where s_set_gpr_idx_on says so.
static struct amd_instruction with_index(const struct wave *w, const struct amd_instruction *in)
{
    struct amd_instruction out = *in;
    enum { VGPR_LAST = 255 };
    unsigned by = w->s[OPERAND_M0] & 0xff;
    for (int i = 0; i < 3; i++)
        if ((w->indexed >> i & 1) && in->source[i] >= OPERAND_VGPR) {
            unsigned n = in->source[i] - OPERAND_VGPR + by;
            out.source[i] = (uint16_t)(OPERAND_VGPR + (n < VGPR_LAST ? n : VGPR_LAST));
        }
    if (w->indexed >> 3 & 1)
        out.result = (uint16_t)(in->result + by < VGPR_LAST ? in->result + by : VGPR_LAST);
    return out;
}

static void run_vector(struct wave *w, const struct amd_instruction *in)
{
    struct amd_instruction indexed;
    if (w->indexed != 0 && amd_row_of(in)->form != FORM_MATRIX) {
        indexed = with_index(w, in);
        in = &indexed;
    }
    struct amd_counts *c = &w->group->run->counts;
    uint64_t lanes = lanes_on(w);
    c->vector++;
    c->vector_lanes += lanes;
    if (in->plans > 0 && in != &indexed) {
        struct vector_call x;
        call_init(&x, lanes_of(w));
        count_plans(w->group->run, in, lanes);
        const uint64_t exec = exec_of(w);
        run_plans(w, in, &x, exec, exec == all_lanes(w));
        return;
    }
    if (is_float(amd_row_of(in)->d))
        amd_count_arithmetic(w->group->run, in->id, lanes);
    if (in->encoding == ENCODING_VOPD) {
        amd_count_arithmetic(w->group->run, in->second.id, lanes);
        run_dual(w, in);
        return;
    }
    switch (amd_row_of(in)->form) {
    case FORM_SCALAR:
        run_scalar_result(w, in);
        break;
    case FORM_LANE:
        run_one_lane(w, in);
        break;
    case FORM_PAIRS:
    case FORM_HALVES:
        run_twice(w, in);
        break;
    case FORM_MATRIX:
        amd_run_matrix(w, in);
        break;
    case FORM_WMMA:
        amd_run_wmma(w, in);
        break;
    case FORM_MIXED:
        run_mixed(w, in);
        break;
    case FORM_SWAP:
        run_swap(w, in);
        break;
    case FORM_PERMUTES:
        run_permute(w, in);
        break;
    case FORM_DOT:
        run_dot(w, in);
        break;
    case FORM_FROM_INDEXED:
    case FORM_TO_INDEXED:
        run_moved(w, in);
        break;
    case FORM_CONSTANT:
    case FORM_PLAIN:
    case FORM_READS:
    case FORM_WRITES:
    case FORM_BOTH:
    case FORM_ADDS:
    case FORM_VCC:
    case FORM_SCALE:
    case FORM_COMPARES:
    case FORM_COMPARES_EXEC:
        run_lanes(w, in);
        break;
    }
}

extern const amd_vector_function PASTE(amd_run_vector_, SIM_ISA);
const amd_vector_function PASTE(amd_run_vector_, SIM_ISA) = run_vector;
extern const amd_straight_function PASTE(amd_run_straight_, SIM_ISA);
const amd_straight_function PASTE(amd_run_straight_, SIM_ISA) = run_straight;
extern const amd_clear_function PASTE(amd_clear_, SIM_ISA);
const amd_clear_function PASTE(amd_clear_, SIM_ISA) = clear_rows;
