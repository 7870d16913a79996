// Statistics held to R's values (R 4.2.2; reference.R prints them), to textbooks' and to what theory says.
// SPDX-License-Identifier: Apache-2.0
#include "base/base.h"
#include "stats/stats.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

// ?wilcox.test
static const double x[] = {0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
static const double y[] = {1.15, 0.88, 0.90, 0.74, 1.21};
// datasets::sleep, the two groups (Student 1908)
static const double a[] = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
static const double b[] = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
static const enum alternative alternatives[] = {TEST_TWO_SIDED, TEST_LESS, TEST_GREATER};

static void near(double got, double wanted, double relative)
{
    if (!(fabs(got - wanted) <= relative * fabs(wanted))) {
        print_error("got %.17g, wanted %.17g\n", got, wanted);
        fail();
    }
}

static void binomial_limits_are_R_s(void **state)
{
    (void)state;
    near(stats_binomial_tail(1, 40, 0.01), 0.331028241430319836, 1e-12);
    near(stats_binomial_tail(4, 40, 0.01), 0.000685606427009455, 1e-10);
    near(stats_binomial_tail(40, 40, 0.9), 0.014780882941434603, 1e-12);
    near(stats_binomial_tail(0, 40, 0.9), 1, 1e-15);
    near(stats_binomial_limit(0, 40, 0.95), 0.0721575245055146, 1e-9);
    near(stats_binomial_limit(1, 40, 0.95), 0.1131883609447375, 1e-6);
    near(stats_binomial_limit(37, 40, 0.95), 0.9792463985242987, 1e-6);
    near(stats_binomial_limit(40, 40, 0.95), 1, 1e-15);
}

// datasets::Nile: the annual flow at Aswan, 1871 to 1970; it changes in 1898 (Cobb 1978).
static const double nile[] = {
    1120, 1160, 963, 1210, 1160, 1160, 813,  1230, 1370, 1140, 995,  935,  1110, 994,  1020,
    960,  1180, 799, 958,  1140, 1100, 1210, 1150, 1250, 1260, 1220, 1030, 1100, 774,  840,
    874,  694,  940, 833,  701,  916,  692,  1020, 1050, 969,  831,  726,  456,  824,  702,
    1120, 1100, 832, 764,  821,  768,  845,  864,  862,  698,  845,  744,  796,  1040, 759,
    781,  865,  845, 944,  984,  897,  822,  1010, 771,  676,  649,  846,  812,  742,  801,
    1040, 860,  874, 848,  890,  744,  749,  838,  1050, 918,  986,  797,  923,  975,  815,
    1020, 906,  901, 1170, 912,  746,  919,  718,  714,  740};
// datasets::airquality$Temp
static const double temperature[] = {
    67, 72, 74, 62, 56, 66, 65, 59, 61, 69, 74, 69, 66, 68, 58, 64, 66, 57, 68, 62, 59, 73,
    61, 61, 57, 58, 57, 67, 81, 79, 76, 78, 74, 67, 84, 85, 79, 82, 87, 90, 87, 93, 92, 82,
    80, 79, 77, 72, 65, 73, 76, 77, 76, 76, 76, 75, 78, 73, 80, 77, 83, 84, 85, 81, 84, 83,
    83, 88, 92, 92, 89, 82, 73, 81, 91, 80, 81, 82, 84, 87, 85, 74, 81, 82, 86, 85, 82, 86,
    88, 86, 83, 81, 81, 81, 82, 86, 85, 87, 89, 90, 90, 92, 86, 86, 82, 80, 79, 77, 79, 76,
    78, 78, 77, 72, 75, 79, 81, 86, 88, 97, 94, 96, 94, 91, 92, 93, 93, 87, 84, 80, 78, 75,
    73, 81, 76, 77, 71, 71, 78, 67, 76, 68, 82, 64, 71, 81, 69, 63, 70, 77, 75, 76, 68};

static void check_changes(const double *series, size_t count, double penalty, const size_t *wanted,
                          size_t wanted_count)
{
    size_t found[200];
    assert_int_equal(stats_pelt(series, count, penalty, 1, found), wanted_count);
    assert_memory_equal(found, wanted, wanted_count * sizeof *found);
}

static void changes_of_the_mean_are_the_published_ones(void **state)
{
    (void)state;
    static const size_t of_nile[] = {28}; // of 100: the last of the first segment is 1898
    static const size_t of_temperature[] = {28, 34, 44, 60, 105, 117, 129};
    static const size_t of_less[] = {3, 9, 14, 28, 34, 44, 60, 97, 104, 117, 128, 136};
    double sigma = 115.319216516589, n = (double)COUNT_OF(temperature);
    assert_int_equal(COUNT_OF(nile), 100);
    check_changes(nile, COUNT_OF(nile), 2 * sigma * sigma * log(100), of_nile, 1);
    check_changes(temperature, COUNT_OF(temperature), 33.0132 * log(n), of_temperature,
                  COUNT_OF(of_temperature));
    check_changes(temperature, COUNT_OF(temperature), 100, of_less, COUNT_OF(of_less));
}

// The cost of the division whose segments end after the bits of mask; *shortest of them.
static double division_cost(const double *v, size_t n, unsigned mask, double penalty,
                            size_t *shortest)
{
    double total = 0;
    *shortest = n;
    for (size_t from = 0, to = 1; to <= n; to++) {
        if (to < n && !(mask >> (to - 1) & 1))
            continue;
        double mean = 0, squares = 0;
        for (size_t i = from; i < to; i++)
            mean += v[i] / (double)(to - from);
        for (size_t i = from; i < to; i++)
            squares += (v[i] - mean) * (v[i] - mean);
        total += squares + (from > 0 ? penalty : 0);
        *shortest = to - from < *shortest ? to - from : *shortest;
        from = to;
    }
    return total;
}

static void no_division_costs_less_than_the_one_that_is_found(void **state)
{
    (void)state;
    enum { N = 10 };
    static const double penalty = 0.4;
    for (uint64_t trial = 0; trial < 90; trial++) {
        double v[N], least = (double)INFINITY;
        size_t found[N], wanted = 1 + trial % 3, shortest;
        unsigned mask = 0;
        for (size_t i = 0; i < N; i++) {
            uint32_t w[4];
            philox(5, trial, i, w);
            v[i] = philox_uniform(w[0]) + (i >= trial % N ? 2 * philox_uniform(w[1]) : 0);
        }
        size_t n = stats_pelt(v, N, penalty, wanted, found);
        for (size_t i = 0; i < n; i++)
            mask |= 1U << (found[i] - 1);
        for (unsigned m = 0; m < 1U << (N - 1); m++) {
            double cost = division_cost(v, N, m, penalty, &shortest);
            least = shortest >= wanted ? fmin(least, cost) : least;
        }
        assert_true(fabs(division_cost(v, N, mask, penalty, &shortest) - least) < 1e-9);
        assert_true(shortest >= wanted);
    }
}

static void distributions_are_R_s(void **state)
{
    (void)state;
    near(normal_quantile(0.975), 1.95996398454005, 1e-14);
    near(normal_quantile(1e-10), -6.36134090240406, 1e-13);
    near(normal_quantile(0.4), -0.25334710313580, 1e-13);
    near(normal_cdf(-1.96), 2.49978951482204e-02, 1e-14);
    near(normal_cdf(3), 9.98650101968370e-01, 1e-14);
    near(normal_cdf(-8), 6.22096057427178e-16, 1e-13);
    near(student_quantile(0.975, 1), 12.70620473617469, 1e-12);
    near(student_quantile(0.995, 9), 3.24983554159213, 1e-12);
    near(student_quantile(0.6, 100.5), 0.25401881865735, 1e-11);
    near(student_cdf(-2.5, 3), 0.0438533235040328, 1e-12);
    near(student_cdf(0.3, 7.5), 0.6138386707156109, 1e-12);
    near(student_cdf(40, 30), 1, 1e-14);
}

static void mann_whitney_is_exact_for_few_samples(void **state)
{
    (void)state;
    static const double wanted[] = {0.254412254412254, 0.896769896769897, 0.127206127206127};
    for (size_t i = 0; i < COUNT_OF(wanted); i++) {
        struct test t = stats_mann_whitney(x, COUNT_OF(x), y, COUNT_OF(y), alternatives[i]);
        near(t.statistic, 35, 0);
        near(t.p, wanted[i], 1e-13);
    }
}

static void mann_whitney_keeps_its_digits_at_49_samples(void **state)
{
    (void)state;
    double e[49], f[47];
    for (int i = 0; i < 49; i++)
        e[i] = i + 1.25;
    for (int i = 0; i < 47; i++)
        f[i] = 2 * i + 1.5;
    struct test t = stats_mann_whitney(e, 49, f, 47, TEST_TWO_SIDED);
    near(t.statistic, 600, 0);
    near(t.p, 3.59535063273748e-05, 1e-11);
}

static void mann_whitney_of_ties_is_the_corrected_approximation(void **state)
{
    (void)state;
    static const double wanted[] = {0.0693275754336266, 0.0346637877168133, 0.970751668607274};
    for (size_t i = 0; i < COUNT_OF(wanted); i++) {
        struct test t = stats_mann_whitney(a, COUNT_OF(a), b, COUNT_OF(b), alternatives[i]);
        near(t.statistic, 25.5, 0);
        near(t.p, wanted[i], 1e-12);
    }
    double same[] = {3, 3, 3};
    near(stats_mann_whitney(same, 3, same, 3, TEST_TWO_SIDED).p, 1, 0);
}

static void welch_is_R_s(void **state)
{
    (void)state;
    static const double wanted[] = {0.0793941401873582, 0.0396970700936791, 0.960302929906321};
    for (size_t i = 0; i < COUNT_OF(wanted); i++) {
        struct test t = stats_welch(a, COUNT_OF(a), b, COUNT_OF(b), alternatives[i]);
        near(t.statistic, -1.8608134674868531, 1e-13);
        near(t.df, 17.7764735161784984, 1e-13);
        near(t.p, wanted[i], 1e-12);
    }
}

static void one_sample_is_described_as_R_does(void **state)
{
    (void)state;
    static const double q[] = {0, 0.1, 0.25, 0.5, 0.9, 1},
                        quantiles[] = {0.73, 0.793, 0.8825, 1.415, 1.892, 1.91};
    for (size_t i = 0; i < COUNT_OF(q); i++)
        near(stats_quantile(x, COUNT_OF(x), q[i]), quantiles[i], 1e-14);
    near(stats_mad(x, COUNT_OF(x)), 0.630105, 1e-13);
    near(stats_mad(b, COUNT_OF(b)), 2.44629, 1e-13);
    struct interval i = stats_mean_interval(a, COUNT_OF(a), 0.95);
    near(i.low, -0.529780413526232, 1e-12);
    near(i.high, 2.029780413526232, 1e-12);
    i = stats_mean_interval(b, COUNT_OF(b), 0.99);
    near(i.low, 0.272312534202337, 1e-11);
    near(i.high, 4.387687465797663, 1e-12);
}

static void hodges_lehmann_is_R_s(void **state)
{
    (void)state;
    near(stats_hodges_lehmann(x, COUNT_OF(x), y, COUNT_OF(y)), 0.305, 1e-13);
}

static void holm_is_R_s(void **state)
{
    (void)state;
    double p[] = {0.01, 0.02, 0.03, 0.005, 0.9, 0.02};
    static const double wanted[] = {0.05, 0.08, 0.08, 0.03, 0.90, 0.08};
    stats_holm(p, COUNT_OF(p));
    for (size_t i = 0; i < COUNT_OF(p); i++)
        near(p[i], wanted[i], 1e-14);
}

// Efron and Tibshirani 1993, table 14.2: the spatial test data, variance, 90 %: BCa 115.8 to 259.6, where
// the percentile interval is 100.8 to 233.9.
static double variance(const double *sorted, size_t count)
{
    double mean = statistic_mean(sorted, count), squares = 0;
    for (size_t i = 0; i < count; i++)
        squares += (sorted[i] - mean) * (sorted[i] - mean);
    return squares / (double)count;
}

static void bca_is_the_textbook_s(void **state)
{
    (void)state;
    static const double spatial[] = {48, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6,
                                     0,  33, 28, 34, 4,  32, 24, 47, 41, 24, 26, 30, 41};
    struct interval i = stats_bca_interval(spatial, COUNT_OF(spatial), variance, 0.9);
    near(i.low, 115.8, 0.03); // the textbook drew 2,000 resamples of its own
    near(i.high, 259.6, 0.03);
}

static double normal(uint64_t stream, uint64_t index)
{
    static const double two_pi = 6.283185307179586; // Box and Muller
    uint32_t w[4];
    philox(99, stream, index, w);
    return sqrt(-2 * log(1 - philox_uniform(w[0]))) * cos(two_pi * philox_uniform(w[1]));
}

static void bca_covers_the_mean_of_skewed_samples(void **state)
{
    (void)state;
    enum { TRIALS = 300, SAMPLES = 60 };
    static const double truth = 0.5; // half of a chi square with 1 degree of freedom: skewness 2.8
    double sample[SAMPLES];
    int inside = 0;
    for (uint64_t t = 0; t < TRIALS; t++) {
        for (uint64_t i = 0; i < SAMPLES; i++)
            sample[i] = pow(normal(t, i), 2) / 2;
        struct interval i = stats_bca_interval(sample, SAMPLES, statistic_mean, 0.95);
        inside += i.low <= truth && truth <= i.high;
    }
    assert_in_range(inside, TRIALS * 90 / 100, TRIALS * 98 / 100);
}

static void dependent_samples_count_for_fewer(void **state)
{
    (void)state;
    enum { SAMPLES = 20000, SERIES = 10 };
    static const double phi[] = {0, 0.5, 0.9};
    double *series = xcalloc(SAMPLES, sizeof *series);
    for (size_t k = 0; k < COUNT_OF(phi); k++) {
        double wanted = (1 + phi[k]) / (1 - phi[k]), got = 0; // of an autoregression of order 1
        for (uint64_t s = 0; s < SERIES; s++) {
            double last = 0;
            for (uint64_t i = 0; i < SAMPLES; i++)
                series[i] = last = phi[k] * last + normal(1000 + SERIES * k + s, i);
            got += SAMPLES / stats_effective_count(series, SAMPLES) / SERIES;
        }
        near(got, wanted, 0.05);
    }
    for (size_t i = 0; i < 10; i++)
        series[i] = 3;
    near(stats_effective_count(series, 10), 10, 0);
    free(series);
}

static void outliers_are_marked_as_boxplots_do(void **state)
{
    (void)state;
    double all[COUNT_OF(x) + 2];
    bool marked[COUNT_OF(all)];
    for (size_t i = 0; i < COUNT_OF(x); i++)
        all[i] = x[i];
    all[COUNT_OF(x)] = 9;
    all[COUNT_OF(x) + 1] = -5;
    assert_int_equal(stats_outliers(all, COUNT_OF(all), marked), 2);
    assert_true(marked[COUNT_OF(x)] && marked[COUNT_OF(x) + 1] && !marked[0]);
}

static void ewma_follows_its_recurrence(void **state)
{
    (void)state;
    double in[] = {1, 1, 1, 0}, out[4];
    stats_ewma(in, 4, 0.5, 0, out);
    near(out[0], 0.5, 1e-15);
    near(out[2], 0.875, 1e-15);
    near(out[3], 0.4375, 1e-15);
}

// With slack 0.5 and limit 5 a shift of one sigma is found after 10.4 samples on average (Page's charts as in
// Montgomery's table: average run length 10.4), and without one a false alarm comes after 465.
static void cusum_has_the_run_lengths_of_the_tables(void **state)
{
    (void)state;
    static const double shifts[] = {0, 1}, wanted[] = {465, 10.4};
    enum { LENGTH = 1500000 };
    double *series = xcalloc(LENGTH, sizeof *series);
    for (uint64_t k = 0; k < COUNT_OF(shifts); k++) {
        size_t begin = 0, alarms = 0, end;
        bool up = true;
        for (size_t i = 0; i < LENGTH; i++)
            series[i] = 100 + 2 * (shifts[k] + normal(5000 + k, i));
        while ((end = stats_cusum(series + begin, LENGTH - begin, 100, 2, 0.5, 5, &up)) <
               LENGTH - begin) {
            assert_true(up || k == 0);
            alarms++;
            begin += end + 1;
        }
        near((double)begin / (double)alarms, wanted[k], 0.05);
    }
    free(series);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_of_the_mean_are_the_published_ones),
        cmocka_unit_test(no_division_costs_less_than_the_one_that_is_found),
        cmocka_unit_test(distributions_are_R_s),
        cmocka_unit_test(binomial_limits_are_R_s),
        cmocka_unit_test(mann_whitney_is_exact_for_few_samples),
        cmocka_unit_test(mann_whitney_keeps_its_digits_at_49_samples),
        cmocka_unit_test(mann_whitney_of_ties_is_the_corrected_approximation),
        cmocka_unit_test(welch_is_R_s),
        cmocka_unit_test(one_sample_is_described_as_R_does),
        cmocka_unit_test(hodges_lehmann_is_R_s),
        cmocka_unit_test(holm_is_R_s),
        cmocka_unit_test(bca_is_the_textbook_s),
        cmocka_unit_test(bca_covers_the_mean_of_skewed_samples),
        cmocka_unit_test(dependent_samples_count_for_fewer),
        cmocka_unit_test(outliers_are_marked_as_boxplots_do),
        cmocka_unit_test(ewma_follows_its_recurrence),
        cmocka_unit_test(cusum_has_the_run_lengths_of_the_tables),
    };
    return cmocka_run_group_tests_name("reference", tests, NULL, NULL);
}
