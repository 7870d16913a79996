// Instructions that ptxas moves over ways that some lanes step aside for, for the model of time only: as decode_ahead.c has it of loads
// of global memory. Where the lanes of a branch meet again in front of a block, what the block's own branch tests and special functions
// come in front of the first branch, with the loads of shared memory and the arithmetic that they are made of, as long as no instruction
// of the side way writes what they read. What reads a special function's result stays. Read off ptxas 13.0's code for sm_90: in 48 of 48
// loops of three turns with a side way each (1 to 20 operations, with a load of shared memory or none, one condition or two) all three
// turns' loads, sums and special functions stand in front of the first branch. Where the side way loads, a special function that is not
// tested stays: so in a loop written for it and in bench/truth/validation-9, boys:shared. Blocks in which nothing takes long stay as they
// are: modelled times are no nearer with them.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/lower_code.h"
#include "sim/model/cost.h"

#include <stdlib.h>

enum { FAR = 512 }; // instructions of PTX between the two, at most

struct early { // of a function
    const struct program *p;
    const struct function *own;
    const struct ptx_function *f;
    const struct code *code;
    struct timing_site *sites;
    bool *written; // by register: by what may not be passed
};

static const struct segment *region_of(const struct early *e, int block)
{
    const struct ptx_block *b = &e->f->blocks[block];
    if (b->count == 0)
        return NULL;
    const struct segment *s = &e->p->segments[e->p->sites[e->own->site_base + b->first].segment];
    return s->first_site == e->own->site_base + b->first && s->place == 0 ? s : NULL;
}

static bool stays(const struct timing_site *t)
{
    return t->polls || t->synchronises || t->pipe == PIPE_EXIT || t->pipe == PIPE_BRANCH ||
           is_among_lanes(t->pipe) || has_slow_way(t) || t->routine != ROUTINE_NONE;
}

static bool writes_shared(const struct early *e, int i)
{
    enum touches touches = pipe_info(e->sites[i].pipe)->touches;
    return (touches != TOUCHES_NOTHING && touches != TOUCHES_READ &&
            e->sites[i].pipe != PIPE_GLOBAL_STORE) ||
           has_slow_way(&e->sites[i]);
}

// May it begin early, but for its operands? passes: nothing is written to shared memory on the way.
static bool may_be_early(const struct timing_site *t, bool passes)
{
    if (stays(t))
        return false;
    return pipe_info(t->pipe)->touches == TOUCHES_NOTHING ||
           (t->pipe == PIPE_SHARED_LOAD && passes);
}

static bool reads_written(const struct early *e, const struct timing_site *t)
{
    for (int n = 0; n < t->source_count; n++)
        if (e->written[t->source[n]])
            return true;
    return false;
}

static void written_set(const struct early *e, const struct timing_site *t, bool value)
{
    for (int n = 0; n < t->result_count; n++)
        e->written[t->result[n]] = value;
}

static bool is_special(const struct timing_site *t)
{
    return t->pipe == PIPE_SPECIAL || t->special_slots > 0;
}

static bool takes_long(const struct timing_site *t)
{
    return t->pipe == PIPE_SHARED_LOAD || is_special(t) || t->beside > 0;
}

// Of the region what its branch tests, and what that is made of; where the side way loads nothing, what takes long, too.
static void behind_mark(const struct early *e, int first, int count, bool passes, bool loads)
{
    const struct timing_site *end = &e->sites[first + count - 1];
    bool *needed = xcalloc((size_t)e->p->register_count + 1, sizeof *needed);
    for (int i = first; i < first + count; i++) {
        struct timing_site *t = &e->sites[i];
        bool may = (may_be_early(t, passes) || t->beside > 0) && !reads_written(e, t);
        if (may)
            t->early = true;
        if (!may || is_special(t))
            written_set(e, t, true);
    }
    for (int n = 0; end->pipe == PIPE_BRANCH && n < end->source_count; n++)
        needed[end->source[n]] = true;
    for (int i = first + count - 1; i >= first; i--) {
        struct timing_site *t = &e->sites[i];
        bool tests = false;
        for (int n = 0; n < t->result_count; n++)
            tests |= needed[t->result[n]];
        if (!t->early) {
            for (int n = 0; n < t->source_count && tests; n++)
                needed[t->source[n]] = true;
            continue;
        }
        bool needs = takes_long(t) && !loads;
        for (int n = 0; n < t->result_count; n++)
            needs |= needed[t->result[n]];
        if (!needs) {
            t->early = false;
            continue;
        }
        for (int n = 0; n < t->source_count; n++)
            needed[t->source[n]] = true;
    }
    bool any = false;
    for (int i = first; i < first + count; i++)
        any |= e->sites[i].early && takes_long(&e->sites[i]);
    for (int i = first; i < first + count; i++) {
        e->sites[i].early &= any;
        written_set(e, &e->sites[i], false);
    }
    free(needed);
}

static void behind_find(const struct early *e, int block)
{
    const struct segment *s = region_of(e, block);
    int from = s != NULL ? parting_of(e->code, block) : -1;
    if (from < 0 || from == block - 1) // no side way
        return;
    int begin = e->f->blocks[from].first + e->f->blocks[from].count,
        first = s->first_site - e->own->site_base;
    if (first - begin > FAR)
        return;
    bool passes = true, loads = false;
    for (int i = begin; i < first; i++) {
        if (has_slow_way(&e->sites[i]) || is_among_lanes(e->sites[i].pipe) ||
            pipe_info(e->sites[i].pipe)->touches == TOUCHES_ALL)
            return;
        passes &= !writes_shared(e, i);
        loads |= pipe_info(e->sites[i].pipe)->touches == TOUCHES_READ;
    }
    for (int i = begin; i < first; i++)
        written_set(e, &e->sites[i], true);
    behind_mark(e, first, s->region_count, passes, loads);
    for (int i = begin; i < first; i++)
        written_set(e, &e->sites[i], false);
    e->sites[first].head = HEAD_BEHIND;
    for (int b = from + 1; b < block; b++)
        if (e->f->blocks[b].count > 0 && e->sites[e->f->blocks[b].first].head == HEAD_BEGINS)
            e->sites[e->f->blocks[b].first].head = HEAD_SIDE;
}

void early_find(struct program *p)
{
    for (size_t s = 0; s < p->segment_count; s++)
        if (p->segments[s].place == 0 && p->segments[s].count > 0)
            p->timing[p->segments[s].first_site].head = HEAD_BEGINS;
    for (int n = 0; n < p->function_count && !p->reads_clock; n++) {
        const struct function *own = &p->functions[n];
        struct early e = {.p = p,
                          .own = own,
                          .f = own->ptx,
                          .code = own->code,
                          .sites = &p->timing[own->site_base]};
        if (e.code == NULL || e.code->count == 0)
            continue;
        e.written = xcalloc((size_t)p->register_count + 1, sizeof *e.written);
        for (int b = 0; b < e.f->block_count; b++)
            behind_find(&e, b);
        free(e.written);
    }
}
