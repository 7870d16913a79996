// Ranking: every point's modelled time on a simulated GPU, by the loop, without its reference: as good as the model and
// the smaller case are, and much cheaper than measuring.
// SPDX-License-Identifier: Apache-2.0
#include "tuner/internal.h"

#include <math.h>
#include <string.h>

enum { RANK_BATCH = 32 };

static const double share_default = 0.1;

static double share_of(const struct session *s)
{
    const struct tuner_request *q = s->request;
    bool cheaper = q->rank_override_count > 0 || !s->plan->device->simulated;
    return q->rank_share > 0 ? q->rank_share : cheaper ? 0 : share_default;
}

bool rank_describe(struct session *s, struct error *err)
{
    const struct device_info *d = s->plan->device;
    const char *id = d->id;
    double share = share_of(s);
    if (!s->request->has_strategy || !strategy_is_ranked(s->request->strategy))
        return true;
    if (!d->simulated) {
        if (!d->gpu || !gpu_is_simulated(d->gpu))
            return fail(
                err, NOWHERE,
                "strategy '%s' ranks points on a simulated GPU, and there is none of the chip "
                "of %s: choose another --strategy",
                strategy_name(s->request->strategy), d->id);
        id = arena_printf(s->arena, "sim:%s", d->gpu->id);
    }
    if (!device_find(s->arena, id, &s->rank_device, err))
        return false;
    const char *by = arena_printf(s->arena, "modelled on %s", id);
    for (int i = 0; i < s->request->rank_override_count; i++)
        by =
            arena_printf(s->arena, "%s%s%s", by, i > 0 ? " " : ", ", s->request->rank_overrides[i]);
    if (share > 0 && share < 1)
        by = arena_printf(s->arena, "%s, %g %% of the blocks", by, 100 * share);
    s->rank_by = s->t->pruning.rank_by = by;
    return true;
}

struct ranking { // a run of the loop at work
    struct session *s;
    const struct experiment *running;
    const int *points;
    int count, done;
};

static bool on_result(void *context, const struct result *r, struct error *err)
{
    struct ranking *k = context;
    struct session *s = k->s;
    int own = s->plan->experiment->variant_count;
    for (int i = 0; i < k->count; i++) {
        int point = k->points[i];
        if (strcmp(k->running->variants[own + i].name, r->variant) != 0 || s->state.ranked[point])
            continue;
        bool timed = r->status == RESULT_OK && r->time.provenance == PROVENANCE_MODELLED;
        s->state.ranks[point] = timed ? r->time.summary.median : (double)NAN;
        s->state.ranked[point] = true;
        k->done++;
        return state_add_rank(&s->state, s->t, point, s->state.ranks[point], err);
    }
    return true;
}

static void on_progress(void *context, const struct run_progress *p)
{
    const struct ranking *k = context;
    struct run_progress ranking = *p;
    ranking.phase = "ranking";
    if (k->s->events->loop.progress)
        k->s->events->loop.progress(k->s->events->loop.context, &ranking);
}

// The case's overrides, and after them those of the rank, which hold.
static void set_overrides(struct session *s, struct arena *a, struct loop_request *q)
{
    int count = q->override_count, more = s->request->rank_override_count;
    const char **all = ARENA_ARRAY(a, const char *, count + more + 1);
    memcpy(all, q->overrides, sizeof(const char *) * (size_t)count);
    if (more > 0)
        memcpy(all + count, s->request->rank_overrides, sizeof(const char *) * (size_t)more);
    q->overrides = all;
    q->override_count = count + more;
}

// Points that do not compile have no rank; where none of them does, the loop has no results.
static bool rank_some(struct session *s, const int *points, int count, struct error *err)
{
    struct arena a = {0};
    struct run run = {0};
    struct loop_request q;
    session_points_request(s, &a, points, count, &q);
    set_overrides(s, &a, &q);
    q.device = s->rank_device.id;
    q.no_verify = true;
    q.sample_share = share_of(s);
    struct ranking k = {s, q.experiment, points, count, 0};
    struct loop_events events = {.progress = on_progress,
                                 .result = on_result,
                                 .context = &k,
                                 .cancel = s->events->loop.cancel};
    bool done = loop_run(&a, &q, &events, &run, err);
    json_decref(run.header.environment);
    arena_release(&a);
    if (done || session_is_cancelled(s) || err->kind != ERROR_INPUT || k.done > 0)
        return done;
    error_clear(err);
    for (int i = 0; i < count; i++) {
        s->state.ranked[points[i]] = true;
        if (!state_add_rank(&s->state, s->t, points[i], (double)NAN, err))
            return false;
    }
    return true;
}

bool rank_all(struct session *s, struct error *err)
{
    int points[RANK_BATCH], count = 0, total = s->t->space.count;
    s->ranks = s->state.ranks;
    for (int i = 0; i < total; i++) {
        if (!s->state.ranked[i])
            points[count++] = i;
        if (count < RANK_BATCH && (i + 1 < total || count == 0))
            continue;
        if (!rank_some(s, points, count, err))
            return error_context(err, "ranking points %s", s->rank_by);
        count = 0;
    }
    for (int i = 0; i < total; i++)
        s->t->pruning.ranked += s->ranks[i] > 0;
    return s->t->pruning.ranked > 0 ||
           fail(err, NOWHERE, "no point has a rank (%s): the simulated GPU ran none of them",
                s->rank_by);
}
