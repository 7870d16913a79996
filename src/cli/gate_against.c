// ridge gate --against REV: both revisions of each experiment joined into one, so that they are built and
// measured in turns on the same device, in one process. What is too noisy to tell is sampled again, longer.
// SPDX-License-Identifier: Apache-2.0
#include "cli/session.h"
#include "gate/gate.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MAX = 2, LONGER = 4 }; // of sampling what is too noisy again; each so much longer

static const double default_limit_s = 3, default_settle = 0.005;

struct against {
    struct suite_session *work;
    struct revision revision;
    struct gate_subject *subjects;
    struct run *joined; // of each experiment, as it was measured
    struct gate_report *report;
};

/* ---- joining ------------------------------------------------------------------------------------------ */

// The names of both revisions' variants, where only some are asked for.
static void select_both(struct arena *a, struct suite_item *item, const char *suffix)
{
    const struct experiment *e = item->joined;
    const char **names = ARENA_ARRAY(a, const char *, 2 * item->variant_count + 1);
    int n = 0;
    for (int i = 0; i < item->variant_count; i++) {
        const char *other = arena_printf(a, "%s@%s", item->variants[i], suffix);
        names[n++] = item->variants[i];
        for (int k = 0; k < e->variant_count; k++)
            if (strcmp(e->variants[k].name, other) == 0)
                names[n++] = other;
    }
    item->variants = names;
    item->variant_count = n;
}

// What the other revision does not have is new; what does another job cannot be compared.
static bool join_item(struct against *g, int index, struct error *err)
{
    struct arena *a = &g->work->arena;
    struct suite_item *item = &g->work->suite.items[index];
    struct gate_subject *s = &g->subjects[index];
    struct experiment *before = NULL;
    struct error why = {0};
    const char *path = revision_path(a, &g->revision, item->experiment->path);
    *s = (struct gate_subject){.experiment = item->experiment, .partial = item->partial};
    if (!path)
        return fail(err, NOWHERE, "'%s' is not in the repository %s", item->experiment->path,
                    g->revision.top);
    if (!file_exists(path))
        return true;
    if (!experiment_load(a, path, &before, &why) ||
        !experiment_join(a, item->experiment, before, g->revision.name, &item->joined, &why)) {
        s->refused = arena_strdup(a, why.message);
        return true;
    }
    item->jobs *= 2;
    if (item->variant_count > 0)
        select_both(a, item, g->revision.name);
    return true;
}

/* ---- after a run ---------------------------------------------------------------------------------------- */

static void split_all(struct against *g)
{
    struct arena *a = &g->work->arena;
    for (int i = 0; i < g->work->view.count; i++) {
        const struct suite_run *ran = &g->work->view.runs[i];
        const struct suite_item *item = &g->work->suite.items[i];
        struct gate_subject *s = &g->subjects[i];
        struct run *now = ARENA_NEW(a, struct run), *before = ARENA_NEW(a, struct run);
        s->run = NULL;
        s->error = ran->error;
        if (!ran->run)
            continue;
        const char *path = revision_path(a, &g->revision, item->experiment->path);
        gate_split(a, &g->joined[i], g->revision.name, path, now, before);
        s->run = now;
        s->before = item->joined ? before : NULL;
    }
}

static bool names_it(const char **names, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

// The variants of the experiment that are too noisy to tell, each with its other revision.
static int noisy_variants(const struct against *g, int index, const char **names)
{
    struct arena *a = &g->work->arena;
    int n = 0;
    for (int i = 0; i < g->report->count; i++) {
        const struct gate_entry *e = &g->report->entries[i];
        if (e->verdict != GATE_NOISY || !e->timed || names_it(names, n, e->variant) ||
            strcmp(e->experiment, g->subjects[index].experiment->name) != 0)
            continue;
        names[n++] = e->variant;
        names[n++] = arena_printf(a, "%s@%s", e->variant, g->revision.name);
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

static bool sample_again(struct against *g, int round, bool *any, struct error *err)
{
    struct loop_request longer = g->work->request;
    double factor = 1;
    for (int i = 0; i <= round; i++)
        factor *= LONGER;
    longer.time_limit_s =
        factor * (longer.time_limit_s > 0 ? longer.time_limit_s : default_limit_s);
    longer.settle = default_settle / factor;
    longer.samples_max =
        (int64_t)factor * (longer.samples_max > 0 ? longer.samples_max : SAMPLES_MAX_DEFAULT);
    for (int i = 0; i < g->work->view.count; i++) {
        const struct suite_item *item = &g->work->suite.items[i];
        struct run again = {0};
        const char **names = ARENA_ARRAY(&g->work->arena, const char *, 2 * g->report->count + 1);
        int count = item->joined ? noisy_variants(g, i, names) : 0;
        if (count == 0)
            continue;
        *any = true;
        bool done = suite_session_again(g->work, i, &longer, names, count, &again, err);
        json_decref(again.header.environment);
        if (!done)
            return false;
        replace_results(&g->joined[i], &again);
    }
    return true;
}

static bool judge(struct against *g, struct error *err)
{
    struct arena *a = &g->work->arena;
    for (int round = 0;; round++) {
        bool any = false;
        split_all(g);
        if (!gate_runs(a, g->subjects, g->work->view.count, g->report, err))
            return false;
        if (round == ROUNDS_MAX)
            return true;
        if (!sample_again(g, round, &any, err))
            return false;
        if (!any)
            return true;
    }
}

bool gate_against(struct suite_session *w, const char *rev, struct gate_report *report,
                  struct error *err)
{
    struct against g = {.work = w, .report = report};
    struct arena *a = &w->arena;
    bool done = true;
    if (w->suite.count == 0)
        return fail(err, NOWHERE, "the suite is empty");
    g.subjects = ARENA_ARRAY(a, struct gate_subject, w->suite.count);
    done = revision_open(a, w->suite.items[0].experiment->directory, rev, &g.revision, err);
    for (int i = 0; done && i < w->suite.count; i++)
        done = join_item(&g, i, err);
    done = done && suite_session_run(w, err);
    g.joined = ARENA_ARRAY(a, struct run, w->suite.count);
    for (int i = 0; done && i < w->view.count; i++)
        if (w->view.runs[i].run)
            g.joined[i] = *w->view.runs[i].run;
    report->baseline = done ? arena_printf(a, "revision %s", g.revision.name) : NULL;
    done = done && judge(&g, err);
    revision_close(&g.revision);
    return done;
}
