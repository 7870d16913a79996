// Times by the events of an OpenCL queue. A sample:
//     gate  sweep  run run … run
// The gate is an event of the host's: nothing begins before all is queued, so that the host's speed is in no
// sample. A sample's time is from the first run's start to the last one's end by the device's clock; steps
// that are not timed lie between such parts.
// SPDX-License-Identifier: Apache-2.0
#include "device/opencl/opencl.h"

#include <time.h>

static const double ns_per_s = 1e9, default_timeout_s = 600;
static const uint64_t spin_ns = 20000000; // wait busily so long, then sleep between looks
static const long nap_ns = 200000;

struct timing {
    struct opencl_device *device;
    const struct device_sequence *sequence;
    const struct device_run_options *options;
    struct arena arena;
    struct opencl_launch **runs; // a batch's: the same launches, each on its set of buffers
    void **events;               // of the sample's launches
    int batch, event_count;
    uint64_t deadline_ns;
};

bool opencl_between(const struct opencl *cl, void *first, void *last, double *time_ns,
                    struct error *err)
{
    uint64_t start_ns = 0, end_ns = 0;
    bool done = opencl_check(cl->clGetEventProfilingInfo(first, CL_PROFILING_COMMAND_START,
                                                         sizeof start_ns, &start_ns, NULL),
                             err, "the events give no time") &&
                opencl_check(cl->clGetEventProfilingInfo(last, CL_PROFILING_COMMAND_END,
                                                         sizeof end_ns, &end_ns, NULL),
                             err, "the events give no time");
    *time_ns = end_ns > start_ns ? (double)(end_ns - start_ns) : 0;
    return done;
}

/* ---- sets of buffers -------------------------------------------------------------------------------- */

// The address of the buffer in a set: set 0 is the buffer itself. The table of buffers may move.
static bool twin_of(struct opencl_device *c, uint64_t address, size_t set, uint64_t *out,
                    struct error *err)
{
    size_t offset = 0;
    struct opencl_buffer *b = opencl_buffer_at(c, address, &offset);
    *out = address;
    while (b && b->twins.count < set) {
        uint64_t twin = 0;
        const char *name = arena_printf(&c->arena, "one more of %s", b->name);
        if (!opencl_grab(c, name, b->size_bytes, &twin, err))
            return false;
        b = opencl_buffer_at(c, address, &offset);
        if (b)
            VEC_PUSH(b->twins.items, b->twins.count, b->twins.capacity, twin);
    }
    if (b && set > 0)
        *out = b->twins.items[set - 1];
    return true;
}

// The set's buffers hold what the first ones do.
static bool fill_set(struct timing *t, const uint64_t *addresses, struct error *err)
{
    struct opencl_device *c = t->device;
    const struct device_sequence *s = t->sequence;
    for (int i = 0; i < s->buffer_count; i++) {
        size_t offset = 0;
        const struct opencl_buffer *from = opencl_buffer_at(c, s->addresses[i], &offset);
        const struct opencl_buffer *to = opencl_buffer_at(c, addresses[i], &offset);
        if (!from || !to || from == to || from->size_bytes == 0)
            continue;
        if (!opencl_check(c->cl.clEnqueueCopyBuffer(c->queue, from->memory, to->memory, 0, 0,
                                                    from->size_bytes, 0, NULL, NULL),
                          err, "cannot copy %s", from->name))
            return false;
    }
    return true;
}

static bool prepare_runs(struct timing *t, struct error *err)
{
    const struct device_sequence *s = t->sequence;
    bool cold = t->options->cold && t->batch > 1;
    t->runs = ARENA_ARRAY(&t->arena, struct opencl_launch *, t->batch + 1);
    t->events = ARENA_ARRAY(&t->arena, void *, t->batch * s->launch_count + 1);
    for (int run = 0; run < t->batch; run++) {
        uint64_t *addresses = ARENA_ARRAY(&t->arena, uint64_t, s->buffer_count + 1);
        for (int i = 0; i < s->buffer_count; i++)
            if (!twin_of(t->device, s->addresses[i], cold ? (size_t)run : 0, &addresses[i], err))
                return false;
        if ((cold && !fill_set(t, addresses, err)) ||
            !opencl_prepare(t->device, &t->arena, s, addresses, &t->runs[run], err))
            return false;
    }
    return true;
}

static void release_events(struct timing *t)
{
    for (int i = 0; i < t->event_count; i++)
        if (t->events[i])
            (void)t->device->cl.clReleaseEvent(t->events[i]);
    t->event_count = 0;
}

static void release_runs(struct timing *t)
{
    release_events(t);
    for (int run = 0; t->runs && run < t->batch; run++)
        if (t->runs[run])
            opencl_launches_release(t->device, t->runs[run], t->sequence->launch_count);
    arena_release(&t->arena);
}

/* ---- a sample ------------------------------------------------------------------------------------------ */

static bool enqueue_run(struct timing *t, int run, void **gate, bool timed, struct error *err)
{
    for (int i = 0; i < t->sequence->launch_count; i++) {
        void **event = timed ? &t->events[t->event_count] : NULL;
        if (!opencl_enqueue(t->device, &t->runs[run][i], *gate, event, err))
            return false;
        t->event_count += timed;
        *gate = NULL; // the queue keeps the order
    }
    return true;
}

// Warm: a run that is not timed leaves the caches as the timed ones find them.
static bool enqueue_sample(struct timing *t, void *gate, struct error *err)
{
    if (t->options->cold ? !opencl_flush(t->device, gate, err)
                         : !enqueue_run(t, 0, &gate, false, err))
        return false;
    gate = NULL;
    for (int run = 0; run < t->batch; run++)
        if (!enqueue_run(t, run, &gate, true, err))
            return false;
    return opencl_check(t->device->cl.clFlush(t->device->queue), err, "cannot start the queue");
}

// Looks until the event has come: an endless kernel must not make us wait without end.
static bool wait_event(const struct timing *t, void *event, struct error *err)
{
    uint64_t begin_ns = clock_ns();
    int status = 1;
    for (;;) {
        if (!opencl_check(t->device->cl.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                                       sizeof status, &status, NULL),
                          err, "a timed run cannot be waited for"))
            return false;
        if (status <= CL_COMPLETE)
            return opencl_check(status, err, "a timed run failed on %s", t->device->head.info->id);
        uint64_t now_ns = clock_ns();
        if (now_ns > t->deadline_ns)
            return fail_as(err, ERROR_CHECK, NOWHERE,
                           "a timed run did not end in time and was stopped; --timeout gives it "
                           "more");
        if (now_ns - begin_ns > spin_ns)
            nanosleep(&(struct timespec){.tv_nsec = nap_ns}, NULL);
    }
}

// The sum over the parts that are timed: runs of launches without an untimed one between them.
static bool sum_parts(const struct timing *t, double *time_ns, struct error *err)
{
    int per_run = t->sequence->launch_count;
    *time_ns = 0;
    for (int i = 0; i < t->event_count;) {
        int end = i;
        while (end < t->event_count && !t->sequence->launches[end % per_run].launch->untimed)
            end++;
        double part_ns = 0;
        if (end > i &&
            !opencl_between(&t->device->cl, t->events[i], t->events[end - 1], &part_ns, err))
            return false;
        *time_ns += part_ns;
        i = end + 1;
    }
    return true;
}

static bool sample(struct timing *t, double *time_ns, struct error *err)
{
    const struct opencl *cl = &t->device->cl;
    int status = CL_DONE;
    static const int abandoned = -1;
    void *gate = cl->clCreateUserEvent(t->device->context, &status);
    if (!opencl_check(status, err, "no event"))
        return false;
    bool queued = enqueue_sample(t, gate, err);
    // What waits for it would wait for ever.
    status = cl->clSetUserEventStatus(gate, queued ? CL_COMPLETE : abandoned);
    bool done = queued && opencl_check(status, err, "cannot start a timed run") &&
                (t->event_count == 0 || wait_event(t, t->events[t->event_count - 1], err)) &&
                sum_parts(t, time_ns, err);
    (void)cl->clReleaseEvent(gate);
    release_events(t);
    *time_ns /= t->batch;
    return done;
}

bool opencl_measure(struct device *d, const struct device_sequence *sequence,
                    const struct device_run_options *options, int count, double *times_ns,
                    struct error *err)
{
    double timeout_s = options->timeout_s > 0 ? options->timeout_s : default_timeout_s;
    struct timing t = {.device = (struct opencl_device *)d,
                       .sequence = sequence,
                       .options = options,
                       .batch = options->batch > 1 ? options->batch : 1,
                       .deadline_ns = clock_ns() + (uint64_t)(timeout_s * ns_per_s)};
    bool done = prepare_runs(&t, err);
    for (int i = 0; i < count && done; i++)
        done = sample(&t, &times_ns[i], err);
    release_runs(&t);
    return done;
}
