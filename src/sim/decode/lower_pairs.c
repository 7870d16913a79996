// Two operations on single halves (f16, bf16) that ptxas makes one of pairs of: HFMA2, HADD2, HMUL2, HMNMX2, HSETP2 do both halves of a
// register. Seen in ptxas 13.0's code for sm_90 (some 80 forms that differ in one thing each):
// - In a block each operation goes with the first one behind it of the same kind that does not depend on it, however far.
// - Each operand of the two is the same value, a number in both, the lower and upper half of one word (in all operands in the same
//   order), or two values of which neither is a half of a word that is taken apart: PRMT puts these together. Operands are not exchanged.
// - They stand where the second one does, if nothing reads the first's result before; or where the first one does, if loads, conversions
//   and special functions have brought the second's operands by then.
// - A product within a sum makes it a fma.
// - Branches that become predicates are no bound; what is under a predicate is in no pair.
// - The result's upper half is taken by pairs, by single operations on halves and by conversions as it lies there; PRMT brings it down
//   for all others.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/lower_forms.h"

#include <math.h>
#include <stdlib.h>

enum { WORD = 32, HALF = 16, OPERANDS = 3 };

// What an operation does, with the product that it has taken in.
struct form {
    enum ptx_opcode opcode;
    int operands;
    struct origin of[OPERANDS];
    bool negated[OPERANDS], absolute[OPERANDS]; // modifiers of an operand
    int product;                                // the operand that a sum has it in: 0, 1; -1: none
};

struct pairs {
    struct code *c;
    int *partner;  // of an instruction: the other of its pair; -1
    int *upper;    // which of the two makes the upper half
    bool *depends; // on the one that is looked at
    bool selects;  // comparisons into a register, such as set.eq.f16.f16, are predicates first
    int *
        written; // by register: 1 + the one that is looked at, if what depends on it writes the register
};

static bool is_candidate(const struct code *c, int i)
{
    const struct ptx_instruction *in = at(c, i);
    bool compares =
        (in->opcode == PTX_OP_SETP || in->opcode == PTX_OP_SET) && in->operand_count == 3;
    return c->fate[i] == FATE_MADE && in->guard < 0 && in->type_count > 0 && is_half(type_of(in)) &&
           c->slots[i] > 0 && c->joined_to[c->f->block_of[i]] == c->f->block_of[i] &&
           (compares || in->opcode == PTX_OP_ADD || in->opcode == PTX_OP_SUB ||
            in->opcode == PTX_OP_MUL || in->opcode == PTX_OP_FMA || in->opcode == PTX_OP_MIN ||
            in->opcode == PTX_OP_MAX);
}

static void operand_fill(const struct code *c, struct form *f, struct origin v)
{
    int k = f->operands++, from = def_of(c, v);
    f->negated[k] = f->absolute[k] = false;
    for (int deep = 0; deep < 2 && from >= 0 && c->fate[from] == FATE_FOLDED &&
                       (at(c, from)->opcode == PTX_OP_NEG || at(c, from)->opcode == PTX_OP_ABS);
         deep++) {
        if (at(c, from)->opcode == PTX_OP_ABS)
            f->absolute[k] = true;
        else
            f->negated[k] = !f->negated[k];
        v = *source_of(c, from, 0);
        from = def_of(c, v);
    }
    f->of[k] = v;
}

// A number is the second operand: of two the first is in a register. What it takes off it adds.
static void numbers_order(struct form *f)
{
    bool exchanges = f->opcode == PTX_OP_ADD || f->opcode == PTX_OP_MUL ||
                     f->opcode == PTX_OP_MIN || f->opcode == PTX_OP_MAX || f->opcode == PTX_OP_FMA;
    if (f->opcode == PTX_OP_SUB && f->of[1].kind == VALUE_NUMBER) {
        f->opcode = PTX_OP_ADD;
        f->of[1].bits ^= (uint64_t)1 << (HALF - 1);
    }
    if (!exchanges || f->of[0].kind != VALUE_NUMBER)
        return;
    if (f->of[1].kind == VALUE_NUMBER) {
        f->of[0].kind = VALUE_NONE;
        return;
    }
    struct origin number = f->of[0];
    f->of[0] = f->of[1];
    f->of[1] = number;
    bool negated = f->negated[0], absolute = f->absolute[0];
    f->negated[0] = f->negated[1], f->absolute[0] = f->absolute[1];
    f->negated[1] = negated, f->absolute[1] = absolute;
}

static struct form form_of(const struct code *c, int i)
{
    struct form f = {.opcode = at(c, i)->opcode, .product = -1};
    int operands = f.opcode == PTX_OP_FMA ? OPERANDS : 2;
    for (int k = 0; k < 2 && (f.opcode == PTX_OP_ADD || f.opcode == PTX_OP_SUB); k++) {
        int from = def_of(c, *source_of(c, i, k));
        if (f.product < 0 && from >= 0 && at(c, from)->opcode == PTX_OP_MUL &&
            c->fate[from] == FATE_FOLDED)
            f.product = k;
    }
    if (f.product < 0) {
        for (int k = 0; k < operands; k++)
            operand_fill(c, &f, *source_of(c, i, k));
        numbers_order(&f);
        return f;
    }
    int product = def_of(c, *source_of(c, i, f.product));
    operand_fill(c, &f, *source_of(c, product, 0));
    operand_fill(c, &f, *source_of(c, product, 1));
    operand_fill(c, &f, *source_of(c, i, 1 - f.product));
    if (f.opcode == PTX_OP_SUB) // the product or what it is added to is negated
        f.negated[f.product == 0 ? 2 : 0] ^= true;
    f.opcode = PTX_OP_FMA;
    numbers_order(&f);
    return f;
}

static bool has_same_modifiers(const struct ptx_instruction *a, const struct ptx_instruction *b)
{
    const enum ptx_modifier rounds = PTX_MOD_RN; // the only way there is
    for (int side = 0; side < 2; side++) {
        for (int k = 0; k < a->modifier_count; k++)
            if (a->modifiers[k] != rounds && !ptx_has_modifier(b, a->modifiers[k]))
                return false;
        const struct ptx_instruction *other = a;
        a = b, b = other;
    }
    return true;
}

/* ---- operands ------------------------------------------------------------------------------------- */

static bool is_read(const struct code *c, int from, uint64_t element)
{
    for (int r = c->first_reader[from]; r < c->first_reader[from + 1]; r++)
        if (source_of(c, c->readers[r].instruction, c->readers[r].operand)->bits == element &&
            c->fate[c->readers[r].instruction] != FATE_DEAD)
            return true;
    return false;
}

// Is it a half of a word that is taken apart, and the other half read, too? Where not, the load is one of 16 bits.
static bool is_of_word(const struct code *c, struct origin v)
{
    int from = def_of(c, v);
    if (from < 0)
        return false;
    const struct ptx_instruction *in = at(c, from);
    bool apart =
             in->opcode == PTX_OP_MOV && in->operands[0].element_count == 2 && bits_of(in) == WORD,
         loaded = in->opcode == PTX_OP_LD && in->vector > 1 && bits_of(in) == HALF;
    return (apart || loaded) && is_read(c, from, v.bits ^ 1);
}

// -1: the first is the lower half of a word whose upper one is the second; 1: the other order; 0: they are of no word.
static int order_in_word(const struct pairs *p, struct origin a, struct origin b)
{
    const struct code *c = p->c;
    int x = def_of(c, a), y = def_of(c, b);
    if (x < 0 || y < 0)
        return 0;
    if (is_of_word(c, a) && x == y && (a.bits ^ 1) == b.bits)
        return a.bits < b.bits ? -1 : 1;
    return 0;
}

// Of one operand of two operations. order: that of those before; 0: any.
static bool operand_fits(const struct pairs *p, struct origin a, struct origin b, int *order)
{
    bool number = a.kind == VALUE_NUMBER;
    if (same_value(p->c, &a, &b))
        return true;
    if (number || b.kind == VALUE_NUMBER)
        return number && b.kind == VALUE_NUMBER;
    int own = order_in_word(p, a, b);
    if (own == 0)
        return !is_of_word(p->c, a) && !is_of_word(p->c, b);
    if (*order != 0 && *order != own)
        return false;
    *order = own;
    return true;
}

static bool forms_fit(const struct pairs *p, int i, const struct form *f, int k)
{
    if (!has_same_modifiers(at(p->c, i), at(p->c, k)) ||
        type_of(at(p->c, i)) != type_of(at(p->c, k)))
        return false;
    struct form g = form_of(p->c, k);
    int order = 0;
    if (g.opcode != f->opcode)
        return false;
    for (int o = 0; o < f->operands; o++)
        if (f->negated[o] != g.negated[o] || f->absolute[o] != g.absolute[o] ||
            !operand_fits(p, f->of[o], g.of[o], &order))
            return false;
    return true;
}

/* ---- what depends on what ----------------------------------------------------------------------------- */

static bool is_store(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OP_ST || in->opcode == PTX_OP_RED || in->opcode == PTX_OP_ATOM;
}

// Does the load read what a store may have changed?
static bool is_changeable(const struct ptx_instruction *in)
{
    enum ptx_space space = ptx_space_of(in);
    return in->opcode == PTX_OP_LD && !in_has(in, "nc") && space != PTX_SPACE_PARAM &&
           space != PTX_SPACE_CONST;
}

static bool reads_dependent(const struct pairs *p, int k, int of)
{
    const struct code *c = p->c;
    for (int s = c->first_source[k]; s < c->first_source[k + 1]; s++) {
        int from = def_of(c, c->sources[s]);
        if (from >= 0 ? from >= of && p->depends[from]
                      : c->sources[s].kind == VALUE_KEPT && p->written[c->sources[s].at] == of + 1)
            return true;
    }
    return false;
}

static void dependent_mark(struct pairs *p, int k, int of)
{
    const struct ptx_operand *to = at(p->c, k)->operands;
    p->depends[k] = true;
    if (at(p->c, k)->writes_first && to->kind == PTX_OPERAND_REGISTER && to->reg >= 0)
        p->written[to->reg] = of + 1;
}

// Marks what depends on an instruction in its block, also by pairs that are one already.
static void dependents_find(struct pairs *p, int of, int end)
{
    for (int k = of; k < end; k++)
        p->depends[k] = false;
    dependent_mark(p, of, of);
    for (bool again = true; again;) {
        bool stored = false;
        again = false;
        for (int k = of + 1; k < end; k++) {
            int with = p->partner[k];
            if (!p->depends[k] &&
                (reads_dependent(p, k, of) || (stored && is_changeable(at(p->c, k))) ||
                 (with > of && p->depends[with]))) {
                dependent_mark(p, k, of);
                again |= with > of && with < k && !p->depends[with];
            }
            stored |= p->depends[k] && is_store(at(p->c, k));
        }
    }
}

// Do two accesses of shared memory have both in one register?
static bool is_one_word(const struct code *c, int x, int y)
{
    return c->together[x] >= 0 && c->together[x] == c->together[y] &&
           (c->element[x] ^ c->element[y]) == 1;
}

// As order_in_word, also of what a pair made and what was loaded together.
static int order_in_register(const struct pairs *p, struct origin a, struct origin b)
{
    const struct code *c = p->c;
    int x = def_of(c, a), y = def_of(c, b);
    if (x < 0 || y < 0)
        return 0;
    if (x != y && p->partner[x] == y)
        return p->upper[x] == y ? -1 : 1;
    if (x != y && is_one_word(c, x, y))
        return c->element[x] < c->element[y] ? -1 : 1;
    return order_in_word(p, a, b);
}

// Which of two makes the upper half: the one whose operands are upper halves; where none is, the second.
static int upper_find(const struct pairs *p, int i, int k)
{
    struct form f = form_of(p->c, i), g = form_of(p->c, k);
    int order = 0;
    for (int o = 0; o < f.operands && order == 0; o++)
        order = order_in_word(p, f.of[o], g.of[o]);
    for (int o = 0; o < f.operands && order == 0; o++)
        order = order_in_register(p, f.of[o], g.of[o]);
    return order > 0 ? i : k;
}

// Can what makes the value stand in front of an instruction? Operations on halves move there, and what they are made of.
static bool comes_before(const struct pairs *p, struct origin v, int i, int deep)
{
    enum { DEEP = 6 };
    const struct code *c = p->c;
    int from = def_of(c, v);
    if (from < i)
        return true;
    if (deep >= DEEP || at(c, from)->guard >= 0 || !is_half(type_of(at(c, from))) ||
        ptx_opcode_class(at(c, from)->opcode) == PTX_CLASS_SPECIAL ||
        at(c, from)->opcode == PTX_OP_CVT)
        return false;
    for (int s = c->first_source[from]; s < c->first_source[from + 1]; s++)
        if (!comes_before(p, c->sources[s], i, deep + 1))
            return false;
    return true;
}

// Is the value read before an instruction? A product within a sum is read there.
static bool is_read_before(const struct code *c, int value, int i)
{
    for (int r = c->first_reader[value]; r < c->first_reader[value + 1]; r++)
        if (c->readers[r].instruction > value && c->readers[r].instruction < i)
            return true;
    return false;
}

// The two stand where the second does, if nothing reads the first's result before, or where the first does.
static bool can_meet(const struct pairs *p, int i, int k)
{
    struct form g = form_of(p->c, k);
    if (!is_read_before(p->c, i, k))
        return true;
    for (int o = 0; o < g.operands; o++)
        if (!comes_before(p, g.of[o], i, 0))
            return false;
    return true;
}

// The end of the blocks that are one with this one, as the branches between are predicates.
static int stretch_end(const struct code *c, int block)
{
    int next = block + 1;
    while (next < c->f->block_count && block_at(c, next)->count > 0 && code_goes_on(c, next))
        next++;
    return last_of(c, next - 1) + 1;
}

static void partner_find(struct pairs *p, int i, int end)
{
    struct form f = form_of(p->c, i);
    bool found = false;
    for (int k = i + 1; k < end; k++) {
        if (p->partner[k] >= 0 || !is_candidate(p->c, k) || !forms_fit(p, i, &f, k))
            continue;
        if (!found)
            dependents_find(p, i, end);
        found = true;
        if (p->depends[k] || !can_meet(p, i, k))
            continue;
        p->upper[i] = p->upper[k] = upper_find(p, i, k);
        p->partner[i] = k;
        p->partner[k] = i;
        return;
    }
}

/* ---- machine instructions ------------------------------------------------------------------------------ */

static bool is_rounded_float(const struct code *c, int from)
{
    const struct ptx_instruction *in = at(c, from);
    return in->opcode == PTX_OP_CVT && in->type_count == 2 && is_half(in->types[0]) &&
           in->types[1] == PTX_TYPE_F32 && in->guard < 0 && c->fate[from] == FATE_MADE;
}

// What puts two values into one register. A value that a loop hands on stays in it.
static double joining_slots(const struct pairs *p, struct origin a, struct origin b)
{
    const struct code *c = p->c;
    int x = def_of(c, a), y = def_of(c, b);
    if (same_value(c, &a, &b) || (a.kind == VALUE_NUMBER && b.kind == VALUE_NUMBER) ||
        (a.kind == VALUE_KEPT && b.kind == VALUE_KEPT) || order_in_register(p, a, b) != 0)
        return 0;
    if (x < 0 || y < 0)
        return 1;
    // F2FP rounds two at once
    return is_rounded_float(c, x) && is_rounded_float(c, y) && reader_count(c, x) == 1 &&
                   reader_count(c, y) == 1
               ? -1
               : 1;
}

static bool is_joined_before(const struct pairs *p, int i, int operand, struct origin a,
                             struct origin b)
{
    for (int k = block_at(p->c, p->c->f->block_of[i])->first; k <= i; k++) {
        if (p->partner[k] <= k)
            continue;
        struct form f = form_of(p->c, k), g = form_of(p->c, p->partner[k]);
        for (int o = 0; o < (k < i ? f.operands : operand); o++)
            if ((same_value(p->c, &f.of[o], &a) && same_value(p->c, &g.of[o], &b)) ||
                (same_value(p->c, &f.of[o], &b) && same_value(p->c, &g.of[o], &a)))
                return true;
    }
    return false;
}

static void slots_take(struct code *c, int i, double slots)
{
    c->slots[i] += slots;
    if (slots > 0)
        c->sites[i].other_slots = (uint8_t)(c->sites[i].other_slots + slots);
}

// The second is no instruction: what reads it waits for the first.
static void second_vanishes(struct pairs *p, int i)
{
    struct code *c = p->c;
    int second = p->partner[i];
    struct timing_site *t = &c->sites[second];
    c->slots[second] = 0;
    t->pipe = PIPE_NONE;
    if (t->source_count < TIMING_REGISTERS_MAX && c->sites[i].result_count > 0)
        t->source[t->source_count++] = c->sites[i].result[0];
}

static bool is_selected(const struct pairs *p, int i)
{
    return p->selects && at(p->c, i)->opcode == PTX_OP_SET && is_half(type_of(at(p->c, i))) &&
           p->c->fate[i] == FATE_MADE;
}

// Is a comparison of halves read as a number, 1 or 0, and holds for what is greater, no less or another? cuda_fp16.h's are so. Then all
// comparisons into registers of the function are HSETP2 and SEL, where HSET2 does it at once otherwise (40 forms given to ptxas 13.0).
static bool is_asked_as_number(const struct code *c, int i)
{
    const struct ptx_instruction *in = at(c, i);
    uint64_t one, zero;
    int from = in->opcode == PTX_OP_SELP && number_at(c, i, 0, &one) && one == 1 &&
                       number_at(c, i, 1, &zero) && zero == 0
                   ? def_of(c, *source_of(c, i, 2))
                   : -1;
    if (from < 0 || at(c, from)->opcode != PTX_OP_SETP || !is_half(type_of(at(c, from))))
        return false;
    const struct ptx_instruction *by = at(c, from);
    bool turned = is_number(c, from, 0),
         greater = in_has(by, "gt") || in_has(by, "ge") || in_has(by, "gtu") || in_has(by, "geu"),
         less = in_has(by, "lt") || in_has(by, "le") || in_has(by, "ltu") || in_has(by, "leu");
    return in_has(by, "ne") || in_has(by, "neu") || (turned ? less : greater);
}

static void pair_count(struct pairs *p, int i)
{
    struct form f = form_of(p->c, i), g = form_of(p->c, p->partner[i]);
    for (int o = 0; o < f.operands; o++) {
        double slots = joining_slots(p, f.of[o], g.of[o]);
        if (slots != 0 && !is_joined_before(p, i, o, f.of[o], g.of[o]))
            slots_take(p->c, i, slots);
    }
    second_vanishes(p, i);
    if (is_selected(p, p->partner[i]))
        slots_take(p->c, i, 1);
}

// Does the reader take the upper half where it lies?
static bool takes_upper(const struct ptx_instruction *in)
{
    if (in->opcode == PTX_OP_CVT)
        return in->type_count > 1 && in->types[1] == PTX_TYPE_F16;
    if (in->opcode == PTX_OP_ST)
        return in->vector > 1;
    return in->opcode == PTX_OP_MOV || (in->type_count > 0 && is_half(type_of(in)));
}

// at: the instruction that the PRMT counts with.
static void upper_count(struct code *c, int upper, int at_instruction)
{
    for (int r = c->first_reader[upper]; r < c->first_reader[upper + 1]; r++) {
        int by = c->readers[r].instruction;
        if (c->fate[by] != FATE_DEAD && !takes_upper(at(c, by)) && c->together[by] < 0) {
            slots_take(c, at_instruction, 1);
            return;
        }
    }
}

// What puts the lower and the upper half of a word into one register: nothing where they lie there in this order.
static double word_slots(const struct pairs *p, struct origin lower, struct origin upper)
{
    int order = order_in_register(p, lower, upper);
    return order != 0 ? order > 0 : joining_slots(p, lower, upper);
}

// A word of two that one register has in their order is that register.
static bool is_word_again(const struct pairs *p, int i)
{
    const struct code *c = p->c;
    const struct ptx_instruction *in = at(c, i);
    if (in->opcode != PTX_OP_MOV || in->operand_count < 2 || in->operands[1].element_count != 2 ||
        bits_of(in) != WORD || c->fate[i] != FATE_MADE)
        return false;
    return order_in_register(p, *source_of(c, i, 0), *source_of(c, i, 1)) < 0;
}

// Of stores of 16 bits that are one: what puts each word together.
static void stored_word_count(const struct pairs *p, int i)
{
    struct code *c = p->c;
    if (at(c, i)->opcode != PTX_OP_ST || c->together[i] < 0 || c->element[i] % 2 != 0)
        return;
    const struct ptx_block *b = block_at(c, c->f->block_of[i]);
    for (int k = b->first; k < b->first + b->count; k++)
        if (k != i && is_one_word(c, i, k))
            slots_take(c, c->together[i],
                       fmax(0, word_slots(p, *source_of(c, i, 1), *source_of(c, k, 1))));
}

static bool has_upper(const struct pairs *p, int i)
{
    return p->partner[i] > i && at(p->c, i)->opcode != PTX_OP_SETP;
}

void code_pairs(struct code *c)
{
    struct pairs p = {.c = c};
    p.partner = xcalloc((size_t)c->count + 1, sizeof *p.partner);
    p.upper = xcalloc((size_t)c->count + 1, sizeof *p.upper);
    p.depends = xcalloc((size_t)c->count + 1, sizeof *p.depends);
    p.written = xcalloc((size_t)c->f->register_count + 1, sizeof *p.written);
    for (int i = 0; i < c->count; i++)
        p.partner[i] = -1;
    for (int i = 0; i < c->count && !p.selects; i++)
        p.selects = c->f->block_of[i] >= 0 && c->fate[i] != FATE_DEAD && is_asked_as_number(c, i);
    for (int i = 0; i < c->count; i++) {
        int block = c->f->block_of[i];
        if (block >= 0 && p.partner[i] < 0 && is_candidate(c, i))
            partner_find(&p, i, stretch_end(c, block));
    }
    for (int i = 0; i < c->count; i++) {
        if (is_selected(&p, i) && (p.partner[i] < 0 || p.partner[i] > i))
            slots_take(c, i, 1);
        if (p.partner[i] > i)
            pair_count(&p, i);
        if (has_upper(&p, i))
            upper_count(c, p.upper[i], i);
        if (at(c, i)->opcode == PTX_OP_LD && c->together[i] >= 0 && c->element[i] % 2 != 0)
            upper_count(c, i, c->together[i]);
        stored_word_count(&p, i);
        if (is_word_again(&p, i)) {
            c->slots[i] = 0;
            c->sites[i].pipe = PIPE_NONE;
        }
    }
    free(p.partner);
    free(p.upper);
    free(p.depends);
    free(p.written);
}
