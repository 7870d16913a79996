// Judging: every verdict an expectation can get, at its edges, and speed-ups.
// SPDX-License-Identifier: Apache-2.0
#include "loop/judge.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct figure modelled(double value)
{
    return (struct figure){value, PROVENANCE_MODELLED};
}

static struct expectation_spec change(const char *text, double value)
{
    return (struct expectation_spec){
        .what = "time", .text = text, .kind = EXPECT_CHANGE, .low = value, .high = value};
}

struct row {
    double expected, base, fresh;
    enum expectation_verdict verdict;
    const char *actual;
};

static void check_rows(const struct row *rows, size_t count, bool factor)
{
    struct arena a = {0};
    for (size_t i = 0; i < count; i++) {
        struct expectation_spec e = change("x", rows[i].expected);
        if (factor)
            e.kind = EXPECT_FACTOR;
        struct expectation_result r =
            judge_expectation(&a, &e, modelled(rows[i].base), modelled(rows[i].fresh));
        if (r.verdict != rows[i].verdict || strcmp(r.actual, rows[i].actual) != 0)
            fail_msg("row %zu: %s, %s", i, expectation_verdict_name(r.verdict), r.actual);
    }
    arena_release(&a);
}

static void expected_change_is_held_missed_or_the_other_way(void **state)
{
    static const struct row rows[] = {
        {-0.50, 100, 39, EXPECTATION_HELD, "-61%"},
        {-0.50, 100, 50, EXPECTATION_HELD, "-50%"},
        {-0.50, 100, 55, EXPECTATION_HELD, "-45%"}, // 90 % of what was expected
        {-0.50, 100, 56, EXPECTATION_MISSED, "-44%"},
        {-0.50, 100, 100, EXPECTATION_MISSED, "+0.00%"},
        {-0.50, 100, 100.5, EXPECTATION_MISSED, "+0.50%"},
        {-0.50, 100, 102, EXPECTATION_OPPOSITE, "+2.0%"},
        {-0.50, 100, 250, EXPECTATION_OPPOSITE, "+150%"},
        {+0.20, 100, 120, EXPECTATION_HELD, "+20%"},
        {+0.20, 100, 110, EXPECTATION_MISSED, "+10%"},
        {+0.20, 100, 90, EXPECTATION_OPPOSITE, "-10%"},
        {+0.20, 100, 122, EXPECTATION_HELD, "+22%"}, // a ninth dearer
        {+0.20, 100, 123, EXPECTATION_MISSED, "+23%"},
        {+0.02, 100, 103, EXPECTATION_HELD, "+3.0%"}, // a point dearer
        {+0.02, 100, 140, EXPECTATION_MISSED, "+40%"},
        {0, 100, 100.9, EXPECTATION_HELD, "+0.90%"},
        {0, 100, 104, EXPECTATION_MISSED, "+4.0%"},
        {-0.87, 0, 0, EXPECTATION_MISSED, "+0.00%"},
        {-0.87, 0, 7, EXPECTATION_OPPOSITE, "from 0 to 7"},
        {+0.87, 0, 7, EXPECTATION_HELD, "from 0 to 7"},
        {-1.00, 8, 0, EXPECTATION_HELD, "-100%"},
    };
    check_rows(rows, COUNT_OF(rows), false);
}

static void expected_factor_is_judged_as_a_change(void **state)
{
    static const struct row rows[] = {
        {2, 100, 200, EXPECTATION_HELD, "2x"},     {2, 100, 190, EXPECTATION_HELD, "1.9x"},
        {2, 100, 150, EXPECTATION_MISSED, "1.5x"}, {2, 100, 90, EXPECTATION_OPPOSITE, "0.9x"},
        {0.5, 100, 50, EXPECTATION_HELD, "0.5x"},  {0.5, 100, 70, EXPECTATION_MISSED, "0.7x"},
    };
    check_rows(rows, COUNT_OF(rows), true);
}

// More of a counter than expected has no price of its own.
static void growth_of_a_counter_may_be_larger(void **state)
{
    struct arena a = {0};
    struct expectation_spec e = change("+25%", 0.25);
    e.what = "global_load_sectors";
    assert_int_equal(judge_expectation(&a, &e, modelled(100), modelled(200)).verdict,
                     EXPECTATION_HELD);
    arena_release(&a);
}

static enum expectation_verdict judge_value(double low, double high, double fresh)
{
    struct arena a = {0};
    struct expectation_spec e = {
        .what = "x", .text = "x", .kind = EXPECT_VALUE, .low = low, .high = high};
    struct figure none = {.provenance = PROVENANCE_ABSENT};
    enum expectation_verdict v = judge_expectation(&a, &e, none, modelled(fresh)).verdict;
    arena_release(&a);
    return v;
}

static void expected_value_is_held_within_its_bounds(void **state)
{
    double inf = (double)INFINITY;
    assert_int_equal(judge_value(4, 4, 4), EXPECTATION_HELD);
    assert_int_equal(judge_value(4, 4, 4.019), EXPECTATION_HELD);
    assert_int_equal(judge_value(4, 4, 4.03), EXPECTATION_MISSED);
    assert_int_equal(judge_value(-inf, 4, 4), EXPECTATION_HELD);
    assert_int_equal(judge_value(-inf, 4, 4.01), EXPECTATION_MISSED);
    assert_int_equal(judge_value(90, inf, 89), EXPECTATION_MISSED);
    assert_int_equal(judge_value(90, inf, 100), EXPECTATION_HELD);
    assert_int_equal(judge_value(0, 0, 0), EXPECTATION_HELD);
}

static void expectation_is_unknown_where_a_figure_is_absent(void **state)
{
    struct arena a = {0};
    struct figure none = {.provenance = PROVENANCE_ABSENT};
    struct expectation_spec e = change("-50%", -0.5);
    struct expectation_result r = judge_expectation(&a, &e, none, modelled(1));
    assert_int_equal(r.verdict, EXPECTATION_UNKNOWN);
    assert_null(r.actual);
    assert_string_equal(r.expected, "-50%");
    assert_int_equal(judge_expectation(&a, &e, modelled(1), none).verdict, EXPECTATION_UNKNOWN);
    arena_release(&a);
}

static double times[3][1] = {{1000}, {250}, {1005}};

static struct result timed(const char *name, int which)
{
    struct result r = {.variant = name, .status = RESULT_OK};
    r.time =
        (struct time_result){PROVENANCE_MODELLED, stats_summary(times[which], 1), times[which]};
    counters_set(&r.counters, COUNTER_GLOBAL_LOAD_SECTORS, times[which][0] * 2,
                 PROVENANCE_SIMULATED);
    return r;
}

static void modelled_times_give_an_exact_ratio_and_a_verdict_beyond_one_percent(void **state)
{
    struct arena a = {0};
    struct variant_spec spec = {.name = "fast"};
    struct result base = timed("slow", 0), fast = timed("fast", 1), same = timed("same", 2);
    judge_result(&a, &spec, &base, &fast);
    assert_true(fast.speedup.valid);
    assert_string_equal(fast.speedup.versus, "slow");
    assert_true(fast.speedup.comparison.ratio == 4);
    assert_true(fast.speedup.comparison.low == 4 && fast.speedup.comparison.high == 4);
    assert_int_equal(fast.speedup.comparison.verdict, VERDICT_FASTER);
    judge_result(&a, &spec, &base, &same);
    assert_int_equal(same.speedup.comparison.verdict, VERDICT_SAME);
    judge_result(&a, &spec, &fast, &base);
    assert_int_equal(base.speedup.comparison.verdict, VERDICT_SLOWER);
    arena_release(&a);
}

static void speedup_is_absent_where_the_earlier_variant_failed_or_was_not_run(void **state)
{
    struct arena a = {0};
    struct expectation_spec e = change("-50%", -0.5);
    struct variant_spec spec = {.name = "fast", .expectations = &e, .expectation_count = 1};
    struct result base = timed("slow", 0), fast = timed("fast", 1);
    base.status = RESULT_WRONG;
    judge_result(&a, &spec, &base, &fast);
    assert_false(fast.speedup.valid);
    assert_int_equal(fast.expectations[0].verdict, EXPECTATION_UNKNOWN);
    judge_result(&a, &spec, NULL, &fast);
    assert_false(fast.speedup.valid);
    base.status = RESULT_OK;
    base.time.provenance = PROVENANCE_MEASURED; // a clock's time and a model's are not compared
    judge_result(&a, &spec, &base, &fast);
    assert_false(fast.speedup.valid);
    arena_release(&a);
}

static void expectations_are_judged_each_by_its_own_figure(void **state)
{
    struct arena a = {0};
    struct expectation_spec e[] = {
        change("-50%", -0.5),
        {.what = "global_load_sectors", .text = "+10%", .kind = EXPECT_CHANGE, .low = 0.1},
        {.what = "global_store_sectors",
         .text = "<= 4",
         .kind = EXPECT_VALUE,
         .low = -(double)INFINITY,
         .high = 4},
    };
    struct variant_spec spec = {.name = "fast", .expectations = e, .expectation_count = 3};
    struct result base = timed("slow", 0), fast = timed("fast", 1);
    judge_result(&a, &spec, &base, &fast);
    assert_int_equal(fast.expectation_count, 3);
    assert_int_equal(fast.expectations[0].verdict, EXPECTATION_HELD);
    assert_string_equal(fast.expectations[0].actual, "-75%");
    assert_int_equal(fast.expectations[1].verdict, EXPECTATION_OPPOSITE);
    assert_int_equal(fast.expectations[2].verdict, EXPECTATION_UNKNOWN);
    arena_release(&a);
}

static void slowdown_within_the_noise_is_missed_not_the_other_way(void **state)
{
    static double slow[] = {100, 103, 98, 101, 99, 104, 97, 102},
                  fresh[] = {102, 104, 99, 103, 101, 105, 98, 103};
    struct arena a = {0};
    struct expectation_spec e = change("-50%", -0.5);
    struct variant_spec spec = {.name = "fresh", .expectations = &e, .expectation_count = 1};
    struct result base = timed("slow", 0), r = timed("fresh", 0);
    base.time = (struct time_result){PROVENANCE_MEASURED, stats_summary(slow, 8), slow};
    r.time = (struct time_result){PROVENANCE_MEASURED, stats_summary(fresh, 8), fresh};
    judge_result(&a, &spec, &base, &r);
    assert_int_equal(r.speedup.comparison.verdict, VERDICT_SAME);
    assert_int_equal(r.expectations[0].verdict, EXPECTATION_MISSED);
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expected_change_is_held_missed_or_the_other_way),
        cmocka_unit_test(expected_factor_is_judged_as_a_change),
        cmocka_unit_test(growth_of_a_counter_may_be_larger),
        cmocka_unit_test(expected_value_is_held_within_its_bounds),
        cmocka_unit_test(expectation_is_unknown_where_a_figure_is_absent),
        cmocka_unit_test(modelled_times_give_an_exact_ratio_and_a_verdict_beyond_one_percent),
        cmocka_unit_test(speedup_is_absent_where_the_earlier_variant_failed_or_was_not_run),
        cmocka_unit_test(expectations_are_judged_each_by_its_own_figure),
        cmocka_unit_test(slowdown_within_the_noise_is_missed_not_the_other_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
