// The counter tables: names, absence, provenance, formulas.
// SPDX-License-Identifier: Apache-2.0
#include "base/base.h"
#include "counters/counters.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void every_name_is_told_once_and_found_again(void **state)
{
    (void)state;
    size_t count = 0;
    const char *const *names = counters_names(&count);
    assert_int_equal(count, (size_t)COUNTER_COUNT + DERIVED_COUNT);
    struct table seen = {0};
    struct counters c = {0};
    for (size_t i = 0; i < count; i++) {
        assert_false(table_has(&seen, names[i]));
        table_set(&seen, names[i], NULL);
        enum counter_id id = COUNTER_COUNT;
        enum derived_id derived = DERIVED_COUNT;
        bool is_counter = counter_find(names[i], &id);
        assert_true(is_counter != derived_find(names[i], &derived));
        const struct counter_info *info = is_counter ? counter_info(id) : derived_info(derived);
        assert_string_equal(info->name, names[i]);
        assert_true(strlen(info->meaning) > 0);
        bool is_percent = str_ends_with(info->name, "_pct");
        assert_true(is_percent == (info->unit == UNIT_PERCENT));
        struct figure f = {1, PROVENANCE_MEASURED};
        assert_true(counters_by_name(&c, names[i], &f));
        assert_int_equal(f.provenance, PROVENANCE_ABSENT);
    }
    table_release(&seen);
}

static void unknown_names_are_refused(void **state)
{
    (void)state;
    struct counters c = {0};
    struct figure f;
    enum counter_id id;
    enum derived_id derived;
    assert_false(counter_find("no_such", &id));
    assert_false(derived_find("no_such", &derived));
    assert_false(counters_by_name(&c, "no_such", &f));
}

static void absent_is_not_zero(void **state)
{
    (void)state;
    struct counters c = {0};
    assert_false(counters_has(&c, COUNTER_BARRIERS));
    assert_true(counters_get(&c, COUNTER_BARRIERS, -1) == -1);
    counters_set(&c, COUNTER_BARRIERS, 0, PROVENANCE_SIMULATED);
    assert_true(counters_has(&c, COUNTER_BARRIERS));
    assert_true(counters_get(&c, COUNTER_BARRIERS, -1) == 0);
}

static void derived_needs_all_its_parts_and_a_divisor(void **state)
{
    (void)state;
    struct counters c = {0};
    counters_set(&c, COUNTER_GLOBAL_LOAD_SECTORS, 64, PROVENANCE_MEASURED);
    assert_int_equal(counters_derived(&c, DERIVED_LOAD_SECTORS_PER_REQUEST).provenance,
                     PROVENANCE_ABSENT);
    counters_set(&c, COUNTER_GLOBAL_LOAD_REQUESTS, 0, PROVENANCE_MEASURED);
    assert_int_equal(counters_derived(&c, DERIVED_LOAD_SECTORS_PER_REQUEST).provenance,
                     PROVENANCE_ABSENT);
    counters_set(&c, COUNTER_GLOBAL_LOAD_REQUESTS, 16, PROVENANCE_MEASURED);
    struct figure f = counters_derived(&c, DERIVED_LOAD_SECTORS_PER_REQUEST);
    assert_int_equal(f.provenance, PROVENANCE_MEASURED);
    assert_true(f.value == 4);
}

static void derived_has_the_weakest_provenance_of_its_parts(void **state)
{
    (void)state;
    struct counters c = {0};
    counters_set(&c, COUNTER_L2_SECTORS_HIT, 30, PROVENANCE_MEASURED);
    counters_set(&c, COUNTER_L2_READ_SECTORS, 40, PROVENANCE_SIMULATED);
    counters_set(&c, COUNTER_L2_WRITE_SECTORS, 20, PROVENANCE_MEASURED);
    struct figure f = {0};
    assert_true(counters_by_name(&c, "l2_hit_pct", &f));
    assert_true(f.value == 50);
    assert_int_equal(f.provenance, PROVENANCE_SIMULATED);
    counters_set(&c, COUNTER_L2_WRITE_SECTORS, 20, PROVENANCE_MODELLED);
    assert_int_equal(counters_derived(&c, DERIVED_L2_HIT_PCT).provenance, PROVENANCE_MODELLED);
}

static void conflicts_are_a_share_of_all_shared_wavefronts(void **state)
{
    (void)state;
    struct counters c = {0};
    counters_set(&c, COUNTER_SHARED_LOAD_WAVEFRONTS, 90, PROVENANCE_SIMULATED);
    counters_set(&c, COUNTER_SHARED_STORE_WAVEFRONTS, 10, PROVENANCE_SIMULATED);
    counters_set(&c, COUNTER_SHARED_LOAD_WAVEFRONTS_IDEAL, 30, PROVENANCE_SIMULATED);
    counters_set(&c, COUNTER_SHARED_STORE_WAVEFRONTS_IDEAL, 10, PROVENANCE_SIMULATED);
    assert_true(fabs(counters_derived(&c, DERIVED_SHARED_CONFLICT_PCT).value - 60) < 1e-12);
}

static void provenances_have_names(void **state)
{
    (void)state;
    for (int p = PROVENANCE_ABSENT; p <= PROVENANCE_MODELLED; p++) {
        enum provenance found = PROVENANCE_ABSENT;
        assert_true(provenance_find(provenance_name((enum provenance)p), &found));
        assert_int_equal(found, p);
    }
    enum provenance found;
    assert_false(provenance_find("guessed", &found));
}

struct named {
    const char *name;
    double value;
};
static bool find_metric(const void *context, const char *name, double *value)
{
    for (const struct named *m = context; m->name; m++)
        if (strcmp(m->name, name) == 0) {
            *value = m->value;
            return true;
        }
    return false;
}

static void formulas_need_all_their_metrics(void **state)
{
    (void)state;
    const struct named all[] = {{"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", 1},
                                {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", 10},
                                {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 100},
                                {"Duration", 5},
                                {NULL, 0}};
    struct counters c = {0};
    double ns = 0;
    counters_from_metrics(METRIC_TOOL_NCU, find_metric, all, &c);
    assert_true(fabs(counters_get(&c, COUNTER_FLOPS_F32, 0) - 211) < 1e-12);
    assert_int_equal(c.figure[COUNTER_FLOPS_F32].provenance, PROVENANCE_MEASURED);
    assert_true(metrics_time_ns(METRIC_TOOL_NCU, find_metric, all, &ns));
    assert_true(fabs(ns - 5) < 1e-12);
    c = (struct counters){0};
    counters_from_metrics(METRIC_TOOL_NCU, find_metric, all + 1, &c);
    assert_false(counters_has(&c, COUNTER_FLOPS_F32));
    assert_true(counters_has(&c, COUNTER_FFMA_F32));
    assert_false(metrics_time_ns(METRIC_TOOL_ROCPROF, find_metric, all, &ns));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_name_is_told_once_and_found_again),
        cmocka_unit_test(unknown_names_are_refused),
        cmocka_unit_test(absent_is_not_zero),
        cmocka_unit_test(derived_needs_all_its_parts_and_a_divisor),
        cmocka_unit_test(derived_has_the_weakest_provenance_of_its_parts),
        cmocka_unit_test(conflicts_are_a_share_of_all_shared_wavefronts),
        cmocka_unit_test(provenances_have_names),
        cmocka_unit_test(formulas_need_all_their_metrics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
