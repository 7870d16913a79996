// A program's own streams: kernels put on them, regions of them timed and counted. While that is done
// the device works on the program's stream in place of its own.
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cuda.h"

#include <math.h>

static const double ns_per_ms = 1e6;
static const double hold_margin = 1.5;      // the host is not always as fast as it was
static const double hold_most_ns = 2000000; // regions that wait for the device are not held up long
static const uint64_t elapsed_timeout_ns = 600000000000;

// Takes the stream; returns the one to give back.
static void *stream_take(struct cuda_device *c, void *stream)
{
    void *own = c->stream;
    c->stream = stream;
    return own;
}

bool cuda_launch_on(struct device *d, const struct device_sequence *sequence, void *stream,
                    struct error *err)
{
    struct cuda_device *c = (struct cuda_device *)d;
    struct arena a = {0}; // the driver copies the arguments
    struct cuda_launch *launches = NULL;
    bool persists = false;
    for (int i = 0; i < sequence->launch_count; i++)
        persists = persists || sequence->launches[i].launch->persist_bytes > 0;
    if (sequence->memory || persists)
        return fail(
            err, NOWHERE,
            "a variant with 'memory' or 'persist' is run by ridge run, not on a stream of the "
            "program's: that would have to wait for it");
    void *own = stream_take(c, stream);
    bool done = cuda_sequence_begin(c, sequence, err) &&
                cuda_prepare(c, &a, sequence, sequence->addresses, &launches, err) &&
                cuda_arrays_load(c, err) && cuda_enqueue(c, launches, sequence, err) &&
                cuda_arrays_store(c, err);
    c->stream = own;
    arena_release(&a);
    return done;
}

/* ---- timing ------------------------------------------------------------------------------------------ */

static bool enqueue_region(struct cuda_sampling *s, int run, struct error *err)
{
    struct device_region *r = s->context;
    (void)run;
    uint64_t begin_ns = clock_ns();
    if (!r->enqueue(r->context, r->stream, err))
        return false;
    double host_ns = fmax((double)(clock_ns() - begin_ns), 1);
    r->host_ns = r->host_ns > 0 ? fmin(r->host_ns, host_ns) : host_ns;
    return true;
}

bool cuda_measure_region(struct device *d, struct device_region *region,
                         const struct device_run_options *options, int count, double *times_ns,
                         struct error *err)
{
    struct cuda_device *c = (struct cuda_device *)d;
    int runs = (options->batch > 1 ? options->batch : 1) + 1;
    struct cuda_sampling s = {
        .device = c,
        .enqueue = enqueue_region,
        .context = region,
        .options = options,
        .hold_ns = (uint64_t)fmin(hold_margin * runs * region->host_ns, hold_most_ns),
    };
    void *own = stream_take(c, region->stream);
    bool done = cuda_sample(&s, count, times_ns, err);
    c->stream = own;
    return done;
}

bool cuda_mark(struct device *d, void *stream, struct error *err)
{
    struct cuda_device *c = (struct cuda_device *)d;
    return driver_check(&c->cu, c->cu.cuEventRecord(c->start, stream), err,
                        "the region's begin cannot be marked on this stream");
}

bool cuda_elapsed(struct device *d, void *stream, double *time_ns, struct error *err)
{
    struct cuda_device *c = (struct cuda_device *)d;
    float time_ms = 0;
    bool done = driver_check(&c->cu, c->cu.cuEventRecord(c->stop, stream), err,
                             "the region's end cannot be marked on this stream") &&
                cuda_wait_stop(c, clock_ns() + elapsed_timeout_ns, err) &&
                driver_check(&c->cu, c->cu.cuEventElapsedTime(&time_ms, c->start, c->stop), err,
                             "the events give no time");
    *time_ns = (double)time_ms * ns_per_ms;
    return done;
}

/* ---- counting ---------------------------------------------------------------------------------------- */

struct replay {
    struct cuda_device *device;
    const struct device_region *region;
    bool cold;
};

static bool finish(struct cuda_device *c, struct error *err)
{
    return driver_check(&c->cu, c->cu.cuStreamSynchronize(c->stream), err,
                        "a counted region failed on %s", c->head.info->id);
}

static bool replay_pass(void *context, struct error *err)
{
    const struct replay *p = context;
    const struct device_region *r = p->region;
    struct cuda_device *c = p->device;
    return (!r->prepare || r->prepare(r->context, r->stream, err)) &&
           (!p->cold || cuda_flush(c, err)) && finish(c, err) &&
           c->dialect->counting->begin(c->counting, 0, err) &&
           r->enqueue(r->context, r->stream, err) && finish(c, err) &&
           c->dialect->counting->end(c->counting, err);
}

bool cuda_count_region(struct device *d, const struct device_region *region, bool cold,
                       struct counters *out, struct error *err)
{
    struct cuda_device *c = (struct cuda_device *)d;
    struct replay pass = {c, region, cold};
    void *own = stream_take(c, region->stream);
    const struct cuda_counting *tool = c->dialect->counting;
    bool done = (c->counting || tool->open(c, &c->counting, err)) &&
                tool->count(c->counting, replay_pass, &pass, 1, out, err);
    c->stream = own;
    return done;
}
