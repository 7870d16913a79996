// Loads that ptxas moves over ways that some lanes step aside for, for the model of time only. A branch whose lanes meet again in
// front of a load decides nothing of it: where no instruction of the side way writes what the load reads, its code has the load
// in front of the branch, beside the loads that are there. Read off ptxas 13.0's code for sm_90 (bench/truth/validation-4, topk:
// the four loads of an unrolled turn come first, then four times a comparison and an insertion that most lanes step over), and
// off kernels written for it. A side way with stores, atomics, barriers, votes, calls or loops stays between, and so does one
// that has become predicates (decode_region.c): there model/schedule.c moves the load.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/lower_code.h"
#include "sim/model/cost.h"

enum { FAR = 512 }; // instructions of PTX between the two, at most

struct way { // of a function
    const struct ptx_function *f;
    const struct code *code;
    struct timing_site *sites;
    uint32_t site_base;
};

static bool is_load(const struct timing_site *t)
{
    return t->pipe == PIPE_GLOBAL_LOAD && t->guard == 0 && !t->polls && !t->synchronises;
}

int parting_of(const struct code *c, int block)
{
    int from = c->dominator[block];
    if (from < 0 || from >= block || c->f->blocks[from].postdominator != block)
        return -1;
    for (int b = from; b < block; b++)
        for (int s = 0; s < c->f->blocks[b].successor_count; s++)
            if (c->f->blocks[b].successors[s] <= b || c->f->blocks[b].successors[s] > block)
                return -1;
    return from;
}

// May a load be moved over the instruction, if its address does not come from there?
static bool may_pass(const struct timing_site *t)
{
    enum touches touches = pipe_info(t->pipe)->touches;
    return (touches == TOUCHES_NOTHING || touches == TOUCHES_READ) && !t->polls &&
           !t->synchronises && t->pipe != PIPE_EXIT && !is_among_lanes(t->pipe) && !has_slow_way(t);
}

// Is the instruction executed whenever the block behind it is?
static bool is_on_all_ways(const struct way *w, int i, int block)
{
    int of = w->f->block_of[i];
    while (block > of)
        block = parting_of(w->code, block);
    return block == of && w->sites[i].guard == 0;
}

// What a load's address is made of goes with it.
static bool may_go_along(const struct way *w, int i, int load)
{
    return pipe_info(w->sites[i].pipe)->touches == TOUCHES_NOTHING &&
           is_on_all_ways(w, i, w->f->block_of[load]);
}

struct needed { // registers
    uint16_t all[32];
    int count;
};

static bool needed_add(struct needed *n, const struct timing_site *t)
{
    for (int i = 0; i < t->source_count; i++) {
        if (n->count == (int)COUNT_OF(n->all))
            return false;
        n->all[n->count++] = t->source[i];
    }
    return true;
}

static void needed_drop(struct needed *n, const struct timing_site *t)
{
    int kept = 0;
    for (int i = 0; i < n->count; i++)
        if (!registers_meet(t->result, t->result_count, &n->all[i], 1))
            n->all[kept++] = n->all[i];
    n->count = kept;
}

// Is it the leader, or a load that begins beside it?
static bool begins_with(const struct way *w, int i, int leader)
{
    return i == leader || w->sites[i].beside == 1 + w->site_base + (uint32_t)leader;
}

// place: of the last load that the address comes of, if it begins beside this one, too; -1: none.
static bool may_pass_all(const struct way *w, int from, int load, int *place)
{
    struct needed needed = {.count = 0};
    *place = -1;
    if (load - from > FAR || !needed_add(&needed, &w->sites[load]))
        return false;
    for (int i = load - 1; i >= from; i--) {
        const struct timing_site *t = &w->sites[i];
        bool makes = registers_meet(t->result, t->result_count, needed.all, needed.count);
        if (i > from && !may_pass(t))
            return false;
        if (!makes)
            continue;
        if (is_load(t) && begins_with(w, i, from)) {
            *place = *place < 0 ? i : *place;
            needed_drop(&needed, t);
            continue;
        }
        if (!may_go_along(w, i, load))
            return false;
        needed_drop(&needed, t);
        if (!needed_add(&needed, t))
            return false;
    }
    return true;
}

// Have all branches from the one block to the other become predicates?
static bool is_one_piece(const struct way *w, int from, int to)
{
    while (to > from && code_goes_on(w->code, to))
        to--;
    return to <= from;
}

// The first load of the blocks in front, in the same loop, that this one may go beside; -1.
static int leader_of(const struct way *w, int load, int *place)
{
    int leader = -1, from, own = w->f->block_of[load];
    for (int b = parting_of(w->code, own); b >= 0 && w->code->loop_of[b] == w->code->loop_of[own];
         b = parting_of(w->code, b)) {
        const struct ptx_block *block = &w->f->blocks[b];
        if (is_one_piece(w, b, own))
            continue;
        for (int i = block->first; i < block->first + block->count; i++)
            if (is_load(&w->sites[i]) && w->sites[i].beside == 0 &&
                may_pass_all(w, i, load, &from)) {
                leader = i;
                *place = from;
                break;
            }
    }
    return leader;
}

void loads_ahead(struct program *p)
{
    for (int n = 0; n < p->function_count && !p->reads_clock; n++) {
        const struct function *own = &p->functions[n];
        struct way w = {.f = own->ptx,
                        .code = own->code,
                        .sites = &p->timing[own->site_base],
                        .site_base = (uint32_t)own->site_base};
        for (int i = 0; w.code != NULL && i < w.f->instruction_count; i++) {
            int place = -1, leader = is_load(&w.sites[i]) && w.f->block_of[i] >= 0
                                         ? leader_of(&w, i, &place)
                                         : -1;
            if (leader < 0)
                continue;
            w.sites[i].beside = 1 + w.site_base + (uint32_t)leader;
            w.sites[i].beside_from = place < 0 ? 0 : (uint16_t)(i - place);
            w.sites[leader].leads = true;
        }
    }
}
