// Ranges of the program by name, and the kernels that were launched within them: of its thread, or, where a range is of the
// whole process, of all of its threads. A kernel counts once per name.
// SPDX-License-Identifier: Apache-2.0
#include "capture/timeline.h"

#include <stdlib.h>
#include <string.h>

enum moment_kind { MOMENT_END, MOMENT_BEGIN, MOMENT_CALL }; // in that order at one time
struct moment {
    uint64_t time_ns;
    int process;
    enum moment_kind kind;
    size_t index; // of the range, or the work
};
struct sweep { // over the moments of a process
    const struct timeline *t;
    struct range_sum *sums; // by name
    size_t *open;           // ranges
    size_t open_count;
    uint64_t *counted; // by name: the last kernel that was, from 1
};

static int moments_rise(const void *a, const void *b)
{
    const struct moment *x = a, *y = b;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    return (int)x->kind - (int)y->kind;
}

static void count_kernel(struct sweep *s, size_t index)
{
    const struct work *w = &s->t->work.items[index];
    for (size_t i = 0; i < s->open_count; i++) {
        const struct range *r = &s->t->ranges.items[s->open[i]];
        if ((r->thread != 0 && r->thread != w->thread) || s->counted[r->name] == index + 1)
            continue;
        s->counted[r->name] = index + 1;
        s->sums[r->name].kernels++;
        s->sums[r->name].kernel_ns += (double)(w->end_ns - w->start_ns);
    }
}

static void close_range(struct sweep *s, size_t index)
{
    for (size_t i = 0; i < s->open_count; i++)
        if (s->open[i] == index) {
            s->open[i] = s->open[--s->open_count];
            return;
        }
}

static void take(struct sweep *s, const struct moment *m)
{
    switch (m->kind) {
    case MOMENT_BEGIN:
        s->open[s->open_count++] = m->index;
        break;
    case MOMENT_END:
        close_range(s, m->index);
        break;
    case MOMENT_CALL:
        count_kernel(s, m->index);
        break;
    }
}

static size_t list_moments(const struct timeline *t, struct moment *out)
{
    size_t count = 0;
    for (size_t i = 0; i < t->ranges.count; i++) {
        const struct range *r = &t->ranges.items[i];
        if (r->end_ns == r->start_ns) // nothing was launched within
            continue;
        out[count++] = (struct moment){r->start_ns, r->process, MOMENT_BEGIN, i};
        out[count++] = (struct moment){r->end_ns, r->process, MOMENT_END, i};
    }
    for (size_t i = 0; i < t->work.count; i++) {
        const struct work *w = &t->work.items[i];
        if (work_is_kernels(w) && w->call_ns > 0)
            out[count++] = (struct moment){w->call_ns, w->process, MOMENT_CALL, i};
    }
    qsort(out, count, sizeof *out, moments_rise);
    return count;
}

static int totals_fall(const void *a, const void *b)
{
    const struct range_sum *x = a, *y = b;
    if (x->total_ns > y->total_ns || x->total_ns < y->total_ns)
        return x->total_ns > y->total_ns ? -1 : 1;
    return x->name - y->name;
}

struct range_sum *timeline_range_sums(struct arena *a, const struct timeline *t, size_t *count)
{
    size_t names = t->names.count, ranges = t->ranges.count;
    struct range_sum *sums = ARENA_ARRAY(a, struct range_sum, names + 1);
    *count = 0;
    if (ranges == 0)
        return sums;
    struct sweep s = {.t = t, .sums = sums};
    struct moment *moments = xcalloc(2 * ranges + t->work.count, sizeof *moments);
    s.open = xcalloc(ranges, sizeof *s.open);
    s.counted = xcalloc(names, sizeof *s.counted);
    for (size_t i = 0; i < ranges; i++) {
        const struct range *r = &t->ranges.items[i];
        sums[r->name].count++;
        sums[r->name].total_ns += (double)(r->end_ns - r->start_ns);
    }
    size_t moment_count = list_moments(t, moments);
    for (size_t i = 0; i < moment_count; i++)
        take(&s, &moments[i]);
    for (size_t i = 0; i < names; i++)
        if (sums[i].count > 0) {
            sums[*count] = sums[i];
            sums[(*count)++].name = (int)i;
        }
    qsort(sums, *count, sizeof *sums, totals_fall);
    free(moments);
    free(s.open);
    free(s.counted);
    return sums;
}
