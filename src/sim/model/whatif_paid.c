// What takes the place of a cause: operations that each block executes before its own or behind them. A tile is filled and
// read behind a barrier, a block's parts are combined by shuffles, sums that were kept in shared memory go to global memory.
// They are put around a block's own operations when all changes are made, as places among those stay where they are (schedule.c).
// SPDX-License-Identifier: Apache-2.0
#include "sim/model/whatif.h"

#include <string.h>

enum { CYCLE_MOST = 64 }; // blocks in a row of which some pay and others do not

static const struct paid_operation {
    enum timing_pipe pipe;
    bool reads, gives; // the warp's value
} operations[PAID_COUNT] = {
    [PAID_STORE] = {PIPE_SHARED_STORE, true, false},
    [PAID_LOAD] = {PIPE_SHARED_LOAD, false, true},
    [PAID_BARRIER] = {PIPE_BARRIER, false, false},
    [PAID_SHUFFLE] = {PIPE_SHUFFLE, true, true},
    [PAID_SUM] = {PIPE_F32, true, true},
    [PAID_INDEX] = {PIPE_INTEGER, false, false},
    [PAID_ADDITION] = {PIPE_GLOBAL_REDUCTION, true, false},
};

// Their sites stand behind all forms of the program's; one further register holds the value.
void paid_sites(struct altered *x)
{
    int first = x->sites * FORM_COUNT;
    uint16_t value = (uint16_t)x->was->register_count;
    for (int k = 0; k < PAID_COUNT; k++) {
        struct timing_site *t = &x->site[first + k];
        *t = (struct timing_site){.pipe = operations[k].pipe, .bytes = 4, .issue_slots = 1};
        t->source_count = operations[k].reads;
        t->result_count = operations[k].gives;
        t->source[0] = t->result[0] = value;
    }
}

void paid_value(const struct altered *x, struct timing_site *t, enum paid what)
{
    t->pipe = operations[what].pipe;
    t->issue_slots = 1;
    t->other_slots = t->special_slots = 0;
    t->operation = OPERATION_NONE;
    t->routine = ROUTINE_NONE;
    t->result_count = 1;
    t->result[0] = (uint16_t)x->was->register_count;
}

void altered_pay_by(struct altered *x, struct payment p)
{
    if (x->payment_count < PAYMENTS_MAX && p.times > 0)
        x->payments[x->payment_count++] = p;
}

void altered_pay(struct altered *x, enum paid_place place, enum paid what, double times)
{
    altered_pay_by(x,
                   (struct payment){.what = what, .place = place, .times = times, .of_blocks = 1});
}

static struct trace_op operation_of(const struct altered *x, const struct payment *p)
{
    uint8_t lanes = p->lanes > 0 ? p->lanes : LANES;
    struct trace_op op = {.site = (uint32_t)(x->sites * FORM_COUNT + (int)p->what), .lanes = lanes};
    if (p->what == PAID_STORE || p->what == PAID_LOAD)
        op.wavefronts = p->turns > 0 ? p->turns : 1;
    if (p->what == PAID_ADDITION) {
        op.wavefronts = op.lines = 1;
        op.sectors = (uint8_t)ceil(lanes * 4.0 / SECTOR_BYTES);
    }
    return op;
}

// How often each payment is made by a block: credit that adds up to whole ones. false: it pays nothing.
static bool block_counts(const struct altered *x, double *owed, int *times)
{
    bool any = false;
    for (int i = 0; i < x->payment_count; i++) {
        const struct payment *p = &x->payments[i];
        owed[i] += p->times * p->of_blocks;
        bool pays = owed[i] >= p->times - 1e-9; // all of it at once, in the blocks that do
        times[i] = pays ? (int)floor(owed[i] + 1e-9) : 0;
        owed[i] -= times[i];
        any |= times[i] > 0;
    }
    return any;
}

static size_t warp_pays(const struct altered *x, const int *times, int warp, enum paid_place place,
                        struct trace_op *to)
{
    size_t count = 0;
    for (int i = 0; i < x->payment_count; i++) {
        const struct payment *p = &x->payments[i];
        if (p->place != place || (p->first_warp && warp > 0))
            continue;
        for (int k = 0; k < times[i]; k++, count++)
            if (to != NULL)
                to[count] = operation_of(x, p);
    }
    return count;
}

static void block_pays(struct altered *x, struct trace_block *b, const int *times)
{
    struct trace_warp *warps = ARENA_ARRAY(&x->arena, struct trace_warp, b->warp_count + 1);
    for (int w = 0; w < b->warp_count; w++) {
        const struct trace_warp *was = &b->warps[w];
        size_t before = warp_pays(x, times, w, PAID_BEFORE, NULL),
               behind = warp_pays(x, times, w, PAID_BEHIND, NULL);
        struct trace_op *ops =
            ARENA_ARRAY(&x->arena, struct trace_op, before + was->count + behind + 1);
        (void)warp_pays(x, times, w, PAID_BEFORE, ops);
        memcpy(ops + before, was->ops, was->count * sizeof *ops);
        (void)warp_pays(x, times, w, PAID_BEHIND, ops + before + was->count);
        warps[w] = (struct trace_warp){ops, before + was->count + behind, 0};
    }
    b->warps = warps;
}

// Of blocks that pay by turns, so many in a row that each pays as often as it is to.
static void blocks_repeat(struct altered *x)
{
    double least = 1;
    for (int i = 0; i < x->payment_count; i++)
        least = fmin(least, x->payments[i].of_blocks);
    int was = x->trace.block_count, blocks = was;
    while (blocks < CYCLE_MOST && blocks * least < 1)
        blocks += was;
    struct trace_block *all = ARENA_ARRAY(&x->arena, struct trace_block, blocks + 1);
    for (int b = 0; b < blocks; b++)
        all[b] = x->trace.blocks[b % was];
    x->trace.blocks = all;
    x->trace.block_count = blocks;
}

static void executed_count(struct altered *x)
{
    double blocks = (double)x->in.grid_blocks;
    for (int i = 0; i < x->payment_count; i++) {
        const struct payment *p = &x->payments[i];
        struct sim_site *s = &x->stats[x->sites * FORM_COUNT + (int)p->what];
        double warps = p->first_warp ? 1 : x->in.warps_per_block;
        double executed = p->times * p->of_blocks * warps * blocks;
        s->executed += (uint64_t)executed;
        if (p->what == PAID_ADDITION)
            s->sectors += (uint64_t)(executed * operation_of(x, p).sectors);
    }
}

// A block of which pieces are replayed is so long that what is paid once does not matter.
void altered_settle(struct altered *x)
{
    double owed[PAYMENTS_MAX] = {0};
    int times[PAYMENTS_MAX];
    if (x->payment_count == 0 || x->trace.cut || x->trace.block_count == 0)
        return;
    blocks_repeat(x);
    executed_count(x);
    for (int b = 0; b < x->trace.block_count; b++) {
        if (block_counts(x, owed, times))
            block_pays(x, &x->trace.blocks[b], times);
    }
}
