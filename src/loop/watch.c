// Which buffers a variant changes: a small launch on the simulated GPU, in this process, before and after.
// SPDX-License-Identifier: Apache-2.0
#include "loop/bench.h"
#include "loop/request.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t watch_budget = 200000000; // warp instructions
static const double watch_timeout_s = 20;

static bool compare(struct bench *b, const struct host_buffers *before, bool *changed,
                    struct error *err)
{
    const struct resolved_case *c = b->job->resolved;
    bool done = true;
    for (int i = 0; i < c->buffer_count && done; i++) {
        void *now = xcalloc(b->sizes[i] + 1, 1);
        done = b->device->ops->memory->read(b->device, b->addresses[i], now, b->sizes[i], err);
        changed[i] = done && memcmp(now, before->data[i], b->sizes[i]) != 0;
        free(now);
    }
    return done;
}

static bool run_and_compare(struct bench *b, const struct host_buffers *inputs, bool *changed,
                            struct error *err)
{
    struct device_report report = {0};
    struct device_run_options options = {.timeout_s = watch_timeout_s,
                                         .budget_warp_instructions = watch_budget};
    if (!bench_open(b, err))
        return false;
    for (int i = 0; i < b->job->resolved->buffer_count; i++)
        if (!b->device->ops->memory->write(b->device, b->addresses[i], inputs->data[i], b->sizes[i],
                                           err))
            return false;
    struct device_sequence sequence;
    if (!bench_load(b, err))
        return false;
    sequence = bench_sequence(b);
    return b->device->ops->code->run(b->device, &sequence, &options, b->arena, &report, err) &&
           compare(b, inputs, changed, err);
}

bool loop_watch(struct arena *a, const struct loop_request *request, const struct experiment *e,
                bool *changed, struct error *err)
{
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
    struct compile_request compile = loop_compile_request(a, e, 0, &v, &device, request);
    if (!code_compile(a, &compile, &code, err) || !launch_check_args(&code, &v.launches[0], err) ||
        !buffers_fill(e, &c, &points[0], 1, &inputs, err))
        return false;
    struct job job = {.request = request,
                      .experiment = e,
                      .device = &device,
                      .point = &points[0],
                      .resolved = &c,
                      .variant = &v,
                      .code = &code,
                      .inputs = &inputs};
    struct bench b = {.job = &job, .arena = a};
    bool done = run_and_compare(&b, &inputs, changed, err);
    if (b.device)
        device_close(b.device);
    buffers_release(&inputs);
    return done;
}
