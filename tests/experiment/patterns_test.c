// Patterns of inputs: what becomes of buffers of each type, and of those that no pattern may touch.
// SPDX-License-Identifier: Apache-2.0
#include "experiment/experiment.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { SEED = 7, COUNT = 1000 };

static struct arena arena;
static struct error err;
static struct experiment *experiment;
static struct resolved_case resolved;
static struct host_buffers contents;

static int teardown(void **state)
{
    (void)state;
    if (contents.data)
        buffers_release(&contents);
    arena_release(&arena);
    return 0;
}

// An experiment of one input of that type and fill, and an output.
static bool make(const char *type, const char *fill, enum input_pattern p)
{
    static const char format[] =
        "experiment: x\nsource: scale.cu\nverify: self\nparams: {N: %d}\nbuffers:\n"
        "  in: {type: %s, count: N, fill: '%s'}\n"
        "  out: {type: f32, count: N, output: true}\n"
        "variants:\n  - {name: a, kernel: k, grid: 1, block: 1, args: [out, in]}\n";
    struct case_point *points;
    struct device_facts facts = {.warp_size = 32};
    char text[1024];
    bool changed = false;
    int count;
    (void)snprintf(text, sizeof text, format, COUNT, type, fill);
    if (!experiment_parse(&arena, "tests/cli/scale/copy.yaml", text, strlen(text), &experiment,
                          &err) ||
        !experiment_cases(&arena, experiment, NULL, 0, &points, &count, &err) ||
        !experiment_resolve_case(&arena, experiment, points, &facts, &resolved, &err))
        fail_msg("%s", err.message);
    if (contents.data)
        buffers_release(&contents);
    if (!buffers_fill(experiment, &resolved, points, SEED, &contents, &err) ||
        !buffers_pattern(experiment, &resolved, points, p, SEED, &contents, &changed, &err))
        fail_msg("%s", err.message);
    return changed;
}

static double at(int i)
{
    const struct resolved_buffer *b = &resolved.buffers[0];
    return element_load(b->type,
                        (const char *)contents.data[0] + (size_t)i * element_bytes(b->type));
}

static const char *const types[] = {"f16", "bf16", "e4m3", "f32", "f64", "i8", "u8",
                                    "i16", "u16",  "i32",  "u32", "i64", "u64"};

static const char *fill_of(size_t type)
{
    return type < 5 ? "uniform(1,2)" : "integers(3,90)";
}

static void equal_inputs_are_one_value_that_the_fill_makes(void **state)
{
    (void)state;
    for (size_t t = 0; t < COUNT_OF(types); t++) {
        assert_true(make(types[t], fill_of(t), PATTERN_EQUAL));
        assert_true(at(0) >= 1 && at(0) <= 90);
        for (int i = 1; i < COUNT; i++)
            assert_true(at(i) == at(0));
    }
}

static void sorted_inputs_ascend_and_differ(void **state)
{
    (void)state;
    for (size_t t = 0; t < COUNT_OF(types); t++) {
        assert_true(make(types[t], fill_of(t), PATTERN_SORTED));
        for (int i = 1; i < COUNT; i++)
            assert_true(at(i) >= at(i - 1));
        assert_true(at(COUNT - 1) > at(0));
    }
}

static int others_than(double value)
{
    int n = 0;
    for (int i = 0; i < COUNT; i++)
        n += at(i) != value;
    return n;
}

static void one_input_differs_from_zero_or_from_the_least(void **state)
{
    (void)state;
    assert_true(make("f32", "uniform(1,2)", PATTERN_ONE));
    assert_int_equal(others_than(1), 1);
    assert_true(make("f32", "uniform(-1,1)", PATTERN_ONE));
    assert_int_equal(others_than(0), 1);
    assert_true(make("bf16", "normal(5,1)", PATTERN_ONE));
    assert_int_equal(others_than(0), 1);
    assert_true(make("i32", "integers(3,90)", PATTERN_ONE));
    assert_int_equal(others_than(3), 1);
    assert_true(make("i64", "integers(-9,90)", PATTERN_ONE));
    assert_int_equal(others_than(0), 1);
}

static void denormals_are_below_the_least_normal_number(void **state)
{
    (void)state;
    static const double least_normal[] = {0x1p-14, 0x1p-126, 0x1p-6, 0x1p-126, 0x1p-1022};
    for (size_t t = 0; t < COUNT_OF(least_normal); t++) {
        assert_true(make(types[t], "normal(0,1)", PATTERN_DENORMALS));
        assert_true(others_than(0) > COUNT / 2);
        for (int i = 0; i < COUNT; i++)
            assert_true(fabs(at(i)) < least_normal[t]);
    }
    assert_false(make("i32", "integers(0,9)", PATTERN_DENORMALS));
}

static void one_in_sixteen_is_infinite(void **state)
{
    (void)state;
    static const char *const with[] = {"f16", "bf16", "f32", "f64"};
    for (size_t t = 0; t < COUNT_OF(with); t++) {
        int infinite = 0, negative = 0;
        assert_true(make(with[t], "uniform(1,2)", PATTERN_INFINITIES));
        for (int i = 0; i < COUNT; i++) {
            assert_true(at(i) >= 1 || at(i) < 0); // no NAN
            infinite += isinf(at(i)) != 0;
            negative += at(i) < 0;
        }
        assert_in_range(infinite, COUNT / 32, COUNT / 8);
        assert_in_range(negative, 1, infinite - 1);
    }
    assert_false(make("e4m3", "uniform(1,2)", PATTERN_INFINITIES)); // it has none
    assert_false(make("u8", "integers(0,9)", PATTERN_INFINITIES));
}

static void what_is_not_random_keeps_its_contents(void **state)
{
    (void)state;
    assert_false(make("i32", "iota", PATTERN_EQUAL));
    assert_true(at(17) == 17);
    assert_false(make("f32", "constant(3)", PATTERN_ONE));
    assert_false(make("i32", "zipf(1,9)", PATTERN_SORTED));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, teardown)
    const struct CMUnitTest tests[] = {
        TEST(equal_inputs_are_one_value_that_the_fill_makes),
        TEST(sorted_inputs_ascend_and_differ),
        TEST(one_input_differs_from_zero_or_from_the_least),
        TEST(denormals_are_below_the_least_normal_number),
        TEST(one_in_sixteen_is_infinite),
        TEST(what_is_not_random_keeps_its_contents),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
