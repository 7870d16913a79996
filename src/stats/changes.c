// Where the level of a series changes: PELT (Killick, Fearnhead and Eckley 2012), exact for the cost below and
// linear in time where changes are many.
// SPDX-License-Identifier: Apache-2.0
#include "base/base.h"
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>

struct sums { // of the values and their squares before each place
    double value, square;
};
struct
    division { // of the values before each place: what the best one costs, and where its last segment begins
    struct sums *sums;
    double *cost;
    size_t *last;
    size_t *kept, kept_count; // places where the last segment may begin
};

// The squared distances of a segment from its mean.
static double segment_cost(const struct sums *s, size_t from, size_t to)
{
    double n = (double)(to - from), value = s[to].value - s[from].value;
    return fmax(0, s[to].square - s[from].square - value * value / n);
}

static void choose_last(struct division *d, size_t to, double penalty)
{
    d->cost[to] = (double)INFINITY;
    for (size_t k = 0; k < d->kept_count; k++) {
        double cost = d->cost[d->kept[k]] + segment_cost(d->sums, d->kept[k], to) + penalty;
        if (cost < d->cost[to]) {
            d->cost[to] = cost;
            d->last[to] = d->kept[k];
        }
    }
}

// What can never be the best again.
static void prune(struct division *d, size_t to)
{
    size_t left = 0;
    for (size_t k = 0; k < d->kept_count; k++)
        if (d->cost[d->kept[k]] + segment_cost(d->sums, d->kept[k], to) <= d->cost[to])
            d->kept[left++] = d->kept[k];
    d->kept_count = left;
}

static size_t read_changes(const struct division *d, size_t count, size_t *changes)
{
    size_t n = 0, at;
    for (size_t to = count; d->last[to] > 0; to = d->last[to])
        n++;
    at = n;
    for (size_t to = count; at > 0; to = d->last[to])
        changes[--at] = d->last[to];
    return n;
}

size_t stats_pelt(const double *x, size_t count, double penalty, size_t segment_min,
                  size_t *changes)
{
    size_t shortest = segment_min > 0 ? segment_min : 1, n = 0;
    struct division d = {.sums = xcalloc(count + 1, sizeof *d.sums),
                         .cost = xcalloc(count + 1, sizeof *d.cost),
                         .last = xcalloc(count + 1, sizeof *d.last),
                         .kept = xcalloc(count + 1, sizeof *d.kept)};
    for (size_t i = 0; i < count; i++) { // of differences from the first: fewer digits are lost
        double y = x[i] - x[0];
        d.sums[i + 1] = (struct sums){d.sums[i].value + y, d.sums[i].square + y * y};
    }
    d.cost[0] = -penalty;
    for (size_t to = shortest; to <= count; to++) {
        size_t from = to - shortest;
        if (from == 0 || from >= shortest)
            d.kept[d.kept_count++] = from;
        choose_last(&d, to, penalty);
        if (shortest == 1) // with longer segments a place may be the best again a little later
            prune(&d, to);
    }
    if (count >= shortest)
        n = read_changes(&d, count, changes);
    free(d.sums);
    free(d.cost);
    free(d.last);
    free(d.kept);
    return n;
}
