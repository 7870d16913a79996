// Pruned search: the points in the order of their ranks, as many as there is room for; some of those that are cut off
// are asked for too, by chance, so that what pruning risks is seen and not only believed.
// SPDX-License-Identifier: Apache-2.0
#include "stats/stats.h"
#include "tune/internal.h"

#include <math.h>
#include <stdlib.h>

struct pruned {
    int *order; // points by rank; those without one last
    int next;
};

struct ranked {
    double rank;
    int point;
};

static int by_rank(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (isnan(x->rank) != isnan(y->rank))
        return isnan(x->rank) ? 1 : -1;
    if (x->rank < y->rank || x->rank > y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->point - y->point;
}

static void open_pruned(struct search *x)
{
    struct pruned *p = xcalloc(1, sizeof *p);
    struct ranked *all = xcalloc((size_t)x->space->count + 1, sizeof *all);
    for (int i = 0; i < x->space->count; i++)
        all[i] = (struct ranked){x->options.ranks[i], i};
    qsort(all, (size_t)x->space->count, sizeof *all, by_rank);
    p->order = xcalloc((size_t)x->space->count + 1, sizeof *p->order);
    for (int i = 0; i < x->space->count; i++)
        p->order[i] = all[i].point;
    free(all);
    x->own = p;
}

static void close_pruned(struct search *x)
{
    struct pruned *p = x->own;
    free(p->order);
    free(p);
}

static int ask_pruned(struct search *x, int room, int *points)
{
    struct pruned *p = x->own;
    int audit = x->most < x->space->count ? x->options.audit : 0, count = 0;
    int left = x->most - audit - x->asked_count;
    x->audits = left <= 0;
    if (x->audits)
        return search_random.ask(x, room, points);
    for (; count < room && count < left && p->next < x->space->count; p->next++)
        if (!x->asked[p->order[p->next]])
            points[count++] = p->order[p->next];
    return count;
}
const struct strategy_ops search_pruned = {
    .open = open_pruned, .ask = ask_pruned, .close = close_pruned};

/* ---- what pruning risked ---------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Of evaluations with a rank: the logarithms of time over rank; how many.
static int residuals(const struct tuning *t, double *out, double *times, double *ranks)
{
    int count = 0;
    for (int i = 0; i < t->count; i++) {
        const struct evaluation *e = &t->evaluations[i];
        if (!evaluation_is_right(e) || !(e->rank_ns > 0))
            continue;
        times[count] = e->time_ns;
        ranks[count] = e->rank_ns;
        out[count++] = log(e->time_ns / e->rank_ns);
    }
    return count;
}

// The best-ranked points that were not evaluated: their ranks, ascending.
static int unmeasured(const struct tuning *t, const double *ranks, double *out)
{
    bool *seen = xcalloc((size_t)t->space.count + 1, sizeof *seen);
    int count = 0;
    for (int i = 0; i < t->count; i++)
        seen[t->evaluations[i].point] = true;
    for (int i = 0; i < t->space.count; i++)
        if (!seen[i] && ranks[i] > 0)
            out[count++] = ranks[i];
    free(seen);
    qsort(out, (size_t)count, sizeof *out, by_value);
    return count;
}

// Each draw gives every point that was not measured its rank times the ratio of some measured point: by how much
// the fastest of them beats the best.
static void draw_regret(struct pruning *p, const double *residual, int residual_count,
                        const double *ranks, int rank_count, double best_ns)
{
    enum { DRAWS = 1000, RANKS_MAX = 2000, SEED = 1 };
    double regret[DRAWS], sum = 0;
    uint64_t next = 0;
    if (rank_count > RANKS_MAX)
        rank_count = RANKS_MAX;
    for (int d = 0; d < DRAWS; d++) {
        double least = (double)INFINITY;
        for (int i = 0; i < rank_count; i++) {
            uint32_t words[4];
            philox(SEED, 2, next++, words);
            int k = (int)(((uint64_t)words[0] * (uint64_t)residual_count) >> 32);
            least = fmin(least, ranks[i] * exp(residual[k]));
        }
        regret[d] = fmax(0, 1 - least / best_ns);
        sum += regret[d];
    }
    qsort(regret, DRAWS, sizeof *regret, by_value);
    p->regret_expected = sum / DRAWS;
    p->regret_95 = regret[DRAWS * 95 / 100];
}

void pruning_report(struct tuning *t, const double *ranks)
{
    struct pruning *p = &t->pruning;
    size_t n = (size_t)t->count + 1;
    double *residual = xcalloc(3 * n, sizeof *residual), *times = residual + n, *of = times + n;
    double *rest = xcalloc((size_t)t->space.count + 1, sizeof *rest);
    const struct evaluation *best = t->ties.fastest >= 0 ? &t->evaluations[t->ties.fastest] : NULL;
    int count = residuals(t, residual, times, of), rest_count = unmeasured(t, ranks, rest);
    p->unmeasured = rest_count;
    p->correlation = stats_rank_correlation(of, times, (size_t)count);
    p->ratio_low = p->ratio_high = p->regret_expected = p->regret_95 = (double)NAN;
    for (int i = 0; i < t->count; i++) {
        p->audited += t->evaluations[i].audited;
        p->audited_best += best && t->evaluations[i].audited && best == &t->evaluations[i];
    }
    if (count >= 2 && best) {
        qsort(residual, (size_t)count, sizeof *residual, by_value);
        p->ratio_low = exp(stats_quantile(residual, (size_t)count, 0.05));
        p->ratio_high = exp(stats_quantile(residual, (size_t)count, 0.95));
        draw_regret(p, residual, count, rest, rest_count, best->time_ns);
    }
    free(residual);
    free(rest);
}
