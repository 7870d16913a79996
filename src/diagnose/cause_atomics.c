// Atomics that meet: on words of global memory, or in one place of shared memory.
// SPDX-License-Identifier: Apache-2.0
#include "diagnose/internal.h"

#include <math.h>

void find_global_atomics(const struct search *s)
{
    double requests = search_get(s, COUNTER_GLOBAL_ATOMIC_REQUESTS);
    double lanes = search_fact(s, FACT_ATOMIC_LANES) / search_fact(s, FACT_ATOMIC_REQUESTS);
    double blocks = input_grid_blocks(s->in);
    if (!(requests > 0) || !search_replays(s))
        return;
    struct finding f = {
        .class = FINDING_BANDWIDTH,
        .cause = "global-atomics",
        .title =
            arena_printf(s->a,
                         "Atomics on global memory meet: %.3g requests per block, up to %.0f of a "
                         "warp's lanes on one address",
                         requests / blocks, lanes),
        .fix =
            "Combine before the atomic: in registers, over the warp (__reduce_add_sync, shuffles), "
            "in a copy of the result in shared memory; then one atomic for each block and result.",
        .expected_time_ns = (double)NAN,
    };
    finding_place(s, &f, weight_atomics);
    evidence_add(s, &f, "global_atomic_requests");
    evidence_add(s, &f, "global_atomic_sectors");
    evidence_figure(&f, "lanes_on_one_address", lanes, s->in->facts->provenance);
    finding_add(s, f);
}

// A sum of floats is a loop whose turns are requests each, to the counters: what is written is known from the trace.
static double turns_of_request(const struct search *s)
{
    double traced = search_fact(s, FACT_SHARED_TURNS) / search_fact(s, FACT_SHARED_ATOMICS);
    return traced > 0 ? traced
                      : search_get(s, COUNTER_SHARED_ATOMIC_WAVEFRONTS) /
                            search_get(s, COUNTER_SHARED_ATOMIC_REQUESTS);
}

void find_shared_atomics(const struct search *s)
{
    double turns = turns_of_request(s);
    if (!(turns > 1.1) || !search_replays(s))
        return;
    struct finding f = {
        .class = FINDING_BANDWIDTH,
        .cause = "shared-atomics",
        .title = arena_printf(
            s->a, "Atomics in shared memory meet in a bank or on a word: %.1f turns per request",
            turns),
        .fix = "Combine equal neighbours in registers or over the warp before the atomic, and give "
               "warps "
               "or lanes that meet in one place copies of their own.",
        .expected_time_ns = (double)NAN,
    };
    finding_place(s, &f, weight_atomics);
    evidence_add(s, &f, "shared_atomic_requests");
    evidence_add(s, &f, "shared_atomic_wavefronts");
    finding_add(s, f);
}
