// What lies behind a pointer, by the instructions that use it: the address is followed from the parameter, or from the
// name of a variable, through moves, conversions and additions to loads, stores and atomics.
// SPDX-License-Identifier: Apache-2.0
#include "replay/internal.h"

#include <stdlib.h>
#include <string.h>

struct following {
    const struct ptx_function *kernel;
    const struct ptx_variable *parameter; // with the offset of the pointer in it, or
    uint64_t offset;
    const struct ptx_variable *named; // … a variable of the module
    bool *reaches;                    // registers that hold an address of it
    const char *type;
    bool several, grew;
};

static bool passes_address_on(enum ptx_opcode op)
{
    return op == PTX_OP_CVTA || op == PTX_OP_MOV || op == PTX_OP_ADD || op == PTX_OP_SUB ||
           op == PTX_OP_MAD || op == PTX_OP_SELP;
}

static bool is_parameter_load(const struct following *f, const struct ptx_instruction *in)
{
    const struct ptx_operand *from = &in->operands[1];
    return f->parameter && in->opcode == PTX_OP_LD && in->space_count > 0 &&
           in->spaces[0] == PTX_SPACE_PARAM && from->kind == PTX_OPERAND_ADDRESS &&
           from->variable == f->parameter && from->offset >= 0;
}

static void reach(struct following *f, const struct ptx_operand *to)
{
    if (to->kind == PTX_OPERAND_REGISTER && !f->reaches[to->reg])
        f->reaches[to->reg] = f->grew = true;
}

static void take_parameter(struct following *f, const struct ptx_instruction *in)
{
    const struct ptx_operand *to = &in->operands[0];
    uint64_t first = (uint64_t)in->operands[1].offset;
    if (to->kind == PTX_OPERAND_REGISTER && first == f->offset)
        reach(f, to);
    for (int i = 0; to->kind == PTX_OPERAND_VECTOR && i < to->element_count; i++)
        if (first + 8 * (uint64_t)i == f->offset)
            reach(f, &to->elements[i]);
}

static bool reads_address(const struct following *f, const struct ptx_instruction *in)
{
    for (int i = 1; i < in->operand_count; i++) {
        const struct ptx_operand *x = &in->operands[i];
        if ((x->kind == PTX_OPERAND_REGISTER && f->reaches[x->reg]) ||
            (x->kind == PTX_OPERAND_SYMBOL && f->named && x->variable == f->named))
            return true;
    }
    return false;
}

static const char *ours(enum ptx_type t)
{
    static const char *const whole[] = {[8] = "u8", [16] = "u16", [32] = "u32", [64] = "u64"};
    static const char *const with_sign[] = {[8] = "i8", [16] = "i16", [32] = "i32", [64] = "i64"};
    size_t bits = (size_t)ptx_type_bits(t);
    enum ptx_type_kind kind = ptx_type_kind(t);
    if (bits >= COUNT_OF(whole) || !whole[bits])
        return NULL;
    if (kind == PTX_KIND_FLOAT)
        return bits == 64 ? "f64" : bits == 32 ? "f32" : bits == 16 ? "f16" : NULL;
    return kind == PTX_KIND_SIGNED ? with_sign[bits] : whole[bits];
}

static void take_access(struct following *f, const struct ptx_instruction *in)
{
    enum ptx_class class = ptx_opcode_class(in->opcode);
    if (class != PTX_CLASS_MEMORY && class != PTX_CLASS_ATOMIC)
        return;
    for (int i = 0; i < in->operand_count; i++) {
        const struct ptx_operand *x = &in->operands[i];
        if (x->kind != PTX_OPERAND_ADDRESS || x->reg < 0 || !f->reaches[x->reg])
            continue;
        const char *type = in->type_count > 0 ? ours(in->types[0]) : NULL;
        f->several = f->several || !type || (f->type && strcmp(f->type, type) != 0);
        f->type = type;
    }
}

static bool *follow(struct following *f)
{
    f->reaches = xcalloc((size_t)f->kernel->register_count + 1, sizeof *f->reaches);
    do {
        f->grew = false;
        for (int i = 0; i < f->kernel->instruction_count; i++) {
            const struct ptx_instruction *in = &f->kernel->instructions[i];
            if (is_parameter_load(f, in))
                take_parameter(f, in);
            else if (passes_address_on(in->opcode) && in->operand_count > 1 && reads_address(f, in))
                reach(f, &in->operands[0]);
        }
    } while (f->grew);
    return f->reaches;
}

bool *replay_reached(const struct ptx_function *kernel, int parameter, uint64_t offset)
{
    struct following f = {
        .kernel = kernel, .parameter = &kernel->params[parameter], .offset = offset};
    return follow(&f);
}

bool *replay_reached_from(const struct ptx_function *kernel, const struct ptx_variable *variable)
{
    struct following f = {.kernel = kernel, .named = variable};
    return follow(&f);
}

const char *replay_pointed_type(const struct ptx_function *kernel, int parameter, uint64_t offset)
{
    struct following f = {.kernel = kernel, .reaches = replay_reached(kernel, parameter, offset)};
    for (int i = 0; i < kernel->instruction_count; i++)
        take_access(&f, &kernel->instructions[i]);
    free(f.reaches);
    return f.several ? NULL : f.type;
}
