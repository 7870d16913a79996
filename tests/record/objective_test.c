// What a variant is chosen by.
// SPDX-License-Identifier: Apache-2.0
#include "record/record.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct error err;

static struct result right(const char *variant, double time_ns, double energy_mj)
{
    return (struct result){
        .variant = variant,
        .case_label = "N=1",
        .status = RESULT_OK,
        .checked = true,
        .verified = true,
        .time = {.provenance = PROVENANCE_MEASURED, .summary = {.median = time_ns, .count = 1}},
        .conditions = {.energy_mj = energy_mj}};
}

static const char *best(struct result *results, int count, enum objective o)
{
    struct run run = {.results = results, .result_count = count};
    const struct result *r = run_best(&run, "N=1", o);
    return r ? r->variant : "none";
}

static void each_objective_has_its_own_answer(void **state)
{
    struct result results[] = {right("fast", 10, 500), right("frugal", 100, 100),
                               right("between", 20, 200)};
    (void)state;
    assert_string_equal(best(results, 3, OBJECTIVE_TIME), "fast");
    assert_string_equal(best(results, 3, OBJECTIVE_ENERGY), "frugal");
    assert_string_equal(best(results, 3, OBJECTIVE_EDP), "between");
}

static void what_has_no_energy_is_not_chosen_by_it(void **state)
{
    struct result results[] = {right("unknown", 10, 0), right("known", 100, 100)};
    (void)state;
    assert_string_equal(best(results, 2, OBJECTIVE_TIME), "unknown");
    assert_string_equal(best(results, 2, OBJECTIVE_ENERGY), "known");
    assert_string_equal(best(results, 1, OBJECTIVE_EDP), "none");
    assert_true(isnan(result_objective(&results[0], OBJECTIVE_ENERGY)));
}

static void wrong_results_and_peers_are_not_chosen(void **state)
{
    struct result results[] = {right("wrong", 1, 1), right("peer", 2, 2), right("right", 3, 3)};
    (void)state;
    results[0].verified = false;
    results[1].library = "cublas:geam";
    assert_string_equal(best(results, 3, OBJECTIVE_ENERGY), "right");
}

static void objectives_are_found_by_name(void **state)
{
    enum objective o;
    (void)state;
    assert_true(objective_find("edp", &o, &err));
    assert_int_equal(o, OBJECTIVE_EDP);
    assert_false(objective_find("energi", &o, &err));
    assert_non_null(strstr(err.message, "did you mean 'energy'"));
    error_clear(&err);
}

// The header's JSON, both ways.
static void a_run_keeps_its_objective(void **state)
{
    struct arena a = {0};
    struct result result = right("v", 1, 2);
    struct run run = {.header = {.experiment = "e", .objective = OBJECTIVE_EDP},
                      .results = &result,
                      .result_count = 1},
               got;
    (void)state;
    double sample = 1;
    result.time.samples_ns = &sample;
    result.conditions.energy_error = 0.125;
    result.conditions.energy_by_power = true;
    json_t *json = run_to_json(&run);
    assert_string_equal(json_string_value(json_object_get(json, "objective")), "edp");
    if (!run_from_json(&a, json, &got, &err))
        fail_msg("%s", err.message);
    assert_int_equal(got.header.objective, OBJECTIVE_EDP);
    assert_true(got.results[0].conditions.energy_by_power);
    assert_true(got.results[0].conditions.energy_error > 0.12);
    json_decref(got.header.environment);
    json_object_set_new(json, "objective", json_string("speed"));
    assert_false(run_from_json(&a, json, &got, &err));
    error_clear(&err);
    json_decref(json);
    json_decref(got.header.environment);
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_objective_has_its_own_answer),
        cmocka_unit_test(what_has_no_energy_is_not_chosen_by_it),
        cmocka_unit_test(wrong_results_and_peers_are_not_chosen),
        cmocka_unit_test(objectives_are_found_by_name),
        cmocka_unit_test(a_run_keeps_its_objective),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
