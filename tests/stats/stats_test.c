// Statistics on synthetic noise: what they claim must hold over hundreds of trials.
// SPDX-License-Identifier: Apache-2.0
#include "base/base.h"
#include "stats/stats.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static const double two_pi = 6.283185307179586;

// Box and Muller; `stream` makes trials independent.
static double normal(uint64_t stream, uint64_t index)
{
    uint32_t w[4];
    philox(12345, stream, index, w);
    double u = 1 - philox_uniform(w[0]);
    return sqrt(-2 * log(u)) * cos(two_pi * philox_uniform(w[1]));
}

enum noise { GAUSSIAN, SKEWED };

// Kernel times: a floor, and noise that is symmetric or has a long tail upwards.
static void times(double *out, size_t count, double center, double noise, enum noise kind,
                  uint64_t stream)
{
    for (size_t i = 0; i < count; i++) {
        double z = normal(stream, i);
        out[i] = kind == GAUSSIAN ? center * (1 + noise * z) : center * exp(noise * z * fabs(z));
    }
}

static void summary_of_known_samples(void **state)
{
    (void)state;
    static const double samples[] = {5, 1, 4, 2, 3, 10, 9, 8, 7, 6};
    struct summary s = stats_summary(samples, COUNT_OF(samples));
    assert_int_equal(s.count, 10);
    assert_true(s.median == 5.5);
    assert_true(s.low == 2 && s.high == 9); // ranks 2 and 9: Conover's table for n = 10
    assert_true(s.min == 1 && s.max == 10);
    assert_true(fabs(s.mean - 5.5) < 1e-12);
    assert_true(fabs(s.stddev - 3.0276503540974917) < 1e-12);
    assert_true(fabs(s.p10 - 1.9) < 1e-12 && fabs(s.p90 - 9.1) < 1e-12);
}

static void summary_of_one_sample_is_that_sample(void **state)
{
    (void)state;
    double one = 7;
    struct summary s = stats_summary(&one, 1);
    assert_true(s.median == 7 && s.low == 7 && s.high == 7 && s.p10 == 7 && s.p90 == 7);
    assert_true(s.mean == 7 && s.stddev == 0);
}

static void interval_ranks_match_the_published_table(void **state)
{
    (void)state;
    // n and the lower rank of the 95 % interval of the median (sign test, two-sided 5 %).
    static const size_t known[][2] = {{5, 1},  {6, 1},  {8, 1},   {9, 2},   {12, 3},
                                      {20, 6}, {25, 8}, {30, 10}, {50, 18}, {100, 40}};
    double samples[100];
    for (size_t i = 0; i < COUNT_OF(samples); i++)
        samples[i] = (double)(i + 1);
    for (size_t i = 0; i < COUNT_OF(known); i++) {
        struct summary s = stats_summary(samples, known[i][0]);
        assert_true(s.low == (double)known[i][1]);
        assert_true(s.high == (double)(known[i][0] + 1 - known[i][1]));
    }
}

static void interval_is_smooth_where_the_formula_changes(void **state)
{
    (void)state;
    double samples[1001];
    for (size_t i = 0; i < COUNT_OF(samples); i++)
        samples[i] = (double)(i + 1);
    struct summary exact = stats_summary(samples, 1000);
    struct summary approximate = stats_summary(samples, 1001);
    assert_true(exact.low == 469); // 1 + qbinom(0.025, 1000, 0.5)
    assert_true(fabs(exact.low - approximate.low) <= 1);
}

static void interval_covers_the_median_as_often_as_it_says(void **state)
{
    (void)state;
    static const size_t counts[] = {6, 15, 30, 101};
    for (size_t k = 0; k < COUNT_OF(counts); k++) {
        double samples[101];
        int covered = 0;
        for (uint64_t trial = 0; trial < 1000; trial++) {
            times(samples, counts[k], 100, 0.1, SKEWED, trial + 1000 * k);
            struct summary s = stats_summary(samples, counts[k]);
            covered += s.low <= 100 && 100 <= s.high;
        }
        assert_in_range(covered, 935, 1000);
    }
}

static int called_different(size_t count, double noise, enum noise kind, double min_effect,
                            int trials)
{
    double a[200], b[200];
    int different = 0;
    for (int trial = 0; trial < trials; trial++) {
        times(a, count, 100, noise, kind, 2 * (uint64_t)trial + 100000);
        times(b, count, 100, noise, kind, 2 * (uint64_t)trial + 100001);
        different += stats_compare(a, count, b, count, min_effect).verdict != VERDICT_SAME;
    }
    return different;
}

static void a_kernel_is_rarely_called_different_from_itself(void **state)
{
    (void)state;
    enum { TRIALS = 400, ALLOWED = 8 }; // 1 % are expected at most, 2 % leaves room for chance
    assert_in_range(called_different(30, 0.005, GAUSSIAN, 0.01, TRIALS), 0, 1);
    assert_in_range(called_different(30, 0.02, GAUSSIAN, 0.01, TRIALS), 0, ALLOWED);
    assert_in_range(called_different(30, 0.02, SKEWED, 0.01, TRIALS), 0, ALLOWED);
    assert_in_range(called_different(12, 0.01, GAUSSIAN, 0.01, TRIALS), 0, ALLOWED);
    assert_in_range(called_different(100, 0.01, GAUSSIAN, 0, TRIALS), 0, ALLOWED);
}

static void a_slow_down_of_two_percent_is_caught(void **state)
{
    (void)state;
    enum { TRIALS = 400, COUNT = 30 };
    double a[COUNT], b[COUNT];
    int caught = 0, other_way = 0;
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        times(a, COUNT, 100, 0.005, GAUSSIAN, 2 * trial);
        times(b, COUNT, 102, 0.005, GAUSSIAN, 2 * trial + 1);
        caught += stats_compare(a, COUNT, b, COUNT, 0.01).verdict == VERDICT_SLOWER;
        other_way += stats_compare(b, COUNT, a, COUNT, 0.01).verdict == VERDICT_FASTER;
    }
    assert_in_range(caught, TRIALS * 95 / 100, TRIALS);
    assert_in_range(other_way, TRIALS * 95 / 100, TRIALS);
}

static void the_ratios_interval_covers_the_truth(void **state)
{
    (void)state;
    enum { TRIALS = 400, COUNT = 30 };
    double a[COUNT], b[COUNT];
    int covered = 0;
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        times(a, COUNT, 150, 0.02, SKEWED, 2 * trial);
        times(b, COUNT, 100, 0.02, SKEWED, 2 * trial + 1);
        struct comparison c = stats_compare(a, COUNT, b, COUNT, 0.01);
        assert_true(c.low <= c.high);
        covered += c.low <= 1.5 && 1.5 <= c.high;
    }
    assert_in_range(covered, TRIALS * 92 / 100, TRIALS);
}

static void exact_times_compare_exactly(void **state)
{
    (void)state;
    double base = 300, fresh = 200, zero = 0;
    struct comparison c = stats_compare(&base, 1, &fresh, 1, 0.01);
    assert_true(c.ratio == 1.5 && c.low == 1.5 && c.high == 1.5);
    assert_int_equal(c.verdict, VERDICT_FASTER);
    assert_int_equal(stats_compare(&fresh, 1, &base, 1, 0.01).verdict, VERDICT_SLOWER);
    assert_int_equal(stats_compare(&base, 1, &base, 1, 0).verdict, VERDICT_SAME);
    c = stats_compare(&zero, 1, &zero, 1, 0.01);
    assert_true(c.ratio == 1);
    assert_int_equal(c.verdict, VERDICT_SAME);
    double just_more = 301;
    assert_int_equal(stats_compare(&base, 1, &just_more, 1, 0.01).verdict, VERDICT_SAME);
    assert_int_equal(stats_compare(&base, 1, &just_more, 1, 0.001).verdict, VERDICT_SLOWER);
}

static void the_same_samples_get_the_same_answer(void **state)
{
    (void)state;
    double a[31], b[24];
    times(a, COUNT_OF(a), 100, 0.01, GAUSSIAN, 1);
    times(b, COUNT_OF(b), 101, 0.01, GAUSSIAN, 2);
    struct comparison x = stats_compare(a, COUNT_OF(a), b, COUNT_OF(b), 0);
    struct comparison y = stats_compare(a, COUNT_OF(a), b, COUNT_OF(b), 0);
    assert_true(x.ratio == y.ratio && x.low == y.low && x.high == y.high);
    assert_int_equal(x.verdict, y.verdict);
    assert_true(x.low <= x.ratio && x.ratio <= x.high);
}

// Of this process: others on the machine do not count.
static uint64_t processor_ns(void)
{
    struct timespec used;
    assert_int_equal(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used), 0);
    return (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
}

static void comparing_takes_milliseconds(void **state)
{
    (void)state;
    double a[200], b[200];
    times(a, COUNT_OF(a), 100, 0.01, GAUSSIAN, 1);
    times(b, COUNT_OF(b), 101, 0.01, GAUSSIAN, 2);
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 5; i++) {
        uint64_t start = processor_ns();
        (void)stats_compare(a, COUNT_OF(a), b, COUNT_OF(b), 0.01);
        uint64_t passed = processor_ns() - start;
        best = passed < best ? passed : best;
    }
    print_message("2000 resamples of 200 + 200 samples: %.2f ms\n", (double)best / 1e6);
    assert_true(best < 200u * 1000 * 1000); // sanitizers included
}

static void sampling_settles_when_the_interval_is_narrow(void **state)
{
    (void)state;
    double samples[500];
    times(samples, COUNT_OF(samples), 100, 0.01, GAUSSIAN, 3);
    assert_false(stats_settled(samples, 5, 0.5));
    assert_false(stats_settled(samples, 10, 0.001));
    assert_true(stats_settled(samples, COUNT_OF(samples), 0.005));
}

// Spearman's own formula without ties, and a tie by hand.
static void density_is_highest_where_samples_crowd(void **state)
{
    const double samples[] = {1, 2, 2.5, 3, 3, 3.5, 4, 5}, at[] = {-100, 1, 3, 5, 100};
    const double still[] = {3, 3, 3};
    double out[5];
    stats_density(samples, 8, at, 5, out);
    assert_true(out[2] == 1 && out[0] == 0 && out[4] == 0);
    assert_true(out[1] > 0 && out[1] < out[2]);
    assert_true(fabs(out[1] - out[3]) < 1e-12); // they lie alike on both sides
    stats_density(still, 3, at, 5, out);
    assert_true(out[2] == 0);
}

static void rank_correlation_of_known_pairs(void **state)
{
    (void)state;
    const double x[] = {1, 2, 3, 4, 5}, same[] = {10, 20, 30, 40, 500}, back[] = {5, 4, 3, 2, 1};
    const double mixed[] = {2, 1, 4, 3, 5}, tied[] = {1, 1, 2, 2, 3};
    assert_true(fabs(stats_rank_correlation(x, same, 5) - 1) < 1e-12);
    assert_true(fabs(stats_rank_correlation(x, back, 5) + 1) < 1e-12);
    assert_true(fabs(stats_rank_correlation(x, mixed, 5) - 0.8) < 1e-12); // 1 - 6*4/120
    assert_true(fabs(stats_rank_correlation(x, tied, 5) - 9 / sqrt(90)) < 1e-12);
    assert_true(isnan(stats_rank_correlation(x, same, 2)));
}

static void verdicts_have_names(void **state)
{
    (void)state;
    assert_string_equal(verdict_name(VERDICT_SAME), "no difference");
    assert_string_equal(verdict_name(VERDICT_FASTER), "faster");
    assert_string_equal(verdict_name(VERDICT_SLOWER), "slower");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(summary_of_known_samples),
        cmocka_unit_test(summary_of_one_sample_is_that_sample),
        cmocka_unit_test(interval_ranks_match_the_published_table),
        cmocka_unit_test(interval_is_smooth_where_the_formula_changes),
        cmocka_unit_test(interval_covers_the_median_as_often_as_it_says),
        cmocka_unit_test(a_kernel_is_rarely_called_different_from_itself),
        cmocka_unit_test(a_slow_down_of_two_percent_is_caught),
        cmocka_unit_test(the_ratios_interval_covers_the_truth),
        cmocka_unit_test(exact_times_compare_exactly),
        cmocka_unit_test(the_same_samples_get_the_same_answer),
        cmocka_unit_test(comparing_takes_milliseconds),
        cmocka_unit_test(sampling_settles_when_the_interval_is_narrow),
        cmocka_unit_test(density_is_highest_where_samples_crowd),
        cmocka_unit_test(rank_correlation_of_known_pairs),
        cmocka_unit_test(verdicts_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
