// Loads of one word for all lanes: constants in disguise.
// SPDX-License-Identifier: Apache-2.0
#include "diagnose/internal.h"

#include <math.h>

#define UNIFORM_MIN 0.25 // of the loads

void find_uniform(const struct search *s)
{
    double share = search_fact(s, FACT_LOADS_UNIFORM) / search_fact(s, FACT_LOADS);
    if (!(share >= UNIFORM_MIN))
        return;
    struct finding f = {
        .class = FINDING_INSTRUCTIONS,
        .cause = "uniform",
        .title = arena_printf(s->a, "%.0f %% of the loads bring one word for all lanes of the warp",
                              100 * share),
        .fix =
            "Keep such values in constant memory (__constant__, kernel arguments), where they are "
            "operands of arithmetic, or load a tile of them into shared memory once a block.",
        .expected_time_ns = (double)NAN,
    };
    finding_place(s, &f, weight_global);
    evidence_figure(&f, "loads_uniform_pct", 100 * share, s->in->facts->provenance);
    evidence_add(s, &f, "load_sectors_per_request");
    finding_add(s, f);
}
