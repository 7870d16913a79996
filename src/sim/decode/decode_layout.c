// Where a kernel's variables lie: in the block's shared memory, in a frame's local memory.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/decode.h"

#include <stdlib.h>

struct shared_place {
    const struct ptx_variable *variable;
    uint64_t offset;
};

bool shared_offset(const struct program *p, const struct ptx_variable *v, uint64_t *offset)
{
    for (size_t i = 0; i < p->shared_count; i++)
        if (p->shared[i].variable == v) {
            *offset = p->shared[i].offset;
            return true;
        }
    return false;
}

static void shared_add(struct program *p, const struct ptx_variable *v)
{
    uint64_t ignored;
    if (v == NULL || (v->space != PTX_SPACE_SHARED && v->space != PTX_SPACE_SHARED_CLUSTER) ||
        shared_offset(p, v, &ignored))
        return;
    VEC_PUSH(p->shared, p->shared_count, p->shared_capacity, (struct shared_place){.variable = v});
}

static int declared_order(const void *a, const void *b)
{
    const struct ptx_variable *x = ((const struct shared_place *)a)->variable,
                              *y = ((const struct shared_place *)b)->variable;
    return x->at.line != y->at.line ? (x->at.line > y->at.line) - (x->at.line < y->at.line)
                                    : (x->at.column > y->at.column) - (x->at.column < y->at.column);
}

static void shared_place(struct program *p, struct shared_place *place)
{
    const struct ptx_variable *v = place->variable;
    if (v->size_bytes == 0)
        return;
    place->offset = round_up(p->shared_bytes, v->align_bytes > 0 ? (uint64_t)v->align_bytes : 1);
    p->shared_bytes = place->offset + v->size_bytes;
}

// The system's part of a block's shared memory lies before the kernel's, as on the hardware; it is
// laid out only for kernels that ask where it is (cooperative groups' tiles of several warps do).
static bool names_reserved(const struct ptx_operand *op)
{
    switch ((int)op->special) {
    case PTX_SREG_RESERVED_SMEM_OFFSET_BEGIN:
    case PTX_SREG_RESERVED_SMEM_OFFSET_END:
    case PTX_SREG_RESERVED_SMEM_OFFSET_CAP:
    case PTX_SREG_RESERVED_SMEM_OFFSET_0:
    case PTX_SREG_RESERVED_SMEM_OFFSET_1:
        return op->kind == PTX_OPERAND_SPECIAL;
    default: // of an open list
        return false;
    }
}

static bool program_names_reserved(const struct program *p)
{
    for (int i = 0; i < p->function_count; i++) {
        const struct ptx_function *f = p->functions[i].ptx;
        for (int j = 0; j < f->instruction_count; j++)
            for (int k = 0; k < f->instructions[j].operand_count; k++)
                if (names_reserved(&f->instructions[j].operands[k]))
                    return true;
    }
    return false;
}

static void shared_operand(struct program *p, const struct ptx_operand *op)
{
    shared_add(p, op->variable);
    for (int i = 0; i < op->element_count; i++)
        shared_operand(p, &op->elements[i]);
}

// Static variables that any reached function names, in the order of their declarations as ptxas lays them out (13.0), then
// dynamic memory behind them all.
void shared_layout(struct program *p)
{
    if (program_names_reserved(p))
        p->shared_bytes = p->shared_reserved_bytes = SHARED_RESERVED;
    for (int i = 0; i < p->function_count; i++) {
        const struct ptx_function *f = p->functions[i].ptx;
        for (int j = 0; j < f->instruction_count; j++)
            for (int k = 0; k < f->instructions[j].operand_count; k++)
                shared_operand(p, &f->instructions[j].operands[k]);
    }
    if (p->shared_count > 0)
        qsort(p->shared, p->shared_count, sizeof *p->shared, declared_order);
    for (size_t i = 0; i < p->shared_count; i++)
        shared_place(p, &p->shared[i]);
    uint64_t align = 16;
    for (size_t i = 0; i < p->shared_count; i++) {
        const struct ptx_variable *v = p->shared[i].variable;
        if (v->size_bytes == 0 && (uint64_t)v->align_bytes > align)
            align = (uint64_t)v->align_bytes;
    }
    bool dynamic = false;
    for (size_t i = 0; i < p->shared_count; i++)
        dynamic |= p->shared[i].variable->size_bytes == 0;
    p->dynamic_shared_at = dynamic ? round_up(p->shared_bytes, align) : p->shared_bytes;
    for (size_t i = 0; i < p->shared_count; i++)
        if (p->shared[i].variable->size_bytes == 0)
            p->shared[i].offset = p->dynamic_shared_at;
}

static uint32_t local_place(struct function *out, const struct ptx_variable *v)
{
    uint32_t align = v->align_bytes > 4 ? (uint32_t)v->align_bytes : 4;
    uint64_t at = round_up(out->local_bytes, align), end = at + round_up(v->size_bytes, 4);
    // More than any thread has: the launch refuses it.
    out->local_bytes = end > 2 * LOCAL_BYTES_MAX ? 2 * LOCAL_BYTES_MAX : (uint32_t)end;
    return at > LOCAL_BYTES_MAX ? LOCAL_BYTES_MAX : (uint32_t)at;
}

uint32_t local_room(struct decoder *d, uint32_t bytes, uint32_t align)
{
    struct ptx_variable v = {.size_bytes = bytes, .align_bytes = (int)align};
    uint32_t at = local_place(d->out, &v);
    d->out->local_bytes = (uint32_t)round_up(d->out->local_bytes, 16);
    d->program->uses_local = true;
    return at;
}

static void local_places(struct decoder *d, const struct ptx_variable *v, int count, uint32_t *at,
                         const uint32_t **offsets, const uint32_t **sizes, int *kept)
{
    struct arena *a = &d->program->arena;
    uint32_t *o = ARENA_ARRAY(a, uint32_t, count + 1), *s = ARENA_ARRAY(a, uint32_t, count + 1);
    for (int i = 0; i < count; i++) {
        at[i] = o[i] = local_place(d->out, &v[i]);
        s[i] = (uint32_t)v[i].size_bytes;
    }
    *offsets = o;
    *sizes = s;
    *kept = count;
}

// Local memory of a frame: variables of its own, those it passes, and its own parameters.
void local_layout(struct decoder *d)
{
    const struct ptx_function *f = d->f;
    d->local_at =
        xcalloc((size_t)f->variable_count + (size_t)f->param_count + (size_t)f->result_count + 1,
                sizeof(uint32_t));
    for (int i = 0; i < f->variable_count; i++) {
        const struct ptx_variable *v = &f->variables[i];
        if (v->space == PTX_SPACE_LOCAL || v->space == PTX_SPACE_PARAM)
            d->local_at[i] = local_place(d->out, v);
    }
    if (!f->is_entry) {
        uint32_t *at = d->local_at + f->variable_count;
        local_places(d, f->params, f->param_count, at, &d->out->formals, &d->out->formal_sizes,
                     &d->out->formal_count);
        local_places(d, f->results, f->result_count, at + f->param_count, &d->out->returns,
                     &d->out->return_sizes, &d->out->return_count);
    }
    if (!f->is_entry && d->out->local_bytes == 0)
        d->out->local_bytes = 1; // endless recursion then runs out of stack
    d->out->local_bytes = (uint32_t)round_up(d->out->local_bytes, 16);
    d->program->uses_local |= d->out->local_bytes > 0;
}

bool variable_within(const struct ptx_variable *v, const struct ptx_variable *array, int count)
{
    return array != NULL && (uintptr_t)v >= (uintptr_t)array &&
           (uintptr_t)v < (uintptr_t)(array + count);
}

bool variable_local(const struct decoder *d, const struct ptx_variable *v, uint32_t *at)
{
    const struct ptx_function *f = d->f;
    if (v == NULL)
        return false;
    if (variable_within(v, f->variables, f->variable_count) &&
        (v->space == PTX_SPACE_LOCAL || v->space == PTX_SPACE_PARAM))
        *at = d->local_at[v - f->variables];
    else if (!f->is_entry && variable_within(v, f->params, f->param_count))
        *at = d->local_at[f->variable_count + (v - f->params)];
    else if (!f->is_entry && variable_within(v, f->results, f->result_count))
        *at = d->local_at[f->variable_count + f->param_count + (v - f->results)];
    else
        return false;
    return true;
}
