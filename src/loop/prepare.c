// A case made ready: variants resolved and compiled, memory looked at, buffers filled, the reference run.
// SPDX-License-Identifier: Apache-2.0
#include "loop/request.h"
#include "loop/stage.h"

#include <string.h>

static const double reference_build_s = 120; // where --timeout is not given

/* ---- variants ------------------------------------------------------------------------------------- */

static const struct refused *find_refused(const struct loop *l, const struct compile_request *q)
{
    for (size_t i = 0; i < l->refused_count; i++) {
        const struct refused *r = &l->refused[i];
        bool same = r->device == l->device && strcmp(r->source, q->source_path) == 0 &&
                    r->define_count == q->define_count;
        for (int k = 0; same && k < r->define_count; k++)
            same = strcmp(r->defines[k], q->defines[k]) == 0;
        same = same && r->flag_count == q->flag_count;
        for (int k = 0; same && k < r->flag_count; k++)
            same = strcmp(r->flags[k], q->flags[k]) == 0;
        if (same && q->instance_count == 0)
            return r;
    }
    return NULL;
}

static void note_refused(struct loop *l, const struct compile_request *q, const struct error *why)
{
    const char **defines = ARENA_ARRAY(l->arena, const char *, q->define_count + 1);
    for (int i = 0; i < q->define_count; i++)
        defines[i] = arena_strdup(l->arena, q->defines[i]);
    struct refused r = {.device = l->device,
                        .source = arena_strdup(l->arena, q->source_path),
                        .defines = defines,
                        .define_count = q->define_count,
                        .flags = q->flags, // the experiment's
                        .flag_count = q->flag_count,
                        .why = *why};
    VEC_PUSH(l->refused, l->refused_count, l->refused_capacity, r);
}

// What did not compile for one variant does not for the next.
static bool compile_once(struct loop *l, struct stage *s, const struct compile_request *q,
                         struct code_object *out, struct error *err)
{
    const struct refused *known = find_refused(l, q);
    if (known)
        *err = known->why;
    else if (code_compile(&s->arena, q, out, err))
        return true;
    else if (q->instance_count == 0)
        note_refused(l, q, err);
    return false;
}

// `verify: self`: by another compiler, if one is here that takes it.
static void compile_second(struct stage *s, const struct compile_request *q,
                           const struct code_object *first, struct code_object *out)
{
    static const char *const names[] = {"nvrtc", "clang", "nvcc"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct compile_request other = *q;
        struct error ignored = {0};
        other.compiler = names[i];
        if (code_compile(&s->arena, &other, out, &ignored) && strcmp(out->key, first->key) != 0)
            return;
        *out = (struct code_object){0};
    }
}

static bool compile_variant(struct loop *l, struct stage *s, int variant, struct error *err)
{
    const struct resolved_variant *v = &s->variants[variant];
    struct compile_request request =
        loop_compile_request(l->arena, l->plan.experiment, variant, v, l->device, l->request);
    if (!variant_has(v->spec, LAUNCH_KERNEL)) // a library's: nothing to compile
        return true;
    if (!request.source_path)
        return fail(err, v->spec->at, "variant '%s' has no source", v->spec->name);
    if (!compile_once(l, s, &request, &s->code[variant], err))
        return false;
    if (l->plan.experiment->reference.kind == REFERENCE_SELF)
        compile_second(s, &request, &s->code[variant], &s->second[variant]);
    return true;
}

bool stage_has_job(const struct stage *s, int variant)
{
    for (int i = 0; i < s->job_count; i++)
        if (s->jobs[i].variant == variant)
            return true;
    return false;
}

static bool resolve_variant(struct loop *l, struct stage *s, int variant, struct error *why)
{
    struct resolved_variant *v = &s->variants[variant];
    bool done = experiment_resolve_variant(&s->arena, l->plan.experiment, variant, s->point,
                                           &l->device->facts, v, why) &&
                libraries_check_case(&s->resolved, v, why);
    if (!done && v->supported) // where it is not, its launches may make no sense
        s->trouble[variant] = arena_strdup(l->arena, why->message);
    return done;
}

// All variants first: a mistake in the last one shows within a second, not after the others ran.
// false: there are some to run, and none of them can; the first one's reason.
static bool prepare_variants(struct loop *l, struct stage *s, struct error *err)
{
    const struct experiment *e = l->plan.experiment;
    int ready = 0;
    struct error first = {0};
    struct error *troubles = ARENA_ARRAY(&s->arena, struct error, e->variant_count + 1);
    bool *resolved = ARENA_ARRAY(&s->arena, bool, e->variant_count + 1);
    bool *wanted = ARENA_ARRAY(&s->arena, bool, e->variant_count + 1);
    for (int i = 0; i < e->variant_count; i++) {
        resolved[i] = resolve_variant(l, s, i, &troubles[i]);
        wanted[i] = resolved[i] && s->variants[i].supported && stage_has_job(s, i);
    }
    l->progress.variant = NULL;
    progress_tell(&l->progress, "compiling", 0);
    stage_compile_ahead(l, s, wanted);
    for (int i = 0; i < e->variant_count; i++) {
        if (!stage_has_job(s, i) || !s->variants[i].supported)
            continue;
        l->progress.variant = e->variants[i].name;
        progress_tell(&l->progress, "compiling", 0);
        if (resolved[i] && compile_variant(l, s, i, &troubles[i])) {
            ready += !l->device->simulated || variant_has(&e->variants[i], LAUNCH_KERNEL);
            continue;
        }
        if (cancel_asked()) {
            *err = troubles[i];
            return false;
        }
        s->trouble[i] = arena_strdup(l->arena, troubles[i].message);
        s->by_system[i] = troubles[i].kind == ERROR_SYSTEM;
        if (first.kind == ERROR_NONE)
            first = troubles[i];
    }
    if (ready > 0 || first.kind == ERROR_NONE)
        return true;
    *err = first;
    return false;
}

/* ---- memory ------------------------------------------------------------------------------- */

// What the case needs on the device, and here: the buffers, their copy on a simulated device, and
// each output once more (the reference's); what is read back comes a part at a time.
static bool check_memory(const struct loop *l, const struct stage *s, struct error *err)
{
    uint64_t device_bytes = 0, host_bytes = 0, free_bytes = memory_free_bytes();
    char needed[32], there[32];
    for (int i = 0; i < s->resolved.buffer_count; i++) {
        const struct resolved_buffer *b = &s->resolved.buffers[i];
        device_bytes += b->size_bytes;
        host_bytes +=
            b->size_bytes * (l->device->simulated ? 2 : 1) + (b->output ? b->size_bytes : 0);
    }
    uint64_t most = (uint64_t)l->device->facts.memory_bytes;
    if (most > 0 && device_bytes > most && !l->request->divided)
        return fail(err, NOWHERE,
                    "the buffers need %s and %s has %s: choose smaller parameters (--param)",
                    format_bytes((double)device_bytes, needed), l->device->id,
                    format_bytes((double)most, there));
    if (free_bytes > 0 && host_bytes > free_bytes)
        return fail_as(
            err, ERROR_SYSTEM, NOWHERE,
            "the buffers and their copies need %s of memory and %s are free here: choose "
            "smaller parameters (--param)",
            format_bytes((double)host_bytes, needed), format_bytes((double)free_bytes, there));
    return true;
}

/* ---- data and reference --------------------------------------------------------------------- */

struct job stage_job(struct loop *l, const struct stage *s, int variant)
{
    return (struct job){
        .request = l->request,
        .experiment = l->plan.experiment,
        .device = l->device,
        .point = s->point,
        .resolved = &s->resolved,
        .variant = &s->variants[variant],
        .code = &s->code[variant],
        .inputs = &s->inputs,
        .seed = s->seed,
        .wanted = s->checks ? &s->wanted : NULL,
        .reference = &l->reference,
        .second = s->second[variant].bytes ? &s->second[variant] : NULL,
    };
}

// The kernel whose arguments the reference gets, if it was compiled.
static void give_signature(struct loop *l, struct stage *s, struct job *job)
{
    for (int i = 0; i < l->plan.experiment->variant_count; i++) {
        const struct resolved_variant *v = &s->variants[i];
        if (!variant_has(v->spec, LAUNCH_KERNEL))
            continue;
        if (s->trouble[i] || !s->code[i].bytes || !l->plan.experiment->reference.args_of)
            return;
        *job = stage_job(l, s, i);
        for (job->signature = v->launches; job->signature->kind != LAUNCH_KERNEL;)
            job->signature++;
        return;
    }
}

// Of a reference whose rows are computed apart.
static void on_reference(void *context, double share)
{
    struct loop *l = context;
    char shown[48];
    (void)snprintf(shown, sizeof shown, "reference, %.0f %% of its rows", 100 * share);
    progress_tell_shown(&l->progress, "reference", shown);
}

// What is right comes from a variant of the experiment, or from files.
static bool prepare_wanted(struct loop *l, struct stage *s, struct error *err)
{
    const struct experiment *e = l->plan.experiment;
    int variant = e->reference.variant;
    if (!outputs_share(&s->resolved, &s->inputs, &s->wanted, err))
        return false;
    if (e->reference.kind == REFERENCE_FILES)
        return reference_read(e, s->point, &s->resolved, &s->wanted, err);
    if (!s->variants[variant].supported || s->trouble[variant])
        return fail(err, e->reference.at,
                    "the variant '%s', which is the reference, cannot run%s%s",
                    e->reference.function, s->trouble[variant] ? ": " : " on this device",
                    s->trouble[variant] ? s->trouble[variant] : "");
    if (!stage_has_job(s, variant) && !compile_variant(l, s, variant, err))
        return false;
    struct job job = stage_job(l, s, variant);
    job.wanted = NULL;
    return reference_variant_run(&job, &s->wanted, l->events->cancel, err);
}

bool stage_wanted(struct loop *l, struct stage *s, struct error *err)
{
    const struct loop_request *r = l->request;
    if (l->plan.experiment->reference.kind != REFERENCE_CALL)
        return prepare_wanted(l, s, err);
    if (!l->reference.path &&
        !reference_build(l->arena, l->plan.experiment,
                         r->timeout_s > 0 ? r->timeout_s : reference_build_s, &l->reference, err))
        return false;
    struct resolved_reference reference;
    struct job_progress progress = {.call = on_reference, .context = l};
    struct job job = stage_job(l, s, 0);
    give_signature(l, s, &job);
    return experiment_resolve_reference(&s->arena, l->plan.experiment, s->point, &l->device->facts,
                                        &reference, err) &&
           outputs_share(&s->resolved, &s->inputs, &s->wanted, err) &&
           reference_job_run(&job, &reference, &s->wanted, &progress, l->events->cancel, err);
}

static bool prepare_data(struct loop *l, struct stage *s, struct error *err)
{
    const struct loop_request *r = l->request;
    s->seed = s->jobs->seed;
    l->progress.variant = NULL;
    if (r->recorded && r->unsided && !(r->patches_s > 0))
        return true; // nothing runs
    progress_tell(&l->progress, "filling buffers", 0);
    if (!buffers_fill(l->plan.experiment, &s->resolved, s->point, s->seed, &s->inputs, err))
        return false;
    // A share of the blocks writes a share of the outputs: nothing to compare.
    bool partial = r->sample_share > 0 && r->sample_share < 1;
    enum reference_kind kind = l->plan.experiment->reference.kind;
    s->checks = !r->no_verify && !partial && kind != REFERENCE_NONE && kind != REFERENCE_SELF;
    if (!s->checks)
        return true;
    progress_tell(&l->progress, "reference", 0);
    return stage_wanted(l, s, err);
}

bool stage_prepare(struct loop *l, struct stage *s, struct error *err)
{
    const struct experiment *e = l->plan.experiment;
    size_t count = (size_t)e->variant_count + 1;
    s->variants = ARENA_ARRAY(&s->arena, struct resolved_variant, count);
    s->code = ARENA_ARRAY(&s->arena, struct code_object, count);
    s->second = ARENA_ARRAY(&s->arena, struct code_object, count);
    s->trouble = ARENA_ARRAY(&s->arena, const char *, count);
    s->by_system = ARENA_ARRAY(&s->arena, bool, count);
    s->results = ARENA_ARRAY(&s->arena, struct result *, count);
    s->facts = ARENA_ARRAY(&s->arena, struct job_facts, count);
    if (!experiment_resolve_case(&s->arena, e, s->point, &l->device->facts, &s->resolved, err))
        return case_context(err, s->point);
    if (check_memory(l, s, err) && prepare_variants(l, s, err) && prepare_data(l, s, err) &&
        (!s->checks || honest_tolerance(e, &s->resolved, &s->inputs, &s->wanted, err)))
        return true;
    struct error ignored = {0};
    return !progress_is_cancelled(&l->progress, &ignored) && // no fault of the case
           case_context(err, s->point);
}

void stage_release(struct stage *s)
{
    outputs_unshare(&s->resolved, &s->inputs, &s->wanted);
    buffers_release(&s->inputs);
    arena_release(&s->arena);
}
