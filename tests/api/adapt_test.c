// When a choice is taken back (api/adapt.h), on made series of times and a made clock.
// SPDX-License-Identifier: Apache-2.0
#include "api/adapt.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const uint64_t second_ns = 1000000000;

static struct adapt begin(double first_ns, double second_promise_ns)
{
    struct adapt a = {.candidates = {{.promised_ns = first_ns}, {.promised_ns = second_promise_ns}},
                      .count = 2,
                      .band = 0.2,
                      .patience = 3,
                      .hold_ns = 60 * second_ns};
    adapt_begin(&a, 0);
    return a;
}

// So many times in a row, a second apart, from `at` on; the last answer that was not KEEPS.
static enum adapt_answer feed(struct adapt *a, double time_ns, int count, uint64_t *at)
{
    enum adapt_answer last = ADAPT_KEEPS;
    double median;
    for (int i = 0; i < count; i++) {
        *at += second_ns;
        enum adapt_answer answer = adapt_add(a, time_ns, *at, &median);
        last = answer == ADAPT_KEEPS ? last : answer;
    }
    return last;
}

static void a_time_within_the_band_changes_nothing(void **state)
{
    struct adapt a = begin(100, 110);
    uint64_t at = 0;
    (void)state;
    assert_int_equal(feed(&a, 119, 500, &at), ADAPT_KEEPS);
    assert_int_equal(feed(&a, 81, 500, &at), ADAPT_KEEPS);
    assert_int_equal(a.chosen, 0);
}

static void single_slow_runs_change_nothing(void **state)
{
    struct adapt a = begin(100, 110);
    uint64_t at = 0;
    double median;
    (void)state;
    for (int i = 0; i < 300; i++)
        assert_int_equal(adapt_add(&a, i % 3 ? 100 : 900, at += second_ns, &median), ADAPT_KEEPS);
}

static void a_median_out_of_the_band_chooses_what_promises_less(void **state)
{
    struct adapt a = begin(100, 110);
    uint64_t at = 100 * second_ns;
    (void)state;
    assert_int_equal(feed(&a, 150, 3, &at), ADAPT_CHOOSES);
    assert_int_equal(a.chosen, 1);
}

static void nothing_is_chosen_before_the_hold_is_over(void **state)
{
    struct adapt a = begin(100, 110);
    uint64_t at = 0;
    (void)state;
    assert_int_equal(feed(&a, 150, 59, &at), ADAPT_KEEPS);
    assert_int_equal(feed(&a, 150, 1, &at), ADAPT_CHOOSES);
}

static void when_all_are_slow_it_settles_and_does_not_go_to_and_fro(void **state)
{
    struct adapt a = begin(100, 110);
    uint64_t at = 100 * second_ns;
    int choices = 0;
    (void)state;
    for (int i = 0; i < 500;
         i++) { // 1.5 times as slow, both: under ten holds, so nothing is forgotten
        double median, time = a.chosen == 0 ? 150 : 165;
        choices += adapt_add(&a, time, at += second_ns, &median) == ADAPT_CHOOSES;
    }
    assert_int_equal(choices, 2); // there and back
    assert_int_equal(a.chosen, 0);
}

static void less_than_five_percent_is_no_reason(void **state)
{
    struct adapt a = begin(100, 147);
    uint64_t at = 100 * second_ns;
    (void)state;
    assert_int_equal(feed(&a, 150, 3, &at), ADAPT_SETTLES);
    assert_int_equal(a.chosen, 0);
    assert_true(a.level_ns == 150);
}

static void when_it_is_over_the_first_choice_comes_back(void **state)
{
    struct adapt a = begin(100, 110);
    uint64_t at = 100 * second_ns;
    (void)state;
    assert_int_equal(feed(&a, 300, 3, &at), ADAPT_CHOOSES); // to the second
    feed(&a, 220, 80, &at);                                 // slow too: less than 300, so it stays
    assert_int_equal(a.chosen, 1);
    feed(&a, 110, 80, &at); // over: much faster than its level, and the first promises less
    feed(&a, 100, 80, &at);
    assert_int_equal(a.chosen, 0);
}

static void without_a_promise_the_first_median_is_the_level(void **state)
{
    struct adapt a = begin((double)NAN, 110);
    uint64_t at = 100 * second_ns;
    (void)state;
    a.count = 1;
    assert_int_equal(feed(&a, 50, 10, &at), ADAPT_KEEPS);
    assert_true(a.level_ns == 50);
    assert_int_equal(feed(&a, 90, 3, &at), ADAPT_SETTLES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_time_within_the_band_changes_nothing),
        cmocka_unit_test(single_slow_runs_change_nothing),
        cmocka_unit_test(a_median_out_of_the_band_chooses_what_promises_less),
        cmocka_unit_test(nothing_is_chosen_before_the_hold_is_over),
        cmocka_unit_test(when_all_are_slow_it_settles_and_does_not_go_to_and_fro),
        cmocka_unit_test(less_than_five_percent_is_no_reason),
        cmocka_unit_test(when_it_is_over_the_first_choice_comes_back),
        cmocka_unit_test(without_a_promise_the_first_median_is_the_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
