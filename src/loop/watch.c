// Which buffers a variant changes, and how far it reaches into each: a small launch on the simulated GPU, in this
// process, before and after.
// SPDX-License-Identifier: Apache-2.0
#include "loop/bench.h"
#include "loop/job.h"
#include "loop/request.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t watch_budget = 20000000; // warp instructions
static const double watch_threads = 1 << 18, watch_timeout_s = 20;

static bool compare(struct bench *b, const struct host_buffers *before, struct watched *buffers,
                    struct error *err)
{
    const struct resolved_case *c = b->job->resolved;
    bool done = true;
    for (int i = 0; i < c->buffer_count && done; i++) {
        void *now = xcalloc(b->sizes[i] + 1, 1);
        done = b->device->ops->memory->read(b->device, b->addresses[i], now, b->sizes[i], err);
        buffers[i].changed = done && memcmp(now, before->data[i], b->sizes[i]) != 0;
        free(now);
    }
    return done;
}

static void read_problems(const struct device_report *report, struct watch_result *out)
{
    for (int i = 0; i < report->problem_count; i++) {
        const char *kind = report->problems[i].kind;
        out->too_large = out->too_large || strcmp(kind, "budget") == 0;
        out->outside = out->outside || strcmp(kind, "out-of-bounds") == 0;
    }
}

static bool run_and_compare(struct bench *b, const struct host_buffers *inputs,
                            struct watch_result *out, struct error *err)
{
    const int count = b->job->resolved->buffer_count;
    struct device_report report = {0};
    struct device_run_options options = {.timeout_s = watch_timeout_s,
                                         .budget_warp_instructions = watch_budget,
                                         .touched_bytes =
                                             ARENA_ARRAY(b->arena, uint64_t, count + 1)};
    if (!bench_open(b, err))
        return false;
    for (int i = 0; i < count; i++)
        if (!b->device->ops->memory->write(b->device, b->addresses[i], inputs->data[i], b->sizes[i],
                                           err))
            return false;
    struct device_sequence sequence;
    if (!bench_load(b, err))
        return false;
    sequence = bench_sequence(b);
    bool done = b->device->ops->code->run(b->device, &sequence, &options, b->arena, &report, err);
    out->ran = true;
    read_problems(&report, out);
    for (int i = 0; i < count; i++)
        out->buffers[i].touched_bytes = options.touched_bytes[i];
    return done && compare(b, inputs, out->buffers, err);
}

static bool is_small(const struct resolved_launch *l, struct watch_result *out, struct error *err)
{
    out->threads = 1;
    for (int i = 0; i < 3; i++)
        out->threads *= (double)l->grid[i] * l->block[i];
    out->too_large = out->threads > watch_threads;
    return !out->too_large || fail(err, NOWHERE, "the launch has %.0f threads", out->threads);
}

bool loop_watch(struct arena *a, const struct loop_request *request, const struct experiment *e,
                struct watch_result *out, struct error *err)
{
    *out = (struct watch_result){.buffers = ARENA_ARRAY(a, struct watched, e->buffer_count + 1)};
    struct device_info device;
    struct case_point *points = NULL;
    struct resolved_case c;
    struct resolved_variant v;
    struct code_object code;
    struct host_buffers inputs = {0};
    int count = 0;
    if (!device_find(a, "sim:h200", &device, err) ||
        !experiment_cases(a, e, request->overrides, request->override_count, &points, &count,
                          err) ||
        !experiment_resolve_case(a, e, &points[0], &device.facts, &c, err) ||
        !experiment_resolve_variant(a, e, 0, &points[0], &device.facts, &v, err))
        return false;
    int first = 0;
    while (first + 1 < v.launch_count && v.launches[first].kind != LAUNCH_KERNEL)
        first++;
    if (!is_small(&v.launches[first], out, err))
        return false;
    struct compile_request compile = loop_compile_request(a, e, 0, &v, &device, request);
    if (!code_compile(a, &compile, &code, err) ||
        !launch_check_args(&code, &v.launches[first], err) ||
        !buffers_fill(e, &c, &points[0], 1, &inputs, err))
        return false;
    const char *imprecise = honest_precision(a, e, &c, &v, &code);
    if (imprecise) {
        out->precision = launch_kernel(&code, &v.launches[first])->least;
        buffers_release(&inputs);
        return fail(err, NOWHERE, "%s", imprecise);
    }
    struct job job = {.request = request,
                      .experiment = e,
                      .device = &device,
                      .point = &points[0],
                      .resolved = &c,
                      .variant = &v,
                      .code = &code,
                      .inputs = &inputs};
    struct bench b = {.job = &job, .arena = a};
    bool done = run_and_compare(&b, &inputs, out, err);
    if (b.device)
        device_close(b.device);
    buffers_release(&inputs);
    return done;
}
