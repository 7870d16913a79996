// Shared loads that ptxas makes one of: neighbouring words by the same base register, aligned as a
// whole, with no store or barrier between, become one LDS.64 or LDS.128 (seen in nvcc 13's code for
// sm_90: of an unrolled 16x16 tile product's 32 ld.shared.f32, 16 become 4 LDS.128). The first of
// them in the text then counts as the whole access, the others as nothing; each still moves its own
// bytes. Alignment is known by congruences through the arithmetic that makes the base, also
// of pointers that walk (bench/truth/tuning/kinds, walk_product).
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/decode.h"

#include <stdlib.h>

enum { MERGE_MAX = 256, BITS_KNOWN = 32 };

// value = residue modulo 2^bits. By register; all of nothing where no instruction that writes it was looked at yet.
struct congruence {
    unsigned bits;
    bool seen;
    uint64_t residue;
};

static struct congruence known(unsigned bits, uint64_t residue)
{
    bits = bits < BITS_KNOWN ? bits : BITS_KNOWN;
    return (struct congruence){bits, true, residue & (((uint64_t)1 << bits) - 1)};
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

// What holds of both.
static struct congruence either(struct congruence a, struct congruence b)
{
    if (!a.seen || !b.seen)
        return a.seen ? a : b;
    uint64_t apart = a.residue ^ b.residue;
    unsigned bits = a.bits < b.bits ? a.bits : b.bits;
    if (apart != 0 && (unsigned)__builtin_ctzll(apart) < bits)
        bits = (unsigned)__builtin_ctzll(apart);
    return known(bits, a.residue);
}

struct congruences {
    const struct decoder *d;
    struct congruence *of; // by register
};

static struct congruence operand_known(const struct congruences *c, const struct ptx_operand *op)
{
    uint64_t offset = 0;
    switch ((int)op->kind) {
    case PTX_OPERAND_IMMEDIATE:
        return known(BITS_KNOWN, op->bits);
    case PTX_OPERAND_SYMBOL:
        if (op->variable == NULL || !shared_offset(c->d->program, op->variable, &offset))
            return known(0, 0);
        return known(BITS_KNOWN, offset + (uint64_t)op->offset);
    case PTX_OPERAND_REGISTER:
        return c->of[op->reg];
    default: // others hold no addresses
        return known(0, 0);
    }
}

static struct congruence instruction_known(const struct congruences *all,
                                           const struct ptx_instruction *in)
{
    struct congruence of[4] = {{0}};
    for (int i = 1; i < 4 && i < in->operand_count; i++) {
        of[i] = operand_known(all, &in->operands[i]);
        if (!of[i].seen)
            return of[i]; // made of what is made further down
    }
    struct congruence a = of[1], b = of[2], c = of[3];
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

static bool operand_take(const struct congruences *c, const struct ptx_operand *to,
                         struct congruence value)
{
    bool changed = false;
    for (int i = 0; i < to->element_count; i++)
        changed |= operand_take(c, &to->elements[i], known(0, 0));
    if (to->kind != PTX_OPERAND_REGISTER || to->reg < 0 || !value.seen)
        return changed;
    struct congruence *now = &c->of[to->reg], then = either(*now, value);
    changed |= !now->seen || then.bits != now->bits;
    *now = then;
    return changed;
}

// A register that several instructions write, such as a pointer that a loop moves on, is what holds of all of them: found by
// going through them until nothing changes.
static void congruences_find(const struct congruences *c)
{
    const struct ptx_function *f = c->d->f;
    for (int i = 0; i < formal_registers(f); i++)
        c->of[i] = known(0, 0);
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < f->instruction_count; i++) {
            const struct ptx_instruction *in = &f->instructions[i];
            bool of_call = in->opcode == PTX_OP_CALL && in->operand_count > 0 &&
                           in->operands[0].kind == PTX_OPERAND_LIST;
            if (in->writes_first || of_call)
                changed |= operand_take(c, &in->operands[0], instruction_known(c, in));
        }
    }
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
    struct congruences known; // found for the first two words that may be one
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
static bool begins_whole(struct candidates *all, const struct candidate *like, int64_t offset,
                         unsigned bytes)
{
    if (all->known.of == NULL) {
        all->known.d = all->d;
        all->known.of = xcalloc((size_t)all->d->f->register_count + 1, sizeof *all->known.of);
        congruences_find(&all->known);
    }
    struct ptx_operand base = *like->address;
    base.kind = base.reg >= 0 ? PTX_OPERAND_REGISTER : PTX_OPERAND_SYMBOL;
    base.offset = 0;
    struct congruence c = operand_known(&all->known, &base);
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
    if (count < 2)
        return false;
    for (unsigned i = 0; i < count; i++) {
        members[i] = candidate_at(all, like, start + (int64_t)(i * like->mem->bytes));
        if (members[i] == NULL)
            return false;
    }
    if (!begins_whole(all, like, start, bytes))
        return false;
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
    free(all.known.of);
}
