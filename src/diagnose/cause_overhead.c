// Integer work for addresses, loops and tests that fills the issue slots.
// SPDX-License-Identifier: Apache-2.0
#include "diagnose/internal.h"

#include <math.h>

#define SLOTS_MIN 0.4 // of all issue slots

void find_overhead(const struct search *s)
{
    double share = search_fact(s, FACT_SLOTS_INDEX) / search_fact(s, FACT_SLOTS);
    if (!(share >= SLOTS_MIN))
        return;
    struct finding f = {
        .class = FINDING_INSTRUCTIONS,
        .cause = "overhead",
        .title = arena_printf(s->a, "Addresses, loops and tests take %.0f %% of the issue slots",
                              100 * share),
        .fix = "Unroll the loop, step pointers instead of computing addresses, give each thread "
               "several "
               "elements, and use 32-bit indices.",
        .expected_time_ns = (double)NAN,
    };
    finding_place(s, &f, weight_instructions);
    evidence_figure(&f, "index_slots_pct", 100 * share, s->in->facts->provenance);
    evidence_add(s, &f, "integer_ops");
    evidence_add(s, &f, "warp_instructions");
    finding_add(s, f);
}
