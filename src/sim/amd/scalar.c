// Scalar instructions: what a wave does once. scalar.def says what each computes.
// SPDX-License-Identifier: Apache-2.0
#include "sim/amd/bits.h"
#include "sim/amd/check.h"

/* ---- operands ------------------------------------------------------------------------------------------ */

static uint64_t constant_value(unsigned code, enum amd_type type)
{
    static const float floats[] = {0.5F, -0.5F, 1, -1, 2, -2, 4, -4, 0.15915494309189532F};
    if (code <= OPERAND_SIXTY_FOUR)
        return code - OPERAND_ZERO;
    if (code <= 208)
        return (uint64_t)(192 - (int64_t)code);
    float value = floats[code - OPERAND_HALF];
    if (amd_type_words(type) == 2)
        return bits_f64(code == OPERAND_TURN ? 0.15915494309189532 : (double)value);
    return type == TYPE_F16 || type == TYPE_H16 || type == TYPE_U16 || type == TYPE_I16
               ? half_round(value)
               : bits_f32(value);
}

static uint64_t literal_value(uint32_t literal, enum amd_type type)
{
    return type == TYPE_F64   ? (uint64_t)literal << 32
           : type == TYPE_I64 ? (uint64_t)(int64_t)(int32_t)literal
                              : literal;
}

uint64_t amd_scalar_value(const struct wave *w, const struct amd_instruction *in, unsigned code,
                          enum amd_type type)
{
    if (code < OPERAND_ZERO)
        return amd_type_words(type) == 2 ? pair_of(w, code) : w->s[code];
    if (code <= 208 || (code >= OPERAND_HALF && code <= OPERAND_TURN))
        return constant_value(code, type);
    switch (code) {
    case OPERAND_LITERAL:
        return literal_value(in->literal, type);
    case OPERAND_VCCZ:
        return lane_mask(w, OPERAND_VCC) == 0;
    case OPERAND_EXECZ:
        return exec_of(w) == 0;
    case OPERAND_SCC:
        return w->scc;
    case OPERAND_SHARED_BASE:
        return (uint64_t)LDS_WINDOW << 32;
    case OPERAND_PRIVATE_BASE:
        return (uint64_t)SCRATCH_WINDOW << 32;
    case OPERAND_SHARED_LIMIT:
    case OPERAND_PRIVATE_LIMIT:
        return (uint64_t)(code == OPERAND_SHARED_LIMIT ? LDS_WINDOW : SCRATCH_WINDOW) << 32 |
               UINT32_MAX;
    default: // none that an instruction may name
        return 0;
    }
}

/* ---- registers of the hardware --------------------------------------------------------------------------- */

enum { REGISTER_MODE = 1, REGISTER_BASES = 15, REGISTER_CYCLES = 29 };

static uint32_t hardware_register(const struct wave *w, uint32_t which)
{
    unsigned id = which & 63, at = which >> 6 & 31, width = (which >> 11 & 31) + 1;
    // No time is modelled: instructions are counted.
    uint32_t value = id == REGISTER_BASES    ? LDS_WINDOW >> 16 << 16 | SCRATCH_WINDOW >> 16
                     : id == REGISTER_MODE   ? 0x2f0u // round to nearest, denormals kept, IEEE
                     : id == REGISTER_CYCLES ? (uint32_t)w->group->run->counts.instructions
                                             : 0;
    return (uint32_t)field_u64(value, at, width);
}

// Only the mode of rounding and denormals can be set, and only to what it is.
static void set_hardware_register(struct wave *w, uint32_t which, uint32_t value)
{
    unsigned width = (which >> 11 & 31) + 1;
    uint32_t mask = (uint32_t)field_u64(UINT32_MAX, 0, width);
    if ((which & 63) != REGISTER_MODE || ((hardware_register(w, which) ^ value) & mask) != 0)
        amd_violate(w, SIM_UNSUPPORTED, 0, 0,
                    "sets a mode of the hardware that is not simulated (s_setreg)");
}

/* ---- one function per instruction ------------------------------------------------------------------------ */

struct scalar_call {
    struct wave *wave;
    const struct amd_instruction *in;
    uint64_t a, b, own;
};

#define CTYPE_NONE int
#define CTYPE_U32 uint32_t
#define CTYPE_I32 int32_t
#define CTYPE_U64 uint64_t
#define CTYPE_I64 int64_t
#define CTYPE_LABEL uint32_t
#define CTYPE_WAITCNT uint32_t
#define CTYPE_INDEX uint32_t
#define CTYPE_HEX uint32_t
#define CTYPE_DELAY uint32_t
#define CTYPE_DEPENDENCY uint32_t
#define CTYPE_MESSAGE uint32_t

// exec first: where the result is exec itself, it is the result that stays.
#define S(ENCODING, OPCODE, NAME, D, A, B, ...)                                  \
    static void run_##NAME(const struct scalar_call *x)                          \
    {                                                                            \
        struct wave *const wave = x->wave;                                       \
        const CTYPE_##A a = (CTYPE_##A)x->a;                                     \
        const CTYPE_##B b = (CTYPE_##B)x->b;                                     \
        const uint64_t own = x->own, vcc = lane_mask(wave, OPERAND_VCC);         \
        const uint64_t to = wave->pc + (uint64_t)((int64_t)x->in->constant * 4); \
        uint64_t exec = exec_of(wave), pc = wave->pc;                            \
        CTYPE_##D d = 0;                                                         \
        bool scc = wave->scc, keep = false;                                      \
        (void)a, (void)b, (void)own, (void)vcc, (void)to;                        \
        __VA_ARGS__;                                                             \
        wave->scc = scc;                                                         \
        wave->pc = pc;                                                           \
        set_lane_mask(wave, OPERAND_EXEC, exec);                                 \
        if (TYPE_##D != TYPE_NONE && !keep) {                                    \
            wave->s[x->in->result] = (uint32_t)d;                                \
            if (sizeof d == 8)                                                   \
                wave->s[x->in->result + 1] = (uint32_t)((uint64_t)d >> 32);      \
        }                                                                        \
    }
#include "sim/amd/scalar.def"
#undef S

static void (*const functions[AMD_COUNT])(const struct scalar_call *) = {
#define S(ENCODING, OPCODE, NAME, ...) [AMD_##NAME] = run_##NAME,
#include "sim/amd/scalar.def"
#undef S
};

// A branch on exec diverges where the instructions before it took some of the lanes away, but not all.
static void count_divergence(struct wave *w, const struct amd_instruction *in, uint64_t before,
                             struct amd_run *run)
{
    uint64_t now = exec_of(w);
    if (now != before)
        w->parted = now != 0 && (now & ~before) == 0;
    if (in->id != AMD_s_cbranch_execz && in->id != AMD_s_cbranch_execnz)
        return;
    run->counts.divergent_branches += w->parted;
    run->site->divergent_branches += w->parted;
    w->parted = false;
}

void amd_run_scalar(struct wave *w, const struct amd_instruction *in)
{
    const struct amd_row *r = amd_row_of(in);
    if (amd_is_idle(in)) {
        if (amd_waits_for_stores(in))
            amd_check_order(w, true, false);
        w->group->run->counts.scalar++;
        return;
    }
    struct scalar_call x = {.wave = w, .in = in, .own = pair_of(w, in->result)};
    bool constant = r->encoding == ENCODING_SOPK || r->encoding == ENCODING_SOPP;
    if (r->encoding == ENCODING_SOPK)
        x.a = w->s[in->result];
    else if (r->a != TYPE_NONE)
        x.a = scalar_value(w, in, in->source[0], r->a);
    if (constant)
        x.b = (uint64_t)in->constant;
    else if (r->b == TYPE_INDEX)
        x.b = in->source[1] & 15;
    else if (r->b != TYPE_NONE)
        x.b = scalar_value(w, in, in->source[1], r->b);
    const uint64_t exec = exec_of(w);
    functions[in->id](&x);
    struct amd_run *run = w->group->run;
    run->counts.scalar++;
    if (constant || exec_of(w) != exec)
        count_divergence(w, in, exec, run);
    if (!constant)
        return;
    run->counts.branches += r->b == TYPE_LABEL;
    run->site->branches += r->b == TYPE_LABEL;
    if (in->id == AMD_s_barrier) {
        run->counts.barriers++;
        run->site->barriers++;
        amd_check_barrier(w);
    }
    if (amd_waits_for_stores(in))
        amd_check_order(w, true, false);
}
