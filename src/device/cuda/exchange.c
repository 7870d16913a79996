// Exchange between GPUs of one process, or of a team of processes with one each. Each device has a stream for it beside the one of its kernels; a round is timed
// between two events in the kernels' stream, the exchange's stream forked off it and joined again.
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/nccl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STREAM_NON_BLOCKING = 1, PEER_ENABLED_BEFORE = 704 };
enum { ROUNDS_LEAST = 2, ROUNDS_TEAM = 16, ROUNDS_MOST = 64 };

static const double ns_per_ms = 1e6;
static const double sample_ns = 5e6; // rounds follow each other for about that long
static const uint64_t round_timeout_ns = 60000000000;

struct lane {                   // of a device
    struct cuda_device *device; // NULL: of another process, and there is nothing here
    void *stream, *fork, *join;
    struct cuda_launch *launches; // of the measurement
};
struct device_exchange {
    struct lane *lanes;
    void **streams; // of the lanes
    int count;
    enum exchange_way way;
    int own; // of a team: the device of this process; -1 = all are
    struct nccl *nccl;
    void *host; // pinned: what goes over the host's memory
    size_t host_bytes;
    double *sums; // a sum over the host
    size_t sum_count;
};

static bool check(const struct lane *l, int status, struct error *err)
{
    return driver_check(&l->device->cu, status, err, "data cannot be exchanged with %s",
                        l->device->head.info->id);
}

static bool exchange_select(struct device *d, struct error *err)
{
    struct cuda_device *c = (struct cuda_device *)d;
    return driver_check(&c->cu, c->cu.cuCtxSetCurrent(c->context), err, "%s cannot be used",
                        d->info->id);
}

/* ---- opening ------------------------------------------------------------------------------------------ */

static bool enable_peers(struct device_exchange *x, struct error *err)
{
    for (int i = 0; i < x->count; i++)
        for (int k = 0; k < x->count; k++) {
            struct cuda_device *c = x->lanes[i].device, *other = x->lanes[k].device;
            int can = 0;
            if (i == k)
                continue;
            if (!c->cu.cuMemcpyPeerAsync || !c->cu.cuCtxEnablePeerAccess ||
                c->cu.cuDeviceCanAccessPeer(&can, c->device, other->device) != CUDA_DONE || !can)
                return fail_as(err, ERROR_SYSTEM, NOWHERE, "%s cannot reach the memory of %s",
                               c->head.info->id, other->head.info->id);
            if (!exchange_select(&c->head, err))
                return false;
            int status = c->cu.cuCtxEnablePeerAccess(other->context, 0);
            if (status != PEER_ENABLED_BEFORE && !check(&x->lanes[i], status, err))
                return false;
        }
    return true;
}

static bool open_lane(struct lane *l, struct error *err)
{
    const struct driver *cu = &l->device->cu;
    return exchange_select(&l->device->head, err) &&
           check(l, cu->cuStreamCreate(&l->stream, STREAM_NON_BLOCKING), err) &&
           check(l, cu->cuEventCreate(&l->fork, 0), err) &&
           check(l, cu->cuEventCreate(&l->join, 0), err);
}

static void exchange_close(struct device_exchange *x)
{
    if (!x)
        return;
    struct error ignored = {0};
    nccl_close(x->nccl);
    for (int i = 0; i < x->count; i++) {
        struct lane *l = &x->lanes[i];
        if (!l->device)
            continue;
        const struct driver *cu = &l->device->cu;
        (void)exchange_select(&l->device->head, &ignored);
        if (x->host)
            (void)cu->cuMemFreeHost(x->host);
        x->host = NULL;
        if (l->join)
            (void)cu->cuEventDestroy_v2(l->join);
        if (l->fork)
            (void)cu->cuEventDestroy_v2(l->fork);
        if (l->stream)
            (void)cu->cuStreamDestroy_v2(l->stream);
    }
    free(x->sums);
    free(x->streams);
    free(x->lanes);
    free(x);
}

// The devices of other processes are none of ours to open.
static bool open_lanes(struct device_exchange *x, struct device *const *devices, int *ordinals,
                       struct error *err)
{
    for (int i = 0; i < x->count; i++) {
        x->lanes[i].device = (struct cuda_device *)devices[i];
        ordinals[i] = devices[i] ? x->lanes[i].device->ordinal : -1;
    }
    for (int i = 0; i < x->count; i++) {
        if (x->lanes[i].device && !open_lane(&x->lanes[i], err))
            return false;
        x->streams[i] = x->lanes[i].stream;
    }
    return true;
}

static bool connect(struct device_exchange *x, const struct exchange_team *team,
                    const int *ordinals, struct error *err)
{
    if (team)
        return x->way == EXCHANGE_NCCL
                   ? exchange_select(&x->lanes[x->own].device->head, err) &&
                         nccl_join(team, x->count, &x->nccl, err)
                   : fail_as(err, ERROR_SYSTEM, NOWHERE, "between processes there is NCCL alone");
    if (x->way == EXCHANGE_NCCL)
        return nccl_open(ordinals, x->count, &x->nccl, err);
    return x->way != EXCHANGE_PEER || enable_peers(x, err);
}

static bool exchange_open(struct device *const *devices, int count,
                          const struct exchange_team *team, enum exchange_way way,
                          struct device_exchange **out, struct error *err)
{
    struct device_exchange *x = xcalloc(1, sizeof *x);
    struct arena a = {0};
    int *ordinals = ARENA_ARRAY(&a, int, count + 1);
    *x = (struct device_exchange){.way = way,
                                  .own = team ? team->own : -1,
                                  .count = count,
                                  .lanes = xcalloc((size_t)count + 1, sizeof *x->lanes),
                                  .streams = xcalloc((size_t)count + 1, sizeof *x->streams)};
    bool done = open_lanes(x, devices, ordinals, err) && connect(x, team, ordinals, err);
    arena_release(&a);
    if (!done) {
        exchange_close(x);
        return false;
    }
    *out = x;
    return true;
}

static const char *exchange_version(const struct device_exchange *x)
{
    return x->nccl ? nccl_version_words(x->nccl) : NULL;
}

/* ---- one exchange --------------------------------------------------------------------------------------- */

static bool host_room(struct device_exchange *x, size_t size_bytes, struct error *err)
{
    struct lane *l = &x->lanes[0];
    if (size_bytes <= x->host_bytes)
        return true;
    if (x->host)
        (void)l->device->cu.cuMemFreeHost(x->host);
    x->host = NULL;
    x->host_bytes = 0;
    if (!check(l, l->device->cu.cuMemAllocHost_v2(&x->host, size_bytes), err))
        return false;
    x->host_bytes = size_bytes;
    return true;
}

static bool lane_read(struct lane *l, uint64_t from, void *to, size_t size_bytes, struct error *err)
{
    const struct driver *cu = &l->device->cu;
    return exchange_select(&l->device->head, err) &&
           check(l, cu->cuMemcpyDtoHAsync_v2(to, from, size_bytes, l->stream), err) &&
           check(l, cu->cuStreamSynchronize(l->stream), err);
}

static bool lane_write(struct lane *l, uint64_t to, const void *from, size_t size_bytes,
                       struct error *err)
{
    const struct driver *cu = &l->device->cu;
    return exchange_select(&l->device->head, err) &&
           check(l, cu->cuMemcpyHtoDAsync_v2(to, from, size_bytes, l->stream), err) &&
           check(l, cu->cuStreamSynchronize(l->stream), err);
}

static bool copy(struct device_exchange *x, const struct exchange_copy *c, struct error *err)
{
    struct lane *from = &x->lanes[c->from], *to = &x->lanes[c->to];
    const struct driver *cu = &from->device->cu;
    if (c->from == c->to)
        return exchange_select(&to->device->head, err) &&
               check(to,
                     cu->cuMemcpyDtoDAsync_v2(c->to_address, c->from_address, c->size_bytes,
                                              to->stream),
                     err);
    if (x->way == EXCHANGE_HOST)
        return host_room(x, c->size_bytes, err) &&
               lane_read(from, c->from_address, x->host, c->size_bytes, err) &&
               lane_write(to, c->to_address, x->host, c->size_bytes, err);
    return exchange_select(&from->device->head, err) &&
           check(from,
                 cu->cuMemcpyPeerAsync(c->to_address, to->device->context, c->from_address,
                                       from->device->context, c->size_bytes, from->stream),
                 err);
}

static bool spread(struct device_exchange *x, const struct exchange_spread *s, struct error *err)
{
    for (int i = 0; i < x->count; i++) {
        struct exchange_copy c = {s->from, i, s->from_address, s->to[i], s->size_bytes};
        if ((i != s->from || c.from_address != c.to_address) && !copy(x, &c, err))
            return false;
    }
    return true;
}

// In double or modulo 2^64, as outputs of parts are put together. Into the host's memory.
static bool sum_to_host(struct device_exchange *x, enum element_type type, uint64_t count,
                        const uint64_t *from, struct error *err)
{
    size_t size_bytes = count * element_bytes(type);
    if (!host_room(x, size_bytes, err))
        return false;
    if (x->sum_count < count) {
        free(x->sums);
        x->sums = xcalloc(count, sizeof *x->sums);
        x->sum_count = count;
    }
    memset(x->sums, 0, count * sizeof *x->sums);
    for (int i = 0; i < x->count; i++) {
        if (!lane_read(&x->lanes[i], from[i], x->host, size_bytes, err))
            return false;
        elements_add(type, count, x->host, x->sums);
    }
    elements_round(type, count, x->sums, x->host);
    return true;
}

static bool sum_on_host(struct device_exchange *x, const struct exchange_sum *s, struct error *err)
{
    if (!sum_to_host(x, s->type, s->count, s->from, err))
        return false;
    for (int i = 0; i < x->count; i++)
        if (!lane_write(&x->lanes[i], s->to[i], x->host, s->count * element_bytes(s->type), err))
            return false;
    return true;
}

static bool scatter_on_host(struct device_exchange *x, const struct exchange_scatter *s,
                            struct error *err)
{
    size_t block_bytes = s->block_count * element_bytes(s->type);
    if (!sum_to_host(x, s->type, s->block_count * (uint64_t)x->count, s->from, err))
        return false;
    for (int i = 0; i < x->count; i++)
        if (!lane_write(&x->lanes[i], s->to[i], (const char *)x->host + (size_t)i * block_bytes,
                        block_bytes, err))
            return false;
    return true;
}

static bool gather(struct device_exchange *x, const struct exchange_gather *g, struct error *err)
{
    for (int from = 0; from < x->count; from++)
        for (int to = 0; to < x->count; to++) {
            struct exchange_copy c = {from, to, g->from[from],
                                      g->to[to] + (uint64_t)from * g->block_bytes, g->block_bytes};
            if (!copy(x, &c, err))
                return false;
        }
    return true;
}

static bool enqueue_plain(struct device_exchange *x, const struct exchange *e, struct error *err)
{
    for (int i = 0; i < e->sum_count; i++)
        if (!sum_on_host(x, &e->sums[i], err))
            return false;
    for (int i = 0; i < e->spread_count; i++)
        if (!spread(x, &e->spreads[i], err))
            return false;
    for (int i = 0; i < e->copy_count; i++)
        if (!copy(x, &e->copies[i], err))
            return false;
    return (!e->gather || gather(x, e->gather, err)) &&
           (!e->scatter || scatter_on_host(x, e->scatter, err));
}

// NCCL takes what it can add; the rest goes over the host.
static bool enqueue_exchange(struct device_exchange *x, const struct exchange *e, struct error *err)
{
    struct exchange rest = *e;
    rest.sum_count = 0;
    if (x->way != EXCHANGE_NCCL)
        return enqueue_plain(x, e, err);
    for (int i = 0; i < e->sum_count; i++) {
        struct exchange one = {.sums = &e->sums[i], .sum_count = 1};
        if (x->own >= 0 && !nccl_adds(e->sums[i].type))
            return fail_as(err, ERROR_SYSTEM, NOWHERE,
                           "NCCL has no sums of that type, and processes have no other way");
        if (!(nccl_adds(e->sums[i].type) ? nccl_enqueue(x->nccl, &one, x->streams, err)
                                         : sum_on_host(x, &e->sums[i], err)))
            return false;
    }
    return (rest.spread_count + rest.copy_count == 0 && !rest.gather && !rest.scatter) ||
           nccl_enqueue(x->nccl, &rest, x->streams, err);
}

static bool wait_all(struct device_exchange *x, struct error *err)
{
    for (int i = 0; i < x->count; i++) {
        struct lane *l = &x->lanes[i];
        if (!l->device)
            continue;
        if (!exchange_select(&l->device->head, err) ||
            !check(l, l->device->cu.cuStreamSynchronize(l->device->stream), err) ||
            !check(l, l->device->cu.cuStreamSynchronize(l->stream), err))
            return false;
    }
    return true;
}

static bool exchange_run(struct device_exchange *x, const struct exchange *e, struct error *err)
{
    return wait_all(x, err) && enqueue_exchange(x, e, err) && wait_all(x, err);
}

/* ---- timing ------------------------------------------------------------------------------------------ */

static bool begin(struct lane *l, struct error *err)
{
    struct cuda_device *c = l->device;
    if (!c)
        return true;
    const struct driver *cu = &c->cu;
    return exchange_select(&c->head, err) &&
           check(l, cu->cuEventRecord(c->start, c->stream), err) &&
           check(l, cu->cuStreamWaitEvent(l->stream, c->start, 0), err);
}

static bool end(struct lane *l, struct error *err)
{
    struct cuda_device *c = l->device;
    if (!c)
        return true;
    const struct driver *cu = &c->cu;
    return exchange_select(&c->head, err) && check(l, cu->cuEventRecord(l->join, l->stream), err) &&
           check(l, cu->cuStreamWaitEvent(c->stream, l->join, 0), err) &&
           check(l, cu->cuEventRecord(c->stop, c->stream), err);
}

static bool one_round(struct device_exchange *x, const struct exchange *e,
                      const struct device_sequence *sequences, struct error *err)
{
    for (int i = 0; sequences && i < x->count; i++) {
        struct lane *l = &x->lanes[i];
        if (l->device && (!exchange_select(&l->device->head, err) ||
                          !cuda_enqueue(l->device, l->launches, &sequences[i], err)))
            return false;
    }
    return !e || enqueue_exchange(x, e, err);
}

static bool take_time(struct lane *l, double *time_ns, struct error *err)
{
    struct cuda_device *c = l->device;
    float time_ms = 0;
    if (!c)
        return true;
    if (!exchange_select(&c->head, err) || !cuda_wait_stop(c, clock_ns() + round_timeout_ns, err) ||
        !check(l, c->cu.cuEventElapsedTime(&time_ms, c->start, c->stop), err))
        return false;
    *time_ns = fmax(*time_ns, (double)time_ms * ns_per_ms);
    return true;
}

// Processes begin at different times: an exchange that is not timed holds their GPUs until all of them are there.
static bool meet_team(struct device_exchange *x, const struct exchange *e, struct error *err)
{
    if (x->own < 0 || !e)
        return true;
    struct lane *l = &x->lanes[x->own];
    const struct driver *cu = &l->device->cu;
    return enqueue_exchange(x, e, err) && check(l, cu->cuEventRecord(l->join, l->stream), err) &&
           check(l, cu->cuStreamWaitEvent(l->device->stream, l->join, 0), err);
}

static bool sample(struct device_exchange *x, const struct exchange *e,
                   const struct device_sequence *sequences, int rounds, double *time_ns,
                   struct error *err)
{
    bool done = wait_all(x, err) && meet_team(x, e, err);
    *time_ns = 0;
    for (int i = 0; i < x->count && done; i++)
        done = begin(&x->lanes[i], err);
    for (int i = 0; i < rounds && done; i++)
        done = one_round(x, e, sequences, err);
    for (int i = 0; i < x->count && done; i++)
        done = end(&x->lanes[i], err);
    for (int i = 0; i < x->count && done; i++)
        done = take_time(&x->lanes[i], time_ns, err);
    *time_ns /= rounds;
    return done;
}

static bool prepare(struct device_exchange *x, struct arena *a,
                    const struct device_sequence *sequences, struct error *err)
{
    for (int i = 0; sequences && i < x->count; i++) {
        struct cuda_device *c = x->lanes[i].device;
        if (!c)
            continue;
        if (!exchange_select(&c->head, err) || !cuda_sequence_begin(c, &sequences[i], err) ||
            !cuda_prepare(c, a, &sequences[i], sequences[i].addresses, &x->lanes[i].launches,
                          err) ||
            !cuda_sequence_load(c, err))
            return false;
    }
    return true;
}

static bool exchange_measure(struct device_exchange *x, const struct exchange *e,
                             const struct device_sequence *sequences, int count, double *times_ns,
                             struct error *err)
{
    struct arena a = {0};
    double once_ns = 0;
    bool done = x->lanes[x->own < 0 ? 0 : x->own].device->cu.cuStreamWaitEvent
                    ? prepare(x, &a, sequences, err)
                    : fail_as(err, ERROR_SYSTEM, NOWHERE,
                              "NVIDIA's driver is too old to time an exchange: update it");
    done = done && sample(x, e, sequences, ROUNDS_LEAST, &once_ns, err); // to warm up
    done = done && sample(x, e, sequences, ROUNDS_LEAST, &once_ns, err);
    int rounds = (int)fmax(ROUNDS_LEAST, fmin(ROUNDS_MOST, sample_ns / fmax(once_ns, 1)));
    if (x->own >= 0)
        rounds = ROUNDS_TEAM; // the same in all processes
    for (int i = 0; i < count && done; i++)
        done = sample(x, e, sequences, rounds, &times_ns[i], err);
    for (int i = 0; sequences && i < x->count; i++)
        if (x->lanes[i].device)
            cuda_sequence_end(x->lanes[i].device);
    arena_release(&a);
    return done;
}

const struct device_exchange_ops cuda_exchange_ops = {.select = exchange_select,
                                                      .meet = nccl_meet,
                                                      .open = exchange_open,
                                                      .version = exchange_version,
                                                      .run = exchange_run,
                                                      .measure = exchange_measure,
                                                      .close = exchange_close};
