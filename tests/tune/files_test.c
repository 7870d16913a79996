// T1 and T4: Python's expressions as Python computes them, spaces and results there and back, what is refused, and
// recorded sessions replayed.
// SPDX-License-Identifier: Apache-2.0
#include "tune/python.h"
#include "tune/tune.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;
static struct error err;

static int setup(void **state)
{
    error_clear(&err);
    return 0;
}

static int teardown(void **state)
{
    arena_release(&arena);
    return 0;
}

static const char *evaluate(const char *text)
{
    struct py_name names[] = {{"x", {.kind = PY_INTEGER, .i = 7}},
                              {"word", {.kind = PY_STRING, .s = "float"}},
                              {"half", {.kind = PY_REAL, .d = 0.5}}};
    struct py_expression *e;
    struct py_value v;
    if (!py_parse(&arena, text, NOWHERE, &e, &err) ||
        !py_evaluate(&arena, e, names, COUNT_OF(names), &v, &err))
        return err.message;
    if (v.kind != PY_LIST)
        return py_text(&arena, &v);
    const char *out = "";
    for (int i = 0; i < v.count; i++)
        out = arena_printf(&arena, "%s%s%s", out, i ? " " : "", py_text(&arena, &v.items[i]));
    return out;
}

static void expressions_are_computed_as_python_does(void **state)
{
    static const struct {
        const char *text, *value;
    } rows[] = {
        {"1 + 2 * 3 ** 2", "19"},
        {"-2 ** 2", "-4"},
        {"2 ** 3 ** 2", "512"},
        {"-7 // 2", "-4"},
        {"-7 % 3", "2"},
        {"7 / 2", "3.5"},
        {"8 / 2", "4"},
        {"not x == 7", "0"},
        {"x == 7 and half < 1 or False", "1"},
        {"1 < x <= 7", "1"},
        {"x in [1, 7]", "1"},
        {"x not in (7)", "an operation on values"},
        {"word == 'float'", "1"},
        {"word != \"float\"", "0"},
        {"[16*i for i in range(1, 5)]", "16 32 48 64"},
        {"[2**i for i in range(6) if i != 2]", "1 2 8 16 32"},
        {"list(range(10, 0, -3))", "10 7 4 1"},
        {"[1, 2,]", "1 2"},
        {"min(3, x, 5) + max([1, 2]) + abs(-1) + len([1])", "7"},
        {"int(7.9) if x > 3 else 0", "7"},
        {"2 ** -1", "0.5"},
        {"2 ** 63", "a power beyond 64 bits"},
        {"9223372036854775807 + 1", "a number beyond 64 bits"},
        {"1 // 0", "a division by zero"},
        {"y + 1", "unknown name 'y'"},
        {"eval('1')", "this function is not known"},
        {"x +", "a value is missing"},
        {"1 2", "what follows is not understood"},
        {"range(100000)", "range() of more than"},
        {"[[i for i in range(900)] for j in range(900)]", "does not end soon"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        error_clear(&err);
        const char *got = evaluate(rows[i].text);
        bool error = err.kind != ERROR_NONE;
        if (error ? !strstr(got, rows[i].value) : strcmp(got, rows[i].value) != 0)
            fail_msg("%s is %s, not %s", rows[i].text, got, rows[i].value);
    }
}

static void deep_nesting_is_refused_at_once(void **state)
{
    char text[400];
    memset(text, '[', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_non_null(strstr(evaluate(text), "too deep"));
    memset(text, '-', sizeof text - 1);
    error_clear(&err);
    assert_non_null(strstr(evaluate(text), "too deep"));
}

static const char t1[] =
    "{\"ConfigurationSpace\": {\"TuningParameters\": ["
    "{\"Name\": \"tile\", \"Type\": \"int\", \"Values\": \"[2**i for i in range(5, 2, -1)]\"},"
    "{\"Name\": \"type\", \"Type\": \"string\", \"Values\": \"['half', 'float']\"}],"
    "\"Conditions\": [{\"Parameters\": [\"tile\"], \"Expression\": "
    "\"tile > 8 or type == 'float'\"}]}, \"KernelSpecification\": {}}";

static void a_t1_file_s_space_is_read(void **state)
{
    struct t1 *t;
    int count = 0;
    bool holds = false;
    assert_true(t1_parse(&arena, "s.json", t1, strlen(t1), &t, &err));
    const struct axis *axes = t1_axes(t, &count);
    assert_int_equal(count, 2);
    assert_string_equal(axes[0].values[0], "8"); // sorted
    assert_true(axes[0].ordered);
    assert_false(axes[1].ordered);
    assert_true(t1_holds(t, (uint16_t[]){0, 0}, &holds, &err) && !holds);
    assert_true(t1_holds(t, (uint16_t[]){0, 1}, &holds, &err) && holds);
    assert_true(t1_holds(t, (uint16_t[]){2, 0}, &holds, &err) && holds);
}

static void a_space_that_is_written_is_read_again(void **state)
{
    static const char *const tiles[] = {"8", "16"}, *const types[] = {"half", "float"};
    struct axis axes[] = {{"tile", tiles, 2, true}, {"type", types, 2, false}};
    const char *condition;
    assert_true(t1_expression(&arena, "tile >= 8 && !(tile/8 == 1)||min(tile,3) != 2", &condition));
    assert_string_equal(condition, "tile >= 8 and not (tile//8 == 1) or min(tile,3) != 2");
    struct t1_kernel k = {.benchmark = "b",
                          .kernel = "k",
                          .file = "k.cu",
                          .compiler_options = "",
                          .conditions = &condition,
                          .condition_count = 1};
    json_t *j = t1_to_json(axes, 2, &k);
    char *text = json_dumps(j, 0);
    struct t1 *t;
    int count = 0;
    bool holds = true;
    assert_true(t1_parse(&arena, "s.json", text, strlen(text), &t, &err));
    assert_string_equal(t1_axes(t, &count)[1].values[1], "float");
    assert_true(t1_holds(t, (uint16_t[]){0, 0}, &holds, &err) && holds);
    free(text);
    json_decref(j);
    assert_false(t1_expression(&arena, "ceil_div(tile, 3) > 2", &condition));
    assert_false(t1_expression(&arena, "tile > 2 ? 1 : 0", &condition));
}

static void what_is_no_t1_is_refused(void **state)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"{", "s.json:1: no JSON"},
        {"{}", "s.json: no T1 file"},
        {"{\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"a\", \"Values\": [1]}]}}",
         "'Values' of 'a' must be text"},
        {"{\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"a\", \"Values\": \"3\"}]}}",
         "the values of 'a' are no list"},
        {"{\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"a\", \"Values\": "
         "\"[1\"}]}}",
         "in the tuning parameter 'a'"},
    };
    struct t1 *t;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        error_clear(&err);
        assert_false(t1_parse(&arena, "s.json", rows[i].text, strlen(rows[i].text), &t, &err));
        if (!strstr(err.message, rows[i].message))
            fail_msg("%s", err.message);
    }
}

// As Kernel Tuner writes it: no intervals, milliseconds, an error in the place of a time.
static const char t4[] =
    "{\"schema_version\": \"1.0.0\", \"metadata\": {\"timeunit\": \"milliseconds\"}, \"results\": ["
    "{\"configuration\": {\"b\": 64, \"t\": \"x\"}, \"objectives\": [\"time\"], \"times\": "
    "{\"runtimes\": [0.2]}, \"invalidity\": \"correct\", \"correctness\": 1, \"measurements\": "
    "[{\"name\": \"time\", \"value\": 0.2, \"unit\": \"ms\"}]},"
    "{\"configuration\": {\"b\": 32, \"t\": \"x\"}, \"objectives\": [\"time\"], \"times\": {}, "
    "\"invalidity\": \"compile\", \"correctness\": 1, \"measurements\": [{\"name\": \"time\", "
    "\"value\": \"CompilationFailedConfig\", \"unit\": \"\"}]},"
    "{\"configuration\": {\"b\": 128, \"t\": \"y\"}, \"objectives\": [\"time\"], \"times\": {}, "
    "\"invalidity\": \"correct\", \"correctness\": 1, \"measurements\": [{\"name\": \"time\", "
    "\"value\": [90, 100, 110], \"unit\": \"us\"}]}]}";

static void another_tuner_s_results_are_read(void **state)
{
    struct tuning t;
    assert_true(t4_parse(&arena, "r.json", t4, strlen(t4), &t, &err));
    assert_int_equal(t.count, 3);
    assert_string_equal(t.space.axes[0].values[0], "32"); // numbers are sorted
    const struct evaluation *best = tuning_chosen(&t);
    assert_string_equal(search_space_label(&arena, &t.space, best->point), "b=128 t=y");
    assert_true(fabs(best->time_ns - 100000) < 1e-6);
    int compile = 0;
    for (int i = 0; i < t.count; i++)
        compile += t.evaluations[i].outcome == OUTCOME_COMPILE && isnan(t.evaluations[i].time_ns);
    assert_int_equal(compile, 1);
}

static void results_that_are_written_are_read_again(void **state)
{
    static const char *const tiles[] = {"8", "16", "32"};
    struct axis axis = {"tile", tiles, 3, true};
    double nan = (double)NAN;
    struct evaluation e[] = {{.point = 0,
                              .outcome = OUTCOME_CORRECT,
                              .time_ns = 1500,
                              .low_ns = 1490,
                              .high_ns = 1510,
                              .sample_count = 40,
                              .rank_ns = 1200,
                              .took_s = 0.5,
                              .at = "2026-11-22T00:00:00Z"},
                             {.point = 1,
                              .outcome = OUTCOME_CORRECTNESS,
                              .time_ns = nan,
                              .low_ns = nan,
                              .high_ns = nan,
                              .rank_ns = nan,
                              .took_s = nan,
                              .error = "wrong \"result\"",
                              .at = "x"},
                             {.point = 2,
                              .outcome = OUTCOME_CUT,
                              .time_ns = nan,
                              .low_ns = nan,
                              .high_ns = nan,
                              .rank_ns = 9000,
                              .took_s = nan,
                              .at = "x"}};
    struct tuning t = {.experiment = "e",
                       .variant = "v",
                       .case_label = "N=1",
                       .device_name = "GPU",
                       .provenance = "measured",
                       .evaluations = e,
                       .count = 3},
                  back;
    search_space_make(&arena, &axis, 1, (uint16_t[]){0, 1, 2}, 3, &t.space);
    json_t *j = t4_to_json(&t);
    char *text = json_dumps(j, 0);
    assert_true(t4_parse(&arena, "r.json", text, strlen(text), &back, &err));
    assert_int_equal(back.count, 3);
    assert_string_equal(back.provenance, "measured");
    assert_true(fabs(back.evaluations[0].time_ns - 1500) < 1e-9);
    assert_true(fabs(back.evaluations[0].low_ns - 1490) < 1e-9);
    assert_int_equal(back.evaluations[0].sample_count, 40);
    assert_true(fabs(back.evaluations[0].rank_ns - 1200) < 1e-9);
    assert_int_equal(back.evaluations[1].outcome, OUTCOME_CORRECTNESS);
    assert_string_equal(back.evaluations[1].error, "wrong \"result\"");
    assert_int_equal(back.evaluations[2].outcome, OUTCOME_TIMEOUT); // T4 has no word for a cut
    free(text);
    json_decref(j);
}

static void what_is_no_t4_is_refused(void **state)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"[", "r.json:1: no JSON"},
        {"{\"results\": []}", "r.json: no T4 file"},
        {"{\"results\": [{}]}", "a result has no 'configuration'"},
        {"{\"results\": [{\"configuration\": {\"a\": 1}}, {\"configuration\": {\"b\": 1}}]}",
         "a configuration lacks 'a'"},
        {"{\"results\": [{\"configuration\": {\"a\": []}}]}", "is no number and no text"},
    };
    struct tuning t;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        error_clear(&err);
        assert_false(t4_parse(&arena, "r.json", rows[i].text, strlen(rows[i].text), &t, &err));
        if (!strstr(err.message, rows[i].message))
            fail_msg("%s", err.message);
    }
}

// 40 points; times are `time`, ranks the model's.
static void record(struct tuning *t, double (*time)(int), double (*rank)(int))
{
    enum { POINTS = 40 };
    static const char *texts[POINTS];
    struct axis *axis = ARENA_NEW(&arena, struct axis);
    uint16_t items[POINTS];
    *t = (struct tuning){.experiment = "e", .variant = "v", .case_label = "", .count = POINTS};
    t->evaluations = ARENA_ARRAY(&arena, struct evaluation, POINTS);
    for (int i = 0; i < POINTS; i++) {
        texts[i] = arena_printf(&arena, "%d", i);
        items[i] = (uint16_t)i;
        t->evaluations[i] = (struct evaluation){.point = i,
                                                .outcome = OUTCOME_CORRECT,
                                                .time_ns = time(i),
                                                .low_ns = time(i),
                                                .high_ns = time(i),
                                                .rank_ns = rank(i),
                                                .at = "x"};
    }
    *axis = (struct axis){"i", texts, POINTS, true};
    search_space_make(&arena, axis, 1, items, POINTS, &t->space);
    t->pruning.rank_by = "a model";
}

static double slope(int i)
{
    return 1000 + 10 * i;
}
static double no_rank(int i)
{
    return (double)NAN;
}
static double half_slope(int i)
{
    return slope(i) / 2;
}
static double opposite(int i)
{
    return 2000 - 10 * i;
}

static void a_replay_with_a_true_model_needs_few_points_and_risks_nothing(void **state)
{
    struct tuning recorded, t;
    record(&recorded, slope, half_slope);
    assert_true(replay(&arena, &recorded, STRATEGY_pruned, 1, 0, &t, &err));
    assert_int_equal(t.count, 10);
    assert_int_equal(tuning_chosen(&t)->point, 0);
    assert_int_equal(t.pruning.unmeasured, 30);
    assert_int_equal(t.pruning.audited, 1);
    assert_true(t.pruning.correlation > 0.999);
    assert_true(t.pruning.regret_expected < 1e-9);
}

static void a_model_that_is_wrong_is_seen_in_correlation_and_regret(void **state)
{
    struct tuning recorded, t;
    record(&recorded, slope, opposite);
    assert_true(replay(&arena, &recorded, STRATEGY_pruned, 1, 0, &t, &err));
    assert_true(t.pruning.correlation < 0);
    assert_true(t.pruning.regret_95 > 0);
}

static void a_session_without_ranks_cannot_be_pruned(void **state)
{
    struct tuning recorded, t;
    record(&recorded, slope, no_rank);
    assert_false(replay(&arena, &recorded, STRATEGY_pruned, 1, 0, &t, &err));
    assert_non_null(strstr(err.message, "needs ranks"));
    assert_true(replay(&arena, &recorded, STRATEGY_local, 1, 12, &t, &err));
    assert_int_equal(t.count, 12);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(expressions_are_computed_as_python_does),
        TEST(deep_nesting_is_refused_at_once),
        TEST(a_t1_file_s_space_is_read),
        TEST(a_space_that_is_written_is_read_again),
        TEST(what_is_no_t1_is_refused),
        TEST(another_tuner_s_results_are_read),
        TEST(results_that_are_written_are_read_again),
        TEST(what_is_no_t4_is_refused),
        TEST(a_replay_with_a_true_model_needs_few_points_and_risks_nothing),
        TEST(a_model_that_is_wrong_is_seen_in_correlation_and_regret),
        TEST(a_session_without_ranks_cannot_be_pruned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
