// Loads of what the same warp had loaded or stored before: it could have kept it.
// SPDX-License-Identifier: Apache-2.0
#include "diagnose/internal.h"

#include <math.h>

#define AGAIN_MIN 0.15 // of the loads

void find_read_again(const struct search *s)
{
    double again = search_fact(s, FACT_LOADS_AGAIN) / search_fact(s, FACT_LOADS);
    if (!(again >= AGAIN_MIN))
        return;
    struct finding f = {
        .class = FINDING_BANDWIDTH,
        .cause = "read-again",
        .title = arena_printf(s->a,
                              "%.0f %% of the loads are of what the same threads had loaded or "
                              "stored before",
                              100 * again),
        .fix = "Keep what a thread needs again in registers (or the block's part in shared "
               "memory), or "
               "do both passes in one.",
        .expected_time_ns = (double)NAN,
    };
    finding_place(s, &f, weight_global);
    evidence_figure(&f, "loads_again_pct", 100 * again, s->in->facts->provenance);
    evidence_add(s, &f, "global_load_requests");
    evidence_add(s, &f, "l1_hit_pct");
    finding_add(s, f);
}
