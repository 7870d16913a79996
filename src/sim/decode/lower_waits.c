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

/* ---- lanes that some leave behind -------------------------------------------------------------------------- */

// Where only some of the lanes that diverged meet: the others have left the region before (BREAK).
struct region {
    int from, meet; // blocks
    bool *in;       // by block: between the two
};

static bool in_same_loop(const struct code *c, int a, int b)
{
    return c->loop_of[a] == c->loop_of[b];
}

// Marks what leads from `from` to `meet` and lies behind `from` alone.
static void region_mark(const struct code *c, struct region *r, int block)
{
    for (int p = 0; p < block_at(c, block)->predecessor_count; p++) {
        int before = block_at(c, block)->predecessors[p];
        if (before < 0 || c->number[before] < 0 || before == r->meet || r->in[before] ||
            !dominates(c, r->from, before))
            continue;
        r->in[before] = true;
        if (before != r->from)
            region_mark(c, r, before);
    }
}

static bool leaves_region(const struct code *c, const struct region *r, int b)
{
    for (int s = 0; r->in[b] && s < block_at(c, b)->successor_count; s++) {
        int to = block_at(c, b)->successors[s];
        if (to >= 0 && to != r->meet && !r->in[to] &&
            at(c, last_of(c, to))->opcode != PTX_OP_TRAP && !block_ends_thread(c->f, to))
            return true;
    }
    return false;
}

// Do lanes diverge in it, and do some of them leave, but not where it begins?
static bool is_left(const struct code *c, const struct region *r)
{
    bool diverge = false, left = false;
    for (int b = 0; b < c->f->block_count; b++) {
        diverge |= r->in[b] && ends_with_choice(c, b) && c->slots[last_of(c, b)] > 0 &&
                   !c->agree[b] && parts(c, b);
        left |= leaves_region(c, r, b);
    }
    return diverge && left && !leaves_region(c, r, r->from);
}

// How many ways come to the block that are executed apart from each other?
static int ways_to(const struct code *c, int meet)
{
    int count = 0, first = NONE;
    const struct ptx_block *m = block_at(c, meet);
    for (int p = 0; p < m->predecessor_count; p++) {
        int from = m->predecessors[p];
        if (from < 0 || c->number[from] < 0)
            continue;
        if (dominates(c, meet, from))
            return 0; // a loop's head
        if (c->joined_to[from] != first)
            count++;
        first = c->joined_to[from];
    }
    return count;
}

// Do all that leave it go to the block?
static bool leaves_for(const struct code *c, const struct region *r, int block)
{
    for (int b = 0; b < c->f->block_count; b++)
        for (int s = 0; r->in[b] && s < block_at(c, b)->successor_count; s++) {
            int to = block_at(c, b)->successors[s];
            if (to >= 0 && to != r->meet && !r->in[to] && to != block)
                return false;
        }
    return true;
}

// Machine instructions of the block by itself.
static double length_of(const struct code *c, int b)
{
    double length = 0;
    for (int i = block_at(c, b)->first; i <= last_of(c, b); i++)
        length += c->slots[i];
    return length;
}

static bool has_loop(const struct code *c, const struct region *r)
{
    for (int l = 0; l < c->loop_count; l++)
        if (r->in[c->loops[l].head] && !in_loop(c, r->from, l))
            return true;
    return false;
}

// Does anything behind it touch memory, and is it no more than a sum's address behind a loop? ptxas takes no pains to have lanes do
// sums together. Where they choose at once how to go on, the others have to go to where all meet.
static bool is_worth_meeting(const struct code *c, const struct region *r, int all)
{
    enum { SHORT = 3 };
    const struct ptx_block *m = block_at(c, r->meet);
    bool chooses = ends_with_choice(c, r->meet), touches = false;
    for (int i = m->first; i < last_of(c, r->meet); i++)
        chooses &= c->slots[i] <= 0 || at(c, i)->opcode == PTX_OP_SETP;
    if ((chooses && !leaves_for(c, r, all)) || (has_loop(c, r) && length_of(c, r->meet) < SHORT))
        return false;
    for (int i = 0; i < c->count; i++) {
        const struct ptx_instruction *in = at(c, i);
        enum ptx_class class = ptx_opcode_class(in->opcode);
        bool memory = class == PTX_CLASS_MEMORY || class == PTX_CLASS_ATOMIC;
        touches |= memory && ptx_space_of(in) != PTX_SPACE_PARAM && c->f->block_of[i] >= 0 &&
                   dominates(c, r->meet, c->f->block_of[i]);
    }
    return touches;
}

// Lanes that leave a loop in it at different turns meet behind the loop first, where it ends at the region's meeting place.
static bool has_loop_within(const struct code *c, const struct region *r, int loop)
{
    const struct natural_loop *l = &c->loops[loop];
    if (!l->leave_apart || l->branch < 0 || !r->in[l->head] || c->dominator[l->head] < 0)
        return false;
    const struct ptx_block *last = block_at(c, c->f->block_of[l->branch]);
    for (int s = 0; s < last->successor_count; s++)
        if (last->successors[s] == r->meet)
            return true;
    return false;
}

static void region_bring(struct code *c, const struct region *r)
{
    for (int l = 0; l < c->loop_count; l++) {
        if (!has_loop_within(c, r, l))
            continue;
        int before = c->dominator[c->loops[l].head];
        code_bring(c, c->joined_to[before], last_of(c, before), 2);
        for (int b = 0; b < c->f->block_count; b++)
            if (in_loop(c, b, l) && leaves_region(c, r, b))
                code_bring(c, c->joined_to[b], last_of(c, b), 1);
    }
    code_bring(c, c->joined_to[r->from], last_of(c, r->from), 1);
    code_bring(c, c->joined_to[r->meet], NONE, 1);
    for (int b = 0; b < c->f->block_count; b++)
        if (leaves_region(c, r, b))
            code_bring(c, c->joined_to[b], last_of(c, b), 1);
}

// met, next: by block, whether all lanes meet there, and where those of its ways do.
static void regions_wait(struct code *c, const bool *met, const int *next)
{
    enum { REGIONS = 64 };
    int count = c->f->block_count, kept = 0;
    struct region regions[REGIONS];
    for (int k = 0; k < count && kept < REGIONS; k++) { // those around others first
        int from = c->order[k];
        for (int n = count - 1; from >= 0 && n >= 0 && kept < REGIONS; n--) {
            int meet = c->order[n];
            if (meet < 0 || c->number[meet] < 0 || c->dominator[meet] != from || met[meet] ||
                c->joined_to[meet] != meet || c->joined_to[from] != from ||
                !in_same_loop(c, from, meet) || block_ends_thread(c->f, meet) ||
                ways_to(c, meet) < 2)
                continue;
            struct region r = {from, meet, xcalloc((size_t)count + 1, sizeof(bool))};
            region_mark(c, &r, meet);
            bool inside = is_left(c, &r) && is_worth_meeting(c, &r, next[from]);
            for (int o = 0; o < kept && inside; o++)
                inside = !regions[o].in[from] || (regions[o].in[meet] && regions[o].from != from);
            if (inside) {
                region_bring(c, &r);
                regions[kept++] = r;
            } else {
                free(r.in);
            }
        }
    }
    for (int o = 0; o < kept; o++)
        free(regions[o].in);
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
    bool *met = xcalloc((size_t)f->block_count + 1, sizeof *met);
    for (int b = 0; b < f->block_count; b++)
        met[b] = before[b] != NONE;
    regions_wait(c, met, m.next);
    free(met);
    free(before);
    free(m.next);
    free(m.on);
    free(m.order);
    free(m.number);
}
