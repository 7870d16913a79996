// Which registers of a function machine code has, too, which of them its instructions read and write, and which are live
// where (needs.h). What needs none of its own (constants, uniform values, copies, factors of an address) stands for what it is
// made of.
// SPDX-License-Identifier: Apache-2.0
#include "ptx/needs.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 12 };

/* ---- which values have a register ------------------------------------------------------------------------ */

static void definition_note(struct needs *n, const struct ptx_operand *o, int instruction)
{
    for (int i = 0; i < o->element_count; i++)
        definition_note(n, &o->elements[i], instruction);
    if (o->kind == PTX_OPERAND_REGISTER && o->reg >= 0) {
        int *d = &n->values[o->reg].definition;
        *d = *d == NONE ? instruction : SEVERAL;
    }
}

static bool reads_as_sum(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OP_ADD && in->guard < 0 && is_integer_type(type_at(in, 0));
}

static void readers_note(struct needs *n, const struct ptx_instruction *in,
                         const struct ptx_operand *o)
{
    for (int i = 0; i < o->element_count; i++)
        readers_note(n, in, &o->elements[i]);
    if ((o->kind != PTX_OPERAND_REGISTER && o->kind != PTX_OPERAND_ADDRESS) || o->reg < 0)
        return;
    n->readers[o->reg]++;
    n->sums[o->reg] += reads_as_sum(in);
    n->stored[o->reg] += in->opcode == PTX_OP_ST && o->kind == PTX_OPERAND_REGISTER;
}

static bool is_virtual_or_single(const struct needs *n, int reg)
{
    return reg >= 0 && n->values[reg].definition >= 0;
}

static bool has_none(const struct needs *n, int reg)
{
    return n->values[reg].virtual && n->values[reg].stands[0] == NONE;
}

// Operands that are registers: their number; -1: something else than registers and numbers is among them.
static int sources_of(const struct ptx_instruction *in, int *regs)
{
    int count = 0;
    for (int k = 1; k < in->operand_count; k++) {
        const struct ptx_operand *o = &in->operands[k];
        if (o->kind == PTX_OPERAND_REGISTER && o->reg >= 0 && count < STANDS)
            regs[count++] = o->reg;
        else if (o->kind != PTX_OPERAND_IMMEDIATE && o->kind != PTX_OPERAND_SYMBOL)
            return -1;
    }
    return count;
}

// A number that is known when it is compiled, however it is made: converted, packed, copied.
static bool is_number(const struct needs *n, const struct ptx_operand *o, int depth)
{
    if (o->kind == PTX_OPERAND_VECTOR) {
        for (int i = 0; i < o->element_count; i++)
            if (!is_number(n, &o->elements[i], depth))
                return false;
        return o->element_count > 0;
    }
    if (o->kind != PTX_OPERAND_REGISTER)
        return o->kind == PTX_OPERAND_IMMEDIATE;
    if (o->reg < 0 || n->values[o->reg].definition < 0 || depth >= DEPTH_MAX)
        return false;
    const struct ptx_instruction *in = &n->f->instructions[n->values[o->reg].definition];
    return (in->opcode == PTX_OP_MOV || in->opcode == PTX_OP_CVT) && in->guard < 0 &&
           in->operands[0].kind == PTX_OPERAND_REGISTER &&
           is_number(n, &in->operands[1], depth + 1);
}

// Are all parts values that need no register?
static bool is_packed_alike(const struct needs *n, const struct ptx_operand *o)
{
    for (int i = 0; i < o->element_count; i++)
        if (o->elements[i].kind != PTX_OPERAND_REGISTER || o->elements[i].reg < 0 ||
            !has_none(n, o->elements[i].reg))
            return false;
    return o->kind == PTX_OPERAND_VECTOR && o->element_count > 0;
}

// A value that every thread has alike and that is known before the kernel's loops: an operand, or in a uniform register.
static bool is_uniform(const struct needs *n, const struct ptx_instruction *in)
{
    const struct ptx_operand *from = &in->operands[1];
    int regs[STANDS], count;
    if (in->opcode == PTX_OP_LD)
        return in->space_count > 0 && (from->reg < 0 || (has_none(n, from->reg))) &&
               (in->spaces[0] == PTX_SPACE_PARAM || in->spaces[0] == PTX_SPACE_CONST);
    if (in->opcode == PTX_OP_MOV && from->kind == PTX_OPERAND_SPECIAL)
        return from->special == PTX_SREG_CTAID || from->special == PTX_SREG_NTID ||
               from->special == PTX_SREG_NCTAID;
    if (in->opcode == PTX_OP_CVT && is_number(n, from, 0))
        return true;
    if (in->opcode == PTX_OP_MOV && is_packed_alike(n, from))
        return true;
    enum ptx_class class = ptx_opcode_class(in->opcode);
    if (in->opcode == PTX_OP_CVTA || in->opcode == PTX_OP_MOV)
        ;
    else if ((class != PTX_CLASS_INTEGER && class != PTX_CLASS_CONVERT) ||
             !is_integer_type(type_at(in, 0)) || in->opcode == PTX_OP_DIV ||
             in->opcode == PTX_OP_REM)
        return false;
    count = sources_of(in, regs);
    for (int i = 0; i < count; i++)
        if (!has_none(n, regs[i]))
            return false;
    return count >= 0;
}

// Does it vanish into its readers: a copy, a wider or a narrower view, a sign, a factor or a summand of addresses?
static bool vanishes(const struct needs *n, const struct ptx_instruction *in, int reg)
{
    enum ptx_type to = type_at(in, 0), from = type_at(in, 1);
    switch (in->opcode) {
    case PTX_OP_MOV:
        return in->operands[1].kind == PTX_OPERAND_REGISTER;
    case PTX_OP_CVTA:
        return true;
    case PTX_OP_CVT:
        return is_integer_type(to) && is_integer_type(from) && ptx_type_bits(to) >= 32 &&
               ptx_type_bits(from) >= 32;
    case PTX_OP_ABS:
    case PTX_OP_NEG:
        return ptx_type_kind(to) == PTX_KIND_FLOAT;
    case PTX_OP_MUL:
        return ptx_has_modifier(in, PTX_MOD_WIDE) && n->readers[reg] == n->sums[reg];
    case PTX_OP_SHL:
        return in->operands[2].kind == PTX_OPERAND_IMMEDIATE && n->readers[reg] == n->sums[reg];
    default:
        return false;
    }
}

// A pointer that threads' offsets are added to: IMAD.WIDE takes it from registers.
static bool is_base(const struct needs *n, const struct ptx_instruction *in, int reg)
{
    return in->opcode == PTX_OP_LD && in->space_count > 0 && in->spaces[0] == PTX_SPACE_PARAM &&
           n->f->is_entry && ptx_type_bits(type_at(in, 0)) == 64 && n->bases && n->sums[reg] > 0;
}

static bool is_zero(const struct ptx_operand *o)
{
    return o->kind == PTX_OPERAND_IMMEDIATE && o->bits == 0;
}

static void value_judge(struct needs *n, int reg)
{
    struct held *v = &n->values[reg];
    const struct ptx_instruction *in = &n->f->instructions[v->definition];
    int regs[STANDS], count = 0;
    if (in->guard >= 0 || in->operand_count < 2 || in->operands[0].kind != PTX_OPERAND_REGISTER)
        return;
    if (is_base(n, in, reg))
        return;
    if (is_uniform(n, in)) {
        v->virtual = n->stored[reg] < n->readers[reg] || is_zero(&in->operands[1]);
        return;
    }
    if (!vanishes(n, in, reg) || (count = sources_of(in, regs)) < 0)
        return;
    for (int i = 0; i < count; i++)
        if (!is_virtual_or_single(n, regs[i]))
            return;
    v->virtual = true;
    for (int i = 0; i < count; i++)
        v->stands[i] = regs[i];
}

static bool is_alike(const struct needs *n, const struct ptx_operand *o)
{
    return o->kind == PTX_OPERAND_IMMEDIATE || o->kind == PTX_OPERAND_SYMBOL ||
           (o->kind == PTX_OPERAND_REGISTER && o->reg >= 0 && has_none(n, o->reg));
}

// One writing of a loop's counter: its first value, or a step that all threads take alike.
static bool counts(const struct needs *n, const struct ptx_instruction *in, bool *steps)
{
    const struct ptx_operand *o = in->operands;
    if (in->guard >= 0)
        return false;
    if (in->opcode == PTX_OP_MOV)
        return is_alike(n, &o[1]);
    *steps = true;
    return reads_as_sum(in) && ((o[1].reg == o[0].reg && is_alike(n, &o[2])) ||
                                (o[2].reg == o[0].reg && is_alike(n, &o[1])));
}

// Counters of loops that all threads take alike are in uniform registers. `held`: the others.
static void counters_judge(struct needs *n)
{
    const struct ptx_function *f = n->f;
    bool *held = xcalloc((size_t)f->register_count + 1, sizeof *held);
    bool *stepped = xcalloc((size_t)f->register_count + 1, sizeof *stepped);
    for (int i = 0; i < f->instruction_count; i++) {
        const struct ptx_instruction *in = &f->instructions[i];
        const struct ptx_operand *to = &in->operands[0];
        if (!in->writes_first)
            continue;
        for (int e = 0; e < to->element_count; e++)
            if (to->elements[e].reg >= 0)
                held[to->elements[e].reg] = true;
        if (to->kind == PTX_OPERAND_REGISTER && to->reg >= 0 && !counts(n, in, &stepped[to->reg]))
            held[to->reg] = true;
    }
    for (int r = 0; r < f->register_count; r++)
        if (n->values[r].definition == SEVERAL && stepped[r] && !held[r] && n->values[r].units <= 1)
            n->values[r].virtual = true;
    free(held);
    free(stepped);
}

// What is written once, in the order of the text.
static void once_judge(struct needs *n)
{
    const struct ptx_function *f = n->f;
    for (int i = 0; i < f->instruction_count; i++) {
        const struct ptx_operand *to = &f->instructions[i].operands[0];
        if (f->instructions[i].writes_first && to->kind == PTX_OPERAND_REGISTER && to->reg >= 0 &&
            n->values[to->reg].definition == i)
            value_judge(n, to->reg);
    }
}

static void values_judge(struct needs *n)
{
    const struct ptx_function *f = n->f;
    bool *high = xcalloc((size_t)f->register_count + 1, sizeof *high);
    ptx_high_halves(f, high);
    for (int r = 0; r < f->register_count; r++) {
        int bits = ptx_type_bits(f->registers[r].type);
        bits = bits == 64 && !high[r] ? 32 : bits;
        n->values[r] = (struct held){NONE,
                                     bits == 1    ? 0
                                     : bits <= 32 ? 1
                                                  : bits / 32,
                                     false,
                                     {NONE, NONE, NONE}};
    }
    for (int i = 0; i < f->instruction_count; i++) {
        const struct ptx_instruction *in = &f->instructions[i];
        if (in->writes_first)
            definition_note(n, &in->operands[0], i);
        for (int k = in->writes_first ? 1 : 0; k < in->operand_count; k++)
            readers_note(n, in, &in->operands[k]);
    }
    for (int i = f->instruction_count - 1; i >= 0; i--) {
        const struct ptx_instruction *in = &f->instructions[i];
        if (in->opcode == PTX_OP_CVTA && in->operands[1].reg >= 0 && in->operands[0].reg >= 0)
            n->sums[in->operands[1].reg] += n->sums[in->operands[0].reg];
    }
    once_judge(n);
    counters_judge(n);
    once_judge(n); // of the counters
    free(high);
}

void needs_add(struct needs *n, int reg, int depth)
{
    const struct held *v = &n->values[reg];
    if (v->virtual && depth < DEPTH_MAX) {
        for (int i = 0; i < STANDS && v->stands[i] != NONE; i++)
            needs_add(n, v->stands[i], depth + 1);
        return;
    }
    for (int i = 0; i < n->found_count; i++)
        if (n->found[i] == reg)
            return;
    n->found[n->found_count++] = reg;
}

static void operand_collect(struct needs *n, const struct ptx_operand *o)
{
    for (int i = 0; i < o->element_count; i++)
        operand_collect(n, &o->elements[i]);
    if ((o->kind == PTX_OPERAND_REGISTER || o->kind == PTX_OPERAND_ADDRESS) && o->reg >= 0)
        needs_add(n, o->reg, 0);
}

static bool result_is_read(const struct ptx_instruction *in)
{
    return in->guard >= 0 || in->opcode == PTX_OP_WGMMA;
}

void needs_sources(struct needs *n, const struct ptx_instruction *in)
{
    n->found_count = 0;
    for (int k = in->writes_first && !result_is_read(in) ? 1 : 0; k < in->operand_count; k++)
        operand_collect(n, &in->operands[k]);
    if (in->guard >= 0)
        needs_add(n, in->guard, 0);
}

void needs_results(struct needs *n, const struct ptx_instruction *in)
{
    n->found_count = 0;
    if (in->writes_first)
        operand_collect(n, &in->operands[0]);
}

bool needs_nothing(const struct needs *n, const struct ptx_instruction *in)
{
    const struct ptx_operand *to = &in->operands[0];
    return in->writes_first && to->kind == PTX_OPERAND_REGISTER && to->reg >= 0 &&
           n->values[to->reg].virtual;
}

bool ptx_calls_routine(const struct ptx_instruction *in)
{
    enum ptx_type t = type_at(in, 0);
    bool wide = ptx_type_bits(t) == 64, whole = is_integer_type(t);
    bool exact = !ptx_has_modifier(in, PTX_MOD_APPROX) && !ptx_has_modifier(in, PTX_MOD_FULL);
    switch (in->opcode) {
    case PTX_OP_CALL:
        return true;
    case PTX_OP_DIV:
    case PTX_OP_REM:
        return whole ? wide && in->operands[2].kind != PTX_OPERAND_IMMEDIATE : exact;
    case PTX_OP_RCP:
    case PTX_OP_SQRT:
        return exact;
    default:
        return false;
    }
}

/* ---- what is live at a block's beginning ------------------------------------------------------------------- */

static void put(uint64_t *set, int reg, bool on)
{
    uint64_t bit = UINT64_C(1) << (reg & 63);
    set[reg / 64] = on ? set[reg / 64] | bit : set[reg / 64] & ~bit;
}

void needs_live_behind(const struct needs *n, int block, uint64_t *set)
{
    const struct ptx_block *b = &n->f->blocks[block];
    for (int k = 0; k < b->successor_count; k++)
        for (size_t w = 0; w < n->words; w++)
            set[w] |= n->live[(size_t)b->successors[k] * n->words + w];
}

static void live_through(struct needs *n, int block, uint64_t *set)
{
    const struct ptx_block *b = &n->f->blocks[block];
    for (int i = b->first + b->count - 1; i >= b->first; i--) {
        const struct ptx_instruction *in = &n->f->instructions[i];
        if (needs_nothing(n, in))
            continue;
        if (!result_is_read(in)) {
            needs_results(n, in);
            for (int k = 0; k < n->found_count; k++)
                put(set, n->found[k], false);
        }
        needs_sources(n, in);
        for (int k = 0; k < n->found_count; k++)
            put(set, n->found[k], true);
    }
}

void needs_live(struct needs *n)
{
    uint64_t *set = xcalloc(n->words, sizeof *set);
    n->live = xcalloc((size_t)n->f->block_count * n->words + 1, sizeof *n->live);
    for (bool changed = true; changed;) {
        changed = false;
        for (int b = n->f->block_count - 1; b >= 0; b--) {
            uint64_t *mine = n->live + (size_t)b * n->words;
            memset(set, 0, n->words * sizeof *set);
            needs_live_behind(n, b, set);
            live_through(n, b, set);
            if (memcmp(mine, set, n->words * sizeof *set) != 0) {
                memcpy(mine, set, n->words * sizeof *set);
                changed = true;
            }
        }
    }
    free(set);
}

struct needs needs_new(const struct ptx_function *f, bool bases)
{
    size_t count = (size_t)f->register_count + 1;
    struct needs n = {.f = f, .bases = bases, .words = (size_t)f->register_count / 64 + 1};
    n.values = xcalloc(count, sizeof *n.values);
    n.readers = xcalloc(count, sizeof *n.readers);
    n.sums = xcalloc(count, sizeof *n.sums);
    n.stored = xcalloc(count, sizeof *n.stored);
    n.found = xcalloc(count, sizeof *n.found);
    values_judge(&n);
    return n;
}

void needs_release(struct needs *n)
{
    free(n->values);
    free(n->readers);
    free(n->sums);
    free(n->stored);
    free(n->found);
    free(n->live);
}

void ptx_register_units(const struct ptx_function *f, uint8_t *units)
{
    struct needs n = needs_new(f, false);
    for (int r = 0; r < f->register_count; r++)
        units[r] = n.values[r].virtual ? 0 : (uint8_t)n.values[r].units;
    needs_release(&n);
}

static bool is_itself(const struct ptx_operand *o, int reg)
{
    return o->kind == PTX_OPERAND_REGISTER && o->reg == reg;
}

static bool is_alike_number(const struct needs *n, const struct ptx_operand *o)
{
    return o->kind != PTX_OPERAND_SYMBOL && is_alike(n, o);
}

// A pointer that begins the same for all threads, and goes on by the same.
static bool walks_alike(const struct needs *n, int reg)
{
    if (n->values[reg].definition != SEVERAL || n->values[reg].units != 2)
        return false;
    for (int i = 0; i < n->f->instruction_count; i++) {
        const struct ptx_instruction *in = &n->f->instructions[i];
        if (!in->writes_first || !is_itself(&in->operands[0], reg))
            continue;
        bool moves = in->opcode == PTX_OP_MOV && is_alike_number(n, &in->operands[1]);
        bool steps = in->opcode == PTX_OP_ADD;
        for (int k = 1; k < 3 && steps; k++)
            steps = is_itself(&in->operands[k], reg) || is_alike_number(n, &in->operands[k]);
        if (in->guard >= 0 || (!moves && !steps))
            return false;
    }
    return true;
}

// walking: pointers that all threads step alike, too.
static void held_add(const struct ptx_function *f, bool bases, bool walking, int *held)
{
    struct needs n = needs_new(f, bases);
    needs_live(&n);
    for (int r = 0; r < f->register_count; r++) {
        int units = !walking && walks_alike(&n, r) ? 0 : n.values[r].units;
        for (int b = 0; b < f->block_count; b++)
            held[b] += needs_has(n.live + (size_t)b * n.words, r) ? units : 0;
    }
    needs_release(&n);
}

void ptx_registers_held(const struct ptx_function *f, int *held)
{
    memset(held, 0, (size_t)f->block_count * sizeof *held);
    held_add(f, false, true, held);
    held_add(f, true, true, held);
    for (int b = 0; b < f->block_count; b++)
        held[b] = (held[b] + 1) / 2; // pointers as in ptx_register_estimate
}

static void counters_find(const struct needs *n, int reg, int depth, uint64_t *set)
{
    const struct held *v = &n->values[reg];
    if (!v->virtual || depth >= DEPTH_MAX)
        return;
    for (int i = 0; i < STANDS && v->stands[i] != NONE; i++)
        counters_find(n, v->stands[i], depth + 1, set);
    if (v->definition == SEVERAL)
        put(set, reg, true);
}

static void operand_counters(const struct needs *n, const struct ptx_operand *o, uint64_t *set)
{
    for (int i = 0; i < o->element_count; i++)
        operand_counters(n, &o->elements[i], set);
    if ((o->kind == PTX_OPERAND_REGISTER || o->kind == PTX_OPERAND_ADDRESS) && o->reg >= 0)
        counters_find(n, o->reg, 0, set);
}

// Counters that all threads take alike, and that the block reads: a loop's are in registers of each thread while its turns follow
// each other in the code.
static void counters_add(const struct ptx_function *f, int *held)
{
    struct needs n = needs_new(f, false);
    uint64_t *set = xcalloc(n.words, sizeof *set);
    for (int b = 0; b < f->block_count; b++) {
        memset(set, 0, n.words * sizeof *set);
        for (int i = f->blocks[b].first; i < f->blocks[b].first + f->blocks[b].count; i++) {
            const struct ptx_instruction *in = &f->instructions[i];
            for (int k = in->writes_first ? 1 : 0; k < in->operand_count; k++)
                operand_counters(&n, &in->operands[k], set);
        }
        for (int r = 0; r < f->register_count; r++)
            held[b] += needs_has(set, r);
    }
    free(set);
    needs_release(&n);
}

void ptx_registers_turned(const struct ptx_function *f, int *held)
{
    memset(held, 0, (size_t)f->block_count * sizeof *held);
    held_add(f, false, false, held);
    counters_add(f, held);
}
