// The canary's runs: a `ridge run` of its own for each GPU that is due and idle, its result held against the journal, and
// what the driver reported meanwhile. The monitor's process stays without a CUDA context.
// SPDX-License-Identifier: Apache-2.0
#include "monitor/canary.h"

#include "experiment/experiment.h"
#include "journal/journal.h"
#include "monitor/alerts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double tolerance = 0.05, idle_most_pct = 5, timeout_s = 300;

struct canary {
    struct canary_options options;
    struct monitor *monitor;
    struct journal *journal;
    char program[4096]; // this one
    struct arena arena;
    struct experiment *experiment;
    const char *last_case; // its label
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool stop, runs;
};
struct target {              // one GPU, or the simulated one
    struct monitor_gpu *gpu; // NULL: simulated
    struct canary_record *record;
};

/* ---- the healthy run ----------------------------------------------------------------------------------- */

static int by_time(const void *x, const void *y)
{
    double a = ((const struct journal_figure *)x)->value,
           b = ((const struct journal_figure *)y)->value;
    return (a > b) - (a < b);
}

static int newest_first(const void *x, const void *y)
{
    int64_t a = ((const struct journal_figure *)x)->run,
            b = ((const struct journal_figure *)y)->run;
    return (a < b) - (a > b);
}

// Of this very GPU; of a simulated one, by its name.
static bool is_of(const struct run *run, const struct canary *c, const struct target *t)
{
    const char *uuid = json_string_value(json_object_get(run->header.environment, "gpu_uuid"));
    return t->gpu ? uuid && strcmp(uuid, t->gpu->chip->uuid) == 0
                  : strcmp(run->header.device_id, c->options.device) == 0;
}

// Of a variant that the experiment still has.
static bool is_wanted(const struct canary *c, const struct journal_figure *f, const char *label)
{
    if (label && strcmp(f->case_label, label) != 0)
        return false;
    for (int i = 0; i < c->experiment->variant_count; i++)
        if (strcmp(c->experiment->variants[i].name, f->variant) == 0)
            return true;
    return false;
}

// The first of the figures that is of this GPU and was not slowed down, and unless it was named of a kernel of the
// experiment's own. label: of this case; NULL: of any.
static bool healthy_first(struct canary *c, struct arena *a, const struct target *t,
                          const struct journal_figure *figures, int count, const char *label,
                          struct result *out, bool *found, struct error *err)
{
    enum { RUNS_LOOKED_AT = 100 };
    *found = false;
    for (int i = 0, looked = 0; i < count && looked < RUNS_LOOKED_AT && !*found; i++) {
        struct run run = {0};
        if (!is_wanted(c, &figures[i], label))
            continue;
        looked++;
        if (!journal_get_run(c->journal, a, figures[i].run, NULL, &run, err))
            return false;
        const struct result *r = run_result(&run, figures[i].variant, figures[i].case_label);
        *found = r && is_of(&run, c, t) && !r->conditions.throttled &&
                 (c->options.variant || !r->library);
        if (*found)
            *out = *r;
        json_decref(run.header.environment);
    }
    return true;
}

// What the canary runs and is held against: the fastest of the experiment's last case, or where none of that case is
// healthy of the case of the newest that is.
static bool healthy_find(struct canary *c, struct arena *a, const struct target *t,
                         struct result *out, struct error *err)
{
    const char *variant = c->options.variant;
    struct journal_figure *all = NULL;
    int count = 0;
    bool found = false;
    if (!journal_figures(c->journal, a, c->experiment->name, variant, NULL, "time_ns", &all, &count,
                         err))
        return false;
    qsort(all, (size_t)count, sizeof *all, by_time);
    if (!healthy_first(c, a, t, all, count, c->last_case, out, &found, err))
        return false;
    if (found)
        return true;
    qsort(all, (size_t)count, sizeof *all, newest_first);
    if (!healthy_first(c, a, t, all, count, NULL, out, &found, err))
        return false;
    if (!found)
        return fail(err, NOWHERE,
                    "the journal has no healthy run of %s%s%s on this GPU: `ridge run %s%s%s` "
                    "makes one",
                    c->experiment->name, variant ? ":" : "", variant ? variant : "",
                    c->options.experiment, variant ? " --variant " : "", variant ? variant : "");
    qsort(all, (size_t)count, sizeof *all, by_time);
    return healthy_first(c, a, t, all, count, out->case_label, out, &found, err);
}

/* ---- the run ------------------------------------------------------------------------------------------- */

static bool run_read(struct arena *a, const struct process_result *r, struct run *out,
                     struct error *err)
{
    json_error_t where;
    json_t *j = json_loadb(text_str(&r->out), r->out.length, 0, &where);
    bool done = j && json_object_get(j, "results") && run_from_json(a, j, out, err);
    json_decref(j);
    return done || fail_as(err, ERROR_SYSTEM, NOWHERE, "the canary's run failed: %.300s",
                           text_str(&r->err_text));
}

static const char *parameter_text(struct arena *a, const struct case_value *v)
{
    return v->value.is_integer ? arena_printf(a, "%s=%lld", v->name, (long long)v->value.i)
                               : arena_printf(a, "%s=%.17g", v->name, v->value.d);
}

// The healthy run's variant and case alone: nothing is simulated on the side or recorded.
static bool run_once(struct canary *c, struct arena *a, const struct target *t,
                     const struct result *healthy, struct run *out, struct error *err)
{
    enum { FIXED = 24 }; // arguments, but for the parameters
    const struct canary_options *o = &c->options;
    const char **argv = ARENA_ARRAY(a, const char *, FIXED + 2 * healthy->param_count);
    int n = 0;
    if (t->gpu) { // whatever numbers CUDA would give the GPUs
        argv[n++] = "/usr/bin/env";
        argv[n++] = arena_printf(a, "CUDA_VISIBLE_DEVICES=%s", t->gpu->chip->uuid);
    }
    const char *const usual[] = {c->program,     "run",
                                 o->experiment,  "--json",
                                 "--quiet",      "--no-journal",
                                 "--time-limit", "0.3",
                                 "--side-limit", "0",
                                 "--device",     t->gpu ? "cuda:0" : o->device,
                                 "--variant",    healthy->variant};
    for (size_t i = 0; i < COUNT_OF(usual); i++)
        argv[n++] = usual[i];
    for (int i = 0; i < healthy->param_count; i++) {
        argv[n++] = "--param";
        argv[n++] = parameter_text(a, &healthy->params[i]);
    }
    if (o->compiler) {
        argv[n++] = "--compiler";
        argv[n++] = o->compiler;
    }
    argv[n] = NULL;
    const struct process_spec spec = {.argv = argv, .timeout_s = timeout_s};
    struct process_result r = {0};
    if (!process_run(&spec, &r, err))
        return false;
    bool done = run_read(a, &r, out, err);
    process_result_release(&r);
    return done;
}

/* ---- evidence ------------------------------------------------------------------------------------------ */

static void evidence_before(struct canary *c, const struct target *t, struct canary_evidence *e)
{
    *e = (struct canary_evidence){.memory_mhz = (double)NAN,
                                  .memory_max_mhz = (double)NAN,
                                  .busy_before_pct = (double)NAN,
                                  .uncorrected_errors = (double)NAN};
    if (!t->gpu)
        return;
    pthread_mutex_lock(&c->monitor->lock);
    e->others = t->gpu->now.process_count;
    e->busy_before_pct = t->gpu->now.value[TELEMETRY_busy_pct];
    e->uncorrected_errors = -t->gpu->now.value[TELEMETRY_ecc_uncorrected_errors];
    t->gpu->reasons_seen = 0;
    pthread_mutex_unlock(&c->monitor->lock);
}

static void evidence_after(struct canary *c, const struct target *t, const struct result *healthy,
                           const struct result *now, struct canary_evidence *e)
{
    e->healthy_ns = healthy->time.summary.median;
    e->now_ns = now->time.provenance != PROVENANCE_ABSENT ? now->time.summary.median : (double)NAN;
    e->healthy_sm_mhz = healthy->conditions.sm_mhz;
    e->now_sm_mhz = now->conditions.sm_mhz;
    e->wrong = now->status == RESULT_WRONG;
    if (!t->gpu)
        return;
    pthread_mutex_lock(&c->monitor->lock);
    const double *v = t->gpu->now.value;
    e->memory_mhz = v[TELEMETRY_memory_clock_mhz];
    e->memory_max_mhz = v[TELEMETRY_memory_clock_max_mhz];
    e->uncorrected_errors += v[TELEMETRY_ecc_uncorrected_errors];
    e->reasons = t->gpu->reasons_seen;
    e->conditions = t->gpu->conditions;
    pthread_mutex_unlock(&c->monitor->lock);
}

/* ---- the record ------------------------------------------------------------------------------------------ */

static void verdict_words(const struct canary_record *r, char *out, size_t size_bytes)
{
    char now[32], healthy[32], share[48] = "";
    if (r->verdict.cause == CAUSE_wrong_result) {
        (void)snprintf(out, size_bytes, "%s:%s: %s", r->experiment, r->variant,
                       canary_cause_words(r->verdict.cause));
        return;
    }
    if (!isnan(r->verdict.explained))
        (void)snprintf(share, sizeof share, " (accounts for %.0f %% of it)",
                       100 * r->verdict.explained);
    (void)snprintf(out, size_bytes, "%s:%s takes %s, healthy %s (%+.1f %%): %s%s", r->experiment,
                   r->variant, format_time_ns(r->now_ns, now),
                   format_time_ns(r->healthy_ns, healthy), 100 * r->verdict.gap,
                   canary_cause_words(r->verdict.cause), share);
}

// Under the lock. An alert where the cause is another one than before.
static void record_take(struct canary *c, const struct target *t, const struct result *now,
                        const struct canary_evidence *e)
{
    struct canary_record *r = t->record;
    enum canary_cause before = r->known ? r->verdict.cause : CAUSE_none;
    r->verdict = canary_attribute(e, tolerance);
    r->known = true;
    r->runs++;
    r->now_ns = e->now_ns;
    r->healthy_ns = e->healthy_ns;
    (void)snprintf(r->variant, sizeof r->variant, "%s", now->variant);
    (void)snprintf(r->case_label, sizeof r->case_label, "%s", now->case_label);
    (void)snprintf(r->trouble, sizeof r->trouble, "%s", "");
    time_utc_iso(r->time);
    verdict_words(r, r->words, sizeof r->words);
    if (r->verdict.cause != before)
        alert_raise(c->monitor, t->gpu, ALERT_CANARY, r->verdict.cause == CAUSE_none,
                    canary_cause_name(r->verdict.cause == CAUSE_none ? before : r->verdict.cause),
                    "%s", r->words);
}

// One that is not there yet, or a server that is away, costs a try, not the monitor.
static bool journal_ready(struct canary *c, struct error *err)
{
    return c->journal || journal_open(c->options.journal, true, &c->journal, err);
}

static bool canary_try(struct canary *c, struct arena *a, const struct target *t, struct error *err)
{
    struct run run = {0};
    struct result healthy = {0};
    struct canary_evidence e;
    if (!journal_ready(c, err) || !healthy_find(c, a, t, &healthy, err))
        return false;
    evidence_before(c, t, &e);
    if (!run_once(c, a, t, &healthy, &run, err))
        return false;
    const struct result *now = run_result(&run, healthy.variant, healthy.case_label);
    bool done = now && (now->status == RESULT_WRONG || now->time.provenance != PROVENANCE_ABSENT);
    if (!done)
        fail_as(err, ERROR_SYSTEM, NOWHERE, "the canary's run has no time: %.200s",
                now && now->error ? now->error : "the variant did not run");
    if (done) {
        evidence_after(c, t, &healthy, now, &e);
        pthread_mutex_lock(&c->monitor->lock);
        record_take(c, t, now, &e);
        pthread_mutex_unlock(&c->monitor->lock);
    }
    json_decref(run.header.environment);
    return done;
}

static bool is_idle(struct canary *c, const struct target *t)
{
    if (!t->gpu || c->options.busy_too)
        return true;
    pthread_mutex_lock(&c->monitor->lock);
    bool idle = t->gpu->now.process_count == 0 && !t->gpu->now.lost &&
                !(t->gpu->now.value[TELEMETRY_busy_pct] > idle_most_pct);
    pthread_mutex_unlock(&c->monitor->lock);
    return idle;
}

static void canary_one(struct canary *c, const struct target *t)
{
    struct arena a = {0};
    struct error err = {0};
    bool idle = is_idle(c, t), done = idle && canary_try(c, &a, t, &err);
    pthread_mutex_lock(&c->monitor->lock);
    t->record->skipped += !idle;
    if (idle && !done && !cancel_asked()) {
        bool first = t->record->trouble[0] == '\0';
        t->record->failed++;
        (void)snprintf(t->record->trouble, sizeof t->record->trouble, "%.*s",
                       (int)strcspn(err.message, "\n"), err.message);
        if (first)
            alert_raise(c->monitor, t->gpu, ALERT_CANARY, false, "failed", "%s",
                        t->record->trouble);
    }
    pthread_mutex_unlock(&c->monitor->lock);
    arena_release(&a);
}

/* ---- the thread -------------------------------------------------------------------------------------------- */

static bool is_stopped(struct canary *c)
{
    pthread_mutex_lock(&c->lock);
    bool stop = c->stop;
    pthread_mutex_unlock(&c->lock);
    return stop || cancel_asked();
}

static void *canary_run(void *context)
{
    struct canary *c = context;
    struct monitor *m = c->monitor;
    while (!is_stopped(c)) {
        struct timespec until;
        double whole, part = modf(c->options.every_s, &whole);
        (void)clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += (time_t)whole;
        until.tv_nsec += (long)(part * monitor_ns_per_s);
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        for (int i = 0; i < m->canary_count && !is_stopped(c); i++)
            canary_one(c, &(struct target){m->gpu_count ? &m->gpus[i] : NULL, &m->canaries[i]});
        pthread_mutex_lock(&c->lock);
        while (!c->stop && pthread_cond_timedwait(&c->changed, &c->lock, &until) == 0)
            continue;
        pthread_mutex_unlock(&c->lock);
    }
    return NULL;
}

// What is not there is said before anything is watched.
static bool experiment_open(struct canary *c, struct error *err)
{
    struct case_point *cases = NULL;
    int count = 0;
    const char *variant = c->options.variant;
    if (!experiment_load(&c->arena, c->options.experiment, &c->experiment, err) ||
        !experiment_cases(&c->arena, c->experiment, NULL, 0, &cases, &count, err))
        return error_context(err, "in --canary");
    c->last_case = cases[count - 1].label;
    const char **names = ARENA_ARRAY(&c->arena, const char *, c->experiment->variant_count + 1);
    for (int i = 0; i < c->experiment->variant_count; i++) {
        names[i] = c->experiment->variants[i].name;
        if (variant && strcmp(names[i], variant) == 0)
            return true;
    }
    return !variant || fail_unknown(err, (struct location){.file = "--canary"}, "variant", variant,
                                    names, (size_t)c->experiment->variant_count);
}

bool canary_open(const struct canary_options *options, struct monitor *m, struct canary **out,
                 struct error *err)
{
    struct canary *c = xcalloc(1, sizeof *c);
    *out = NULL;
    c->options = *options;
    c->monitor = m;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->changed, NULL);
    ssize_t n = readlink("/proc/self/exe", c->program, sizeof c->program - 1);
    bool done = n > 0 || fail_as(err, ERROR_SYSTEM, NOWHERE, "/proc/self/exe cannot be read");
    done = done && experiment_open(c, err);
    if (done) {
        pthread_mutex_lock(&m->lock);
        m->canary_count = m->gpu_count ? m->gpu_count : 1;
        m->canaries = xcalloc((size_t)m->canary_count, sizeof *m->canaries);
        for (int i = 0; i < m->canary_count; i++)
            (void)snprintf(m->canaries[i].experiment, sizeof m->canaries[i].experiment, "%s",
                           c->experiment->name);
        pthread_mutex_unlock(&m->lock);
        c->runs = pthread_create(&c->thread, NULL, canary_run, c) == 0;
        done = c->runs || fail_as(err, ERROR_SYSTEM, NOWHERE, "cannot start a thread");
    }
    if (!done)
        canary_close(c);
    else
        *out = c;
    return done;
}

void canary_close(struct canary *c)
{
    if (!c)
        return;
    pthread_mutex_lock(&c->lock);
    c->stop = true;
    pthread_cond_signal(&c->changed);
    pthread_mutex_unlock(&c->lock);
    if (c->runs)
        pthread_join(c->thread, NULL);
    journal_close(c->journal);
    arena_release(&c->arena);
    pthread_mutex_destroy(&c->lock);
    pthread_cond_destroy(&c->changed);
    free(c);
}
