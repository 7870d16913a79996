// Products that the tensor cores could do, done lane by lane.
// SPDX-License-Identifier: Apache-2.0
#include "diagnose/internal.h"

#include <math.h>

#define LANES_LEAST 0.1 // of the work: softmax, say, besides products on the tensor cores is less

// The replay leaves loads and barriers of the loop as the kernel has them. Where those take most of the time, tiles that are
// staged for the tensor cores do away with them as well, which no replay knows: then the tensor cores' rate is a bound.
static enum finding_price tensor_price(const struct search *s, double *expected_ns)
{
    double replayed = search_replayed(s, INTERVENTION_TENSOR);
    if (!(replayed >= *expected_ns))
        return PRICE_BOUNDS;
    *expected_ns = replayed;
    return PRICE_REPLAY;
}

// Nothing is done on the tensor cores. Where their operations are not counted (not every chip's are, on hardware), the lanes'
// own speak: a kernel of products by mma has none to speak of. Six products of parts may stand for one of theirs.
static bool is_done_by_lanes(const struct search *s)
{
    double done = search_get(s, COUNTER_FLOPS_TENSOR), work = s->in->work_flops_tensor;
    double lanes = search_get(s, COUNTER_FLOPS_F32) + search_get(s, COUNTER_FLOPS_F16);
    return isnan(done) ? lanes >= LANES_LEAST * work : done == 0;
}

void find_tensor(const struct search *s)
{
    double work = s->in->work_flops_tensor;
    double launch = s->bounds->by[RESOURCE_LAUNCH].time_ns;
    double rate = tensor_rate(s->in->gpu, s->in->work_tensor, &(const char *){NULL});
    if (!(work > 0) || !(rate > 0) || !is_done_by_lanes(s))
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
    f.price = tensor_price(s, &f.expected_time_ns);
    finding_place(s, &f, weight_time);
    evidence_add(s, &f, "flops_tensor");
    evidence_add(s, &f, "flops_f32");
    finding_add(s, f);
}
