// Bayesian search: a Gaussian process of the logarithm of the time; the next points are those that promise most, by
// expected improvement (Jones, Schonlau and Welch 1998, eq. 15). Points of one question keep away from each other. What
// cannot run counts as slow as the slowest seen.
// SPDX-License-Identifier: Apache-2.0
#include "stats/stats.h"
#include "tune/gp.h"
#include "tune/internal.h"

#include <math.h>
#include <stdlib.h>

enum { CANDIDATES_MAX = 4000, FIRST_MIN = 8, AXES_SHARE = 2 };

static const double refit_growth =
    1.25; // lengths are chosen anew when so many more points are known

struct bayes {
    struct gp *process;
    int first;          // points by chance before anything is modelled
    double next_choice; // of lengths, at so many points told
    int *candidates;
    double *promise;
};

static void open_bayes(struct search *x)
{
    struct bayes *b = xcalloc(1, sizeof *b);
    int wanted = AXES_SHARE * (x->space->axis_count + 1);
    b->process = gp_open(x->space);
    b->first = wanted > FIRST_MIN ? wanted : FIRST_MIN;
    b->candidates = xcalloc((size_t)x->space->count + 1, sizeof *b->candidates);
    b->promise = xcalloc((size_t)x->space->count + 1, sizeof *b->promise);
    x->own = b;
}

static void close_bayes(struct search *x)
{
    struct bayes *b = x->own;
    gp_close(b->process);
    free(b->candidates);
    free(b->promise);
    free(b);
}

struct known {
    int point;
    double value;
};

static int by_value(const void *a, const void *b)
{
    const struct known *x = a, *y = b;
    if (x->value < y->value || x->value > y->value)
        return x->value < y->value ? -1 : 1;
    return x->point - y->point;
}

// All that was told, as far as the process takes it: the fastest half of what it takes, and some of the rest.
static void fit(struct search *x, double *best)
{
    struct bayes *b = x->own;
    struct known *all = xcalloc((size_t)x->asked_count + 1, sizeof *all);
    int points[GP_POINTS_MAX], count = 0, taken = 0;
    double values[GP_POINTS_MAX], slowest = -(double)INFINITY;
    *best = log(x->times_ns[x->fastest]);
    for (int i = 0; i < x->space->count; i++)
        if (x->asked[i])
            slowest = fmax(slowest, log(x->times_ns[i])); // fmax passes over NAN
    for (int i = 0; i < x->space->count; i++)
        if (x->asked[i])
            all[count++] = (struct known){i, isnan(x->times_ns[i]) ? slowest : log(x->times_ns[i])};
    qsort(all, (size_t)count, sizeof *all, by_value);
    for (int i = 0; i < count && taken < GP_POINTS_MAX; i++) {
        bool among = count <= GP_POINTS_MAX || i < GP_POINTS_MAX / 2 ||
                     search_draw(x, count - i) < GP_POINTS_MAX - taken;
        if (!among)
            continue;
        points[taken] = all[i].point;
        values[taken++] = all[i].value;
    }
    bool anew = x->told_count >= b->next_choice;
    gp_fit(b->process, points, values, taken, anew);
    if (anew)
        b->next_choice = x->told_count * refit_growth;
    free(all);
}

static double improvement(const struct gp *g, int point, double best)
{
    static const double pi = 3.14159265358979323846;
    double mean = 0, deviation = 0;
    gp_predict(g, point, &mean, &deviation);
    if (!(deviation > 0))
        return 0;
    double z = (best - mean) / deviation;
    return deviation * (z * normal_cdf(z) + exp(-z * z / 2) / sqrt(2 * pi));
}

// Points that were not asked for: all, or so many by chance.
static int collect(struct search *x)
{
    struct bayes *b = x->own;
    int count = 0;
    for (int i = 0; i < x->space->count; i++)
        if (!x->asked[i])
            b->candidates[count++] = i;
    if (count <= CANDIDATES_MAX)
        return count;
    for (int i = 0; i < CANDIDATES_MAX; i++) {
        int j = i + search_draw(x, count - i), other = b->candidates[j];
        b->candidates[j] = b->candidates[i];
        b->candidates[i] = other;
    }
    return CANDIDATES_MAX;
}

static int ask_bayes(struct search *x, int room, int *points)
{
    struct bayes *b = x->own;
    double best = 0;
    if (x->asked_count < b->first || x->fastest < 0) {
        int left = b->first - x->asked_count;
        return search_random.ask(x, left > 0 && left < room ? left : room, points);
    }
    fit(x, &best);
    int candidates = collect(x), count = 0;
    for (int i = 0; i < candidates; i++)
        b->promise[i] = improvement(b->process, b->candidates[i], best);
    while (count < room && count < candidates) {
        int most = -1;
        for (int i = 0; i < candidates; i++)
            if (b->candidates[i] >= 0 && (most < 0 || b->promise[i] > b->promise[most]))
                most = i;
        int point = b->candidates[most];
        points[count++] = point;
        b->candidates[most] = -1;
        for (int i = 0; i < candidates; i++)
            if (b->candidates[i] >= 0)
                b->promise[i] *= 1 - gp_similarity(b->process, point, b->candidates[i]);
    }
    return count;
}
const struct strategy_ops search_bayesian = {
    .open = open_bayes, .ask = ask_bayes, .close = close_bayes};
