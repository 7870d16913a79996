// Numbers of 64 bits that ptxas keeps in registers through a loop. A number whose low word is not zero is no operand of f64
// instructions; where one is read it is brought into a pair of registers, or uniform ones, each time. But a loop that
// reads it in two stretches of straight code, of which one is always passed before the other, keeps the pair (ptxas 13.0: 8 to
// 120 numbers of a polynomial that a loop has twice are two registers each, up to 255; once, twice in one stretch, in the two
// ways of a branch, in two loops, or with a division's call between: none).
// SPDX-License-Identifier: Apache-2.0
#include "ptx/needs.h"

#include <stdlib.h>
#include <string.h>

struct reading {
    uint64_t bits;
    int loop; // the innermost one
    int instruction;
};
struct loop {
    int head, count; // blocks
    bool *has;       // by block
};
struct finding {
    const struct needs *n;
    const int *stretch; // by block
    struct loop *loops;
    int loop_count;
    int *stack;
    bool *seen; // by block
    struct reading *readings;
    int count;
};

// Marks in `seen` what is reached from the block, not through `without`; against the arrows, if backward.
static void reach(struct finding *k, int from, int without, bool backward)
{
    const struct ptx_function *f = k->n->f;
    int n = 0;
    memset(k->seen, 0, (size_t)f->block_count * sizeof *k->seen);
    if (from == without)
        return;
    k->seen[from] = true;
    k->stack[n++] = from;
    while (n > 0) {
        const struct ptx_block *b = &f->blocks[k->stack[--n]];
        const int *next = backward ? b->predecessors : b->successors;
        for (int i = 0; i < (backward ? b->predecessor_count : b->successor_count); i++)
            if (next[i] >= 0 && next[i] != without && !k->seen[next[i]]) {
                k->seen[next[i]] = true;
                k->stack[n++] = next[i];
            }
    }
}

// The loop that jumps back from `tail`, if all ways to it pass the head. Those of one head are one.
static void loop_note(struct finding *k, int tail, int head)
{
    const struct ptx_function *f = k->n->f;
    reach(k, 0, head, false);
    if (k->seen[tail])
        return;
    int at = 0;
    while (at < k->loop_count && k->loops[at].head != head)
        at++;
    struct loop *l = &k->loops[at];
    if (at == k->loop_count) {
        k->loop_count++;
        *l = (struct loop){head, 0, xcalloc((size_t)f->block_count, sizeof *l->has)};
    }
    reach(k, tail, head, true);
    k->seen[head] = true;
    for (int b = 0; b < f->block_count; b++) {
        l->count += k->seen[b] && !l->has[b];
        l->has[b] |= k->seen[b];
    }
}

static void loops_note(struct finding *k)
{
    const struct ptx_function *f = k->n->f;
    for (int b = 0; b < f->block_count; b++)
        for (int i = 0; i < f->blocks[b].successor_count && f->blocks[b].reachable; i++) {
            int to = f->blocks[b].successors[i];
            if (to >= 0 && to <= b)
                loop_note(k, b, to);
        }
}

static int innermost(const struct finding *k, int block)
{
    int found = NONE;
    for (int l = 0; l < k->loop_count; l++)
        if (k->loops[l].has[block] && (found == NONE || k->loops[l].count < k->loops[found].count))
            found = l;
    return found;
}

// The number that an f64 operand is, by itself or as a register that holds nothing else; false: none, or an operand as it is.
static bool number_of(const struct needs *n, const struct ptx_operand *o, uint64_t *bits)
{
    if (o->kind == PTX_OPERAND_REGISTER && o->reg >= 0 && n->values[o->reg].definition >= 0) {
        const struct ptx_instruction *in = &n->f->instructions[n->values[o->reg].definition];
        if (in->opcode != PTX_OP_MOV || in->guard >= 0 || type_at(in, 0) != PTX_TYPE_F64)
            return false;
        o = &in->operands[1];
    }
    *bits = o->bits;
    return o->kind == PTX_OPERAND_IMMEDIATE && o->immediate_type == PTX_TYPE_F64 &&
           (uint32_t)o->bits != 0;
}

static bool takes_pairs(const struct ptx_instruction *in)
{
    switch (in->opcode) {
    case PTX_OP_ADD:
    case PTX_OP_SUB:
    case PTX_OP_MUL:
    case PTX_OP_FMA:
    case PTX_OP_MAD:
    case PTX_OP_SETP:
        return type_at(in, in->opcode == PTX_OP_SETP ? in->type_count - 1 : 0) == PTX_TYPE_F64;
    default:
        return false;
    }
}

static void readings_note(struct finding *k)
{
    const struct ptx_function *f = k->n->f;
    for (int i = 0; i < f->instruction_count; i++) {
        const struct ptx_instruction *in = &f->instructions[i];
        int block = f->block_of[i];
        if (!takes_pairs(in) || !f->blocks[block].reachable)
            continue;
        for (int o = 1; o < in->operand_count; o++) {
            struct reading r = {.instruction = i};
            if (number_of(k->n, &in->operands[o], &r.bits) &&
                (r.loop = innermost(k, block)) != NONE)
                k->readings[k->count++] = r;
        }
    }
}

static int reading_compare(const void *a, const void *b)
{
    const struct reading *x = a, *y = b;
    if (x->bits != y->bits)
        return x->bits > y->bits ? 1 : -1;
    return x->loop != y->loop ? x->loop - y->loop : x->instruction - y->instruction;
}

static bool is_same(const struct reading *a, const struct reading *b)
{
    return a->bits == b->bits && a->loop == b->loop;
}

static bool has_call(const struct ptx_function *f, int first, int end)
{
    for (int i = first; i < end; i++)
        if (ptx_calls_routine(&f->instructions[i]))
            return true;
    return false;
}

// Is the first passed on every way to the second, and no call behind it?
static bool is_kept_from(struct finding *k, const struct reading *x, const struct reading *y)
{
    const struct ptx_function *f = k->n->f;
    int from = f->block_of[x->instruction], to = f->block_of[y->instruction];
    int head = k->loops[x->loop].head;
    bool called = has_call(f, x->instruction, f->blocks[from].first + f->blocks[from].count) ||
                  has_call(f, f->blocks[to].first, y->instruction);
    if (k->stretch[from] == k->stretch[to] || called || to == head)
        return false;
    reach(k, 0, from, false);
    if (from != 0 && k->seen[to])
        return false;
    reach(k, to, from, true); // what lies between
    for (int b = 0; b < f->block_count; b++)
        if (k->seen[b] && b != to && k->loops[x->loop].has[b] &&
            has_call(f, f->blocks[b].first, f->blocks[b].first + f->blocks[b].count))
            return false;
    return true;
}

static bool is_kept(struct finding *k, const struct reading *r, int count)
{
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            if (is_kept_from(k, &r[i], &r[j]))
                return true;
    return false;
}

void needs_kept(const struct needs *n, const int *stretch, int *kept)
{
    enum { PAIR = 2 };
    const struct ptx_function *f = n->f;
    size_t blocks = (size_t)f->block_count + 1;
    struct finding k = {.n = n, .stretch = stretch};
    k.loops = xcalloc(blocks, sizeof *k.loops);
    k.stack = xcalloc(blocks, sizeof *k.stack);
    k.seen = xcalloc(blocks, sizeof *k.seen);
    k.readings = xcalloc((size_t)f->instruction_count * PTX_OPERANDS_MAX + 1, sizeof *k.readings);
    memset(kept, 0, (size_t)f->block_count * sizeof *kept);
    loops_note(&k);
    readings_note(&k);
    qsort(k.readings, (size_t)k.count, sizeof *k.readings, reading_compare);
    for (int i = 0, end; i < k.count; i = end) {
        for (end = i + 1; end < k.count && is_same(&k.readings[end], &k.readings[i]);)
            end++;
        bool keeps = is_kept(&k, &k.readings[i], end - i);
        for (int b = 0; b < f->block_count && keeps; b++)
            kept[b] += k.loops[k.readings[i].loop].has[b] ? PAIR : 0;
    }
    for (int l = 0; l < k.loop_count; l++)
        free(k.loops[l].has);
    free(k.loops);
    free(k.stack);
    free(k.seen);
    free(k.readings);
}
