// Prints a module so that parsing the print gives the same module: the round-trip test's other half,
// and the text of an instruction in messages.
// SPDX-License-Identifier: Apache-2.0
#include "ptx/internal.h"

#include <string.h>

static void print_operand(const struct ptx_function *f, const struct ptx_operand *o, struct text *out);

static void print_elements(const struct ptx_function *f, const struct ptx_operand *o, const char *open,
                           const char *separator, const char *close, struct text *out)
{
    text_add(out, open);
    for (int i = 0; i < o->element_count; i++) {
        text_add(out, i ? separator : "");
        print_operand(f, &o->elements[i], out);
    }
    text_add(out, close);
}

static void print_immediate(const struct ptx_operand *o, struct text *out)
{
    if (o->immediate_type == PTX_TYPE_F32)
        text_printf(out, "0f%08llX", (unsigned long long)o->bits);
    else if (o->immediate_type == PTX_TYPE_F64)
        text_printf(out, "0d%016llX", (unsigned long long)o->bits);
    else if ((int64_t)o->bits < 0 && o->bits != (uint64_t)1 << 63)
        text_printf(out, "-%llu", (unsigned long long)(0 - o->bits));
    else
        text_printf(out, "%llu", (unsigned long long)o->bits);
}

static void print_offset(int64_t offset, struct text *out)
{
    if (offset != 0)
        text_printf(out, "%+lld", (long long)offset);
}

static void print_operand(const struct ptx_function *f, const struct ptx_operand *o, struct text *out)
{
    static const char components[] = "xyzw";
    text_add(out, o->negated ? "!" : o->minus ? "-" : "");
    switch (o->kind) {
    case PTX_OPERAND_REGISTER:
        text_add(out, f->registers[o->reg].name);
        break;
    case PTX_OPERAND_IMMEDIATE:
        print_immediate(o, out);
        break;
    case PTX_OPERAND_ADDRESS:
        text_add(out, "[");
        if (o->reg >= 0 || o->symbol) {
            text_add(out, o->reg >= 0 ? f->registers[o->reg].name : o->symbol);
            print_offset(o->offset, out);
        } else {
            text_printf(out, "%lld", (long long)o->offset);
        }
        if (o->element_count)
            print_elements(f, o, ", {", ", ", "}", out);
        text_add(out, "]");
        break;
    case PTX_OPERAND_SYMBOL:
    case PTX_OPERAND_LABEL:
        text_add(out, o->symbol);
        print_offset(o->offset, out);
        break;
    case PTX_OPERAND_SPECIAL:
        text_add(out, ptx_special_name(o->special));
        if (o->component >= 0)
            text_printf(out, ".%c", components[o->component]);
        break;
    case PTX_OPERAND_VECTOR:
        print_elements(f, o, "{", ", ", "}", out);
        break;
    case PTX_OPERAND_PAIR:
        print_elements(f, o, "", "|", "", out);
        break;
    case PTX_OPERAND_LIST:
        print_elements(f, o, "(", ", ", ")", out);
        break;
    case PTX_OPERAND_SINK:
        text_add(out, "_");
        break;
    }
}

void ptx_print_instruction(const struct ptx_function *f, const struct ptx_instruction *in, struct text *out)
{
    if (in->guard >= 0)
        text_printf(out, "@%s%s ", in->guard_negated ? "!" : "", f->registers[in->guard].name);
    int first = in->opcode == PTX_OP_UNKNOWN ? 1 : 0;
    text_add(out, first ? in->words[0] : ptx_opcode_name(in->opcode));
    for (int i = first; i < in->word_count; i++)
        text_printf(out, ".%s", in->words[i]);
    for (int i = 0; i < in->operand_count; i++) {
        text_add(out, i ? ", " : " ");
        print_operand(f, &in->operands[i], out);
    }
    text_add(out, ";");
}
