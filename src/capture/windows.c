// A period stands between two changes of the recorder's mind, and has one window. Where the window lies is drawn, so what was
// seen in it, times the period over the window, estimates the period without bias: a sample of one per stratum. How far the
// sum of these may be off follows from the differences between neighbours (Wolter, "Introduction to Variance Estimation", 8.2).
// SPDX-License-Identifier: Apache-2.0
#include "capture/windows.h"
#include "stats/stats.h"

#include <math.h>

static void add_window(struct timeline *t, int process, uint64_t from_ns, uint64_t until_ns)
{
    size_t count = t->windows.count;
    struct listened *last = count > 0 ? &t->windows.items[count - 1] : NULL;
    if (last && last->process == process && last->until_ns == from_ns) {
        last->until_ns = until_ns;
        return;
    }
    struct listened w = {process, from_ns, until_ns};
    VEC_PUSH(t->windows.items, t->windows.count, t->windows.capacity, w);
}

// One without a window, and the last, which the program's end cut, belong to the one before.
static void add_period(struct timeline *t, const struct period *p, bool first, bool last)
{
    bool whole = p->heard_ns >= (double)(p->until_ns - p->from_ns);
    if (!first && (p->heard_ns <= 0 || (last && !whole))) {
        struct period *before = &t->periods.items[t->periods.count - 1];
        before->until_ns = p->until_ns;
        before->heard_ns += p->heard_ns;
        return;
    }
    VEC_PUSH(t->periods.items, t->periods.count, t->periods.capacity, *p);
}

static void add_periods(struct timeline *t, int process, const struct listen_change *changes,
                        size_t count, uint64_t end_ns)
{
    size_t first = t->periods.count;
    for (size_t from = 0, to; from < count; from = to) {
        struct period p = {.process = process, .from_ns = changes[from].time_ns};
        for (to = from; to < count && changes[to].period == changes[from].period; to++) {
            uint64_t until_ns = to + 1 < count ? changes[to + 1].time_ns : end_ns;
            if (!changes[to].on || until_ns <= changes[to].time_ns)
                continue;
            p.heard_from_ns = p.heard_ns > 0 ? p.heard_from_ns : changes[to].time_ns;
            p.heard_ns += (double)(until_ns - changes[to].time_ns);
            add_window(t, process, changes[to].time_ns, until_ns);
        }
        p.until_ns = to < count ? changes[to].time_ns : end_ns;
        if (p.until_ns > p.from_ns && (p.heard_ns > 0 || t->periods.count > first))
            add_period(t, &p, t->periods.count == first, to == count);
    }
}

// Work is of the last window that had begun: what was launched in it may start after its end.
static void place_work(struct timeline *t, size_t first_work, size_t first_period,
                       size_t first_window)
{
    for (size_t i = first_work; i < t->work.count; i++) {
        struct work *w = &t->work.items[i];
        size_t low = first_period, high = t->periods.count;
        while (high - low > 1) {
            size_t middle = low + (high - low) / 2;
            if (t->periods.items[middle].heard_from_ns <= w->start_ns)
                low = middle;
            else
                high = middle;
        }
        w->period = (int)low + 1;
        low = first_window;
        high = t->windows.count;
        while (high - low > 1) {
            size_t middle = low + (high - low) / 2;
            if (t->windows.items[middle].from_ns <= w->start_ns)
                low = middle;
            else
                high = middle;
        }
        w->window = (int)low + 1;
    }
}

// Kernels of graphs that ran while a window ended have ends that lie in a later one. They are left out.
static size_t drop_cut(struct timeline *t, size_t first_work)
{
    size_t left = first_work;
    for (size_t i = first_work; i < t->work.count; i++) {
        const struct work *w = &t->work.items[i];
        bool cut = w->by_graph && w->end_ns > t->windows.items[w->window - 1].until_ns;
        if (!cut)
            t->work.items[left++] = *w;
    }
    size_t dropped = t->work.count - left;
    t->work.count = left;
    return dropped;
}

static bool in_order(const struct listen_change *changes, size_t count, uint64_t end_ns)
{
    for (size_t i = 0; i < count; i++)
        if (changes[i].time_ns > (i + 1 < count ? changes[i + 1].time_ns : end_ns))
            return false;
    return true;
}

void windows_add(struct timeline *t, int process, const struct listen_change *changes, size_t count,
                 uint64_t end_ns, size_t first_work)
{
    size_t periods = t->periods.count, windows = t->windows.count;
    struct watched_process *p = &t->processes.items[process];
    bool always = true;
    for (size_t i = 0; i < count; i++)
        always = always && changes[i].on;
    if (always || !in_order(changes, count, end_ns))
        return;
    add_periods(t, process, changes, count, end_ns);
    if (t->periods.count == periods)
        return;
    place_work(t, first_work, periods, windows);
    p->in_parts = true;
    p->cut = drop_cut(t, first_work);
    p->windows = t->windows.count - windows;
    for (size_t i = periods; i < t->periods.count; i++) {
        p->heard_ns += t->periods.items[i].heard_ns;
        p->watched_ns += (double)(t->periods.items[i].until_ns - t->periods.items[i].from_ns);
    }
}

static double weight(const struct period *p)
{
    return fmax(1, (double)(p->until_ns - p->from_ns) / p->heard_ns);
}

double windows_weight(const struct timeline *t, const struct work *w)
{
    return w->period == 0 ? 1 : weight(&t->periods.items[w->period - 1]);
}

double windows_margin(const struct timeline *t, const double *seen)
{
    static const double both_sides = 0.975, freedom = 2.0 / 3; // of neighbours' differences
    double variance = 0, before = 0;
    size_t count = 0;
    for (size_t i = 0; i < t->periods.count; i++) {
        const struct period *p = &t->periods.items[i];
        double length_ns = (double)(p->until_ns - p->from_ns), share = p->heard_ns / length_ns;
        double rate = seen[i] / p->heard_ns;
        if (share >= 1)
            continue;
        double difference = rate - before, each = length_ns * length_ns * (1 - share);
        if (count > 0)
            variance += (count == 1 ? 2 : 1) * each * difference * difference / 2;
        before = rate;
        count++;
    }
    if (count < 3)
        return (double)NAN;
    return student_quantile(both_sides, fmax(1, freedom * (double)(count - 1))) * sqrt(variance);
}
