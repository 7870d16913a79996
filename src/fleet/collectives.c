// Collectives by the devices' own exchange (device/exchange.h), in one worker process: each is run once on numbers whose
// result is known, then timed.
// SPDX-License-Identifier: Apache-2.0
#include "fleet/collectives.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 11, LEAST_BYTES = 1 << 10, STEP = 16, ELEMENT = sizeof(float) };

static const uint64_t most_bytes = (uint64_t)256 << 20;
static const uint64_t verified_bytes = 4 << 20;
static const uint64_t pair_bytes = 64 << 20;
static const double slow_share = 0.05;
static const double timeout_s = 300;
const double collectives_small_bytes = LEAST_BYTES;
const double collectives_large_bytes = 64 << 20;

const struct collective_info *collective_info(enum collective c)
{
    static const struct collective_info infos[] = {
#define COLLECTIVE(id, name, words, bus, steps) {name, words},
#include "fleet/collectives.def"
#undef COLLECTIVE
    };
    return &infos[c];
}

double collective_bus(enum collective c, int devices)
{
    double n = devices;
    const double factors[] = {
#define COLLECTIVE(id, name, words, bus, steps) (bus),
#include "fleet/collectives.def"
#undef COLLECTIVE
    };
    return factors[c];
}

double collective_steps(enum collective c, int devices)
{
    double n = devices;
    const double counts[] = {
#define COLLECTIVE(id, name, words, bus, steps) (steps),
#include "fleet/collectives.def"
#undef COLLECTIVE
    };
    return counts[c];
}

double collectives_size(int number, int devices)
{
    uint64_t size = LEAST_BYTES, unit = (uint64_t)devices * ELEMENT;
    for (int i = 0; i < number && size < most_bytes; i++)
        size *= STEP;
    size = (size < most_bytes ? size : most_bytes) / unit * unit;
    return (double)(size > unit ? size : unit); // of many devices an element each at least
}

/* ---- the roof -------------------------------------------------------------------------------------------- */

// One way, after line coding, of a lane: 8, 16, 32 GT/s with 128b/130b, 64 GT/s in flits of which 242 of 256 bytes are data.
static double pcie_lane_gbps(int generation)
{
    static const double rates[] = {0.25, 0.5, 0.985, 1.969, 3.938, 7.563};
    int last = (int)COUNT_OF(rates);
    return generation < 1 || generation > last ? (double)NAN : rates[generation - 1];
}

static double slowest_nvlinks(const struct topology *t, const struct collectives *c, bool pairs)
{
    double least = (double)INFINITY;
    for (int i = 0; i < c->device_count; i++) {
        const struct topology_pair *p = topology_find(t, i, (i + 1) % c->device_count);
        if (!p || p->nvlinks <= 0)
            return (double)NAN;
        if (pairs)
            least = fmin(least, p->nvlink_gbps);
    }
    for (int i = 0; i < t->gpu_count && !pairs; i++)
        least = fmin(least, t->gpus[i].nvlinks * t->gpus[i].nvlink_gbps);
    return isfinite(least) ? least : (double)NAN;
}

static double slowest_pcie(const struct topology *t)
{
    double least = (double)INFINITY;
    for (int i = 0; i < t->gpu_count; i++) {
        const struct topology_gpu *g = &t->gpus[i];
        double gbps = g->pcie_lanes_max > 0
                          ? pcie_lane_gbps(g->pcie_generation_max) * g->pcie_lanes_max
                          : (double)NAN;
        if (isnan(gbps))
            return gbps;
        least = fmin(least, gbps);
    }
    return isfinite(least) ? least : (double)NAN;
}

// A ring carries a bus bandwidth of one device's links, one way. NVLS adds in the switch, so that a device sends and
// receives its buffer once where a ring takes 2 (n-1)/n of it. docs/scale.md.
struct collective_roof collective_roof(const struct topology *t, const struct collectives *c,
                                       enum collective which)
{
    double nvlinks = slowest_nvlinks(t, c, which == COLLECTIVE_SEND_RECEIVE);
    bool multicast = c->multicast && c->by.way == EXCHANGE_NCCL && which == COLLECTIVE_ALL_REDUCE;
    if (!isnan(nvlinks) && multicast)
        return (struct collective_roof){"NVLS over NVLink",
                                        nvlinks * collective_bus(which, c->device_count)};
    if (!isnan(nvlinks))
        return (struct collective_roof){"ring over NVLink", nvlinks};
    double pcie = slowest_pcie(t);
    return (struct collective_roof){isnan(pcie) ? NULL : "ring over PCIe", pcie};
}

/* ---- the model ------------------------------------------------------------------------------------------- */

// Every device to the next one, or to all others.
static double copies_modelled_ns(const struct links *l, bool to_all, double size_bytes)
{
    int n = l->devices, count = 0;
    struct exchange_copy *copies =
        xcalloc((size_t)n * (size_t)(to_all ? n - 1 : 1) + 1, sizeof *copies);
    uint64_t bytes = (uint64_t)(to_all ? size_bytes / n : size_bytes);
    for (int from = 0; from < n; from++)
        for (int k = 1; k < (to_all ? n : 2); k++)
            copies[count++] =
                (struct exchange_copy){.from = from, .to = (from + k) % n, .size_bytes = bytes};
    double time_ns = links_copies_ns(l, copies, count);
    free(copies);
    return time_ns;
}

double collective_modelled_ns(const struct links *l, enum collective c, double size_bytes)
{
    double others = (double)(l->devices - 1) / l->devices, time_ns = 0;
    if (l->devices < 2)
        return 0;
    switch (c) {
    case COLLECTIVE_ALL_REDUCE:
        time_ns = links_sum_ns(l, size_bytes);
        break;
    case COLLECTIVE_ALL_GATHER:
    case COLLECTIVE_REDUCE_SCATTER:
        time_ns = links_spread_ns(l, others * size_bytes);
        break;
    case COLLECTIVE_ALL_TO_ALL:
    case COLLECTIVE_SEND_RECEIVE:
        time_ns = copies_modelled_ns(l, c == COLLECTIVE_ALL_TO_ALL, size_bytes);
        break;
    case COLLECTIVE_COUNT:
        break;
    }
    return l->start_ns + time_ns;
}

/* ---- in the worker ---------------------------------------------------------------------------------------- */

struct collecting {
    struct device_info *const *infos;
    int count;
    struct arena arena;
    struct device **devices;
    const struct device_exchange_ops *ops;
    struct device_exchange *open;
    uint64_t *from, *to; // by device: most_bytes each
    double *large_ns;    // by pair, SAMPLES each
    struct collectives *out;
};

static bool open_device(struct collecting *c, int i, struct error *err)
{
    if (!device_open(c->infos[i], &c->devices[i], err))
        return false;
    const struct device_memory_ops *memory = c->devices[i]->ops->memory;
    c->ops = c->devices[i]->ops->exchange;
    return c->ops->select(c->devices[i], err) &&
           memory->alloc(c->devices[i], most_bytes, "what is sent", &c->from[i], err) &&
           memory->alloc(c->devices[i], most_bytes, "what is received", &c->to[i], err);
}

/* ---- one collective ------------------------------------------------------------------------------------ */

struct plan { // owns what its exchange points to
    struct exchange exchange;
    struct exchange_sum sum;
    struct exchange_gather gather;
    struct exchange_scatter scatter;
    struct exchange_copy copies[COLLECTIVE_DEVICES_MOST * COLLECTIVE_DEVICES_MOST];
};

// Where block `of` of a buffer begins.
static uint64_t block_at(uint64_t address, uint64_t block_bytes, int of)
{
    return address + (uint64_t)of * block_bytes;
}

static void plan_all_to_all(const struct collecting *c, uint64_t block_bytes, struct plan *p)
{
    for (int from = 0; from < c->count; from++)
        for (int to = 0; to < c->count; to++)
            if (from != to)
                p->copies[p->exchange.copy_count++] =
                    (struct exchange_copy){from, to, block_at(c->from[from], block_bytes, to),
                                           block_at(c->to[to], block_bytes, from), block_bytes};
}

static void plan_send_receive(const struct collecting *c, uint64_t size_bytes, struct plan *p)
{
    for (int from = 0; from < c->count; from++) {
        int to = (from + 1) % c->count;
        p->copies[p->exchange.copy_count++] =
            (struct exchange_copy){from, to, c->from[from], c->to[to], size_bytes};
    }
}

static void plan_make(const struct collecting *c, enum collective which, uint64_t size_bytes,
                      struct plan *p)
{
    uint64_t block_bytes = size_bytes / (uint64_t)c->count;
    *p = (struct plan){.exchange.copies = p->copies};
    switch (which) {
    case COLLECTIVE_ALL_REDUCE:
        p->sum = (struct exchange_sum){ELEMENT_F32, size_bytes / ELEMENT, c->from, c->to};
        p->exchange.sums = &p->sum;
        p->exchange.sum_count = 1;
        break;
    case COLLECTIVE_ALL_GATHER:
        p->gather = (struct exchange_gather){block_bytes, c->from, c->to};
        p->exchange.gather = &p->gather;
        break;
    case COLLECTIVE_REDUCE_SCATTER:
        p->scatter = (struct exchange_scatter){ELEMENT_F32, block_bytes / ELEMENT, c->from, c->to};
        p->exchange.scatter = &p->scatter;
        break;
    case COLLECTIVE_ALL_TO_ALL:
        plan_all_to_all(c, block_bytes, p);
        break;
    case COLLECTIVE_SEND_RECEIVE:
        plan_send_receive(c, size_bytes, p);
        break;
    case COLLECTIVE_COUNT:
        break;
    }
}

/* ---- is it right ------------------------------------------------------------------------------------------ */

// Small whole numbers: sums of them are exact.
static float number_at(int device, uint64_t element)
{
    return (float)((element * 7 + (uint64_t)device * 13) % 251);
}

// The element of device `to` when it is right; NAN = it may be anything.
static float wanted_at(const struct collecting *c, enum collective which, uint64_t count, int to,
                       uint64_t element)
{
    uint64_t block = count / (uint64_t)c->count, of = element / block;
    float sum = 0;
    uint64_t at = which == COLLECTIVE_REDUCE_SCATTER ? (uint64_t)to * block + element : element;
    for (int i = 0; i < c->count; i++)
        sum += number_at(i, at);
    switch (which) {
    case COLLECTIVE_ALL_REDUCE:
        return sum;
    case COLLECTIVE_REDUCE_SCATTER:
        return of == 0 ? sum : NAN;
    case COLLECTIVE_ALL_GATHER:
        return number_at((int)of, element % block);
    case COLLECTIVE_ALL_TO_ALL:
        return (int)of == to ? NAN : number_at((int)of, (uint64_t)to * block + element % block);
    case COLLECTIVE_SEND_RECEIVE:
    case COLLECTIVE_COUNT:
        break;
    }
    return number_at((to + c->count - 1) % c->count, element);
}

static bool fill_device(struct collecting *c, int i, float *data, uint64_t count, struct error *err)
{
    const struct device_memory_ops *memory = c->devices[i]->ops->memory;
    for (uint64_t k = 0; k < count; k++)
        data[k] = number_at(i, k);
    if (!c->ops->select(c->devices[i], err) ||
        !memory->write(c->devices[i], c->from[i], data, count * ELEMENT, err))
        return false;
    for (uint64_t k = 0; k < count; k++)
        data[k] = -1;
    return memory->write(c->devices[i], c->to[i], data, count * ELEMENT, err);
}

static bool check_device(struct collecting *c, enum collective which, int i, float *data,
                         uint64_t count, struct error *err)
{
    if (!c->ops->select(c->devices[i], err) ||
        !c->devices[i]->ops->memory->read(c->devices[i], c->to[i], data, count * ELEMENT, err))
        return false;
    for (uint64_t k = 0; k < count && !c->out->wrong[0]; k++) {
        float wanted = wanted_at(c, which, count, i, k);
        if (!isnan(wanted) && data[k] != wanted)
            (void)snprintf(c->out->wrong, sizeof c->out->wrong,
                           "%s of %llu bytes: element %llu on %s is %g and should be %g",
                           collective_info(which)->name, (unsigned long long)(count * ELEMENT),
                           (unsigned long long)k, c->infos[i]->id, (double)data[k], (double)wanted);
    }
    return true;
}

static bool verify(struct collecting *c, enum collective which, const struct plan *p,
                   uint64_t size_bytes, struct error *err)
{
    uint64_t count = size_bytes / ELEMENT;
    float *data = xcalloc(count, sizeof *data);
    bool done = true;
    for (int i = 0; i < c->count && done; i++)
        done = fill_device(c, i, data, count, err);
    done = done && c->ops->run(c->open, &p->exchange, err);
    for (int i = 0; i < c->count && done; i++)
        done = check_device(c, which, i, data, count, err);
    free(data);
    return done;
}

/* ---- how long it takes ------------------------------------------------------------------------------------- */

// Sums without NCCL are formed on the host: the largest sizes would take minutes and show nothing of the links.
static int rows_of(const struct collecting *c, enum collective which)
{
    bool on_host = c->out->by.way != EXCHANGE_NCCL &&
                   (which == COLLECTIVE_ALL_REDUCE || which == COLLECTIVE_REDUCE_SCATTER);
    return on_host ? COLLECTIVE_SIZES - 2 : COLLECTIVE_SIZES;
}

static bool measure_rows(struct collecting *c, enum collective which, struct error *err)
{
    for (int i = 0; i < rows_of(c, which) && !c->out->wrong[0]; i++) {
        struct collective_row *row = &c->out->rows[which][i];
        double times_ns[SAMPLES];
        struct plan p;
        uint64_t size = (uint64_t)collectives_size(i, c->count);
        plan_make(c, which, size, &p);
        row->verified = size <= verified_bytes;
        if ((row->verified && !verify(c, which, &p, size, err)) ||
            !c->ops->measure(c->open, &p.exchange, NULL, SAMPLES, times_ns, err))
            return error_context(err, "in %s of %llu bytes", collective_info(which)->name,
                                 (unsigned long long)size);
        row->size_bytes = (double)size;
        row->time_ns = stats_summary(times_ns, SAMPLES);
        c->out->row_count[which] = i + 1;
    }
    return true;
}

static bool measure_pair(struct collecting *c, int from, int to, struct error *err)
{
    double small_ns[SAMPLES], *large_ns = &c->large_ns[c->out->pair_count * SAMPLES];
    struct exchange_copy copy = {from, to, c->from[from], c->to[to], LEAST_BYTES};
    struct exchange e = {.copies = &copy, .copy_count = 1};
    if (!c->ops->measure(c->open, &e, NULL, SAMPLES, small_ns, err))
        return false;
    copy.size_bytes = pair_bytes;
    if (!c->ops->measure(c->open, &e, NULL, SAMPLES, large_ns, err))
        return false;
    c->out->pairs[c->out->pair_count++] = (struct collective_pair){
        from, to, stats_summary(small_ns, SAMPLES), stats_summary(large_ns, SAMPLES)};
    return true;
}

static bool measure_pairs(struct collecting *c, struct error *err)
{
    for (int from = 0; from < c->count; from++)
        for (int to = 0; to < c->count; to++)
            if (from != to && !measure_pair(c, from, to, err))
                return error_context(err, "in messages of %s to %s", c->infos[from]->id,
                                     c->infos[to]->id);
    return true;
}

/* ---- who is slow ------------------------------------------------------------------------------------------ */

// The pairs that `belongs` picks against all others. false: there are no others, or it is not slower.
static bool is_slower(struct collecting *c,
                      bool (*belongs)(const struct collective_pair *p, int of), int of,
                      struct comparison *out)
{
    struct sample_list these = {0}, others = {0};
    for (int i = 0; i < c->out->pair_count; i++)
        for (int k = 0; k < SAMPLES; k++)
            sample_add(belongs(&c->out->pairs[i], of) ? &these : &others,
                       c->large_ns[i * SAMPLES + k]);
    bool slower = these.count > 0 && others.count > 0;
    if (slower) {
        *out = stats_compare(others.items, others.count, these.items, these.count, slow_share);
        slower = out->verdict == VERDICT_SLOWER;
    }
    free(these.items);
    free(others.items);
    return slower;
}

static bool of_device(const struct collective_pair *p, int device)
{
    return p->from == device || p->to == device;
}

static bool is_pair(const struct collective_pair *p, int number) // from * most + to
{
    return p->from * COLLECTIVE_DEVICES_MOST + p->to == number;
}

// A device all of whose messages are slow, else the slowest pair.
static void find_slow(struct collecting *c)
{
    struct collectives *r = c->out;
    const struct collective_pair *slowest = &r->pairs[0];
    struct comparison against;
    for (int i = 0; i < c->count && c->count > 2; i++) {
        // The fastest of its pairs, the slowest of the rest.
        double own = (double)INFINITY, others = 0;
        for (int k = 0; k < r->pair_count; k++)
            if (of_device(&r->pairs[k], i))
                own = fmin(own, r->pairs[k].large_ns.median);
            else
                others = fmax(others, r->pairs[k].large_ns.median);
        if (own > others * (1 + slow_share) && is_slower(c, of_device, i, &against)) {
            r->has_slow = true;
            r->slow = (struct collective_slow){i, -1, -1, against};
            return;
        }
    }
    for (int i = 1; i < r->pair_count; i++)
        if (r->pairs[i].large_ns.median > slowest->large_ns.median)
            slowest = &r->pairs[i];
    int number = slowest->from * COLLECTIVE_DEVICES_MOST + slowest->to;
    r->has_slow = is_slower(c, is_pair, number, &against);
    r->slow = (struct collective_slow){-1, slowest->from, slowest->to, against};
}

/* ---- the worker ------------------------------------------------------------------------------------------- */

static bool measure_all(struct collecting *c, struct error *err)
{
    for (int i = 0; i < c->count; i++)
        if (!open_device(c, i, err))
            return false;
    if (!exchange_open_best(c->ops, c->devices, c->count, NULL, &c->out->by, &c->open, err))
        return false;
    bool done = true;
    for (int i = 0; i < COLLECTIVE_COUNT && done && !c->out->wrong[0]; i++)
        done = measure_rows(c, (enum collective)i, err);
    done = done && (c->out->wrong[0] || measure_pairs(c, err));
    if (done && !c->out->wrong[0])
        find_slow(c);
    c->ops->close(c->open);
    return done;
}

static int collect_body(void *context, int fd)
{
    struct collecting *c = context;
    struct error err = {0};
    c->devices = ARENA_ARRAY(&c->arena, struct device *, c->count);
    c->from = ARENA_ARRAY(&c->arena, uint64_t, c->count);
    c->to = ARENA_ARRAY(&c->arena, uint64_t, c->count);
    c->large_ns = ARENA_ARRAY(&c->arena, double, c->count * c->count * SAMPLES);
    c->out->done = measure_all(c, &err);
    if (!c->out->done)
        (void)snprintf(c->out->why, sizeof c->out->why, "%.250s", err.message);
    return worker_send(fd, c->out, sizeof *c->out) ? 0 : 1;
}

static void take_report(void *context, const char *data, size_t size_bytes)
{
    struct collectives *r = context;
    if (size_bytes == sizeof *r)
        memcpy(r, data, sizeof *r);
}

static bool check_devices(struct device_info *const *devices, int count, struct error *err)
{
    if (count < 2 || count > COLLECTIVE_DEVICES_MOST)
        return fail(err, NOWHERE, "option --device: links are measured between 2 to %d devices",
                    COLLECTIVE_DEVICES_MOST);
    for (int i = 0; i < count; i++) {
        if (devices[i]->simulated)
            return fail(
                err, NOWHERE,
                "%s is simulated: links are measured between real GPUs, or modelled between "
                "simulated ones alone",
                devices[i]->id);
        if (!device_exchanges(devices[i]) || strcmp(devices[i]->backend, devices[0]->backend) != 0)
            return fail(err, NOWHERE, "links are measured between NVIDIA's GPUs only, not with %s",
                        devices[i]->id);
        for (int k = 0; k < i; k++)
            if (strcmp(devices[i]->id, devices[k]->id) == 0)
                return fail(err, NOWHERE, "option --device: %s is named twice", devices[i]->id);
    }
    return true;
}

bool collectives_measure(struct device_info *const *devices, int count, const volatile bool *cancel,
                         struct collectives *out, struct error *err)
{
    struct collecting c = {.infos = devices, .count = count, .out = out};
    struct worker_spec spec = {.body = collect_body,
                               .context = &c,
                               .timeout_s = timeout_s,
                               .on_message = take_report,
                               .message_context = out,
                               .cancel = cancel};
    struct worker_result w;
    const char *multicast = getenv("NCCL_NVLS_ENABLE");
    *out = (struct collectives){
        .device_count = count, .multicast = multicast && *multicast && strcmp(multicast, "0") != 0};
    if (!check_devices(devices, count, err) || !worker_run(&spec, &w, err))
        return false;
    if (w.end == WORKER_CANCELLED)
        return fail_as(err, ERROR_SYSTEM, NOWHERE, "cancelled");
    if (out->done)
        return true;
    const char *ended = w.end == WORKER_TIMED_OUT ? "it took too long and was stopped"
                                                  : "the process that measured them crashed";
    return fail_as(err, ERROR_SYSTEM, NOWHERE, "the links cannot be measured: %s",
                   out->why[0] ? out->why : ended);
}
