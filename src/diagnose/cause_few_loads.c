// Each thread has few loads in flight before it uses the first: the latency of memory is not hidden.
// SPDX-License-Identifier: Apache-2.0
#include "diagnose/internal.h"

#include <math.h>

#define WAITING_MIN 0.3 // of the warps' time
#define FEW 3.0         // loads in flight
#define FEW_STILL 4.0   // … where more of them gain so much:
#define GAIN_MIN \
    0.15 // of the time by more of them, where warps wait at the barriers behind the loads

void find_few_loads(const struct search *s)
{
    double waiting = search_stall(s, STALL_LONG_SCOREBOARD);
    double batch = search_fact(s, FACT_LOADS_BATCHED) / search_fact(s, FACT_LOAD_BATCHES);
    double barrier = search_stall(s, STALL_BARRIER);
    bool gains = search_replayed(s, INTERVENTION_LOADS) < (1 - GAIN_MIN) * s->in->time_ns.value;
    bool behind = waiting + barrier >= WAITING_MIN && gains;
    if (!(waiting >= WAITING_MIN || behind) || !(batch < (gains ? FEW_STILL : FEW)))
        return;
    struct finding f = {
        .class = FINDING_LATENCY,
        .cause = "few-loads",
        .title =
            arena_printf(s->a,
                         "Warps wait for memory %.0f %% of their time: a thread has %.1f %s in "
                         "flight before it needs the first",
                         100 * waiting, batch, batch < 1.05 ? "load" : "loads"),
        .fix = "Give each thread several independent loads (unroll the loop, several elements per "
               "thread, 16-byte vectors) before the first use.",
        .expected_time_ns = (double)NAN,
    };
    finding_place(s, &f, weight_waiting);
    evidence_figure(&f, "long_scoreboard_stall_pct", 100 * waiting,
                    stalls_provenance(s->in->stalls));
    evidence_figure(&f, "loads_in_flight", batch, s->in->facts->provenance);
    evidence_add(s, &f, "occupancy_achieved_pct");
    finding_add(s, f);
}
