// From PTX to what the machine would issue, for the model of time: which pipe an instruction takes and how
// many machine instructions it becomes (lower.def), and which vanish: moves become operands, mul.wide and the
// addition after it one IMAD.WIDE, a shift and an addition LEA, two additions IADD3, two bit operations LOP3, a
// float product and the addition after it FFMA, two neighbouring constants one ULDC. What vanishes hands its
// operands' times on to its reader. The counts that depend on this are modelled.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/lower_code.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum kind { KIND_ANY, KIND_INT, KIND_UNSIGNED, KIND_SIGNED, KIND_FLOAT, KIND_PAIR };
enum form {
    FORM_ANY,
    FORM_ROUNDED,
    FORM_FULL,
    FORM_FTZ,
    FORM_HIGH,
    FORM_WIDE,
    FORM_CARRY,
    FORM_HIGH_CARRY,
    FORM_CONSTANT,
    FORM_ROUNDED_CONSTANT
};
struct lowering {
    enum ptx_opcode opcode;
    enum kind kind;
    int bits;
    enum form form;
    enum timing_pipe pipe;
    uint8_t slots, special, other, chain, operation;
};
static const struct lowering LOWERINGS[] = {
#define LOWER(opcode, kind, bits, form, pipe, slots, special, other, chain, operation) \
    {PTX_OP_##opcode, KIND_##kind, bits,  FORM_##form, PIPE_##pipe,                    \
     slots,           special,     other, chain,       OPERATION_##operation},
#include "sim/decode/lower.def"
#undef LOWER
};

static enum ptx_type type_of(const struct ptx_instruction *in)
{
    return in->type_count > 0 ? in->types[in->opcode == PTX_OP_SET ? in->type_count - 1 : 0]
                              : PTX_TYPE_B32;
}

static bool is_float(enum ptx_type type)
{
    return ptx_type_kind(type) == PTX_KIND_FLOAT;
}

static bool kind_fits(enum kind kind, enum ptx_type type)
{
    switch (kind) {
    case KIND_ANY:
        return true;
    case KIND_INT:
        return !is_float(type);
    case KIND_UNSIGNED:
        return !is_float(type) && ptx_type_kind(type) != PTX_KIND_SIGNED;
    case KIND_SIGNED:
        return ptx_type_kind(type) == PTX_KIND_SIGNED;
    case KIND_FLOAT:
        return is_float(type);
    case KIND_PAIR:
        return ptx_type_kind(type) == PTX_KIND_PACKED;
    }
    return false;
}

// Is the second operand (a divisor, how far to shift) known when ptxas runs: written there, or moved into a register that keeps it?
static bool operand_known(const struct decoder *d, const struct ptx_instruction *in)
{
    const struct ptx_operand *op = in->operand_count > 2 ? &in->operands[2] : NULL;
    for (int moves = 0; op && op->kind == PTX_OPERAND_REGISTER && moves < 4; moves++) {
        const struct ptx_instruction *from = op->reg >= 0 && d->constant_reg[op->reg]
                                                 ? &d->f->instructions[d->definition[op->reg]]
                                                 : NULL;
        op = from != NULL && from->opcode == PTX_OP_MOV ? &from->operands[1] : NULL;
    }
    return op != NULL && op->kind == PTX_OPERAND_IMMEDIATE;
}

static bool is_rounded(const struct ptx_instruction *in)
{
    return ptx_has_modifier(in, PTX_MOD_RN) || ptx_has_modifier(in, PTX_MOD_RZ) ||
           ptx_has_modifier(in, PTX_MOD_RM) || ptx_has_modifier(in, PTX_MOD_RP);
}

static bool form_fits(const struct decoder *d, const struct ptx_instruction *in, enum form form)
{
    switch (form) {
    case FORM_ANY:
        return true;
    case FORM_ROUNDED:
        return is_rounded(in);
    case FORM_FULL:
        return ptx_has_modifier(in, PTX_MOD_FULL);
    case FORM_FTZ:
        return ptx_has_modifier(in, PTX_MOD_FTZ);
    case FORM_HIGH:
        return ptx_has_modifier(in, PTX_MOD_HI);
    case FORM_WIDE:
        return ptx_has_modifier(in, PTX_MOD_WIDE);
    case FORM_CARRY:
        return ptx_has_modifier(in, PTX_MOD_CC);
    case FORM_HIGH_CARRY:
        return ptx_has_modifier(in, PTX_MOD_HI) && ptx_has_modifier(in, PTX_MOD_CC);
    case FORM_CONSTANT:
        return operand_known(d, in);
    case FORM_ROUNDED_CONSTANT:
        return form_fits(d, in, FORM_ROUNDED) && operand_known(d, in);
    }
    return false;
}

static const struct lowering *lowering_of(const struct decoder *d, const struct ptx_instruction *in)
{
    enum ptx_type type = type_of(in);
    for (size_t i = 0; i < COUNT_OF(LOWERINGS); i++) {
        const struct lowering *l = &LOWERINGS[i];
        if (l->opcode == in->opcode && (l->bits == 0 || l->bits == ptx_type_bits(type)) &&
            kind_fits(l->kind, type) && form_fits(d, in, l->form))
            return l;
    }
    return NULL;
}

static enum timing_pipe float_pipe(enum ptx_type type)
{
    if (type == PTX_TYPE_F64)
        return PIPE_F64;
    return type == PTX_TYPE_F32 || type == PTX_TYPE_TF32 ? PIPE_F32 : PIPE_F16;
}

static bool rounds_to_integer(const struct ptx_instruction *in)
{
    return ptx_has_modifier(in, PTX_MOD_RNI) || ptx_has_modifier(in, PTX_MOD_RZI) ||
           ptx_has_modifier(in, PTX_MOD_RMI) || ptx_has_modifier(in, PTX_MOD_RPI);
}

// Between integers a conversion is a move or a byte permutation; with floats it is the converter's (F2I, I2F, FRND), but that whole
// words become f32 by the pipes of f32 (I2FP).
static void lower_convert(const struct ptx_instruction *in, struct timing_site *t)
{
    enum ptx_type to = in->type_count > 0 ? in->types[0] : PTX_TYPE_B32;
    enum ptx_type from = in->type_count > 1 ? in->types[1] : to;
    if (to == PTX_TYPE_TF32) { // FSETP, and an addition under its predicate
        t->pipe = PIPE_INTEGER;
        t->other_slots = 1;
        t->chain = 2;
        t->last_guarded = true;
        return;
    }
    if (is_float(to) || is_float(from)) {
        bool wide = ptx_type_bits(to) == 64 || ptx_type_bits(from) == 64;
        bool halves = is_float(to) && is_float(from) && !rounds_to_integer(in); // HADD2.F32, F2FP
        bool words = to == PTX_TYPE_F32 && !is_float(from) && ptx_type_bits(from) == 32;
        t->pipe = wide ? PIPE_SPECIAL : halves ? PIPE_F16 : words ? PIPE_F32 : PIPE_CONVERT;
        return;
    }
    bool sign = ptx_type_kind(from) == PTX_KIND_SIGNED && ptx_type_bits(to) > ptx_type_bits(from);
    t->pipe = sign ? PIPE_INTEGER : PIPE_NONE;
}

// Combined predicates: ISETP takes one as an operand.
static bool is_of_predicates(const struct ptx_instruction *in)
{
    return (in->opcode == PTX_OP_AND || in->opcode == PTX_OP_OR || in->opcode == PTX_OP_XOR ||
            in->opcode == PTX_OP_NOT) &&
           type_of(in) == PTX_TYPE_PRED;
}

// 64 bits are two registers: which of them a shift or a mask by a known number leaves something to do for. 2 of others.
static int halves_changed(const struct ptx_instruction *in)
{
    const struct ptx_operand *by = in->operand_count > 2 ? &in->operands[2] : NULL;
    if (by == NULL || by->kind != PTX_OPERAND_IMMEDIATE || ptx_type_bits(type_of(in)) != 64)
        return 2;
    if (in->opcode == PTX_OP_SHL || in->opcode == PTX_OP_SHR)
        return by->bits == 32 && ptx_type_kind(type_of(in)) != PTX_KIND_SIGNED ? 0
               : by->bits >= 32                                                ? 1
                                                                               : 2;
    uint32_t high = (uint32_t)(by->bits >> 32), low = (uint32_t)by->bits;
    if (in->opcode == PTX_OP_AND)
        return (high != 0 && high != UINT32_MAX) + (low != 0 && low != UINT32_MAX);
    return 2;
}

static void lower_one(const struct decoder *d, const struct ptx_instruction *in,
                      struct timing_site *t)
{
    enum ptx_class class = ptx_opcode_class(in->opcode);
    if (class == PTX_CLASS_CONVERT) {
        lower_convert(in, t);
        return;
    }
    if ((class != PTX_CLASS_INTEGER && class != PTX_CLASS_FLOAT && class != PTX_CLASS_SPECIAL) ||
        in->opcode == PTX_OP_MOV)
        return;
    const struct lowering *l = lowering_of(d, in);
    enum ptx_type type = type_of(in);
    int halves = halves_changed(in);
    if (is_of_predicates(in) || halves == 0) {
        t->pipe = PIPE_NONE;
    } else if (halves == 1) {
        t->pipe = PIPE_INTEGER;
    } else if (l != NULL) {
        t->pipe = l->pipe;
        t->issue_slots = l->slots;
        t->special_slots = l->special;
        t->other_slots = l->other;
        t->chain = l->chain;
        t->operation = l->operation;
    } else if (is_float(type) && class != PTX_CLASS_SPECIAL) {
        t->pipe = float_pipe(type);
    }
}

void lower_alone(const struct decoder *d, const struct ptx_instruction *in, struct timing_site *t)
{
    lower_one(d, in, t);
}

// f32 rounds its quotients and roots exactly too, by a shorter sequence that has a way to a routine as well.
static const struct counterpart {
    enum timed_operation of_f64, of_f32;
    enum routine routine;
} counterparts[] = {{OPERATION_div_f64, OPERATION_div_rn_f32, ROUTINE_DIV_F32},
                    {OPERATION_rcp_f64, OPERATION_rcp_rn_f32, ROUTINE_NONE},
                    {OPERATION_sqrt_f64, OPERATION_sqrt_rn_f32, ROUTINE_SQRT_F32}};

bool lower_to_f32(struct timing_site *t)
{
    for (size_t k = 0; k < COUNT_OF(counterparts); k++)
        for (size_t i = 0; t->operation == counterparts[k].of_f64 && i < COUNT_OF(LOWERINGS); i++) {
            const struct lowering *l = &LOWERINGS[i];
            if (l->operation != counterparts[k].of_f32)
                continue;
            t->pipe = l->pipe;
            t->issue_slots = l->slots;
            t->special_slots = l->special;
            t->other_slots = l->other;
            t->chain = l->chain;
            t->operation = l->operation;
            if (t->routine != ROUTINE_NONE)
                t->routine = (uint8_t)counterparts[k].routine;
            return true;
        }
    return false;
}

/* ---- constants ------------------------------------------------------------------------------------ */

static bool loads_constant(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OP_LD && in->space_count > 0 && in->spaces[0] == PTX_SPACE_CONST &&
           in->operand_count > 1;
}

// Two words by one ULDC.64, if they are the halves of one place.
static bool same_place(const struct ptx_instruction *a, const struct ptx_instruction *b)
{
    const struct ptx_operand *x = &a->operands[1], *y = &b->operands[1];
    return x->reg == y->reg && x->variable == y->variable && x->offset >> 3 == y->offset >> 3;
}

// Is there a load before this one in its block that brings it along?
static bool comes_along(const struct decoder *d, int instruction)
{
    const struct ptx_function *f = d->f;
    const struct ptx_instruction *in = &f->instructions[instruction];
    const struct timing_site *t = &d->program->timing[d->out->site_base];
    int first = f->block_of[instruction] >= 0 ? f->blocks[f->block_of[instruction]].first : 0;
    int base = in->operands[1].reg;
    for (int i = instruction - 1; i >= first; i--) {
        for (int k = 0; k < t[i].result_count && base >= 0; k++)
            if (t[i].result[k] == d->out->register_base + base)
                return false;
        if (t[i].pipe == PIPE_UNIFORM && same_place(&f->instructions[i], in))
            return true;
    }
    return false;
}

// A constant at an address that no thread number reaches comes into a uniform register, by ULDC beside the load/store
// unit, and from there as an operand. Where lanes may be apart, and for vectors in a loop, ptxas has LDC.
static void constants_lower(const struct decoder *d)
{
    bool *differs = NULL;
    for (int i = 0; i < d->f->instruction_count; i++) {
        const struct ptx_instruction *in = &d->f->instructions[i];
        struct timing_site *t = &d->program->timing[d->out->site_base + i];
        if (t->pipe != PIPE_CONST || !loads_constant(in))
            continue;
        int base = in->operands[1].reg;
        if (base >= 0 && differs == NULL)
            differs = registers_differing(d, false);
        bool scalar = in->operands[0].kind == PTX_OPERAND_REGISTER;
        if (base < 0 || (scalar && !differs[base])) {
            t->pipe = comes_along(d, i) ? PIPE_NONE : PIPE_UNIFORM;
            t->constant = t->pipe == PIPE_UNIFORM;
        }
    }
    free(differs);
}

/* ---- what vanishes -------------------------------------------------------------------------------- */

struct fold {
    const struct ptx_function *f;
    struct timing_site *sites;
    int *uses;             // of a register: how many instructions read it
    int *sums;             // and how many of those are additions of 64 bits, without a guard
    int *left;             // and how many of all are still machine instructions
    bool *tested;          // of an instruction: its result's comparison with zero comes along
    int *by;               // the instruction that wrote it last, in this block; -1
    const int *definition; // the only one that writes it; -1
    int base;
};

static bool is_bitwise(enum ptx_opcode op)
{
    return op == PTX_OP_AND || op == PTX_OP_OR || op == PTX_OP_XOR || op == PTX_OP_NOT;
}

static bool shifts_unsigned(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OP_SHR && ptx_type_bits(type_of(in)) == 32 &&
           ptx_type_kind(type_of(in)) != PTX_KIND_SIGNED &&
           in->operands[2].kind == PTX_OPERAND_IMMEDIATE;
}

// Does the instruction at `from` merge into its reader `in`?
static bool merges(const struct ptx_instruction *from, const struct ptx_instruction *in)
{
    if (from->guard >= 0 || in->guard >= 0)
        return false;
    if (is_float(type_of(in))) // FFMA, DFMA: ptxas contracts where no rounding is asked for
        return from->opcode == PTX_OP_MUL &&
               (in->opcode == PTX_OP_ADD || in->opcode == PTX_OP_SUB) &&
               type_of(from) == type_of(in) && !is_rounded(from) && !is_rounded(in);
    bool whole = !is_float(type_of(from));
    int bits = ptx_type_bits(type_of(in));
    if (!whole)
        return false;
    if (in->opcode == PTX_OP_ADD && from->opcode == PTX_OP_MUL)
        return ptx_type_bits(type_of(from)) * (ptx_has_modifier(from, PTX_MOD_WIDE) ? 2 : 1) ==
                   bits &&
               !ptx_has_modifier(from, PTX_MOD_HI);
    if (shifts_unsigned(from) && bits == 32 && // LEA.HI, SHF
        (in->opcode == PTX_OP_ADD || in->opcode == PTX_OP_OR))
        return true;
    if (in->opcode == PTX_OP_ADD && from->opcode == PTX_OP_SHL) // LEA
        return ptx_type_bits(type_of(from)) == bits &&
               from->operands[2].kind == PTX_OPERAND_IMMEDIATE;
    if ((in->opcode == PTX_OP_ADD || in->opcode == PTX_OP_SUB) && from->opcode == PTX_OP_ADD)
        return bits == 32 && ptx_type_bits(type_of(from)) == 32;
    return is_bitwise(in->opcode) && is_bitwise(from->opcode) && bits == 32;
}

// The mul.wide that makes this register, if nothing reads it but additions: each of them is an IMAD.WIDE of its own.
static int product_of_all(const struct fold *x, int reg)
{
    int from = x->definition[reg];
    return from >= 0 && x->uses[reg] == x->sums[reg] &&
                   x->f->instructions[from].opcode == PTX_OP_MUL &&
                   ptx_has_modifier(&x->f->instructions[from], PTX_MOD_WIDE)
               ? from
               : -1;
}

static bool is_number(const struct ptx_operand *op, uint64_t value)
{
    return op->kind == PTX_OPERAND_IMMEDIATE && op->bits == value;
}

// A bit operation's result compared with zero: LOP3 has a predicate as its second result.
static void zero_test_fold(struct fold *x, int i)
{
    const struct ptx_instruction *in = &x->f->instructions[i];
    bool test = in->opcode == PTX_OP_SETP && in->operand_count == 3 && in->guard < 0 &&
                (ptx_has_modifier(in, PTX_MOD_EQ) || ptx_has_modifier(in, PTX_MOD_NE)) &&
                in->operands[1].kind == PTX_OPERAND_REGISTER && in->operands[1].reg >= 0 &&
                is_number(&in->operands[2], 0);
    int from = test ? x->by[in->operands[1].reg] : -1;
    if (from < 0 || x->sites[from].pipe != PIPE_INTEGER || x->tested[from] ||
        !is_bitwise(x->f->instructions[from].opcode) || x->f->instructions[from].guard >= 0 ||
        ptx_type_bits(type_of(&x->f->instructions[from])) != 32)
        return;
    x->tested[from] = true;
    x->sites[i].pipe = PIPE_NONE;
}

static void fold_into(struct fold *x, int i)
{
    const struct ptx_instruction *in = &x->f->instructions[i];
    struct timing_site *t = &x->sites[i];
    if (!in->writes_first)
        return;
    for (int k = 1; k < in->operand_count; k++) {
        int reg = in->operands[k].kind == PTX_OPERAND_REGISTER ? in->operands[k].reg : -1;
        int from = reg < 0 ? -1 : x->uses[reg] == 1 ? x->by[reg] : product_of_all(x, reg);
        if (from < 0 || !merges(&x->f->instructions[from], in) || x->sites[from].folds)
            continue;
        const struct ptx_instruction *made = &x->f->instructions[from];
        x->sites[from].pipe = PIPE_NONE;
        if (made->opcode == PTX_OP_MUL && !is_float(type_of(in))) {
            bool whole = ptx_type_bits(type_of(made)) ==
                         64; // IMAD.WIDE, two IMAD, IADD3: mul.lo and add are one
            bool wide = ptx_has_modifier(made, PTX_MOD_WIDE);
            t->pipe = wide ? PIPE_MULTIPLY_WIDE : PIPE_MULTIPLY;
            t->issue_slots = whole ? 3 : 1;
            t->other_slots = whole;
        }
        if (t->pipe == PIPE_ADD) // IADD3 of three, LEA: no other pipe has them
            t->pipe = PIPE_INTEGER;
        t->folds = true; // three operands: no room for another
        return;
    }
}

static void count_uses(struct fold *x)
{
    for (int i = 0; i < x->f->instruction_count; i++) {
        const struct timing_site *t = &x->sites[i];
        const struct ptx_instruction *in = &x->f->instructions[i];
        bool sum = in->opcode == PTX_OP_ADD && in->guard < 0 && ptx_type_bits(type_of(in)) == 64 &&
                   !is_float(type_of(in));
        for (int k = 0; k < t->source_count; k++) {
            x->uses[t->source[k] - x->base]++;
            x->sums[t->source[k] - x->base] += sum;
        }
    }
}

/* ---- two that are one ------------------------------------------------------------------------------ */

// The number that an operand is known to be, written there or moved into a register that keeps it. NULL: it is not known.
static const struct ptx_operand *known_operand(const struct decoder *d,
                                               const struct ptx_operand *op)
{
    for (int moves = 0; op->kind == PTX_OPERAND_REGISTER && moves < 4; moves++) {
        int from = op->reg >= 0 ? d->definition[op->reg] : -1;
        if (from < 0 || d->f->instructions[from].opcode != PTX_OP_MOV)
            return NULL;
        op = &d->f->instructions[from].operands[1];
    }
    return op->kind == PTX_OPERAND_IMMEDIATE ? op : NULL;
}

static bool known_number(const struct decoder *d, const struct ptx_operand *op, uint32_t *value)
{
    const struct ptx_operand *number = known_operand(d, op);
    *value = number != NULL ? (uint32_t)number->bits : 0;
    return number != NULL;
}

static bool same_operand(const struct decoder *d, const struct ptx_operand *a,
                         const struct ptx_operand *b)
{
    uint32_t x, y;
    if (a->kind == PTX_OPERAND_REGISTER && b->kind == PTX_OPERAND_REGISTER && a->reg == b->reg)
        return d->definition[a->reg] >= 0;
    return known_number(d, a, &x) && known_number(d, b, &y) && x == y;
}

/* ---- numbers of 64 bits ------------------------------------------------------------------------------ */

// The innermost loop around a block, as in the text: its first block; -1.
static int loop_of(const struct ptx_function *f, int block)
{
    int first = -1;
    for (int from = block; from < f->block_count; from++)
        for (int s = 0; s < f->blocks[from].successor_count; s++) {
            int to = f->blocks[from].successors[s];
            first = to <= block && to > first ? to : first;
        }
    return first;
}

// Is there no branch over `early` on the way to `late`, which is in the same loop?
static bool comes_before(const struct ptx_function *f, int early, int late)
{
    for (int from = 0; from < early; from++)
        for (int s = 0; s < f->blocks[from].successor_count; s++)
            if (f->blocks[from].successors[s] > early && f->blocks[from].successors[s] <= late)
                return false;
    return loop_of(f, early) == loop_of(f, late);
}

struct wide_number {
    uint64_t bits;
    int block;
};

static bool number_is_kept(const struct ptx_function *f, const struct wide_number *kept, int count,
                           uint64_t bits, int block)
{
    for (int i = 0; i < count; i++)
        if (kept[i].bits == bits &&
            (kept[i].block == block || comes_before(f, kept[i].block, block)))
            return true;
    return false;
}

// An instruction of f64 holds the upper half of a number. With a lower half that is not zero it takes two registers and two
// moves, which hold for the other uses in the same loop: each turn makes them anew (ptxas 13.0; bench/truth/tuning/exps).
static void wide_numbers_lower(const struct decoder *d, struct timing_site *t)
{
    enum { MOVES = 2, KEPT = 128 };
    const struct ptx_function *f = d->f;
    struct wide_number kept[KEPT];
    int count = 0;
    for (int i = 0; i < f->instruction_count; i++) {
        const struct ptx_instruction *in = &f->instructions[i];
        int block = f->block_of[i];
        for (int k = t[i].pipe == PIPE_F64 && block >= 0 ? 1 : INT_MAX; k < in->operand_count;
             k++) {
            const struct ptx_operand *number = known_operand(d, &in->operands[k]);
            if (number == NULL || (uint32_t)number->bits == 0 ||
                number_is_kept(f, kept, count, number->bits, block))
                continue;
            t[i].other_slots = (uint8_t)(t[i].other_slots + MOVES);
            t[i].takes_number = true;
            kept[count < KEPT ? count++ : KEPT - 1] = (struct wide_number){number->bits, block};
        }
    }
}

static bool is_half_product(const struct ptx_instruction *in, enum ptx_modifier half)
{
    return in->opcode == PTX_OP_MUL && in->guard < 0 && !is_float(type_of(in)) &&
           ptx_type_bits(type_of(in)) == 32 && ptx_has_modifier(in, half);
}

// The low half of a product whose high half is made in the same block: one IMAD.WIDE brings both.
static void products_join(const struct decoder *d, struct timing_site *t)
{
    const struct ptx_function *f = d->f;
    for (int i = 0; i < f->instruction_count; i++) {
        const struct ptx_block *b = f->block_of[i] >= 0 ? &f->blocks[f->block_of[i]] : NULL;
        const struct ptx_instruction *low = &f->instructions[i];
        for (int k = b != NULL && is_half_product(low, PTX_MOD_LO) ? b->first : INT_MAX;
             k < (b != NULL ? b->first + b->count : 0); k++) {
            const struct ptx_operand *x = low->operands, *y = f->instructions[k].operands;
            if (is_half_product(&f->instructions[k], PTX_MOD_HI) &&
                ((same_operand(d, &x[1], &y[1]) && same_operand(d, &x[2], &y[2])) ||
                 (same_operand(d, &x[1], &y[2]) && same_operand(d, &x[2], &y[1]))))
                t[i].pipe = PIPE_NONE;
        }
    }
}

static bool is_division(const struct ptx_instruction *in)
{
    return (in->opcode == PTX_OP_DIV || in->opcode == PTX_OP_REM) && in->guard < 0 &&
           !is_float(type_of(in)) && ptx_type_bits(type_of(in)) == 32;
}

// A divisor's reciprocal is worked out once: what a further division by the same register takes, in ptxas 13.0's code for
// sm_90, where an earlier one comes before it in every case (in the same block, or in the first).
static void divisions_join(const struct decoder *d, struct timing_site *t)
{
    enum { PRODUCTS = 3, REST = 6 };
    const struct ptx_function *f = d->f;
    for (int i = 0; i < f->instruction_count; i++) {
        const struct ptx_instruction *in = &f->instructions[i];
        if (!is_division(in) || operand_known(d, in) ||
            in->operands[2].kind != PTX_OPERAND_REGISTER)
            continue;
        for (int k = 0; k < i; k++) {
            const struct ptx_instruction *first = &f->instructions[k];
            bool before = f->block_of[k] == f->block_of[i] || f->block_of[k] == 0;
            if (!before || !is_division(first) || first->types[0] != in->types[0] ||
                !same_operand(d, &first->operands[2], &in->operands[2]))
                continue;
            t[i].issue_slots = PRODUCTS;
            t[i].other_slots = REST;
            t[i].special_slots = 0;
            t[i].operation = OPERATION_NONE;
            break;
        }
    }
}

// A predicate that goes through a register as 1 or 0 and is compared with one of them stays a predicate.
static void predicates_join(const struct decoder *d, const struct fold *x)
{
    for (int i = 0; i < x->f->instruction_count; i++) {
        const struct ptx_instruction *in = &x->f->instructions[i];
        int reg = in->opcode == PTX_OP_SETP && in->operand_count > 2 &&
                          in->operands[1].kind == PTX_OPERAND_REGISTER
                      ? in->operands[1].reg
                      : -1;
        int from = reg >= 0 ? x->definition[reg] : -1;
        uint32_t number;
        if (reg >= 0 && in->operand_count == 3 && known_number(d, &in->operands[1], &number) &&
            known_number(d, &in->operands[2], &number)) {
            x->sites[i].pipe = PIPE_NONE; // PT or !PT
            continue;
        }
        if (from < 0 || in->operand_count > 3 ||
            !(is_number(&in->operands[2], 0) || is_number(&in->operands[2], 1)))
            continue;
        const struct ptx_instruction *made = &x->f->instructions[from];
        if (made->opcode != PTX_OP_SELP || !is_number(&made->operands[1], 1) ||
            !is_number(&made->operands[2], 0))
            continue;
        x->sites[i].pipe = PIPE_NONE;
        if (--x->left[reg] == 0)
            x->sites[from].pipe = PIPE_NONE;
    }
}

/* ---- copies ------------------------------------------------------------------------------------------- */

static bool jumps_back(const struct ptx_function *f, int block)
{
    for (int s = 0; s < f->blocks[block].successor_count; s++)
        if (f->blocks[block].successors[s] <= block)
            return true;
    return false;
}

// Does the instruction's block write its result again? Then it is no start of a loop's or an alternative's value.
static bool written_again(const struct ptx_function *f, int i)
{
    const struct ptx_block *b = &f->blocks[f->block_of[i]];
    for (int k = i + 1; k < b->first + b->count; k++) {
        const struct ptx_operand *to = &f->instructions[k].operands[0];
        if (f->instructions[k].writes_first && to->kind == PTX_OPERAND_REGISTER &&
            to->reg == f->instructions[i].operands[0].reg)
            return true;
    }
    return false;
}

// A register that several instructions write begins as a number, or as a copy of another that is read elsewhere, too: that is
// a move (ptxas 13.0; bench/truth/tuning/kinds, stride_sum: two sums and a counter, three of 21). What a loop hands to its
// next turn is made in the right register.
static void copies_lower(const struct decoder *d, const struct fold *x)
{
    for (int i = 0; i < x->f->instruction_count; i++) {
        const struct ptx_instruction *in = &x->f->instructions[i];
        const struct ptx_operand *to = &in->operands[0], *from = &in->operands[1];
        int block = x->f->block_of[i];
        if (in->opcode != PTX_OP_MOV || block < 0 || to->kind != PTX_OPERAND_REGISTER ||
            to->reg < 0 || d->definition[to->reg] >= 0 || x->sites[i].pipe != PIPE_NONE ||
            jumps_back(x->f, block) || type_of(in) == PTX_TYPE_PRED || loop_of(x->f, block) >= 0 ||
            written_again(x->f, i))
            continue;
        bool number = from->kind == PTX_OPERAND_IMMEDIATE,
             copied =
                 from->kind == PTX_OPERAND_REGISTER && from->reg >= 0 && x->uses[from->reg] > 1;
        if (!number && !copied)
            continue;
        bool two = ptx_type_bits(type_of(in)) == 64 && !(number && from->bits == 0); // CS2R
        x->sites[i].pipe = PIPE_ADD;
        x->sites[i].issue_slots = two ? 2 : 1;
    }
}

void lower(struct decoder *d)
{
    const struct ptx_function *f = d->f;
    struct fold x = {.f = f,
                     .sites = &d->program->timing[d->out->site_base],
                     .base = d->out->register_base,
                     .definition = d->definition};
    for (int i = 0; i < f->instruction_count; i++)
        lower_one(d, &f->instructions[i], &x.sites[i]);
    constants_lower(d);
    x.uses = xcalloc((size_t)f->register_count + 1, sizeof(int));
    x.sums = xcalloc((size_t)f->register_count + 1, sizeof(int));
    x.by = xcalloc((size_t)f->register_count + 1, sizeof(int));
    x.tested = xcalloc((size_t)f->instruction_count + 1, sizeof *x.tested);
    count_uses(&x);
    x.left = xcalloc((size_t)f->register_count + 1, sizeof(int));
    memcpy(x.left, x.uses, ((size_t)f->register_count + 1) * sizeof(int));
    copies_lower(d, &x);
    predicates_join(d, &x);
    divisions_join(d, x.sites);
    products_join(d, x.sites);
    wide_numbers_lower(d, x.sites);
    int segment = -1;
    for (int i = 0; i < f->instruction_count; i++) {
        int own = d->program->sites[d->out->site_base + i].segment;
        for (int r = 0; own != segment && r < f->register_count; r++)
            x.by[r] = -1;
        segment = own;
        fold_into(&x, i);
        zero_test_fold(&x, i);
        const struct ptx_instruction *in = &f->instructions[i];
        if (in->writes_first && in->operands[0].kind == PTX_OPERAND_REGISTER &&
            in->operands[0].reg >= 0)
            x.by[in->operands[0].reg] = i;
    }
    lower_narrow(d, x.sites);
    lower_around(d);
    free(x.uses);
    free(x.sums);
    free(x.left);
    free(x.by);
    free(x.tested);
}
