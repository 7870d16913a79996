// stats: what can honestly be said about samples: intervals of medians, comparisons, when to stop
// sampling, drift. No device knowledge. All functions are deterministic.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_STATS_H
#define RIDGE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sample_list { // grows; the items are the caller's to free
    double *items;
    size_t count, capacity;
};
void sample_add(struct sample_list *list, double value);

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

/* ---- distributions (distributions.c) -------------------------------------------------------------- */

double normal_cdf(double z);
double normal_quantile(double p);             // 0 < p < 1
double student_cdf(double t, double df);      // df > 0
double student_quantile(double p, double df); // 0 < p < 1

double stats_binomial_tail(int k, int n, double p); // P(X >= k)
// The upper limit of a share of which k of n were seen (Clopper and Pearson 1934), one-sided.
double stats_binomial_limit(int k, int n, double level);

/* ---- one sample (describe.c) ------------------------------------------------------------------------ */

double stats_quantile(const double *x, size_t count,
                      double q); // type 7 of Hyndman and Fan, as R's default
double stats_mad(const double *x,
                 size_t count); // median absolute deviation, times 1.4826: sigma of a normal
struct interval {
    double low, high;
};
// Of the mean, by Student's t; count >= 2.
struct interval stats_mean_interval(const double *x, size_t count, double level);
// Of any statistic: bias-corrected and accelerated bootstrap (Efron 1987), fixed seed. A statistic gets a
// sorted sample.
typedef double (*stats_statistic)(const double *sorted, size_t count);
double statistic_median(const double *sorted, size_t count);
double statistic_mean(const double *sorted, size_t count);
struct interval stats_bca_interval(const double *x, size_t count, stats_statistic statistic,
                                   double level);
// How many independent samples know as much: count / (1 + 2 sum of autocorrelations), those up to the first
// pair of lags whose sum is not positive (Geyer 1992). Never above count.
double stats_effective_count(const double *x, size_t count);
// Marks those beyond 1.5 times the interquartile range from the quartiles (Tukey 1977); how many. Marked, never
// removed.
size_t stats_outliers(const double *x, size_t count, bool *marked);

/* ---- two samples (tests.c) ---------------------------------------------------------------------------- */

enum alternative { TEST_TWO_SIDED, TEST_LESS, TEST_GREATER }; // x is less, or greater, than y
struct test {
    double statistic, df, p; // df: NAN where the test has none
};
struct test stats_welch(const double *x, size_t nx, const double *y, size_t ny,
                        enum alternative alternative);
// Rank sum (Mann and Whitney 1947): exact below 50 samples a side without ties, else the normal
// approximation with corrections for ties and continuity. The statistic is the number of pairs with x > y.
struct test stats_mann_whitney(const double *x, size_t nx, const double *y, size_t ny,
                               enum alternative alternative);
// The shift of x against y: median of all differences (Hodges and Lehmann 1963).
double stats_hodges_lehmann(const double *x, size_t nx, const double *y, size_t ny);
// Adjusts p values of several tests in place, so that the chance of one false alarm among all of them is
// held (Holm 1979).
void stats_holm(double *p, size_t count);

/* ---- a series (series.c) ------------------------------------------------------------------------------- */

// Exponentially weighted moving average: out[i] = weight * x[i] + (1 - weight) * out[i-1], from `start` on.
void stats_ewma(const double *x, size_t count, double weight, double start, double *out);
// Where the mean changes: the first index of each new segment, in order, into `changes` (room for `count`); how many.
// The least sum of squared distances from the segments' means plus `penalty` a change, over all divisions into segments
// of at least segment_min (PELT; Killick, Fearnhead and Eckley 2012). 2 s^2 ln n is the BIC's penalty for noise s.
size_t stats_pelt(const double *x, size_t count, double penalty, size_t segment_min,
                  size_t *changes);
// Two-sided CUSUM (Page 1954) around `target`: the index of the first x at which the sum of what exceeds
// `slack` standard deviations passes `limit` of them; count if none does. *up: which side.
size_t stats_cusum(const double *x, size_t count, double target, double sigma, double slack,
                   double limit, bool *up);

/* ---- a series watched as it comes (watch.c) ------------------------------------------------------------- */

// EWMA chart and CUSUM together, of readings around a level that is learned from the first WATCH_LEARN of them. For
// independent normal readings the pair gives less than 1 false alarm in 40,000 readings (tests/stats/watch_test.c
// counts them): a month of one per minute.
#define WATCH_EWMA_WEIGHT 0.1  // of the newest: 22 readings take in 90 % of a change
#define WATCH_EWMA_LIMIT 5.0   // standard deviations of the smoothed value
#define WATCH_CUSUM_SLACK 0.5  // standard deviations of a reading: a shift of 1 is found soonest
#define WATCH_CUSUM_LIMIT 14.0 // of their sum
enum { WATCH_LEARN = 240 };
enum watch_alarm { WATCH_QUIET, WATCH_EWMA, WATCH_CUSUM };
struct watch {          // zeroed but for sigma_least
    double sigma_least; // no spread below it is believed: readings are rounded
    double readings[WATCH_LEARN];
    size_t count, ewma_count;
    bool learns;
    double centre, sigma, ewma, above, below;
    bool up;             // at an alarm: which side,
    double alarm_centre; // and of which level
};
enum watch_alarm watch_add(struct watch *w, double reading);

// Readings by the time of day: a slot's is held against the median of the same slot on earlier days, by the spread of all
// (median absolute deviation). An alarm needs SEASON_IN_A_ROW slots in a row beyond SEASON_LIMIT standard deviations.
#define SEASON_LIMIT 4.5
enum { SEASON_SLOTS = 96, SEASON_DAYS = 14, SEASON_DAYS_LEAST = 4, SEASON_IN_A_ROW = 2 };
struct season {
    float days[SEASON_SLOTS][SEASON_DAYS]; // the newest first; NAN = none yet
    double sigma_least, sigma;             // of slots around their medians
    int in_a_row;
};
void season_init(struct season *s, double sigma_least);
// *expected: what the slot usually has; NAN = not known yet.
bool season_add(struct season *s, int slot, double reading, double *expected);

#endif
