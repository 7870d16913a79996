// The control-flow graph: basic blocks, immediate post-dominators (Cooper, Harvey, Kennedy, "A simple,
// fast dominance algorithm", 2001, on the reversed graph with one virtual exit), liveness.
// SPDX-License-Identifier: Apache-2.0
#include "ptx/internal.h"

#include <stdlib.h>
#include <string.h>

static bool is_branch(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OP_BRA || in->opcode == PTX_OP_BRX;
}
static bool ends_function(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OP_RET || in->opcode == PTX_OP_EXIT || in->opcode == PTX_OP_TRAP;
}

static const struct ptx_branch_targets *targets_of(const struct ptx_function *f,
                                                   const struct ptx_instruction *in)
{
    for (int i = 0; in->opcode == PTX_OP_BRX && in->operand_count > 1 && i < f->branch_target_count;
         i++)
        if (in->operands[1].symbol &&
            strcmp(f->branch_targets[i].label, in->operands[1].symbol) == 0)
            return &f->branch_targets[i];
    return NULL;
}

static void leaders_mark(const struct ptx_function *f, bool *leader)
{
    leader[0] = true;
    for (int i = 0; i < f->instruction_count; i++) {
        const struct ptx_instruction *in = &f->instructions[i];
        if (!is_branch(in) && !ends_function(in))
            continue;
        leader[i + 1] = true;
        const struct ptx_branch_targets *t = targets_of(f, in);
        for (int k = 0; t && k < t->count; k++)
            leader[t->targets[k]] = true;
        if (in->opcode == PTX_OP_BRA && in->operand_count > 0 &&
            in->operands[0].kind == PTX_OPERAND_LABEL)
            leader[in->operands[0].target] = true;
    }
}

static void successor_add(const struct ptx_function *f, struct ptx_block *b, int instruction)
{
    if (instruction >= f->instruction_count) // falls off the end: as ret
        return;
    int to = f->block_of[instruction];
    for (int i = 0; i < b->successor_count; i++)
        if (b->successors[i] == to)
            return;
    b->successors[b->successor_count++] = to;
}

static void successors_fill(struct arena *a, const struct ptx_function *f, struct ptx_block *b)
{
    const struct ptx_instruction *last = &f->instructions[b->first + b->count - 1];
    const struct ptx_branch_targets *t = targets_of(f, last);
    b->successors = ARENA_ARRAY(a, int, 2 + (t ? t->count : 0));
    bool falls = !(is_branch(last) || ends_function(last)) || last->guard >= 0;
    if (falls)
        successor_add(f, b, b->first + b->count);
    for (int k = 0; t && k < t->count; k++)
        successor_add(f, b, t->targets[k]);
    if (last->opcode == PTX_OP_BRA && last->operand_count > 0 &&
        last->operands[0].kind == PTX_OPERAND_LABEL)
        successor_add(f, b, last->operands[0].target);
}

static void predecessors_fill(struct arena *a, struct ptx_function *f)
{
    for (int i = 0; i < f->block_count; i++)
        for (int k = 0; k < f->blocks[i].successor_count; k++)
            f->blocks[f->blocks[i].successors[k]].predecessor_count++;
    for (int i = 0; i < f->block_count; i++) {
        f->blocks[i].predecessors = ARENA_ARRAY(a, int, f->blocks[i].predecessor_count + 1);
        f->blocks[i].predecessor_count = 0;
    }
    for (int i = 0; i < f->block_count; i++)
        for (int k = 0; k < f->blocks[i].successor_count; k++) {
            struct ptx_block *to = &f->blocks[f->blocks[i].successors[k]];
            to->predecessors[to->predecessor_count++] = i;
        }
}

static void reachable_mark(struct ptx_function *f)
{
    int *stack = xcalloc((size_t)f->block_count + 1, sizeof *stack), n = 0;
    stack[n++] = 0;
    f->blocks[0].reachable = true;
    while (n > 0) {
        const struct ptx_block *b = &f->blocks[stack[--n]];
        for (int k = 0; k < b->successor_count; k++)
            if (!f->blocks[b->successors[k]].reachable) {
                f->blocks[b->successors[k]].reachable = true;
                stack[n++] = b->successors[k];
            }
    }
    free(stack);
}

/* ---- post-dominators ---------------------------------------------------------------------------------- */

struct postorder { // of the reversed graph from the virtual exit, which is number block_count
    int *number, *order, *idom;
    int count;
};

// Depth first over predecessors, iterative: next[] remembers how far each block is.
static void reverse_visit(const struct ptx_function *f, struct postorder *o, int root, int *stack,
                          int *next)
{
    int n = 0;
    if (o->number[root] != -1)
        return;
    o->number[root] = -2;
    stack[n++] = root;
    while (n > 0) {
        int b = stack[n - 1];
        if (next[b] < f->blocks[b].predecessor_count) {
            int p = f->blocks[b].predecessors[next[b]++];
            if (o->number[p] == -1) {
                o->number[p] = -2;
                stack[n++] = p;
            }
        } else {
            o->number[b] = o->count;
            o->order[o->count++] = b;
            n--;
        }
    }
}

static int dominator_meet(const struct postorder *o, int x, int y)
{
    while (x != y) {
        while (o->number[x] < o->number[y])
            x = o->idom[x];
        while (o->number[y] < o->number[x])
            y = o->idom[y];
    }
    return x;
}

static bool exits(const struct ptx_function *f, int b)
{
    const struct ptx_block *k = &f->blocks[b];
    const struct ptx_instruction *last = &f->instructions[k->first + k->count - 1];
    return k->successor_count == 0 || ends_function(last);
}

// roots[b]: the block leads to the exit by itself, or stands for a loop that never ends.
static void dominators_settle(const struct ptx_function *f, struct postorder *o, const bool *roots)
{
    int exit = f->block_count;
    bool changed = true;
    o->idom[exit] = exit;
    while (changed) {
        changed = false;
        for (int i = o->count - 1; i >= 0; i--) {
            int b = o->order[i], best = roots[b] ? exit : -1;
            for (int k = 0; k < f->blocks[b].successor_count; k++) {
                int s = f->blocks[b].successors[k];
                if (o->idom[s] != -1)
                    best = best == -1 ? s : dominator_meet(o, best, s);
            }
            if (best != o->idom[b]) {
                o->idom[b] = best;
                changed = true;
            }
        }
    }
}

static void postdominators_find(struct ptx_function *f)
{
    size_t n = (size_t)f->block_count + 1;
    struct postorder o = {xcalloc(n, sizeof(int)), xcalloc(n, sizeof(int)), xcalloc(n, sizeof(int)),
                          0};
    int *stack = xcalloc(n, sizeof(int)), *next = xcalloc(n, sizeof(int));
    bool *roots = xcalloc(n, sizeof(bool));
    for (size_t i = 0; i < n; i++)
        o.number[i] = o.idom[i] = -1;
    for (int b = 0; b < f->block_count; b++)
        if (exits(f, b)) {
            roots[b] = true;
            reverse_visit(f, &o, b, stack, next);
        }
    for (int b = f->block_count - 1; b >= 0; b--) // loops without a way out
        if (o.number[b] == -1) {
            roots[b] = true;
            reverse_visit(f, &o, b, stack, next);
        }
    o.number[f->block_count] = o.count;
    dominators_settle(f, &o, roots);
    for (int b = 0; b < f->block_count; b++)
        f->blocks[b].postdominator = o.idom[b] == f->block_count ? -1 : o.idom[b];
    free(o.number);
    free(o.order);
    free(o.idom);
    free(stack);
    free(next);
    free(roots);
}

bool ptx_build_graph(struct arena *a, struct ptx_function *f)
{
    int n = f->instruction_count;
    f->block_of = ARENA_ARRAY(a, int, n + 1);
    if (n == 0)
        return true;
    bool *leader = xcalloc((size_t)n + 1, sizeof *leader);
    leaders_mark(f, leader);
    int blocks = 0;
    for (int i = 0; i < n; i++)
        blocks += leader[i];
    f->blocks = ARENA_ARRAY(a, struct ptx_block, blocks + 1);
    for (int i = 0; i < n; i++) {
        if (leader[i])
            f->blocks[f->block_count++].first = i;
        f->block_of[i] = f->block_count - 1;
        f->blocks[f->block_count - 1].count++;
    }
    free(leader);
    for (int b = 0; b < f->block_count; b++)
        successors_fill(a, f, &f->blocks[b]);
    predecessors_fill(a, f);
    reachable_mark(f);
    postdominators_find(f);
    return true;
}

/* ---- registers live at once ------------------------------------------------------------------------------ */

// Machine code keeps about this many registers beside the values (addresses, the stack pointer, scratch), and ptxas mostly
// an even number: chosen by what ptxas 13.0 takes for 409 kernels (docs/differential.md).
enum { REGISTERS_RESERVED = 8, REGISTER_PAIR = 2, REGISTERS_LEAST = 10, REGISTERS_MOST = 255 };

// Is it an operand of its readers, or in a uniform register: a constant, a parameter, the block's number or shape?
static bool needs_none(const struct ptx_instruction *in, const bool *none)
{
    const struct ptx_operand *from = &in->operands[1];
    if (in->guard >= 0 || in->operand_count < 2)
        return false;
    if (in->opcode == PTX_OP_LD)
        return in->space_count > 0 && from->reg < 0 &&
               (in->spaces[0] == PTX_SPACE_PARAM || in->spaces[0] == PTX_SPACE_CONST);
    if (in->opcode != PTX_OP_MOV && in->opcode != PTX_OP_CVTA)
        return false;
    if (from->kind == PTX_OPERAND_SPECIAL)
        return from->special == PTX_SREG_CTAID || from->special == PTX_SREG_NTID ||
               from->special == PTX_SREG_NCTAID;
    if (from->kind == PTX_OPERAND_REGISTER)
        return from->reg >= 0 && none[from->reg];
    return from->kind == PTX_OPERAND_IMMEDIATE || from->kind == PTX_OPERAND_SYMBOL;
}

static void definition_note(const struct ptx_operand *o, int instruction, int *definition)
{
    enum { SEVERAL = -2 };
    for (int i = 0; i < o->element_count; i++)
        definition_note(&o->elements[i], instruction, definition);
    if (o->kind == PTX_OPERAND_REGISTER && o->reg >= 0)
        definition[o->reg] = definition[o->reg] == -1 ? instruction : SEVERAL;
}

// By register: is it written once, by something that leaves it without a register of its own?
static bool *registers_none(const struct ptx_function *f)
{
    enum { MOVES = 4 }; // of moves, one after the other
    size_t count = (size_t)f->register_count + 1;
    int *definition = xcalloc(count, sizeof *definition);
    bool *none = xcalloc(count, sizeof *none);
    for (size_t r = 0; r < count; r++)
        definition[r] = -1;
    for (int i = 0; i < f->instruction_count; i++)
        if (f->instructions[i].writes_first)
            definition_note(&f->instructions[i].operands[0], i, definition);
    for (int pass = 0; pass < MOVES; pass++)
        for (int r = 0; r < f->register_count; r++)
            none[r] = definition[r] >= 0 && needs_none(&f->instructions[definition[r]], none);
    free(definition);
    return none;
}

struct live {
    const struct ptx_function *f;
    bool *none;
    uint64_t *set;
    size_t words;
    int units, most;
};

static int units_of(const struct live *l, int reg)
{
    int bits = ptx_type_bits(l->f->registers[reg].type);
    return bits == 1 || l->none[reg] ? 0 : bits <= 32 ? 1 : bits / 32;
}

static void live_put(struct live *l, int reg, bool on)
{
    uint64_t bit = UINT64_C(1) << (reg & 63), *word = &l->set[reg / 64];
    if (((*word & bit) != 0) == on)
        return;
    *word ^= bit;
    l->units += on ? units_of(l, reg) : -units_of(l, reg);
    if (l->units > l->most)
        l->most = l->units;
}

static void live_operand(struct live *l, const struct ptx_operand *o, bool on)
{
    for (int i = 0; i < o->element_count; i++)
        live_operand(l, &o->elements[i], on);
    if ((o->kind == PTX_OPERAND_REGISTER || o->kind == PTX_OPERAND_ADDRESS) && o->reg >= 0)
        live_put(l, o->reg, on || o->kind == PTX_OPERAND_ADDRESS);
}

static void live_instruction(struct live *l, const struct ptx_instruction *in)
{
    bool result = in->writes_first;
    if (result && in->guard < 0)
        live_operand(l, &in->operands[0], false);
    for (int k = result ? 1 : 0; k < in->operand_count; k++)
        live_operand(l, &in->operands[k], true);
    if (in->guard >= 0)
        live_put(l, in->guard, true);
}

static void live_block(struct live *l, uint64_t *in_sets, int b)
{
    const struct ptx_block *block = &l->f->blocks[b];
    memset(l->set, 0, l->words * sizeof *l->set);
    l->units = 0;
    for (int k = 0; k < block->successor_count; k++) {
        const uint64_t *from = in_sets + (size_t)block->successors[k] * l->words;
        for (size_t w = 0; w < l->words; w++)
            l->set[w] |= from[w];
    }
    for (int r = 0; r < l->f->register_count; r++)
        if (l->set[r / 64] >> (r & 63) & 1)
            l->units += units_of(l, r);
    if (l->units > l->most)
        l->most = l->units;
    for (int i = block->first + block->count - 1; i >= block->first; i--)
        live_instruction(l, &l->f->instructions[i]);
}

int ptx_register_estimate(const struct ptx_function *f)
{
    struct live l = {
        .f = f, .none = registers_none(f), .words = (size_t)f->register_count / 64 + 1};
    uint64_t *in_sets = xcalloc((size_t)f->block_count * l.words + 1, sizeof *in_sets);
    l.set = xcalloc(l.words, sizeof *l.set);
    for (bool changed = f->block_count > 0; changed;) {
        changed = false;
        for (int b = f->block_count - 1; b >= 0; b--) {
            uint64_t *mine = in_sets + (size_t)b * l.words;
            live_block(&l, in_sets, b);
            if (memcmp(mine, l.set, l.words * sizeof *mine) != 0) {
                memcpy(mine, l.set, l.words * sizeof *mine);
                changed = true;
            }
        }
    }
    free(in_sets);
    free(l.set);
    free(l.none);
    int need = (l.most + REGISTERS_RESERVED + REGISTER_PAIR - 1) / REGISTER_PAIR * REGISTER_PAIR;
    need = need < REGISTERS_LEAST ? REGISTERS_LEAST : need;
    return need > REGISTERS_MOST ? REGISTERS_MOST : need;
}
