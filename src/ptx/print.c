// Prints modules for people: heads and variables in PTX syntax, bodies as flat lists of instructions,
// and single instructions for messages.
// SPDX-License-Identifier: Apache-2.0
#include "ptx/internal.h"

#include <string.h>

static void print_operand(const struct ptx_function *f, const struct ptx_operand *o,
                          struct text *out);

static void print_elements(const struct ptx_function *f, const struct ptx_operand *o,
                           const char *open, const char *separator, const char *close,
                           struct text *out)
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

static void print_operand(const struct ptx_function *f, const struct ptx_operand *o,
                          struct text *out)
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

void ptx_print_instruction(const struct ptx_function *f, const struct ptx_instruction *in,
                           struct text *out)
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

/* ---- the module ------------------------------------------------------------------------------------------ */

static void print_initial(const struct ptx_variable *v, struct text *out)
{
    uint64_t element = (uint64_t)(ptx_type_bits(v->type) + 7) / 8, n = v->size_bytes / element;
    text_add(out, v->dimension_count ? " = {" : " = ");
    for (uint64_t i = 0; i < n; i++) {
        const struct ptx_relocation *r = NULL;
        for (size_t k = 0; k < v->relocation_count; k++)
            if (v->relocations[k].offset_bytes == i * element)
                r = &v->relocations[k];
        uint64_t bits = 0;
        memcpy(&bits, v->initial + i * element, element < 8 ? element : 8);
        text_add(out, i ? ", " : "");
        if (r) {
            text_printf(out, r->generic ? "generic(%s)" : "%s", r->symbol);
            print_offset(r->addend, out);
        } else {
            text_printf(out, "%llu", (unsigned long long)bits);
        }
    }
    text_add(out, v->dimension_count ? "}" : "");
}

static void print_variable(const struct ptx_variable *v, struct text *out)
{
    text_printf(out, ".%s .align %d", ptx_space_name(v->space), v->align_bytes);
    if (v->vector > 1)
        text_printf(out, " .v%d", v->vector);
    text_printf(out, " .%s %s", ptx_type_name(v->type), v->name);
    for (int i = 0; i < v->dimension_count; i++) {
        if (v->dimensions[i] < 0)
            text_add(out, "[]");
        else
            text_printf(out, "[%lld]", (long long)v->dimensions[i]);
    }
    if (v->initial)
        print_initial(v, out);
}

static void print_variables(const struct ptx_variable *v, int count, struct text *out)
{
    text_add(out, "(");
    for (int i = 0; i < count; i++) {
        text_add(out, i ? ", " : "");
        if (v[i].space == PTX_SPACE_REGISTER)
            text_printf(out, ".reg .%s %s", ptx_type_name(v[i].type), v[i].name);
        else
            print_variable(&v[i], out);
    }
    text_add(out, ")");
}

static void print_linkage(bool is_extern, bool is_visible, bool is_weak, struct text *out)
{
    text_add(out, is_extern ? ".extern " : is_visible ? ".visible " : is_weak ? ".weak " : "");
}

static void print_three(const char *name, const int v[3], struct text *out)
{
    if (v[0])
        text_printf(out, "\n%s %d, %d, %d", name, v[0], v[1] ? v[1] : 1, v[2] ? v[2] : 1);
}

static void print_head(const struct ptx_function *f, struct text *out)
{
    print_linkage(f->is_extern, f->is_visible, f->is_weak, out);
    text_add(out, f->is_entry ? ".entry " : ".func ");
    if (f->result_count)
        print_variables(f->results, f->result_count, out);
    text_printf(out, " %s", f->name);
    print_variables(f->params, f->param_count, out);
    print_three(".maxntid", f->maxntid, out);
    print_three(".reqntid", f->reqntid, out);
    if (f->minnctapersm)
        text_printf(out, "\n.minnctapersm %d", f->minnctapersm);
    if (f->maxnreg)
        text_printf(out, "\n.maxnreg %d", f->maxnreg);
    print_three(".reqnctapercluster", f->cluster, out);
    if (f->is_noreturn)
        text_add(out, "\n.noreturn");
}

void ptx_print(const struct ptx_module *m, struct text *out)
{
    text_printf(out, ".version %d.%d\n.target %s\n.address_size %d\n", m->version_major,
                m->version_minor, m->target ? m->target : "sm_70", m->address_size);
    for (int i = 0; i < m->file_count; i++)
        if (m->files[i])
            text_printf(out, ".file %d \"%s\"\n", i, m->files[i]);
    for (int i = 0; i < m->variable_count; i++) {
        const struct ptx_variable *v = &m->variables[i];
        print_linkage(v->is_extern, v->is_visible, v->is_weak, out);
        print_variable(v, out);
        text_add(out, ";\n");
    }
    // Bodies are printed flat: every instruction, without the scopes that only held names.
    for (int i = 0; i < m->function_count; i++) {
        const struct ptx_function *f = &m->functions[i];
        print_head(f, out);
        text_add(out, f->has_body ? "\n{\n" : ";\n");
        for (int k = 0; f->has_body && k < f->instruction_count; k++) {
            text_add(out, "    ");
            ptx_print_instruction(f, &f->instructions[k], out);
            text_add(out, "\n");
        }
        text_add(out, f->has_body ? "}\n" : "");
    }
}
