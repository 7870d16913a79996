// A figure over runs: changes of level in noise and without, drift, runs that stand out.
// SPDX-License-Identifier: Apache-2.0
#include "gate/history.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stats/stats.h"

static struct arena arena;
static struct history history;

static int setup(void **state)
{
    (void)state;
    history = (struct history){.metric = "time_ns",
                               .provenance = PROVENANCE_MEASURED,
                               .points = ARENA_ARRAY(&arena, struct history_point, 100)};
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_release(&arena);
    return 0;
}

// So many runs at a level, with normal noise of that share.
static void add(int count, double level, double noise)
{
    for (int i = 0; i < count; i++) {
        uint32_t w[4];
        philox(3, 1, (uint64_t)history.count, w);
        double z = normal_quantile(philox_uniform(w[0]) + 0x1p-33);
        history.points[history.count++] =
            (struct history_point){.run = history.count, .value = level * (1 + noise * z)};
    }
}

static void a_step_in_noise_is_one_change(void **state)
{
    (void)state;
    add(20, 1000, 0.005);
    add(20, 1030, 0.005);
    history_analyse(&arena, &history);
    assert_int_equal(history.change_count, 1);
    assert_int_equal(history.changes[0].first, 20);
    assert_true(fabs(history.changes[0].before - 1000) < 5 &&
                fabs(history.changes[0].after - 1030) < 5);
    assert_int_equal(history.drift, -1);
    assert_true(history.noise > 3 && history.noise < 8);
}

static void noise_alone_is_no_change(void **state)
{
    (void)state;
    add(60, 1000, 0.01);
    history_analyse(&arena, &history);
    assert_int_equal(history.change_count, 0);
    assert_int_equal(history.drift, -1);
}

static void what_does_not_vary_changes_at_each_other_value(void **state)
{
    (void)state;
    history.provenance = PROVENANCE_MODELLED;
    add(3, 1000, 0);
    add(1, 1001, 0);
    add(3, 1000, 0);
    history_analyse(&arena, &history);
    assert_int_equal(history.change_count, 2);
    assert_int_equal(history.changes[0].first, 3);
    assert_int_equal(history.changes[1].first, 4);
    history.count = 0;
    add(5, 1000, 0);
    history_analyse(&arena, &history);
    assert_int_equal(history.change_count, 0);
    history.count = 0; // a counter that is nothing stays nothing
    add(5, 0, 0);
    history_analyse(&arena, &history);
    assert_int_equal(history.change_count, 0);
}

static void a_run_that_stands_out_is_marked_and_stays(void **state)
{
    (void)state;
    add(10, 1000, 0.003);
    add(1, 1100, 0);
    add(10, 1000, 0.003);
    history_analyse(&arena, &history);
    assert_int_equal(history.count, 21);
    assert_int_equal(history.change_count, 0); // one run is no level
    assert_true(history.points[10].outlier);
    assert_false(history.points[9].outlier);
}

static void slow_drift_is_seen(void **state)
{
    (void)state;
    add(10, 1000, 0.003);
    for (int i = 0; i < 12; i++)
        add(1, 1000 + 0.6 * i, 0.003);
    history_analyse(&arena, &history);
    int flat = history.drift;
    history.count = 0;
    add(10, 1000, 0.003);
    for (int i = 0; i < 12; i++)
        add(1, 1005 + 0.2 * i, 0.001);
    history_analyse(&arena, &history);
    assert_true(flat == -1 || flat > 10);
    assert_true(history.change_count > 0 || (history.drift >= 10 && history.drift_up));
}

static void one_run_is_a_series(void **state)
{
    (void)state;
    add(1, 1000, 0);
    history_analyse(&arena, &history);
    assert_int_equal(history.change_count, 0);
    assert_true(history.ewma == 1000);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_step_in_noise_is_one_change),
        TEST(noise_alone_is_no_change),
        TEST(what_does_not_vary_changes_at_each_other_value),
        TEST(a_run_that_stands_out_is_marked_and_stays),
        TEST(slow_drift_is_seen),
        TEST(one_run_is_a_series),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
