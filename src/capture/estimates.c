// From launches that were counted all and timed in part to what they take together. A timed launch was chosen by chance from the
// `every` that it stands for; a kind's total is the mean of its timed launches, weighted so, times its launches. The interval is
// Student's, of the deviations within those that stand for about as many (between two powers of 2), with Satterthwaite's degrees of
// freedom (Biometrics Bulletin 2, 1946), and for what was not timed alone. Of fewer timed launches than TIMED_FOR_INTERVAL there is
// none: two that happen to be equal would make it nothing.
// SPDX-License-Identifier: Apache-2.0
#include "capture/timeline.h"
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TIMED_FOR_INTERVAL = 4 };
static const double percent = 100, unknown = (double)NAN;

struct kind_total { // of one struct counted
    double total_ns, around_ns;
};

static int by_every(const void *a, const void *b)
{
    const struct timed_launch *x = a, *y = b;
    return (x->every > y->every) - (x->every < y->every);
}

// The mean's variance, and its degrees of freedom, from times in the order of what they stand for.
static double variance_of_mean(const struct timed_launch *x, size_t count, double mean, double *df)
{
    double sum = 0, weight = 0, parts = 0;
    for (size_t from = 0, to; from < count; from = to) {
        double own = 0, own_weight = 0, squares = 0;
        for (to = from; to < count && ilogb(x[to].every) == ilogb(x[from].every); to++) {
            own += x[to].every * x[to].ns;
            own_weight += x[to].every;
        }
        double many = (double)(to - from);
        own = many > 1 ? own / own_weight : mean; // of a single one: from the mean of all
        for (size_t i = from; i < to; i++)
            squares += x[i].every * x[i].every * (x[i].ns - own) * (x[i].ns - own);
        squares *= many > 1 ? many / (many - 1) : 1;
        sum += squares;
        weight += own_weight;
        parts += squares * squares / (many > 1 ? many - 1 : 1);
    }
    *df = parts > 0 ? sum * sum / parts : (double)count - 1;
    return sum / (weight * weight);
}

static struct kind_total total_of(const struct counted *c)
{
    struct kind_total k = {unknown, unknown};
    size_t count = c->times.count;
    double sum = 0, weight = 0, df = 0, launches = (double)c->launches;
    if (count == 0)
        return k;
    struct timed_launch *x = xcalloc(count, sizeof *x);
    memcpy(x, c->times.items, count * sizeof *x);
    qsort(x, count, sizeof *x, by_every);
    for (size_t i = 0; i < count; i++) {
        sum += x[i].every * x[i].ns;
        weight += x[i].every;
    }
    k.total_ns = launches * sum / weight;
    double variance = variance_of_mean(x, count, sum / weight, &df);
    double left = fmax(0, 1 - (double)count / launches); // not timed
    if (left <= 0)
        k.around_ns = 0;
    else if (df > 0 && count >= TIMED_FOR_INTERVAL)
        k.around_ns = student_quantile(0.975, df) * launches * sqrt(variance * left);
    free(x);
    return k;
}

/* ---- by name --------------------------------------------------------------------------------------- */

static int numbers_rise(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static int by_shape(const struct counted *a, const struct counted *b)
{
    int grid = memcmp(a->grid, b->grid, sizeof a->grid);
    return grid ? grid : memcmp(a->block, b->block, sizeof a->block);
}

// rows: the indexes of those of one name, in the order of their shapes
static struct estimate estimate_of(const struct timeline *t, const size_t *rows, size_t count)
{
    const struct counted *all = t->counted.items, *first = &all[rows[0]];
    struct estimate e = {.kind = first->kind,
                         .name = first->name,
                         .total_ns = unknown,
                         .around_ns = unknown,
                         .median_ns = unknown,
                         .min_ns = unknown,
                         .max_ns = unknown};
    double squares = 0, most = -1;
    size_t times = 0;
    bool open = false; // of one the interval is not known
    for (size_t i = 0; i < count; i++)
        times += all[rows[i]].times.count;
    double *ns = xcalloc(times + 1, sizeof *ns);
    times = 0;
    for (size_t i = 0; i < count; i++) {
        const struct counted *c = &all[rows[i]];
        struct kind_total k = total_of(c);
        e.shapes += i == 0 || by_shape(c, &all[rows[i - 1]]) != 0;
        e.launches += c->launches;
        e.bytes += c->bytes;
        e.timed += c->times.count;
        if (isnan(k.total_ns)) {
            e.untimed += c->launches;
        } else {
            e.total_ns = isnan(e.total_ns) ? k.total_ns : e.total_ns + k.total_ns;
            open |= isnan(k.around_ns);
            squares += k.around_ns * k.around_ns;
        }
        double size = isnan(k.total_ns) ? 0 : k.total_ns;
        if (size > most) {
            memcpy(e.grid, c->grid, sizeof e.grid);
            memcpy(e.block, c->block, sizeof e.block);
            most = size;
        }
        for (size_t j = 0; j < c->times.count; j++)
            ns[times++] = c->times.items[j].ns;
    }
    if (times > 0) {
        qsort(ns, times, sizeof *ns, numbers_rise);
        e.median_ns = (ns[times / 2] + ns[(times - 1) / 2]) / 2;
        e.min_ns = ns[0];
        e.max_ns = ns[times - 1];
        e.around_ns = open ? unknown : sqrt(squares);
    }
    free(ns);
    return e;
}

struct place { // a row, and what it is sorted by
    int group, name;
    const struct counted *row;
    size_t number;
};

static int by_name(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->group != y->group)
        return x->group - y->group;
    if (x->name != y->name)
        return x->name - y->name;
    int shape = by_shape(x->row, y->row);
    return shape ? shape : (x->number > y->number) - (x->number < y->number);
}

static int by_total(const void *a, const void *b)
{
    const struct estimate *x = a, *y = b;
    double p = isnan(x->total_ns) ? -1 : x->total_ns, q = isnan(y->total_ns) ? -1 : y->total_ns;
    if (p > q || p < q)
        return p > q ? -1 : 1;
    if (x->launches + x->by_graphs != y->launches + y->by_graphs)
        return x->launches + x->by_graphs > y->launches + y->by_graphs ? -1 : 1;
    return x->name - y->name;
}

static void add_by_name(const struct timeline *t, struct estimates *out)
{
    enum { KERNELS, GRAPHS, MOVES };
    size_t count = t->counted.count;
    struct place *places = xcalloc(count + 1, sizeof *places);
    size_t *rows = xcalloc(count + 1, sizeof *rows);
    for (size_t i = 0; i < count; i++) {
        const struct counted *c = &t->counted.items[i];
        places[i] = (struct place){c->kind == WORK_KERNEL  ? KERNELS
                                   : c->kind == WORK_GRAPH ? GRAPHS
                                                           : MOVES,
                                   c->name, c, i};
    }
    if (count > 0)
        qsort(places, count, sizeof *places, by_name);
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from; to < count && places[to].group == places[from].group &&
                        places[to].name == places[from].name;
             to++)
            rows[to - from] = places[to].number;
        struct estimate e = estimate_of(t, rows, to - from);
        if (places[from].group == KERNELS)
            out->kernels[out->kernel_count++] = e;
        else if (places[from].group == GRAPHS)
            out->graphs[out->graph_count++] = e;
        else
            out->moves[out->move_count++] = e;
    }
    free(rows);
    free(places);
}

static uint64_t launches_of(const struct timeline *t, const struct graph_part *part)
{
    uint64_t launches = 0;
    for (size_t i = 0; i < t->counted.count; i++) {
        const struct counted *c = &t->counted.items[i];
        if (c->kind == WORK_GRAPH && c->process == part->process && c->graph == part->graph)
            launches += c->launches;
    }
    return launches;
}

// Each launch of a graph is one of each of its kernels. Parts of a graph follow each other.
static void add_graph_kernels(const struct timeline *t, struct estimates *out)
{
    const struct graph_part *last = NULL;
    uint64_t launches = 0;
    size_t *at = xcalloc(t->names.count + 1, sizeof *at); // of a name's kernel, and one
    for (size_t k = 0; k < out->kernel_count; k++)
        at[out->kernels[k].name] = k + 1;
    for (size_t p = 0; p < t->graph_parts.count; p++) {
        const struct graph_part *part = &t->graph_parts.items[p];
        if (!last || last->graph != part->graph || last->process != part->process)
            launches = launches_of(t, part);
        last = part;
        if (at[part->name] == 0) {
            out->kernels[out->kernel_count++] = (struct estimate){.kind = WORK_KERNEL,
                                                                  .name = part->name,
                                                                  .total_ns = unknown,
                                                                  .around_ns = unknown,
                                                                  .median_ns = unknown,
                                                                  .min_ns = unknown,
                                                                  .max_ns = unknown};
            at[part->name] = out->kernel_count;
        }
        out->kernels[at[part->name] - 1].by_graphs += launches * part->launches;
    }
    free(at);
}

/* ---- by device ------------------------------------------------------------------------------------- */

static int streams_rise(const void *a, const void *b)
{
    const struct counted *const *x = a, *const *y = b;
    if ((*x)->process != (*y)->process)
        return (*x)->process - (*y)->process;
    return ((*x)->stream > (*y)->stream) - ((*x)->stream < (*y)->stream);
}

static struct counted_device device_of(const struct timeline *t, int device)
{
    struct counted_device d = {.device = device};
    const struct counted **own = xcalloc(t->counted.count + 1, sizeof(struct counted *));
    size_t count = 0;
    uint64_t first = UINT64_MAX, last = 0;
    for (size_t i = 0; i < t->counted.count; i++) {
        const struct counted *c = &t->counted.items[i];
        if (c->device != device)
            continue;
        own[count++] = c;
        uint64_t end = t->processes.items[c->process].end_ns;
        end = end > 0 ? end : c->last_ns;
        first = c->first_ns < first ? c->first_ns : first;
        last = end > last ? end : last;
        d.launches += c->kind == WORK_KERNEL ? c->launches : 0;
        d.graph_launches += c->kind == WORK_GRAPH ? c->launches : 0;
        d.moves += c->kind == WORK_COPY || c->kind == WORK_FILL ? c->launches : 0;
        double total = c->kind == WORK_KERNEL || c->kind == WORK_GRAPH ? total_of(c).total_ns : 0;
        d.kernel_ns += isnan(total) ? 0 : total;
    }
    if (count > 0)
        qsort(own, count, sizeof(struct counted *), streams_rise);
    for (size_t i = 0; i < count; i++)
        d.streams += i == 0 || streams_rise(&own[i], &own[i - 1]) != 0;
    d.span_ns = last > first ? (double)(last - first) : 0;
    free(own);
    return d;
}

void timeline_estimate(struct arena *a, const struct timeline *t, struct estimates *out)
{
    size_t rows = t->counted.count + t->graph_parts.count + 1;
    double all_ns = 0;
    *out =
        (struct estimates){.kernels = ARENA_ARRAY(a, struct estimate, rows),
                           .graphs = ARENA_ARRAY(a, struct estimate, rows),
                           .moves = ARENA_ARRAY(a, struct estimate, rows),
                           .devices = ARENA_ARRAY(a, struct counted_device, t->devices.count + 1)};
    add_by_name(t, out);
    add_graph_kernels(t, out);
    qsort(out->kernels, out->kernel_count, sizeof *out->kernels, by_total);
    qsort(out->graphs, out->graph_count, sizeof *out->graphs, by_total);
    qsort(out->moves, out->move_count, sizeof *out->moves, by_total);
    for (size_t i = 0; i < out->kernel_count; i++)
        all_ns += isnan(out->kernels[i].total_ns) ? 0 : out->kernels[i].total_ns;
    for (size_t i = 0; i < out->graph_count; i++)
        all_ns += isnan(out->graphs[i].total_ns) ? 0 : out->graphs[i].total_ns;
    for (size_t i = 0; i < out->kernel_count; i++)
        out->kernels[i].share_pct = percent * out->kernels[i].total_ns / all_ns;
    for (size_t i = 0; i < out->graph_count; i++)
        out->graphs[i].share_pct = percent * out->graphs[i].total_ns / all_ns;
    for (size_t i = 0; i < t->devices.count; i++) {
        struct counted_device d = device_of(t, (int)i);
        if (d.launches + d.graph_launches + d.moves > 0) {
            out->devices[out->device_count++] = d;
            out->span_ns += d.span_ns;
        }
    }
}
