// Tiles that bulk copies bring, of which the next is asked for only when the one before has been used.
// SPDX-License-Identifier: Apache-2.0
#include "diagnose/internal.h"

#include <math.h>

#define WAITING_MIN 0.3 // of the warps' time

void find_overlap(const struct search *s)
{
    double waiting = search_stall(s, STALL_LONG_SCOREBOARD);
    bool copied = search_get(s, COUNTER_GLOBAL_LOAD_REQUESTS) == 0 &&
                  search_get(s, COUNTER_DRAM_READ_BYTES) > 0;
    if (!copied || !(waiting >= WAITING_MIN) || !search_replays(s))
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
