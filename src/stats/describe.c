// One sample described: quantiles, spread, intervals of the mean and of any statistic, how many independent
// samples it is worth, what lies far out.
// SPDX-License-Identifier: Apache-2.0
#include "stats/internal.h"

#include "base/base.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RESAMPLES = 2000, WORDS_PER_BLOCK = 4, WORD_BITS = 32 };

static const uint64_t bootstrap_seed = 0x626361; // "bca"

double stats_quantile(const double *x, size_t count, double q)
{
    assert(count >= 1);
    double *sorted = doubles_sorted(x, count);
    double value = sorted_quantile(sorted, count, q);
    free(sorted);
    return value;
}

double stats_mad(const double *x, size_t count)
{
    static const double sigmas = 1.4826; // 1 / the normal's third quartile
    double middle = stats_quantile(x, count, 0.5);
    double *far = xcalloc(count, sizeof *far);
    for (size_t i = 0; i < count; i++)
        far[i] = fabs(x[i] - middle);
    doubles_sort(far, count);
    double mad = sigmas * sorted_median(far, count);
    free(far);
    return mad;
}

struct interval stats_mean_interval(const double *x, size_t count, double level)
{
    assert(count >= 2);
    struct summary s = stats_summary(x, count);
    double half =
        student_quantile(0.5 + level / 2, (double)(count - 1)) * s.stddev / sqrt((double)count);
    return (struct interval){s.mean - half, s.mean + half};
}

/* ---- bootstrap --------------------------------------------------------------------------------------- */

double statistic_median(const double *sorted, size_t count)
{
    return sorted_median(sorted, count);
}

double statistic_mean(const double *sorted, size_t count)
{
    double mean = 0;
    for (size_t i = 0; i < count; i++)
        mean += (sorted[i] - mean) / (double)(i + 1);
    return mean;
}

// A resample in order: how often each sample was drawn, written out.
static void resample(const double *sorted, size_t count, uint64_t number, uint32_t *drawn,
                     double *out)
{
    size_t blocks = (count + WORDS_PER_BLOCK - 1) / WORDS_PER_BLOCK, n = 0;
    memset(drawn, 0, count * sizeof *drawn);
    for (size_t b = 0; b < blocks; b++) {
        uint32_t words[WORDS_PER_BLOCK];
        philox(bootstrap_seed, 0, number * blocks + b, words);
        for (size_t i = 0; i < WORDS_PER_BLOCK && b * WORDS_PER_BLOCK + i < count; i++)
            drawn[((uint64_t)words[i] * count) >> WORD_BITS]++;
    }
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < drawn[i]; k++)
            out[n++] = sorted[i];
}

// The acceleration: skewness of the statistic with one sample left out each time.
static double acceleration(const double *sorted, size_t count, stats_statistic statistic,
                           double *rest)
{
    double *left_out = xcalloc(count, sizeof *left_out), mean = 0, squares = 0, cubes = 0;
    for (size_t i = 0; i < count; i++) {
        memcpy(rest, sorted, i * sizeof *rest);
        memcpy(rest + i, sorted + i + 1, (count - 1 - i) * sizeof *rest);
        left_out[i] = statistic(rest, count - 1);
        mean += (left_out[i] - mean) / (double)(i + 1);
    }
    for (size_t i = 0; i < count; i++) {
        double d = mean - left_out[i];
        squares += d * d;
        cubes += d * d * d;
    }
    free(left_out);
    return squares > 0 ? cubes / (6 * pow(squares, 1.5)) : 0;
}

// Where in the resampled statistics the interval's end lies (Efron and Tibshirani 1993, 14.10).
static double bca_end(const double *values, double z0, double a, double tail)
{
    double z = z0 + normal_quantile(tail);
    return sorted_quantile(values, RESAMPLES, normal_cdf(z0 + z / (1 - a * z)));
}

struct interval stats_bca_interval(const double *x, size_t count, stats_statistic statistic,
                                   double level)
{
    assert(count >= 2);
    double *sorted = doubles_sorted(x, count), *one = xcalloc(count, sizeof *one);
    double *values = xcalloc(RESAMPLES, sizeof *values);
    uint32_t *drawn = xcalloc(count, sizeof *drawn);
    double found = statistic(sorted, count), below = 0;
    for (uint64_t i = 0; i < RESAMPLES; i++) {
        resample(sorted, count, i, drawn, one);
        values[i] = statistic(one, count);
        below += values[i] < found ? 1 : values[i] == found ? 0.5 : 0;
    }
    doubles_sort(values, RESAMPLES);
    struct interval out = {found, found};
    if (below > 0 && below < RESAMPLES) {
        double z0 = normal_quantile(below / RESAMPLES);
        double a = acceleration(sorted, count, statistic, one);
        out.low = bca_end(values, z0, a, (1 - level) / 2);
        out.high = bca_end(values, z0, a, (1 + level) / 2);
    }
    free(sorted);
    free(one);
    free(values);
    free(drawn);
    return out;
}

/* ---- dependence and outliers ----------------------------------------------------------------------------- */

static double covariance(const double *x, size_t count, double mean, size_t lag)
{
    double sum = 0;
    for (size_t i = 0; i + lag < count; i++)
        sum += (x[i] - mean) * (x[i + lag] - mean);
    return sum / (double)count;
}

double stats_effective_count(const double *x, size_t count)
{
    double n = (double)count, mean = stats_summary(x, count).mean, sum = 0;
    double variance = covariance(x, count, mean, 0);
    if (!(variance > 0))
        return n;
    // Sums of neighbouring lags are positive in truth: the first that is not is noise, and so is the rest.
    for (size_t lag = 0; lag + 1 < count; lag += 2) {
        double pair =
            (covariance(x, count, mean, lag) + covariance(x, count, mean, lag + 1)) / variance;
        if (pair <= 0)
            break;
        sum += pair;
    }
    return fmin(n, n / fmax(2 * sum - 1, 1 / n));
}

size_t stats_outliers(const double *x, size_t count, bool *marked)
{
    static const double fence = 1.5;
    double *sorted = doubles_sorted(x, count);
    double q1 = sorted_quantile(sorted, count, 0.25), q3 = sorted_quantile(sorted, count, 0.75);
    size_t found = 0;
    free(sorted);
    for (size_t i = 0; i < count; i++) {
        marked[i] = x[i] < q1 - fence * (q3 - q1) || x[i] > q3 + fence * (q3 - q1);
        found += marked[i];
    }
    return found;
}
