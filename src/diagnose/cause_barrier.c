// Warps that wait at barriers for the block's other warps.
// SPDX-License-Identifier: Apache-2.0
#include "diagnose/internal.h"

#include <math.h>

#define WAITING_MIN 0.05 // of the warps' time
#define OFTEN 4          // barriers of a warp: a tree, or a tile after the other
#define LOADS_MOST \
    4.0 // from shared memory, for each store there: more, and they share what was stored

// Values are handed on from step to step: few loads for each store, where a tile is loaded from often.
static bool is_stepwise(const struct search *s, double each)
{
    double stores = search_get(s, COUNTER_SHARED_STORE_REQUESTS);
    return each >= OFTEN && stores > 0 &&
           search_get(s, COUNTER_SHARED_LOAD_REQUESTS) <= LOADS_MOST * stores;
}

void find_barrier(const struct search *s)
{
    double waiting = search_stall(s, STALL_BARRIER), barriers = search_get(s, COUNTER_BARRIERS);
    double warps = input_grid_blocks(s->in) * search_get(s, COUNTER_BLOCK_THREADS) /
                   GPU(s->in->gpu, warp_size);
    double each = barriers / warps;
    if (!(waiting >= WAITING_MIN) || !(each > 0))
        return;
    struct finding f = {
        .class = FINDING_LATENCY,
        .cause = "barrier",
        .title = arena_printf(s->a,
                              "Warps wait for each other at barriers %.0f %% of their time: %.0f "
                              "%s per warp",
                              100 * waiting, each, each < 1.5 ? "barrier" : "barriers"),
        .fix = each >= OFTEN
                   ? "Do more between two barriers: reduce or scan within warps by shuffles, give "
                     "each thread several elements, load the next tile before using this one."
                   : "Have more and smaller blocks on an SM, and give each thread several "
                     "independent loads before the barrier (a smaller block over the same tile).",
        .expected_time_ns = (double)NAN,
        .stepwise = is_stepwise(s, each),
    };
    // Within warps the lanes beside a step are gone as well.
    double steps = search_replayed(s, INTERVENTION_STEPS);
    if (each >= OFTEN && steps < search_replayed(s, INTERVENTION_BARRIERS)) {
        f.expected_time_ns = steps;
        f.price = PRICE_REPLAY;
    }
    finding_place(s, &f, weight_barrier);
    evidence_figure(&f, "barrier_stall_pct", 100 * waiting, stalls_provenance(s->in->stalls));
    evidence_add(s, &f, "barriers");
    evidence_add(s, &f, "lanes_active_pct");
    finding_add(s, f);
}
