// ridge gate --against REV: both revisions of each experiment joined into one, so that they are built and
// measured in turns on the same device, in one process.
// SPDX-License-Identifier: Apache-2.0
#include "cli/session.h"
#include "gate/gate.h"

#include <stdlib.h>
#include <string.h>

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

static bool judge(struct against *g, struct error *err)
{
    struct arena *a = &g->work->arena;
    for (int round = 0;; round++) {
        struct loop_request longer;
        bool any = false;
        split_all(g);
        if (!gate_runs(a, g->subjects, g->work->view.count, g->report, err))
            return false;
        if (!gate_longer(&g->work->request, round, &longer))
            return true;
        for (int i = 0; i < g->work->view.count; i++)
            if (g->work->suite.items[i].joined &&
                !gate_sample_again(g->work, i, g->report, g->revision.name, &longer, &g->joined[i],
                                   &any, err))
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
    w->request.uncounted = true; // a verdict rests on times; on simulated devices counters are free
    done = done && suite_session_run(w, err);
    g.joined = ARENA_ARRAY(a, struct run, w->suite.count);
    for (int i = 0; done && i < w->view.count; i++)
        if (w->view.runs[i].run)
            g.joined[i] = *w->view.runs[i].run;
    report->baseline = done ? arena_printf(a, "revision %s", g.revision.name) : NULL;
    done = done && judge(&g, err);
    for (int i = 0; done && i < w->view.count; i++) // what is written is of this revision
        if (w->view.runs[i].run)
            w->view.runs[i].run = g.subjects[i].run;
    revision_close(&g.revision);
    return done;
}
