// The experiment is loaded and checked, recorded hypotheses put in their place, variants and cases
// chosen; then every selected variant on every case is a job.
// SPDX-License-Identifier: Apache-2.0
#include "loop/plan.h"

#include <string.h>

enum { SEED_SHIFT = 11 }; // 53 bits: whole in every reader of JSON

struct planner {
    struct arena *arena;
    const struct loop_request *request;
    bool *selected; // a variant each
    struct plan *plan;
};

static bool select_variant(struct planner *l, const char *name, struct error *err)
{
    const struct experiment *e = l->plan->experiment;
    const char **names = ARENA_ARRAY(l->arena, const char *, e->variant_count + 1);
    for (int i = 0; i < e->variant_count; i++) {
        names[i] = e->variants[i].name;
        if (strcmp(names[i], name) != 0)
            continue;
        l->selected[i] = true;
        if (e->variants[i].from >= 0) // its baseline, for the comparison
            l->selected[e->variants[i].from] = true;
        return true;
    }
    const char *near = str_nearest(name, names, (size_t)e->variant_count);
    if (near)
        return fail(err, NOWHERE, "experiment '%s' has no variant '%s' (did you mean '%s'?)",
                    e->name, name, near);
    const char *list = "";
    for (int i = 0; i < e->variant_count; i++)
        list = arena_printf(l->arena, "%s%s%s", list, i > 0 ? ", " : "", names[i]);
    return fail(err, NOWHERE, "experiment '%s' has no variant '%s'; it has: %s", e->name, name,
                list);
}

static bool plan_variants(struct planner *l, struct error *err)
{
    const struct loop_request *r = l->request;
    int count = l->plan->experiment->variant_count;
    l->selected = ARENA_ARRAY(l->arena, bool, count + 1);
    for (int i = 0; i < r->variant_count; i++)
        if (!select_variant(l, r->variants[i], err))
            return false;
    for (int i = 0; i < count && r->variant_count == 0; i++)
        l->selected[i] = true;
    return true;
}

// What the hypothesis expects replaces what the file expects of the same figure.
static bool hypothesis_apply(const struct planner *l, const struct hypothesis *h,
                             struct variant_spec *v, struct error *err)
{
    struct expectation_spec *merged =
        ARENA_ARRAY(l->arena, struct expectation_spec, v->expectation_count + h->expectation_count);
    int count = 0;
    for (int i = 0; i < v->expectation_count; i++) {
        bool replaced = false;
        for (int k = 0; k < h->expectation_count; k++)
            replaced |= strcmp(v->expectations[i].what, h->whats[k]) == 0;
        if (!replaced)
            merged[count++] = v->expectations[i];
    }
    for (int k = 0; k < h->expectation_count; k++) {
        struct expectation_spec *x = &merged[count++];
        if (!expectation_parse(l->arena, h->whats[k], h->expected[k], v->at, x, err))
            return error_context(err, "in the recorded hypothesis on '%s'", v->name);
        if (x->kind != EXPECT_VALUE && v->from < 0)
            return fail(err, v->at,
                        "the recorded hypothesis expects '%s: %s' of '%s', which has no baseline: "
                        "give it a 'from'",
                        x->what, x->text, v->name);
    }
    v->expectations = merged;
    v->expectation_count = count;
    v->hypothesis = h->text;
    return true;
}

static bool plan_hypotheses(const struct planner *l, struct error *err)
{
    for (int i = 0; i < l->request->hypothesis_count; i++)
        for (int v = 0; v < l->plan->experiment->variant_count; v++)
            if (strcmp(l->plan->experiment->variants[v].name, l->request->hypotheses[i].variant) ==
                    0 &&
                !hypothesis_apply(l, &l->request->hypotheses[i], &l->plan->experiment->variants[v],
                                  err))
                return false;
    return true;
}

// "time", or a counter's name.
static bool plan_expectations(const struct planner *l, struct error *err)
{
    size_t count;
    const char *const *names = counters_names(&count);
    for (int v = 0; v < l->plan->experiment->variant_count; v++) {
        const struct variant_spec *spec = &l->plan->experiment->variants[v];
        for (int i = 0; i < spec->expectation_count; i++) {
            const struct expectation_spec *e = &spec->expectations[i];
            const struct counters none = {0};
            struct figure ignored;
            if (strcmp(e->what, "time") == 0 || counters_by_name(&none, e->what, &ignored))
                continue;
            const char *near = str_nearest(e->what, names, count);
            return fail(err, e->at, "'%s' is neither time nor a counter%s%s%s", e->what,
                        near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
        }
    }
    return true;
}

// Which devices, all of them before anything runs.
static bool plan_devices(struct planner *l, struct error *err)
{
    const struct loop_request *r = l->request;
    const char *const *ids = r->device_count > 0 ? r->devices : &r->device;
    int count = r->device_count > 0 ? r->device_count : 1;
    struct device_info *devices = ARENA_ARRAY(l->arena, struct device_info, count);
    for (int i = 0; i < count; i++) {
        if (!device_find(l->arena, ids[i], &devices[i], err))
            return false;
        for (int k = 0; k < i; k++)
            if (strcmp(devices[k].id, devices[i].id) == 0)
                return fail(err, NOWHERE, "device '%s' is named twice: give each once",
                            devices[i].id);
    }
    l->plan->devices = devices;
    l->plan->device_count = count;
    return true;
}

// Every selected variant on every case on every device.
static void plan_jobs(struct planner *l, const struct case_point *points, int point_count)
{
    const struct loop_request *r = l->request;
    int variants = l->plan->experiment->variant_count, devices = l->plan->device_count;
    uint64_t *seeds = ARENA_ARRAY(l->arena, uint64_t, point_count + 1);
    for (int p = 0; p < point_count; p++)
        seeds[p] = r->has_seed ? r->seed : random_seed() >> SEED_SHIFT;
    l->plan->jobs = ARENA_ARRAY(l->arena, struct planned, devices * point_count * variants + 1);
    for (int d = 0; d < devices; d++)
        for (int p = 0; p < point_count; p++)
            for (int v = 0; v < variants; v++)
                if (l->selected[v])
                    l->plan->jobs[l->plan->job_count++] =
                        (struct planned){&l->plan->devices[d], &points[p], v, seeds[p]};
}

bool plan_make(struct arena *a, const struct loop_request *request, struct plan *out,
               struct error *err)
{
    struct planner l = {.arena = a, .request = request, .plan = out};
    struct case_point *points = NULL;
    int point_count = 0;
    out->experiment = request->experiment;
    if ((!out->experiment &&
         !experiment_load(a, request->experiment_path, &out->experiment, err)) ||
        !libraries_check(a, out->experiment, err) || !plan_devices(&l, err) ||
        !experiment_cases(a, out->experiment, request->overrides, request->override_count, &points,
                          &point_count, err) ||
        !plan_hypotheses(&l, err) || !plan_expectations(&l, err) || !plan_variants(&l, err))
        return false;
    plan_jobs(&l, points, point_count);
    return true;
}

int plan_jobs_together(const struct plan *p, int first)
{
    int end = first + 1;
    while (end < p->job_count && p->jobs[end].point == p->jobs[first].point &&
           p->jobs[end].device == p->jobs[first].device)
        end++;
    return end - first;
}
