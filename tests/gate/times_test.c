// Measured times held against a baseline's: what each verdict needs, several tests corrected together, and
// the conditions under which nothing is judged.
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
static struct variant_spec variants[] = {{.name = "v0", .at = {.line = 9}}};
static struct experiment experiment = {.name = "copy",
                                       .path = "copy/experiment.yaml",
                                       .variants = variants,
                                       .variant_count = 1,
                                       .gate = {.percent = 3}};
static struct run before, now;
static struct gate_subject subject;

static struct run run_of(void)
{
    return (struct run){.header = {.device_id = "cuda:0", .device_name = "GPU"},
                        .results = ARENA_ARRAY(&arena, struct result, RESULTS_MAX)};
}

static int setup(void **state)
{
    (void)state;
    error_clear(&err);
    experiment.gate = (struct gate_tolerance){.percent = 3};
    before = run_of();
    now = run_of();
    subject = (struct gate_subject){.experiment = &experiment, .run = &now, .before = &before};
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_release(&arena);
    return 0;
}

static double normal(uint64_t stream, uint64_t index)
{
    uint32_t w[4];
    philox(4, stream, index, w);
    return normal_quantile(philox_uniform(w[0]) + 0x1p-33);
}

static struct result *add(struct run *r, const char *variant, double median_ns, double noise,
                          uint64_t stream)
{
    double *samples = ARENA_ARRAY(&arena, double, SAMPLES);
    for (uint64_t i = 0; i < SAMPLES; i++)
        samples[i] = median_ns * (1 + noise * normal(stream, i));
    struct result *out = &r->results[r->result_count++];
    *out = (struct result){.variant = variant,
                           .case_label = "N=1",
                           .checked = true,
                           .verified = true,
                           .time = {PROVENANCE_MEASURED, stats_summary(samples, SAMPLES), samples},
                           .conditions = {.sm_mhz = 1980}};
    return out;
}

static struct gate_report judge(void)
{
    struct gate_report r = {0};
    assert_true(gate_runs(&arena, &subject, 1, &r, &err));
    return r;
}

static enum gate_verdict verdict_of(double growth, double noise)
{
    before.result_count = now.result_count = 0;
    add(&before, "v0", 10000, noise, 1);
    add(&now, "v0", 10000 * (1 + growth), noise, 2);
    struct gate_report r = judge();
    assert_int_equal(r.count, 1);
    return r.entries[0].verdict;
}

static void each_verdict_has_its_reason(void **state)
{
    (void)state;
    assert_int_equal(verdict_of(0, 0.005), GATE_UNCHANGED);
    assert_int_equal(verdict_of(0.02, 0.005), GATE_UNCHANGED); // within what is allowed
    assert_int_equal(verdict_of(0.06, 0.005), GATE_REGRESSED);
    assert_int_equal(verdict_of(-0.06, 0.005), GATE_IMPROVED);
    assert_int_equal(verdict_of(-0.005, 0.001), GATE_UNCHANGED); // not worth a word
    assert_int_equal(verdict_of(0.03, 0.05), GATE_NOISY);        // the interval holds 3 %
    assert_int_equal(verdict_of(0, 0.5), GATE_NOISY);
}

static void nanoseconds_are_allowed_beside_percent(void **state)
{
    (void)state;
    experiment.gate.ns = 1000; // 10 % of 10 us
    assert_int_equal(verdict_of(0.06, 0.005), GATE_UNCHANGED);
    assert_int_equal(verdict_of(0.15, 0.005), GATE_REGRESSED);
}

static void like_with_like_raises_no_alarm_in_many_suites(void **state)
{
    (void)state;
    enum { SUITES = 100, VARIANTS = 20 };
    int alarms = 0;
    experiment.gate.percent = 0;
    for (uint64_t s = 0; s < SUITES; s++) {
        before.result_count = now.result_count = 0;
        for (uint64_t v = 0; v < VARIANTS; v++) {
            const char *name = arena_printf(&arena, "v%d", (int)v);
            add(&before, name, 10000, 0.01, 1000 + s * 2 * VARIANTS + 2 * v);
            add(&now, name, 10000, 0.01, 1001 + s * 2 * VARIANTS + 2 * v);
        }
        struct gate_report r = judge();
        alarms += r.counts[GATE_REGRESSED] > 0;
    }
    assert_in_range(alarms, 0, 4); // 1 % of the suites, where no correction has 18 %
}

static void conditions_that_differ_are_refused(void **state)
{
    (void)state;
    add(&before, "v0", 10000, 0.005, 1);
    struct result *r = add(&now, "v0", 10000, 0.005, 2);
    r->conditions.throttled = "heat";
    struct gate_report g = judge();
    assert_int_equal(g.entries[0].verdict, GATE_REFUSED);
    assert_non_null(strstr(g.entries[0].why, "slowed down: heat"));
    r->conditions.throttled = NULL;
    r->conditions.sm_mhz = 1700;
    g = judge();
    assert_int_equal(g.entries[0].verdict, GATE_REFUSED);
    assert_non_null(strstr(g.entries[0].why, "1980 MHz and is 1700 MHz"));
    r->conditions.sm_mhz = 1975;
    subject.refused = "the buffers differ";
    g = judge();
    assert_int_equal(g.entries[0].verdict, GATE_REFUSED);
    assert_false(gate_passed(&g));
}

static void what_is_not_timed_has_its_verdict(void **state)
{
    (void)state;
    add(&before, "same", 10000, 0.01, 1);
    add(&before, "gone", 10000, 0.01, 1);
    add(&before, "wrong", 10000, 0.01, 1);
    struct result *r = add(&now, "same", 10000, 0.01, 2);
    r->status = RESULT_SKIPPED;
    r->same_as = "same@1";
    add(&now, "wrong", 10000, 0.01, 2)->status = RESULT_WRONG;
    add(&now, "fresh", 10000, 0.01, 2);
    struct gate_report g = judge();
    assert_int_equal(g.counts[GATE_UNCHANGED], 1);
    assert_int_equal(g.counts[GATE_MISSING], 1);
    assert_int_equal(g.counts[GATE_BROKEN], 1);
    assert_int_equal(g.counts[GATE_NEW], 1);
    subject.partial = true; // not asked for is not gone
    g = judge();
    assert_int_equal(g.counts[GATE_MISSING], 0);
}

static void an_experiment_of_the_baseline_only_is_missing(void **state)
{
    (void)state;
    add(&before, "v0", 10000, 0.01, 1);
    subject.run = NULL;
    subject.gone = true;
    struct gate_report g = judge();
    assert_int_equal(g.counts[GATE_MISSING], 1);
    assert_non_null(strstr(g.entries[0].why, "not in the suite any more"));
    subject.gone = false; // it was tried
    subject.error = "no reference";
    g = judge();
    assert_int_equal(g.counts[GATE_BROKEN], 1);
}

static void runs_under_other_conditions_are_told_apart(void **state)
{
    (void)state;
    static const char *const keys[] = {"driver", "clocks", "model"};
    before.header.cache_state = now.header.cache_state = "cold";
    before.header.environment = json_object();
    now.header.environment = json_object();
    assert_null(gate_conditions_differ(&arena, &before, &now));
    for (size_t i = 0; i < COUNT_OF(keys); i++) {
        json_object_set_new(before.header.environment, keys[i], json_string("this"));
        assert_non_null(gate_conditions_differ(&arena, &before, &now)); // not known is not the same
        json_object_set_new(now.header.environment, keys[i], json_string("that"));
        assert_non_null(gate_conditions_differ(&arena, &before, &now));
        json_object_set_new(now.header.environment, keys[i], json_string("this"));
        assert_null(gate_conditions_differ(&arena, &before, &now));
    }
    add(&before, "v0", 10000, 0.01, 1)->compiler = "clang 14"; // simulated, as it has a model
    add(&now, "v0", 10000, 0.01, 1)->compiler = "clang 15";
    assert_non_null(strstr(gate_conditions_differ(&arena, &before, &now), "clang 14"));
    now.header.device_name = "another";
    assert_non_null(strstr(gate_conditions_differ(&arena, &before, &now), "another chip"));
    json_decref(before.header.environment);
    json_decref(now.header.environment);
}

// Blocks of samples that share the chip's state: 60 of them, worth a few.
static void dependent_samples_are_not_taken_for_many(void **state)
{
    (void)state;
    struct result *x = add(&before, "v0", 10000, 0, 1), *y = add(&now, "v0", 10000, 0, 2);
    for (int i = 0; i < SAMPLES; i++) {
        x->time.samples_ns[i] = 10000 * (1 + 0.02 * normal(7, (uint64_t)i / 20));
        y->time.samples_ns[i] = 10000 * (1.05 + 0.02 * normal(8, (uint64_t)i / 20));
    }
    x->time.summary = stats_summary(x->time.samples_ns, SAMPLES);
    y->time.summary = stats_summary(y->time.samples_ns, SAMPLES);
    struct gate_report g = judge();
    assert_int_not_equal(g.entries[0].verdict, GATE_REGRESSED);
}

static void joined_runs_are_split_by_the_suffix(void **state)
{
    (void)state;
    struct run joined = run_of(), a, b;
    add(&joined, "v0", 1, 0, 1);
    add(&joined, "v1@abc", 2, 0, 1);
    gate_split(&arena, &joined, "abc", "other/experiment.yaml", &a, &b);
    assert_int_equal(a.result_count, 1);
    assert_int_equal(b.result_count, 1);
    assert_string_equal(b.results[0].variant, "v1");
    assert_string_equal(b.header.experiment_path, "other/experiment.yaml");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(each_verdict_has_its_reason),
        TEST(nanoseconds_are_allowed_beside_percent),
        TEST(like_with_like_raises_no_alarm_in_many_suites),
        TEST(conditions_that_differ_are_refused),
        TEST(what_is_not_timed_has_its_verdict),
        TEST(an_experiment_of_the_baseline_only_is_missing),
        TEST(runs_under_other_conditions_are_told_apart),
        TEST(dependent_samples_are_not_taken_for_many),
        TEST(joined_runs_are_split_by_the_suffix),
    };
    return cmocka_run_group_tests_name("times", tests, NULL, NULL);
}
