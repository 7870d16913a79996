// How far kernels reach into each allocation: the end of the last byte that was read or written, where a launch asks
// (struct sim_launch, `touched`).
// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/events.h"

// Launches run on several threads, and an allocation is shared.
static void reach(const struct warp *w, uint64_t address, uint64_t bytes)
{
    const struct space *space = &w->core->launch->sim->space;
    const struct allocation *found = space_find(space, address);
    if (found == NULL || bytes == 0)
        return;
    struct allocation *a = &space->items[found - space->items];
    uint64_t end = address - DEVICE_BASE - a->start + bytes;
    uint64_t known = atomic_load_explicit(&a->touched, memory_order_relaxed);
    while (end > known && !atomic_compare_exchange_weak_explicit(
                              &a->touched, &known, end, memory_order_relaxed, memory_order_relaxed))
        continue;
}

static bool touched_wanted(const struct launch *l)
{
    return l->options->touched;
}

static void touched_hear(struct warp *w, struct event *e)
{
    if (e->kind == EVENT_COPY) {
        reach(w, e->copied_from, e->copied_bytes);
        return;
    }
    for (unsigned tap = 0; tap < (e->taps > 0 ? e->taps : 1); tap++) {
        uint32_t mask = e->taps > 0 ? e->tap_masks[tap] : e->mask;
        EACH_LANE(lane, mask)
        {
            reach(w, e->address[tap * LANES + lane], e->bytes);
        }
    }
}

const struct listener touched_listener = {
    .name = "touched",
    .kinds = HEARS(GLOBAL) | HEARS(TEXTURE) | HEARS(COPY),
    .wanted = touched_wanted,
    .hear = touched_hear,
};

uint64_t sim_touched(const struct sim *s, uint64_t address)
{
    const struct allocation *a = space_find(&s->space, address);
    return a ? atomic_load_explicit(&a->touched, memory_order_relaxed) : 0;
}
