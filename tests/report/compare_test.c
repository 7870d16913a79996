// What statistics say of two measured results: of the samples each side's spread, of the medians of blocks the tests.
// SPDX-License-Identifier: Apache-2.0
#include "report/report.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { BLOCKS = 8, BLOCK_SAMPLES = 5, SAMPLES = BLOCKS * BLOCK_SAMPLES };

struct side {
    double samples[SAMPLES];
    struct chip_sample chip[BLOCKS];
    struct result result;
    struct run run;
};
static struct side before, after;

// Block k lies k tenths of a microsecond above the base, its samples 10 ns around that.
static void make(struct side *s, double base_ns, int blocks)
{
    for (int i = 0; i < SAMPLES; i++)
        s->samples[i] = base_ns + 100.0 * (i / BLOCK_SAMPLES) + 10.0 * (i % BLOCK_SAMPLES - 2);
    for (int k = 0; k < blocks; k++)
        s->chip[k] = (struct chip_sample){.at_s = k, .sample = (size_t)(k * BLOCK_SAMPLES)};
    s->result = (struct result){
        .variant = "v",
        .case_label = "",
        .time = {PROVENANCE_MEASURED, stats_summary(s->samples, SAMPLES), s->samples},
        .conditions = {.chip = s->chip, .chip_count = blocks}};
    s->run = (struct run){.header = {.device_id = "cuda:0", .device_name = "GPU"},
                          .results = &s->result,
                          .result_count = 1};
}

static json_t *compared(void)
{
    struct arena a = {0};
    struct run_comparison c;
    report_compare(&a, &before.run, NULL, &after.run, NULL, &c);
    json_t *j = report_compare_json(&c);
    arena_release(&a);
    return j;
}

static const json_t *statistics_of(const json_t *j)
{
    return json_object_get(json_array_get(json_object_get(j, "pairs"), 0), "statistics");
}

static double at(const json_t *j, const char *key)
{
    return json_number_value(json_object_get(j, key));
}

static void tests_take_the_medians_of_blocks(void **state)
{
    (void)state;
    make(&before, 10000, BLOCKS);
    make(&after, 10800, BLOCKS); // its first block is as the other's ninth would be
    json_t *j = compared();
    const json_t *s = statistics_of(j), *side = json_object_get(s, "before");
    assert_int_equal((int)at(side, "samples"), SAMPLES);
    assert_int_equal((int)at(side, "observed"), BLOCKS);
    assert_true(fabs(at(s, "shift_ns") - 800) < 1e-6);
    assert_true(fabs(at(s, "mann_whitney_p") - 2.0 / 12870) < 1e-9); // R: wilcox.test(y, x)
    assert_true(fabs(at(s, "welch_p") - 1.32987e-05) < 1e-9);        // R: t.test(y, x)
    assert_true(fabs(at(side, "median_ns") - 10350) < 1e-6);
    assert_true(fabs(at(side, "mean_ns") - 10350) < 1e-6);
    assert_true(at(side, "p5") < at(side, "p25") && at(side, "p75") < at(side, "p95"));
    const json_t *mean = json_object_get(side, "mean_interval_ns");
    double half = json_number_value(json_array_get(mean, 1)) - 10350;
    assert_true(fabs(half - 204.78) < 0.02); // qt(0.975, 7) * sd(0:7 * 100) / sqrt(8)
    assert_true(at(side, "effective_samples") < SAMPLES / 2.0);
    json_decref(j);
}

static void they_are_said_with_verbose(void **state)
{
    (void)state;
    struct arena a = {0};
    struct run_comparison c;
    struct text short_text = {0}, long_text = {0};
    const struct report_style brief = {0}, verbose = {.verbose = true};
    make(&before, 10000, BLOCKS);
    make(&after, 9200, BLOCKS);
    report_compare(&a, &before.run, NULL, &after.run, NULL, &c);
    report_compare_figures(&c, &brief, &short_text);
    report_compare_figures(&c, &verbose, &long_text);
    assert_null(strstr(text_str(&short_text), "Hodges"));
    assert_non_null(strstr(text_str(&long_text), "40 samples in 8 blocks"));
    assert_non_null(
        strstr(text_str(&long_text), "shift -800 ns (Hodges and Lehmann), p = 0.00016"));
    text_release(&short_text);
    text_release(&long_text);
    arena_release(&a);
}

static void too_few_blocks_are_not_tested(void **state)
{
    (void)state;
    make(&before, 10000, 2);
    make(&after, 10800, BLOCKS);
    json_t *j = compared();
    assert_true(json_is_null(statistics_of(j)));
    json_decref(j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tests_take_the_medians_of_blocks),
        cmocka_unit_test(they_are_said_with_verbose),
        cmocka_unit_test(too_few_blocks_are_not_tested),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
