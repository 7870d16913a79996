// Each instruction needs the result of the one before, and too few others are there to issue meanwhile.
// SPDX-License-Identifier: Apache-2.0
#include "diagnose/internal.h"

#include <math.h>

#define WAITING_MIN 0.3   // of the warps' time
#define WAITING_LESS 0.15 // … where more chains gain so much:
#define GAIN_MIN 0.1

void find_chain(const struct search *s)
{
    double fixed = search_stall(s, STALL_WAIT), queue = search_stall(s, STALL_SHORT_SCOREBOARD);
    double waiting = fixed + queue;
    bool gains = waiting >= WAITING_LESS &&
                 search_replayed(s, INTERVENTION_CHAINS) < (1 - GAIN_MIN) * s->in->time_ns.value;
    if (!(waiting >= WAITING_MIN || gains))
        return;
    struct finding f = {
        .class = FINDING_LATENCY,
        .cause = "chain",
        .title = arena_printf(s->a,
                              "Warps wait for their own results %.0f %% of their time: each "
                              "instruction needs the one before",
                              100 * waiting),
        .fix =
            "Give each thread several independent chains: two or four elements at a time, several "
            "accumulators, an unrolled loop.",
        .expected_time_ns = (double)NAN,
    };
    finding_place(s, &f, weight_chain);
    evidence_figure(&f, "wait_stall_pct", 100 * fixed, stalls_provenance(s->in->stalls));
    evidence_figure(&f, "short_scoreboard_stall_pct", 100 * queue,
                    stalls_provenance(s->in->stalls));
    evidence_add(s, &f, "occupancy_achieved_pct");
    finding_add(s, f);
}
