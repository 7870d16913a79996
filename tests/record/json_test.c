// JSON of runs: the schema's keys, whole numbers whole, nothing that is not a number, and back again
// without loss.
// SPDX-License-Identifier: Apache-2.0
#include "record/record.h"
#include "support/sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static json_t *round_trip(struct arena *a, const struct result *r, struct result *back)
{
    struct error err = {0};
    json_t *json = result_to_json(r);
    char *text = json_dumps(json, 0);
    assert_non_null(text);
    json_t *parsed = json_loads(text, 0, NULL);
    assert_non_null(parsed);
    if (!result_from_json(a, parsed, back, &err))
        fail_msg("%s", err.message);
    json_t *again = result_to_json(back);
    char *text_again = json_dumps(again, 0);
    assert_string_equal(text, text_again);
    free(text);
    free(text_again);
    json_decref(again);
    json_decref(parsed);
    return json;
}

static void result_survives_the_round_trip(void **state)
{
    struct arena a = {0};
    struct result r = sample_result(), back;
    json_t *json = round_trip(&a, &r, &back);
    assert_int_equal(back.status, RESULT_OK);
    assert_true(back.seed == r.seed);
    assert_true(back.lines[0].instructions == UINT64_MAX);
    assert_true(back.params[0].value.is_integer && back.params[0].value.i == 4096);
    assert_false(back.params[1].value.is_integer);
    assert_true(back.time.samples_ns[2] == 999999.5);
    assert_true(back.time.summary.p90 == r.time.summary.p90);
    assert_true(isnan(back.diagnosis.intensity));
    assert_int_equal(back.diagnosis.bounds[0].resource, RESOURCE_DRAM);
    assert_true(back.diagnosis.waiting.launch_ns == 1700);
    assert_true(back.diagnosis.waiting.dependency_ns == 1e5);
    assert_int_equal(back.diagnosis.findings[1].class, FINDING_TAIL);
    assert_true(back.diagnosis.findings[1].folded);
    assert_null(back.diagnosis.findings[1].file);
    assert_string_equal(back.diagnosis.findings[0].evidence[1].name, "time_ns");
    assert_int_equal(back.speedup.comparison.verdict, VERDICT_FASTER);
    assert_false(counters_has(&back.counters, COUNTER_BRANCHES));
    assert_true(counters_has(&back.counters, COUNTER_BARRIERS));
    assert_string_equal(back.code_key, r.code_key);
    assert_string_equal(back.work_hash, r.work_hash);
    assert_string_equal(back.same_as, r.same_as);
    json_decref(json);
    arena_release(&a);
}

static void patches_that_were_tried_survive_the_round_trip(void **state)
{
    struct arena a = {0};
    struct result r = sample_result(), back;
    struct finding findings[2] = {r.diagnosis.findings[0], r.diagnosis.findings[1]};
    struct patch_trial trials[] = {{.key = "k1",
                                    .maker = "pad",
                                    .cause = "conflicts",
                                    .sole = true,
                                    .verdict = TRIAL_GAINS,
                                    .verified = true,
                                    .time_ns = 3e5},
                                   {.key = "k2",
                                    .maker = "intrinsic",
                                    .cause = "special",
                                    .verdict = TRIAL_WRONG,
                                    .time_ns = (double)NAN,
                                    .error = "y[0] differs"}};
    findings[0].price = PRICE_PATCH;
    findings[0].counterfactual_ns = 4e5;
    r.diagnosis.findings = findings;
    r.diagnosis.finding_count = 2;
    r.diagnosis.trials = trials;
    r.diagnosis.trial_count = 2;
    json_t *json = round_trip(&a, &r, &back);
    assert_int_equal(back.diagnosis.findings[0].price, PRICE_PATCH);
    assert_true(back.diagnosis.findings[0].counterfactual_ns == 4e5);
    assert_int_equal(back.diagnosis.trial_count, 2);
    assert_true(back.diagnosis.trials[0].sole && back.diagnosis.trials[0].verified);
    assert_true(back.diagnosis.trials[0].time_ns == 3e5);
    assert_int_equal(back.diagnosis.trials[1].verdict, TRIAL_WRONG);
    assert_true(isnan(back.diagnosis.trials[1].time_ns));
    assert_string_equal(back.diagnosis.trials[1].error, "y[0] differs");
    json_decref(json);
    arena_release(&a);
}

// What JSON and journals had until 2026-11-22 for a change in the opposite direction.
static void expectations_of_older_files_are_read(void **state)
{
    struct arena a = {0};
    struct error err = {0};
    struct result r = sample_result(), back;
    json_t *json = result_to_json(&r);
    json_t *first = json_array_get(json_object_get(json, "expectations"), 0);
    const char *const words[] = {"the other way", "opposite direction"};
    for (int i = 0; i < 2; i++) {
        json_object_set_new(first, "verdict", json_string(words[i]));
        assert_true(result_from_json(&a, json, &back, &err));
        assert_int_equal(back.expectations[0].verdict, EXPECTATION_OPPOSITE);
    }
    assert_string_equal(expectation_verdict_name(back.expectations[0].verdict),
                        "opposite direction");
    json_decref(json);
    arena_release(&a);
}

static void whole_numbers_are_json_integers(void **state)
{
    struct arena a = {0};
    struct result r = sample_result(), back;
    json_t *json = round_trip(&a, &r, &back);
    json_t *counters = json_object_get(json, "counters");
    assert_true(json_is_integer(
        json_object_get(json_object_get(counters, "global_load_sectors"), "value")));
    assert_true(json_is_real(json_object_get(json_object_get(counters, "waves"), "value")));
    assert_true(json_is_integer(json_object_get(json_object_get(json, "time_ns"), "median")));
    assert_true(json_is_integer(json_object_get(json_object_get(json, "case"), "N")));
    assert_true(json_is_real(json_object_get(json_object_get(json, "case"), "s")));
    json_decref(json);
    arena_release(&a);
}

static void failed_result_has_nulls_where_nothing_is_known(void **state)
{
    struct arena a = {0};
    struct result back, r = {.variant = "naive",
                             .status = RESULT_FAILED,
                             .error = "k.cu:3: …",
                             .case_label = "N=1",
                             .worst_relative_error = (double)NAN,
                             .worst_absolute_error = (double)NAN};
    json_t *json = round_trip(&a, &r, &back);
    static const char *const nulls[] = {
        "from", "verified", "time_ns", "floor_ns", "throughput_gbps", "limiter", "speedup"};
    for (size_t i = 0; i < COUNT_OF(nulls); i++)
        if (!json_is_null(json_object_get(json, nulls[i])))
            fail_msg("'%s' is not null", nulls[i]);
    assert_string_equal(json_string_value(json_object_get(json, "error")), "k.cu:3: …");
    assert_false(back.checked);
    assert_false(back.diagnosed);
    assert_true(isnan(back.worst_relative_error));
    json_decref(json);
    arena_release(&a);
}

static void errors_come_back_or_are_not_known(void **state)
{
    struct arena a = {0};
    struct result r = sample_result(), back;
    r.errors = (struct result_errors){
        .known = true, .max_ulp = 5, .rms_ulp = 0.75, .rms_relative = (double)INFINITY};
    json_t *json = round_trip(&a, &r, &back), *errors = json_object_get(json, "errors");
    assert_true(json_is_null(json_object_get(errors, "rms_relative"))); // JSON has no infinity
    assert_true(back.errors.known && back.errors.max_ulp == 5 && back.errors.rms_ulp == 0.75);
    assert_true(isnan(back.errors.rms_relative));
    json_decref(json);
    r.errors.known = false;
    json = round_trip(&a, &r, &back);
    assert_null(json_object_get(json, "errors"));
    assert_false(back.errors.known);
    json_decref(json);
    arena_release(&a);
}

static void stalls_keep_what_is_known_and_leave_out_the_rest(void **state)
{
    struct arena a = {0};
    struct result r = sample_result(), back;
    json_t *json = round_trip(&a, &r, &back), *stalls = json_object_get(json, "stalls");
    assert_int_equal(json_object_size(stalls), 2);
    assert_non_null(json_object_get(json_object_get(stalls, "barrier"), "value"));
    assert_int_equal(back.stalls.warp_cycles[STALL_BARRIER].provenance, PROVENANCE_MEASURED);
    assert_int_equal(back.stalls.warp_cycles[STALL_WAIT].provenance, PROVENANCE_ABSENT);
    assert_true(stalls_share(&back.stalls, STALL_LONG_SCOREBOARD) > 0.75);
    assert_true(isnan(stalls_share(&back.stalls, STALL_WAIT)));
    // A zero that is known is not absent.
    assert_int_equal(back.lines[0].stalls.warp_cycles[STALL_SELECTED].provenance,
                     PROVENANCE_MODELLED);
    json_decref(json);
    back.stalls = (struct stall_table){0};
    json = result_to_json(&back);
    assert_null(json_object_get(json, "stalls"));
    json_decref(json);
    arena_release(&a);
}

static void how_stalls_were_sampled_comes_back(void **state)
{
    struct arena a = {0};
    struct error err = {0};
    struct result r = sample_result(), back;
    json_t *json = round_trip(&a, &r, &back);
    assert_null(json_object_get(json, "stall_sampling"));
    json_decref(json);
    r.sampling = (struct stall_sampling){SAMPLING_CONTINUOUS, 20480, 3, 256};
    json = round_trip(&a, &r, &back);
    assert_int_equal(back.sampling.mode, SAMPLING_CONTINUOUS);
    assert_int_equal(back.sampling.samples, 20480);
    assert_int_equal(back.sampling.dropped, 3);
    assert_true(fabs(back.sampling.period_cycles - 256) < 0.5);
    json_object_set_new(json_object_get(json, "stall_sampling"), "mode", json_string("often"));
    assert_false(result_from_json(&a, json, &back, &err));
    assert_non_null(strstr(err.message, "mode"));
    json_decref(json);
    arena_release(&a);
    (void)state;
}

// The counts of the side stay, and its stalls go: a share of cycles and one of samples do not make a sum.
static void samples_of_lines_take_the_place_of_modelled_stalls(void **state)
{
    struct arena a = {0};
    struct line counted[2] = {{.file = "k.cu", .line = 3, .instructions = 10},
                              {.file = "k.cu", .line = 5, .instructions = 20}};
    struct line sampled[2] = {{.file = "a.h", .line = 9}, {.file = "k.cu", .line = 5}}, *all;
    counted[0].stalls.warp_cycles[STALL_WAIT] = (struct figure){7, PROVENANCE_MODELLED};
    for (int i = 0; i < 2; i++)
        sampled[i].stalls.warp_cycles[STALL_WAIT] = (struct figure){40 + i, PROVENANCE_MEASURED};
    assert_int_equal(lines_sampled(&a, counted, 2, sampled, 2, &all), 3);
    assert_string_equal(all[0].file, "a.h");
    assert_int_equal(all[0].instructions, 0);
    assert_int_equal((int)all[0].stalls.warp_cycles[STALL_WAIT].value, 40);
    assert_int_equal(all[1].instructions, 10);
    assert_int_equal((int)stalls_cycles(&all[1].stalls), 0);
    assert_int_equal(stalls_provenance(&all[1].stalls), PROVENANCE_MEASURED);
    assert_int_equal(all[2].instructions, 20);
    assert_int_equal((int)stalls_cycles(&all[2].stalls), 41);
    arena_release(&a);
    (void)state;
}

static void fidelity_comes_back_as_it_was(void **state)
{
    struct arena a = {0};
    struct result r = sample_result(), back;
    r.fidelity = (struct run_fidelity){
        .known = true, .timed = true, .time_error_median_pct = 8.5, .time_error_source = "a page"};
    r.fidelity.path[PATH_F32] = (struct path_use){9, FIDELITY_EXACT, FIDELITY_VALIDATED};
    r.fidelity.path[PATH_BULK_COPIES] = (struct path_use){1, FIDELITY_EXACT, FIDELITY_UNVALIDATED};
    json_t *json = round_trip(&a, &r, &back);
    assert_true(back.fidelity.known && back.fidelity.timed);
    assert_true(back.fidelity.time_error_median_pct == 8.5);
    assert_string_equal(back.fidelity.time_error_source, "a page");
    assert_memory_equal(back.fidelity.path, r.fidelity.path, sizeof r.fidelity.path);
    json_decref(json);
    json = result_to_json(&back);
    json_t *path = json_object_get(json_object_get(json_object_get(json, "fidelity"), "paths"),
                                   "f32 arithmetic");
    json_object_set_new(path, "time", json_string("well known"));
    struct error err = {0};
    assert_false(result_from_json(&a, json, &back, &err));
    assert_non_null(strstr(err.message, "exact, validated or not validated"));
    json_decref(json);
    arena_release(&a);
}

static void simulation_on_the_side_comes_back_or_is_absent(void **state)
{
    struct arena a = {0};
    struct result r = sample_result(), back;
    struct error err = {0};
    (void)state;
    json_t *json = round_trip(&a, &r, &back);
    assert_null(json_object_get(json, "side"));
    assert_null(back.side.device);
    json_decref(json);
    r.side = (struct side_simulation){"sim:h200", 0.125, true};
    json = round_trip(&a, &r, &back);
    assert_string_equal(back.side.device, "sim:h200");
    assert_true(back.side.blocks_share == 0.125 && back.side.replayed);
    json_object_set_new(json, "side", json_integer(3));
    assert_false(result_from_json(&a, json, &back, &err));
    assert_non_null(strstr(err.message, "side"));
    json_decref(json);
    arena_release(&a);
}

static void a_sum_of_fidelity_keeps_the_weaker_one(void **state)
{
    struct run_fidelity sum = {0}, f32 = {.known = true, .timed = true}, bulk;
    struct text said = {0};
    f32.time_error_median_pct = 8.5;
    f32.path[PATH_F32] = (struct path_use){99, FIDELITY_EXACT, FIDELITY_VALIDATED};
    bulk = f32;
    bulk.path[PATH_F32] = (struct path_use){0};
    bulk.path[PATH_BULK_COPIES] = (struct path_use){1, FIDELITY_EXACT, FIDELITY_UNVALIDATED};
    fidelity_sum(&sum, &f32);
    fidelity_sum(&sum, &bulk);
    fidelity_say(&sum, &said);
    assert_string_equal(
        text_str(&said),
        "results exact; time validated for 99 % of the instructions (median error 8.5 %), "
        "not validated: bulk copies");
    text_clear(&said);
    bulk.time_error_median_pct = (double)NAN;
    fidelity_say(&bulk, &said);
    assert_string_equal(text_str(&said), "results exact; time not validated on this chip");
    text_clear(&said);
    bulk.timed = false;
    bulk.path[PATH_SPECIAL] = (struct path_use){1, FIDELITY_VALIDATED, FIDELITY_VALIDATED};
    fidelity_say(&bulk, &said);
    assert_string_equal(text_str(&said),
                        "results exact, validated: special functions; no time modelled");
    text_release(&said);
}

static void counterfactuals_and_facts_come_back_as_they_were(void **state)
{
    struct arena a = {0};
    struct result r = sample_result(), back;
    r.facts = (struct facts){.known = true, .provenance = PROVENANCE_SIMULATED};
    r.facts.value[FACT_LOADS_AGAIN] = 7;
    r.counterfactuals.as_is_ns = (struct figure){100, PROVENANCE_MODELLED};
    r.counterfactuals.time_ns[INTERVENTION_CONFLICTS] = (struct figure){60, PROVENANCE_MODELLED};
    json_t *json = round_trip(&a, &r, &back);
    assert_true(back.facts.known && back.facts.value[FACT_LOADS_AGAIN] == 7);
    assert_int_equal(back.facts.provenance, PROVENANCE_SIMULATED);
    assert_true(back.counterfactuals.as_is_ns.value == 100);
    assert_true(back.counterfactuals.time_ns[INTERVENTION_CONFLICTS].value == 60);
    assert_int_equal(back.counterfactuals.time_ns[INTERVENTION_SECTORS].provenance,
                     PROVENANCE_ABSENT);
    assert_null(json_object_get(json, "asked_ns"));
    json_decref(json);
    arena_release(&a);
}

static void interventions_are_read_as_people_write_them(void **state)
{
    struct interventions x;
    struct error err = {0};
    (void)state;
    assert_true(interventions_parse("conflicts=0,atomics=warp,loads", &x, &err));
    assert_true(x.to[INTERVENTION_CONFLICTS] == 0 && x.to[INTERVENTION_ATOMICS] == 1);
    assert_true(x.to[INTERVENTION_LOADS] == intervention_standard(INTERVENTION_LOADS));
    assert_true(isnan(x.to[INTERVENTION_BARRIERS]));
    assert_false(interventions_parse("conflict=0", &x, &err));
    assert_string_equal(err.message, "unknown intervention 'conflict' (did you mean 'conflicts'?)");
    assert_false(interventions_parse("atomics=none", &x, &err));
    assert_string_equal(err.message,
                        "'atomics=none': the value must be a number from 0 on, or lane, "
                        "warp, block");
    assert_false(interventions_parse("loads=-1", &x, &err));
}

static void stalls_of_launches_add_up_where_both_know_them(void **state)
{
    struct stall_table sum = sample_result().stalls, more = {0};
    more.warp_cycles[STALL_BARRIER] = (struct figure){50, PROVENANCE_MODELLED};
    stalls_sum(&sum, &more);
    assert_true(sum.warp_cycles[STALL_BARRIER].value == 300);
    assert_int_equal(sum.warp_cycles[STALL_BARRIER].provenance, PROVENANCE_MODELLED);
    assert_int_equal(sum.warp_cycles[STALL_LONG_SCOREBOARD].provenance, PROVENANCE_ABSENT);
    for (int i = 0; i < STALL_COUNT; i++) {
        enum stall found;
        assert_true(stall_find(stall_name((enum stall)i), &found) && (int)found == i);
        assert_true(strlen(stall_meaning((enum stall)i)) > 0);
    }
}

static void library_s_result_names_it_and_its_version(void **state)
{
    struct arena a = {0};
    struct result back, r = {.variant = "cublas",
                             .status = RESULT_OK,
                             .library = "cublas:geam",
                             .library_version = "cuBLAS 13.1.0"};
    json_t *json = round_trip(&a, &r, &back);
    assert_string_equal(back.library, "cublas:geam");
    assert_string_equal(back.library_version, "cuBLAS 13.1.0");
    json_decref(json);
    r.library = r.library_version = NULL;
    json = round_trip(&a, &r, &back);
    assert_null(json_object_get(json, "library"));
    assert_null(back.library);
    json_decref(json);
    arena_release(&a);
}

static void wrong_result_says_verified_false(void **state)
{
    struct arena a = {0};
    struct result back, r = {.variant = "x",
                             .status = RESULT_WRONG,
                             .checked = true,
                             .error = "wrong result",
                             .worst_relative_error = (double)INFINITY};
    json_t *json = round_trip(&a, &r, &back);
    assert_true(json_is_false(json_object_get(json, "verified")));
    assert_true(json_is_null(json_object_get(json, "worst_relative_error")));
    assert_int_equal(back.status, RESULT_WRONG);
    assert_true(back.checked && !back.verified);
    json_decref(json);
    arena_release(&a);
}

static void text_that_is_not_utf8_does_not_vanish(void **state)
{
    struct arena a = {0};
    struct result back, r = {.variant = "x", .status = RESULT_FAILED, .error = "bad \xff byte"};
    json_t *json = round_trip(&a, &r, &back);
    assert_string_equal(back.error, "bad ? byte");
    json_decref(json);
    arena_release(&a);
}

static void run_has_the_keys_of_the_schema_and_comes_back(void **state)
{
    struct arena a = {0};
    struct error err = {0};
    struct result r = sample_result();
    struct run back, run = {.results = &r, .result_count = 1, .stop_reason = "close to peak"};
    run.header = (struct run_header){.id = 17,
                                     .ridge_version = "0.1.0",
                                     .started = "2026-11-20T21:00:00Z",
                                     .git = "abc+dirty",
                                     .experiment = "transpose",
                                     .title = "T",
                                     .experiment_path = "/x/experiment.yaml",
                                     .folder = "/home/x",
                                     .command = "ridge run x",
                                     .device_id = "sim:h200",
                                     .device_name = "NVIDIA H200 (simulated)",
                                     .device_cc = 9.0,
                                     .cache_state = "cold",
                                     .environment = json_pack("{s:s}", "host", "h")};
    json_t *json = run_to_json(&run);
    static const char *const keys[] = {"ridge",       "schema",     "run",    "started", "git",
                                       "environment", "experiment", "device", "results", "stop"};
    for (size_t i = 0; i < COUNT_OF(keys); i++)
        assert_non_null(json_object_get(json, keys[i]));
    json_t *device = json_object_get(json, "device");
    assert_string_equal(json_string_value(json_object_get(device, "cc")), "9.0");
    assert_true(json_is_true(json_object_get(device, "simulated")));
    assert_true(run_from_json(&a, json, &back, &err));
    assert_int_equal(back.header.id, 17);
    assert_true(back.header.device_cc == 9.0);
    assert_int_equal(back.result_count, 1);
    assert_string_equal(back.stop_reason, "close to peak");
    json_t *again = run_to_json(&back);
    assert_true(json_equal(json, again));
    json_decref(again);
    json_decref(json);
    json_decref(run.header.environment);
    json_decref(back.header.environment);
    arena_release(&a);
}

static void json_that_is_not_ours_is_refused_by_its_key(void **state)
{
    static const char *const texts[][2] = {
        {"[]", "not an object"},
        {"{\"variant\": 3}", "'variant'"},
        {"{\"variant\": \"x\"}", "'status'"},
        {"{\"variant\": \"x\", \"status\": \"fine\"}", "'status'"},
        {"{\"variant\": \"x\", \"status\": \"ok\", \"lines\": {}}", "'lines'"},
        {"{\"variant\": \"x\", \"status\": \"ok\", \"time_ns\": {\"samples\": 3, \"provenance\": "
         "\"measured\"}}",
         "'samples_ns'"},
        {"{\"variant\": \"x\", \"status\": \"ok\", \"limiter\": \"dram\", \"bounds\": "
         "[{\"resource\": \"cheese\"}]}",
         "'resource'"},
    };
    struct arena a = {0};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct error err = {0};
        struct result r;
        json_t *json = json_loads(texts[i][0], 0, NULL);
        assert_non_null(json);
        assert_false(result_from_json(&a, json, &r, &err));
        if (!strstr(err.message, texts[i][1]))
            fail_msg("%s: %s", texts[i][0], err.message);
        json_decref(json);
    }
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(result_survives_the_round_trip),
        cmocka_unit_test(patches_that_were_tried_survive_the_round_trip),
        cmocka_unit_test(expectations_of_older_files_are_read),
        cmocka_unit_test(whole_numbers_are_json_integers),
        cmocka_unit_test(failed_result_has_nulls_where_nothing_is_known),
        cmocka_unit_test(errors_come_back_or_are_not_known),
        cmocka_unit_test(stalls_keep_what_is_known_and_leave_out_the_rest),
        cmocka_unit_test(counterfactuals_and_facts_come_back_as_they_were),
        cmocka_unit_test(how_stalls_were_sampled_comes_back),
        cmocka_unit_test(samples_of_lines_take_the_place_of_modelled_stalls),
        cmocka_unit_test(fidelity_comes_back_as_it_was),
        cmocka_unit_test(simulation_on_the_side_comes_back_or_is_absent),
        cmocka_unit_test(a_sum_of_fidelity_keeps_the_weaker_one),
        cmocka_unit_test(interventions_are_read_as_people_write_them),
        cmocka_unit_test(stalls_of_launches_add_up_where_both_know_them),
        cmocka_unit_test(library_s_result_names_it_and_its_version),
        cmocka_unit_test(wrong_result_says_verified_false),
        cmocka_unit_test(text_that_is_not_utf8_does_not_vanish),
        cmocka_unit_test(run_has_the_keys_of_the_schema_and_comes_back),
        cmocka_unit_test(json_that_is_not_ours_is_refused_by_its_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
