// Loads of one word for all lanes: constants in disguise.
// SPDX-License-Identifier: Apache-2.0
#include "diagnose/internal.h"

#include <math.h>

#define UNIFORM_MIN 0.25 // of the loads

// A block goes through more of them than the SM keeps near: as constants each would come from farther away than it does now.
static bool is_long_table(const struct search *s)
{
    double blocks = search_get(s, COUNTER_GRID_BLOCKS);
    double bytes = SECTOR_BYTES * search_fact(s, FACT_ONE_WORD_SECTORS) / blocks;
    return bytes > s->in->gpu->value[GPU_FIELD_constant_cache_bytes]; // false for NAN
}

void find_uniform(const struct search *s)
{
    double share = search_fact(s, FACT_LOADS_UNIFORM) / search_fact(s, FACT_LOADS);
    if (!(share >= UNIFORM_MIN) || is_long_table(s))
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
