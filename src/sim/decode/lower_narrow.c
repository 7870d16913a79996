// Values of 64 bits of which only the low half counts. An address in shared memory has 32 bits in the machine, and what PTX
// works out in 64 for it, ptxas works out in 32: the sum is one IADD3, the product of twice the width an IMAD.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/decode.h"

#include <stdlib.h>

static bool is_integer(const struct ptx_instruction *in)
{
    return in->type_count > 0 && ptx_type_kind(in->types[0]) != PTX_KIND_FLOAT;
}

static void narrow(const struct ptx_instruction *in, struct timing_site *t)
{
    if (t->pipe == PIPE_MULTIPLY_WIDE || (in->opcode == PTX_OP_MUL && t->pipe == PIPE_MULTIPLY)) {
        t->pipe = PIPE_MULTIPLY;
        t->operation = OPERATION_NONE;
    } else if (in->opcode == PTX_OP_CVT) {
        t->pipe = PIPE_NONE;
    } else if (t->pipe != PIPE_ADD && t->pipe != PIPE_INTEGER && t->pipe != PIPE_MULTIPLY) {
        return;
    }
    t->issue_slots = 1;
    t->other_slots = 0;
}

void lower_narrow(const struct decoder *d, struct timing_site *sites)
{
    const struct ptx_function *f = d->f;
    bool *high = xcalloc((size_t)f->register_count + 1, sizeof *high);
    ptx_high_halves(f, high);
    for (int i = 0; i < f->instruction_count; i++) {
        const struct ptx_instruction *in = &f->instructions[i];
        const struct ptx_operand *to = &in->operands[0];
        bool wide = is_integer(in) &&
                    (ptx_type_bits(in->types[0]) == 64 || ptx_has_modifier(in, PTX_MOD_WIDE));
        if (in->writes_first && wide && to->kind == PTX_OPERAND_REGISTER && to->reg >= 0 &&
            !high[to->reg] &&
            (ptx_keeps_low(in) || in->opcode == PTX_OP_MUL || in->opcode == PTX_OP_CVT))
            narrow(in, &sites[i]);
    }
    free(high);
}
