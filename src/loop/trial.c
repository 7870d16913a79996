// Patches tried: what a finding's patch is worth is known exactly where its text is. It is compiled, simulated as the variant
// was (same inputs, same sample of blocks) and held against the reference; the ratio of the two times prices the finding.
// Simulated devices, and sources that NVRTC compiled. What a trial takes is reckoned from what the variant
// counted, so that the same patches are tried on every machine.
// SPDX-License-Identifier: Apache-2.0
#include "advise/advise.h"
#include "loop/request.h"
#include "loop/stage.h"

#include <math.h>
#include <string.h>

enum { FINDINGS_TRIED = 3, TRIALS_MAX = 4 }; // of a result
static const double instruction_ns = 40, sector_ns = 100; // of a warp; loaded or stored (side.c)
static const double compile_ns = 3e8;                     // a small source
static const double ns_per_s = 1e9;
static const double different = 0.02; // of the time (trials.def)

struct trying {
    struct loop *loop;
    struct stage *stage;
    int variant;
    const struct result *result;
    const struct patch *patch;
    struct patch_trial *out;
};

static double reckoned_ns(const struct result *r)
{
    return counters_get(&r->counters, COUNTER_WARP_INSTRUCTIONS, 0) * instruction_ns +
           (counters_get(&r->counters, COUNTER_GLOBAL_LOAD_SECTORS, 0) +
            counters_get(&r->counters, COUNTER_GLOBAL_STORE_SECTORS, 0)) *
               sector_ns +
           compile_ns;
}

// It ended so; always true.
static bool verdict(struct trying *t, enum trial_verdict v, const char *why)
{
    t->out->verdict = v;
    t->out->error = why ? arena_strdup(t->loop->arena, why) : NULL;
    return true;
}

static void judge_time(struct trying *t, double time_ns)
{
    double before = t->result->time.summary.median;
    t->out->time_ns = time_ns;
    enum trial_verdict v = time_ns <= before * (1 - different)   ? TRIAL_GAINS
                           : time_ns >= before * (1 + different) ? TRIAL_LOSES
                                                                 : TRIAL_NOTHING;
    (void)verdict(t, v, NULL);
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

static bool simulate(struct trying *t, const struct experiment *e,
                     const struct resolved_variant *v, const struct code_object *code,
                     struct error *err)
{
    struct loop *l = t->loop;
    struct loop_request request = *l->request;
    struct job job = stage_job(l, t->stage, t->variant);
    struct result got = {.variant = v->spec->name, .status = RESULT_OK};
    struct job_facts facts;
    request.unpriced = true;
    request.change = NULL;
    job.request = &request;
    job.experiment = e;
    job.variant = v;
    job.code = code;
    job.second = NULL;
    job.trial = true;
    if (!jobs_run(l->arena, &job, (struct result *[]){&got}, (struct job_facts *[]){&facts}, 1,
                  NULL, l->events->cancel, err))
        return false;
    t->out->verified = got.checked && got.verified;
    if (got.status == RESULT_WRONG)
        return verdict(t, TRIAL_WRONG, got.error);
    if (got.status != RESULT_OK || got.time.provenance == PROVENANCE_ABSENT)
        return verdict(t, TRIAL_FAILED, got.error ? got.error : "it has no time");
    judge_time(t, got.time.summary.median + copies_ns(t));
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
    return simulate(t, e, &v, &code, err);
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
                             .whole = t->patch->whole,
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
    return l->request->patches_s > 0 && l->device->simulated && r->diagnosed && !r->library &&
           r->status == RESULT_OK && code->compiler && str_starts_with(code->compiler, "NVRTC") &&
           l->plan.experiment->variants[variant].axis_count == 0 &&
           l->plan.experiment->reference.kind != REFERENCE_SELF;
}

bool stage_try_patches(struct loop *l, struct stage *s, int variant, struct result *r,
                       struct error *err)
{
    struct advice advice;
    struct diagnosis *d = &r->diagnosis;
    if (!is_possible(l, s, variant, r))
        return true;
    advise_result(&s->arena, l->run, l->plan.experiment, r, &advice);
    d->trials = ARENA_ARRAY(l->arena, struct patch_trial, TRIALS_MAX + 1);
    for (int i = 0; i < advice.count && d->trial_count < TRIALS_MAX; i++) {
        struct trying t = {.loop = l,
                           .stage = s,
                           .variant = variant,
                           .result = r,
                           .patch = &advice.patches[i],
                           .out = &d->trials[d->trial_count]};
        bool tried = false;
        if (!is_tried(r, t.patch))
            continue;
        if (s->trials_ns + reckoned_ns(r) > l->request->patches_s * ns_per_s)
            break;
        s->trials_ns += reckoned_ns(r);
        if (!try_patch(&t, &tried, err))
            return false;
        d->trial_count += tried;
    }
    diagnose_trials(l->arena, r->time.summary.median, d);
    return true;
}
