// Many loads from shared memory, or from L1, per result: registers could hold operands for several.
// SPDX-License-Identifier: Apache-2.0
#include "diagnose/internal.h"

#include <math.h>

#define LOADS_MIN 0.1    // of all instructions
#define AGAIN_MIN 0.25   // of the loads
#define PRODUCTS_MIN 0.5 // for each load
#define AGAIN_MOST 0.5   // of the loads; then, where several results of a thread gain so much:
#define GAIN_MIN 0.1     // of the time

static double products_per(const struct search *s, double loads)
{
    return (search_get(s, COUNTER_FFMA_F32) + search_get(s, COUNTER_FADD_F32) +
            search_get(s, COUNTER_FMUL_F32)) /
           GPU(s->in->gpu, warp_size) / loads;
}

// Nothing in shared memory, and the L1 sets the pace with what the block had loaded before; or most loads are such, and several
// results of a thread gain by that.
static void find_reuse_of_global(const struct search *s)
{
    double loads = search_fact(s, FACT_LOADS);
    double again = search_fact(s, FACT_LOADS_AGAIN_BLOCK) / loads,
           products = products_per(s, loads);
    bool paces = bounds_largest(s->bounds) == RESOURCE_L1 && products >= PRODUCTS_MIN;
    double words = search_fact(s, FACT_LOADS_ONE_WORD) / loads; // for all lanes: constants' work
    bool gains = again - words >= AGAIN_MOST && search_replayed(s, INTERVENTION_SHARED_LOADS) <=
                                                    (1 - GAIN_MIN) * s->in->time_ns.value;
    if (!(again >= AGAIN_MIN) || !(paces || gains))
        return;
    struct finding f = {
        .class = FINDING_BANDWIDTH,
        .cause = "register-reuse",
        .title = paces
                     ? arena_printf(s->a,
                                    "A global load for each %.1f f32 operations, %.0f %% of them "
                                    "of what the block had loaded before: the L1 sets the pace",
                                    products, 100 * again)
                     : arena_printf(s->a,
                                    "%.0f %% of the loads are of what the block had loaded before: "
                                    "each thread computes few results of what it loads",
                                    100 * again),
        .fix = "Load from it less often: let each thread compute several results (2x2, 4x4) from "
               "values it keeps in registers.",
        .expected_time_ns = (double)NAN,
        .of_global = true,
    };
    finding_place(s, &f, weight_global);
    evidence_figure(&f, "loads_again_block_pct", 100 * again, s->in->facts->provenance);
    evidence_add(s, &f, "global_load_requests");
    evidence_add(s, &f, "l1_wavefronts");
    finding_add(s, f);
}

void find_register_reuse(const struct search *s)
{
    double loads = search_get(s, COUNTER_SHARED_LOAD_REQUESTS);
    double share = loads / search_get(s, COUNTER_WARP_INSTRUCTIONS);
    if (!(loads > 0)) {
        find_reuse_of_global(s);
        return;
    }
    if (!(share >= LOADS_MIN))
        return;
    struct finding f = {
        .class = FINDING_BANDWIDTH,
        .cause = "register-reuse",
        .title =
            arena_printf(s->a,
                         "A load from shared memory for each %.1f f32 operations: shared memory "
                         "sets the pace",
                         products_per(s, loads)),
        .fix = "Load from it less often: let each thread compute several results (4x4, 8x8) from "
               "values "
               "it keeps in registers, and load 16 bytes at a time.",
        .expected_time_ns = (double)NAN,
    };
    finding_place(s, &f, weight_shared);
    evidence_add(s, &f, "shared_load_requests");
    evidence_add(s, &f, "shared_load_wavefronts");
    evidence_add(s, &f, "ffma_f32");
    finding_add(s, f);
}
