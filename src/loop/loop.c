// The loop: load, choose the device, list the jobs; per case the reference, then every variant:
// compile -> run and check in a worker -> diagnose -> judge -> hand on. A variant's failure is its
// result; only what makes going on pointless ends the run.
// SPDX-License-Identifier: Apache-2.0
#include "loop/internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEED_SHIFT = 11 }; // 53 bits: whole in every reader of JSON

static const double reference_build_s = 120; // where --timeout is not given
static const double share_known = 0.02;      // below it the time left is a guess

struct refused { // a source, compiled for a device with these definitions
    const struct device_info *device;
    const char *source, *const *defines, *const *flags;
    int define_count, flag_count;
    struct error why;
};

// A job of the run's list. Further devices, or other nodes, make the list longer and nothing else.
struct planned {
    const struct device_info *device;
    const struct case_point *point;
    int variant; // of the experiment's
};

struct loop {
    struct arena *arena;
    const struct loop_request *request;
    const struct loop_events *events;
    struct experiment *experiment;
    bool *selected;       // of the plan: a variant each
    struct planned *jobs; // the run's, in the order of its results
    int job_count, jobs_done;
    const struct device_info *device; // of the jobs at work
    uint64_t started_ns;
    const char *variant, *case_label; // what is worked on
    struct reference_code reference;  // built when the first case needs it
    struct refused *refused;          // sources that do not compile: not tried again
    size_t refused_count, refused_capacity;
    struct phase_time *phases; // of this case; the last is the running one
    size_t phase_count, phase_capacity;
    struct run *run;
};

struct stage {          // the jobs of one case on one device, at work
    struct arena arena; // released with them
    const struct planned *jobs;
    int job_count;
    const struct case_point *point;
    struct resolved_case resolved;
    struct resolved_variant *variants; // of the experiment's, by index
    struct code_object *code;
    const char **trouble; // why a variant cannot run, or NULL
    bool *by_system;      // … and it is the device or the operating system that cannot
    struct host_buffers inputs, wanted;
    bool checks; // wanted holds the reference's outputs
    uint64_t seed;
    struct result **results; // by variant; NULL = not run
    struct job_facts *facts; // by variant
};

/* ---- telling ---------------------------------------------------------------------------------------- */

static const double ns_per_s = 1e9;

static double run_s(const struct loop *l)
{
    return (double)(clock_ns() - l->started_ns) / ns_per_s;
}

static void end_phase(struct loop *l)
{
    struct phase_time *last = l->phase_count > 0 ? &l->phases[l->phase_count - 1] : NULL;
    if (last && last->duration_s < 0)
        last->duration_s = run_s(l) - last->at_s;
}

// Another phase, or another variant's: the last one ends.
static void note_phase(struct loop *l, const char *name, const char *variant)
{
    const struct phase_time *last = l->phase_count > 0 ? &l->phases[l->phase_count - 1] : NULL;
    if (last && last->duration_s < 0 && strcmp(last->name, name) == 0 && last->variant == variant)
        return;
    end_phase(l);
    struct phase_time p = {name, variant, run_s(l), -1};
    VEC_PUSH(l->phases, l->phase_count, l->phase_capacity, p);
}

// A result takes its variant's phases, and the case's if nobody did.
static void take_phases(struct loop *l, struct result *r)
{
    end_phase(l);
    size_t kept = 0;
    r->phases = ARENA_ARRAY(l->arena, struct phase_time, l->phase_count + 1);
    for (size_t i = 0; i < l->phase_count; i++) {
        const struct phase_time *p = &l->phases[i];
        if (p->variant && strcmp(p->variant, r->variant) != 0)
            l->phases[kept++] = *p;
        else if (r->phase_count < PHASES_MAX)
            r->phases[r->phase_count++] = *p;
    }
    l->phase_count = kept;
}

// `shown` is the phase as it is displayed.
static void tell_phase(struct loop *l, const char *phase, const char *shown, double share_of_unit,
                       const struct sampled_now *now)
{
    note_phase(l, phase, now->samples > 0 ? NULL : l->variant); // variants are sampled in turns
    if (!l->events->progress)
        return;
    double share = l->job_count > 0 ? (l->jobs_done + share_of_unit) / l->job_count : 0;
    double elapsed_s = run_s(l);
    double left_s = share >= share_known ? elapsed_s * (1 - share) / share : -1;
    struct run_progress p = {.phase = shown,
                             .variant = l->variant,
                             .case_label = l->case_label,
                             .share = share,
                             .left_s = left_s,
                             .now = *now};
    l->events->progress(l->events->context, &p);
}

static void tell_sampled(struct loop *l, const char *phase, double share_of_unit,
                         const struct sampled_now *now)
{
    tell_phase(l, phase, phase, share_of_unit, now);
}

static const struct sampled_now nothing_sampled = {.interval = (double)NAN, .sm_mhz = (double)NAN};

static void tell_progress(struct loop *l, const char *phase, double share_of_unit)
{
    tell_sampled(l, phase, share_of_unit, &nothing_sampled);
}

// A result that is timed on a clock comes in two halves: it is verified, then measured with the rest.
static bool is_measured(const struct loop *l)
{
    return !l->device->simulated && !l->request->verify_only;
}

static void on_share(void *context, double share)
{
    struct loop *l = context;
    tell_progress(l, l->request->verify_only ? "verifying" : "verifying and counting",
                  is_measured(l) ? 0.5 * share : share);
}

struct measuring { // the jobs of a case, sampled together
    struct loop *loop;
    const struct job *jobs;
    int all; // of the case: those that are not sampled too
};

static void on_sampled(void *context, int job, double share, const struct sampled_now *now)
{
    const struct measuring *m = context;
    m->loop->variant = m->jobs[job].variant->spec->name;
    tell_sampled(m->loop, "measuring", share * m->all, now);
}

static bool is_cancelled(const struct loop *l, struct error *err)
{
    if (!l->events->cancel || !*l->events->cancel)
        return false;
    (void)fail_as(err, ERROR_SYSTEM, NOWHERE, "interrupted");
    return true;
}

/* ---- planning ----------------------------------------------------------------------------------------- */

static bool select_variant(struct loop *l, const char *name, struct error *err)
{
    const struct experiment *e = l->experiment;
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

static bool plan_variants(struct loop *l, struct error *err)
{
    const struct loop_request *r = l->request;
    int count = l->experiment->variant_count;
    l->selected = ARENA_ARRAY(l->arena, bool, count + 1);
    for (int i = 0; i < r->variant_count; i++)
        if (!select_variant(l, r->variants[i], err))
            return false;
    for (int i = 0; i < count && r->variant_count == 0; i++)
        l->selected[i] = true;
    return true;
}

// What the hypothesis expects replaces what the file expects of the same figure.
static bool hypothesis_apply(const struct loop *l, const struct hypothesis *h,
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
            return fail(
                err, v->at,
                "the recorded hypothesis expects '%s: %s' of '%s', which answers no earlier "
                "variant: give it a 'from'",
                x->what, x->text, v->name);
    }
    v->expectations = merged;
    v->expectation_count = count;
    v->hypothesis = h->text;
    return true;
}

static bool plan_hypotheses(const struct loop *l, struct error *err)
{
    for (int i = 0; i < l->request->hypothesis_count; i++)
        for (int v = 0; v < l->experiment->variant_count; v++)
            if (strcmp(l->experiment->variants[v].name, l->request->hypotheses[i].variant) == 0 &&
                !hypothesis_apply(l, &l->request->hypotheses[i], &l->experiment->variants[v], err))
                return false;
    return true;
}

// "time", or a counter's name.
static bool plan_expectations(const struct loop *l, struct error *err)
{
    size_t count;
    const char *const *names = counters_names(&count);
    for (int v = 0; v < l->experiment->variant_count; v++) {
        const struct variant_spec *spec = &l->experiment->variants[v];
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

// Every selected variant on every case on the device, case by case.
static void plan_jobs(struct loop *l, const struct device_info *device,
                      const struct case_point *points, int point_count)
{
    int variants = l->experiment->variant_count;
    l->jobs = ARENA_ARRAY(l->arena, struct planned, point_count * variants + 1);
    for (int p = 0; p < point_count; p++)
        for (int v = 0; v < variants; v++)
            if (l->selected[v])
                l->jobs[l->job_count++] = (struct planned){device, &points[p], v};
    l->run->results = ARENA_ARRAY(l->arena, struct result, l->job_count + 1);
}

static void tell_header(struct loop *l)
{
    header_fill(l->arena, l->request, l->experiment, l->device, &l->run->header);
    if (l->events->warning && l->device->warning)
        l->events->warning(l->events->context, l->device->warning);
    if (l->events->header)
        l->events->header(l->events->context, &l->run->header);
}

static bool plan(struct loop *l, struct error *err)
{
    const struct loop_request *r = l->request;
    struct device_info *device = ARENA_NEW(l->arena, struct device_info);
    struct case_point *points = NULL;
    int point_count = 0;
    l->experiment = r->experiment;
    if ((!l->experiment && !experiment_load(l->arena, r->experiment_path, &l->experiment, err)) ||
        !libraries_check(l->arena, l->experiment, err) ||
        !device_find(l->arena, r->device, device, err) ||
        !experiment_cases(l->arena, l->experiment, r->overrides, r->override_count, &points,
                          &point_count, err) ||
        !plan_hypotheses(l, err) || !plan_expectations(l, err) || !plan_variants(l, err))
        return false;
    l->device = device;
    plan_jobs(l, device, points, point_count);
    tell_header(l);
    return true;
}

/* ---- a case: resolve, compile -------------------------------------------------------------------- */

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

static bool compile_variant(struct loop *l, struct stage *s, int variant, struct error *err)
{
    const struct resolved_variant *v = &s->variants[variant];
    struct compile_request request =
        loop_compile_request(l->arena, l->experiment, variant, v, l->device, l->request);
    if (!variant_has(v->spec, LAUNCH_KERNEL)) // a library's: nothing to compile
        return true;
    if (!request.source_path)
        return fail(err, v->spec->at, "variant '%s' has no source", v->spec->name);
    return compile_once(l, s, &request, &s->code[variant], err);
}

static bool has_job(const struct stage *s, int variant)
{
    for (int i = 0; i < s->job_count; i++)
        if (s->jobs[i].variant == variant)
            return true;
    return false;
}

// All variants first: a mistake in the last one shows within a second, not after the others ran.
// false: there are some to run, and none of them can; the first one's reason.
static bool prepare_variants(struct loop *l, struct stage *s, struct error *err)
{
    const struct experiment *e = l->experiment;
    int ready = 0;
    struct error first = {0};
    for (int i = 0; i < e->variant_count; i++) {
        struct error trouble = {0};
        bool resolved = experiment_resolve_variant(&s->arena, e, i, s->point, &l->device->facts,
                                                   &s->variants[i], &trouble) &&
                        libraries_check_case(&s->resolved, &s->variants[i], &trouble);
        bool supported = s->variants[i].supported; // where not, its launches may make no sense
        if (!resolved && supported)
            s->trouble[i] = arena_strdup(l->arena, trouble.message);
        if (!has_job(s, i) || !supported)
            continue;
        l->variant = e->variants[i].name;
        tell_progress(l, "compiling", 0);
        if (resolved && compile_variant(l, s, i, &trouble)) {
            ready += !l->device->simulated || variant_has(&e->variants[i], LAUNCH_KERNEL);
            continue;
        }
        if (cancel_asked()) {
            *err = trouble;
            return false;
        }
        s->trouble[i] = arena_strdup(l->arena, trouble.message);
        s->by_system[i] = trouble.kind == ERROR_SYSTEM;
        if (first.kind == ERROR_NONE)
            first = trouble;
    }
    if (ready > 0 || first.kind == ERROR_NONE)
        return true;
    *err = first;
    return false;
}

/* ---- a case: memory ------------------------------------------------------------------------------- */

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
    if (most > 0 && device_bytes > most)
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

/* ---- a case: data and reference --------------------------------------------------------------------- */

static struct job job_of(struct loop *l, struct stage *s, int variant)
{
    return (struct job){
        .request = l->request,
        .experiment = l->experiment,
        .device = l->device,
        .point = s->point,
        .resolved = &s->resolved,
        .variant = &s->variants[variant],
        .code = &s->code[variant],
        .inputs = &s->inputs,
        .wanted = s->checks ? &s->wanted : NULL,
        .reference = &l->reference,
    };
}

// The kernel whose arguments the reference gets, if it was compiled.
static void give_signature(struct loop *l, struct stage *s, struct job *job)
{
    for (int i = 0; i < l->experiment->variant_count; i++) {
        const struct resolved_variant *v = &s->variants[i];
        if (!variant_has(v->spec, LAUNCH_KERNEL))
            continue;
        if (s->trouble[i] || !s->code[i].bytes || !l->experiment->reference.args_of)
            return;
        *job = job_of(l, s, i);
        for (job->signature = v->launches; job->signature->kind != LAUNCH_KERNEL;)
            job->signature++;
        return;
    }
}

// Of a reference whose rows are computed apart.
static void on_reference(void *context, double share)
{
    struct loop *l = context;
    char phase[48];
    (void)snprintf(phase, sizeof phase, "reference, %.0f %% of its rows", 100 * share);
    tell_phase(l, "reference", phase, 0, &nothing_sampled);
}

// What is right comes from a variant of the experiment, or from files.
static bool prepare_wanted(struct loop *l, struct stage *s, struct error *err)
{
    const struct reference_spec *reference = &l->experiment->reference;
    int variant = reference->variant;
    if (!outputs_share(&s->resolved, &s->inputs, &s->wanted, err))
        return false;
    if (reference->kind == REFERENCE_FILES)
        return reference_read(l->experiment, s->point, &s->resolved, &s->wanted, err);
    if (!s->variants[variant].supported || s->trouble[variant])
        return fail(err, reference->at, "the variant '%s', which is the reference, cannot run%s%s",
                    reference->function, s->trouble[variant] ? ": " : " on this device",
                    s->trouble[variant] ? s->trouble[variant] : "");
    if (!has_job(s, variant) && !compile_variant(l, s, variant, err))
        return false;
    struct job job = job_of(l, s, variant);
    job.wanted = NULL;
    return reference_variant_run(&job, &s->wanted, l->events->cancel, err);
}

static bool prepare_data(struct loop *l, struct stage *s, struct error *err)
{
    const struct loop_request *r = l->request;
    s->seed = r->has_seed ? r->seed : random_seed() >> SEED_SHIFT;
    l->variant = NULL;
    tell_progress(l, "filling buffers", 0);
    if (!buffers_fill(l->experiment, &s->resolved, s->point, s->seed, &s->inputs, err))
        return false;
    // A share of the blocks writes a share of the outputs: nothing to compare.
    bool partial = r->sample_share > 0 && r->sample_share < 1;
    s->checks = !r->no_verify && !partial && l->experiment->reference.kind != REFERENCE_NONE;
    if (!s->checks)
        return true;
    tell_progress(l, "reference", 0);
    if (l->experiment->reference.kind != REFERENCE_CALL)
        return prepare_wanted(l, s, err);
    if (!l->reference.path &&
        !reference_build(l->arena, l->experiment,
                         r->timeout_s > 0 ? r->timeout_s : reference_build_s, &l->reference, err))
        return false;
    struct resolved_reference reference;
    struct job_progress progress = {.call = on_reference, .context = l};
    struct job job = job_of(l, s, 0);
    give_signature(l, s, &job);
    return experiment_resolve_reference(&s->arena, l->experiment, s->point, &l->device->facts,
                                        &reference, err) &&
           outputs_share(&s->resolved, &s->inputs, &s->wanted, err) &&
           reference_job_run(&job, &reference, &s->wanted, &progress, l->events->cancel, err);
}

/* ---- a case: one variant ------------------------------------------------------------------------------ */

// What of a library the variant calls, or NULL.
static const char *library_of(const struct variant_spec *v)
{
    for (int i = 0; i < v->launch_count; i++)
        if (v->launches[i].kind == LAUNCH_LIBRARY)
            return v->launches[i].library->text;
    return NULL;
}

static void name_result(struct loop *l, struct stage *s, int variant, struct result *r)
{
    const struct experiment *e = l->experiment;
    const struct variant_spec *v = &e->variants[variant];
    *r = (struct result){
        .variant = v->name,
        .from = v->from >= 0 ? e->variants[v->from].name : NULL,
        .title = v->title,
        .hypothesis = v->hypothesis,
        .bottleneck = v->bottleneck,
        .library = library_of(v),
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

// "transpose.cu" for files below the experiment's folder, by its whole name or as it was given: the
// same on every machine.
static void relate_files(struct loop *l, struct result *r)
{
    const char *const prefixes[] = {
        arena_printf(l->arena, "%s/", l->experiment->directory),
        arena_printf(l->arena, "%s/", path_dir(l->arena, l->experiment->path))};
    for (int i = 0; i < r->line_count; i++)
        for (size_t k = 0; k < COUNT_OF(prefixes); k++)
            if (str_starts_with(r->lines[i].file, prefixes[k]))
                r->lines[i].file += strlen(prefixes[k]);
}

static bool argument_is_f64(const struct resolved_argument *x)
{
    for (int i = 0; x->kind == ARGUMENT_STRUCT && i < x->fields->count; i++)
        if (argument_is_f64(&x->fields->items[i]))
            return true;
    return x->kind == ARGUMENT_SCALAR && x->type == ELEMENT_F64;
}

static bool uses_f64(const struct resolved_case *c, const struct resolved_variant *v)
{
    for (int i = 0; i < c->buffer_count; i++)
        if (c->buffers[i].type == ELEMENT_F64)
            return true;
    for (int i = 0; i < v->launch_count; i++)
        for (int k = 0; k < v->launches[i].arg_count; k++)
            if (argument_is_f64(&v->launches[i].args[k]))
                return true;
    return false;
}

static bool diagnose_result(struct loop *l, struct stage *s, int variant,
                            const struct job_facts *facts, struct result *r, struct error *err)
{
    if (r->status != RESULT_OK || r->time.provenance == PROVENANCE_ABSENT)
        return true;
    const struct resolved_variant *v = &s->variants[variant];
    const struct resolved_case *c = &s->resolved;
    struct diagnosis_input in = {
        .gpu = l->device->gpu,
        .counters = &r->counters,
        .time_ns = {r->time.summary.median, r->time.provenance},
        .transfers = transfers_of(&r->counters),
        .state = {r->conditions.sm_mhz, r->conditions.power_w, r->conditions.temperature_c,
                  r->conditions.throttled},
        .work_bytes = c->work_bytes,
        .work_flops_f16 = c->work_flops_f16,
        .work_flops_f32 = c->work_flops_f32,
        .work_flops_f64 = c->work_flops_f64,
        .work_flops_tensor = c->work_flops_tensor,
        .lines = r->lines,
        .line_count = r->line_count,
        .time_model = facts->longest >= 0 && facts->time_model.valid ? &facts->time_model : NULL,
        .data_without_f64 = !uses_f64(c, v),
    };
    memcpy(in.work_tensor, c->work_tensor, sizeof in.work_tensor);
    for (int i = 0; i < v->launch_count; i++)
        in.launches += v->launches[i].kind != LAUNCH_ZERO && !v->launches[i].untimed;
    if (facts->longest >= 0 && facts->longest < v->launch_count) {
        const struct resolved_launch *longest = &v->launches[facts->longest];
        in.grid_blocks = (uint64_t)longest->grid[0] * longest->grid[1] * longest->grid[2];
        in.block_threads = (int)(longest->block[0] * longest->block[1] * longest->block[2]);
    }
    r->diagnosed = diagnose(l->arena, &in, &r->diagnosis, err);
    if (r->library) // a yardstick: its code is not ours to mend
        r->diagnosis.finding_count = 0;
    return r->diagnosed || error_context(err, "diagnosing variant '%s'", r->variant);
}

static void identify(struct loop *l, struct stage *s, int variant, char out[33])
{
    work_hash(l->experiment, &s->resolved, &s->variants[variant], &s->code[variant], out);
}

// The other revision, where it does exactly this; NULL = it does not, or there is none.
static const char *same_twin(struct loop *l, struct stage *s, int variant, const struct result *r)
{
    int twin = l->experiment->variants[variant].twin - 1;
    char other[33] = "";
    if (!r->work_hash[0])
        return NULL;
    if (twin >= 0 && has_job(s, twin) && !s->trouble[twin] && s->variants[twin].supported)
        identify(l, s, twin, other);
    if (strcmp(other, r->work_hash) == 0)
        return l->experiment->variants[twin].name;
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
                                l->experiment->variants[variant].requires,
                                s->point->label[0] ? s->point->label : "this case", l->device->id);
        return false;
    }
    if (r->library && l->device->simulated) {
        r->status = RESULT_SKIPPED;
        r->error = arena_printf(l->arena, "not available: '%s' needs a CUDA device", r->library);
        return false;
    }
    identify(l, s, variant, r->work_hash);
    r->same_as = same_twin(l, s, variant, r);
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
    v->loop->variant = v->jobs[job].variant->spec->name;
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
        l->variant = l->experiment->variants[variant].name;
        if (is_cancelled(l, err))
            return false;
        if (!begin_result(l, s, variant, r))
            continue;
        jobs[count] = job_of(l, s, variant);
        facts[count] = &s->facts[variant];
        results[count++] = r;
    }
    struct verifying verifying = {l, jobs};
    struct job_progress progress = {.call = on_verifying, .begin = on_begin, .context = &verifying};
    if (!jobs_run(l->arena, jobs, results, facts, count, &progress, l->events->cancel, err))
        return false;
    for (int i = 0; i < count; i++)
        relate_files(l, results[i]);
    return true;
}

// A measured time has its copies already.
static bool model_transfers(struct loop *l, struct stage *s, int variant, struct result *r,
                            struct error *err)
{
    struct transfers t;
    struct job job = job_of(l, s, variant);
    if (!l->request->with_transfers || is_measured(l) || r->status != RESULT_OK ||
        r->time.provenance == PROVENANCE_ABSENT)
        return true;
    if (!transfers_model(&job, &t, err))
        return false;
    transfers_add(&t, r);
    return true;
}

static bool finish_result(struct loop *l, struct stage *s, int variant, struct result *r,
                          struct error *err)
{
    const struct variant_spec *v = &l->experiment->variants[variant];
    if (!model_transfers(l, s, variant, r, err) ||
        !diagnose_result(l, s, variant, &s->facts[variant], r, err))
        return false;
    judge_result(l->arena, v, v->from >= 0 ? s->results[v->from] : NULL, r);
    take_phases(l, r);
    s->results[variant] = r;
    l->run->result_count++;
    l->jobs_done++;
    return !l->events->result || l->events->result(l->events->context, r, err);
}

/* ---- a case ------------------------------------------------------------------------------------------- */

static void judge_stop(struct loop *l, const struct stage *s)
{
    int count = 0;
    struct stop_input *inputs = xcalloc((size_t)l->experiment->variant_count + 1, sizeof *inputs);
    for (int i = 0; i < l->experiment->variant_count; i++) {
        const struct result *r = s->results[i];
        if (!r || r->status == RESULT_SKIPPED || r->library)
            continue;
        bool timed = r->diagnosed;
        inputs[count++] = (struct stop_input){timed ? r->time.summary.median : (double)NAN,
                                              timed ? r->diagnosis.floor_ns : (double)NAN};
    }
    l->run->stop_reason = diagnose_stop(inputs, count);
    free(inputs);
}

// Each in a process of its own, and told as soon as it is done: a simulated run takes its time.
static bool run_simulated(struct loop *l, struct stage *s, struct error *err)
{
    for (int i = 0; i < s->job_count; i++) {
        struct result *r = &l->run->results[l->run->result_count];
        if (!run_variants(l, s, i, i + 1, r, err) ||
            !finish_result(l, s, s->jobs[i].variant, r, err))
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
            jobs[timed_count] = job_of(l, s, s->jobs[i].variant);
            timed[timed_count++] = &fresh[i];
        }
    struct measuring measuring = {l, jobs, s->job_count};
    struct job_progress progress = {.context = &measuring, .sampled = on_sampled};
    l->variant = NULL;
    tell_progress(l, "warming up", 0);
    return measure_jobs(l->arena, jobs, timed, timed_count, &progress, l->events->cancel, err);
}

// On a real device: all are verified, the verified ones measured, then all are finished in order.
static bool run_real(struct loop *l, struct stage *s, struct error *err)
{
    int done_before = l->jobs_done;
    struct result *fresh = &l->run->results[l->run->result_count];
    if (!run_variants(l, s, 0, s->job_count, fresh, err) ||
        (is_measured(l) && !measure_verified(l, s, fresh, err)))
        return false;
    l->jobs_done = done_before;
    for (int i = 0; i < s->job_count; i++)
        if (!finish_result(l, s, s->jobs[i].variant, &fresh[i], err))
            return false;
    return true;
}

static bool run_stage(struct loop *l, struct stage *s, struct error *err)
{
    const struct experiment *e = l->experiment;
    size_t count = (size_t)e->variant_count + 1;
    s->variants = ARENA_ARRAY(&s->arena, struct resolved_variant, count);
    s->code = ARENA_ARRAY(&s->arena, struct code_object, count);
    s->trouble = ARENA_ARRAY(&s->arena, const char *, count);
    s->by_system = ARENA_ARRAY(&s->arena, bool, count);
    s->results = ARENA_ARRAY(&s->arena, struct result *, count);
    s->facts = ARENA_ARRAY(&s->arena, struct job_facts, count);
    if (!experiment_resolve_case(&s->arena, e, s->point, &l->device->facts, &s->resolved, err))
        return error_context(err, "in case %s", s->point->label);
    if (!check_memory(l, s, err) || !prepare_variants(l, s, err) || !prepare_data(l, s, err))
        return error_context(err, "in case %s", s->point->label);
    if (!(l->device->simulated ? run_simulated(l, s, err) : run_real(l, s, err)))
        return false;
    judge_stop(l, s);
    return true;
}

// The jobs of one case on one device: they share buffers, reference and turns of sampling.
static bool run_jobs(struct loop *l, const struct planned *jobs, int count, struct error *err)
{
    struct stage s = {.jobs = jobs, .job_count = count, .point = jobs->point};
    l->device = jobs->device;
    l->case_label = jobs->point->label;
    bool done = run_stage(l, &s, err);
    outputs_unshare(&s.resolved, &s.inputs, &s.wanted);
    buffers_release(&s.inputs);
    arena_release(&s.arena);
    return done;
}

// How many jobs from this one on are of its case and device.
static int jobs_together(const struct loop *l, int first)
{
    int end = first + 1;
    while (end < l->job_count && l->jobs[end].point == l->jobs[first].point &&
           l->jobs[end].device == l->jobs[first].device)
        end++;
    return end - first;
}

bool loop_run(struct arena *a, const struct loop_request *request, const struct loop_events *events,
              struct run *out, struct error *err)
{
    struct loop l = {
        .arena = a, .request = request, .events = events, .started_ns = clock_ns(), .run = out};
    *out = (struct run){0};
    bool done = plan(&l, err);
    for (int i = 0, count = 0; done && i < l.job_count; i += count) {
        count = jobs_together(&l, i);
        done = run_jobs(&l, &l.jobs[i], count, err);
    }
    reference_release(&l.reference);
    free(l.refused);
    free(l.phases);
    return done;
}
