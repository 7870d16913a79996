// Samples summed up: the median and its distribution-free interval, the stopping rule.
// Times are skewed and have outliers, so everything rests on order statistics.
// SPDX-License-Identifier: Apache-2.0
#include "stats/internal.h"

#include "base/base.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    INTERVAL_MIN_COUNT = 6,    // fewer samples have no 95 % interval: 2 * 2^-5 > 5 %
    BINOMIAL_MAX_COUNT = 1000, // 2^-n is still a normal double
};

static const double tail = 0.025;                   // each side of a 95 % interval
static const double tail_normal = 1.95996398454005; // its quantile of the normal distribution

void sample_add(struct sample_list *list, double value)
{
    VEC_PUSH(list->items, list->count, list->capacity, value);
}

static int compare_doubles(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

void doubles_sort(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_doubles);
}

double *doubles_sorted(const double *values, size_t count)
{
    double *sorted = xcalloc(count, sizeof *sorted);
    memcpy(sorted, values, count * sizeof *sorted);
    doubles_sort(sorted, count);
    return sorted;
}

// Linear interpolation between the neighbours (type 7 of Hyndman and Fan 1996).
double sorted_quantile(const double *sorted, size_t count, double q)
{
    double at = q * (double)(count - 1);
    size_t below = (size_t)at;
    if (below + 1 >= count)
        return sorted[count - 1];
    double part = at - (double)below;
    return sorted[below] + part * (sorted[below + 1] - sorted[below]);
}

double sorted_median(const double *sorted, size_t count)
{
    return 0.5 * (sorted[(count - 1) / 2] + sorted[count / 2]);
}

// How many samples lie outside the interval on each side: the largest k with
// P(Binomial(n, 1/2) < k) <= 2.5 % (Conover 1999, 3.2), so that it covers at least 95 %.
static size_t interval_outside(size_t n)
{
    if (n < INTERVAL_MIN_COUNT)
        return 0;
    if (n > BINOMIAL_MAX_COUNT) {
        double rank = 0.5 * ((double)n - tail_normal * sqrt((double)n));
        return (size_t)rank - 1;
    }
    double p = ldexp(1.0, -(int)n), below = 0;
    size_t k = 0;
    while (below + p <= tail) {
        below += p;
        p *= (double)(n - k) / (double)(k + 1);
        k++;
    }
    return k - 1; // the interval runs from the k-th smallest to the k-th largest
}

struct summary stats_summary(const double *samples, size_t count)
{
    assert(count >= 1);
    double *sorted = doubles_sorted(samples, count);
    size_t outside = interval_outside(count);
    struct summary s = {.count = count,
                        .median = sorted_median(sorted, count),
                        .low = sorted[outside],
                        .high = sorted[count - 1 - outside],
                        .min = sorted[0],
                        .max = sorted[count - 1],
                        .p10 = sorted_quantile(sorted, count, 0.10),
                        .p90 = sorted_quantile(sorted, count, 0.90)};
    for (size_t i = 0; i < count; i++)
        s.mean += (sorted[i] - s.mean) / (double)(i + 1);
    double squares = 0;
    for (size_t i = 0; i < count; i++)
        squares += (sorted[i] - s.mean) * (sorted[i] - s.mean);
    s.stddev = count > 1 ? sqrt(squares / (double)(count - 1)) : 0;
    free(sorted);
    return s;
}

bool stats_settled(const double *samples, size_t count, double relative)
{
    if (count < INTERVAL_MIN_COUNT)
        return false;
    struct summary s = stats_summary(samples, count);
    return 0.5 * (s.high - s.low) <= relative * fabs(s.median);
}
