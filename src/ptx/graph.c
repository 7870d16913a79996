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

int ptx_loop_depth(const struct ptx_function *f, int block)
{
    int depth = 0;
    for (int from = block; from < f->block_count; from++)
        for (int s = 0; s < f->blocks[from].successor_count; s++)
            depth += f->blocks[from].successors[s] <= block;
    return depth;
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
