// What an access takes of its SM, for the order of turns: turns.c says how.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_TURNS_H
#define RIDGE_SIM_TURNS_H

#include "sim/run/exec.h"

struct turn_take {
    uint32_t stages;   // cycles of the load/store unit
    uint64_t port;     // of the way to L2
    uint64_t memory;   // of the memory: 0 where nothing is asked of it
    bool reads, waits; // has a result; which comes from the memory
};

static inline uint64_t last_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

// asks: of the memory.
static inline void turn_taken(struct warp *w, const struct turn_costs *t,
                              const struct turn_take *take, bool asks)
{
    struct sm *sm = w->block->sm;
    uint64_t now = sm->now + sm->busy;
    sm->busy += take->stages;
    sm->stages += take->stages;
    sm->port_free = last_of(sm->port_free, now) + take->port;
    if (sm->port_free > sm->now + sm->busy + t->queue_cycles)
        sm->busy = (uint32_t)(sm->port_free - t->queue_cycles - sm->now);
    uint64_t there = sm->now + sm->busy + (take->reads ? t->l1_latency : 0);
    if (asks)
        sm->memory_free = last_of(sm->memory_free, now) + take->memory;
    if (take->waits)
        there = last_of(sm->memory_free, sm->port_free) + t->memory_latency;
    w->wake = last_of(there, w->wake);
}

// What so many sectors sent take of the memory.
static inline uint64_t memory_cycles(const struct turn_costs *t, unsigned sectors)
{
    return sectors * SECTOR_BYTES / t->memory_bytes_per_cycle;
}

#endif
