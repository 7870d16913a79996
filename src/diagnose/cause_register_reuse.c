// Many loads from shared memory per result: registers could hold operands for several.
// SPDX-License-Identifier: Apache-2.0
#include "diagnose/internal.h"

#include <math.h>

#define LOADS_MIN 0.1 // of all instructions

void find_register_reuse(const struct search *s)
{
    double loads = search_get(s, COUNTER_SHARED_LOAD_REQUESTS);
    double share = loads / search_get(s, COUNTER_WARP_INSTRUCTIONS);
    double products = (search_get(s, COUNTER_FFMA_F32) + search_get(s, COUNTER_FADD_F32) +
                       search_get(s, COUNTER_FMUL_F32)) /
                      GPU(s->in->gpu, warp_size);
    if (!(share >= LOADS_MIN) || !(loads > 0))
        return;
    struct finding f = {
        .class = FINDING_BANDWIDTH,
        .cause = "register-reuse",
        .title =
            arena_printf(s->a,
                         "A load from shared memory for each %.1f f32 operations: shared memory "
                         "sets the pace",
                         products / loads),
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
