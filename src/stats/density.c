// How samples lie: a Gaussian kernel density with Silverman's bandwidth (1986, 3.4.2), its spread taken
// from the middle 80 % so that a few far samples do not flatten it.
// SPDX-License-Identifier: Apache-2.0
#include "stats/stats.h"

#include <math.h>

static const double sigmas_of_middle = 2.5631; // between the 10th and 90th percentile of a normal

void stats_density(const double *samples, size_t count, const double *at, size_t at_count,
                   double *out)
{
    struct summary s = stats_summary(samples, count);
    double sigma = (s.p90 - s.p10) / sigmas_of_middle, top = 0;
    sigma = sigma > 0 ? sigma : s.stddev;
    double width = 0.9 * sigma * pow((double)count, -0.2);
    for (size_t i = 0; i < at_count; i++) {
        out[i] = 0;
        for (size_t k = 0; width > 0 && k < count; k++) {
            double z = (at[i] - samples[k]) / width;
            out[i] += fabs(z) < 6 ? exp(-z * z / 2) : 0;
        }
        top = fmax(top, out[i]);
    }
    for (size_t i = 0; i < at_count; i++)
        out[i] = top > 0 ? out[i] / top : 0;
}
