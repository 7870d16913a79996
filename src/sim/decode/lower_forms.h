// What a PTX instruction is, for the files of lower_code.h.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_LOWER_FORMS_H
#define RIDGE_SIM_LOWER_FORMS_H

#include "sim/decode/lower_code.h"

static inline enum ptx_type type_of(const struct ptx_instruction *in)
{
    return in->type_count > 0 ? in->types[0] : PTX_TYPE_B32;
}

static inline int bits_of(const struct ptx_instruction *in)
{
    return ptx_type_bits(type_of(in));
}

static inline bool is_float(const struct ptx_instruction *in)
{
    enum ptx_type_kind kind = ptx_type_kind(type_of(in));
    bool packed =
        kind == PTX_KIND_PACKED && type_of(in) != PTX_TYPE_U16X2 && type_of(in) != PTX_TYPE_S16X2;
    return kind == PTX_KIND_FLOAT || packed;
}

static inline bool is_int(const struct ptx_instruction *in, enum ptx_opcode op, int bits)
{
    return in->opcode == op && !is_float(in) && bits_of(in) == bits;
}

static inline bool is_bitwise(const struct ptx_instruction *in, int bits)
{
    return (in->opcode == PTX_OP_AND || in->opcode == PTX_OP_OR || in->opcode == PTX_OP_XOR ||
            in->opcode == PTX_OP_NOT) &&
           bits_of(in) == bits && type_of(in) != PTX_TYPE_PRED;
}

static inline bool is_of_predicates(const struct ptx_instruction *in)
{
    return (in->opcode == PTX_OP_AND || in->opcode == PTX_OP_OR || in->opcode == PTX_OP_XOR ||
            in->opcode == PTX_OP_NOT) &&
           type_of(in) == PTX_TYPE_PRED;
}

static inline bool is_rounded(const struct ptx_instruction *in)
{
    return ptx_has_modifier(in, PTX_MOD_RN) || ptx_has_modifier(in, PTX_MOD_RZ) ||
           ptx_has_modifier(in, PTX_MOD_RM) || ptx_has_modifier(in, PTX_MOD_RP);
}

static inline bool number_at(const struct code *c, int i, int operand, uint64_t *value)
{
    const struct origin *v = source_of(c, i, operand);
    *value = v->bits;
    return v->kind == VALUE_NUMBER;
}

static inline bool has_number(const struct code *c, int i)
{
    uint64_t ignored;
    for (int k = 0; k < c->first_source[i + 1] - c->first_source[i]; k++)
        if (number_at(c, i, k, &ignored))
            return true;
    return false;
}

static inline bool is_product(const struct ptx_instruction *in, int bits)
{
    bool wide = ptx_has_modifier(in, PTX_MOD_WIDE); // of 16 bits
    return in->opcode == PTX_OP_MUL && !is_float(in) && bits_of(in) * (wide ? 2 : 1) == bits &&
           !ptx_has_modifier(in, PTX_MOD_HI) && !(wide && bits != 32);
}

static inline bool is_wide_product(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OP_MUL && ptx_has_modifier(in, PTX_MOD_WIDE) && bits_of(in) == 32;
}

static inline bool is_shift_by_number(const struct code *c, int i, enum ptx_opcode op, int bits)
{
    uint64_t by;
    return is_int(at(c, i), op, bits) && number_at(c, i, 1, &by);
}

static inline bool is_signed(enum ptx_type type)
{
    return ptx_type_kind(type) == PTX_KIND_SIGNED;
}

static inline bool is_half(enum ptx_type type)
{
    return ptx_type_kind(type) == PTX_KIND_FLOAT && ptx_type_bits(type) <= 16;
}

// From 32 bits to 64.
static inline bool is_widening(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OP_CVT && in->type_count == 2 && ptx_type_bits(in->types[0]) == 64 &&
           ptx_type_bits(in->types[1]) == 32 && ptx_type_kind(in->types[0]) != PTX_KIND_FLOAT &&
           ptx_type_kind(in->types[1]) != PTX_KIND_FLOAT;
}

static inline bool needs_high(const struct code *c, int i)
{
    const struct ptx_operand *to = &at(c, i)->operands[0];
    return to->kind != PTX_OPERAND_REGISTER || to->reg < 0 || c->high[to->reg];
}

static inline bool is_address_of(const struct code *c, struct reader r)
{
    const struct ptx_instruction *in = at(c, r.instruction);
    bool memory = in->opcode == PTX_OP_LD || in->opcode == PTX_OP_ST || in->opcode == PTX_OP_ATOM ||
                  in->opcode == PTX_OP_RED;
    int address = in->writes_first ? 1 : 0;
    return memory && r.operand == 0 && in->operands[address].kind == PTX_OPERAND_ADDRESS;
}

static inline bool value_differs(const struct code *c, int i)
{
    const struct ptx_operand *to = &at(c, i)->operands[0];
    return to->kind != PTX_OPERAND_REGISTER || to->reg < 0 || c->differs[to->reg];
}

static inline const struct ptx_block *block_at(const struct code *c, int b)
{
    return &c->f->blocks[b];
}

static inline int last_of(const struct code *c, int b)
{
    return block_at(c, b)->first + block_at(c, b)->count - 1;
}

static inline bool is_branch(const struct code *c, int i)
{
    return at(c, i)->opcode == PTX_OP_BRA;
}

static inline bool same_branch(const struct code *c, int b)
{
    int guard = at(c, last_of(c, b))->guard;
    return guard >= 0 && !c->differs[guard];
}

static inline bool ends_with_choice(const struct code *c, int b)
{
    const struct ptx_block *block = block_at(c, b);
    return block->count > 0 && c->number[b] >= 0 && block->successor_count == 2 &&
           is_branch(c, last_of(c, b)) && at(c, last_of(c, b))->guard >= 0;
}

// What the predicate is of that the block's branch asks.
static inline const struct origin *asked_by(const struct code *c, int b)
{
    return &c->sources[c->first_source[last_of(c, b) + 1] - 1];
}

static inline bool same_value(const struct code *c, const struct origin *a, const struct origin *b)
{
    return a->kind == b->kind && a->bits == b->bits &&
           (a->kind == VALUE_MADE ? c->same[a->at] == c->same[b->at] : a->at == b->at);
}

// Is the instruction the last that reads the value?
static inline bool is_last_reader(const struct code *c, int value, int i)
{
    for (int r = c->first_reader[value]; r < c->first_reader[value + 1]; r++) {
        int reader = c->readers[r].instruction;
        if (reader > i || c->f->block_of[reader] != c->f->block_of[i])
            return false;
    }
    return true;
}

static inline bool is_number(const struct code *c, int i, int operand)
{
    return source_of(c, i, operand)->kind == VALUE_NUMBER;
}

static inline bool origin_differs(const struct code *c, const struct origin *v)
{
    int from = def_of(c, *v);
    return from >= 0 ? value_differs(c, from) : v->kind == VALUE_KEPT && c->differs[v->at];
}

static inline bool is_division(const struct ptx_instruction *in)
{
    return (in->opcode == PTX_OP_DIV || in->opcode == PTX_OP_REM) && in->guard < 0 &&
           !is_float(in) && bits_of(in) == 32;
}

// From parameters, special registers or a variable's place: what comes into registers once.
static inline bool is_brought(const struct ptx_instruction *in)
{
    if (in->opcode == PTX_OP_LD)
        return in->space_count > 0 && in->spaces[0] == PTX_SPACE_PARAM;
    const struct ptx_operand *from = &in->operands[1];
    return in->opcode == PTX_OP_MOV &&
           (from->kind == PTX_OPERAND_SYMBOL ||
            (from->kind == PTX_OPERAND_SPECIAL && !special_is_clock(from->special)));
}

static inline bool is_of_parameter(const struct code *c, struct origin v)
{
    int from = def_of(c, v);
    return from >= 0 && at(c, from)->opcode == PTX_OP_LD &&
           ptx_space_of(at(c, from)) == PTX_SPACE_PARAM;
}

// By its address: of global memory, or generic.
static inline bool is_in_global_memory(const struct ptx_instruction *in)
{
    enum ptx_space space = ptx_space_of(in);
    return space == PTX_SPACE_GLOBAL || space == PTX_SPACE_GENERIC;
}

static inline bool is_shared_symbol(const struct ptx_operand *op)
{
    return op->symbol != NULL && op->variable != NULL && op->variable->space == PTX_SPACE_SHARED;
}

#endif
