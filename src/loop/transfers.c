// --with-transfers: the copies that a program has around its kernels, the inputs to the device and the
// outputs back, one after the other with the kernels. On a real device they are timed by the host's
// clock, from and to ordinary (pageable) memory, which is what a program has that took no care; on a
// simulated one they are modelled: bytes over the rate of the chip's host link.
// SPDX-License-Identifier: Apache-2.0
#include "loop/bench.h"

#include <math.h>
#include <stdlib.h>

enum { ROUNDS_MAX = 9, ROUNDS_MIN = 3 };
static const double measure_s = 1, ns_per_s = 1e9;

// What has a fill is an input; an output without one is only poisoned.
static bool is_input(const struct job *job, int buffer)
{
    return job->experiment->buffers[buffer].fill != FILL_NONE;
}

static struct transfers bytes_of(const struct job *job)
{
    struct transfers t = {0};
    const struct resolved_case *c = job->resolved;
    for (int i = 0; i < c->buffer_count; i++) {
        double bytes = (double)c->buffers[i].size_bytes;
        t.h2d_bytes += is_input(job, i) ? bytes : 0;
        t.d2h_bytes += c->buffers[i].output ? bytes : 0;
    }
    return t;
}

bool transfers_model(const struct job *job, struct transfers *out, struct error *err)
{
    double gbps = GPU(job->device->gpu, host_link_gbps);
    *out = bytes_of(job);
    if (!(gbps > 0))
        return fail(
            err, NOWHERE,
            "gpus/%s.yaml states no host_link_gbps, so the copies of --with-transfers cannot "
            "be modelled",
            job->device->gpu->id);
    out->h2d_ns = out->h2d_bytes / gbps;
    out->d2h_ns = out->d2h_bytes / gbps;
    out->provenance = PROVENANCE_MODELLED;
    return true;
}

/* ---- measured, in a worker ------------------------------------------------------------------------- */

static bool copy_in(struct bench *b, struct error *err)
{
    for (int i = 0; i < b->job->resolved->buffer_count; i++)
        if (is_input(b->job, i) &&
            !b->device->ops->memory->write(b->device, b->addresses[i], b->job->inputs->data[i],
                                           b->sizes[i], err))
            return false;
    return true;
}

static bool copy_out(struct bench *b, void *const *to, struct error *err)
{
    for (int i = 0; i < b->job->resolved->buffer_count; i++)
        if (b->job->resolved->buffers[i].output &&
            !b->device->ops->memory->read(b->device, b->addresses[i], to[i], b->sizes[i], err))
            return false;
    return true;
}

// The first round, which touches the pages, does not count.
static bool time_rounds(struct bench *b, void *const *to, struct transfers *out, struct error *err)
{
    double in[ROUNDS_MAX], back[ROUNDS_MAX];
    int count = 0;
    uint64_t begin = clock_ns();
    for (int round = 0; count < ROUNDS_MAX; round++) {
        uint64_t start = clock_ns();
        if (!copy_in(b, err))
            return false;
        uint64_t half = clock_ns();
        if (!copy_out(b, to, err))
            return false;
        uint64_t end = clock_ns();
        if (round == 0)
            continue;
        in[count] = (double)(half - start);
        back[count++] = (double)(end - half);
        if (count >= ROUNDS_MIN && (double)(end - begin) > measure_s * ns_per_s)
            break;
    }
    out->h2d_ns = out->h2d_bytes > 0 ? stats_summary(in, (size_t)count).median : 0;
    out->d2h_ns = out->d2h_bytes > 0 ? stats_summary(back, (size_t)count).median : 0;
    return true;
}

bool transfers_measure(struct bench *b, struct transfers *out, struct error *err)
{
    int count = b->job->resolved->buffer_count;
    void **to = xcalloc((size_t)count + 1, sizeof *to);
    *out = bytes_of(b->job);
    out->provenance = PROVENANCE_MEASURED;
    for (int i = 0; i < count; i++)
        if (b->job->resolved->buffers[i].output)
            to[i] = xcalloc(b->sizes[i] + 1, 1);
    bool done = time_rounds(b, to, out, err);
    for (int i = 0; i < count; i++)
        free(to[i]);
    free(to);
    return done;
}

static void take_transfers(const struct transfers *t, double total_ns, struct counters *out)
{
    counters_set(out, COUNTER_H2D_NS, t->h2d_ns, t->provenance);
    counters_set(out, COUNTER_D2H_NS, t->d2h_ns, t->provenance);
    counters_set(out, COUNTER_H2D_BYTES, t->h2d_bytes, t->provenance);
    counters_set(out, COUNTER_D2H_BYTES, t->d2h_bytes, t->provenance);
    counters_set(out, COUNTER_TRANSFER_SHARE_PCT, 100 * (t->h2d_ns + t->d2h_ns) / total_ns,
                 t->provenance);
}

/* ---- copies among the steps ------------------------------------------------------------------------- */

// What of a variant's time its own copies are: all that its kernels do not explain, where copies overlap too.
void transfers_of_steps(const struct resolved_variant *v, struct result *r)
{
    struct transfers t = {.provenance = r->time.provenance};
    double kernels_ns = 0, total_ns = r->time.summary.median;
    int k = 0;
    for (int i = 0; i < v->launch_count && k < r->launch_count; i++) {
        const struct resolved_launch *l = &v->launches[i];
        const enum buffer_memory *memory = v->spec->memory;
        if (l->untimed)
            continue;
        double ns = r->launches[k++].time_ns.value;
        bool in = l->kind == LAUNCH_COPY && memory && memory[l->copy.from] != MEMORY_DEVICE;
        bool out = l->kind == LAUNCH_COPY && memory && memory[l->copy.to] != MEMORY_DEVICE;
        t.h2d_ns += in ? ns : 0;
        t.d2h_ns += out ? ns : 0;
        t.h2d_bytes += in ? (double)l->copy.size_bytes : 0;
        t.d2h_bytes += out ? (double)l->copy.size_bytes : 0;
        kernels_ns += in || out ? 0 : ns;
    }
    double copies_ns = t.h2d_ns + t.d2h_ns;
    if (!(copies_ns > 0) || !(total_ns > 0))
        return;
    double seen_ns = fmin(fmax(total_ns - kernels_ns, 0), copies_ns);
    bool hidden = v->spec->stream_count > 1, mostly_in = t.h2d_ns >= t.d2h_ns;
    // On several streams the shorter direction lies behind the longer one.
    t.h2d_ns = hidden ? (mostly_in ? seen_ns : 0) : t.h2d_ns * seen_ns / copies_ns;
    t.d2h_ns = hidden ? (mostly_in ? 0 : seen_ns) : t.d2h_ns * seen_ns / copies_ns;
    take_transfers(&t, total_ns, &r->counters);
}

/* ---- into the result ----------------------------------------------------------------------------------- */

void transfers_add(const struct transfers *t, struct result *r)
{
    double copies = t->h2d_ns + t->d2h_ns;
    for (size_t i = 0; i < r->time.summary.count; i++)
        r->time.samples_ns[i] += copies;
    r->time.summary = stats_summary(r->time.samples_ns, r->time.summary.count);
    take_transfers(t, r->time.summary.median, &r->counters);
}
