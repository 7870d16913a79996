// OpenCL devices of any vendor (libOpenCL.so.1, opened at run time; see opencl.def). The loop uses one in
// worker processes: a CPU's kernel that writes where no memory is ends its process.
// SPDX-License-Identifier: Apache-2.0
#include "device/opencl/opencl.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct device_ops opencl_device_ops;

static struct opencl_device *own(struct device *d)
{
    return (struct opencl_device *)d;
}

/* ---- opening --------------------------------------------------------------------------------------- */

static bool open_queue(struct opencl_device *c, int ordinal, struct error *err)
{
    struct opencl_handle h;
    int status = CL_DONE;
    const char *id = c->head.info->id;
    if (!opencl_handle_at(&c->cl, ordinal, &h, err))
        return false;
    c->device = h.device;
    intptr_t properties[] = {CL_CONTEXT_PLATFORM, (intptr_t)h.platform, 0};
    c->context = c->cl.clCreateContext(properties, 1, &c->device, NULL, NULL, &status);
    if (!opencl_check(status, err, "%s cannot be used", id))
        return false;
    c->queue =
        c->cl.clCreateCommandQueue(c->context, c->device, CL_QUEUE_PROFILING_ENABLE, &status);
    return opencl_check(status, err, "no queue on %s", id);
}

static void opencl_close(struct device *d)
{
    struct opencl_device *c = own(d);
    if (c->queue)
        (void)c->cl.clFinish(c->queue);
    opencl_memory_close(c);
    if (c->sweep)
        (void)c->cl.clReleaseKernel(c->sweep);
    if (c->sweep_memory)
        (void)c->cl.clReleaseMemObject(c->sweep_memory);
    for (size_t i = 0; i < c->programs.count; i++)
        (void)c->cl.clReleaseProgram(c->programs.items[i]);
    free(c->programs.items);
    if (c->queue)
        (void)c->cl.clReleaseCommandQueue(c->queue);
    if (c->context)
        (void)c->cl.clReleaseContext(c->context);
    arena_release(&c->arena);
    free(c);
}

static bool opencl_open(const struct device_info *info, struct device **out, struct error *err)
{
    struct opencl_device *c = xcalloc(1, sizeof *c);
    const char *colon = strchr(info->id, ':');
    c->head = (struct device){.ops = &opencl_device_ops, .info = info};
    int ordinal = colon ? atoi(colon + 1) : 0; // NOLINT(cert-err34-c): device_find made it
    if (!opencl_load(&c->cl, err) || !open_queue(c, ordinal, err)) {
        opencl_close(&c->head);
        return false;
    }
    *out = &c->head;
    return true;
}

static bool opencl_load_code(struct device *d, const struct code_object *code,
                             struct device_module **out, struct error *err)
{
    struct opencl_device *c = own(d);
    struct device_module *m = ARENA_NEW(&c->arena, struct device_module);
    m->source = arena_strdup(&c->arena, code->source);
    if (code->format != CODE_OPENCL)
        return fail(err, (struct location){.file = code->source},
                    "an OpenCL device takes OpenCL C (.cl), and this is a %s",
                    code_format_name(code->format));
    if (!opencl_build(&c->cl, c->context, c->device, code->bytes, m->source, &m->program, err))
        return false;
    VEC_PUSH(c->programs.items, c->programs.count, c->programs.capacity, m->program);
    code_copy_kernels(&c->arena, code, &m->kernels, &m->kernel_count);
    *out = m;
    return true;
}

/* ---- one run ----------------------------------------------------------------------------------------- */

// What is known of a launch without counters.
static void take_attributes(struct opencl_device *c, const struct opencl_launch *l,
                            struct counters *s)
{
    const struct resolved_launch *r = l->given->launch;
    uint64_t local_bytes = 0; // arguments included
    counters_set(s, COUNTER_BLOCK_THREADS, (double)r->block[0] * r->block[1] * r->block[2],
                 PROVENANCE_MEASURED);
    counters_set(s, COUNTER_GRID_BLOCKS, (double)r->grid[0] * r->grid[1] * r->grid[2],
                 PROVENANCE_MEASURED);
    if (c->cl.clGetKernelWorkGroupInfo(l->kernel, c->device, CL_KERNEL_LOCAL_MEM_SIZE,
                                       sizeof local_bytes, &local_bytes, NULL) == CL_DONE)
        counters_set(s, COUNTER_SHARED_BYTES_PER_BLOCK, (double)local_bytes, PROVENANCE_MEASURED);
}

static bool run_step(struct opencl_device *c, const struct opencl_launch *l,
                     struct device_step *step, struct error *err)
{
    const struct opencl *cl = &c->cl;
    void *event = NULL;
    int status = CL_COMPLETE;
    double time_ns = 0;
    struct error no_time = {0};
    if (!opencl_enqueue(c, l, NULL, &event, err))
        return false;
    int waited = cl->clWaitForEvents(1, &event);
    if (cl->clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status,
                           NULL) != CL_DONE ||
        status > CL_COMPLETE)
        status = waited;
    bool done = opencl_check(status < 0 ? status : waited, err, "%s '%s' failed on %s",
                             l->kernel ? "kernel" : "step", l->name, c->head.info->id);
    if (done && opencl_between(cl, event, event, &time_ns, &no_time))
        step->time_ns = (struct figure){time_ns, PROVENANCE_MEASURED};
    (void)cl->clReleaseEvent(event);
    if (done && l->kernel)
        take_attributes(c, l, &step->counters);
    return done;
}

static bool run_steps(struct opencl_device *c, const struct opencl_launch *launches, int count,
                      struct arena *a, struct device_report *report, struct error *err)
{
    bool first = true;
    for (int i = 0; i < count; i++) {
        struct device_step *step = &report->steps[report->step_count++];
        step->kernel = arena_strdup(a, launches[i].name);
        step->kind = launches[i].given->kind;
        step->untimed = launches[i].given->launch->untimed;
        if (!run_step(c, &launches[i], step, err))
            return false;
        if (!launches[i].kernel || step->untimed)
            continue;
        counters_accumulate(&report->counters, &step->counters, first);
        first = false;
    }
    return true;
}

static bool opencl_run(struct device *d, const struct device_sequence *sequence,
                       const struct device_run_options *options, struct arena *a,
                       struct device_report *report, struct error *err)
{
    struct opencl_device *c = own(d);
    struct opencl_launch *launches = NULL;
    struct capture out;
    *report = (struct device_report){.l2_warm = options->cold ? 0 : 1};
    report->steps = ARENA_ARRAY(a, struct device_step, sequence->launch_count + 1);
    if (!opencl_prepare(c, a, sequence, sequence->addresses, &launches, err))
        return false;
    if (options->count)
        report_note(a, report, "no hardware counters: OpenCL has none");
    capture_begin(&out, STDOUT_FILENO);
    bool done = (!options->cold || !options->count || opencl_flush(c, NULL, err)) &&
                run_steps(c, launches, sequence->launch_count, a, report, err);
    report->printed = capture_end(&out, a);
    opencl_launches_release(c, launches, sequence->launch_count);
    return done;
}

static const struct device_code_ops code_ops = {.load = opencl_load_code, .run = opencl_run};
static const struct device_clock_ops clock_ops = {.measure = opencl_measure};
static const struct device_ops opencl_device_ops = {
    .open = opencl_open,
    .close = opencl_close,
    .memory = &opencl_memory_ops,
    .code = &code_ops,
    .clock = &clock_ops,
};
const struct device_backend backend_opencl = {.name = "opencl",
                                              .ops = &opencl_device_ops,
                                              .list = opencl_list,
                                              .find = opencl_find,
                                              .parts = opencl_parts,
                                              .source_ending = ".cl",
                                              .compile = opencl_compile};
