// A session: the space of one variant in one case -> what an earlier session knows -> a strategy asks, the loop
// answers, a batch of points at a time -> ties. Points of a batch are variants of one run of the loop, so that on a
// GPU they are measured in turns and share inputs and reference.
// SPDX-License-Identifier: Apache-2.0
#include "tuner/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Where the next points do not depend on the times of the last, a GPU measures many at once: a batch starts three
// processes that open the driver, and warms the GPU up (1.2 s on an H200).
enum { BATCH = 8, BATCH_WIDE = 512, IDENTITY_BYTES_MAX = 16 << 20 };

static const double cut_beyond = 1.02;   // of the best time's interval: surely slower
static const double budget_of_issue = 4; // of what the chip can issue in the best time
static const double mhz_to_per_ns = 1e-3;

/* ---- the plan --------------------------------------------------------------------------------------- */

static bool find_variant(const struct experiment *e, const char *name, int *out, struct error *err)
{
    const char *names[64];
    size_t count = 0;
    for (int i = 0; i < e->variant_count; i++) {
        if (strcmp(e->variants[i].name, name) == 0) {
            *out = i;
            return true;
        }
        if (count < COUNT_OF(names))
            names[count++] = e->variants[i].name;
    }
    return fail_unknown(err, (struct location){.file = e->path}, "variant", name, names, count);
}

bool tuner_plan(struct arena *a, const char *experiment, const char *variant,
                const struct loop_request *loop, struct tuner_plan *out, struct error *err)
{
    struct device_info *device = ARENA_NEW(a, struct device_info);
    struct case_point *points = NULL;
    int point_count = 0, only = -1;
    *out = (struct tuner_plan){.device = device};
    if (!experiment_load(a, experiment, &out->experiment, err) ||
        (variant && !find_variant(out->experiment, variant, &only, err)) ||
        !device_find(a, loop->device, device, err) ||
        !experiment_cases(a, out->experiment, loop->overrides, loop->override_count, &points,
                          &point_count, err))
        return false;
    const struct experiment *e = out->experiment;
    if (only >= 0 && e->variants[only].axis_count == 0)
        return fail(err, e->variants[only].at,
                    "variant '%s' has nothing to tune: give it 'tune: {TILE: [8, 16, 32]}'",
                    variant);
    bool any = only >= 0;
    for (int i = 0; i < e->variant_count; i++)
        any = any || e->variants[i].axis_count > 0;
    if (!any)
        return fail(err, (struct location){.file = e->path},
                    "no variant has anything to tune: give one 'tune: {TILE: [8, 16, 32]}'");
    out->jobs = ARENA_ARRAY(a, struct tuner_job, point_count * e->variant_count + 1);
    for (int p = 0; p < point_count; p++)
        for (int v = 0; v < e->variant_count; v++)
            if (only < 0 || v == only)
                out->jobs[out->job_count++] = (struct tuner_job){v, &points[p]};
    return true;
}

/* ---- the space --------------------------------------------------------------------------------------- */

// Does the device take such a launch?
static bool check_launch(struct session *s, const uint16_t *choice, struct error *why)
{
    struct arena a = {0};
    const struct experiment *e =
        experiment_chosen(&a, s->plan->experiment, s->job->variant, choice);
    const struct variant_spec *spec = &e->variants[s->job->variant];
    struct resolved_variant v;
    bool done =
        experiment_resolve_variant(&a, e, s->job->variant, s->job->point, &s->plan->device->facts,
                                   &v, why) &&
        (v.supported || fail(why, spec->at, "variant '%s' requires %s, which does not hold on %s",
                             spec->name, spec->requires, s->plan->device->id));
    arena_release(&a);
    return done;
}

// Leaves the choices that make a launch.
static bool drop_impossible(struct session *s, struct choice_list *choices, struct error *err)
{
    size_t width = (size_t)s->plan->experiment->variants[s->job->variant].axis_count;
    int kept = 0;
    for (int i = 0; i < choices->count; i++) {
        struct error why = {0};
        const uint16_t *choice = &choices->items[(size_t)i * width];
        if (check_launch(s, choice, &why)) {
            memmove(&choices->items[(size_t)kept++ * width], choice, sizeof *choice * width);
            continue;
        }
        if (s->t->impossible++ == 0)
            s->t->impossible_why = arena_strdup(s->arena, why.message);
    }
    choices->count = kept;
    return kept > 0 || fail(err, NOWHERE, "%s", s->t->impossible_why);
}

// The axes of a T1 file in place of the variant's: the same names, with values and conditions of the file's.
static bool take_t1(struct session *s, struct error *err)
{
    struct experiment *e = ARENA_NEW(s->arena, struct experiment);
    struct tuner_plan *plan = ARENA_NEW(s->arena, struct tuner_plan);
    int count = 0, variant = s->job->variant;
    const struct axis *axes = t1_axes(s->request->t1, &count);
    *e = *s->plan->experiment;
    *plan = *s->plan;
    plan->experiment = e;
    e->variants = ARENA_ARRAY(s->arena, struct variant_spec, e->variant_count);
    memcpy(e->variants, s->plan->experiment->variants,
           sizeof *e->variants * (size_t)e->variant_count);
    s->plan = plan;
    const char **names = ARENA_ARRAY(s->arena, const char *, count);
    const char *const **values = ARENA_ARRAY(s->arena, const char *const *, count);
    int *counts = ARENA_ARRAY(s->arena, int, count);
    for (int i = 0; i < count; i++) {
        names[i] = axes[i].name;
        values[i] = axes[i].values;
        counts[i] = axes[i].value_count;
    }
    return experiment_give_axes(s->arena, e, variant, names, values, counts, count, err);
}

static bool drop_by_t1(const struct session *s, struct choice_list *choices, struct error *err)
{
    size_t width = (size_t)s->plan->experiment->variants[s->job->variant].axis_count;
    int kept = 0;
    for (int i = 0; i < choices->count; i++) {
        const uint16_t *choice = &choices->items[(size_t)i * width];
        bool holds = false;
        if (!t1_holds(s->request->t1, choice, &holds, err))
            return false;
        if (holds)
            memmove(&choices->items[(size_t)kept++ * width], choice, sizeof *choice * width);
    }
    choices->count = kept;
    return kept > 0 || fail(err, NOWHERE, "the conditions of the T1 file leave no choice");
}

static bool make_space(struct session *s, struct error *err)
{
    struct choice_list choices;
    if (s->request->t1 && !take_t1(s, err))
        return false;
    const struct variant_spec *v = &s->plan->experiment->variants[s->job->variant];
    if (!experiment_choices(s->arena, s->plan->experiment, s->job->variant, s->job->point,
                            &s->plan->device->facts, &choices, err) ||
        (s->request->t1 && !drop_by_t1(s, &choices, err)) || !drop_impossible(s, &choices, err))
        return false;
    struct axis *axes = ARENA_ARRAY(s->arena, struct axis, v->axis_count + 1);
    uint16_t otherwise[AXES_MAX];
    for (int i = 0; i < v->axis_count; i++) {
        axes[i] = (struct axis){v->axes[i].name, v->axes[i].texts, v->axes[i].value_count,
                                v->axes[i].values != NULL};
        otherwise[i] = (uint16_t)v->axes[i].otherwise;
    }
    search_space_make(s->arena, axes, v->axis_count, choices.items, choices.count, &s->t->space);
    s->t->product = choices.product;
    s->t->start = search_space_find(&s->t->space, otherwise);
    return true;
}

// Everything an evaluation depends on.
static bool make_identity(struct session *s, const char **out, struct error *err)
{
    const struct experiment *e = s->plan->experiment;
    const struct loop_request *q = &s->request->loop;
    const struct tuning *t = s->t;
    char *reference = NULL, hash[33] = "";
    size_t size_bytes = 0;
    if (e->reference.source &&
        !file_read(e->reference.source, IDENTITY_BYTES_MAX, &reference, &size_bytes, err))
        return false;
    hash_hex(
        (struct hash_piece[]){{e->text, strlen(e->text)}, {reference ? reference : "", size_bytes}},
        2, hash);
    free(reference);
    *out = arena_printf(s->arena, "%s\n%s\n%s\n%s\n%s\n%s\n%s\n%s %s %d %d %g %s%s%s",
                        t->experiment, t->variant, t->case_label, t->device_name,
                        t->platform ? t->platform : "", t->source_hash, hash, q->compiler,
                        q->warm ? "warm" : "cold", q->with_transfers, q->no_verify, q->sample_share,
                        RIDGE_VERSION, t->objective == OBJECTIVE_TIME ? "" : "\nmetered",
                        s->plan->device->simulated ? "" : "\nmachine code");
    return true;
}

bool tuner_source_hash(struct arena *a, const struct experiment *e, int variant, char out[33],
                       struct error *err)
{
    const struct variant_spec *v = &e->variants[variant];
    struct compile_request q = {.source_path = v->source ? v->source : e->source,
                                .flags = v->flags.items,
                                .flag_count = v->flags.count,
                                .flags_directory = v->directory ? v->directory : e->directory,
                                .flags_at = v->flags.at};
    out[0] = '\0';
    return !q.source_path || code_source_hash(a, &q, out, err);
}

static bool check_objective(const struct session *s, struct error *err)
{
    const struct tuner_request *q = s->request;
    if (q->objective == OBJECTIVE_TIME)
        return true;
    if (s->plan->device->simulated)
        return fail(
            err, NOWHERE,
            "--objective %s needs measured energy, and %s is simulated: tune on a GPU, or by "
            "--objective time",
            objective_name(q->objective), s->plan->device->id);
    return !q->has_strategy || !strategy_is_ranked(q->strategy) ||
           fail(err, NOWHERE,
                "strategy '%s' ranks points by their modelled time, and energy has no model: "
                "choose another --strategy for --objective %s",
                strategy_name(q->strategy), objective_name(q->objective));
}

static bool describe(struct session *s, struct error *err)
{
    const struct device_info *d = s->plan->device;
    const struct experiment *e = s->plan->experiment;
    struct tuning *t = s->t;
    *t = (struct tuning){.experiment = e->name,
                         .variant = e->variants[s->job->variant].name,
                         .case_label = s->job->point->label,
                         .device_id = d->id,
                         .device_name = d->name,
                         .platform = tuner_platform(s->arena, d),
                         .provenance = provenance_name(PROVENANCE_ABSENT),
                         .cc = d->facts.cc,
                         .objective = s->request->objective,
                         .seed = s->request->seed,
                         .ties = {.fastest = -1, .chosen = -1}};
    return check_objective(s, err) && make_space(s, err) &&
           tuner_source_hash(s->arena, e, s->job->variant, t->source_hash, err);
}

/* ---- one batch through the loop ---------------------------------------------------------------------- */

static bool is_budget(const struct session *s, const struct result *r)
{
    for (int i = 0; i < r->problem_count && s->cut_budget > 0; i++)
        if (strcmp(r->problems[i].kind, "budget") == 0)
            return true;
    return false;
}

static enum outcome outcome_of(const struct session *s, const struct result *r)
{
    switch (r->status) {
    case RESULT_OK:
        return OUTCOME_CORRECT;
    case RESULT_WRONG:
        return OUTCOME_CORRECTNESS;
    case RESULT_SKIPPED:
        return OUTCOME_CONSTRAINTS;
    case RESULT_FAILED:
        break;
    }
    return is_budget(s, r)                                      ? OUTCOME_CUT
           : !r->compiler                                       ? OUTCOME_COMPILE
           : r->error && strstr(r->error, "did not end within") ? OUTCOME_TIMEOUT
                                                                : OUTCOME_RUNTIME;
}

static const char *now_text(struct arena *a)
{
    char now[32];
    time_utc_iso(now);
    return arena_strdup(a, now);
}

static struct evaluation evaluation_new(struct session *s, int point, enum outcome outcome,
                                        const char *error)
{
    double nan = (double)NAN;
    return (struct evaluation){.point = point,
                               .outcome = outcome,
                               .time_ns = nan,
                               .low_ns = nan,
                               .high_ns = nan,
                               .energy_mj = nan,
                               .energy_error = nan,
                               .rank_ns = nan,
                               .took_s = nan,
                               .error = error ? arena_strdup(s->arena, error) : NULL,
                               .at = now_text(s->arena)};
}

// Kept at once: a session that is killed after this loses nothing. What failed by the system's fault may go well the
// next time.
static bool answer(struct session *s, int index, const struct evaluation *e, bool by_system,
                   struct error *err)
{
    static const double s_per_ns = 1e-9;
    uint64_t now = clock_ns();
    s->answers[index] = *e;
    s->answers[index].took_s = (double)(now - s->since_ns) * s_per_ns;
    s->since_ns = now;
    s->answered++;
    if (!by_system && !state_add(&s->state, s->t, &s->answers[index], err))
        return false;
    if (s->events->evaluated)
        s->events->evaluated(s->events->context, s->t, &s->answers[index]);
    return true;
}

static void take_energy(const struct session *s, const struct result *r, struct evaluation *e)
{
    if (s->t->objective == OBJECTIVE_TIME)
        return;
    if (r->conditions.energy_mj > 0) {
        e->energy_mj = r->conditions.energy_mj;
        e->energy_error = r->conditions.energy_error;
        return;
    }
    e->outcome = OUTCOME_RUNTIME;
    e->error = "it ran, and its energy could not be measured";
}

static bool on_result(void *context, const struct result *r, struct error *err)
{
    struct session *s = context;
    int own = s->plan->experiment->variant_count;
    for (int i = 0; i < s->point_count; i++) {
        if (strcmp(s->running->variants[own + i].name, r->variant) != 0 || s->answers[i].at)
            continue;
        struct evaluation e = evaluation_new(s, s->points[i], outcome_of(s, r),
                                             r->status == RESULT_OK ? NULL : r->error);
        if (r->compiler)
            s->t->compiler = arena_strdup(s->arena, r->compiler);
        if (e.outcome == OUTCOME_CORRECT && r->time.provenance == PROVENANCE_ABSENT) {
            e.outcome = OUTCOME_RUNTIME;
            e.error = "it ran and has no time: the chip's file lacks what a modelled time needs";
        } else if (e.outcome == OUTCOME_CORRECT) {
            s->t->provenance = provenance_name(r->time.provenance);
            e.time_ns = r->time.summary.median;
            e.low_ns = r->time.summary.low;
            e.high_ns = r->time.summary.high;
            e.sample_count = r->time.summary.count;
            take_energy(s, r, &e);
        }
        return answer(s, i, &e, r->by_system, err);
    }
    return true;
}

// Of a race the results come when the last point has settled. What a point took in its first block is kept at once: a
// session that is killed need not measure it again if it is clearly slower (evaluate). Not to be had, nothing is lost.
static void keep_sampled(struct session *s, const struct run_progress *p)
{
    int own = s->plan->experiment->variant_count;
    struct error unsaid = {0};
    for (int i = 0; i < s->point_count; i++) {
        if (s->sampled[i] || s->answers[i].at ||
            strcmp(s->running->variants[own + i].name, p->variant) != 0)
            continue;
        struct evaluation e = evaluation_new(s, s->points[i], OUTCOME_CORRECT, NULL);
        e.time_ns = p->now.median_ns;
        e.low_ns = p->now.low_ns;
        e.high_ns = p->now.high_ns;
        e.sample_count = p->now.samples;
        s->sampled[i] = true;
        if (!state_add_sampled(&s->state, s->t, &e, &unsaid))
            error_clear(&unsaid);
        return;
    }
}

static void on_progress(void *context, const struct run_progress *p)
{
    static const uint64_t step_ns = 100000000; // for people
    struct session *s = context;
    bool sampled = p->now.samples > 0 && p->variant;
    if (sampled && s->sampled && isfinite(p->now.median_ns))
        keep_sampled(s, p);
    if (!s->events->loop.progress || (sampled && clock_ns() - s->shown_ns < step_ns))
        return;
    s->shown_ns = clock_ns();
    s->events->loop.progress(s->events->loop.context, p);
}

static void on_header(void *context, const struct run_header *h)
{
    const struct session *s = context;
    if (s->events->loop.header)
        s->events->loop.header(s->events->loop.context, h);
}

static void on_warning(void *context, const char *text) // of the first run of the loop
{
    struct session *s = context;
    if (s->events->loop.warning && !s->warned)
        s->events->loop.warning(s->events->loop.context, text);
    s->warned = true;
}

// What is surely slower than the best so far need not be taken to its end. On a GPU that is a matter of samples;
// a simulated one stops a kernel that runs more warp instructions than it could issue in a multiple of that time.
static void set_cut(struct session *s, struct loop_request *q)
{
    const struct device_info *d = s->plan->device;
    double best_ns = (double)INFINITY, high_ns = (double)INFINITY;
    for (int i = 0; i < s->t->count; i++)
        if (evaluation_is_right(&s->t->evaluations[i]) && s->t->evaluations[i].time_ns < best_ns) {
            best_ns = s->t->evaluations[i].time_ns;
            high_ns = s->t->evaluations[i].high_ns;
        }
    s->cut_budget = 0;
    if (!d->simulated && s->t->objective == OBJECTIVE_TIME)
        q->race_beyond = cut_beyond;
    if (!isfinite(best_ns) || s->t->objective != OBJECTIVE_TIME) // slower may still be less
        return;
    q->cut_ns = high_ns * cut_beyond;
    if (!d->simulated || !d->gpu)
        return;
    double issue_per_ns =
        GPU(d->gpu, clock_mhz) * mhz_to_per_ns * GPU(d->gpu, schedulers_per_sm) * d->facts.sm_count;
    double budget = ceil(budget_of_issue * best_ns * issue_per_ns);
    if (q->budget_warp_instructions == 0 || budget < (double)q->budget_warp_instructions) {
        s->cut_budget = budget;
        q->budget_warp_instructions = (uint64_t)budget;
    }
}

// "N=1024 K=33" as overrides.
static void set_case(struct session *s, struct loop_request *q)
{
    const char **words = ARENA_ARRAY(s->arena, const char *, s->plan->experiment->param_count + 1);
    int count = 0;
    for (const char *c = s->job->point->label; *c; c += strspn(c, " ")) {
        size_t n = strcspn(c, " ");
        words[count++] = arena_strndup(s->arena, c, n);
        c += n;
    }
    q->overrides = words;
    q->override_count = count;
}

void session_points_request(struct session *s, struct arena *a, const int *points, int count,
                            struct loop_request *q)
{
    const struct experiment *e = s->plan->experiment;
    size_t width = (size_t)s->t->space.axis_count;
    uint16_t *choices = ARENA_ARRAY(a, uint16_t, (size_t)count * width + 1);
    const char **names = ARENA_ARRAY(a, const char *, count + 1);
    for (int i = 0; i < count; i++)
        memcpy(&choices[(size_t)i * width], search_space_point(&s->t->space, points[i]),
               sizeof *choices * width);
    *q = s->request->loop;
    q->experiment = experiment_at_choices(a, e, s->job->variant, choices, count);
    q->experiment_path = e->path;
    for (int i = 0; i < count; i++)
        names[i] = q->experiment->variants[e->variant_count + i].name;
    q->variants = names;
    q->variant_count = count;
    q->has_seed = true;
    q->seed = s->state.data_seed;
    q->uncounted = q->unpriced = q->machine = true;
    q->unmetered = s->t->objective == OBJECTIVE_TIME;
    q->by_energy = !q->unmetered;
    set_case(s, q);
}

static bool run_points(struct session *s, const int *points, int count, struct evaluation *answers,
                       struct error *err)
{
    struct arena a = {0};
    struct run run = {0};
    struct loop_request q;
    session_points_request(s, &a, points, count, &q);
    set_cut(s, &q);
    s->running = q.experiment;
    s->points = points;
    s->answers = answers;
    s->point_count = count;
    s->answered = 0;
    s->sampled = q.race_beyond > 0 ? ARENA_ARRAY(&a, bool, count + 1) : NULL;
    s->since_ns = clock_ns();
    struct loop_events events = {.header = on_header,
                                 .progress = on_progress,
                                 .warning = on_warning,
                                 .result = on_result,
                                 .context = s,
                                 .cancel = s->events->loop.cancel};
    bool done = loop_run(&a, &q, &events, &run, err);
    s->sampled = NULL;
    json_decref(run.header.environment);
    arena_release(&a);
    return done;
}

bool session_is_cancelled(const struct session *s)
{
    return s->events->loop.cancel && *s->events->loop.cancel;
}

// Where none of a run's points compiles the loop has no results: then each is asked about on its own. Of the first
// point of all it is the variant, or the reference, that does not work.
static bool run_each(struct session *s, const int *points, int count, struct evaluation *answers,
                     struct error *err)
{
    if (count == 0)
        return true;
    if (run_points(s, points, count, answers, err))
        return true;
    if (session_is_cancelled(s) || err->kind != ERROR_INPUT || s->answered > 0 || s->t->count == 0)
        return false;
    if (count == 1) {
        struct evaluation e = evaluation_new(s, points[0], OUTCOME_COMPILE, err->message);
        error_clear(err);
        return answer(s, 0, &e, false, err);
    }
    for (int i = 0; i < count; i++) {
        error_clear(err);
        if (!run_each(s, &points[i], 1, &answers[i], err))
            return false;
    }
    return true;
}

// Runs those of `points` that have no answer in `out`, but not those that `aside` says; NULL: all.
static bool run_left(struct session *s, const int *points, int count, const bool *aside,
                     struct evaluation *out, struct error *err)
{
    int left[BATCH_WIDE] = {0}, at[BATCH_WIDE], left_count = 0;
    struct evaluation fresh[BATCH_WIDE] = {{0}};
    for (int i = 0; i < count; i++) {
        if (out[i].at || (aside && aside[i]))
            continue;
        left[left_count] = points[i];
        at[left_count++] = i;
    }
    bool done = run_each(s, left, left_count, fresh, err);
    for (int i = 0; i < left_count; i++) // what came before an interruption counts
        out[at[i]] = fresh[i];
    return done;
}

static double least_high_ns(const struct evaluation *e, int count)
{
    double time_ns = (double)INFINITY, high_ns = (double)INFINITY;
    for (int i = 0; i < count; i++)
        if (evaluation_is_right(&e[i]) && e[i].time_ns < time_ns) {
            time_ns = e[i].time_ns;
            high_ns = e[i].high_ns;
        }
    return high_ns;
}

// What a killed session had sampled and is clearly slower than what is proved by now has lost, as in a race.
static bool take_lost(struct session *s, const int *points, int count, const bool *aside,
                      struct evaluation *out, struct error *err)
{
    double line_ns =
        cut_beyond * fmin(least_high_ns(s->t->evaluations, s->t->count), least_high_ns(out, count));
    for (int i = 0; i < count; i++) {
        const struct evaluation *e = &s->state.sampled[points[i]];
        if (!aside[i] || e->sample_count < SAMPLES_CLEAR || !(e->low_ns > CLEARLY_BEYOND * line_ns))
            continue;
        out[i] = *e;
        s->t->resumed++;
        if (!state_add(&s->state, s->t, e, err))
            return false;
    }
    return true;
}

// Those that are known are not run again. Those that were sampled wait for the others, one of which may be faster.
static bool evaluate(struct session *s, const int *points, int count, struct evaluation *out,
                     struct error *err)
{
    bool aside[BATCH_WIDE] = {false}, races = s->t->objective == OBJECTIVE_TIME;
    for (int i = 0; i < count; i++) {
        out[i] = s->state.known[points[i]];
        s->t->resumed += out[i].at != NULL;
        aside[i] = !out[i].at && races && s->state.sampled[points[i]].at;
    }
    return run_left(s, points, count, aside, out, err) &&
           take_lost(s, points, count, aside, out, err) &&
           run_left(s, points, count, NULL, out, err);
}

/* ---- the session -------------------------------------------------------------------------------------- */

static void choose_strategy(struct session *s)
{
    struct tuning *t = s->t;
    const struct tuner_request *q = s->request;
    t->strategy = q->has_strategy ? q->strategy : strategy_default(t->space.count);
    t->most = q->most > 0 ? q->most : strategy_default_most(t->strategy, t->space.count);
    if (t->most > t->space.count)
        t->most = t->space.count;
    t->evaluations = ARENA_ARRAY(s->arena, struct evaluation, t->most + 1);
}

static int batch_of(const struct session *s)
{
    bool first = s->t->count == 0; // its best cuts the others short
    bool measured = !s->plan->device->simulated;
    return measured && !first && !strategy_learns(s->t->strategy) ? BATCH_WIDE : BATCH;
}

static bool search(struct session *s, struct error *err)
{
    struct tuning *t = s->t;
    struct search_options options = {.strategy = t->strategy,
                                     .seed = t->seed,
                                     .start = t->start,
                                     .most = t->most,
                                     .ranks = s->ranks,
                                     .audit = strategy_default_audit(t->strategy, t->most)};
    struct search *x = search_open(&t->space, &options);
    int points[BATCH_WIDE], count = 0;
    bool done = true;
    while (done && (count = search_ask(x, batch_of(s), points)) > 0) {
        struct evaluation out[BATCH_WIDE] = {{0}};
        if (s->events->evaluating)
            s->events->evaluating(s->events->context, t);
        done = evaluate(s, points, count, out, err);
        for (int i = 0; i < count; i++) {
            out[i].audited = search_audits(x);
            out[i].rank_ns = s->ranks ? s->ranks[points[i]] : (double)NAN;
            if (out[i].at)
                t->evaluations[t->count++] = out[i];
            search_tell(x, points[i], evaluation_cost(&out[i], t->objective));
        }
    }
    search_close(x);
    return done;
}

bool tuner_run(struct arena *a, const struct tuner_plan *plan, const struct tuner_job *job,
               const struct tuner_request *request, const struct tuner_events *events,
               struct tuning *out, struct error *err)
{
    struct session s = {.arena = a,
                        .plan = plan,
                        .job = job,
                        .request = request,
                        .events = events,
                        .t = out,
                        .state = {.fd = -1}};
    const char *identity = NULL;
    bool done = describe(&s, err) && rank_describe(&s, err) && make_identity(&s, &identity, err) &&
                state_open(a, identity, out, s.rank_by, request->fresh, &s.state, err);
    if (done) {
        choose_strategy(&s);
        done = (!strategy_is_ranked(out->strategy) || rank_all(&s, err)) && search(&s, err);
        out->interrupted = !done;
        ties_find(a, out->evaluations, out->count, out->objective, &out->ties);
        if (s.ranks)
            pruning_report(out, s.ranks);
        if (strcmp(out->provenance, "absent") == 0 &&
            out->ties.chosen >= 0) // all from an earlier session
            out->provenance = provenance_name(plan->device->simulated ? PROVENANCE_MODELLED
                                                                      : PROVENANCE_MEASURED);
    }
    state_close(&s.state);
    return done || error_context(err, "tuning '%s'%s%s", job ? out->variant : "",
                                 *job->point->label ? " in case " : "", job->point->label);
}
