// What is too noisy to tell is sampled again, each round longer, up to a limit.
// SPDX-License-Identifier: Apache-2.0
#include "cli/session.h"
#include "gate/gate.h"

#include <string.h>

enum { ROUNDS_MAX = 2, LONGER = 4 };

static const double default_limit_s = 3, default_settle = 0.005;

static bool names_it(const char **names, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static int noisy_variants(struct arena *a, const struct gate_report *report, const char *experiment,
                          const char *suffix, const char **names)
{
    int n = 0;
    for (int i = 0; i < report->count; i++) {
        const struct gate_entry *e = &report->entries[i];
        if (e->verdict != GATE_NOISY || !(e->timed || e->sampled_little) ||
            names_it(names, n, e->variant) || strcmp(e->experiment, experiment) != 0)
            continue;
        names[n++] = e->variant;
        if (suffix)
            names[n++] = arena_printf(a, "%s@%s", e->variant, suffix);
    }
    return n;
}

// The longer samples take the place of those that did not do.
static void replace_results(struct run *all, const struct run *again)
{
    for (int i = 0; i < again->result_count; i++)
        for (int k = 0; k < all->result_count; k++)
            if (strcmp(all->results[k].variant, again->results[i].variant) == 0 &&
                strcmp(all->results[k].case_label, again->results[i].case_label) == 0)
                all->results[k] = again->results[i];
}

bool gate_longer(const struct loop_request *how, int round, struct loop_request *longer)
{
    double factor = 1;
    for (int i = 0; i <= round; i++)
        factor *= LONGER;
    *longer = *how;
    longer->time_limit_s = factor * (how->time_limit_s > 0 ? how->time_limit_s : default_limit_s);
    longer->settle = default_settle / factor;
    longer->samples_max =
        (int64_t)factor * (how->samples_max > 0 ? how->samples_max : SAMPLES_MAX_DEFAULT);
    return round < ROUNDS_MAX;
}

bool gate_sample_again(struct suite_session *w, int index, const struct gate_report *report,
                       const char *suffix, const struct loop_request *longer, struct run *all,
                       bool *any, struct error *err)
{
    struct run again = {0};
    const char **names = ARENA_ARRAY(&w->arena, const char *, 2 * report->count + 1);
    int count =
        noisy_variants(&w->arena, report, w->suite.items[index].experiment->name, suffix, names);
    if (count == 0)
        return true;
    *any = true;
    bool done = suite_session_again(w, index, longer, names, count, &again, err);
    json_decref(again.header.environment);
    if (done)
        replace_results(all, &again);
    return done;
}
