// Tiles of which the next is asked for only when the one before has been used: by bulk copies, or by the loads of a loop with barriers.
// SPDX-License-Identifier: Apache-2.0
#include "diagnose/internal.h"

#include <math.h>

#define WAITING_MIN 0.3 // of the warps' time
#define GAIN_MIN 0.05   // of the time
#define TILE_BARRIERS 2 // for each turn

// A tile is filled before a barrier and used up behind another: more of them for each turn's loads are steps that its values take.
static bool is_used_in_steps(const struct search *s)
{
    return search_get(s, COUNTER_BARRIERS) > TILE_BARRIERS * search_fact(s, FACT_LOAD_BATCHES);
}

// Loads of a loop in which the block's warps meet: none is under way while they compute.
static void find_loads_between_barriers(const struct search *s)
{
    double waiting = search_stall(s, STALL_LONG_SCOREBOARD) + search_stall(s, STALL_BARRIER);
    double ahead = search_replayed(s, INTERVENTION_AHEAD);
    if (!(waiting >= WAITING_MIN) || !(ahead <= (1 - GAIN_MIN) * s->in->time_ns.value))
        return;
    struct finding f = {
        .class = FINDING_LATENCY,
        .cause = "no-overlap",
        .title = arena_printf(s->a,
                              "Warps wait %.0f %% of their time for loads and at barriers in turn "
                              "with computing: nothing is loaded meanwhile",
                              100 * waiting),
        .fix = "Load the next turn's values (into registers, or by cp.async into a second tile) "
               "before computing with this one's, and use them after the next barrier.",
        .expected_time_ns = ahead,
        .price = PRICE_REPLAY,
        .stepwise = is_used_in_steps(s),
    };
    finding_place(s, &f, weight_waiting);
    evidence_figure(&f, "long_scoreboard_stall_pct", 100 * search_stall(s, STALL_LONG_SCOREBOARD),
                    stalls_provenance(s->in->stalls));
    evidence_figure(&f, "barrier_stall_pct", 100 * search_stall(s, STALL_BARRIER),
                    stalls_provenance(s->in->stalls));
    evidence_add(s, &f, "occupancy_achieved_pct");
    finding_add(s, f);
}

void find_overlap(const struct search *s)
{
    double waiting = search_stall(s, STALL_LONG_SCOREBOARD);
    bool copied = search_get(s, COUNTER_GLOBAL_LOAD_REQUESTS) == 0 &&
                  search_get(s, COUNTER_DRAM_READ_BYTES) > 0;
    if (!copied) {
        find_loads_between_barriers(s);
        return;
    }
    if (!(waiting >= WAITING_MIN) || !search_replays(s))
        return;
    struct finding f = {
        .class = FINDING_LATENCY,
        .cause = "no-overlap",
        .title = arena_printf(s->a,
                              "Warps wait %.0f %% of their time for what bulk copies bring: too "
                              "few of them are under way",
                              100 * waiting),
        .fix = "Start the copies of the next tiles before waiting for this one's: two to four "
               "tiles in shared memory, each with an mbarrier.",
        .expected_time_ns = (double)NAN,
    };
    finding_place(s, &f, weight_waiting);
    evidence_figure(&f, "long_scoreboard_stall_pct", 100 * waiting,
                    stalls_provenance(s->in->stalls));
    evidence_add(s, &f, "shared_bytes_per_block");
    evidence_add(s, &f, "occupancy_achieved_pct");
    finding_add(s, f);
}
