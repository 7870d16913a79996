// Whose turn it is: what an access costs the SM, and until when its warp has to wait, in the figures of cost.h
// rounded to whole cycles. What is missed comes at the SM's share of the memory's rate, in the order of asking. The
// order of turns decides what L1 holds; it is not a time that anyone is shown: that is the replay's (timing.c), and
// the clock's that kernels read (clock.c).
// SPDX-License-Identifier: Apache-2.0
#include "sim/model/turns.h"
#include "sim/observe/events.h"

static bool turns_wanted(const struct launch *l)
{
    return !l->options->no_caches;
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
    bool atomic = e->touch == TOUCH_ATOMIC, reads = e->touch == TOUCH_READ;
    const struct turn_take take = {
        .stages = (uint32_t)stages_cycles(&t->r, e->access->line_count, e->passes),
        .port = port_cycles(t, e),
        .memory = memory_cycles(t, e->sent_sectors),
        .reads = reads,
        .waits =
            l->program->mem_ops[e->u->extra].ordered || atomic || (reads && e->sent_sectors > 0)};
    turn_taken(w, t, &take, atomic || e->sent_sectors > 0);
}

const struct listener turns_listener = {.name = "turns",
                                        .kinds = HEARS(GLOBAL) | HEARS(LOCAL) | HEARS(TEXTURE),
                                        .wanted = turns_wanted,
                                        .hear = turns_hear};
