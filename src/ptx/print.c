// Prints modules as PTX that parses to the same module, and single instructions for messages. Bodies
// are flat: scopes are left out, and names that were declared in several of them get a number.
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
        text_add(out, o->selector ? "." : "");
        text_add(out, o->selector ? o->selector : "");
        print_offset(o->offset, out);
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

static void print_bits(enum ptx_type type, uint64_t bits, struct text *out)
{
    if (type == PTX_TYPE_F32)
        text_printf(out, "0f%08llX", (unsigned long long)bits);
    else if (type == PTX_TYPE_F64)
        text_printf(out, "0d%016llX", (unsigned long long)bits);
    else
        text_printf(out, "%llu", (unsigned long long)bits);
}

static void print_initial(const struct ptx_variable *v, struct text *out)
{
    uint64_t element = (uint64_t)(ptx_type_bits(v->type) + 7) / 8, n = v->size_bytes / element;
    bool braces = v->dimension_count > 0 || v->vector > 1;
    text_add(out, braces ? " = {" : " = ");
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
            print_bits(v->type, bits, out);
        }
    }
    text_add(out, braces ? "}" : "");
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

/* ---- a body --------------------------------------------------------------------------------------------- */

// The function with every name unlike the others, so that its scopes are not needed.
struct flat {
    struct arena arena;
    struct ptx_function f;
    const char **labels; // before each instruction and after the last; NULL = none
};

// Old code declares parameters as registers: those come first.
static bool register_is_parameter(const struct ptx_function *f, int reg)
{
    int count = 0;
    for (int i = 0; i < f->param_count; i++)
        count += f->params[i].space == PTX_SPACE_REGISTER;
    for (int i = 0; i < f->result_count; i++)
        count += f->results[i].space == PTX_SPACE_REGISTER;
    return reg < count;
}

static const char *unlike(struct arena *a, struct table *taken, const char *name)
{
    const char *own = name;
    for (int k = 1; table_has(taken, own); k++)
        own = arena_printf(a, "%s_%d", name, k);
    table_set(taken, own, (void *)taken);
    return own;
}

static const char *variable_name(const struct ptx_function *f, const struct ptx_variable *renamed,
                                 const struct ptx_variable *v, const char *symbol)
{
    bool own = v && v >= f->variables && v < f->variables + f->variable_count;
    return own ? renamed[v - f->variables].name : symbol;
}

// The label of a .branchtargets or .callprototype: it stands before no instruction.
static bool names_table(const struct ptx_function *f, const char *label)
{
    for (int i = 0; i < f->branch_target_count; i++)
        if (f->branch_targets[i].label && strcmp(f->branch_targets[i].label, label) == 0)
            return true;
    for (int i = 0; i < f->prototype_count; i++)
        if (f->prototypes[i].label && strcmp(f->prototypes[i].label, label) == 0)
            return true;
    return false;
}

static void flatten_operand(struct flat *t, const struct ptx_function *f, struct ptx_operand *o)
{
    struct ptx_operand *elements = ARENA_ARRAY(&t->arena, struct ptx_operand, o->element_count + 1);
    if (o->symbol && o->kind == PTX_OPERAND_LABEL)
        o->symbol = names_table(f, o->symbol) ? o->symbol : t->labels[o->target];
    else if (o->symbol)
        o->symbol = variable_name(f, t->f.variables, o->variable, o->symbol);
    for (int i = 0; i < o->element_count; i++) {
        elements[i] = o->elements[i];
        flatten_operand(t, f, &elements[i]);
    }
    o->elements = elements;
}

static void label_take(struct flat *t, struct table *taken, const char *name, int target)
{
    if (!t->labels[target])
        t->labels[target] = unlike(&t->arena, taken, name);
}

static void label_operands(struct flat *t, struct table *taken, const struct ptx_operand *o)
{
    if (o->kind == PTX_OPERAND_LABEL && !names_table(&t->f, o->symbol))
        label_take(t, taken, o->symbol, o->target);
    for (int i = 0; i < o->element_count; i++)
        label_operands(t, taken, &o->elements[i]);
}

static void flatten_names(struct flat *t, const struct ptx_function *f)
{
    struct table taken = {0};
    for (int i = 0; i < f->param_count; i++)
        table_set(&taken, f->params[i].name, &taken);
    for (int i = 0; i < f->result_count; i++)
        table_set(&taken, f->results[i].name, &taken);
    for (int i = 0; i < f->branch_target_count; i++)
        if (f->branch_targets[i].label)
            table_set(&taken, f->branch_targets[i].label, &taken);
    for (int i = 0; i < f->prototype_count; i++)
        if (f->prototypes[i].label)
            table_set(&taken, f->prototypes[i].label, &taken);
    t->f.registers = ARENA_ARRAY(&t->arena, struct ptx_register, f->register_count + 1);
    for (int i = 0; i < f->register_count; i++)
        t->f.registers[i] = (struct ptx_register){
            register_is_parameter(f, i) ? f->registers[i].name
                                        : unlike(&t->arena, &taken, f->registers[i].name),
            f->registers[i].type};
    t->f.variables = ARENA_ARRAY(&t->arena, struct ptx_variable, f->variable_count + 1);
    for (int i = 0; i < f->variable_count; i++) {
        t->f.variables[i] = f->variables[i];
        t->f.variables[i].name = unlike(&t->arena, &taken, f->variables[i].name);
    }
    t->labels = ARENA_ARRAY(&t->arena, const char *, f->instruction_count + 2);
    for (int i = 0; i < f->instruction_count; i++)
        for (int k = 0; k < f->instructions[i].operand_count; k++)
            label_operands(t, &taken, &f->instructions[i].operands[k]);
    for (int i = 0; i < f->branch_target_count; i++)
        for (int k = 0; k < f->branch_targets[i].count; k++)
            if (f->branch_targets[i].targets[k] >= 0) // else a function, of .calltargets
                label_take(t, &taken, f->branch_targets[i].names[k],
                           f->branch_targets[i].targets[k]);
    table_release(&taken);
}

static void print_registers(const struct ptx_function *f, const struct ptx_function *flat,
                            struct text *out)
{
    for (int i = 0; i < f->register_count;) {
        int last = i;
        if (register_is_parameter(f, i)) {
            i++;
            continue;
        }
        text_printf(out, "    .reg .%s %s", ptx_type_name(flat->registers[i].type),
                    flat->registers[i].name);
        while (last + 1 < f->register_count && last - i < 7 &&
               flat->registers[last + 1].type == flat->registers[i].type &&
               !register_is_parameter(f, last + 1))
            text_printf(out, ", %s", flat->registers[++last].name);
        text_add(out, ";\n");
        i = last + 1;
    }
}

static void print_tables(const struct ptx_function *f, const struct flat *t, struct text *out)
{
    for (int i = 0; i < f->branch_target_count; i++) {
        const struct ptx_branch_targets *b = &f->branch_targets[i];
        text_printf(out, "%s%s.branchtargets ", b->label ? b->label : "", b->label ? ": " : "");
        for (int k = 0; k < b->count; k++)
            text_printf(out, "%s%s", k ? ", " : "",
                        b->targets[k] >= 0 ? t->labels[b->targets[k]] : b->names[k]);
        text_add(out, ";\n");
    }
    for (int i = 0; i < f->prototype_count; i++) {
        const struct ptx_prototype *p = &f->prototypes[i];
        text_printf(out, "%s%s.callprototype ", p->label ? p->label : "", p->label ? ": " : "");
        if (p->result_count)
            print_variables(p->results, p->result_count, out);
        text_add(out, " _ ");
        print_variables(p->params, p->param_count, out);
        text_add(out, ";\n");
    }
}

static bool same_place(const struct ptx_instruction *a, const struct ptx_instruction *b)
{
    return a->source_file == b->source_file && a->source_line == b->source_line &&
           a->inlined_line == b->inlined_line &&
           (a->inlined_line == 0 || a->inlined_file == b->inlined_file);
}

static void print_loc(const struct ptx_instruction *in, const struct ptx_instruction *before,
                      struct text *out)
{
    if (in->source_file < 0 || (before && same_place(in, before)))
        return;
    text_printf(out, "    .loc %d %d 0", in->source_file, in->source_line);
    if (in->inlined_line > 0)
        text_printf(out, ", function_name $L__name, inlined_at %d %d 0", in->inlined_file,
                    in->inlined_line);
    text_add(out, "\n");
}

static void print_body(const struct ptx_function *f, struct text *out)
{
    struct flat t = {.f = *f};
    flatten_names(&t, f);
    text_add(out, "\n{\n");
    print_registers(f, &t.f, out);
    for (int i = 0; i < f->variable_count; i++) {
        text_add(out, "    ");
        print_variable(&t.f.variables[i], out);
        text_add(out, ";\n");
    }
    print_tables(f, &t, out);
    for (int i = 0; i < f->instruction_count; i++) {
        struct ptx_instruction in = f->instructions[i];
        for (int k = 0; k < in.operand_count; k++)
            flatten_operand(&t, f, &in.operands[k]);
        if (t.labels[i])
            text_printf(out, "%s:\n", t.labels[i]);
        print_loc(&in, i > 0 ? &f->instructions[i - 1] : NULL, out);
        text_add(out, "    ");
        ptx_print_instruction(&t.f, &in, out);
        text_add(out, "\n");
    }
    if (t.labels[f->instruction_count])
        text_printf(out, "%s:\n", t.labels[f->instruction_count]);
    text_add(out, "}\n");
    arena_release(&t.arena);
}

static void print_file(int index, const char *name, struct text *out)
{
    text_printf(out, ".file %d \"", index);
    for (; *name; name++)
        text_printf(out, *name == '"' || *name == '\\' ? "\\%c" : "%c", *name);
    text_add(out, "\"\n");
}

void ptx_print(const struct ptx_module *m, struct text *out)
{
    text_printf(out, ".version %d.%d\n.target %s\n.address_size %d\n", m->version_major,
                m->version_minor, m->target ? m->target : "sm_70", m->address_size);
    for (int i = 0; i < m->file_count; i++)
        if (m->files[i])
            print_file(i, m->files[i], out);
    for (int i = 0; i < m->variable_count; i++) {
        const struct ptx_variable *v = &m->variables[i];
        print_linkage(v->is_extern, v->is_visible, v->is_weak, out);
        print_variable(v, out);
        text_add(out, ";\n");
    }
    for (int i = 0; i < m->function_count; i++) {
        const struct ptx_function *f = &m->functions[i];
        print_head(f, out);
        if (f->has_body)
            print_body(f, out);
        else
            text_add(out, ";\n");
    }
}
