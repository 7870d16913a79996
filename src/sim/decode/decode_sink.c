// Instructions that ptxas moves behind a branch, for the model of time only. What is read on one of a branch's two ways alone is made
// there: a load whose value no other way needs, and what makes its address, stand behind the branch in its code, so that the load waits
// for whatever the branch has waited for. Read off ptxas 13.0's code for sm_90: 46 of 48 such loads in the lists that may be read
// and in programs written by chance; the other two had a division with a routine of its own between them and the branch, which ends a
// block of the machine's. What may not pass to another place stays: no load moves over a store, an atomic or a barrier. Nor does what
// would hold more registers over the branch than it frees: arithmetic on two registers that the way reads no more (18 of 24 forms
// are as ptxas 13.0 has them). And a way of a few instructions has predicates in the place of the branch, so that nothing stands behind it.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/lower_code.h"
#include "sim/model/cost.h"

#include <stdlib.h>
#include <string.h>

struct sinks { // of a function
    const struct ptx_function *f;
    const struct code *code;
    struct timing_site *sites;
    const struct function *own;
    int *defined;                     // by register: how many instructions write it
    int *first_use, *next_use, *user; // by register; by use
    bool *reached;                    // by block: from the way that is looked at
    int *left;                        // blocks to look at
};

int own_register(const struct function *own, uint16_t reg)
{
    int at = reg - own->register_base;
    return at >= 0 && at < own->ptx->register_count ? at : -1;
}

static void uses_find(struct sinks *s)
{
    int count = 0;
    for (int r = 0; r < s->f->register_count; r++)
        s->first_use[r] = -1;
    for (int i = 0; i < s->f->instruction_count; i++) {
        const struct timing_site *t = &s->sites[i];
        for (int n = 0; n < t->result_count; n++)
            if (own_register(s->own, t->result[n]) >= 0)
                s->defined[own_register(s->own, t->result[n])]++;
        for (int n = 0; n < t->source_count; n++) {
            int reg = own_register(s->own, t->source[n]);
            if (reg < 0)
                continue;
            s->user[count] = i;
            s->next_use[count] = s->first_use[reg];
            s->first_use[reg] = count++;
        }
    }
}

// Do all ways to the block go through the other?
static bool stands_behind(const struct code *c, int block, int other)
{
    while (block > other && c->dominator[block] < block)
        block = c->dominator[block];
    return block == other;
}

// What stands behind the branch has this as `sinks_past`.
static uint32_t past(const struct sinks *s, int branch)
{
    return 1 + (uint32_t)(s->own->site_base + branch);
}

// Is all that reads what the instruction makes on the way that begins with the block, or moved there itself?
static bool is_read_there(const struct sinks *s, int i, int block, int branch)
{
    const struct timing_site *t = &s->sites[i];
    bool read = false;
    for (int n = 0; n < t->result_count; n++) {
        int reg = own_register(s->own, t->result[n]);
        if (reg < 0 || s->defined[reg] != 1)
            return false;
        for (int u = s->first_use[reg]; u >= 0; u = s->next_use[u]) {
            int user = s->user[u], its = s->f->block_of[user];
            if (its < 0)
                continue;
            bool moved = s->sites[user].sinks_past == past(s, branch);
            if (!moved && !stands_behind(s->code, its, block))
                return false;
            read = true;
        }
    }
    return read;
}

static void way_follow(const struct sinks *s, int to)
{
    int count = 0;
    memset(s->reached, 0, (size_t)s->f->block_count * sizeof *s->reached);
    s->reached[to] = true;
    s->left[count++] = to;
    while (count > 0) {
        const struct ptx_block *b = &s->f->blocks[s->left[--count]];
        for (int k = 0; k < b->successor_count; k++) {
            int next = b->successors[k];
            if (next < 0 || next >= s->f->block_count || s->reached[next])
                continue;
            s->reached[next] = true;
            s->left[count++] = next;
        }
    }
}

// Does another than the instruction read the register on the way?
static bool is_held(const struct sinks *s, int reg, int i, int branch)
{
    for (int u = reg >= 0 ? s->first_use[reg] : -1; u >= 0; u = s->next_use[u]) {
        int user = s->user[u], its = s->f->block_of[user];
        if (user != i && its >= 0 &&
            (s->reached[its] || s->sites[user].sinks_past == past(s, branch)))
            return true;
    }
    return false;
}

// Would the instruction behind the branch hold no more registers over it than its result does?
static bool holds_few(const struct sinks *s, int i, int branch)
{
    const struct timing_site *t = &s->sites[i];
    int more = 0;
    for (int n = 0; n < t->source_count; n++)
        more += !is_held(s, own_register(s->own, t->source[n]), i, branch);
    return more <= 1;
}

// May the instruction be executed behind the branch? written: something between the two writes to memory, or waits for others.
static bool may_sink(const struct sinks *s, int i, bool written)
{
    const struct timing_site *t = &s->sites[i];
    if (t->guard != 0)
        return false;
    if (t->pipe == PIPE_GLOBAL_LOAD)
        return !t->polls && !t->synchronises &&
               (!written || ptx_has_modifier(&s->f->instructions[i], PTX_MOD_NC));
    return pipe_info(t->pipe)->touches == TOUCHES_NOTHING && !is_among_lanes(t->pipe) &&
           pipe_info(t->pipe)->unit == UNIT_MATH;
}

// Behind the branch at the block's end, to the way that begins with `to`.
static void block_sink(const struct sinks *s, const struct ptx_block *b, int to)
{
    int branch = b->first + b->count - 1;
    bool written = false;
    way_follow(s, to);
    for (int i = branch - 1; i >= b->first && !has_slow_way(&s->sites[i]); i--) {
        enum touches touches = pipe_info(s->sites[i].pipe)->touches;
        if (may_sink(s, i, written) && is_read_there(s, i, to, branch) &&
            (touches != TOUCHES_NOTHING || holds_few(s, i, branch)))
            s->sites[i].sinks_past = past(s, branch);
        written |= touches != TOUCHES_NOTHING && touches != TOUCHES_READ;
    }
}

// Does the way get predicates in the place of the branch? As a side step does, the branch at its end among its instructions, where
// it leads to the block on the other side or meets it: not one in front of a loop.
static bool has_predicates(const struct sinks *s, int from, int block, int other)
{
    const struct ptx_block *b = &s->f->blocks[block], *beside = &s->f->blocks[other];
    bool meets = b->successor_count == 1 &&
                 (b->successors[0] == other ||
                  (beside->successor_count == 1 && beside->successors[0] == b->successors[0]));
    return meets && block_is_short(s->sites, b, true, s->code->loads_about[from]);
}

static void function_sink(const struct sinks *s)
{
    for (int n = 0; n < s->f->block_count; n++) {
        const struct ptx_block *b = &s->f->blocks[n];
        if (b->count == 0 || b->successor_count != 2 ||
            s->sites[b->first + b->count - 1].pipe != PIPE_BRANCH || b->successors[0] <= n ||
            b->successors[1] <= n || b->successors[0] == b->successors[1])
            continue;
        for (int k = 0; k < 2; k++)
            if (s->f->blocks[b->successors[k]].predecessor_count == 1 &&
                !has_predicates(s, n, b->successors[k], b->successors[1 - k]))
                block_sink(s, b, b->successors[k]);
    }
}

void sinks_find(struct program *p)
{
    for (int n = 0; n < p->function_count && !p->reads_clock; n++) {
        const struct function *own = &p->functions[n];
        const struct ptx_function *f = own->ptx;
        struct sinks s = {
            .f = f, .code = own->code, .sites = &p->timing[own->site_base], .own = own};
        if (own->code == NULL || own->code->count == 0 || f->block_count == 0)
            continue;
        size_t uses = 1;
        for (int i = 0; i < f->instruction_count; i++)
            uses += s.sites[i].source_count;
        s.defined = xcalloc((size_t)f->register_count + 1, sizeof *s.defined);
        s.first_use = xcalloc((size_t)f->register_count + 1, sizeof *s.first_use);
        s.next_use = xcalloc(uses, sizeof *s.next_use);
        s.user = xcalloc(uses, sizeof *s.user);
        s.reached = xcalloc((size_t)f->block_count, sizeof *s.reached);
        s.left = xcalloc((size_t)f->block_count, sizeof *s.left);
        uses_find(&s);
        function_sink(&s);
        free(s.defined);
        free(s.first_use);
        free(s.next_use);
        free(s.user);
        free(s.reached);
        free(s.left);
    }
}
