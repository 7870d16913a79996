// Loads of what the same warp had loaded or stored before: it could have kept it.
// SPDX-License-Identifier: Apache-2.0
#include "diagnose/internal.h"

#include <math.h>

#define AGAIN_MIN 0.15 // of the loads

// Device memory is as busy as it gets beside passes that only L2 answers: without those it has the job's bytes at its own pace.
#define ROOF_MIN 0.8 // of the time
static void at_the_roof(const struct search *s, struct finding *f)
{
    double dram = s->bounds->by[RESOURCE_DRAM].time_ns, time = s->in->time_ns.value;
    double launch = s->bounds->by[RESOURCE_LAUNCH].time_ns;
    double replayed = search_replayed(s, INTERVENTION_RELOADS);
    double least = fmax(dram, diagnose_floor(s->in)) + (isnan(launch) ? 0 : launch);
    if (s->in->time_ns.provenance != PROVENANCE_MEASURED || !(dram >= ROOF_MIN * time) ||
        !(least < time) || replayed < least)
        return;
    f->expected_time_ns = least;
    f->price = PRICE_BOUNDS;
    f->bound_stands = true;
}

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
    at_the_roof(s, &f);
    finding_place(s, &f, weight_global);
    evidence_figure(&f, "loads_again_pct", 100 * again, s->in->facts->provenance);
    evidence_add(s, &f, "global_load_requests");
    evidence_add(s, &f, "l1_hit_pct");
    finding_add(s, f);
}
