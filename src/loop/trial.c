// Patches tried: what a finding's patch is worth is known exactly where its text is. It is compiled, simulated as the variant
// was (same inputs, same sample of blocks) and held against the reference; the ratio of the two times prices the finding.
// Of a measured variant both are simulated on its side, a sample of the blocks, and the patch is verified on the
// device; a recorded one's is not. Sources that NVRTC compiled only. What a trial takes is reckoned from what the variant
// counted, so that the same patches are tried on every machine.
// SPDX-License-Identifier: Apache-2.0
#include "advise/advise.h"
#include "loop/request.h"
#include "loop/stage.h"

#include <math.h>
#include <string.h>

enum { FINDINGS_TRIED = 3, TRIALS_MAX = 4 };                  // of a result
static const double compile_ns = 1e8, compile_byte_ns = 4000; // of what the variant was compiled to
static const double side_ns = 1e9;                            // on the side, at most (side.c)
static const double ns_per_s = 1e9;
static const double different = 0.02; // of the time (trials.def)
static const double astray = 8;       // times the variant's instructions: the patch does not end
enum { ASTRAY_LEAST = 10000000 };

struct trying {
    struct loop *loop;
    struct stage *stage;
    int variant;
    const struct result *result;
    double before_ns; // of the variant's kernels, by the model that times its patches
    const struct patch *patch;
    struct patch_trial *out;
};

static bool is_measured(const struct result *r)
{
    return r->time.provenance == PROVENANCE_MEASURED;
}

static double reckoned_ns(const struct result *r, const struct code_object *code)
{
    double compiling = compile_ns + compile_byte_ns * (double)code->size_bytes;
    if (is_measured(r))
        return compiling + side_ns;
    return compiling +
           simulating_ns(counters_get(&r->counters, COUNTER_WARP_INSTRUCTIONS, 0),
                         counters_get(&r->counters, COUNTER_GLOBAL_LOAD_SECTORS, 0) +
                             counters_get(&r->counters, COUNTER_GLOBAL_STORE_SECTORS, 0));
}

// It ended so; always true.
static bool verdict(struct trying *t, enum trial_verdict v, const char *why)
{
    t->out->verdict = v;
    t->out->error = why ? arena_strdup(t->loop->arena, why) : NULL;
    return true;
}

// Compiled to what is there already: it takes as long as before, and nothing needs to run.
static bool is_same_code(const struct trying *t, const struct experiment *e,
                         const struct resolved_variant *v, const struct code_object *code)
{
    struct stage *s = t->stage;
    char before[33], now[33];
    work_hash(t->loop->plan.experiment, &s->resolved, &s->variants[t->variant],
              &s->code[t->variant], before);
    work_hash(e, &s->resolved, v, code, now);
    return before[0] && strcmp(before, now) == 0;
}

// Of a variant whose copies are modelled beside its kernels, these stay.
static double copies_ns(const struct trying *t)
{
    struct transfers c = transfers_of(&t->result->counters);
    bool own = variant_has(t->stage->variants[t->variant].spec, LAUNCH_COPY);
    return own ? 0 : c.h2d_ns + c.d2h_ns + c.peer_ns;
}

// As the variant was run, but for the replays.
static bool simulate(const struct trying *t, struct job job, struct result *out, struct error *err)
{
    struct loop *l = t->loop;
    struct loop_request request = *l->request;
    struct job_facts facts;
    *out = (struct result){.variant = job.variant->spec->name, .status = RESULT_OK};
    request.unpriced = true;
    request.change = NULL;
    request.budget_warp_instructions =
        (uint64_t)(astray * counters_get(&t->result->counters, COUNTER_WARP_INSTRUCTIONS, 0)) +
        ASTRAY_LEAST;
    if (t->result->sample.asked > 0)
        request.sample_share = t->result->sample.asked;
    job.request = &request;
    job.second = NULL;
    job.trial = true;
    if (is_measured(t->result))
        return side_time(l->arena, &job, out, l->events->cancel, err);
    return jobs_run(l->arena, &job, &out, (struct job_facts *[]){&facts}, 1, NULL,
                    l->events->cancel, err);
}

static bool has_time(const struct result *r)
{
    return r->status == RESULT_OK && r->time.provenance != PROVENANCE_ABSENT;
}

static struct figure kernels_time(const struct trying *t)
{
    const struct time_result *time = &t->result->time;
    return (struct figure){time->summary.median - copies_ns(t), time->provenance};
}

// Its time on the result's own scale: that is measured, or of an older model.
static void judge_time(struct trying *t, double kernels_ns)
{
    double left = kernels_ns / t->before_ns;
    t->out->time_ns =
        copies_ns(t) + changed_ns(t->before_ns, kernels_ns, INTERVENTION_COUNT, kernels_time(t));
    (void)verdict(t,
                  left <= 1 - different   ? TRIAL_GAINS
                  : left >= 1 + different ? TRIAL_LOSES
                                          : TRIAL_NOTHING,
                  NULL);
}

// A measured variant's patch, whose time is of a sample of the blocks: all of it, on the device.
static bool verify(struct trying *t, struct job job, struct result *out, struct error *err)
{
    struct loop *l = t->loop;
    struct loop_request request = *l->request;
    struct job_facts facts;
    *out = (struct result){.variant = job.variant->spec->name, .status = RESULT_OK};
    request.verify_only = true;
    job.request = &request;
    job.second = NULL;
    job.trial = true;
    return l->request->recorded || jobs_run(l->arena, &job, &out, (struct job_facts *[]){&facts}, 1,
                                            NULL, l->events->cancel, err);
}

static bool simulate_patch(struct trying *t, const struct experiment *e,
                           const struct resolved_variant *v, const struct code_object *code,
                           struct error *err)
{
    struct result got = {.status = RESULT_OK};
    struct job job = stage_job(t->loop, t->stage, t->variant);
    job.experiment = e;
    job.variant = v;
    job.code = code;
    if (is_measured(t->result) && !verify(t, job, &got, err))
        return false;
    bool checked = got.checked && got.verified;
    if (got.status == RESULT_OK && !simulate(t, job, &got, err))
        return false;
    t->out->verified = checked || (got.checked && got.verified);
    if (got.status == RESULT_WRONG)
        return verdict(t, TRIAL_WRONG, got.error);
    if (!has_time(&got))
        return verdict(t, TRIAL_FAILED, got.error ? got.error : "it has no time");
    judge_time(t, got.time.summary.median);
    return true;
}

static bool compile_and_simulate(struct trying *t, const struct experiment *e, int variant,
                                 struct error *err)
{
    struct loop *l = t->loop;
    struct stage *s = t->stage;
    struct resolved_variant v = {0};
    struct code_object code;
    struct error why = {0};
    if (!experiment_resolve_variant(&s->arena, e, variant, s->point, &l->device->facts, &v, &why) ||
        !v.supported)
        return verdict(t, TRIAL_FAILED, why.message[0] ? why.message : "its `requires` fails");
    struct compile_request q =
        loop_compile_request(l->arena, e, variant, &v, l->device, l->request);
    q.source_text = t->patch->source;
    q.compiler = "nvrtc";
    if (!code_compile(&s->arena, &q, &code, &why))
        return cancel_asked() ? fail_cancelled(err) : verdict(t, TRIAL_REFUSED, why.message);
    const char *imprecise = honest_precision(l->arena, e, &s->resolved, &v, &code);
    if (imprecise)
        return verdict(t, TRIAL_WRONG, imprecise);
    if (is_same_code(t, e, &v, &code)) {
        t->out->verified = t->result->verified;
        t->out->time_ns = t->result->time.summary.median;
        return verdict(t, TRIAL_SAME, NULL);
    }
    return simulate_patch(t, e, &v, &code, err);
}

// *tried: false: it cannot be written as a variant.
static bool try_patch(struct trying *t, bool *tried, struct error *err)
{
    struct loop *l = t->loop;
    struct experiment *e = NULL;
    struct error ignored = {0};
    int variant = -1;
    *tried = advice_variant(&t->stage->arena, l->plan.experiment, t->result, t->patch, &e, &variant,
                            &ignored);
    if (!*tried)
        return true;
    *t->out = (struct patch_trial){.maker = t->patch->maker,
                                   .cause = t->patch->finding->cause,
                                   .sole = t->patch->sole,
                                   .time_ns = (double)NAN};
    memcpy(t->out->key, t->patch->key, sizeof t->out->key);
    progress_tell(&l->progress, "trying patches", 0);
    return compile_and_simulate(t, e, variant, err);
}

static bool is_tried(const struct result *r, const struct patch *p)
{
    int place = 0;
    for (const struct finding *f = r->diagnosis.findings; f != p->finding; f++)
        place += !f->folded;
    return p->title && place < FINDINGS_TRIED;
}

static bool is_possible(const struct loop *l, const struct stage *s, int variant,
                        const struct result *r)
{
    const struct code_object *code = &s->code[variant];
    bool sided = l->request->patches_sided && l->device->gpu && !l->request->unsided;
    return l->request->patches_s > 0 && !l->request->divided && r->diagnosed && !r->library &&
           r->status == RESULT_OK && (is_measured(r) ? sided : l->device->simulated) &&
           compiler_is_nvrtc(code->compiler) &&
           l->plan.experiment->variants[variant].axis_count == 0 &&
           l->plan.experiment->reference.kind != REFERENCE_SELF;
}

// What patches' times are held against. A recorded result is simulated again. *known: false: that brought no time.
static bool time_before(struct trying *t, bool *known, struct error *err)
{
    struct result got;
    t->before_ns = kernels_time(t).value;
    *known = true;
    if (!t->loop->request->recorded && !is_measured(t->result))
        return true;
    if (!simulate(t, stage_job(t->loop, t->stage, t->variant), &got, err))
        return false;
    t->before_ns = got.time.summary.median;
    *known = has_time(&got) &&
             isfinite(changed_ns(t->before_ns, t->before_ns, INTERVENTION_COUNT, kernels_time(t)));
    return true;
}

// Those of the advice, in its order, as far as they fit.
static bool try_all(struct trying *t, const struct advice *advice, struct diagnosis *d,
                    struct error *err)
{
    struct stage *s = t->stage;
    double each_ns = reckoned_ns(t->result, &s->code[t->variant]),
           most_ns = t->loop->request->patches_s * ns_per_s;
    bool known = true;
    t->before_ns = (double)NAN;
    for (int i = 0; i < advice->count && d->trial_count < TRIALS_MAX; i++) {
        bool tried = false;
        t->patch = &advice->patches[i];
        t->out = &d->trials[d->trial_count];
        if (t->patch->trial || !is_tried(t->result, t->patch))
            continue;
        if (s->trials_ns + each_ns > most_ns)
            break;
        s->trials_ns += each_ns;
        if (isnan(t->before_ns) && !time_before(t, &known, err))
            return false;
        if (!known)
            break;
        if (!try_patch(t, &tried, err))
            return false;
        d->trial_count += tried;
    }
    return true;
}

bool stage_try_patches(struct loop *l, struct stage *s, int variant, struct result *r,
                       struct error *err)
{
    struct advice advice;
    struct diagnosis *d = &r->diagnosis;
    struct trying t = {.loop = l, .stage = s, .variant = variant, .result = r};
    if (!is_possible(l, s, variant, r))
        return true;
    advise_result(&s->arena, l->run, l->plan.experiment, r, &advice);
    const struct patch_trial *before = d->trials;
    d->trials = ARENA_ARRAY(l->arena, struct patch_trial, TRIALS_MAX + d->trial_count + 1);
    if (d->trial_count > 0)
        memcpy(d->trials, before, (size_t)d->trial_count * sizeof *before);
    if (!try_all(&t, &advice, d, err))
        return false;
    diagnose_trials(l->arena, r->time.summary.median, d);
    return true;
}
