// Shared loads that ptxas makes one of: neighbouring words by the same base register, aligned as a
// whole, with no store or barrier between, become one LDS.64 or LDS.128 (seen in nvcc 13's code for
// sm_90: of an unrolled 16x16 tile product's 32 ld.shared.f32, 16 become 4 LDS.128). The first of
// them in the text then counts as the whole access, the others as nothing; each still moves its own
// bytes. Alignment is known by congruences through the arithmetic that makes the base.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/decode.h"

enum { MERGE_MAX = 256, DEPTH_MAX = 24, BITS_KNOWN = 32 };

// value = residue modulo 2^bits.
struct congruence {
    unsigned bits;
    uint64_t residue;
};

static struct congruence known(unsigned bits, uint64_t residue)
{
    bits = bits < BITS_KNOWN ? bits : BITS_KNOWN;
    return (struct congruence){bits, residue & (((uint64_t)1 << bits) - 1)};
}

static unsigned trailing_zeros(struct congruence c)
{
    return c.residue != 0 ? (unsigned)__builtin_ctzll(c.residue) : c.bits;
}

static struct congruence sum(struct congruence a, struct congruence b)
{
    return known(a.bits < b.bits ? a.bits : b.bits, a.residue + b.residue);
}

// a = ra + i 2^ka, b = rb + j 2^kb: the product is known up to the smallest of the cross terms.
static struct congruence product(struct congruence a, struct congruence b)
{
    unsigned x = a.bits + trailing_zeros(b), y = b.bits + trailing_zeros(a);
    return known(x < y ? x : y, a.residue * b.residue);
}

static struct congruence operand_known(const struct decoder *d, const struct ptx_operand *op,
                                       int depth);

static struct congruence symbol_known(const struct decoder *d, const struct ptx_operand *op)
{
    uint64_t offset = 0;
    if (op->variable == NULL || !shared_offset(d->program, op->variable, &offset))
        return known(0, 0);
    return known(BITS_KNOWN, offset + (uint64_t)op->offset);
}

static struct congruence instruction_known(const struct decoder *d,
                                           const struct ptx_instruction *in, int depth)
{
    struct congruence a = {0}, b = {0}, c = {0};
    if (in->operand_count > 1)
        a = operand_known(d, &in->operands[1], depth);
    if (in->operand_count > 2)
        b = operand_known(d, &in->operands[2], depth);
    if (in->operand_count > 3)
        c = operand_known(d, &in->operands[3], depth);
    if (in->opcode == PTX_OP_MOV || in->opcode == PTX_OP_CVT || in->opcode == PTX_OP_CVTA)
        return a; // cvta's windows are aligned
    if (in->opcode == PTX_OP_ADD)
        return sum(a, b);
    if (in->opcode == PTX_OP_MUL && !in_has(in, "hi"))
        return product(a, b);
    if (in->opcode == PTX_OP_MAD && !in_has(in, "hi"))
        return sum(product(a, b), c);
    if (in->opcode == PTX_OP_SHL && b.bits == BITS_KNOWN && b.residue < BITS_KNOWN)
        return known(a.bits + (unsigned)b.residue, a.residue << b.residue);
    if (in->opcode == PTX_OP_AND && b.bits == BITS_KNOWN) {
        unsigned zeros = trailing_zeros(b);
        return a.bits > zeros ? known(a.bits, a.residue & b.residue) : known(zeros, 0);
    }
    return known(0, 0);
}

static struct congruence operand_known(const struct decoder *d, const struct ptx_operand *op,
                                       int depth)
{
    if (op->kind == PTX_OPERAND_IMMEDIATE)
        return known(BITS_KNOWN, op->bits);
    if (op->kind == PTX_OPERAND_SYMBOL)
        return symbol_known(d, op);
    if (op->kind != PTX_OPERAND_REGISTER || depth == 0 || d->definition[op->reg] < 0)
        return known(0, 0);
    return instruction_known(d, &d->f->instructions[d->definition[op->reg]], depth - 1);
}

/* ---- groups -------------------------------------------------------------------------------- */

struct candidate {
    int instruction;
    struct mem_op *mem;
    const struct ptx_operand *address;
    bool taken;
};
struct candidates {
    struct decoder *d;
    struct candidate items[MERGE_MAX];
    int count;
};

static bool same_base(const struct candidate *a, const struct candidate *b)
{
    return a->address->reg == b->address->reg && a->address->variable == b->address->variable &&
           a->mem->bytes == b->mem->bytes;
}

static struct candidate *candidate_at(struct candidates *all, const struct candidate *like,
                                      int64_t offset)
{
    for (int i = 0; i < all->count; i++) {
        struct candidate *c = &all->items[i];
        if (!c->taken && same_base(c, like) && c->mem->offset == offset)
            return c;
    }
    return NULL;
}

// The address of `like`, less its own offset, is aligned so that `offset` begins a whole access.
static bool begins_whole(const struct decoder *d, const struct candidate *like, int64_t offset,
                         unsigned bytes)
{
    struct ptx_operand base = *like->address;
    base.kind = base.reg >= 0 ? PTX_OPERAND_REGISTER : PTX_OPERAND_SYMBOL;
    base.offset = 0;
    struct congruence c = operand_known(d, &base, DEPTH_MAX);
    unsigned need = (unsigned)__builtin_ctz(bytes);
    return c.bits >= need && ((c.residue + (uint64_t)offset) & (bytes - 1)) == 0;
}

// The others' data comes with the leader's.
static void group_join(struct candidates *all, struct candidate *leader, struct candidate *c)
{
    struct decoder *d = all->d;
    c->mem->follows = true;
    struct timing_site *t = &d->program->timing[d->out->site_base + c->instruction];
    const struct timing_site *first = &d->program->timing[d->out->site_base + leader->instruction];
    t->pipe = PIPE_NONE;
    if (t->source_count < TIMING_REGISTERS_MAX && first->result_count > 0)
        t->source[t->source_count++] = first->result[0];
}

static bool group_make(struct candidates *all, const struct candidate *like, unsigned bytes)
{
    struct candidate *members[4];
    unsigned count = bytes / like->mem->bytes;
    int64_t start = like->mem->offset;
    if (count < 2 || !begins_whole(all->d, like, start, bytes))
        return false;
    for (unsigned i = 0; i < count; i++) {
        members[i] = candidate_at(all, like, start + (int64_t)(i * like->mem->bytes));
        if (members[i] == NULL)
            return false;
    }
    struct candidate *leader = members[0];
    for (unsigned i = 1; i < count; i++)
        if (members[i]->instruction < leader->instruction)
            leader = members[i];
    leader->mem->merged = (uint8_t)bytes;
    leader->mem->merge_start = start;
    all->d->program->timing[all->d->out->site_base + leader->instruction].bytes = (uint8_t)bytes;
    for (unsigned i = 0; i < count; i++) {
        members[i]->taken = true;
        if (members[i] != leader)
            group_join(all, leader, members[i]);
    }
    return true;
}

static void candidates_flush(struct candidates *all)
{
    for (unsigned bytes = 16; bytes >= 8; bytes /= 2)
        for (int i = 0; i < all->count; i++)
            if (!all->items[i].taken)
                (void)group_make(all, &all->items[i], bytes);
    all->count = 0;
}

/* ---- a function ---------------------------------------------------------------------------- */

static bool ends_group(const struct ptx_instruction *in)
{
    enum ptx_space space = in->space_count > 0 ? in->spaces[0] : PTX_SPACE_GENERIC;
    bool near = space == PTX_SPACE_SHARED || space == PTX_SPACE_SHARED_CLUSTER ||
                space == PTX_SPACE_GENERIC;
    return ends_segment(in) || in->opcode == PTX_OP_CP || in->opcode == PTX_OP_MEMBAR ||
           in->opcode == PTX_OP_FENCE ||
           (near &&
            (in->opcode == PTX_OP_ST || in->opcode == PTX_OP_ATOM || in->opcode == PTX_OP_RED));
}

static bool redefines(const struct candidates *all, const struct ptx_instruction *in)
{
    if (!in->writes_first || in->operands[0].kind != PTX_OPERAND_REGISTER)
        return false;
    for (int i = 0; i < all->count; i++)
        if (all->items[i].address->reg == in->operands[0].reg)
            return true;
    return false;
}

void merge_shared_loads(struct decoder *d)
{
    struct candidates all = {.d = d};
    const struct ptx_function *f = d->f;
    for (int i = 0; i < f->instruction_count; i++) {
        const struct ptx_instruction *in = &f->instructions[i];
        const struct site_info *s = &d->program->sites[d->out->site_base + i];
        bool starts = f->block_of[i] >= 0 && f->blocks[f->block_of[i]].first == i;
        bool load = s->mem >= 0 && s->space == PTX_SPACE_SHARED && in->opcode == PTX_OP_LD;
        struct mem_op *m = load ? &d->program->mem_ops[s->mem] : NULL;
        if (starts || all.count == MERGE_MAX || ends_group(in))
            candidates_flush(&all);
        if (m != NULL && m->vector == 1 && (m->bytes == 4 || m->bytes == 8) && in->guard < 0 &&
            !m->ordered)
            all.items[all.count++] =
                (struct candidate){.instruction = i, .mem = m, .address = &in->operands[1]};
        if (redefines(&all, in))
            candidates_flush(&all);
    }
    candidates_flush(&all);
}
