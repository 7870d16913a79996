// When times of runs on fresh inputs say that a variant keeps results.
// SPDX-License-Identifier: Apache-2.0
#include "loop/job.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void noise_is_no_reason(void **state)
{
    (void)state;
    const double seen[] = {10000, 10100, 12000}, fresh[] = {14000, 10900, 11000};
    assert_false(honest_slower_on_new(seen, fresh, 3));
    const double short_seen[] = {2500, 2600, 2500},
                 short_fresh[] = {4000, 3900, 4400}; // < 2 us more
    assert_false(honest_slower_on_new(short_seen, short_fresh, 3));
    assert_false(honest_slower_on_new(seen, fresh, 0));
}

// As a CPU with other work took them: one run had the processor for itself.
static void one_lucky_run_is_no_reason(void **state)
{
    (void)state;
    const double seen[] = {577000, 405000, 590000, 600000},
                 fresh[] = {580000, 600000, 577000, 585000};
    assert_true(honest_least(fresh, 4) > 1.3 * honest_least(seen, 4));
    assert_false(honest_slower_on_new(seen, fresh, 4));
}

static void slower_each_time_is_one(void **state)
{
    (void)state;
    const double seen[] = {10000, 10100, 12000}, fresh[] = {16000, 15100, 40000};
    assert_true(honest_slower_on_new(seen, fresh, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_is_no_reason),
        cmocka_unit_test(one_lucky_run_is_no_reason),
        cmocka_unit_test(slower_each_time_is_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
