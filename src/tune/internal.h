// tune, inside: what strategies share. A strategy is a row of strategies.def and a const vtable.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_TUNE_INTERNAL_H
#define RIDGE_TUNE_INTERNAL_H

#include "tune/tune.h"

struct search {
    const struct search_space *space;
    struct search_options options;
    const struct strategy_ops *ops;
    bool *asked;      // by point
    double *times_ns; // by point; NAN = not told, or it cannot run
    int asked_count, told_count, most;
    int fastest;     // point; -1 = none yet
    uint64_t random; // state
    bool audits;     // the last points were asked for by chance among those that pruning cuts off
    void *own;       // the strategy's
};
struct strategy_ops {
    void (*open)(struct search *x);                      // optional
    int (*ask)(struct search *x, int room, int *points); // room >= 1; marks nothing
    void (*tell)(struct search *x, int point);           // optional; times_ns is set
    void (*close)(struct search *x);                     // optional
};
extern const struct strategy_ops search_exhaustive, search_random, search_local, search_bayesian,
    search_pruned;

// 0 to count - 1, evenly.
int search_draw(struct search *x, int count);
void search_shuffle(struct search *x, int *items, int count);
// A point that was not asked for, evenly among those; -1: all were. `taken` (room for `taken_count`) are left out too.
int search_draw_fresh(struct search *x, const int *taken, int taken_count);

#endif
