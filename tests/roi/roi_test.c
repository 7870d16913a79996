// What an optimization is worth, against figures worked out by hand.
// SPDX-License-Identifier: Apache-2.0
#include "roi/roi.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { SAMPLES = 20 };

static struct error err;

static void near(double got, double wanted)
{
    if (!(fabs(got - wanted) <= 1e-9 * fabs(wanted) + 1e-12))
        fail_msg("%.12g, not %.12g", got, wanted);
}

static struct result timed(const char *variant, double *samples, enum provenance provenance)
{
    size_t count = provenance == PROVENANCE_MEASURED ? SAMPLES : 1;
    return (struct result){.variant = variant,
                           .case_label = "N=1",
                           .status = RESULT_OK,
                           .time = {provenance, stats_summary(samples, count), samples}};
}

static struct run_header header(void)
{
    return (struct run_header){.id = 17, .experiment = "e", .device_id = "cuda:0"};
}

// Around 2 s and 1 s, so that 1 s is saved per run.
static struct roi taken(enum provenance provenance, double energy_mj, double power_w)
{
    static double slow[SAMPLES], fast[SAMPLES];
    struct run run = {.header = header()};
    struct roi r = {.currency = "EUR"};
    for (int i = 0; i < SAMPLES; i++) {
        double wave = provenance == PROVENANCE_MEASURED ? 1e7 * (i % 5 - 2) : 0;
        slow[i] = 2e9 + wave;
        fast[i] = 1e9 + wave;
    }
    struct result before = timed("slow", slow, provenance), after = timed("fast", fast, provenance);
    before.conditions.energy_mj = 2 * energy_mj;
    after.conditions.energy_mj = energy_mj;
    if (!roi_take(&r, &run, &before, &after, power_w, &err))
        fail_msg("%s", err.message);
    return r;
}

static void given(struct roi *r, enum roi_id id, double value)
{
    r->figure[id] = (struct roi_figure){ROI_GIVEN, value, value, value, "test"};
}

static struct roi priced(enum provenance provenance, double energy_mj, double power_w)
{
    struct roi r = taken(provenance, energy_mj, power_w);
    given(&r, ROI_RUNS, 7200); // 2 GPU-hours per day
    given(&r, ROI_GPU_PRICE, 3);
    given(&r, ROI_HOURS, 10);
    given(&r, ROI_HOUR_PRICE, 50);
    given(&r, ROI_MAINTENANCE, 3); // 0.1 h per day: 5 per day
    given(&r, ROI_DAYS, 600);
    return r;
}

static void net_value_and_break_even_follow_from_the_inputs(void **state)
{
    struct roi r = priced(PROVENANCE_MODELLED, 0, (double)NAN);
    (void)state;
    roi_compute(&r);
    near(r.figure[ROI_SAVED].value, 1e9);
    near(r.figure[ROI_GPU_HOURS_DAY].value, 2);
    near(r.figure[ROI_VALUE_DAY].value, 6);
    near(r.figure[ROI_UPKEEP_DAY].value, 5);
    near(r.figure[ROI_COST].value, 500);
    near(r.figure[ROI_NET].value, 600 * (6 - 5) - 500);
    near(r.figure[ROI_BREAK_EVEN].value, 500);
    near(r.figure[ROI_TEXTBOOK].value, 2 * 600 / (10 + 600 / 30.0 * 3));
    near(r.figure[ROI_RETURN].value, 600.0 * 6 / (500 + 600 * 5));
    assert_int_equal(r.figure[ROI_KWH_DAY].origin, ROI_ABSENT);
}

static void what_follows_from_a_model_is_modelled(void **state)
{
    struct roi modelled = priced(PROVENANCE_MODELLED, 0, (double)NAN),
               measured = priced(PROVENANCE_MEASURED, 0, (double)NAN);
    (void)state;
    roi_compute(&modelled);
    roi_compute(&measured);
    assert_true(roi_is_modelled(&modelled));
    assert_int_equal(modelled.figure[ROI_NET].origin, ROI_MODELLED);
    assert_false(roi_is_modelled(&measured));
    assert_int_equal(measured.figure[ROI_NET].origin, ROI_MEASURED);
    assert_int_equal(measured.figure[ROI_COST].origin, ROI_GIVEN);
}

static void a_measured_interval_reaches_the_net_value(void **state)
{
    struct roi r = priced(PROVENANCE_MEASURED, 0, (double)NAN);
    (void)state;
    roi_compute(&r);
    const struct roi_figure *saved = &r.figure[ROI_SAVED], *net = &r.figure[ROI_NET];
    assert_true(saved->low < saved->value && saved->value < saved->high);
    near(net->low, 600 * (7200 * saved->low / 3600e9 * 3 - 5) - 500);
    near(net->high, 600 * (7200 * saved->high / 3600e9 * 3 - 5) - 500);
}

static void measured_energy_is_priced(void **state)
{
    struct roi r = priced(PROVENANCE_MEASURED, 500e3, (double)NAN); // 1 kJ less 500 J
    (void)state;
    given(&r, ROI_KWH_PRICE, 0.5);
    roi_compute(&r);
    assert_int_equal(r.figure[ROI_ENERGY].origin, ROI_MEASURED);
    near(r.figure[ROI_ENERGY].value, 500);
    near(r.figure[ROI_KWH_DAY].value, 1);
    near(r.figure[ROI_VALUE_DAY].value, 6.5);
}

static void energy_by_given_watts_is_no_measurement(void **state)
{
    struct roi r = priced(PROVENANCE_MEASURED, 0, 700);
    (void)state;
    assert_int_equal(r.figure[ROI_ENERGY].origin, ROI_GIVEN);
    near(r.figure[ROI_ENERGY].value, 700 * r.figure[ROI_SAVED].value * 1e-9);
}

static void what_costs_more_than_it_saves_never_breaks_even(void **state)
{
    struct roi r = priced(PROVENANCE_MODELLED, 0, (double)NAN);
    (void)state;
    given(&r, ROI_MAINTENANCE, 30);
    roi_compute(&r);
    assert_int_equal(r.figure[ROI_BREAK_EVEN].origin, ROI_ABSENT);
    near(r.figure[ROI_NET].value, 600 * (6 - 50) - 500);
}

static void the_input_that_matters_most_is_first(void **state)
{
    struct roi r = priced(PROVENANCE_MODELLED, 0, (double)NAN);
    (void)state;
    roi_compute(&r);
    // Half and one and a half of: runs and GPU price 3600 in the net, the hour's price 3500, maintenance 3000.
    assert_int_equal(r.varied_count, 5);
    near(fabs(r.varied[0].net[1] - r.varied[0].net[0]), 3600);
    assert_int_equal(r.varied[2].id, ROI_HOUR_PRICE);
    near(r.varied[2].net[0], 600 * (6 - 2.5) - 250);
    assert_int_equal(r.varied[4].id, ROI_HOURS);
    near(r.varied[4].break_even[0], 250);
}

static void times_of_different_origin_are_refused(void **state)
{
    double a[SAMPLES] = {2}, b[SAMPLES] = {1};
    struct run run = {.header = header()};
    struct roi r = {0};
    struct result before = timed("a", a, PROVENANCE_MODELLED),
                  after = timed("b", b, PROVENANCE_MEASURED);
    (void)state;
    assert_false(roi_take(&r, &run, &before, &after, (double)NAN, &err));
    assert_non_null(strstr(err.message, "no times of the same origin"));
    error_clear(&err);
}

static void pauses_are_not_hours_of_work(void **state)
{
    static const char *const dates[] = {"2026-11-20T08:00:00Z",
                                        "2026-11-20T08:30:00Z",
                                        "2026-11-20T09:15:00Z", // 1.25 h
                                        "2026-11-20T14:00:00Z", // alone
                                        "no date",
                                        "2026-11-21T10:00:00Z",
                                        "2026-11-21T10:15:00Z"}; // 0.25 h
    double hours;
    int sessions;
    (void)state;
    assert_true(roi_hours(dates, (int)COUNT_OF(dates), 3600, &hours, &sessions));
    near(hours, 1.5);
    assert_int_equal(sessions, 3);
    assert_false(roi_hours(dates, 1, 3600, &hours, &sessions));
}

static void what_comes_next_is_where_the_gap_costs_most(void **state)
{
    struct roi_candidate items[] = {
        {.experiment = "near", .time_ns = 3600e9, .floor_ns = 3240e9, .runs_per_day = 10},
        {.experiment = "far", .time_ns = 1800e9, .floor_ns = 180e9, .runs_per_day = 10},
        {.experiment = "unknown", .time_ns = 3600e9, .runs_per_day = 10, .why_not = "no floor"},
        {.experiment = "below", .time_ns = 900e9, .floor_ns = 1000e9, .runs_per_day = 20},
    };
    (void)state;
    roi_rank(items, (int)COUNT_OF(items), 2);
    assert_string_equal(items[0].experiment, "far");
    near(items[0].share, 5 / 30.0);
    near(items[0].gap, 0.9);
    near(items[0].worth_per_day, 10 * 0.5 * 0.9 * 2);
    assert_string_equal(items[1].experiment, "near");
    near(items[1].worth_per_day, 10 * 0.1 * 2);
    assert_string_equal(items[2].experiment, "below"); // faster than its floor: nothing is left
    near(items[2].worth_per_day, 0);
    assert_string_equal(items[3].experiment, "unknown");
    near(items[3].share, 10 / 30.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(net_value_and_break_even_follow_from_the_inputs),
        cmocka_unit_test(what_follows_from_a_model_is_modelled),
        cmocka_unit_test(a_measured_interval_reaches_the_net_value),
        cmocka_unit_test(measured_energy_is_priced),
        cmocka_unit_test(energy_by_given_watts_is_no_measurement),
        cmocka_unit_test(what_costs_more_than_it_saves_never_breaks_even),
        cmocka_unit_test(the_input_that_matters_most_is_first),
        cmocka_unit_test(times_of_different_origin_are_refused),
        cmocka_unit_test(pauses_are_not_hours_of_work),
        cmocka_unit_test(what_comes_next_is_where_the_gap_costs_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
