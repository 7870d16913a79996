// The clock that kernels read (%clock, %globaltimer): what the replay says of the warp's own instructions, one
// after the other as they are executed, with the warp alone on its SM. So cycles between two reads are the model's
// (cost.h), and no second definition of time exists. What the replay takes from the launch as a whole is not known
// yet: a line that misses L1 comes from device memory the first time that the SM asks for it and from L2 afterwards,
// and no other warp is in the way. Barriers let all their warps go on at the time of the last one. A block starts
// when those before it on its SM have ended. Only launches whose program reads a clock pay for it; where the chip's
// file lacks a figure of the model, the clock counts the warp's instructions.
// SPDX-License-Identifier: Apache-2.0
#include "sim/model/replay.h"
#include "sim/observe/events.h"

#include <stdlib.h>

struct clock_model { // of a launch
    struct timing_input in;
    struct rates r;
    struct site_cost *costs;
    struct operands operands;
    double cycles_per_ns;
    size_t segment_longest;
};

struct sm_clock {
    double end; // of what ran on the SM so far
    struct fill fills[FILL_TABLE];
};

struct warp_clock {
    struct replay sm; // an SM of its own
    struct warp_state state;
    struct trace_warp segment; // that runs
    uint64_t barriers;         // passed or waited at
    bool at_barrier;
};

struct clock_model *clock_model_new(const struct launch *l)
{
    const struct program *p = l->program;
    if (!p->reads_clock || timing_missing(l->gpu) != NULL)
        return NULL;
    struct clock_model *m = xcalloc(1, sizeof(*m));
    m->in = (struct timing_input){.gpu = l->gpu,
                                  .sites = p->timing,
                                  .site_count = p->site_count,
                                  .register_count = p->register_count,
                                  .grid_blocks = l->grid_blocks};
    rates_fill(&m->r, l->gpu, demand_of(&m->in));
    m->costs = xcalloc((size_t)p->site_count + 1, sizeof(*m->costs));
    for (int i = 0; i < p->site_count; i++)
        m->costs[i] = site_cost(&m->r, &p->timing[i]);
    m->operands = operands_of(&m->in);
    m->cycles_per_ns = GPU(l->gpu, clock_mhz) / 1000;
    for (size_t i = 0; i < p->segment_count; i++)
        if ((size_t)p->segments[i].count > m->segment_longest)
            m->segment_longest = (size_t)p->segments[i].count;
    return m;
}

void clock_model_free(struct clock_model *m)
{
    if (m == NULL)
        return;
    free(m->costs);
    operands_release(&m->operands);
    free(m);
}

/* ---- a warp's ---------------------------------------------------------------------------------- */

static struct warp_clock *warp_clock_new(const struct clock_model *m)
{
    struct warp_clock *c = xcalloc(1, sizeof(*c));
    size_t registers = (size_t)m->in.register_count + 1;
    c->state.ready = xcalloc(registers, sizeof(double));
    c->state.queued = xcalloc(registers, sizeof(double));
    c->state.maker = xcalloc(registers, sizeof *c->state.maker);
    c->segment.ops = xcalloc(m->segment_longest + 1, sizeof(*c->segment.ops));
    c->segment.capacity = m->segment_longest;
    return c;
}

void warp_clock_free(struct warp_clock *c)
{
    if (c == NULL)
        return;
    free(c->state.ready);
    free(c->state.queued);
    free(c->state.maker);
    free(c->segment.ops);
    free(c);
}

static void warp_clock_start(struct warp *w, double at)
{
    const struct clock_model *m = w->core->launch->clock;
    if (w->clock == NULL)
        w->clock = warp_clock_new(m);
    struct warp_clock *c = w->clock;
    struct warp_state *s = &c->state;
    size_t registers = (size_t)m->in.register_count + 1;
    memset(s->ready, 0, registers * sizeof(*s->ready));
    memset(s->queued, 0, registers * sizeof(*s->queued));
    memset(s->maker, NOBODY, registers * sizeof *s->maker);
    *s = (struct warp_state){.trace = &c->segment,
                             .at = at,
                             .ready = s->ready,
                             .queued = s->queued,
                             .maker = s->maker,
                             .last = LAST_UNKNOWN};
    c->sm = (struct replay){.in = &m->in,
                            .r = m->r,
                            .sms = demand_of(&m->in).sms,
                            .costs = m->costs,
                            .operands = m->operands,
                            .fetched = 1,
                            .scattered = 1,
                            .fills = w->block->sm->clock->fills};
    c->segment.count = 0;
    c->barriers = 0;
    c->at_barrier = false;
}

static void block_clock_start(const struct block *b)
{
    const struct rates *r = &b->sm->launch->clock->r;
    struct sm *sm = b->sm;
    if (sm->clock == NULL)
        sm->clock = xcalloc(1, sizeof(*sm->clock));
    double at = sm->clock->end > 0 ? sm->clock->end + r->block_launch : r->block_first;
    for (int i = 0; i < b->warp_count; i++)
        warp_clock_start(&b->warps[i], at + i * r->block_warp_launch);
}

// The last of the barrier's warps has come, and they go one by one.
static void barrier_pass(struct warp *w)
{
    struct warp_clock *c = w->clock;
    const struct rates *r = &c->sm.r;
    if (!c->at_barrier)
        return;
    const struct clock_arrival *a = &w->block->arrivals[c->barriers & 1];
    c->at_barrier = false;
    if (a->barrier == c->barriers)
        c->state.at = later(c->state.at, a->last + (w->index + 1) * r->barrier_warp + r->barrier);
}

// Executes the segment's instructions up to the `count`th.
static void segment_run(struct warp *w, size_t count)
{
    struct warp_clock *c = w->clock;
    struct sm_clock *sm = w->block->sm->clock;
    barrier_pass(w);
    while (c->state.next < count)
        (void)warp_step(&c->sm, &c->state);
    sm->end = later(sm->end, c->state.at);
}

static void segment_start(struct warp *w, const struct segment *s, uint32_t mask)
{
    struct warp_clock *c = w->clock;
    segment_run(w, c->segment.count);
    trace_begin(c->segment.ops, s, mask);
    c->segment.count = (size_t)s->count;
    c->state.next = 0;
}

// The place of a site in the segment that runs.
static size_t place_of(const struct warp_clock *c, uint32_t site)
{
    return c->segment.count > 0 ? site - c->segment.ops[0].site : 0;
}

static void barrier_wait(struct warp *w, uint32_t site)
{
    struct warp_clock *c = w->clock;
    size_t place = place_of(c, site);
    if (place >= c->segment.count)
        return;
    segment_run(w, place + 1);
    c->barriers++;
    c->at_barrier = true;
    struct clock_arrival *a = &w->block->arrivals[c->barriers & 1];
    if (a->barrier != c->barriers)
        *a = (struct clock_arrival){.barrier = c->barriers};
    a->last = later(a->last, c->state.at);
}

static void clock_hear(struct warp *w, struct event *e)
{
    if (e->kind == EVENT_BLOCK) {
        memset(e->block->arrivals, 0, sizeof(e->block->arrivals));
        block_clock_start(e->block);
        return;
    }
    struct warp_clock *c = w->clock;
    if (e->kind == EVENT_SEGMENT) {
        segment_start(w, e->segment, e->mask);
        return;
    }
    if (e->kind == EVENT_BARRIER) {
        barrier_wait(w, e->u->site);
        return;
    }
    size_t place = place_of(c, e->u->site);
    if (place < c->segment.count)
        trace_note(&c->segment.ops[place], &w->core->launch->turn, e);
}

/* ---- what instructions ask ---------------------------------------------------------------------- */

uint64_t clock_read(struct warp *w, uint32_t site, bool nanoseconds)
{
    struct warp_clock *c = w->clock;
    segment_run(w, place_of(c, site) + 1);
    double now = c->state.issued;
    return (uint64_t)(nanoseconds ? now / w->core->launch->clock->cycles_per_ns : now);
}

void clock_sleep(struct warp *w, uint32_t site, uint32_t ns)
{
    struct warp_clock *c = w->clock;
    segment_run(w, place_of(c, site) + 1);
    c->state.at += ns * w->core->launch->clock->cycles_per_ns;
}

static bool clock_wanted(const struct launch *l)
{
    return l->clock != NULL;
}

const struct listener clock_listener = {.name = "clock",
                                        .kinds = HEARS(BLOCK) | HEARS(SEGMENT) | HEARS(GUARD) |
                                                 HEARS(GLOBAL) | HEARS(SHARED) | HEARS(LOCAL) |
                                                 HEARS(TEXTURE) | HEARS(BARRIER),
                                        .wanted = clock_wanted,
                                        .hear = clock_hear};
