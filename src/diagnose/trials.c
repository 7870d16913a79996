// What the findings' patches brought where they were simulated as variants: a price that needs no counterfactual.
// SPDX-License-Identifier: Apache-2.0
#include "diagnose/internal.h"

#include <math.h>
#include <string.h>

// The best of the finding's patches; NULL: none ran. *sole: one of them is the fix, and not one of several.
static const struct patch_trial *best_trial(const struct diagnosis *d, const struct finding *f,
                                            bool *sole)
{
    const struct patch_trial *best = NULL;
    *sole = false;
    for (int i = 0; i < d->trial_count; i++) {
        const struct patch_trial *t = &d->trials[i];
        if (!f->cause || strcmp(t->cause, f->cause) != 0 || !trial_usable(t->verdict) ||
            isnan(t->time_ns))
            continue;
        *sole |= t->sole;
        if (!best || t->time_ns < best->time_ns)
            best = t;
    }
    return best;
}

// A patch that is one of several fixes says what they bring at least; the sole one, what the fix is worth.
void diagnose_trials(struct arena *a, double time_ns, struct diagnosis *d)
{
    bool changed = false;
    for (int i = 0; i < d->finding_count; i++) {
        struct finding *f = &d->findings[i];
        bool sole;
        const struct patch_trial *t = best_trial(d, f, &sole);
        if (!t || f->price == PRICE_PATCH || (!sole && !(t->time_ns < f->expected_time_ns)))
            continue;
        f->counterfactual_ns = f->expected_time_ns;
        f->expected_time_ns = fmin(t->time_ns, time_ns);
        f->price = PRICE_PATCH;
        f->folded = is_folded(f, time_ns);
        changed = true;
    }
    if (changed)
        findings_order(a, time_ns, d);
}
