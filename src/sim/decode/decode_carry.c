// Carries, for the model of time only: what an instruction with .cc leaves is a value of its own, a predicate of the machine's,
// that the next one of the block that asks for a carry waits for. Chains of different sums do not wait for each other.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/decode.h"

static bool reads_carry(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OP_ADDC || in->opcode == PTX_OP_SUBC || in->opcode == PTX_OP_MADC;
}

void carries_link(struct program *p)
{
    enum { NONE = -1 };
    for (int n = 0; n < p->function_count; n++) {
        const struct ptx_function *f = p->functions[n].ptx;
        struct timing_site *sites = &p->timing[p->functions[n].site_base];
        int carry = NONE, block = NONE;
        for (int i = 0; i < f->instruction_count; i++) {
            const struct ptx_instruction *in = &f->instructions[i];
            if (f->block_of[i] != block)
                carry = NONE;
            block = f->block_of[i];
            if (reads_carry(in) && carry != NONE)
                timing_register(sites[i].source, &sites[i].source_count, carry);
            if (!ptx_has_modifier(in, PTX_MOD_CC))
                continue;
            carry = p->register_count++;
            timing_register(sites[i].result, &sites[i].result_count, carry);
        }
    }
}
