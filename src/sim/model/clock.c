// The interpreter's clock: whose turn it is. What an access costs the SM, and until when its warp has to
// wait. The port to L2 takes a line a cycle, and of stores a flit a sector and one more for each that is
// written in part; so far ahead may it be asked. What is missed comes at the SM's share of the memory's
// rate, in the order of asking.
// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/events.h"

static bool clock_wanted(const struct launch *l)
{
    return !l->options->no_caches;
}

static void clock_hear(struct warp *w, struct event *e)
{
    enum { PORT_QUEUE = 128 };
    const struct launch *l = w->core->launch;
    struct sm *sm = w->block->sm;
    bool ordered = l->program->mem_ops[e->u->extra].ordered;
    unsigned sent = e->sent_sectors;
    uint64_t now = sm->now + sm->busy;
    uint32_t lines = (uint32_t)e->access->line_count / l->l1_lines_per_cycle;
    uint32_t passes = (uint32_t)e->passes;
    sm->busy += lines > passes ? lines : passes;
    sm->port_free = (sm->port_free > now ? sm->port_free : now) +
                    (e->touch == TOUCH_READ ? e->sent_lines : sent + e->partial_sectors);
    if (sm->port_free > sm->now + sm->busy + PORT_QUEUE)
        sm->busy = (uint32_t)(sm->port_free - PORT_QUEUE - sm->now);
    uint64_t there = sm->now + sm->busy + (e->touch == TOUCH_READ ? l->l1_cycles : 0);
    if (e->touch == TOUCH_ATOMIC || sent > 0)
        sm->memory_free = (sm->memory_free > now ? sm->memory_free : now) +
                          sent * SECTOR_BYTES / l->memory_bytes_per_cycle;
    if (ordered || e->touch == TOUCH_ATOMIC || (e->touch == TOUCH_READ && sent > 0))
        there =
            (sm->memory_free > sm->port_free ? sm->memory_free : sm->port_free) + l->memory_cycles;
    w->wake = there > w->wake ? there : w->wake;
}

const struct listener clock_listener = {.name = "clock",
                                        .kinds = HEARS(GLOBAL) | HEARS(TEXTURE),
                                        .wanted = clock_wanted,
                                        .hear = clock_hear};
