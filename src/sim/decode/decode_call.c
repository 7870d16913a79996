// Calls: arguments and results pass through .param variables, which lie in local memory. Older code names
// registers in their place, in the call or as a function's own parameters: they get a place there too,
// and are copied before and after.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/decode.h"

static unsigned value_bytes(unsigned bits)
{
    return bits <= 32 ? 4 : bits / 8;
}

static void row_to_local(struct decoder *d, uint32_t row, uint32_t at, unsigned bytes)
{
    struct uop *u = emit_always(d, op_row_to_local);
    u->a = row;
    u->imm = at;
    u->small = (uint16_t)bytes;
}

static void local_to_row(struct decoder *d, uint32_t row, uint32_t at, unsigned bytes)
{
    struct uop *u = emit_always(d, op_local_to_row);
    u->d = row;
    u->imm = at;
    u->small = (uint16_t)bytes;
}

// Bytes of one register of that type in a .param variable; a predicate is a word.
static unsigned type_bytes(enum ptx_type t)
{
    unsigned bits = (unsigned)ptx_type_bits(t);
    return bits < 8 ? 4 : bits / 8;
}

static bool is_value(const struct ptx_operand *o)
{
    return o->kind == PTX_OPERAND_REGISTER || o->kind == PTX_OPERAND_IMMEDIATE ||
           o->kind == PTX_OPERAND_VECTOR || o->kind == PTX_OPERAND_SINK;
}

struct parts { // the registers of an operand: itself, or a vector's elements
    const struct ptx_operand *first;
    int count;
};

static struct parts parts_of(const struct ptx_operand *o)
{
    return o->kind == PTX_OPERAND_VECTOR ? (struct parts){o->elements, o->element_count}
                                         : (struct parts){o, 1};
}

static unsigned part_bytes(const struct decoder *d, const struct ptx_operand *o,
                           const struct ptx_variable *formal)
{
    if (formal != NULL && formal->type != PTX_TYPE_NONE && formal->dimension_count == 0)
        return type_bytes(formal->type);
    return o->reg >= 0 && o->kind == PTX_OPERAND_REGISTER ? type_bytes(d->f->registers[o->reg].type)
                                                          : 8;
}

// Offsets and sizes of what a call passes or takes, in local memory.
static bool call_places(struct decoder *d, const struct ptx_operand *list,
                        const struct ptx_variable *formals, int formal_count, const uint32_t **at,
                        const uint32_t **sizes, int *count)
{
    struct arena *a = &d->program->arena;
    uint32_t *o = ARENA_ARRAY(a, uint32_t, list->element_count + 1);
    uint32_t *s = ARENA_ARRAY(a, uint32_t, list->element_count + 1);
    for (int i = 0; i < list->element_count; i++) {
        const struct ptx_operand *value = &list->elements[i];
        const struct ptx_variable *v = value->variable;
        if (is_value(value)) {
            struct parts parts = parts_of(value);
            unsigned bytes = part_bytes(d, parts.first, i < formal_count ? &formals[i] : NULL);
            s[i] = bytes * (uint32_t)parts.count;
            o[i] = local_room(d, s[i], bytes);
            continue;
        }
        if (!variable_local(d, v, &o[i]))
            return false;
        s[i] = (uint32_t)v->size_bytes;
    }
    *at = o;
    *sizes = s;
    *count = list->element_count;
    return true;
}

typedef void (*value_copy)(struct decoder *d, const struct ptx_operand *part, uint32_t at,
                           unsigned bytes);

static void value_pass(struct decoder *d, const struct ptx_operand *part, uint32_t at,
                       unsigned bytes)
{
    bool predicate = part->kind == PTX_OPERAND_REGISTER && reg_bits(d, part->reg) == 1;
    if (part->kind == PTX_OPERAND_SINK)
        return;
    uint32_t row = source_row(d, part, predicate ? 1 : bytes == 8 ? 64 : 32, PTX_TYPE_B64);
    row_to_local(d, row, at, predicate ? 0 : bytes);
}

static void value_take(struct decoder *d, const struct ptx_operand *part, uint32_t at,
                       unsigned bytes)
{
    uint32_t row = result_row(d, part);
    if (row == NO_ROW)
        return;
    unsigned bits = reg_bits(d, part->reg), most = value_bytes(bits);
    local_to_row(d, row, at, bits == 1 ? 0 : bytes < most ? bytes : most);
}

// Registers named in a call's list, to or from their places in local memory.
static void values_copy(struct decoder *d, const struct ptx_operand *list, const uint32_t *at,
                        const uint32_t *sizes, value_copy copy)
{
    for (int i = 0; i < list->element_count; i++) {
        const struct ptx_operand *value = &list->elements[i];
        struct parts parts = parts_of(value);
        unsigned bytes = sizes[i] / (unsigned)parts.count;
        for (int k = 0; is_value(value) && k < parts.count; k++)
            copy(d, &parts.first[k], at[i] + (uint32_t)k * bytes, bytes);
    }
}

// A function's own register parameters (or results): the first registers of the body.
static void formals_copy(struct decoder *d, const struct ptx_variable *v, int count,
                         const uint32_t *at, int *reg, bool in)
{
    for (int i = 0; i < count; i++)
        for (int k = 0; v[i].space == PTX_SPACE_REGISTER && k < v[i].vector; k++, (*reg)++) {
            unsigned bytes = ptx_type_bits(v[i].type) == 1 ? 0 : type_bytes(v[i].type);
            uint32_t row = d->row[*reg], place = at[i] + (uint32_t)k * (bytes > 0 ? bytes : 4);
            if (row != NO_ROW && in)
                local_to_row(d, row, place, bytes);
            else if (row != NO_ROW)
                row_to_local(d, row, place, bytes);
        }
}

void formals_take(struct decoder *d)
{
    int reg = 0;
    if (!d->f->is_entry)
        formals_copy(d, d->f->params, d->f->param_count, d->out->formals, &reg, true);
}

int formal_registers(const struct ptx_function *f)
{
    int count = 0;
    for (int i = 0; i < f->param_count; i++)
        count += f->params[i].space == PTX_SPACE_REGISTER ? f->params[i].vector : 0;
    for (int i = 0; i < f->result_count; i++)
        count += f->results[i].space == PTX_SPACE_REGISTER ? f->results[i].vector : 0;
    return count;
}

// Before the function's end, where paths meet again: its head looks for those that do.
void formals_give(struct decoder *d)
{
    const struct ptx_function *f = d->f;
    int reg = 0;
    bool any = false;
    for (int i = 0; i < f->param_count; i++)
        reg += f->params[i].space == PTX_SPACE_REGISTER ? f->params[i].vector : 0;
    for (int i = 0; i < f->result_count; i++)
        any |= f->results[i].space == PTX_SPACE_REGISTER;
    if (f->is_entry || !any)
        return;
    emit_always(d, op_meet);
    formals_copy(d, f->results, f->result_count, d->out->returns, &reg, false);
}

void decode_call(struct decoder *d, const struct ptx_instruction *in)
{
    struct program *p = d->program;
    struct call call = {.function = -1, .external = -1};
    int i = 0;
    bool ok = true;
    const struct ptx_operand *results = NULL, *args = NULL;
    if (in->operand_count > 0 && in->operands[0].kind == PTX_OPERAND_LIST)
        results = &in->operands[i++];
    const struct ptx_operand *target = i < in->operand_count ? &in->operands[i++] : NULL;
    if (i < in->operand_count && in->operands[i].kind == PTX_OPERAND_LIST)
        args = &in->operands[i];
    const struct ptx_function *f = target != NULL ? target->function : NULL;
    if (results != NULL)
        ok = call_places(d, results, f ? f->results : NULL, f ? f->result_count : 0, &call.results,
                         &call.result_sizes, &call.result_count);
    if (ok && args != NULL)
        ok = call_places(d, args, f ? f->params : NULL, f ? f->param_count : 0, &call.args,
                         &call.arg_sizes, &call.arg_count);
    if (!ok || target == NULL) {
        unsupported(d, "a call whose arguments are neither registers nor .param variables");
        return;
    }
    uop_fn run = op_call_indirect;
    uint32_t pointer = ALWAYS;
    if (target->kind == PTX_OPERAND_REGISTER) {
        pointer = source_row(d, target, 64, PTX_TYPE_U64);
    } else if (target->function != NULL && program_function(p, target->function) >= 0) {
        call.function = program_function(p, target->function);
        run = op_call;
    } else {
        call.external = external_find(target->symbol != NULL ? target->symbol : "");
        run = op_call_external;
        if (call.external < 0) {
            unsupported(d, "a call of a function without a body in this PTX: link its definition "
                           "into the module (nvcc -rdc=false, or #include its source)");
            return;
        }
        p->order_shows |= external_order_shows(call.external);
        p->uses_heap |= external_uses_heap(call.external);
    }
    branch_around(d, in);
    if (args != NULL)
        values_copy(d, args, call.args, call.arg_sizes, value_pass);
    struct uop *u = emit_always(d, run);
    u->a = pointer;
    u->extra = (uint32_t)p->call_count;
    VEC_PUSH(p->calls, p->call_count, p->call_capacity, call);
    if (results != NULL)
        values_copy(d, results, call.results, call.result_sizes, value_take);
}
