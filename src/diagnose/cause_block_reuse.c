// Loads of what other threads of the block had loaded before: shared memory could serve them.
// SPDX-License-Identifier: Apache-2.0
#include "diagnose/internal.h"

#include <math.h>

#define AGAIN_MIN 0.25 // of the loads

void find_block_reuse(const struct search *s)
{
    double again = search_fact(s, FACT_LOADS_AGAIN_BLOCK) / search_fact(s, FACT_LOADS);
    if (!(again >= AGAIN_MIN))
        return;
    struct finding f = {
        .class = FINDING_CAPACITY,
        .cause = "block-reuse",
        .title = arena_printf(s->a,
                              "%.0f %% of the loads are of what other threads of the block had "
                              "loaded before",
                              100 * again),
        .fix =
            "Load a tile once into shared memory for the whole block, or let each thread compute "
            "several results from what it has loaded.",
        .expected_time_ns = (double)NAN,
    };
    finding_place(s, &f, weight_global);
    evidence_figure(&f, "loads_again_block_pct", 100 * again, s->in->facts->provenance);
    evidence_add(s, &f, "global_load_requests");
    evidence_add(s, &f, "l1_hit_pct");
    finding_add(s, f);
}
