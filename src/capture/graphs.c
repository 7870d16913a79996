// What ran in graphs' launches that were recorded as a whole. Of each block of launches of a graph one, drawn at random, was
// recorded by its kernels (recorder/graphs.c): a sample of one per stratum, which stands for the others of its block. How far the
// sum of these may be off follows from the differences between neighbours (Wolter, "Introduction to Variance Estimation", 8.2).
// SPDX-License-Identifier: Apache-2.0
#include "capture/timeline.h"
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>

struct piece {          // what a look saw of one name, added up
    size_t graph, look; // graph: its first look
    enum work_kind kind;
    int name;
    double count, ns, bytes;
};
struct key { // of a look, by what launched it
    int process;
    uint64_t correlation;
    size_t look;
};
struct looks { // of all graphs, sorted
    struct graph_look *items;
    size_t count;
    struct key *keys;
};

static int looks_rise(const void *a, const void *b)
{
    const struct graph_look *x = a, *y = b;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    if (x->graph != y->graph)
        return x->graph < y->graph ? -1 : 1;
    return x->correlation < y->correlation ? -1 : x->correlation > y->correlation;
}

static int keys_rise(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    return x->correlation < y->correlation ? -1 : x->correlation > y->correlation;
}

static bool same_graph(const struct graph_look *x, const struct graph_look *y)
{
    return x->process == y->process && x->graph == y->graph;
}

static struct graph_look *look_at(const struct looks *l, const struct work *w)
{
    struct key wanted = {w->process, w->correlation, 0};
    const struct key *k = bsearch(&wanted, l->keys, l->count, sizeof *l->keys, keys_rise);
    return k ? &l->items[k->look] : NULL;
}

// Those that nothing is known of are left out: their records are missing, or they were recorded as a whole after all.
static void keep_seen(struct looks *l)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->count; i++)
        if (l->items[i].seen)
            l->items[kept++] = l->items[i];
    l->count = kept;
}

static void make_keys(struct looks *l)
{
    qsort(l->items, l->count, sizeof *l->items, looks_rise);
    for (size_t i = 0; i < l->count; i++)
        l->keys[i] = (struct key){l->items[i].process, l->items[i].correlation, i};
    qsort(l->keys, l->count, sizeof *l->keys, keys_rise);
}

static struct looks looks_of(struct arena *a, struct timeline *t)
{
    struct looks l = {t->looks.items, t->looks.count,
                      ARENA_ARRAY(a, struct key, t->looks.count + 1)};
    for (size_t i = 0; i < l.count; i++) {
        struct graph_look *x = &l.items[i];
        *x = (struct graph_look){x->process, x->graph, x->correlation, x->from, 0, 0, 0, 0, false};
    }
    if (l.count == 0)
        return l;
    make_keys(&l);
    for (int whole = 0; whole < 2; whole++)
        for (size_t i = 0; i < t->work.count; i++) {
            const struct work *w = &t->work.items[i];
            struct graph_look *look = (w->kind == WORK_GRAPH) == whole ? look_at(&l, w) : NULL;
            if (look)
                look->seen = !whole;
        }
    keep_seen(&l);
    t->looks.count = l.count;
    make_keys(&l);
    return l;
}

// The last whose block had begun when the graph was launched; NULL: none of that graph.
static struct graph_look *look_for(const struct looks *l, const struct work *graph)
{
    struct graph_look wanted = {
        .process = graph->process, .graph = graph->graph, .correlation = UINT64_MAX};
    size_t low = 0, high = l->count;
    while (low < high) { // the first of a later graph
        size_t middle = (low + high) / 2;
        if (looks_rise(&l->items[middle], &wanted) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    struct graph_look *found = NULL;
    for (; low > 0 && same_graph(&l->items[low - 1], &wanted); low--) {
        found = &l->items[low - 1];
        if (found->from <= graph->correlation)
            break;
    }
    return found;
}

/* ---- what looks saw -------------------------------------------------------------------------------- */

static int pieces_rise(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    if (x->graph != y->graph)
        return x->graph < y->graph ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    return x->look < y->look ? -1 : x->look > y->look;
}

static bool same_part(const struct piece *x, const struct piece *y)
{
    return x->graph == y->graph && x->kind == y->kind && x->name == y->name;
}

static size_t pieces_of(const struct timeline *t, const struct looks *l, struct piece *out)
{
    size_t count = 0, kept = 0;
    size_t *first = xcalloc(l->count + 1, sizeof *first);
    for (size_t i = 1; i < l->count; i++)
        first[i] = same_graph(&l->items[i], &l->items[i - 1]) ? first[i - 1] : i;
    for (size_t i = 0; i < t->work.count; i++) {
        const struct work *w = &t->work.items[i];
        struct graph_look *look = w->kind == WORK_GRAPH ? NULL : look_at(l, w);
        if (!look)
            continue;
        size_t number = (size_t)(look - l->items);
        double ns = (double)(w->end_ns - w->start_ns);
        bool kernel = w->kind == WORK_KERNEL;
        look->kernels += kernel;
        look->moves += !kernel;
        look->kernel_ns += kernel ? ns : 0;
        out[count++] = (struct piece){first[number],
                                      number,
                                      w->kind,
                                      w->name,
                                      1,
                                      ns,
                                      kernel                      ? 0
                                      : w->bytes == BYTES_UNKNOWN ? (double)NAN
                                                                  : (double)w->bytes};
    }
    free(first);
    qsort(out, count, sizeof *out, pieces_rise);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || pieces_rise(&out[kept - 1], &out[i]) != 0) {
            out[kept++] = out[i];
            continue;
        }
        out[kept - 1].count += out[i].count;
        out[kept - 1].ns += out[i].ns;
        out[kept - 1].bytes += out[i].bytes;
    }
    return kept;
}

/* ---- estimates ------------------------------------------------------------------------------------- */

struct series { // over the looks of a graph that stand for others, of one figure
    size_t looks;
    double last, squares; // differences of neighbours
};

static void series_add(struct series *s, double value)
{
    if (s->looks++ > 0)
        s->squares += (value - s->last) * (value - s->last);
    s->last = value;
}

// weights: the sum of w (w + 1) for w launches that each look stands for: its own error, and theirs.
static double margin_of(const struct series *s, double weights)
{
    static const double tail = 0.975;
    if (s->looks < 2)
        return NAN;
    double differences = (double)(s->looks - 1);
    double degrees = fmax(1, 2 * differences / 3); // of a sum of squared differences that overlap
    return student_quantile(tail, degrees) * sqrt(s->squares / (2 * differences) * weights);
}

// Pieces of one part; each look of the graph that has none saw nothing of it.
static struct graph_part part_of(const struct looks *l, const struct piece *p, size_t count)
{
    struct graph_part part = {.kind = p->kind, .name = p->name};
    struct series counts = {0}, times = {0};
    double weights = 0;
    size_t at = 0;
    for (size_t i = p->graph; i < l->count && same_graph(&l->items[i], &l->items[p->graph]); i++) {
        bool here = at < count && p[at].look == i;
        double w = (double)l->items[i].wholes;
        if (l->items[i].wholes > 0) {
            series_add(&counts, here ? p[at].count : 0);
            series_add(&times, here ? p[at].ns : 0);
            weights += w * (w + 1);
        }
        if (here) {
            part.count += w * p[at].count;
            part.total_ns += w * p[at].ns;
            part.bytes += l->items[i].wholes > 0 ? w * p[at].bytes : 0;
        }
        at += here;
    }
    part.count_margin = margin_of(&counts, weights);
    part.total_margin_ns = margin_of(&times, weights);
    return part;
}

static int parts_rise(const void *a, const void *b)
{
    const struct graph_part *x = a, *y = b;
    return x->kind != y->kind ? (int)x->kind - (int)y->kind : x->name - y->name;
}

static void join(struct graph_part *to, const struct graph_part *other)
{
    to->count += other->count;
    to->total_ns += other->total_ns;
    to->bytes += other->bytes;
    to->count_margin = hypot(to->count_margin, other->count_margin);
    to->total_margin_ns = hypot(to->total_margin_ns, other->total_margin_ns);
}

struct graph_part *timeline_graph_parts(struct arena *a, struct timeline *t, size_t *count)
{
    struct looks l = looks_of(a, t);
    struct piece *pieces = xcalloc(t->work.count + 1, sizeof *pieces);
    *count = 0;
    for (size_t i = 0; i < t->work.count; i++) {
        struct work *w = &t->work.items[i];
        struct graph_look *look = w->kind == WORK_GRAPH ? look_for(&l, w) : NULL;
        w->look = look ? (size_t)(look - l.items) + 1 : 0;
        if (look)
            look->wholes++;
    }
    size_t piece_count = pieces_of(t, &l, pieces), kept = 0;
    struct graph_part *parts = ARENA_ARRAY(a, struct graph_part, piece_count + 1);
    for (size_t from = 0, to; from < piece_count; from = to) {
        for (to = from; to < piece_count && same_part(&pieces[to], &pieces[from]); to++)
            continue;
        struct graph_part part = part_of(&l, &pieces[from], to - from);
        if (part.count > 0)
            parts[(*count)++] = part;
    }
    free(pieces);
    if (*count > 0)
        qsort(parts, *count, sizeof *parts, parts_rise);
    for (size_t i = 0; i < *count; i++)
        if (kept > 0 && parts_rise(&parts[kept - 1], &parts[i]) == 0)
            join(&parts[kept - 1], &parts[i]);
        else
            parts[kept++] = parts[i];
    *count = kept;
    return parts;
}
