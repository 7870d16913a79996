// A series of figures over time: smoothed, and watched for a drift.
// SPDX-License-Identifier: Apache-2.0
#include "stats/stats.h"

#include <math.h>

void stats_ewma(const double *x, size_t count, double weight, double start, double *out)
{
    for (size_t i = 0; i < count; i++) {
        start += weight * (x[i] - start);
        out[i] = start;
    }
}

size_t stats_cusum(const double *x, size_t count, double target, double sigma, double slack,
                   double limit, bool *up)
{
    double above = 0, below = 0;
    for (size_t i = 0; i < count; i++) {
        double z = (x[i] - target) / sigma;
        above = fmax(0, above + z - slack);
        below = fmax(0, below - z - slack);
        if (above > limit || below > limit) {
            *up = above > limit;
            return i;
        }
    }
    return count;
}
