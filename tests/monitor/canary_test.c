// From what was seen of the GPU to why the canary is slow.
// SPDX-License-Identifier: Apache-2.0
#include "monitor/canary.h"

#include "monitor/support.h"

#include <math.h>

static const double tolerance = 0.05;

// A healthy H200, alone, 20 % slower than it was.
static struct canary_evidence slow(void)
{
    return (struct canary_evidence){.healthy_ns = 1000,
                                    .now_ns = 1200,
                                    .healthy_sm_mhz = 1980,
                                    .now_sm_mhz = 1980,
                                    .memory_mhz = 3201,
                                    .memory_max_mhz = 3201};
}

static void within_the_tolerance_nothing_is_wrong(void **state)
{
    struct canary_evidence e = slow();
    e.now_ns = 1049;
    e.others = 3; // no matter
    struct canary_verdict v = canary_attribute(&e, tolerance);
    assert_int_equal(v.cause, CAUSE_none);
    assert_true(fabs(v.gap - 0.049) < 1e-9);
    e.now_ns = 800;
    assert_int_equal(canary_attribute(&e, tolerance).cause, CAUSE_none);
}

static void each_cause_is_found(void **state)
{
    struct canary_evidence e[CAUSE_COUNT];
    for (int i = 0; i < CAUSE_COUNT; i++)
        e[i] = slow();
    e[CAUSE_none].now_ns = 1000;
    e[CAUSE_wrong_result].wrong = true;
    e[CAUSE_tenant].others = 1;
    e[CAUSE_power_cap].now_sm_mhz = 1650;
    e[CAUSE_power_cap].reasons = 1U << REASON_power_cap;
    e[CAUSE_temperature].now_sm_mhz = 1650;
    e[CAUSE_temperature].reasons = 1U << REASON_heat_software | 1U << REASON_power_cap;
    e[CAUSE_clock].now_sm_mhz = 1650;
    e[CAUSE_clock].reasons = 1U << REASON_clock_setting;
    e[CAUSE_ecc_or_xid].conditions = 1U << CONDITION_xid;
    e[CAUSE_link_width].conditions = 1U << CONDITION_pcie_narrow;
    for (int i = 0; i < CAUSE_COUNT; i++) {
        struct canary_verdict v = canary_attribute(&e[i], tolerance);
        if ((int)v.cause != i)
            fail_msg("%s is taken for %s", canary_cause_name((enum canary_cause)i),
                     canary_cause_name(v.cause));
    }
}

static void a_busy_gpu_has_another_tenant(void **state)
{
    struct canary_evidence e = slow();
    e.busy_before_pct = 40; // a process that this container does not see
    e.now_sm_mhz = 1000;
    assert_int_equal(canary_attribute(&e, tolerance).cause, CAUSE_tenant);
}

static void a_clock_accounts_for_its_share(void **state)
{
    struct canary_evidence e = slow();
    e.now_sm_mhz = 1800; // 10 % of the 20 %
    struct canary_verdict v = canary_attribute(&e, tolerance);
    assert_int_equal(v.cause, CAUSE_clock);
    assert_true(fabs(v.explained - 0.5) < 1e-9);
    e.now_sm_mhz = 1000;
    assert_true(canary_attribute(&e, tolerance).explained == 1);
    e.now_sm_mhz = 1900; // 4 % of the 20 %: something else is behind it
    v = canary_attribute(&e, tolerance);
    assert_int_equal(v.cause, CAUSE_unknown);
    assert_true(fabs(v.explained - 0.2105) < 1e-3);
    e = slow();
    e.memory_mhz = 2600;
    assert_int_equal(canary_attribute(&e, tolerance).cause, CAUSE_clock);
}

static void what_is_not_known_explains_nothing(void **state)
{
    struct canary_evidence e = {.healthy_ns = 1000,
                                .now_ns = 1300,
                                .healthy_sm_mhz = (double)NAN,
                                .now_sm_mhz = (double)NAN,
                                .memory_mhz = (double)NAN,
                                .memory_max_mhz = (double)NAN,
                                .busy_before_pct = (double)NAN,
                                .uncorrected_errors = (double)NAN};
    struct canary_verdict v = canary_attribute(&e, tolerance);
    assert_int_equal(v.cause, CAUSE_unknown);
    assert_true(isnan(v.explained));
    e.uncorrected_errors = 1;
    assert_int_equal(canary_attribute(&e, tolerance).cause, CAUSE_ecc_or_xid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(within_the_tolerance_nothing_is_wrong),
        cmocka_unit_test(each_cause_is_found),
        cmocka_unit_test(a_busy_gpu_has_another_tenant),
        cmocka_unit_test(a_clock_accounts_for_its_share),
        cmocka_unit_test(what_is_not_known_explains_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
