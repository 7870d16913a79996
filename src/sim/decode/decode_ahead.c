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

// May the load be moved over the instruction?
static bool may_pass(const struct timing_site *load, const struct timing_site *t)
{
    enum touches touches = pipe_info(t->pipe)->touches;
    return (touches == TOUCHES_NOTHING || touches == TOUCHES_READ) && !t->polls &&
           !t->synchronises && t->pipe != PIPE_EXIT && !is_among_lanes(t->pipe) &&
           !has_slow_way(t) &&
           !registers_meet(t->result, t->result_count, load->source, load->source_count);
}

static bool may_pass_all(const struct way *w, int from, int load)
{
    if (load - from > FAR)
        return false;
    for (int i = from + 1; i < load; i++)
        if (!may_pass(&w->sites[load], &w->sites[i]))
            return false;
    return true;
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

// The first load of the blocks in front that this one may go beside; -1.
static int leader_of(const struct way *w, int load)
{
    int leader = -1;
    for (int b = parting_of(w->code, w->f->block_of[load]); b >= 0; b = parting_of(w->code, b)) {
        const struct ptx_block *block = &w->f->blocks[b];
        for (int i = block->first; i < block->first + block->count; i++)
            if (is_load(&w->sites[i]) && w->sites[i].beside == 0 && may_pass_all(w, i, load)) {
                leader = i;
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
            int leader = is_load(&w.sites[i]) && w.f->block_of[i] >= 0 ? leader_of(&w, i) : -1;
            if (leader < 0)
                continue;
            w.sites[i].beside = 1 + w.site_base + (uint32_t)leader;
            w.sites[leader].leads = true;
        }
    }
}
