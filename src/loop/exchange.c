// The exchange of a round: halo and broadcast before the kernels, sums and gathering after them. What is to arrive is
// poisoned first, so that the outputs are right only where the exchange is. What is turned from columns to rows arrives as
// an all-to-all leaves it: a block per sender, one behind the other. In a team each process does its part's side of it.
// SPDX-License-Identifier: Apache-2.0
#include "loop/exchange.h"
#include "loop/bench.h"
#include "loop/request.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 7, POISON = 0xff };

static const uint64_t link_bytes = 64 << 20;

struct exchanging { // in the worker
    struct part *parts;
    int count;
    const struct resolved_split *split;
    const struct loop_request *request;
    const struct parts_team *team; // NULL = all parts are this process's
    struct arena arena;
    struct job *jobs;
    struct bench *benches;
    struct device **devices;
    const struct device_exchange_ops *ops;
    struct device_exchange *open;
    struct device_sequence *sequences;
    uint64_t **arrived; // by buffer, by device: where sums and gathered outputs go; NULL = none do
    struct exchange before, after, all, halved;
    struct exchange_report *out;
};

bool exchange_is_stated(const struct experiment *e, const struct resolved_split *split)
{
    bool any = split->halo > 0;
    for (int i = 0; i < e->buffer_count; i++)
        any = any || e->split->ways[i] == SPLIT_ADD || e->split->gather[i] ||
              e->split->broadcast[i] || e->split->panels[i] || e->split->turn[i];
    return any;
}

static bool is_ours(const struct exchanging *x, int part)
{
    return !x->team || x->team->own == part;
}

// Of another process's part 0, which is never used.
static uint64_t address_of(const struct exchanging *x, int part, int buffer)
{
    return is_ours(x, part) ? x->benches[part].addresses[buffer] : 0;
}

/* ---- the devices ---------------------------------------------------------------------------------------- */

static bool open_benches(struct exchanging *x, struct error *err)
{
    for (int i = 0; i < x->count; i++) {
        struct bench *b = &x->benches[i];
        if (!is_ours(x, i))
            continue;
        x->jobs[i] = part_job(&x->parts[i], x->request);
        *b = (struct bench){.job = &x->jobs[i], .arena = &x->arena, .fd = -1};
        if (!bench_open(b, err) || !bench_load(b, err) || !bench_write(b, err))
            return error_context(err, "in the share of %s", x->parts[i].device->id);
        x->devices[i] = b->device;
        x->sequences[i] = bench_sequence(b);
    }
    return true;
}

static bool select_device(struct exchanging *x, int i, struct error *err)
{
    return x->ops->select(x->devices[i], err);
}

// Where sums, gathered and turned outputs arrive: as large as the whole's.
static bool open_arrived(struct exchanging *x, struct error *err)
{
    const struct whole *w = x->parts[0].whole;
    x->arrived = ARENA_ARRAY(&x->arena, uint64_t *, w->resolved->buffer_count + 1);
    for (int b = 0; b < w->resolved->buffer_count; b++) {
        const struct resolved_buffer *whole = &w->resolved->buffers[b];
        if (w->experiment->split->ways[b] != SPLIT_ADD && !w->experiment->split->gather[b] &&
            !w->experiment->split->turn[b])
            continue;
        x->arrived[b] = ARENA_ARRAY(&x->arena, uint64_t, x->count + 1);
        for (int i = 0; i < x->count; i++)
            if (is_ours(x, i) &&
                (!select_device(x, i, err) ||
                 !x->devices[i]->ops->memory->alloc(x->devices[i], whole->size_bytes,
                                                    "what is exchanged", &x->arrived[b][i], err)))
                return false;
    }
    return true;
}

/* ---- what is exchanged ---------------------------------------------------------------------------------- */

static uint64_t unit_bytes(const struct exchanging *x, int buffer)
{
    return x->parts[0].whole->resolved->buffers[buffer].size_bytes / x->split->units;
}

// Units [first, end) of the whole, in the part's buffer.
static uint64_t unit_address(const struct exchanging *x, int part, int buffer, uint64_t first)
{
    return address_of(x, part, buffer) +
           (first - x->parts[part].range.halo_first) * unit_bytes(x, buffer);
}

static uint64_t *addresses_of(struct exchanging *x, int buffer)
{
    uint64_t *all = ARENA_ARRAY(&x->arena, uint64_t, x->count + 1);
    for (int i = 0; i < x->count; i++)
        all[i] = address_of(x, i, buffer);
    return all;
}

static void add_sum(struct exchanging *x, struct exchange_sum *s, int buffer)
{
    const struct resolved_buffer *b = &x->parts[0].whole->resolved->buffers[buffer];
    *s = (struct exchange_sum){b->type, b->count, addresses_of(x, buffer), x->arrived[buffer]};
    x->out->reduced_bytes += (double)b->size_bytes;
}

// Every part's own units to the same place of every device's whole.
static void add_gathered(struct exchanging *x, struct exchange_spread *s, int buffer)
{
    for (int i = 0; i < x->count; i++) {
        const struct part_range *r = &x->parts[i].range;
        uint64_t *to = ARENA_ARRAY(&x->arena, uint64_t, x->count + 1);
        for (int k = 0; k < x->count; k++)
            to[k] = x->arrived[buffer][k] + r->first * unit_bytes(x, buffer);
        s[i] = (struct exchange_spread){i, unit_address(x, i, buffer, r->first),
                                        (r->end - r->first) * unit_bytes(x, buffer), to};
    }
    x->out->gathered_bytes += (double)x->parts[0].whole->resolved->buffers[buffer].size_bytes;
}

static void add_broadcast(struct exchanging *x, struct exchange_spread *s, int buffer)
{
    uint64_t size = x->parts[0].whole->resolved->buffers[buffer].size_bytes;
    uint64_t *to = addresses_of(x, buffer);
    *s = (struct exchange_spread){0, to[0], size, to};
    x->out->broadcast_bytes += (double)size;
}

// Of a whole input each device has a panel, as large a share as its units, and sends it to all: what SUMMA does on a column
// of devices.
static int add_panels(struct exchanging *x, struct exchange_spread *s, int buffer)
{
    const struct resolved_buffer *b = &x->parts[0].whole->resolved->buffers[buffer];
    uint64_t each = element_bytes(b->type), *at = addresses_of(x, buffer);
    double count = (double)b->count / (double)x->split->units; // elements per unit
    int made = 0;
    for (int i = 0; i < x->count; i++) {
        const struct part_range *r = &x->parts[i].range;
        uint64_t first = (uint64_t)(count * (double)r->first);
        uint64_t end = r->end == x->split->units ? b->count : (uint64_t)(count * (double)r->end);
        uint64_t *to = ARENA_ARRAY(&x->arena, uint64_t, x->count + 1);
        for (int k = 0; k < x->count; k++)
            to[k] = at[k] + first * each;
        if (end > first)
            s[made++] = (struct exchange_spread){i, to[i], (end - first) * each, to};
    }
    x->out->panel_bytes += (double)b->size_bytes;
    return made;
}

// What a part has beside its own units, from those whose they are. share: of the halo on each side.
static int add_halo(struct exchanging *x, struct exchange_copy *out, int buffer, double share)
{
    int count = 0;
    for (int to = 0; to < x->count; to++)
        for (int from = 0; from < x->count; from++) {
            const struct part_range *t = &x->parts[to].range, *f = &x->parts[from].range;
            bool below = f->end <= t->first;
            uint64_t first = below ? t->halo_first : t->end, end = below ? t->first : t->halo_end;
            uint64_t kept = (uint64_t)(share * (double)(end - first));
            *(below ? &first : &end) = below ? end - kept : first + kept;
            first = first > f->first ? first : f->first;
            end = end < f->end ? end : f->end;
            if (from == to || first >= end)
                continue;
            out[count++] = (struct exchange_copy){from, to, unit_address(x, from, buffer, first),
                                                  unit_address(x, to, buffer, first),
                                                  (end - first) * unit_bytes(x, buffer)};
        }
    return count;
}

// Rows of a turned output that become the part's: as large a share of them as its share of the units.
struct turned {
    uint64_t first, end;
};

static struct turned turned_rows(const struct exchanging *x, int part, int buffer)
{
    const struct resolved_buffer *b = &x->parts[0].whole->resolved->buffers[buffer];
    const struct part_range *r = &x->parts[part].range;
    double rows = (double)(b->count / x->split->units), units = (double)x->split->units;
    return (struct turned){(uint64_t)(rows * (double)r->first / units),
                           (uint64_t)(rows * (double)r->end / units)};
}

// What `to` gets of `from`: that one's columns in its rows, behind what comes of those before.
static struct exchange_copy turned_block(const struct exchanging *x, int from, int to, int buffer)
{
    const struct part_range *f = &x->parts[from].range;
    struct turned rows = turned_rows(x, to, buffer);
    uint64_t each = element_bytes(x->parts[0].whole->resolved->buffers[buffer].type);
    uint64_t count = rows.end - rows.first, row_bytes = each * (f->end - f->first);
    return (struct exchange_copy){from, to, address_of(x, from, buffer) + rows.first * row_bytes,
                                  x->arrived[buffer][to] + count * each * f->first,
                                  count * row_bytes};
}

// Own blocks stay where they are.
static int add_turned(struct exchanging *x, struct exchange_copy *out, int buffer)
{
    int count = 0;
    for (int to = 0; to < x->count; to++)
        for (int from = 0; from < x->count; from++) {
            struct exchange_copy c = turned_block(x, from, to, buffer);
            if (from == to || c.size_bytes == 0)
                continue;
            x->out->turned_bytes += (double)c.size_bytes;
            out[count++] = c;
        }
    return count;
}

static bool has_halo(const struct exchanging *x, int buffer)
{
    const struct experiment *e = x->parts[0].whole->experiment;
    return x->split->halo > 0 && e->split->ways[buffer] == SPLIT_ROWS &&
           !x->parts[0].whole->resolved->buffers[buffer].output;
}

static void make_exchanges(struct exchanging *x)
{
    const struct experiment *e = x->parts[0].whole->experiment;
    int n = e->buffer_count, sums = 0, gathered = 0, broadcast = 0, copies = 0, halved = 0,
        turned = 0;
    struct exchange_sum *sum = ARENA_ARRAY(&x->arena, struct exchange_sum, n + 1);
    // Broadcasts first: `before` has these, `after` what follows them.
    struct exchange_spread *spread =
        ARENA_ARRAY(&x->arena, struct exchange_spread, n * (x->count + 1) + 1);
    // Halos first, too.
    size_t most = 1;
    for (int b = 0; b < n; b++)
        most += ((size_t)has_halo(x, b) + (size_t)e->split->turn[b]) * (size_t)x->count *
                (size_t)x->count;
    struct exchange_copy *copy = ARENA_ARRAY(&x->arena, struct exchange_copy, most);
    struct exchange_copy *half = ARENA_ARRAY(&x->arena, struct exchange_copy, most);
    for (int b = 0; b < n; b++)
        if (e->split->broadcast[b])
            add_broadcast(x, &spread[broadcast++], b);
        else if (e->split->panels[b])
            broadcast += add_panels(x, &spread[broadcast], b);
    for (int b = 0; b < n; b++) {
        if (e->split->ways[b] == SPLIT_ADD)
            add_sum(x, &sum[sums++], b);
        if (e->split->gather[b]) {
            add_gathered(x, &spread[broadcast + gathered], b);
            gathered += x->count;
        }
        if (has_halo(x, b)) {
            copies += add_halo(x, &copy[copies], b, 1);
            halved += add_halo(x, &half[halved], b, 0.5);
        }
    }
    for (int b = 0; b < n; b++)
        if (e->split->turn[b])
            turned += add_turned(x, &copy[copies + turned], b);
    memcpy(half + halved, copy + copies, (size_t)turned * sizeof *half);
    x->before = (struct exchange){
        .spreads = spread, .spread_count = broadcast, .copies = copy, .copy_count = copies};
    x->after = (struct exchange){.sums = sum,
                                 .sum_count = sums,
                                 .spreads = spread + broadcast,
                                 .spread_count = gathered,
                                 .copies = copy + copies,
                                 .copy_count = turned};
    x->all = (struct exchange){.sums = sum,
                               .sum_count = sums,
                               .spreads = spread,
                               .spread_count = broadcast + gathered,
                               .copies = copy,
                               .copy_count = copies + turned};
    x->halved = x->all;
    x->halved.copies = half;
    x->halved.copy_count = halved + turned;
}

// Half of a halo of one unit is none.
static bool has_half(const struct exchanging *x)
{
    return x->halved.copy_count > x->after.copy_count;
}

// What each device receives: of a sum as much as it is long, whichever way it is formed.
static void count_received(struct exchanging *x)
{
    for (int i = 0; i < x->count; i++) {
        double bytes = x->out->reduced_bytes, halo = 0, copied = 0;
        for (int k = 0; k < x->all.spread_count; k++)
            bytes += x->all.spreads[k].from == i ? 0 : (double)x->all.spreads[k].size_bytes;
        for (int k = 0; k < x->all.copy_count; k++)
            *(k < x->before.copy_count ? &halo : &copied) +=
                x->all.copies[k].to == i ? (double)x->all.copies[k].size_bytes : 0;
        x->out->halo_bytes += halo;
        x->out->received_bytes = fmax(x->out->received_bytes, bytes + halo + copied);
    }
}

/* ---- is it right ------------------------------------------------------------------------------------------ */

static bool poison(struct exchanging *x, int device, uint64_t address, uint64_t size_bytes,
                   struct error *err)
{
    if (!is_ours(x, device))
        return true;
    void *bad = xcalloc(size_bytes + 1, 1);
    memset(bad, POISON, size_bytes);
    bool done =
        select_device(x, device, err) &&
        x->devices[device]->ops->memory->write(x->devices[device], address, bad, size_bytes, err);
    free(bad);
    return done;
}

// What is to arrive.
static bool poison_all(struct exchanging *x, struct error *err)
{
    for (int k = 0; k < x->before.copy_count; k++) {
        const struct exchange_copy *c = &x->before.copies[k];
        if (!poison(x, c->to, c->to_address, c->size_bytes, err))
            return false;
    }
    for (int k = 0; k < x->before.spread_count; k++)
        for (int i = 0; i < x->count; i++) {
            const struct exchange_spread *s = &x->before.spreads[k];
            if (i != s->from && !poison(x, i, s->to[i], s->size_bytes, err))
                return false;
        }
    for (int b = 0; b < x->parts[0].whole->resolved->buffer_count; b++)
        for (int i = 0; i < x->count && x->arrived[b]; i++)
            if (!poison(x, i, x->arrived[b][i], x->parts[0].whole->resolved->buffers[b].size_bytes,
                        err))
                return false;
    return true;
}

static bool run_once(struct exchanging *x, struct error *err)
{
    if (!poison_all(x, err) || !x->ops->run(x->open, &x->before, err))
        return false;
    for (int i = 0; i < x->count; i++) {
        struct device_report report = {0};
        if (!is_ours(x, i))
            continue;
        if (!select_device(x, i, err) || !bench_run(&x->benches[i], false, false, &report, err))
            return error_context(err, "in the share of %s", x->parts[i].device->id);
    }
    return x->ops->run(x->open, &x->after, err);
}

// Of what is turned: others' columns in the device's rows, each in its place of the whole.
static bool read_turned(struct exchanging *x, int device, int buffer, unsigned char *whole,
                        struct error *err)
{
    const struct resolved_buffer *b = &x->parts[0].whole->resolved->buffers[buffer];
    uint64_t each = element_bytes(b->type), stride = each * x->split->units;
    struct turned rows = turned_rows(x, device, buffer);
    bool done = true;
    for (int from = 0; from < x->count && done; from++) {
        struct exchange_copy c = turned_block(x, from, device, buffer);
        if (from == device || c.size_bytes == 0)
            continue;
        unsigned char *block = xcalloc(c.size_bytes, 1);
        uint64_t run = c.size_bytes / (rows.end - rows.first);
        done = x->devices[device]->ops->memory->read(x->devices[device], c.to_address, block,
                                                     c.size_bytes, err);
        for (uint64_t i = rows.first; i < rows.end && done; i++)
            memcpy(whole + i * stride + each * x->parts[from].range.first,
                   block + (i - rows.first) * run, run);
        free(block);
    }
    return done;
}

static bool read_arrived(struct exchanging *x, int device, int buffer, void *whole,
                         struct error *err)
{
    const struct whole *w = x->parts[0].whole;
    if (w->experiment->split->turn[buffer])
        return read_turned(x, device, buffer, whole, err);
    return x->devices[device]->ops->memory->read(x->devices[device], x->arrived[buffer][device],
                                                 whole, w->resolved->buffers[buffer].size_bytes,
                                                 err);
}

// What other processes have is right by itself: each checks its own.
static void take_others(const struct exchanging *x, struct joined *j)
{
    const struct whole *w = x->parts[0].whole;
    for (int b = 0; b < w->resolved->buffer_count && x->team && w->wanted; b++)
        if (w->resolved->buffers[b].output)
            memcpy(j->outputs.data[b], w->wanted->data[b], w->resolved->buffers[b].size_bytes);
}

static bool check_arrived(struct exchanging *x, int i, struct joined *j, const char **wrong,
                          struct error *err)
{
    const struct whole *w = x->parts[0].whole;
    bool done = select_device(x, i, err);
    for (int b = 0; b < w->resolved->buffer_count && done; b++)
        if (x->arrived[b])
            done = read_arrived(x, i, b, j->outputs.data[b], err);
    if (done)
        whole_check(w, &x->arena, &j->outputs, wrong);
    if (*wrong)
        (void)snprintf(x->out->wrong, sizeof x->out->wrong, "on %s: %.400s", x->parts[i].device->id,
                       *wrong);
    return done;
}

// The parts' own outputs, put together; then of each device what arrived there in their places.
static bool check_outputs(struct exchanging *x, struct error *err)
{
    const struct whole *w = x->parts[0].whole;
    const char *wrong = NULL;
    struct joined j = {0};
    joined_begin(w->experiment, w->resolved, w->inputs, &j);
    take_others(x, &j);
    bool done = true;
    for (int i = 0; i < x->count && done; i++) {
        if (!is_ours(x, i))
            continue;
        done = select_device(x, i, err) &&
               bench_read_outputs(&x->benches[i], &x->parts[i].outputs, err);
        if (done)
            joined_take(&j, w->experiment, x->split, w->resolved, &x->parts[i].range,
                        &x->parts[i].resolved, &x->parts[i].outputs);
    }
    joined_end(&j, w->experiment, w->resolved);
    for (int i = 0; i < x->count && done && !wrong; i++)
        if (is_ours(x, i))
            done = check_arrived(x, i, &j, &wrong, err);
    joined_release(&j, w->resolved);
    return done;
}

/* ---- how long it takes ------------------------------------------------------------------------------------- */

static bool time_of(struct exchanging *x, const struct exchange *e, bool kernels,
                    struct summary *out, struct error *err)
{
    double times[SAMPLES];
    if (!x->ops->measure(x->open, e, kernels ? x->sequences : NULL, SAMPLES, times, err))
        return false;
    *out = stats_summary(times, SAMPLES);
    return true;
}

static bool time_rounds(struct exchanging *x, struct error *err)
{
    struct summary half;
    if (!time_of(x, NULL, true, &x->out->compute_ns, err) ||
        !time_of(x, &x->all, false, &x->out->exchange_ns, err) ||
        !time_of(x, &x->all, true, &x->out->together_ns, err))
        return false;
    if (!has_half(x))
        return true;
    if (!time_of(x, &x->halved, false, &half, err))
        return false;
    x->out->half_halo_ns = half.median;
    return true;
}

static bool time_copies(struct exchanging *x, const struct exchange_copy *copies, int count,
                        double *time_ns, struct error *err)
{
    struct exchange e = {.copies = copies, .copy_count = count};
    struct summary s;
    if (!time_of(x, &e, false, &s, err))
        return false;
    *time_ns = s.median;
    return true;
}

// Room for what is sent and what arrives, on those of the two that are this process's.
static bool link_ends(struct exchanging *x, int i, uint64_t at[2], struct error *err)
{
    for (int k = 0; k < 2; k++)
        if (is_ours(x, i + k) &&
            (!select_device(x, i + k, err) ||
             !x->devices[i + k]->ops->memory->alloc(x->devices[i + k], 2 * link_bytes,
                                                    "copies over the link", &at[k], err)))
            return false;
    return true;
}

// From each device to the next one, back, and both at once.
static bool time_links(struct exchanging *x, struct error *err)
{
    for (int i = 0; i + 1 < x->count && i < EXCHANGE_LINKS_MOST; i++) {
        uint64_t at[2] = {0};
        struct exchange_link *link = &x->out->links[i];
        x->out->link_count = i + 1;
        *link = (struct exchange_link){.size_bytes = (double)link_bytes};
        if (!is_ours(x, i) && !is_ours(x, i + 1))
            continue;
        if (!link_ends(x, i, at, err))
            return false;
        struct exchange_copy both[] = {
            {i, i + 1, at[0], at[1], link_bytes},
            {i + 1, i, at[1] + link_bytes, at[0] + link_bytes, link_bytes}};
        if (!time_copies(x, &both[0], 1, &link->there_ns, err) ||
            !time_copies(x, &both[1], 1, &link->back_ns, err) ||
            !time_copies(x, both, 2, &link->both_ns, err))
            return false;
        for (int k = 0; k < 2; k++)
            if (is_ours(x, i + k) &&
                (!select_device(x, i + k, err) ||
                 !x->devices[i + k]->ops->memory->release(x->devices[i + k], at[k], err)))
                return false;
    }
    return true;
}

/* ---- the worker ------------------------------------------------------------------------------------------- */

static bool open_exchange(struct exchanging *x, struct error *err)
{
    const struct parts_team *t = x->team;
    struct exchange_team team = {.own = t ? t->own : 0};
    if (t && !(t->own == 0 ? x->ops->meet(team.id, err) && t->give(t->context, team.id, err)
                           : t->take(t->context, team.id, err)))
        return false;
    return exchange_open_best(x->ops, x->devices, x->count, t ? &team : NULL, &x->out->by, &x->open,
                              err);
}

static bool exchange_all(struct exchanging *x, struct error *err)
{
    if (!open_benches(x, err))
        return false;
    x->ops = x->devices[x->team ? x->team->own : 0]->ops->exchange;
    if (!open_arrived(x, err) || !open_exchange(x, err))
        return false;
    make_exchanges(x);
    count_received(x);
    bool done = run_once(x, err) && check_outputs(x, err);
    if (done && !x->out->wrong[0])
        done = time_rounds(x, err) && time_links(x, err);
    x->ops->close(x->open);
    return done;
}

static int exchange_body(void *context, int fd)
{
    struct exchanging *x = context;
    struct error err = {0};
    worker_own_crashes();
    x->jobs = ARENA_ARRAY(&x->arena, struct job, x->count + 1);
    x->benches = ARENA_ARRAY(&x->arena, struct bench, x->count + 1);
    x->devices = ARENA_ARRAY(&x->arena, struct device *, x->count + 1);
    x->sequences = ARENA_ARRAY(&x->arena, struct device_sequence, x->count + 1);
    x->out->done = exchange_all(x, &err);
    if (!x->out->done)
        (void)snprintf(x->out->why, sizeof x->out->why, "%.500s", err.message);
    return worker_send(fd, x->out, sizeof *x->out) ? 0 : 1;
}

static void take_report(void *context, const char *data, size_t size_bytes)
{
    struct exchange_report *r = context;
    if (size_bytes == sizeof *r)
        memcpy(r, data, sizeof *r);
}

// As worker_run, until the team cannot go on.
static bool run_worker(struct exchanging *x, struct worker_spec *spec, struct worker_result *w,
                       struct error *err)
{
    volatile bool cancel = false;
    const volatile bool *asked = spec->cancel;
    if (!x->team)
        return worker_run(spec, w, err);
    spec->cancel = &cancel;
    struct worker *worker = worker_start(spec, err);
    if (!worker)
        return false;
    while (!worker_ended(worker)) {
        workers_wait(&worker, 1);
        cancel = (asked && *asked) || x->team->over(x->team->context);
    }
    spec->cancel = asked;
    return worker_finish(worker, w, err);
}

void parts_exchange_plan(struct part *parts, int count, const struct resolved_split *split,
                         struct exchange_plan *plan, struct exchange_report *out)
{
    static const struct parts_team elsewhere = {.own = -1}; // no part is this process's
    struct exchanging x = {
        .parts = parts, .count = count, .split = split, .team = &elsewhere, .out = out};
    int buffers = parts[0].whole->resolved->buffer_count;
    x.arrived = ARENA_ARRAY(&x.arena, uint64_t *, buffers + 1);
    for (int b = 0; b < buffers; b++)
        x.arrived[b] = ARENA_ARRAY(&x.arena, uint64_t, count + 1);
    make_exchanges(&x);
    count_received(&x);
    *plan = (struct exchange_plan){x.arena, x.all, x.halved, has_half(&x)};
}

void exchange_plan_release(struct exchange_plan *plan)
{
    arena_release(&plan->arena);
}

bool parts_exchange(struct part *parts, int count, const struct resolved_split *split,
                    const struct parts_team *team, const volatile bool *cancel,
                    struct exchange_report *out, struct error *err)
{
    struct exchanging x = {.parts = parts,
                           .count = count,
                           .split = split,
                           .team = team,
                           .request = parts[0].whole->request};
    struct worker_spec spec = {.body = exchange_body,
                               .context = &x,
                               .timeout_s = job_timeout_s(x.request),
                               .on_message = take_report,
                               .message_context = out,
                               .cancel = cancel};
    struct worker_result w;
    *out = (struct exchange_report){.half_halo_ns = (double)NAN};
    x.out = out;
    if (!run_worker(&x, &spec, &w, err))
        return false;
    if (w.end == WORKER_CANCELLED && (!team || (cancel && *cancel)))
        return fail_cancelled(err);
    out->stopped = w.end == WORKER_CANCELLED;
    if (out->stopped)
        (void)snprintf(out->why, sizeof out->why, "another rank could not go on");
    if (!out->done && !out->why[0]) {
        struct arena a = {0};
        (void)snprintf(out->why, sizeof out->why, "%.500s",
                       worker_describe_end(&a, "the exchange", &w, spec.timeout_s));
        arena_release(&a);
    }
    return true;
}
