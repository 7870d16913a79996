// Where lanes that parted wait for each other: BSSY before their ways part, BSYNC where they meet.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/lower_forms.h"

#include <stdlib.h>

enum { NONE = -1 };

/* ---- lanes that wait ----------------------------------------------------------------------------------- */

// ptxas takes no account of ways to the end of a thread when it looks for the place where lanes meet again: where a block's
// other ways lead, however many lanes have ended.
struct meeting {
    int *next;           // by block, and one for the end: the next that all ways pass
    int *order, *number; // of the reversed graph, postorder
    int count;
    bool *on; // by loop
};

// Does the loop lead on to anything but the thread's end?
static bool leads_on(const struct code *c, int loop)
{
    for (int b = 0; b < c->f->block_count; b++)
        for (int s = 0; in_loop(c, b, loop) && s < block_at(c, b)->successor_count; s++) {
            int to = block_at(c, b)->successors[s];
            if (to >= 0 && !in_loop(c, to, loop) && !block_ends_thread(c->f, to))
                return true;
        }
    return false;
}

// on: by loop, leads_on.
static bool leads(const struct code *c, const bool *on, int from, int to)
{
    const struct ptx_block *b = block_at(c, from);
    bool other = false; // way that does not end the thread
    if (c->loop_of[from] >= 0 && !on[c->loop_of[from]])
        return true;
    for (int s = 0; s < b->successor_count; s++)
        other |= b->successors[s] >= 0 && !block_ends_thread(c->f, b->successors[s]);
    return !other || !block_ends_thread(c->f, to);
}

// Where the block leads to, by what leads() allows; the end if nowhere.
static int ways_of(const struct code *c, const bool *on, int block, int *to, int most)
{
    const struct ptx_block *b = block_at(c, block);
    int count = 0;
    for (int s = 0; s < b->successor_count && count < most; s++)
        if (b->successors[s] >= 0 && leads(c, on, block, b->successors[s]))
            to[count++] = b->successors[s];
    if (count == 0)
        to[count++] = c->f->block_count;
    return count;
}

enum { WAYS = 64 };

// The k-th block that may lead to it; NONE: there are no more.
static int leading_to(const struct code *c, int block, int k)
{
    if (block == c->f->block_count)
        return k < block ? k : NONE;
    return k < block_at(c, block)->predecessor_count ? block_at(c, block)->predecessors[k] : NONE;
}

static void meeting_order(const struct code *c, struct meeting *m)
{
    int end = c->f->block_count, depth = 0, ways[WAYS];
    int *stack = xcalloc((size_t)end + 2, sizeof *stack),
        *looked = xcalloc((size_t)end + 2, sizeof *looked);
    bool *seen = xcalloc((size_t)end + 2, sizeof *seen);
    stack[depth++] = end;
    seen[end] = true;
    while (depth > 0) {
        int b = stack[depth - 1], next = NONE, from;
        while (next == NONE && (from = leading_to(c, b, looked[b])) != NONE) {
            looked[b]++;
            if (seen[from] || c->number[from] < 0)
                continue;
            for (int w = ways_of(c, m->on, from, ways, WAYS) - 1; w >= 0; w--)
                next = ways[w] == b ? from : next;
        }
        if (next == NONE) {
            m->number[b] = m->count;
            m->order[m->count++] = b;
            depth--;
        } else {
            seen[next] = true;
            stack[depth++] = next;
        }
    }
    free(stack);
    free(looked);
    free(seen);
}

static int meeting_common(const struct meeting *m, int a, int b)
{
    while (a != b) {
        while (m->number[a] < m->number[b])
            a = m->next[a];
        while (m->number[b] < m->number[a])
            b = m->next[b];
    }
    return a;
}

// A branch one way of which ends the thread is an EXIT under its predicate.
static bool parts(const struct code *c, int b)
{
    for (int s = 0; s < block_at(c, b)->successor_count; s++)
        if (block_ends_thread(c->f, block_at(c, b)->successors[s]))
            return false;
    return true;
}

static struct meeting meetings_find(const struct code *c)
{
    int end = c->f->block_count, ways[WAYS];
    struct meeting m = {
        xcalloc((size_t)end + 2, sizeof(int)), xcalloc((size_t)end + 2, sizeof(int)),
        xcalloc((size_t)end + 2, sizeof(int)), 0, xcalloc((size_t)c->loop_count + 1, sizeof(bool))};
    for (int l = 0; l < c->loop_count; l++)
        m.on[l] = leads_on(c, l);
    for (int b = 0; b <= end; b++)
        m.next[b] = m.number[b] = NONE;
    meeting_order(c, &m);
    m.next[end] = end;
    for (bool changed = true; changed;) {
        changed = false;
        for (int k = m.count - 2; k >= 0; k--) {
            int b = m.order[k], to = NONE, count = ways_of(c, m.on, b, ways, WAYS);
            for (int w = 0; w < count; w++)
                if (m.number[ways[w]] >= 0 && m.next[ways[w]] != NONE)
                    to = to == NONE ? ways[w] : meeting_common(&m, to, ways[w]);
            changed |= to != m.next[b];
            m.next[b] = to;
        }
    }
    return m;
}

/* ---- copies in a row ------------------------------------------------------------------------------------- */

static bool touches_shared(const struct ptx_instruction *in)
{
    enum ptx_class class = ptx_opcode_class(in->opcode);
    enum ptx_space space = ptx_space_of(in);
    bool memory =
             class == PTX_CLASS_MEMORY || class == PTX_CLASS_ATOMIC || class == PTX_CLASS_TENSOR,
         shared = space == PTX_SPACE_SHARED || space == PTX_SPACE_SHARED_CLUSTER ||
                  space == PTX_SPACE_GENERIC;
    return (memory && shared) || in->opcode == PTX_OP_BAR || in->opcode == PTX_OP_BARRIER;
}

bool code_goes_on(const struct code *c, int b)
{
    const struct ptx_block *block = block_at(c, b);
    if (b == 0 || c->joined_to[b] == c->joined_to[b - 1])
        return b > 0;
    for (int p = 0; p < block->predecessor_count; p++) {
        int from = block->predecessors[p];
        if (c->joined_to[from] != c->joined_to[b - 1] ||
            (block_at(c, from)->successor_count > 1 && c->slots[last_of(c, from)] > 0))
            return false;
    }
    return block->predecessor_count > 0;
}

// What ptxas writes before cp.async (observe/machine.c) stands before the first of those in a row.
void code_copies(const struct code *c)
{
    bool copied = false;
    for (int b = 0; b < c->f->block_count; b++) {
        copied = copied && code_goes_on(c, b);
        for (int i = block_at(c, b)->first; i <= last_of(c, b); i++) {
            bool copy = c->sites[i].pipe == PIPE_ASYNC_COPY;
            if (copy)
                c->d->program->sites[c->d->out->site_base + i].copies_on = copied;
            copied = copy || (copied && !touches_shared(at(c, i)));
        }
    }
}

// Where lanes may have diverged, ptxas asks before they exchange something: a number's move and BRA.DIV, once for a block.
static void exchanges_ask(struct code *c)
{
    enum { ASKS = 2 };
    for (int b = 0; b < c->f->block_count; b++) {
        bool exchanges = false;
        for (int i = block_at(c, b)->first; i <= last_of(c, b); i++) {
            const struct ptx_instruction *in = at(c, i);
            int mask = c->first_source[i + 1] - c->first_source[i] - (in->guard >= 0) - 1;
            exchanges |= ptx_opcode_class(in->opcode) == PTX_CLASS_WARP && c->slots[i] > 0 &&
                         in_has(in, "sync") && in->opcode != PTX_OP_VOTE && mask >= 0 &&
                         is_number(c, i, mask);
        }
        if (exchanges && c->diverged[b])
            code_bring(c, c->joined_to[b], NONE, ASKS);
    }
}

void code_waits(struct code *c)
{
    const struct ptx_function *f = c->f;
    int *before = xcalloc((size_t)f->block_count + 1, sizeof *before);
    struct meeting m = meetings_find(c);
    for (int b = 0; b < f->block_count; b++)
        before[b] = NONE;
    bool *agree = c->agree;
    code_agree(c, m.next, agree);
    exchanges_ask(c);
    for (int b = 0; b < f->block_count; b++) {
        if (!ends_with_choice(c, b) || c->slots[last_of(c, b)] <= 0 || agree[b])
            continue;
        int meet = m.next[b];
        if (meet < 0 || meet == f->block_count || block_ends_thread(f, meet) || !parts(c, b))
            continue;
        int from = c->joined_to[b];
        before[meet] = before[meet] == NONE ? from : common_dominator(c, before[meet], from);
    }
    for (int meet = 0; meet < f->block_count; meet++) {
        if (before[meet] == NONE)
            continue;
        // All that come to the place have to have said that they will.
        int from = c->dominator[meet] >= 0 ? common_dominator(c, before[meet], c->dominator[meet])
                                           : before[meet];
        // A loop that lanes leave at different turns: they wait behind it.
        while (c->loop_of[from] >= 0 && !in_loop(c, meet, c->loop_of[from])) {
            int head = c->loops[c->loop_of[from]].head;
            if (c->dominator[head] < 0)
                break;
            from = c->dominator[head];
        }
        code_bring(c, c->joined_to[from], last_of(c, from), 1);
        code_bring(c, c->joined_to[meet], NONE, 1);
    }
    free(before);
    free(m.next);
    free(m.on);
    free(m.order);
    free(m.number);
}
