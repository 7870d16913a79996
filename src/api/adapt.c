// The band, and what follows where a median leaves it.
// SPDX-License-Identifier: Apache-2.0
#include "api/adapt.h"

#include "stats/stats.h"

#include <math.h>

static const double gain_least = 0.05;    // a choice for less is none
static const uint64_t forgets_holds = 10; // what was seen is believed for so many holds

static void take(struct adapt *a, int candidate, uint64_t now_ns)
{
    const struct adapt_candidate *c = &a->candidates[candidate];
    a->chosen = candidate;
    a->chosen_at_ns = now_ns;
    a->level_ns = isnan(c->seen_ns) ? c->promised_ns : c->seen_ns;
    a->time_count = a->next = 0;
}

void adapt_begin(struct adapt *a, uint64_t now_ns)
{
    for (int i = 0; i < a->count; i++)
        a->candidates[i].seen_ns = (double)NAN;
    take(a, 0, now_ns);
}

// What the others were seen to take was under other conditions, or is too long ago.
static void forget(struct adapt *a, bool all, uint64_t now_ns)
{
    for (int i = 0; i < a->count; i++)
        if (all || now_ns - a->candidates[i].seen_at_ns > forgets_holds * a->hold_ns)
            a->candidates[i].seen_ns = (double)NAN;
}

static int least(const struct adapt *a, double median_ns)
{
    double best_ns = median_ns * (1 - gain_least);
    int best = a->chosen;
    for (int i = 0; i < a->count; i++) {
        const struct adapt_candidate *c = &a->candidates[i];
        double expected_ns = isnan(c->seen_ns) ? c->promised_ns : c->seen_ns;
        if (i != a->chosen && expected_ns < best_ns) {
            best = i;
            best_ns = expected_ns;
        }
    }
    return best;
}

enum adapt_answer adapt_add(struct adapt *a, double time_ns, uint64_t now_ns, double *median_ns)
{
    a->times_ns[a->next] = time_ns;
    a->next = (a->next + 1) % a->patience;
    a->time_count += a->time_count < a->patience;
    if (a->time_count < a->patience)
        return ADAPT_KEEPS;
    double median = stats_quantile(a->times_ns, (size_t)a->patience, 0.5);
    *median_ns = median;
    if (isnan(a->level_ns))
        a->level_ns = median; // nothing was promised: this is what is held from now on
    bool slower = median > a->level_ns * (1 + a->band);
    bool faster = median < a->level_ns * (1 - a->band);
    if ((!slower && !faster) || now_ns - a->chosen_at_ns < a->hold_ns)
        return ADAPT_KEEPS;
    forget(a, faster, now_ns);
    a->candidates[a->chosen].seen_ns = median;
    a->candidates[a->chosen].seen_at_ns = now_ns;
    int best = least(a, median);
    if (best != a->chosen) {
        take(a, best, now_ns);
        return ADAPT_CHOOSES;
    }
    take(a, a->chosen, now_ns);
    return ADAPT_SETTLES;
}
