// Loads of what the same warp had loaded or stored before: it could have kept it.
// SPDX-License-Identifier: Apache-2.0
#include "diagnose/internal.h"

#include <math.h>

#define AGAIN_MIN 0.15 // of the loads

// What device memory still brings: of the loads that come again, those that L2 no longer has are gone.
static double dram_left_ns(const struct search *s, double again)
{
    const struct bound *dram = &s->bounds->by[RESOURCE_DRAM];
    double read = search_get(s, COUNTER_DRAM_READ_BYTES);
    double once = (1 - again) * SECTOR_BYTES * search_get(s, COUNTER_GLOBAL_LOAD_SECTORS);
    double gone = read > once ? fmin(read - once, dram->work) : 0; // 0 for NAN
    return dram->time_ns * (1 - gone / dram->work);
}

// Device memory is as busy as it gets, and what a sample of the blocks loads again may be in an L2 that all of them overflow:
// without the passes it has the bytes that are left at its own pace.
#define ROOF_MIN 0.8 // of the time
static void at_the_roof(const struct search *s, double again, struct finding *f)
{
    double dram = s->bounds->by[RESOURCE_DRAM].time_ns, time = s->in->time_ns.value;
    double launch = s->bounds->by[RESOURCE_LAUNCH].time_ns;
    double replayed = search_replayed(s, INTERVENTION_RELOADS);
    double least =
        fmax(dram_left_ns(s, again), diagnose_floor(s->in)) + (isnan(launch) ? 0 : launch);
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
    at_the_roof(s, again, &f);
    finding_place(s, &f, weight_global);
    evidence_figure(&f, "loads_again_pct", 100 * again, s->in->facts->provenance);
    evidence_add(s, &f, "global_load_requests");
    evidence_add(s, &f, "l1_hit_pct");
    finding_add(s, f);
}
