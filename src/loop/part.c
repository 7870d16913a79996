// A share of a case on one device: resolved and filled here, run and timed in a worker process that writes its
// outputs into memory that both share.
// SPDX-License-Identifier: Apache-2.0
#include "loop/part.h"
#include "loop/bench.h"
#include "loop/request.h"
#include "loop/stage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the whole ------------------------------------------------------------------------------------ */

struct whole_state {
    struct loop loop;
    struct stage stage;
    struct run run;
    struct loop_request request;
};

// The jobs of the last case: the variant, and its baseline's.
static void take_last_case(struct whole_state *s)
{
    const struct plan *p = &s->loop.plan;
    int first = 0;
    for (int i = 0; i < p->job_count; i += plan_jobs_together(p, i))
        first = i;
    s->stage = (struct stage){.jobs = &p->jobs[first],
                              .job_count = plan_jobs_together(p, first),
                              .point = p->jobs[first].point};
    s->loop.device = p->jobs[first].device;
    s->loop.progress.case_label = s->stage.point->label;
}

bool whole_open(struct arena *a, const struct loop_request *request,
                const struct loop_events *events, struct whole *out, struct error *err)
{
    struct whole_state *s = xcalloc(1, sizeof *s);
    *out = (struct whole){.request = &s->request, .state = s};
    s->request = *request;
    s->request.divided = true;
    s->loop = (struct loop){.arena = a, .request = &s->request, .events = events, .run = &s->run};
    s->loop.progress = (struct progress){.arena = a, .events = events, .started_ns = clock_ns()};
    if (!plan_make(a, &s->request, &s->loop.plan, err))
        return false;
    take_last_case(s);
    if (!stage_prepare(&s->loop, &s->stage, err))
        return false;
    out->experiment = s->loop.plan.experiment;
    for (int i = 0; i < out->experiment->variant_count; i++)
        if (strcmp(out->experiment->variants[i].name, s->request.variants[0]) == 0)
            out->variant = i;
    out->point = s->stage.point;
    out->resolved = &s->stage.resolved;
    out->inputs = &s->stage.inputs;
    out->wanted = s->stage.checks ? &s->stage.wanted : NULL;
    out->seed = s->stage.seed;
    return true;
}

void whole_close(struct whole *w)
{
    if (!w->state)
        return;
    stage_release(&w->state->stage);
    reference_release(&w->state->loop.reference);
    progress_release(&w->state->loop.progress);
    free(w->state->loop.refused);
    free(w->state);
    w->state = NULL;
}

void whole_check(const struct whole *w, struct arena *a, const struct host_buffers *got,
                 const char **wrong)
{
    struct output_difference worst;
    *wrong = NULL;
    if (w->wanted && !outputs_compare(w->experiment, w->resolved, got, w->wanted, &worst))
        *wrong = difference_describe(a, w->resolved, NULL, &worst);
}

/* ---- a part, here ---------------------------------------------------------------------------------- */

static bool resolve_part(struct arena *a, const struct whole *w, const struct device_info *device,
                         const struct part_range *r, struct case_point *point,
                         struct resolved_case *out, struct error *err)
{
    experiment_part_point(a, w->experiment, w->point, r, point);
    return experiment_resolve_case(a, w->experiment, point, &device->facts, out, err);
}

bool part_bytes(const struct whole *w, const struct device_info *device, const struct part_range *r,
                uint64_t *out, struct error *err)
{
    struct arena a = {0};
    struct case_point point;
    struct resolved_case c;
    bool done = resolve_part(&a, w, device, r, &point, &c, err);
    *out = 0;
    for (int i = 0; done && i < c.buffer_count; i++)
        *out += c.buffers[i].size_bytes;
    arena_release(&a);
    return done;
}

bool part_open(const struct whole *w, const struct resolved_split *split,
               const struct device_info *device, const struct part_range *range, struct part *out,
               struct error *err)
{
    *out = (struct part){.whole = w, .device = device, .range = *range};
    struct arena *a = &out->arena;
    const struct experiment *e = w->experiment;
    if (!resolve_part(a, w, device, range, &out->point, &out->resolved, err) ||
        !experiment_resolve_variant(a, e, w->variant, &out->point, &device->facts, &out->variant,
                                    err))
        return false;
    if (!out->variant.supported)
        return fail(err, NOWHERE, "variant '%s' requires %s, which does not hold on %s with %s",
                    e->variants[w->variant].name, e->variants[w->variant].requires, device->id,
                    out->point.label);
    struct compile_request q =
        loop_compile_request(a, e, w->variant, &out->variant, device, w->request);
    return code_compile(a, &q, &out->code, err) &&
           part_fill(e, split, w->resolved, w->inputs, range, &out->resolved, &out->point, w->seed,
                     &out->inputs, err) &&
           outputs_share(&out->resolved, &out->inputs, &out->outputs, err);
}

bool part_expect(const struct whole *w, const struct device_info *device,
                 const struct part_range *range, struct part *out, struct error *err)
{
    *out = (struct part){.whole = w, .device = device, .range = *range, .elsewhere = true};
    if (!resolve_part(&out->arena, w, device, range, &out->point, &out->resolved, err))
        return false;
    int count = out->resolved.buffer_count;
    out->outputs = (struct host_buffers){xcalloc((size_t)count + 1, sizeof(void *)), count};
    for (int i = 0; i < count; i++)
        if (out->resolved.buffers[i].output)
            out->outputs.data[i] = xcalloc(out->resolved.buffers[i].size_bytes + 1, 1);
    return true;
}

void part_close(struct part *p)
{
    if (p->elsewhere) {
        buffers_release(&p->outputs);
        arena_release(&p->arena);
        return;
    }
    outputs_unshare(&p->resolved, &p->inputs, &p->outputs);
    part_release(p->whole->experiment, &p->inputs);
    arena_release(&p->arena);
}

/* ---- in the worker ------------------------------------------------------------------------------------ */

// First byte of a message.
enum message { MESSAGE_ERROR = 'E', MESSAGE_TIME = 'T' };

struct part_job {
    struct part *part;
    struct job job;
};

static bool read_outputs(struct bench *b, const struct host_buffers *out, struct error *err)
{
    const struct resolved_case *c = b->job->resolved;
    for (int i = 0; i < c->buffer_count; i++)
        if (c->buffers[i].output && !b->device->ops->memory->read(b->device, b->addresses[i],
                                                                  out->data[i], b->sizes[i], err))
            return false;
    return true;
}

// A chip whose file lacks what the model of time needs: by the data sheet's rates, and what launches take.
static void time_by_bounds(const struct bench *b, const struct device_report *report,
                           struct part_time *out)
{
    const struct diagnosis_input in = {.gpu = b->job->device->gpu, .counters = &report->counters};
    double time_ns = in.gpu ? diagnose_code_floor(&in) : (double)NAN;
    for (int i = 0; i < report->step_count && in.gpu; i++)
        if (report->steps[i].kind == LAUNCH_KERNEL && !report->steps[i].untimed)
            time_ns += GPU(in.gpu, grid_launch_ns);
    if (time_ns > 0)
        *out = (struct part_time){.ns = {time_ns, PROVENANCE_MODELLED}, .by_bounds = true};
}

// The clock's median of a few runs: enough for a share, whose granule is coarser than their noise.
static bool time_by_clock(struct bench *b, struct part_time *out, struct error *err)
{
    enum { WARM_UP = 2, SAMPLES = 7 };
    double times[WARM_UP + SAMPLES];
    struct device_sequence sequence = bench_sequence(b);
    struct device_run_options options = {
        .timeout_s = job_timeout_s(b->job->request), .cold = !b->job->request->warm, .batch = 1};
    if (!bench_write(b, err) || !b->device->ops->clock->measure(b->device, &sequence, &options,
                                                                WARM_UP + SAMPLES, times, err))
        return false;
    struct summary s = stats_summary(times + WARM_UP, SAMPLES);
    *out = (struct part_time){.ns = {s.median, PROVENANCE_MEASURED}, .noise = s.stddev / s.mean};
    return true;
}

static bool run_once(struct bench *b, const struct host_buffers *outputs, struct part_time *out,
                     struct error *err)
{
    struct device_report report = {0};
    bool simulated = b->job->device->simulated;
    if (!bench_open(b, err) || !bench_load(b, err) || !bench_write(b, err) ||
        !bench_run(b, true, simulated, &report, err))
        return false;
    if (report.problem_count > 0)
        return fail_as(err, ERROR_CHECK, NOWHERE, "%s", report.problems[0].message);
    if (!read_outputs(b, outputs, err))
        return false;
    if (!simulated)
        return time_by_clock(b, out, err);
    *out = (struct part_time){.ns = report.time_ns};
    if (report.time_ns.provenance == PROVENANCE_ABSENT)
        time_by_bounds(b, &report, out);
    return true;
}

static int part_body(void *context, int fd)
{
    const struct part_job *p = context;
    struct arena a = {0};
    struct error err = {0};
    struct part_time time = {0};
    struct bench b = {.job = &p->job, .arena = &a, .fd = fd};
    worker_own_crashes();
    bool done = run_once(&b, &p->part->outputs, &time, &err);
    bool sent = done ? worker_send_kind(fd, MESSAGE_TIME, &time, sizeof time)
                     : worker_send_kind(fd, MESSAGE_ERROR, &err, sizeof err);
    return sent ? 0 : 1;
}

/* ---- in the parent --------------------------------------------------------------------------------- */

struct inbox {
    struct part_time time;
    struct error err;
    bool done;
};

static void take_message(void *context, const char *data, size_t size_bytes)
{
    struct inbox *box = context;
    if (size_bytes == 1 + sizeof box->time && data[0] == MESSAGE_TIME) {
        memcpy(&box->time, data + 1, sizeof box->time);
        box->done = true;
    } else if (size_bytes == 1 + sizeof box->err && data[0] == MESSAGE_ERROR) {
        memcpy(&box->err, data + 1, sizeof box->err);
    }
}

struct job part_job(const struct part *p, const struct loop_request *request)
{
    return (struct job){.request = request,
                        .experiment = p->whole->experiment,
                        .device = p->device,
                        .point = &p->point,
                        .resolved = &p->resolved,
                        .variant = &p->variant,
                        .code = &p->code,
                        .inputs = &p->inputs,
                        .seed = p->whole->seed};
}

struct part_run {
    struct part *part;
    struct loop_request request;
    struct part_job context;
    struct inbox box;
    struct worker_spec spec;
    struct worker *worker;
};

struct part_run *part_start(struct part *p, int threads, const volatile bool *cancel,
                            struct error *err)
{
    struct part_run *r = xcalloc(1, sizeof *r);
    r->part = p;
    r->request = *p->whole->request;
    r->context = (struct part_job){p, part_job(p, &r->request)};
    r->spec = (struct worker_spec){.body = part_body,
                                   .context = &r->context,
                                   .timeout_s = job_timeout_s(&r->request),
                                   .on_message = take_message,
                                   .message_context = &r->box,
                                   .cancel = cancel};
    if (r->request.threads == 0)
        r->request.threads = threads;
    r->worker = worker_start(&r->spec, err);
    if (r->worker)
        return r;
    free(r);
    return NULL;
}

struct worker *part_worker(const struct part_run *r)
{
    return r->worker;
}

static bool part_outcome(struct part_run *r, const struct worker_result *w, bool *lost,
                         struct error *err)
{
    struct part *p = r->part;
    if (w->end == WORKER_CANCELLED)
        return fail_cancelled(err);
    p->time = r->box.time;
    if (r->box.done)
        return true;
    if (r->box.err.kind != ERROR_NONE)
        *err = r->box.err; // the worker's, as it was
    else
        (void)fail_as(err, ERROR_SYSTEM, NOWHERE, "%s",
                      worker_describe_end(&p->arena, p->device->id, w, r->spec.timeout_s));
    *lost = err->kind == ERROR_SYSTEM;
    return false;
}

bool part_finish(struct part_run *r, bool *lost, struct error *err)
{
    struct worker_result w;
    *lost = false;
    bool done = worker_finish(r->worker, &w, err) && part_outcome(r, &w, lost, err);
    free(r);
    return done;
}

bool part_run(struct part *p, int threads, const volatile bool *cancel, bool *lost,
              struct error *err)
{
    struct part_run *r = part_start(p, threads, cancel, err);
    *lost = false;
    if (!r)
        return false;
    struct worker *worker = part_worker(r);
    while (!worker_ended(worker))
        workers_wait(&worker, 1);
    return part_finish(r, lost, err);
}
