// Time on the device's own clock. A sample lies between two events in one stream:
//     hold  sweep  START  run run … run  STOP
// The hold kernel spins until the host has queued all the rest, so that the host's speed is in no
// sample; the sweep (cold caches) is over before START. Several runs a sample (a batch) make the
// events' own cost small beside what is measured; cold, each of them has its own set of buffers.
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cuda.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

static const double ns_per_s = 1e9, ns_per_ms = 1e6;
static const double default_timeout_s = 600;
static const uint64_t hold_base_ns = 20000, hold_launch_ns = 4000; // the host's time to queue one
static const uint64_t spin_ns = 20000000; // wait busily so long, then sleep between looks
static const long nap_ns = 200000;
enum { HELD_BATCH_MAX = 64 }; // longer batches outlast the host's queueing, and the queue's room

struct timing { // of a sequence
    struct cuda_device *device;
    const struct device_sequence *sequence;
    const struct device_run_options *options;
    struct arena arena;
    struct cuda_launch **runs; // a batch's: the same launches, each on its set of buffers
    void **graphs;             // … as graphs; NULL = they are launched one by one
    void **marks;              // events around the parts that are timed; NULL = all is
    int mark_count;
    int batch;
};

/* ---- sets of buffers -------------------------------------------------------------------------------- */

// The address of the buffer in a set: set 0 is the buffer itself.
static bool twin_of(struct cuda_device *c, uint64_t address, size_t set, uint64_t *out,
                    struct error *err)
{
    struct allocation *x = cuda_find_allocation(c, address);
    *out = address;
    if (set == 0 || !x)
        return true;
    while (x->twins.count < set) {
        uint64_t twin = 0;
        if (!cuda_grab(c, arena_printf(&c->arena, "one more of buffer '%s'", x->name),
                       x->size_bytes, &twin, err))
            return false;
        VEC_PUSH(x->twins.items, x->twins.count, x->twins.capacity, twin);
    }
    *out = x->twins.items[set - 1];
    return true;
}

// All sets hold what the first does.
static bool fill_twins(struct timing *t, struct error *err)
{
    struct cuda_device *c = t->device;
    for (int i = 0; i < t->sequence->buffer_count; i++) {
        struct allocation *x = cuda_find_allocation(c, t->sequence->addresses[i]);
        for (size_t set = 1; x && set < (size_t)t->batch && set <= x->twins.count; set++)
            if (!driver_check(&c->cu,
                              c->cu.cuMemcpyDtoDAsync_v2(x->twins.items[set - 1], x->address,
                                                         x->size_bytes, c->stream),
                              err, "cannot copy buffer '%s'", x->name))
                return false;
    }
    return true;
}

static bool make_graphs(struct timing *t, struct error *err)
{
    t->graphs = ARENA_ARRAY(&t->arena, void *, t->batch);
    for (int run = 0; run < t->batch; run++)
        if (!cuda_graph_make(t->device, t->runs[run], t->sequence, &t->graphs[run], err))
            return false;
    return true;
}

static bool is_untimed(const struct device_sequence *s, int launch)
{
    return s->launches[launch].launch->untimed;
}

// An event where a timed part begins and one where it ends.
static bool make_marks(struct timing *t, struct error *err)
{
    const struct device_sequence *s = t->sequence;
    int count = 0;
    bool any = false, inside = false;
    for (int i = 0; i < s->launch_count; i++) {
        any = any || is_untimed(s, i);
        count += inside == is_untimed(s, i);
        inside = !is_untimed(s, i);
    }
    count += inside;
    if (!any)
        return true;
    t->marks = ARENA_ARRAY(&t->arena, void *, count);
    for (; t->mark_count < count; t->mark_count++)
        if (!driver_check(&t->device->cu, t->device->cu.cuEventCreate(&t->marks[t->mark_count], 0),
                          err, "no event"))
            return false;
    return true;
}

static bool prepare_runs(struct timing *t, struct error *err)
{
    const struct device_sequence *s = t->sequence;
    bool cold = t->options->cold && t->batch > 1;
    t->runs = ARENA_ARRAY(&t->arena, struct cuda_launch *, t->batch + 1);
    if (!cuda_sequence_begin(t->device, s, err))
        return false;
    for (int run = 0; run < t->batch; run++) {
        uint64_t *addresses = ARENA_ARRAY(&t->arena, uint64_t, s->buffer_count + 1);
        for (int i = 0; i < s->buffer_count; i++)
            if (!twin_of(t->device, s->addresses[i], cold ? (size_t)run : 0, &addresses[i], err))
                return false;
        if (!cuda_prepare(t->device, &t->arena, s, addresses, &t->runs[run], err))
            return false;
    }
    return (!cold || fill_twins(t, err)) && cuda_sequence_load(t->device, err) &&
           (!s->graph || make_graphs(t, err)) && make_marks(t, err);
}

static void release_runs(struct timing *t)
{
    for (int i = 0; t->graphs && i < t->batch; i++)
        cuda_graph_release(t->device, t->graphs[i]);
    for (int i = 0; i < t->mark_count; i++)
        (void)t->device->cu.cuEventDestroy_v2(t->marks[i]);
    arena_release(&t->arena);
}

/* ---- samples -------------------------------------------------------------------------------------- */

static bool hold(struct cuda_device *c, uint64_t duration_ns, struct error *err)
{
    void *args[] = {&duration_ns};
    return driver_check(&c->cu,
                        c->cu.cuLaunchKernel(c->hold, 1, 1, 1, 1, 1, 1, 0, c->stream, args, NULL),
                        err, "cannot hold the stream");
}

// Looks until the event has come: an endless kernel must not make us wait without end.
bool cuda_wait_stop(struct cuda_device *c, uint64_t deadline_ns, struct error *err)
{
    uint64_t begin_ns = clock_ns();
    int status;
    while ((status = c->cu.cuEventQuery(c->stop)) == CUDA_NOT_READY) {
        uint64_t now_ns = clock_ns();
        if (now_ns > deadline_ns)
            return fail_as(err, ERROR_CHECK, NOWHERE,
                           "a timed run did not end in time and was stopped; --timeout gives it "
                           "more");
        if (now_ns - begin_ns > spin_ns)
            nanosleep(&(struct timespec){.tv_nsec = nap_ns}, NULL);
    }
    return driver_check(&c->cu, status, err, "a timed run failed on %s", c->head.info->id);
}

static bool enqueue_batch(struct cuda_sampling *s, struct error *err)
{
    for (int run = 0; run < s->batch; run++)
        if (!s->enqueue(s, run, err))
            return false;
    return true;
}

static bool sample(struct cuda_sampling *s, double *time_ns, struct error *err)
{
    struct cuda_device *c = s->device;
    const struct driver *cu = &c->cu;
    float time_ms = 0;
    // Warm: a run that is not timed leaves the caches as the timed ones find them.
    bool done =
        (s->batch > HELD_BATCH_MAX || hold(c, hold_base_ns + s->hold_ns, err)) &&
        (s->options->cold ? cuda_flush(c, err) : s->enqueue(s, 0, err)) &&
        driver_check(cu, cu->cuEventRecord(c->start, c->stream), err, "no event") &&
        enqueue_batch(s, err) &&
        driver_check(cu, cu->cuEventRecord(c->stop, c->stream), err, "no event") &&
        cuda_wait_stop(c, s->deadline_ns, err) &&
        (s->timed_parts ? s->timed_parts(s, &time_ms, err)
                        : driver_check(cu, cu->cuEventElapsedTime(&time_ms, c->start, c->stop), err,
                                       "the events give no time"));
    *time_ns = (double)time_ms * ns_per_ms / s->batch;
    return done;
}

bool cuda_sample(struct cuda_sampling *s, int count, double *times_ns, struct error *err)
{
    double timeout_s = s->options->timeout_s > 0 ? s->options->timeout_s : default_timeout_s;
    s->batch = s->options->batch > 1 ? s->options->batch : 1;
    s->deadline_ns = clock_ns() + (uint64_t)(timeout_s * ns_per_s);
    for (int i = 0; i < count; i++)
        if (!sample(s, &times_ns[i], err))
            return false;
    return true;
}

/* ---- a sequence ---------------------------------------------------------------------------------------- */

// The host's work to queue a run of the sequence, in launches: a library's call is several, and more.
static int host_launches(const struct device_sequence *s)
{
    enum { LIBRARY_LAUNCHES = 8 };
    int n = 0;
    for (int i = 0; i < s->launch_count; i++)
        n += s->launches[i].kind == LAUNCH_LIBRARY ? LIBRARY_LAUNCHES : 1;
    return n;
}

// Marks lie where timed and untimed steps meet.
static bool enqueue_marked(const struct timing *t, const struct cuda_launch *launches,
                           struct error *err)
{
    struct cuda_device *c = t->device;
    int count = t->sequence->launch_count, mark = 0;
    bool inside = false;
    for (int i = 0; i <= count; i++) {
        bool timed = i < count && !is_untimed(t->sequence, i);
        if (timed != inside &&
            !driver_check(&c->cu, c->cu.cuEventRecord(t->marks[mark++], c->stream), err,
                          "no event"))
            return false;
        inside = timed;
        if (i < count && !cuda_enqueue_one(c, &launches[i], err))
            return false;
    }
    return true;
}

static bool sum_parts(struct cuda_sampling *s, float *time_ms, struct error *err)
{
    const struct timing *t = s->context;
    *time_ms = 0;
    for (int i = 0; i + 1 < t->mark_count; i += 2) {
        float part_ms = 0;
        if (!driver_check(&t->device->cu,
                          t->device->cu.cuEventElapsedTime(&part_ms, t->marks[i], t->marks[i + 1]),
                          err, "the events give no time"))
            return false;
        *time_ms += part_ms;
    }
    return true;
}

static bool enqueue_run(struct cuda_sampling *s, int run, struct error *err)
{
    const struct timing *t = s->context;
    if (t->graphs)
        return cuda_graph_launch(t->device, t->graphs[run], err);
    if (t->marks)
        return enqueue_marked(t, t->runs[run], err);
    return cuda_enqueue(s->device, t->runs[run], t->sequence, err);
}

bool cuda_measure(struct device *d, const struct device_sequence *sequence,
                  const struct device_run_options *options, int count, double *times_ns,
                  struct error *err)
{
    struct timing t = {.device = (struct cuda_device *)d,
                       .sequence = sequence,
                       .options = options,
                       .batch = options->batch > 1 ? options->batch : 1};
    struct cuda_sampling s = {
        .device = t.device,
        .enqueue = enqueue_run,
        .context = &t,
        .options = options,
        .hold_ns = hold_launch_ns * (uint64_t)(t.batch + 1) * (uint64_t)host_launches(sequence),
    };
    bool done = prepare_runs(&t, err);
    if (done && t.marks)
        s.timed_parts = sum_parts;
    done = done && cuda_sample(&s, count, times_ns, err) && cuda_sequence_store(t.device, err);
    cuda_sequence_end(t.device);
    release_runs(&t);
    return done;
}
