// Which values of 64 bits count in both halves. An address in shared, local or constant memory has 32 bits in the machine, and
// what PTX works out in 64 for it, or narrows afterwards, needs no high half.
// SPDX-License-Identifier: Apache-2.0
#include "ptx/ptx.h"

static bool is_near_access(const struct ptx_instruction *in)
{
    return (in->opcode == PTX_OP_LD || in->opcode == PTX_OP_ST || in->opcode == PTX_OP_ATOM ||
            in->opcode == PTX_OP_RED) &&
           in->space_count > 0 &&
           (in->spaces[0] == PTX_SPACE_SHARED || in->spaces[0] == PTX_SPACE_LOCAL ||
            in->spaces[0] == PTX_SPACE_CONST || in->spaces[0] == PTX_SPACE_PARAM);
}

static bool is_integer(const struct ptx_instruction *in, int type)
{
    return in->type_count > type && ptx_type_kind(in->types[type]) != PTX_KIND_FLOAT;
}

bool ptx_keeps_low(const struct ptx_instruction *in)
{
    switch (in->opcode) {
    case PTX_OP_ADD:
    case PTX_OP_SUB:
    case PTX_OP_SHL:
    case PTX_OP_AND:
    case PTX_OP_OR:
    case PTX_OP_XOR:
    case PTX_OP_MOV:
        return true;
    case PTX_OP_MUL:
        return ptx_has_modifier(in, PTX_MOD_LO);
    default:
        return false;
    }
}

// What this instruction does with the operand's value: true, all of it may count.
static bool wants_high(const struct ptx_instruction *in, const struct ptx_operand *op,
                       const bool *high)
{
    if (op->kind == PTX_OPERAND_ADDRESS)
        return !is_near_access(in);
    if (op->kind != PTX_OPERAND_REGISTER)
        return true;
    if (in->opcode == PTX_OP_CVT && is_integer(in, 0) && is_integer(in, 1))
        return ptx_type_bits(in->types[0]) == 64;
    const struct ptx_operand *to = &in->operands[0];
    bool narrow = ptx_keeps_low(in) && is_integer(in, 0) && to->kind == PTX_OPERAND_REGISTER &&
                  to->reg >= 0 && !high[to->reg];
    return !narrow;
}

// Until nothing changes.
void ptx_high_halves(const struct ptx_function *f, bool *high)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = f->instruction_count - 1; i >= 0; i--) {
            const struct ptx_instruction *in = &f->instructions[i];
            for (int k = in->writes_first ? 1 : 0; k < in->operand_count; k++) {
                const struct ptx_operand *op = &in->operands[k];
                for (int e = 0; e < op->element_count; e++) {
                    int reg = op->elements[e].reg;
                    changed = changed || (reg >= 0 && !high[reg]);
                    if (reg >= 0)
                        high[reg] = true;
                }
                if ((op->kind != PTX_OPERAND_REGISTER && op->kind != PTX_OPERAND_ADDRESS) ||
                    op->reg < 0 || high[op->reg] || !wants_high(in, op, high))
                    continue;
                high[op->reg] = changed = true;
            }
        }
    }
}
