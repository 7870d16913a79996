// Chips: their files are strict, and the words of every refusal are held here.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/gpu.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// A whole file, made from the table of fields: every required one is 64 (bytes are large), but what
// `change` says: "name: value" lines that replace or add, "-name" that leaves one out.
static const char *chip_text(struct arena *a, const char *change)
{
    struct text t = {0};
    text_add(&t, "name: Test Chip\nvendor: nvidia\n");
    if (!str_starts_with(change, "arch"))
        text_add(&t, "arch: sm_90\n");
    if (!strstr(change, "compute_capability"))
        text_add(&t, "compute_capability: 9.0\n");
    for (int f = 0; f < GPU_FIELD_COUNT; f++) {
        const struct gpu_field_info *info = gpu_field_info((enum gpu_field)f);
        const char *at = strstr(change, info->name);
        size_t length = strlen(info->name);
        bool changed = at && (at[length] == ':' || at[length] == '\0') &&
                       (at == change || at[-1] == '\n' || at[-1] == '-');
        if (info->need != GPU_OPTIONAL && !changed)
            text_printf(&t, "%s: {value: 64, source: \"test\"}\n", info->name);
    }
    if (change[0] != '-')
        text_add(&t, change);
    const char *whole = arena_strdup(a, text_str(&t));
    text_release(&t);
    return whole;
}

static void refuses(const char *change, const char *message)
{
    struct arena a = {0};
    struct error err = {0};
    struct gpu *g = NULL;
    const char *text = chip_text(&a, change);
    assert_false(gpu_parse(&a, "t.yaml", text, strlen(text), &g, &err));
    assert_null(g);
    assert_int_equal(err.kind, ERROR_INPUT);
    // The place depends on how long the made file is: compare what follows it, without the caret.
    char *said = strstr(err.message, ": ");
    assert_non_null(said);
    said[strcspn(said, "\n")] = '\0';
    assert_string_equal(said + 2, message);
    arena_release(&a);
}

static void parse_reads_identity_figures_and_sources(void **state)
{
    struct arena a = {0};
    struct error err = {0};
    struct gpu *g = NULL;
    const char *text = chip_text(&a, "sm_count: {value: 132, source: a whitepaper}\n"
                                     "host_link_gbps: {source: measured, value: 55.4}\n");
    if (!gpu_parse(&a, "some/folder/mine.yaml", text, strlen(text), &g, &err))
        fail_msg("%s", err.message);
    assert_string_equal(g->id, "mine");
    assert_string_equal(g->name, "Test Chip");
    assert_string_equal(g->vendor, "nvidia");
    assert_string_equal(g->arch, "sm_90");
    assert_int_equal(g->cc_major, 9);
    assert_int_equal(g->cc_minor, 0);
    assert_true(GPU(g, sm_count) == 132);
    assert_string_equal(g->source[GPU_FIELD_sm_count], "a whitepaper");
    assert_true(GPU(g, host_link_gbps) == 55.4);
    assert_true(isnan(GPU(g, l2_ways)));
    assert_null(g->source[GPU_FIELD_l2_ways]);
    arena_release(&a);
}

static void parse_rejects_an_unknown_key_with_a_suggestion(void **state)
{
    refuses("sm_cuont: {value: 1, source: x}\n",
            "unknown key 'sm_cuont' in a chip's file (did you mean 'sm_count'?)");
    refuses("sm_count: {valeu: 1, source: x}\n",
            "unknown key 'valeu' in 'sm_count' (did you mean 'value'?)");
    struct arena a = {0};
    struct error err = {0};
    struct gpu *g = NULL;
    const char *text = chip_text(&a, "colour: green\n");
    assert_false(gpu_parse(&a, "t.yaml", text, strlen(text), &g, &err));
    assert_non_null(
        strstr(err.message, "unknown key 'colour' in a chip's file (known: name, vendor, "));
    arena_release(&a);
}

static void parse_rejects_a_missing_required_field(void **state)
{
    refuses("-sm_count", "'sm_count' is missing: streaming multiprocessors");
}

static void parse_rejects_a_figure_without_source_or_value(void **state)
{
    refuses("sm_count: 132\n", "'sm_count' must be {value: 132, source: \"where it is from\"}");
    refuses("sm_count: {value: 132}\n", "'sm_count' has no source: say where the figure is from");
    refuses("sm_count: {value: 132, source: \"\"}\n",
            "the source of 'sm_count' is empty: say where the figure is from");
    refuses("sm_count: {source: x}\n", "'sm_count' has no value");
    refuses("sm_count: [1, x]\n", "'sm_count' must be a map, not a list");
}

static void parse_rejects_figures_that_can_not_be(void **state)
{
    refuses("sm_count: {value: many, source: x}\n",
            "the value of 'sm_count' must be a number, not 'many'");
    refuses("sm_count: {value: 1.5, source: x}\n",
            "the value of 'sm_count' must be a whole number of SMs, not '1.5'");
    refuses("clock_mhz: {value: -1, source: x}\n",
            "the value of 'clock_mhz' must be more than zero, not '-1'");
    refuses("clock_mhz: {value: 0, source: x}\n",
            "the value of 'clock_mhz' must be more than zero, not '0'");
    refuses("dram_bytes: {value: 1e18, source: x}\n",
            "the value of 'dram_bytes' must be more than zero and at most 1e15, not '1e18'");
    refuses("shared_bytes_per_block: {value: 128, source: x}\n",
            "'shared_bytes_per_block' (128) is more than 'shared_bytes_per_sm' (64)");
    refuses("arch: hopper\n", "'arch' must be like sm_90, not 'hopper'");
    refuses("arch: sm_\n", "'arch' must be like sm_90, not 'sm_'");
    refuses("compute_capability: nine\n", "'compute_capability' must be like 9.0, not 'nine'");
    refuses("compute_capability: 9\n", "'compute_capability' must be like 9.0, not '9'");
}

static void compute_capability_is_of_nvidias_chips_only(void **state)
{
    static const char *const amds[] = {"mi250x", "mi300x", "rx7900xtx"};
    struct arena a = {0};
    struct error err = {0};
    struct gpu *g = NULL;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(amds); i++) {
        if (!gpu_load(&a, amds[i], &g, &err))
            fail_msg("%s", err.message);
        assert_int_equal(g->cc_major, 0);
        assert_int_equal(g->cc_minor, 0);
    }
    const char *text = "name: X\nvendor: amd\narch: gfx90a\ncompute_capability: 9.0\n";
    assert_false(gpu_parse(&a, "t.yaml", text, strlen(text), &g, &err));
    assert_string_equal(err.message, "t.yaml:4:21: 'compute_capability' is of NVIDIA's chips, and "
                                     "'vendor' is 'amd': leave it out\n"
                                     "    compute_capability: 9.0\n"
                                     "                        ^");
    error_clear(&err);
    text = "name: X\nvendor: nvidia\narch: sm_90\n";
    assert_false(gpu_parse(&a, "t.yaml", text, strlen(text), &g, &err));
    assert_non_null(strstr(err.message, "'compute_capability' is missing"));
    arena_release(&a);
}

static void parse_points_at_the_value(void **state)
{
    struct arena a = {0};
    struct error err = {0};
    struct gpu *g = NULL;
    const char *text = "name: X\nsm_count: {value: 1, sources: x}\n";
    assert_false(gpu_parse(&a, "t.yaml", text, strlen(text), &g, &err));
    assert_string_equal(err.message, "t.yaml:1:1: 'vendor' is missing\n    name: X\n    ^");
    error_clear(&err);
    text = "name: X\nvendor: v\narch: a\nsm_count: {value: 1, sources: x}\n";
    assert_false(gpu_parse(&a, "t.yaml", text, strlen(text), &g, &err));
    assert_string_equal(err.message,
                        "t.yaml:4:22: unknown key 'sources' in 'sm_count' (did you mean "
                        "'source'?)\n    sm_count: {value: 1, sources: x}\n"
                        "                         ^");
    arena_release(&a);
}

static void shared_reserve_may_be_nothing(void **state)
{
    struct arena a = {0};
    struct error err = {0};
    struct gpu *g = NULL;
    const char *text = chip_text(&a, "shared_reserved_bytes: {value: 0, source: x}\n");
    assert_true(gpu_parse(&a, "t.yaml", text, strlen(text), &g, &err));
    arena_release(&a);
}

static void every_shipped_chip_loads(void **state)
{
    struct arena a = {0};
    struct error err = {0};
    const char *const *ids = NULL;
    assert_true(gpu_list(&a, &ids, &err));
    int count = 0;
    for (; ids[count]; count++) {
        struct gpu *g = NULL;
        if (!gpu_load(&a, ids[count], &g, &err))
            fail_msg("%s", err.message);
        assert_string_equal(g->id, ids[count]);
        assert_true(count == 0 || strcmp(ids[count - 1], ids[count]) < 0);
    }
    assert_true(count >= 8);
    arena_release(&a);
}

// What only the simulated GPU needs may be missing where it cannot be that chip.
static void figures_of_the_simulation_are_needed_of_simulated_chips_only(void **state)
{
    struct arena a = {0};
    struct error err = {0};
    struct gpu *g = NULL;
    refuses("-latency_dram_cycles",
            "'latency_dram_cycles' is missing: latency of a global load from device memory");
    char *text = arena_strdup(&a, chip_text(&a, "-latency_dram_cycles"));
    memcpy(strstr(text, "nvidia"), "amd   ", strlen("nvidia"));
    *strstr(text, "compute_capability") = '#'; // NVIDIA's only
    if (!gpu_parse(&a, "t.yaml", text, strlen(text), &g, &err))
        fail_msg("%s", err.message);
    assert_false(gpu_is_simulated(g));
    assert_true(isnan(GPU(g, latency_dram_cycles)));
    arena_release(&a);
}

static void load_of_an_unknown_chip_lists_those_there_are(void **state)
{
    struct arena a = {0};
    struct error err = {0};
    struct gpu *g = NULL;
    assert_false(gpu_load(&a, "h20", &g, &err));
    assert_string_equal(err.message, "unknown chip 'h20' (did you mean 'h200'?); known: a100, "
                                     "h100, h200, mi250x, mi300x, rtx4090, rx7900xtx, v100");
    error_clear(&err);
    assert_false(gpu_load(&a, "../gpus/h200", &g, &err));
    assert_string_equal(err.message, "unknown chip '../gpus/h200'; known: a100, h100, h200, "
                                     "mi250x, mi300x, rtx4090, rx7900xtx, v100");
    arena_release(&a);
}

static void tensor_types_have_rates_of_their_own(void **state)
{
    (void)state;
    struct arena a = {0};
    struct error err = {0};
    struct gpu *g = NULL;
    const char *source = NULL;
    enum tensor_type type = TENSOR_TYPE_COUNT;
    double work[TENSOR_TYPE_COUNT] = {0};
    assert_true(gpu_load(&a, "h200", &g, &err));
    assert_true(tensor_type_of("", &type) && type == TENSOR_BF16);
    assert_true(tensor_type_of("f16", &type) && type == TENSOR_BF16);
    assert_true(tensor_type_of("fp8", &type) && type == TENSOR_FP8);
    assert_false(tensor_type_of("fp", &type));
    double bf16 = tensor_rate(g, work, &source);
    assert_true(bf16 == g->value[GPU_FIELD_tensor_bf16_tflops] * 1000);
    work[TENSOR_FP8] = 3e9;
    assert_true(fabs(tensor_rate(g, work, &source) / 1979e3 - 1) < 1e-9);
    assert_ptr_equal(source, g->source[GPU_FIELD_tensor_fp8_tflops]);
    work[TENSOR_BF16] = 3e9; // half of it at twice the rate
    assert_true(fabs(tensor_rate(g, work, &source) * (1 / bf16 + 1 / 1979e3) - 2) < 1e-9);
    g->value[GPU_FIELD_tensor_fp8_tflops] = (double)NAN;
    assert_true(fabs(tensor_rate(g, work, &source) / bf16 - 1) < 1e-9);
    arena_release(&a);
}

static void sentences_are_in_the_words_of_the_chips_vendor(void **state)
{
    (void)state;
    struct arena a = {0};
    struct error err = {0};
    struct gpu *nvidia, *amd;
    static const char *const rows[][2] = {
        {"Warps wait; more blocks to an SM", "Waves wait; more work-groups to a CU"},
        {"Shared memory of all SMs, a warp's lanes", "LDS of all CUs, a wave's lanes"},
        {"The last of 2 waves of blocks; L2 blocking, warp_instructions",
         "The last of 2 rounds of work-groups; L2 blocking, warp_instructions"},
    };
    assert_true(gpu_load(&a, "h200", &nvidia, &err) && gpu_load(&a, "mi300x", &amd, &err));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_ptr_equal(gpu_say(&a, nvidia, rows[i][0]), rows[i][0]);
        assert_string_equal(gpu_say(&a, amd, rows[i][0]), rows[i][1]);
    }
    assert_null(gpu_say(&a, amd, NULL));
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensor_types_have_rates_of_their_own),
        cmocka_unit_test(sentences_are_in_the_words_of_the_chips_vendor),
        cmocka_unit_test(parse_reads_identity_figures_and_sources),
        cmocka_unit_test(parse_rejects_an_unknown_key_with_a_suggestion),
        cmocka_unit_test(parse_rejects_a_missing_required_field),
        cmocka_unit_test(parse_rejects_a_figure_without_source_or_value),
        cmocka_unit_test(parse_rejects_figures_that_can_not_be),
        cmocka_unit_test(compute_capability_is_of_nvidias_chips_only),
        cmocka_unit_test(parse_points_at_the_value),
        cmocka_unit_test(shared_reserve_may_be_nothing),
        cmocka_unit_test(every_shipped_chip_loads),
        cmocka_unit_test(figures_of_the_simulation_are_needed_of_simulated_chips_only),
        cmocka_unit_test(load_of_an_unknown_chip_lists_those_there_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
