// Sums over a timeline: kernels by time, copies, and of each device when it worked, when not, and when copies ran
// beside kernels. One pass over the work of a device in order of its starts.
// SPDX-License-Identifier: Apache-2.0
#include "capture/timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double percent = 100;

/* ---- kernels, copies and fills by name ----------------------------------------------------------- */

static double length_ns(const struct work *w)
{
    return (double)(w->end_ns - w->start_ns);
}

// A kernel may have the name of a copy.
static int by_name_and_length(const void *a, const void *b)
{
    const struct work *const *x = a, *const *y = b;
    double left = length_ns(*x), right = length_ns(*y);
    if ((*x)->kind != (*y)->kind)
        return (*x)->kind < (*y)->kind ? -1 : 1;
    if ((*x)->name != (*y)->name)
        return (*x)->name < (*y)->name ? -1 : 1;
    return left < right ? -1 : left > right;
}

static bool same_shape(const struct work *x, const struct work *y)
{
    return memcmp(x->grid, y->grid, sizeof x->grid) == 0 &&
           memcmp(x->block, y->block, sizeof x->block) == 0;
}

static int by_shape(const void *a, const void *b)
{
    const struct work *const *x = a, *const *y = b;
    int order = memcmp((*x)->grid, (*y)->grid, sizeof(*x)->grid);
    return order ? order : memcmp((*x)->block, (*y)->block, sizeof(*x)->block);
}

static size_t shapes_of(const struct work **w, size_t count)
{
    size_t shapes = 1;
    qsort(w, count, sizeof *w, by_shape);
    for (size_t i = 1; i < count; i++)
        shapes += !same_shape(w[i - 1], w[i]);
    return shapes;
}

// Of launches of one name, in order of their length.
static struct kernel_sum kernel_sum(const struct work **w, size_t count)
{
    const struct work *longest = w[count - 1];
    struct kernel_sum k = {.name = w[0]->name,
                           .launches = count,
                           .min_ns = length_ns(w[0]),
                           .max_ns = length_ns(longest),
                           .registers = longest->registers,
                           .shared_bytes = longest->shared_bytes};
    k.median_ns = (length_ns(w[(count - 1) / 2]) + length_ns(w[count / 2])) / 2;
    memcpy(k.grid, longest->grid, sizeof k.grid);
    memcpy(k.block, longest->block, sizeof k.block);
    for (size_t i = 0; i < count; i++) {
        k.total_ns += length_ns(w[i]);
        k.by_graph += w[i]->by_graph;
    }
    k.shapes = shapes_of(w, count);
    return k;
}

static struct move_sum move_sum(const struct work **w, size_t count)
{
    struct move_sum m = {.name = w[0]->name, .count = count};
    for (size_t i = 0; i < count; i++) {
        m.total_ns += length_ns(w[i]);
        m.bytes += w[i]->bytes == BYTES_UNKNOWN ? (double)NAN : (double)w[i]->bytes;
    }
    return m;
}

static int kernels_falling(const void *a, const void *b)
{
    const struct kernel_sum *x = a, *y = b;
    return x->total_ns > y->total_ns ? -1 : x->total_ns < y->total_ns ? 1 : x->name - y->name;
}

static int moves_falling(const void *a, const void *b)
{
    const struct move_sum *x = a, *y = b;
    return x->total_ns > y->total_ns ? -1 : x->total_ns < y->total_ns ? 1 : x->name - y->name;
}

static void sum_by_name(struct arena *a, const struct timeline *t, struct timeline_summary *out)
{
    size_t count = t->work.count;
    const struct work **w = ARENA_ARRAY(a, const struct work *, count + 1);
    double all_ns = 0;
    for (size_t i = 0; i < count; i++)
        w[i] = &t->work.items[i];
    qsort(w, count, sizeof *w, by_name_and_length);
    out->kernels = ARENA_ARRAY(a, struct kernel_sum, 2 * t->names.count + 1);
    out->moves = ARENA_ARRAY(a, struct move_sum, 2 * t->names.count + 1);
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from; to < count && w[to]->name == w[from]->name && w[to]->kind == w[from]->kind;
             to++)
            continue;
        out->whole_graphs += w[from]->kind == WORK_GRAPH ? to - from : 0;
        if (work_is_kernels(w[from]))
            out->kernels[out->kernel_count++] = kernel_sum(w + from, to - from);
        else
            out->moves[out->move_count++] = move_sum(w + from, to - from);
    }
    for (size_t i = 0; i < out->kernel_count; i++)
        all_ns += out->kernels[i].total_ns;
    for (size_t i = 0; i < out->kernel_count; i++)
        out->kernels[i].share_pct = percent * out->kernels[i].total_ns / all_ns;
    qsort(out->kernels, out->kernel_count, sizeof *out->kernels, kernels_falling);
    qsort(out->moves, out->move_count, sizeof *out->moves, moves_falling);
}

/* ---- a device over time ---------------------------------------------------------------------------- */

// A time that is covered by work of one sort, as it grows in order of starts.
struct cover {
    double covered_ns;
    uint64_t until_ns;
};

static void cover_add(struct cover *c, uint64_t start_ns, uint64_t end_ns)
{
    uint64_t from = start_ns > c->until_ns ? start_ns : c->until_ns;
    if (end_ns > from) {
        c->covered_ns += (double)(end_ns - from);
        c->until_ns = end_ns;
    }
}

static void gap_add(struct device_sum *d, const struct gap *g)
{
    size_t at = d->longest_count;
    d->gaps++;
    while (at > 0 && d->longest[at - 1].length_ns < g->length_ns)
        at--;
    if (at == GAPS_SHOWN)
        return;
    size_t moved = d->longest_count - at - (d->longest_count == GAPS_SHOWN);
    memmove(&d->longest[at + 1], &d->longest[at], moved * sizeof d->longest[0]);
    d->longest[at] = *g;
    d->longest_count += d->longest_count < GAPS_SHOWN;
}

static int numbers_rise(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

// Streams of different processes are different ones.
static size_t streams_of(struct arena *a, const struct work *w, size_t count)
{
    uint64_t *streams = ARENA_ARRAY(a, uint64_t, count);
    size_t different = 1;
    for (size_t i = 0; i < count; i++)
        streams[i] = w[i].stream << 16 ^ (uint64_t)w[i].process;
    qsort(streams, count, sizeof *streams, numbers_rise);
    for (size_t i = 1; i < count; i++)
        different += streams[i] != streams[i - 1];
    return different;
}

// Work of one device, in order of its starts.
static struct device_sum device_sum(struct arena *a, const struct work *w, size_t count)
{
    struct device_sum d = {.device = w[0].device, .start_ns = (double)w[0].start_ns};
    struct cover any = {0, w[0].start_ns}, kernels = {0}, moves = {0};
    const struct work *last = &w[0]; // of what began so far, that which ends last
    for (size_t i = 0; i < count; i++) {
        bool kernel = work_is_kernels(&w[i]);
        if (w[i].start_ns > any.until_ns)
            gap_add(&d, &(struct gap){(double)any.until_ns, (double)(w[i].start_ns - any.until_ns),
                                      last->name, w[i].name});
        bool found_idle = i == 0 || w[i].start_ns > any.until_ns + RECORDING_IDLE_NS;
        d.dear += w[i].kind == WORK_KERNEL && (w[i].by_graph || found_idle);
        d.dear_graphs += w[i].kind == WORK_GRAPH && found_idle;
        cover_add(&any, w[i].start_ns, w[i].end_ns);
        cover_add(kernel ? &kernels : &moves, w[i].start_ns, w[i].end_ns);
        last = w[i].end_ns > last->end_ns ? &w[i] : last;
        d.kernel_sum_ns += kernel ? length_ns(&w[i]) : 0;
        d.kernels += kernel;
        d.moves += !kernel;
    }
    d.span_ns = (double)(last->end_ns - w[0].start_ns);
    d.busy_ns = any.covered_ns;
    d.kernel_ns = kernels.covered_ns;
    d.move_ns = moves.covered_ns;
    d.both_ns = d.kernel_ns + d.move_ns - d.busy_ns;
    d.idle_ns = d.span_ns - d.busy_ns;
    d.streams = streams_of(a, w, count);
    return d;
}

static void sum_by_device(struct arena *a, const struct timeline *t, struct timeline_summary *out)
{
    const struct work *w = t->work.items;
    out->devices = ARENA_ARRAY(a, struct device_sum, t->devices.count + 1);
    for (size_t from = 0, to; from < t->work.count; from = to) {
        for (to = from; to < t->work.count && w[to].device == w[from].device; to++)
            continue;
        out->devices[out->device_count] = device_sum(a, w + from, to - from);
        out->span_ns += out->devices[out->device_count++].span_ns;
    }
}

/* ---- what to look at -------------------------------------------------------------------------------- */

static int worth_falling(const void *a, const void *b)
{
    const struct worth *x = a, *y = b;
    if (x->gain_ns > y->gain_ns || x->gain_ns < y->gain_ns)
        return x->gain_ns > y->gain_ns ? -1 : 1;
    return x->kind != y->kind ? (int)x->kind - (int)y->kind : x->name - y->name;
}

// What all launches of the kernel take above its floor, by the share of that in the launch that was run again.
static double above_floor_ns(const struct kernel_sum *k)
{
    const struct kernel_floor *f = k->floor;
    if (!f || f->why)
        return k->total_ns;
    return k->total_ns * fmax(0, 1 - f->floor_ns / f->time_ns);
}

static void rank(struct timeline_summary *s)
{
    struct worth idle = {.kind = WORTH_IDLE, .name = -1}, moves = {.kind = WORTH_MOVES, .name = -1};
    s->worth_count = 0;
    for (size_t i = 0; i < s->kernel_count; i++)
        s->worth[s->worth_count++] = (struct worth){.kind = WORTH_KERNEL,
                                                    .name = s->kernels[i].name,
                                                    .time_ns = s->kernels[i].total_ns,
                                                    .gain_ns = above_floor_ns(&s->kernels[i]),
                                                    .floor = s->kernels[i].floor};
    for (size_t i = 0; i < s->device_count; i++) {
        idle.time_ns += s->devices[i].idle_ns;
        moves.time_ns += s->devices[i].move_ns - s->devices[i].both_ns;
    }
    idle.gain_ns = idle.time_ns;
    moves.gain_ns = moves.time_ns;
    if (idle.time_ns > 0)
        s->worth[s->worth_count++] = idle;
    if (moves.time_ns > 0)
        s->worth[s->worth_count++] = moves;
    for (size_t i = 0; i < s->worth_count; i++)
        s->worth[i].share_pct = percent * s->worth[i].gain_ns / s->span_ns;
    qsort(s->worth, s->worth_count, sizeof *s->worth, worth_falling);
}

// Others' recordings (nsys, rocprof) have costs of their own.
static void sum_recording(const struct timeline *t, struct timeline_summary *out)
{
    bool ours = t->processes.count > 0;
    for (size_t i = 0; i < t->processes.count; i++)
        ours = ours && t->processes.items[i].file != NULL;
    for (size_t i = 0; i < out->device_count; i++) {
        out->dear += out->devices[i].dear;
        out->dear_graphs += out->devices[i].dear_graphs;
    }
    for (size_t i = 0; i < out->kernel_count; i++)
        out->of_graphs += out->kernels[i].by_graph;
    out->of_graphs -= out->whole_graphs;
    if (ours && out->span_ns > 0)
        out->recording_pct = percent *
                             ((double)out->dear * RECORDING_DEAR_NS +
                              (double)out->dear_graphs * RECORDING_DEAR_GRAPH_NS) /
                             out->span_ns;
}

void timeline_summarize(struct arena *a, struct timeline *t, struct timeline_summary *out)
{
    *out = (struct timeline_summary){0};
    timeline_sort(t);
    sum_by_name(a, t, out);
    sum_by_device(a, t, out);
    out->worth = ARENA_ARRAY(a, struct worth, out->kernel_count + 2);
    rank(out);
    sum_recording(t, out);
    out->ranges = timeline_range_sums(a, t, &out->range_count);
}

void timeline_set_floor(struct timeline_summary *s, size_t kernel, const struct kernel_floor *floor)
{
    s->kernels[kernel].floor = floor;
    s->floors = true;
    rank(s);
}
