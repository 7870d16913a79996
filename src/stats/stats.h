// stats: what can honestly be said about samples: intervals of medians, comparisons, when to stop
// sampling, drift. No device knowledge. All functions are deterministic.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_STATS_H
#define RIDGE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct summary {
    size_t count;
    double median, low, high; // 95 % interval of the median by order statistics (binomial,
                              // Conover 1999 3.2); below 6 samples: minimum and maximum
    double mean, stddev;      // sample standard deviation (n-1)
    double min, max, p10, p90;
};
// samples need not be sorted; count >= 1.
struct summary stats_summary(const double *samples, size_t count);

enum verdict { VERDICT_SAME, VERDICT_FASTER, VERDICT_SLOWER };
struct comparison {
    double ratio, low, high; // base time / new time: above 1 = the new one is faster; 95 % interval
    enum verdict verdict;    // SAME = no difference beyond the noise (or below min_effect)
};
// Compares two sets of times (new against base). The interval is a percentile bootstrap of the
// ratio of medians (2,000 resamples, Philox, fixed seed). FASTER and SLOWER need the 99 % interval
// to leave 1 out (so that 1 in 100 comparisons of like with like is called different, not 1 in 20)
// and |ratio-1| >= min_effect. With one exact value a side (a simulated or modelled time) the ratio
// is exact.
struct comparison stats_compare(const double *base, size_t base_count, const double *fresh,
                                size_t fresh_count, double min_effect);

// The stopping rule: true when half the 95 % interval of the median is within `relative` of it.
bool stats_settled(const double *samples, size_t count, double relative);

// How densely samples lie at given places, the densest 1; all 0 where they do not vary.
void stats_density(const double *samples, size_t count, const double *at, size_t at_count,
                   double *out);

// Spearman's rank correlation of pairs, ties sharing their mean rank; NAN below 3 pairs or when one
// side does not vary.
double stats_rank_correlation(const double *x, const double *y, size_t count);

const char *verdict_name(enum verdict v); // "no difference", "faster", "slower"

#endif
