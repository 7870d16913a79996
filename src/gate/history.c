// What a series of runs says: changes of level by PELT, drift since the last one by CUSUM, outliers by Tukey.
// SPDX-License-Identifier: Apache-2.0
#include "gate/history.h"
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>

const char history_method[] =
    "Changes: PELT on squared distances from the mean, penalty 2 s^2 ln n, s by differences of "
    "neighbours, at "
    "least 0.25 % of a measured level. Drift: CUSUM since the last change, slack 0.5 s, limit 5 s; "
    "EWMA of weight "
    "0.2. Outliers: beyond 1.5 interquartile ranges of their segment; marked, not removed.";

static const double noise_least = 0.0025; // of the level, of measured times
static const double value_least = 1e-6;   // of the level: less is the same value
static const double ewma_weight = 0.2, cusum_slack = 0.5, cusum_limit = 5;
enum { SEGMENT_MIN_MEASURED = 2, DRIFT_BASE_MIN = 5, OUTLIERS_OF_MIN = 5 };

static double noise_of(const double *x, size_t count)
{
    double *d = xcalloc(count, sizeof *d);
    for (size_t i = 0; i + 1 < count; i++)
        d[i] = x[i + 1] - x[i];
    double noise = count > 1 ? stats_mad(d, count - 1) / sqrt(2) : 0;
    free(d);
    return noise;
}

static void mark_outliers(struct history *h, const double *x, size_t from, size_t to)
{
    bool *marked = xcalloc(to - from + 1, sizeof *marked);
    if (to - from >= OUTLIERS_OF_MIN && stats_outliers(x + from, to - from, marked) > 0)
        for (size_t i = from; i < to; i++)
            h->points[i].outlier = marked[i - from];
    free(marked);
}

// Since the last change: against the level of the segment's first points.
static void find_drift(struct history *h, const double *x, size_t from)
{
    size_t count = (size_t)h->count - from, third = count / 3;
    size_t base = third > DRIFT_BASE_MIN ? third : DRIFT_BASE_MIN;
    double *smooth = xcalloc(count + 1, sizeof *smooth);
    double start = stats_summary(x + from, base < count ? base : count).median;
    stats_ewma(x + from, count, ewma_weight, start, smooth);
    h->ewma = smooth[count - 1];
    if (count > base && h->noise > 0) {
        size_t at = stats_cusum(x + from + base, count - base, start, h->noise, cusum_slack,
                                cusum_limit, &h->drift_up);
        h->drift = at < count - base ? (int)(from + base + at) : -1;
    }
    free(smooth);
}

static void add_segments(struct arena *a, struct history *h, const double *x, const size_t *at,
                         size_t count)
{
    h->changes = ARENA_ARRAY(a, struct history_change, count + 1);
    h->change_count = (int)count;
    for (size_t i = 0; i <= count; i++) {
        size_t from = i > 0 ? at[i - 1] : 0, to = i < count ? at[i] : (size_t)h->count;
        double level = stats_summary(x + from, to - from).median;
        mark_outliers(h, x, from, to);
        if (i < count)
            h->changes[i] = (struct history_change){.first = (int)at[i], .before = level};
        if (i > 0)
            h->changes[i - 1].after = level;
    }
}

// One run is no level: where it stands out of both its neighbours (at an end, of the two nearest), it is taken for
// the nearer of them when levels are looked for.
static void level_out(const double *x, size_t count, double noise, double *out)
{
    static const double spike = 5; // times the noise
    for (size_t i = 0; i < count; i++) {
        out[i] = x[i];
        if (count < 3)
            continue;
        size_t a = i > 0 ? i - 1 : 2, b = i + 1 < count ? i + 1 : count - 3;
        double below = x[i] - x[a], above = x[i] - x[b];
        if (below * above > 0 && fmin(fabs(below), fabs(above)) > spike * noise)
            out[i] = fabs(below) < fabs(above) ? x[a] : x[b];
    }
}

void history_analyse(struct arena *a, struct history *h)
{
    size_t n = (size_t)h->count;
    double *x = xcalloc(n + 1, sizeof *x);
    double *levelled = xcalloc(n + 1, sizeof *levelled);
    size_t *at = xcalloc(n + 1, sizeof *at);
    bool measured = h->provenance == PROVENANCE_MEASURED;
    h->drift = -1;
    for (size_t i = 0; i < n; i++)
        x[i] = h->points[i].value;
    if (n > 0) {
        double level = fabs(stats_summary(x, n).median);
        h->noise = measured ? fmax(noise_of(x, n), noise_least * level) : 0;
        level_out(x, n, measured ? h->noise : (double)INFINITY, levelled);
        double s = fmax(h->noise, value_least * level);
        double penalty = fmax(2 * s * s * log((double)n + 1), 1e-30); // 0 would divide like values
        size_t count = stats_pelt(levelled, n, penalty, measured ? SEGMENT_MIN_MEASURED : 1, at);
        add_segments(a, h, x, at, count);
        find_drift(h, x, count > 0 ? at[count - 1] : 0);
    }
    free(x);
    free(levelled);
    free(at);
}
