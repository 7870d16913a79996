// Loops that ptxas unrolls, as far as the registers that their turns take together are concerned; sim/decode/lower_loops.c knows
// more of them.
// SPDX-License-Identifier: Apache-2.0
#include "ptx/internal.h"

static bool is_load(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OP_LD && ptx_space_of(in) != PTX_SPACE_PARAM &&
           ptx_space_of(in) != PTX_SPACE_CONST;
}

bool ptx_is_step(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OP_ADD && in->guard < 0 && in->operand_count == 3 &&
           in->operands[0].kind == PTX_OPERAND_REGISTER &&
           in->operands[1].kind == PTX_OPERAND_REGISTER &&
           in->operands[1].reg == in->operands[0].reg &&
           in->operands[2].kind == PTX_OPERAND_IMMEDIATE;
}

bool ptx_unrolls(const struct ptx_function *f, int block)
{
    enum { SHORT = 18, WITH_LOADS = 46, EACH_SHARED = 5, LONG = 96 };
    const struct ptx_block *b = &f->blocks[block];
    int operations = 0, room = SHORT;
    bool loads = false, counts = false;
    if (b->successor_count != 2 || (b->successors[0] != block && b->successors[1] != block))
        return false;
    for (int i = b->first; i < b->first + b->count; i++) {
        const struct ptx_instruction *in = &f->instructions[i];
        enum ptx_class class = ptx_opcode_class(in->opcode);
        if (in->nounroll || in->opcode == PTX_OP_CALL || class == PTX_CLASS_BARRIER ||
            class == PTX_CLASS_WARP || class == PTX_CLASS_ATOMIC || class == PTX_CLASS_TENSOR ||
            class == PTX_CLASS_FENCE)
            return false;
        if (is_load(in) && ptx_space_of(in) == PTX_SPACE_SHARED)
            room += EACH_SHARED;
        loads |= is_load(in) && ptx_space_of(in) != PTX_SPACE_SHARED;
        counts |= ptx_is_step(in);
        operations +=
            class != PTX_CLASS_FREE && in->opcode != PTX_OP_BRA && in->opcode != PTX_OP_SETP;
    }
    room = loads && room < WITH_LOADS ? WITH_LOADS : room;
    return counts && operations <= (room < LONG ? room : LONG);
}
