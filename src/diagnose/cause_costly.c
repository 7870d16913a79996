// Instructions that are sequences of tens: integer divisions, f32 functions as exact as IEEE asks; 16-bit values one by one.
// SPDX-License-Identifier: Apache-2.0
#include "diagnose/internal.h"

#include <math.h>

#define SLOTS_MIN 0.05 // of all issue slots

void find_functions(const struct search *s)
{
    double share = search_fact(s, FACT_SLOTS_FUNCTION) / search_fact(s, FACT_SLOTS);
    if (!(share >= SLOTS_MIN))
        return;
    struct finding f = {
        .class = FINDING_INSTRUCTIONS,
        .cause = "special",
        .title =
            arena_printf(s->a,
                         "Divisions, roots and functions of f32 take %.0f %% of the issue slots: "
                         "each is a sequence of instructions",
                         100 * share),
        .fix = "Use the hardware's approximations where their error may be (__fdividef, rsqrtf, "
               "__expf, "
               "-use_fast_math), multiply by reciprocals, or compute them less often.",
        .expected_time_ns = (double)NAN,
    };
    finding_place(s, &f, weight_time);
    evidence_figure(&f, "function_slots_pct", 100 * share, s->in->facts->provenance);
    evidence_add(s, &f, "special_ops");
    finding_add(s, f);
}

void find_halves(const struct search *s)
{
    double share = search_fact(s, FACT_SLOTS_HALF) / search_fact(s, FACT_SLOTS);
    if (!(share >= SLOTS_MIN))
        return;
    struct finding f = {
        .class = FINDING_INSTRUCTIONS,
        .cause = "half-scalar",
        .title = arena_printf(s->a,
                              "f16 and bf16 arithmetic on one value at a time takes %.0f %% of the "
                              "issue slots",
                              100 * share),
        .fix =
            "Compute two values per instruction: __half2 and __nv_bfloat162 with __hfma2, __hadd2 "
            "and __hmul2, two neighbouring elements per thread.",
        .expected_time_ns = (double)NAN,
    };
    finding_place(s, &f, weight_time);
    evidence_figure(&f, "half_slots_pct", 100 * share, s->in->facts->provenance);
    evidence_add(s, &f, "flops_f16");
    finding_add(s, f);
}

void find_division(const struct search *s)
{
    double share = search_fact(s, FACT_SLOTS_DIVISION) / search_fact(s, FACT_SLOTS);
    if (!(share >= SLOTS_MIN))
        return;
    struct finding f = {
        .class = FINDING_INSTRUCTIONS,
        .cause = "division",
        .title = arena_printf(
            s->a, "Integer divisions and remainders take %.0f %% of the issue slots", 100 * share),
        .fix =
            "Make the divisor a compile-time constant or a power of two, multiply by a precomputed "
            "reciprocal, or step the quotient instead; use 32 bits where they do.",
        .expected_time_ns = (double)NAN,
    };
    finding_place(s, &f, weight_time);
    evidence_figure(&f, "division_slots_pct", 100 * share, s->in->facts->provenance);
    evidence_add(s, &f, "integer_ops");
    finding_add(s, f);
}
