// Whose turn it is: what an access costs the SM, and until when its warp has to wait, in the figures of cost.h
// rounded to whole cycles. What is missed comes at the SM's share of the memory's rate, in the order of asking. The
// order of turns decides what L1 holds; it is not a time that anyone is shown: that is the replay's (timing.c), and
// the clock's that kernels read (clock.c).
// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/events.h"

static bool turns_wanted(const struct launch *l)
{
    return !l->options->no_caches;
}

static uint64_t last_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

// What the access sends through the port to L2, in cycles of it.
static uint64_t port_cycles(const struct turn_costs *t, const struct event *e)
{
    unsigned lines = (unsigned)e->access->line_count;
    double sent = e->touch == TOUCH_READ
                      ? port_requests(e->sent_lines)
                      : port_store_flits(lines, e->sent_sectors, e->partial_sectors);
    return (uint64_t)(sent / t->r.port_lines);
}

static void turns_hear(struct warp *w, struct event *e)
{
    const struct launch *l = w->core->launch;
    const struct turn_costs *t = &l->turn;
    struct sm *sm = w->block->sm;
    bool ordered = l->program->mem_ops[e->u->extra].ordered;
    unsigned sent = e->sent_sectors;
    uint64_t now = sm->now + sm->busy;
    sm->busy += (uint32_t)stages_cycles(&t->r, e->access->line_count, e->passes);
    sm->port_free = last_of(sm->port_free, now) + port_cycles(t, e);
    if (sm->port_free > sm->now + sm->busy + t->queue_cycles)
        sm->busy = (uint32_t)(sm->port_free - t->queue_cycles - sm->now);
    uint64_t there = sm->now + sm->busy + (e->touch == TOUCH_READ ? t->l1_latency : 0);
    if (e->touch == TOUCH_ATOMIC || sent > 0)
        sm->memory_free =
            last_of(sm->memory_free, now) + sent * SECTOR_BYTES / t->memory_bytes_per_cycle;
    if (ordered || e->touch == TOUCH_ATOMIC || (e->touch == TOUCH_READ && sent > 0))
        there = last_of(sm->memory_free, sm->port_free) + t->memory_latency;
    w->wake = last_of(there, w->wake);
}

const struct listener turns_listener = {.name = "turns",
                                        .kinds = HEARS(GLOBAL) | HEARS(TEXTURE),
                                        .wanted = turns_wanted,
                                        .hear = turns_hear};
