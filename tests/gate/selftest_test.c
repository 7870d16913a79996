// The self-test of a gate: its experiments are well formed, the delay is calibrated by two times, and what is
// counted of rounds of samples whose truth is known.
// SPDX-License-Identifier: Apache-2.0
#include "gate/gate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { SAMPLES = 60, RESULTS_MAX = 40 };

static struct arena arena;
static struct error err;
static struct run run;
static struct selftest test;

static int setup(void **state)
{
    (void)state;
    error_clear(&err);
    run = (struct run){.header = {.device_id = "cuda:0", .device_name = "GPU"},
                       .results = ARENA_ARRAY(&arena, struct result, RESULTS_MAX)};
    selftest_init(&test, false);
    test.device = "GPU (cuda:0)";
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_release(&arena);
    return 0;
}

static void add(const char *variant, double median_ns, double noise, uint64_t stream)
{
    double *samples = ARENA_ARRAY(&arena, double, SAMPLES);
    for (uint64_t i = 0; i < SAMPLES; i++) {
        uint32_t w[4];
        philox(11, stream, i, w);
        samples[i] = median_ns * (1 + noise * normal_quantile(philox_uniform(w[0]) + 0x1p-33));
    }
    run.results[run.result_count++] =
        (struct result){.variant = variant,
                        .case_label = "N=1",
                        .checked = true,
                        .verified = true,
                        .time = {PROVENANCE_MEASURED, stats_summary(samples, SAMPLES), samples}};
}

static void calibrate(double short_ns, double long_ns)
{
    run.result_count = 0;
    add("short", short_ns, 0, 1);
    add("long", long_ns, 0, 2);
    assert_true(selftest_calibrate(&test, &run, &err));
}

// A round whose delays take what they were planted to, and whose like pairs differ by `unlike`.
static void play(double noise, double unlike, uint64_t stream)
{
    run.result_count = 0;
    for (int i = 0; i < 2 * SELFTEST_PAIRS; i++)
        add(arena_printf(&arena, "a%d", i), test.base_ns * (i % 2 ? 1 + unlike : 1), noise,
            stream + (uint64_t)i);
    for (int i = 0; i < SELFTEST_LEVELS; i++)
        add(arena_printf(&arena, "d%d", i),
            test.base_ns * (1 + selftest_planted_pct(&test, i) / 100), noise,
            stream + 100 + (uint64_t)i);
    assert_true(selftest_count(&arena, &test, &run, &err));
}

static void the_delay_is_calibrated_by_two_times(void **state)
{
    (void)state;
    calibrate(10000, 12000); // 2 ns a step
    assert_true(fabs(test.step_ns - 2) < 1e-9);
    assert_int_equal(test.steps[0], 1);
    assert_int_equal(test.steps[3], 50); // 1 % of 10 us
    assert_true(fabs(selftest_planted_pct(&test, 3) - 1) < 1e-9);
    calibrate(100, 1100); // steps of 1 %: each level is more than the one before
    for (int i = 1; i < SELFTEST_LEVELS; i++)
        assert_true(test.steps[i] > test.steps[i - 1]);
    run.result_count = 0;
    add("short", 10000, 0, 1);
    add("long", 10000, 0, 1);
    assert_false(selftest_calibrate(&test, &run, &err));
    assert_non_null(strstr(err.message, "does not slow its kernel down"));
}

static void quiet_clocks_see_small_delays(void **state)
{
    (void)state;
    calibrate(10000, 12000);
    for (uint64_t r = 0; r < 10; r++)
        play(0.001, 0, 1000 * (r + 1));
    assert_int_equal(test.pairs, 10 * SELFTEST_PAIRS);
    assert_in_range(test.alarms, 0, 2);
    assert_true(selftest_passed(&test));
    assert_true(fabs(test.unlike_pct / test.pairs) < 0.05 && test.unlike_most_pct < 0.2);
    assert_int_equal(selftest_smallest(&test), 1); // 0.25 %; a step, 0.02 %, is not seen
    struct gate_report r = {0};
    selftest_report(&arena, &test, &r);
    assert_string_equal(r.properties[r.property_count - 1].name, "self_test_smallest_slowdown_pct");
    assert_string_equal(r.properties[r.property_count - 1].value, "0.26");
    assert_string_equal(r.properties[2].name, "self_test_false_alarms");
}

static void noisy_clocks_see_only_large_ones(void **state)
{
    (void)state;
    calibrate(10000, 12000);
    for (uint64_t r = 0; r < 10; r++)
        play(0.02, 0, 1000 * (r + 1));
    assert_in_range(selftest_smallest(&test), 3, SELFTEST_LEVELS - 1);
    calibrate(10000, 12000);
    test.rounds = 0;
    memset(test.caught, 0, sizeof test.caught);
    for (uint64_t r = 0; r < 10; r++)
        play(0.5, 0, 1000 * (r + 1));
    struct gate_report r = {0};
    selftest_report(&arena, &test, &r);
    assert_string_equal(r.properties[r.property_count - 1].value, "more than 5");
}

static const char *property(const char *name)
{
    struct gate_report report = {0};
    selftest_report(&arena, &test, &report);
    for (int i = 0; i < report.property_count; i++)
        if (strcmp(report.properties[i].name, name) == 0)
            return report.properties[i].value;
    return NULL;
}

static void a_machine_that_calls_like_pairs_slower_fails(void **state)
{
    (void)state;
    calibrate(10000, 12000);
    for (uint64_t r = 0; r < 3; r++)
        play(0.001, 0.01, 1000 * (r + 1));
    assert_int_equal(test.alarms, test.pairs);
    assert_false(selftest_passed(&test));
    struct gate_report r = {0};
    selftest_report(&arena, &test, &r); // with its figures
    assert_non_null(strstr(r.distrust, "called 12 of 12 pairs of the same code slower"));
    assert_false(gate_passed(&r));
    assert_non_null(strstr(property("self_test_same_code"), "mean growth +1.0"));
}

struct rounds { // played: one is interrupted, or fails
    int played, stops_at;
    volatile bool cancelled;
    bool interrupts;
};

static bool play_next(void *context, struct error *e)
{
    struct rounds *r = context;
    if (r->played == r->stops_at) {
        r->cancelled = r->interrupts;
        return (fail)(e, NOWHERE, r->interrupts ? "interrupted" : "the device is gone");
    }
    play(0.001, 0, 1000 * (uint64_t)++r->played);
    return true;
}

static void an_interrupted_test_keeps_its_finished_rounds(void **state)
{
    (void)state;
    struct rounds r = {.stops_at = 3, .interrupts = true};
    calibrate(10000, 12000);
    assert_true(selftest_play(&test, 10, 0, &r.cancelled, play_next, &r, &err));
    assert_int_equal(err.kind, ERROR_NONE);
    assert_int_equal(test.rounds, 3);
    assert_int_equal(test.pairs, 3 * SELFTEST_PAIRS);
    assert_string_equal(property("self_test_rounds"), "3 of 10: interrupted");
    assert_non_null(strstr(property("self_test_caught_5_pct"), "3 of 3 at "));
}

static void a_test_without_a_finished_round_and_one_that_fails_are_errors(void **state)
{
    (void)state;
    struct rounds at_once = {.stops_at = 0, .interrupts = true}, fails = {.stops_at = 2};
    calibrate(10000, 12000);
    assert_false(selftest_play(&test, 10, 0, &at_once.cancelled, play_next, &at_once, &err));
    assert_string_equal(err.message, "interrupted");
    error_clear(&err);
    assert_false(selftest_play(&test, 10, 0, &fails.cancelled, play_next, &fails, &err));
    assert_string_equal(err.message, "the device is gone");
}

static void a_time_limit_begins_no_further_round(void **state)
{
    (void)state;
    struct rounds r = {.stops_at = -1}, all = {.stops_at = -1};
    calibrate(10000, 12000);
    assert_true(selftest_play(&test, 10, 1e-9, &r.cancelled, play_next, &r, &err));
    assert_int_equal(test.rounds, 1);
    assert_string_equal(property("self_test_rounds"), "1 of 10: the time limit");
    selftest_init(&test, false);
    test.device = "GPU (cuda:0)";
    calibrate(10000, 12000);
    assert_true(selftest_play(&test, 2, 3600, &all.cancelled, play_next, &all, &err));
    assert_string_equal(property("self_test_rounds"), "2 of 2");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(the_delay_is_calibrated_by_two_times),
        TEST(quiet_clocks_see_small_delays),
        TEST(noisy_clocks_see_only_large_ones),
        TEST(a_machine_that_calls_like_pairs_slower_fails),
        TEST(an_interrupted_test_keeps_its_finished_rounds),
        TEST(a_test_without_a_finished_round_and_one_that_fails_are_errors),
        TEST(a_time_limit_begins_no_further_round),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
