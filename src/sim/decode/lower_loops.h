// What is asked of loops where they are unrolled (lower_loops.c) and where their pointers are stepped (lower_pointers.c).
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_DECODE_LOWER_LOOPS_H
#define RIDGE_SIM_DECODE_LOWER_LOOPS_H

#include "sim/decode/lower_forms.h"

static inline int block_of(const struct code *c, int i)
{
    return c->f->block_of[i];
}

static inline bool is_inside(const struct code *c, int i, int loop)
{
    return block_of(c, i) >= 0 && in_loop(c, block_of(c, i), loop);
}

// Does the instruction add something to the register that it writes? Not of floats.
static inline bool steps(const struct code *c, int i)
{
    const struct ptx_instruction *in = at(c, i);
    if ((in->opcode != PTX_OP_ADD && in->opcode != PTX_OP_SUB) || in->guard >= 0 ||
        in->operands[0].kind != PTX_OPERAND_REGISTER || in->type_count == 0 ||
        ptx_type_kind(in->types[0]) == PTX_KIND_FLOAT)
        return false;
    const struct origin *a = source_of(c, i, 0);
    return a->kind == VALUE_KEPT && a->at == in->operands[0].reg;
}

static inline bool counts(const struct code *c, int i)
{
    return steps(c, i) && source_of(c, i, 1)->kind == VALUE_NUMBER;
}

static inline bool is_local(const struct ptx_instruction *in, enum ptx_space space)
{
    return in->space_count > 0 && in->spaces[0] == space;
}

// Of a loop that is not written out: the moves of its pointers in each turn.
void code_pointers(struct code *c, int loop);

#endif
