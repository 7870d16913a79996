// Products that the tensor cores could do, done lane by lane.
// SPDX-License-Identifier: Apache-2.0
#include "diagnose/internal.h"

#include <math.h>

void find_tensor(const struct search *s)
{
    double work = s->in->work_flops_tensor, done = search_get(s, COUNTER_FLOPS_TENSOR);
    double launch = s->bounds->by[RESOURCE_LAUNCH].time_ns;
    double rate = tensor_rate(s->in->gpu, s->in->work_tensor, &(const char *){NULL});
    if (!(work > 0) || done > 0 || !(rate > 0))
        return;
    struct finding f = {
        .class = FINDING_INSTRUCTIONS,
        .cause = "tensor",
        .title =
            arena_printf(s->a,
                         "The tensor cores are idle: %.3g operations that they could do are done "
                         "lane by lane",
                         work),
        .fix = "Let a warp multiply tiles with mma, wmma or wgmma, fed from shared memory.",
        .expected_time_ns = fmax(work / rate, diagnose_floor(s->in)) + (isnan(launch) ? 0 : launch),
    };
    finding_place(s, &f, weight_time);
    evidence_add(s, &f, "flops_tensor");
    evidence_add(s, &f, "flops_f32");
    finding_add(s, f);
}
