// A function's registers: which hold one value known at launch (constants), which row each of the others has,
// and which are read before they are written.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/decode.h"

#include <stdlib.h>

typedef void (*reg_visit)(struct decoder *d, int instruction, int reg);

static void visit_operand(struct decoder *d, const struct ptx_operand *op, int instruction,
                          reg_visit visit)
{
    if ((op->kind == PTX_OPERAND_REGISTER || op->kind == PTX_OPERAND_ADDRESS) && op->reg >= 0)
        visit(d, instruction, op->reg);
    for (int i = 0; i < op->element_count; i++)
        visit_operand(d, &op->elements[i], instruction, visit);
}

static bool call_has_results(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OP_CALL && in->operand_count > 0 &&
           in->operands[0].kind == PTX_OPERAND_LIST;
}

static void visit_reads(struct decoder *d, int i, reg_visit visit)
{
    const struct ptx_instruction *in = &d->f->instructions[i];
    if (in->guard >= 0)
        visit(d, i, in->guard);
    bool first = (in->writes_first && in->opcode != PTX_OP_WGMMA) || // which adds to its result
                 call_has_results(in);
    for (int j = first ? 1 : 0; j < in->operand_count; j++)
        visit_operand(d, &in->operands[j], i, visit);
}

static void visit_writes(struct decoder *d, int i, reg_visit visit)
{
    const struct ptx_instruction *in = &d->f->instructions[i];
    if (in->writes_first || call_has_results(in))
        visit_operand(d, &in->operands[0], i, visit);
}

static void note_read(struct decoder *d, int instruction, int reg)
{
    (void)instruction;
    d->read[reg] = (uint8_t)(d->read[reg] + (d->read[reg] < UINT8_MAX));
}

enum { DEFINED_OFTEN = -2, UNDEFINED = -1 };

static void note_write(struct decoder *d, int instruction, int reg)
{
    bool guarded = d->f->instructions[instruction].guard >= 0;
    d->definition[reg] = d->definition[reg] == UNDEFINED && !guarded ? instruction : DEFINED_OFTEN;
}

// A register is a constant if its only definition copies one.
static bool source_is_constant(const struct decoder *d, const struct ptx_operand *op)
{
    if (op->kind == PTX_OPERAND_REGISTER)
        return d->constant_reg[op->reg] && !op->negated && op->offset == 0;
    return op->kind == PTX_OPERAND_IMMEDIATE || op->kind == PTX_OPERAND_SYMBOL ||
           (op->kind == PTX_OPERAND_SPECIAL && !special_is_clock(op->special));
}

static bool definition_is_constant(const struct decoder *d, const struct ptx_instruction *in,
                                   int reg)
{
    unsigned bits = reg_bits(d, reg);
    if (bits != 32 && bits != 64)
        return false;
    if (in->opcode == PTX_OP_LD)
        return d->f->is_entry && in->space_count > 0 && in->spaces[0] == PTX_SPACE_PARAM &&
               variable_within(in->operands[1].variable, d->f->params, d->f->param_count) &&
               in->operands[1].reg < 0 && ptx_type_bits(in->types[0]) <= 64;
    if (in->operand_count < 2 || in->operands[0].kind != PTX_OPERAND_REGISTER ||
        !source_is_constant(d, &in->operands[1]))
        return false;
    if (in->operands[1].kind == PTX_OPERAND_REGISTER && reg_bits(d, in->operands[1].reg) != bits)
        return false;
    if (in->opcode == PTX_OP_CVTA)
        return in->space_count > 0 &&
               (in->spaces[0] == PTX_SPACE_GLOBAL || in->spaces[0] == PTX_SPACE_CONST ||
                in->spaces[0] == PTX_SPACE_PARAM);
    return in->opcode == PTX_OP_MOV && (unsigned)ptx_type_bits(in->types[0]) <= bits;
}

static void constants_find(struct decoder *d)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < d->f->register_count; i++)
            if (!d->constant_reg[i] && d->definition[i] >= 0 &&
                definition_is_constant(d, &d->f->instructions[d->definition[i]], i))
                d->constant_reg[i] = changed = true;
    }
}

static uint32_t param_row(struct decoder *d, const struct ptx_instruction *in, int element, int reg)
{
    int bytes = ptx_type_bits(in->types[0]) / 8;
    int64_t at = (int64_t)in->operands[1].variable->param_offset_bytes + in->operands[1].offset +
                 (int64_t)element * bytes;
    struct slot s = {.width = (uint8_t)reg_bits(d, reg),
                     .source = SLOT_PARAM,
                     .component = -1,
                     .offset = (uint32_t)at,
                     .bytes = (uint8_t)bytes,
                     .sign = ptx_type_kind(in->types[0]) == PTX_KIND_SIGNED,
                     .narrow16 = ptx_type_bits(d->f->registers[reg].type) <= 16};
    return slot_row(d, SLOTS_LAUNCH, s);
}

uint32_t constant_definition(struct decoder *d, int reg)
{
    const struct ptx_instruction *in = &d->f->instructions[d->definition[reg]];
    const struct ptx_operand *to = &in->operands[0];
    if (in->opcode == PTX_OP_LD) {
        int element = 0;
        while (to->kind == PTX_OPERAND_VECTOR && element < to->element_count &&
               to->elements[element].reg != reg)
            element++;
        return param_row(d, in, element, reg);
    }
    return source_row(d, &in->operands[1], reg_bits(d, reg), in->types[0]);
}

bool instruction_is_free_constant(const struct decoder *d, const struct ptx_instruction *in)
{
    const struct ptx_operand *to = &in->operands[0];
    if (in->operand_count == 0 ||
        !(in->opcode == PTX_OP_LD || in->opcode == PTX_OP_MOV || in->opcode == PTX_OP_CVTA))
        return false;
    if (to->kind == PTX_OPERAND_REGISTER)
        return d->constant_reg[to->reg];
    if (to->kind != PTX_OPERAND_VECTOR)
        return false;
    for (int i = 0; i < to->element_count; i++)
        if (to->elements[i].kind == PTX_OPERAND_REGISTER && !d->constant_reg[to->elements[i].reg])
            return false;
    return true;
}

static void rows_place(struct decoder *d)
{
    uint32_t predicates = 4; // behind the one that is always true
    for (int i = 0; i < d->f->register_count; i++)
        if (reg_bits(d, i) == 1) {
            d->row[i] = predicates;
            predicates += 4;
        }
    d->carry = predicates;
    uint32_t next = (uint32_t)round_up(predicates + 4, ROW32);
    for (int i = 0; i < d->f->register_count; i++) {
        unsigned bits = reg_bits(d, i);
        if (bits == 1 || d->constant_reg[i] || (d->read[i] == 0 && d->definition[i] == UNDEFINED))
            continue;
        d->row[i] = next;
        next += bits / 32 * ROW32;
    }
    d->temp = next;
    next += TEMP_ROWS * TEMP_BYTES;
    d->out->constants_at = d->out->frame_bytes = next;
}

// What is known of the registers before any instruction is decoded: who writes them, which are constants, and the
// rows of the others.
void registers_place(struct decoder *d)
{
    const struct ptx_function *f = d->f;
    for (int i = 0; i < f->register_count; i++) {
        d->row[i] = NO_ROW;
        d->definition[i] = UNDEFINED;
    }
    for (int i = 0; i < f->instruction_count; i++) {
        visit_reads(d, i, note_read);
        visit_writes(d, i, note_write);
    }
    for (int i = 0; i < formal_registers(f); i++) {
        d->definition[i] = DEFINED_OFTEN; // by the caller too
        d->read[i] = 2;
    }
    constants_find(d);
    rows_place(d);
}

/* ---- registers read before they are written ------------------------------------------------ */

struct liveness {
    struct decoder *d;
    uint64_t *use, *def, *in; // a bit per register, `words` words per block
    size_t words;
};

static void note_use(struct decoder *d, int instruction, int reg)
{
    (void)instruction;
    if ((d->block_def[reg / 64] >> reg % 64 & 1) == 0)
        d->block_use[reg / 64] |= (uint64_t)1 << reg % 64;
}

static void note_def(struct decoder *d, int instruction, int reg)
{
    if (d->f->instructions[instruction].guard < 0) // else it may not write
        d->block_def[reg / 64] |= (uint64_t)1 << reg % 64;
}

static void block_facts(struct liveness *v, int block)
{
    const struct ptx_block *b = &v->d->f->blocks[block];
    v->d->block_use = v->use + (size_t)block * v->words;
    v->d->block_def = v->def + (size_t)block * v->words;
    for (int i = b->first; i < b->first + b->count; i++) {
        visit_reads(v->d, i, note_use);
        visit_writes(v->d, i, note_def);
    }
}

static bool block_flow(struct liveness *v, int block)
{
    const struct ptx_block *b = &v->d->f->blocks[block];
    bool changed = false;
    size_t base = (size_t)block * v->words;
    for (size_t w = 0; w < v->words; w++) {
        uint64_t out = 0;
        for (int s = 0; s < b->successor_count; s++)
            if (b->successors[s] >= 0)
                out |= v->in[(size_t)b->successors[s] * v->words + w];
        uint64_t in = v->use[base + w] | (out & ~v->def[base + w]);
        changed |= in != v->in[base + w];
        v->in[base + w] = in;
    }
    return changed;
}

// They start as zeros, so that a run never depends on what ran before.
void clear_list(struct decoder *d)
{
    const struct ptx_function *f = d->f;
    if (f->block_count == 0)
        return;
    struct liveness v = {.d = d, .words = (size_t)f->register_count / 64 + 1};
    size_t all = v.words * (size_t)f->block_count;
    v.use = xcalloc(all, 8);
    v.def = xcalloc(all, 8);
    v.in = xcalloc(all, 8);
    for (int b = 0; b < f->block_count; b++)
        block_facts(&v, b);
    for (bool changed = true; changed;) {
        changed = false;
        for (int b = f->block_count; b-- > 0;)
            changed |= block_flow(&v, b);
    }
    d->out->clear = ARENA_ARRAY(&d->program->arena, struct row_span, f->register_count + 1);
    for (int r = 0; r < f->register_count; r++)
        if ((v.in[r / 64] >> r % 64 & 1) != 0 && !d->constant_reg[r] && d->row[r] != NO_ROW) {
            unsigned bits = reg_bits(d, r);
            d->out->clear[d->out->clear_count++] =
                (struct row_span){.row = d->row[r], .bytes = bits == 1 ? 4 : bits / 32 * ROW32};
        }
    free(v.use);
    free(v.def);
    free(v.in);
}
