// Takes out of a kernel what differs from block to block by one number for all lanes of a warp: sums and products of the
// block's place with what is the same for every block, most of all addresses. A warp runs it when it gets its place, once
// for each place of a block that it depends on; from then on a block's rows are a sum of rows kept and of that number
// (affine_run, run/affine.c). Only rows that others read are made. Counted and timed it is where it stands.
//   steady   the same for every block; uniform: for all lanes too
//   affine   steady + (a number of the block), modulo the width. Made wider, it is so only where it does not overflow:
//            that is looked at for each block
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/decode.h"

#include <stdlib.h>

enum { BOUNDS_MOST = 16, LINE = 64 };
struct affines {
    struct decoder *d;
    const struct steadiness *s;
    bool *affine; // by row / ROW32
    bool *taken;  // by micro-op
    struct uop *uops;
    size_t uop_count, uop_capacity;
    struct affine_bound bounds[BOUNDS_MOST];
    int bound_count;
};

static bool has(const struct affines *a, const bool *of, uint32_t row)
{
    return row / ROW32 < a->s->rows && of[row / ROW32];
}

static bool is_steady(const struct affines *a, uint32_t row)
{
    return has(a, a->s->steady, row);
}

static bool is_affine(const struct affines *a, uint32_t row)
{
    return has(a, a->affine, row);
}

static bool is_either(const struct affines *a, uint32_t row)
{
    return is_steady(a, row) || is_affine(a, row);
}

static bool is_product(const struct affines *a, uint32_t x, uint32_t y)
{
    return (is_affine(a, x) && has(a, a->s->uniform, y)) ||
           (is_affine(a, y) && has(a, a->s->uniform, x));
}

/* ---- what an instruction makes of affine rows --------------------------------------------------- */

enum affine_kind { KIND_SUM, KIND_SHIFT, KIND_PRODUCT, KIND_PRODUCT_SUM };
static const struct affine_form {
    enum ptx_opcode opcode;
    const char *words[2];
    enum ptx_type type;
    enum affine_kind kind;
    enum { SAME_WIDTH, WIDER, WIDER_SIGNED } width;
} FORMS[] = {
    {PTX_OP_ADD, {"u32"}, PTX_TYPE_U32, KIND_SUM, SAME_WIDTH},
    {PTX_OP_ADD, {"u64"}, PTX_TYPE_U64, KIND_SUM, SAME_WIDTH},
    {PTX_OP_SUB, {"u32"}, PTX_TYPE_U32, KIND_SUM, SAME_WIDTH},
    {PTX_OP_SUB, {"u64"}, PTX_TYPE_U64, KIND_SUM, SAME_WIDTH},
    {PTX_OP_SHL, {"b32"}, PTX_TYPE_B32, KIND_SHIFT, SAME_WIDTH},
    {PTX_OP_SHL, {"b64"}, PTX_TYPE_B64, KIND_SHIFT, SAME_WIDTH},
    {PTX_OP_MUL, {"lo", "u32"}, PTX_TYPE_U32, KIND_PRODUCT, SAME_WIDTH},
    {PTX_OP_MUL, {"lo", "u64"}, PTX_TYPE_U64, KIND_PRODUCT, SAME_WIDTH},
    {PTX_OP_MUL, {"wide", "u32"}, PTX_TYPE_U32, KIND_PRODUCT, WIDER},
    {PTX_OP_MUL, {"wide", "s32"}, PTX_TYPE_S32, KIND_PRODUCT, WIDER_SIGNED},
    {PTX_OP_MAD, {"lo", "u32"}, PTX_TYPE_U32, KIND_PRODUCT_SUM, SAME_WIDTH},
    {PTX_OP_MAD, {"lo", "u64"}, PTX_TYPE_U64, KIND_PRODUCT_SUM, SAME_WIDTH},
    {PTX_OP_MAD, {"wide", "u32"}, PTX_TYPE_U32, KIND_PRODUCT_SUM, WIDER},
    {PTX_OP_MAD, {"wide", "s32"}, PTX_TYPE_S32, KIND_PRODUCT_SUM, WIDER_SIGNED},
};

// None of them has words that change what its function does.
static bool is_form(const struct affines *a, const struct uop *u, const struct affine_form *f)
{
    return u->fn == alu_named(a->d, f->opcode, f->words[0], f->words[1], f->type).fn;
}

static bool kind_fits(const struct affines *a, const struct uop *u, enum affine_kind kind)
{
    switch (kind) {
    case KIND_SUM:
        return is_either(a, u->a) && is_either(a, u->b);
    case KIND_SHIFT:
        return is_affine(a, u->a) && has(a, a->s->uniform, u->b);
    case KIND_PRODUCT:
        return is_product(a, u->a, u->b);
    case KIND_PRODUCT_SUM:
        return is_either(a, u->c) &&
               ((is_steady(a, u->a) && is_steady(a, u->b)) || is_product(a, u->a, u->b));
    }
    return false;
}

// A row of 32 bits is about to become wider. false: too many are.
static bool bound_add(struct affines *a, uint32_t row, bool sign)
{
    if (!is_affine(a, row))
        return true;
    for (int i = 0; i < a->bound_count; i++)
        if (a->bounds[i].row == row && a->bounds[i].sign == sign)
            return true;
    if (a->bound_count == BOUNDS_MOST)
        return false;
    a->bounds[a->bound_count++] = (struct affine_bound){row, sign};
    return true;
}

static bool result_is_affine(struct affines *a, const struct uop *u)
{
    if (u->run == op_copy32 || u->run == op_copy64 || u->run == op_narrow)
        return is_affine(a, u->a);
    if (u->run == op_widen)
        return is_affine(a, u->a) && u->small == 64 && (u->imm == 0 || u->imm == 32) &&
               bound_add(a, u->a, u->imm != 0);
    if (!is_affine(a, u->a) && !is_affine(a, u->b) && !is_affine(a, u->c))
        return false;
    for (size_t i = 0; u->run == op_alu && i < COUNT_OF(FORMS); i++) {
        const struct affine_form *f = &FORMS[i];
        if (is_form(a, u, f))
            return kind_fits(a, u, f->kind) &&
                   (f->width == SAME_WIDTH || (bound_add(a, u->a, f->width == WIDER_SIGNED) &&
                                               bound_add(a, u->b, f->width == WIDER_SIGNED)));
    }
    return false;
}

/* ---- which are taken -------------------------------------------------------------------------------- */

static void affine_mark(const struct affines *a, uint32_t row, unsigned bits)
{
    for (uint32_t i = 0; i < bits / 32; i++)
        if (row / ROW32 + i < a->s->rows)
            a->affine[row / ROW32 + i] = true;
}

// The only micro-op of its instruction, so that what this reads is read by none other.
static bool is_alone(const struct decoder *d, size_t i)
{
    uint32_t site = d->uops[i].site;
    bool before = i > 0 && d->uops[i - 1].site == site && d->uops[i - 1].run != op_segment;
    return !before && (i + 1 == d->uop_count || d->uops[i + 1].site != site);
}

static void uops_find(struct affines *a)
{
    struct decoder *d = a->d;
    for (size_t i = 0; i < d->uop_count; i++) {
        const struct uop *u = &d->uops[i];
        a->taken[i] = uop_may_move(d, a->s, u) && is_alone(d, i) && result_is_affine(a, u);
        if (!a->taken[i])
            continue;
        affine_mark(a, u->d, reg_bits(d, a->s->reg_of[u->d / ROW32]));
        VEC_PUSH(a->uops, a->uop_count, a->uop_capacity, *u);
    }
}

// Of a result how often instructions that are taken read it.
static int reads_taken(const struct affines *a, int reg)
{
    int reads = 0;
    for (size_t i = 0; i < a->uop_count; i++) {
        const struct ptx_instruction *in =
            &a->d->f->instructions[(int)a->uops[i].site - a->d->out->site_base];
        for (int k = 1; k < in->operand_count; k++)
            reads += in->operands[k].kind == PTX_OPERAND_REGISTER && in->operands[k].reg == reg;
    }
    return reads;
}

// The rows that others read. false: there are too many.
static bool roots_find(const struct affines *a, struct affine *out)
{
    struct decoder *d = a->d;
    out->rows = ARENA_ARRAY(&d->program->arena, struct affine_row, AFFINE_ROWS);
    for (size_t i = 0; i < a->uop_count; i++) {
        int reg = a->s->reg_of[a->uops[i].d / ROW32];
        if (d->read[reg] == reads_taken(a, reg))
            continue;
        if (out->row_count == AFFINE_ROWS)
            return false;
        out->rows[out->row_count++] =
            (struct affine_row){.row = a->uops[i].d, .wide = reg_bits(d, reg) == 64};
    }
    return true;
}

/* ---- places of blocks ------------------------------------------------------------------------------- */

static bool reads_row(const struct decoder *d, const struct uop *u, uint32_t row)
{
    static const uop_fn plain[] = {op_segment,     op_alu,       op_alu_carry,      op_compare,
                                   op_copy32,      op_copy64,    op_narrow,         op_widen,
                                   op_copy_pred,   op_branch,    op_branch_uniform, op_end,
                                   op_exit,        op_ld_global, op_st_global,      op_ld_shared,
                                   op_barrier,     op_st_shared, op_atomic_shared,  op_ld_const,
                                   op_count_guard, op_routine};
    bool known = false, memory = u->run == op_ld_global || u->run == op_st_global ||
                                 u->run == op_ld_shared || u->run == op_st_shared ||
                                 u->run == op_atomic_shared || u->run == op_ld_const;
    for (size_t i = 0; i < COUNT_OF(plain); i++)
        known |= u->run == plain[i];
    if (!known || u->a == row || u->b == row || u->c == row || u->e == row || u->guard == row)
        return true;
    const struct mem_op *m = memory ? &d->program->mem_ops[u->extra] : NULL;
    bool read = m != NULL && m->base == row;
    for (unsigned k = 0; m != NULL && k < VECTOR_MAX; k++)
        read |= m->reg[k] == row;
    return read;
}

// Places that only what is taken reads are filled with it, no more for themselves.
static void slots_divide(const struct affines *a, struct affine *out)
{
    struct decoder *d = a->d;
    size_t kept = 0;
    for (size_t i = 0; i < d->slot_count[SLOTS_BLOCK]; i++) {
        const struct slot s = d->slots[SLOTS_BLOCK][i];
        bool others = false, taken = false;
        for (size_t k = 0; k < a->uop_count; k++)
            taken |= a->uops[k].a == s.row || a->uops[k].b == s.row || a->uops[k].c == s.row;
        for (size_t k = 0; k < d->uop_count && taken; k++)
            others |= !a->taken[k] && reads_row(d, &d->uops[k], s.row);
        if (taken)
            out->slots[out->slot_count++] = s;
        if (!taken || others)
            d->slots[SLOTS_BLOCK][kept++] = s;
    }
    d->slot_count[SLOTS_BLOCK] = kept;
}

// How many accesses of global memory have the row as their address; others may read it too. sum: what their
// mem_op.sum becomes; 0: they are only counted.
static int row_accesses(const struct affines *a, uint32_t row, int sum, struct affine *out)
{
    struct decoder *d = a->d;
    int accesses = 0;
    for (size_t i = 0; i < d->uop_count; i++) {
        const struct uop *u = &d->uops[i];
        if (u->run != op_ld_global && u->run != op_st_global)
            continue;
        struct mem_op *m = &d->program->mem_ops[u->extra];
        if (m->base != row || !m->base64)
            continue;
        accesses++;
        if (sum == 0)
            continue;
        m->sum = (uint8_t)sum;
        m->kept = out->rows[sum - 1].base;
        m->seen = out->bytes;
        out->bytes += (uint32_t)sizeof(uint64_t);
    }
    return accesses;
}

static bool only_addresses(const struct affines *a, const struct affine_row *r)
{
    int reg = a->s->reg_of[r->row / ROW32];
    return r->wide && a->d->read[reg] != UINT8_MAX &&
           row_accesses(a, r->row, 0, NULL) == a->d->read[reg] - reads_taken(a, reg);
}

// Rows that only accesses of global memory read, as their addresses, are not made: these add what they need.
static void addresses_find(const struct affines *a, struct affine *out)
{
    for (int i = 0; i < out->row_count; i++)
        if (!only_addresses(a, &out->rows[i])) {
            const struct affine_row made = out->rows[i];
            out->rows[i] = out->rows[out->made];
            out->rows[out->made++] = made;
        }
    for (int i = out->made; i < out->row_count; i++)
        (void)row_accesses(a, out->rows[i].row, 1 + i, out);
}

static void affine_fill(const struct affines *a, struct affine *out)
{
    struct decoder *d = a->d;
    struct arena *arena = &d->program->arena;
    out->slots = ARENA_ARRAY(arena, struct slot, d->slot_count[SLOTS_BLOCK]);
    slots_divide(a, out);
    out->uops = ARENA_ARRAY(arena, struct uop, a->uop_count);
    memcpy(out->uops, a->uops, a->uop_count * sizeof(*a->uops));
    out->uop_count = (int)a->uop_count;
    out->bounds = ARENA_ARRAY(arena, struct affine_bound, a->bound_count + 1);
    memcpy(out->bounds, a->bounds, (size_t)a->bound_count * sizeof(*a->bounds));
    out->bound_count = a->bound_count;
    for (int i = 0; i < out->row_count; i++) {
        out->rows[i].base = out->bytes;
        out->bytes += out->rows[i].wide ? ROW64 : ROW32;
    }
    addresses_find(a, out);
    out->bytes = (uint32_t)round_up(out->bytes, LINE);
}

void affine_take(struct decoder *d, const struct steadiness *s)
{
    struct affines a = {.d = d, .s = s};
    struct affine found = {0};
    if (d->slot_count[SLOTS_BLOCK] == 0 || d->slot_count[SLOTS_BLOCK] > AFFINE_SLOTS)
        return;
    a.affine = xcalloc(s->rows, sizeof(*a.affine));
    a.taken = xcalloc(d->uop_count + 1, sizeof(*a.taken));
    for (size_t i = 0; i < d->slot_count[SLOTS_BLOCK]; i++)
        affine_mark(&a, d->slots[SLOTS_BLOCK][i].row, d->slots[SLOTS_BLOCK][i].width);
    uops_find(&a);
    if (a.uop_count > 0 && roots_find(&a, &found)) {
        affine_fill(&a, &found);
        d->out->affine = found;
        uops_drop(d, a.taken);
    }
    free(a.affine);
    free(a.taken);
    free(a.uops);
}
