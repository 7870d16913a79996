// A case's jobs at work: on a simulated device one after the other; on a clock all are verified, those
// that are right are sampled together, in turns.
// SPDX-License-Identifier: Apache-2.0
#include "loop/request.h"
#include "loop/stage.h"

#include <math.h>
#include <string.h>

/* ---- progress ---------------------------------------------------------------------------------------- */

bool stage_is_measured(const struct loop *l)
{
    return !l->device->simulated && !l->request->verify_only;
}

static void on_share(void *context, double share)
{
    struct loop *l = context;
    progress_tell(&l->progress, l->request->verify_only ? "verifying" : "verifying and counting",
                  stage_is_measured(l) ? 0.5 * share : share);
}

struct measuring { // the jobs of a case, sampled together
    struct loop *loop;
    const struct job *jobs;
    int all; // of the case: those that are not sampled too
};

static void on_sampled(void *context, int job, double share, const struct sampled_now *now)
{
    const struct measuring *m = context;
    m->loop->progress.variant = m->jobs[job].variant->spec->name;
    progress_tell_sampled(&m->loop->progress, "measuring", share * m->all, now);
}

/* ---- one variant --------------------------------------------------------------------------------------- */

// What of a library the variant calls, or NULL.
static const char *library_of(const struct variant_spec *v)
{
    for (int i = 0; i < v->launch_count; i++)
        if (v->launches[i].kind == LAUNCH_LIBRARY)
            return v->launches[i].library->text;
    return NULL;
}

// Relative to the experiment's folder, where there is a choice.
static const char *chosen_source(const struct loop *l, int variant)
{
    const struct experiment *e = l->plan.experiment;
    const struct variant_spec *v = &e->variants[variant];
    if (!(v->source ? v->sources : e->sources))
        return NULL;
    const char *path = loop_source_of(e, variant, l->device);
    size_t folder = strlen(e->directory);
    return str_starts_with(path, e->directory) && path[folder] == '/' ? path + folder + 1 : path;
}

static void name_result(struct loop *l, struct stage *s, int variant, struct result *r)
{
    const struct experiment *e = l->plan.experiment;
    const struct variant_spec *v = &e->variants[variant];
    *r = (struct result){
        .variant = v->name,
        .from = v->from >= 0 ? e->variants[v->from].name : NULL,
        .title = v->title,
        .hypothesis = v->hypothesis,
        .bottleneck = v->bottleneck,
        .library = library_of(v),
        .source = chosen_source(l, variant),
        .params = ARENA_ARRAY(l->arena, struct case_value, e->param_count + 1),
        .param_count = e->param_count,
        .case_label = s->point->label,
        .seed = s->seed,
        .worst_relative_error = (double)NAN,
        .worst_absolute_error = (double)NAN,
    };
    for (int i = 0; i < e->param_count; i++)
        r->params[i] = (struct case_value){e->params[i].name, s->point->values[i]};
    const struct code_object *code = &s->code[variant];
    if (code->compiler && !s->trouble[variant]) {
        r->compiler = arena_strdup(l->arena, code->compiler);
        r->compiler_log = code->log && *code->log ? arena_strdup(l->arena, code->log) : NULL;
        memcpy(r->code_key, code->key, sizeof r->code_key);
    }
}

const char *stage_file(struct loop *l, const char *file)
{
    const char *const folders[] = {l->plan.experiment->directory,
                                   path_dir(l->arena, l->plan.experiment->path)};
    for (size_t k = 0; k < COUNT_OF(folders); k++) {
        size_t bytes = strlen(folders[k]);
        if (str_starts_with(file, folders[k]) && file[bytes] == '/')
            file += bytes + 1;
    }
    return file;
}

void stage_relate(struct loop *l, struct result *r)
{
    for (int i = 0; i < r->line_count; i++)
        if (r->lines[i].file)
            r->lines[i].file = stage_file(l, r->lines[i].file);
}

static void identify(struct loop *l, struct stage *s, int variant, char out[33])
{
    work_hash(l->plan.experiment, &s->resolved, &s->variants[variant], &s->code[variant], out);
}

// The other revision, where it does exactly this; NULL = it does not, or there is none.
static const char *same_twin(struct loop *l, struct stage *s, int variant, const struct result *r)
{
    int twin = l->plan.experiment->variants[variant].twin - 1;
    char other[33] = "";
    if (!r->work_hash[0])
        return NULL;
    if (twin >= 0 && stage_has_job(s, twin) && !s->trouble[twin] && s->variants[twin].supported)
        identify(l, s, twin, other);
    if (strcmp(other, r->work_hash) == 0)
        return l->plan.experiment->variants[twin].name;
    return NULL;
}

// The earlier run that did exactly this; NULL = none did.
static const char *same_known(const struct loop *l, const struct stage *s, const struct result *r)
{
    const struct loop_known *k = l->request->known;
    for (int i = 0; k && r->work_hash[0] && i < k->count; i++)
        if (strcmp(k->items[i].variant, r->variant) == 0 &&
            strcmp(k->items[i].case_label, s->point->label) == 0 &&
            strcmp(k->items[i].work_hash, r->work_hash) == 0)
            return k->name;
    return NULL;
}

// What is known of a variant without running it. true: there is something to run.
static bool begin_result(struct loop *l, struct stage *s, int variant, struct result *r)
{
    name_result(l, s, variant, r);
    if (s->trouble[variant]) {
        r->status = RESULT_FAILED;
        r->error = s->trouble[variant];
        r->by_system = s->by_system[variant];
        return false;
    }
    if (!s->variants[variant].supported) {
        r->status = RESULT_SKIPPED;
        r->error = arena_printf(l->arena, "requires %s, which does not hold for %s on %s",
                                l->plan.experiment->variants[variant].requires,
                                s->point->label[0] ? s->point->label : "this case", l->device->id);
        return false;
    }
    if (r->library && !device_has_libraries(l->device)) {
        r->status = RESULT_SKIPPED;
        r->error = arena_printf(l->arena, "not available: '%s' needs a CUDA device", r->library);
        return false;
    }
    r->error = honest_precision(l->arena, l->plan.experiment, &s->resolved, &s->variants[variant],
                                &s->code[variant]);
    if (r->error) {
        r->status = RESULT_FAILED;
        return false;
    }
    identify(l, s, variant, r->work_hash);
    r->same_as = same_twin(l, s, variant, r);
    if (!r->same_as)
        r->same_as = same_known(l, s, r);
    if (r->same_as) {
        r->status = RESULT_SKIPPED;
        r->error = arena_printf(l->arena, "not run: the same code and launches as %s", r->same_as);
        return false;
    }
    return true;
}

struct verifying { // jobs of a case, run together
    struct loop *loop;
    const struct job *jobs;
};

static void on_verifying(void *context, double share)
{
    const struct verifying *v = context;
    on_share(v->loop, share);
}

static void on_begin(void *context, int job)
{
    const struct verifying *v = context;
    v->loop->progress.variant = v->jobs[job].variant->spec->name;
    on_share(v->loop, 0);
}

// Jobs `first` to `end` of the stage, in one worker; results by their side.
static bool run_variants(struct loop *l, struct stage *s, int first, int end, struct result *fresh,
                         struct error *err)
{
    int count = 0;
    struct job *jobs = ARENA_ARRAY(&s->arena, struct job, end - first + 1);
    struct result **results = ARENA_ARRAY(&s->arena, struct result *, end - first + 1);
    struct job_facts **facts = ARENA_ARRAY(&s->arena, struct job_facts *, end - first + 1);
    for (int i = first; i < end; i++) {
        int variant = s->jobs[i].variant;
        struct result *r = &fresh[i - first];
        l->progress.variant = l->plan.experiment->variants[variant].name;
        if (progress_is_cancelled(&l->progress, err))
            return false;
        if (!begin_result(l, s, variant, r))
            continue;
        jobs[count] = stage_job(l, s, variant);
        facts[count] = &s->facts[variant];
        results[count++] = r;
    }
    struct verifying verifying = {l, jobs};
    struct job_progress progress = {.call = on_verifying, .begin = on_begin, .context = &verifying};
    if (!jobs_run(l->arena, jobs, results, facts, count, &progress, l->events->cancel, err))
        return false;
    for (int i = 0; i < count; i++)
        stage_relate(l, results[i]);
    return true;
}

/* ---- all --------------------------------------------------------------------------------------------------- */

// Each in a process of its own, and reported as soon as it is done: a simulated run takes its time.
static bool run_simulated(struct loop *l, struct stage *s, struct error *err)
{
    for (int i = 0; i < s->job_count; i++) {
        struct result *r = &l->run->results[l->run->result_count];
        if (!run_variants(l, s, i, i + 1, r, err) ||
            !stage_conclude(l, s, s->jobs[i].variant, r, err))
            return false;
    }
    return true;
}

// The verified ones, sampled together.
static bool measure_verified(struct loop *l, struct stage *s, struct result *fresh,
                             struct error *err)
{
    int timed_count = 0;
    struct job *jobs = ARENA_ARRAY(&s->arena, struct job, s->job_count + 1);
    struct result **timed = ARENA_ARRAY(&s->arena, struct result *, s->job_count + 1);
    for (int i = 0; i < s->job_count; i++)
        if (fresh[i].status == RESULT_OK) {
            jobs[timed_count] = stage_job(l, s, s->jobs[i].variant);
            timed[timed_count++] = &fresh[i];
        }
    struct measuring measuring = {l, jobs, s->job_count};
    struct job_progress progress = {.context = &measuring, .sampled = on_sampled};
    l->progress.variant = NULL;
    progress_tell(&l->progress, "warming up", 0);
    return measure_jobs(l->arena, jobs, timed, timed_count, &progress, l->events->cancel, err);
}

// After the times, which it does not disturb.
static bool simulate_aside(struct loop *l, struct stage *s, struct result *fresh, struct error *err)
{
    const struct loop_request *q = l->request;
    if (q->unsided || q->uncounted || q->divided || !l->device->gpu)
        return true;
    for (int i = 0; i < s->job_count; i++) {
        struct result *r = &fresh[i];
        int variant = s->jobs[i].variant;
        if (r->status != RESULT_OK || r->library ||
            !variant_has(s->variants[variant].spec, LAUNCH_KERNEL))
            continue;
        struct job job = stage_job(l, s, variant);
        struct job_facts ignored; // the measured run's count
        l->progress.variant = r->variant;
        progress_tell(&l->progress, "simulating", s->job_count);
        if (!side_run(l->arena, &job, r, &ignored, l->events->cancel, err))
            return false;
        stage_relate(l, r);
    }
    return true;
}

// On a real device, or where patterns of inputs follow: all are verified, the verified ones measured, then all are
// finished in order.
static bool run_together(struct loop *l, struct stage *s, struct error *err)
{
    int done_before = l->progress.jobs_done;
    struct result *fresh = &l->run->results[l->run->result_count];
    if (!run_variants(l, s, 0, s->job_count, fresh, err) || !stage_patterns(l, s, fresh, err) ||
        (stage_is_measured(l) &&
         (!measure_verified(l, s, fresh, err) || !simulate_aside(l, s, fresh, err))))
        return false;
    l->progress.jobs_done = done_before;
    for (int i = 0; i < s->job_count; i++)
        if (!stage_conclude(l, s, s->jobs[i].variant, &fresh[i], err))
            return false;
    return true;
}

bool stage_run(struct loop *l, struct stage *s, struct error *err)
{
    if (l->request->recorded)
        return stage_again(l, s, err);
    return l->device->simulated && !l->request->patterns ? run_simulated(l, s, err)
                                                         : run_together(l, s, err);
}
