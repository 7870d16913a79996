// The watches of series: how often they cry for nothing, counted over long synthetic series, and how soon they see what
// is there. The rates in docs/monitor.md are those counted here.
// SPDX-License-Identifier: Apache-2.0
#include "base/base.h"
#include "stats/stats.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static double normal(uint64_t stream, uint64_t index) // Box and Muller
{
    uint32_t words[4];
    philox(20261122, stream, index, words);
    return sqrt(-2 * log1p(-philox_uniform(words[0]))) *
           cos(2 * 3.14159265358979 * philox_uniform(words[1]));
}

// At most one false alarm in so many readings, at 95 %: the upper limit of a Poisson count (Garwood 1936), which is half the
// quantile of chi-squared with 2 (count + 1) degrees of freedom, by Wilson and Hilferty's formula.
static void assert_rarer(int alarms, int readings, double than)
{
    double df = 2 * (alarms + 1), c = 2 / (9 * df);
    double limit = df / 2 * pow(1 - c + 1.6449 * sqrt(c), 3);
    print_message("%d alarms in %d readings: fewer than 1 in %.0f\n", alarms, readings,
                  readings / limit);
    assert_true(readings / limit > than);
}

// Alarms in `series` runs of `length` readings that hold no change; correlation of neighbours `rho`.
static int false_alarms(int series, int length, double rho)
{
    int alarms = 0;
    for (int k = 0; k < series; k++) {
        struct watch w = {.sigma_least = 1e-9};
        double x = 0;
        for (int i = 0; i < length; i++) {
            x = rho * x + sqrt(1 - rho * rho) * normal((uint64_t)k, (uint64_t)i);
            alarms += watch_add(&w, 70 + 2 * x) != WATCH_QUIET;
        }
    }
    return alarms;
}

static void independent_readings_give_no_alarm_in_a_month(void **state)
{
    enum { SERIES = 10, MONTH = 43200 }; // minutes
    int alarms = false_alarms(SERIES, MONTH, 0);
    assert_rarer(alarms, SERIES * MONTH, 40000);
}

// What real series have: minutes depend on the one before. The rate is higher, and stated.
static void correlated_readings_give_more_and_how_many_is_stated(void **state)
{
    enum { SERIES = 5, MONTH = 43200 };
    int alarms = false_alarms(SERIES, MONTH, 0.3);
    assert_rarer(alarms, SERIES * MONTH, 8000);
}

// Readings until an alarm after a shift of so many standard deviations, the median of 41 series.
static double delay(double shift, bool *up_always)
{
    enum { SERIES = 41 };
    double delays[SERIES];
    *up_always = true;
    for (int k = 0; k < SERIES; k++) {
        struct watch w = {.sigma_least = 1e-9};
        int i = 0;
        for (; i < WATCH_LEARN; i++)
            assert_int_equal(watch_add(&w, normal(1000 + (uint64_t)k, (uint64_t)i)), WATCH_QUIET);
        int began = i;
        while (watch_add(&w, shift + normal(1000 + (uint64_t)k, (uint64_t)i)) == WATCH_QUIET)
            i++;
        *up_always = *up_always && w.up;
        delays[k] = i - began + 1;
    }
    return stats_quantile(delays, SERIES, 0.5);
}

static void shifts_are_seen_soon(void **state)
{
    bool up;
    double of_one = delay(1, &up), of_three = delay(3, &up);
    print_message("median delay: %g readings for 1 sigma, %g for 3\n", of_one, of_three);
    assert_true(of_one <= 40);
    assert_true(of_three <= 6);
    assert_true(up);
    delay(-3, &up);
    assert_false(up);
}

static void a_new_level_is_one_alarm(void **state)
{
    struct watch w = {.sigma_least = 0.5};
    int alarms = 0;
    for (int i = 0; i < 3 * WATCH_LEARN; i++)
        alarms += watch_add(&w, 60 + normal(7, (uint64_t)i)) != WATCH_QUIET;
    assert_int_equal(alarms, 0);
    for (int i = 0; i < 10 * WATCH_LEARN; i++)
        alarms += watch_add(&w, 75 + normal(8, (uint64_t)i)) != WATCH_QUIET;
    assert_int_equal(alarms, 1);
    assert_true(fabs(w.alarm_centre - 60) < 0.5 && w.up);
}

static void rounded_readings_that_never_vary_are_no_reason(void **state)
{
    struct watch w = {.sigma_least = 1};
    for (int i = 0; i < 10000; i++) // a counter's zeros, and a single one now and then
        assert_int_equal(watch_add(&w, i > 1000 && i % 500 == 0), WATCH_QUIET);
}

/* ---- the time of day --------------------------------------------------------------------------------- */

static double usual(int slot)
{
    return 300 + 250 * sin(2 * 3.14159265358979 * slot / SEASON_SLOTS);
}

static void the_daily_rise_and_fall_is_no_alarm(void **state)
{
    enum { DAYS = 365, SERIES = 5 };
    int alarms = 0, readings = 0;
    for (int k = 0; k < SERIES; k++) {
        static struct season s;
        double expected;
        season_init(&s, 1);
        for (int i = 0; i < DAYS * SEASON_SLOTS; i++, readings++)
            alarms += season_add(
                &s, i % SEASON_SLOTS,
                usual(i % SEASON_SLOTS) + 20 * normal(50 + (uint64_t)k, (uint64_t)i), &expected);
    }
    assert_rarer(alarms, readings, 40000);
}

// A level that is usual at noon is not at night: a chart without the time of day would see nothing.
static void a_night_like_noon_is_an_alarm(void **state)
{
    static struct season s;
    double expected = 0;
    int at = -1;
    season_init(&s, 1);
    for (int i = 0; i < 10 * SEASON_SLOTS; i++)
        assert_false(season_add(&s, i % SEASON_SLOTS,
                                usual(i % SEASON_SLOTS) + 20 * normal(60, (uint64_t)i), &expected));
    for (int slot = 0; slot < SEASON_SLOTS && at < 0; slot++) {
        bool night = slot >= 70 && slot < 80;
        if (season_add(&s, slot, (night ? 500 : usual(slot)) + 20 * normal(61, (uint64_t)slot),
                       &expected))
            at = slot;
    }
    assert_int_equal(at, 71);
    assert_true(fabs(expected - usual(71)) < 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(independent_readings_give_no_alarm_in_a_month),
        cmocka_unit_test(correlated_readings_give_more_and_how_many_is_stated),
        cmocka_unit_test(shifts_are_seen_soon),
        cmocka_unit_test(a_new_level_is_one_alarm),
        cmocka_unit_test(rounded_readings_that_never_vary_are_no_reason),
        cmocka_unit_test(the_daily_rise_and_fall_is_no_alarm),
        cmocka_unit_test(a_night_like_noon_is_an_alarm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
