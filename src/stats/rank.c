// Rank correlation (Spearman 1904), with mean ranks for ties.
// SPDX-License-Identifier: Apache-2.0
#include "stats/stats.h"

#include <math.h>

static double rank_of(const double *v, size_t count, double value)
{
    double below = 0, equal = 0;
    for (size_t i = 0; i < count; i++) {
        below += v[i] < value;
        equal += v[i] == value;
    }
    return below + (equal + 1) / 2;
}

double stats_rank_correlation(const double *x, const double *y, size_t count)
{
    double mean = ((double)count + 1) / 2, xy = 0, xx = 0, yy = 0;
    if (count < 3)
        return (double)NAN;
    for (size_t i = 0; i < count; i++) {
        double a = rank_of(x, count, x[i]) - mean, b = rank_of(y, count, y[i]) - mean;
        xy += a * b;
        xx += a * a;
        yy += b * b;
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : (double)NAN;
}
