// Patches of small kernels: what each maker writes, and what it refuses and why; diffs, and variants in experiment files.
// SPDX-License-Identifier: Apache-2.0
#include "advise/internal.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#undef fail
#include <cmocka.h>

static struct arena arena;
static char folder[] = "/tmp/ridge-advise-XXXXXX";

static void write_file(const char *name, const char *text)
{
    struct error err = {0};
    if (!file_write(path_join(&arena, folder, name), text, strlen(text), &err))
        fail_msg("%s", err.message);
}

static const char head[] =
    "experiment: e\ntitle: t\nsource: k.cu\nverify: self\nparams: {N: [1024]}\n"
    "buffers:\n  x: {type: f32, count: N, fill: iota}\n"
    "  y: {type: f32, count: N, fill: iota, output: true, tolerance: {rel: 1e-5}}\n"
    "work: {bytes: 8*N}\nvariants:\n";
static const char usual[] = "grid: [ceil_div(N,256)]\n    block: [256]\n    args: [y, x, N]";

// The patch that `maker` makes of the source's kernel k for a finding of this cause on the line with "HERE", or, without
// such a line, on none.
static struct counterfactuals
    replays;                     // of the result that is advised; none unless a test sets them
static struct facts facts;       // … of what was simulated
static struct patch_trial tried; // … of a patch; none without a maker
static struct patch *patch_of(const char *maker, const char *cause, const char *source,
                              const char *launch)
{
    struct error err = {0};
    struct experiment *e = NULL;
    write_file("k.cu", source);
    write_file("experiment.yaml",
               arena_printf(&arena, "%s  - name: v\n    kernel: k\n    %s\n", head, launch));
    if (!experiment_load(&arena, folder, &e, &err))
        fail_msg("%s", err.message);
    struct finding f = {.cause = cause, .title = "t", .expected_time_ns = 50, .line = 1};
    const char *here = strstr(source, "HERE");
    for (const char *p = source; here && p < here; p++)
        f.line += *p == '\n';
    f.file = here ? "k.cu" : NULL;
    struct result r = {.variant = "v", .status = RESULT_OK, .diagnosed = true};
    r.counterfactuals = replays;
    r.facts = facts;
    r.time = (struct time_result){.provenance = PROVENANCE_MODELLED, .summary = {.median = 100}};
    r.diagnosis.findings = &f;
    r.diagnosis.finding_count = 1;
    struct source_text kept = {e->source, source, strlen(source)};
    struct run run = {.results = &r, .result_count = 1, .sources = &kept, .source_count = 1};
    run.header.experiment_path = e->path;
    struct advice advice;
    advise_result(&arena, &run, e, &r, &advice);
    for (int i = 0; tried.maker && i < advice.count; i++)
        if (strcmp(advice.patches[i].maker, tried.maker) == 0)
            memcpy(tried.key, advice.patches[i].key, sizeof tried.key);
    if (tried.maker) {
        r.diagnosis.trials = &tried;
        r.diagnosis.trial_count = 1;
        advise_result(&arena, &run, e, &r, &advice);
    }
    for (int i = 0; i < advice.count; i++)
        if (strcmp(advice.patches[i].maker, maker) == 0)
            return &advice.patches[i];
    fail_msg("'%s' was not tried for %s", maker, cause);
    return NULL;
}

static const struct {
    const char *maker, *cause, *source, *launch;
    const char *wanted, *refusal; // in the patched source; or why there is none
} rows[] = {
#define KERNEL(body) "__global__ void k(float *y, const float *x, int n)\n{\n" body "\n}\n"
    {"pad", "conflicts", KERNEL("__shared__ float t[32][32]; y[n] = t[n][0]; // HERE"), usual,
     "__shared__ float t[32][32 + 1];", NULL},
    {"pad", "conflicts", KERNEL("__shared__ float t[4][W ? 2 : 4]; y[n] = t[n][0]; // HERE"), usual,
     "t[4][(W ? 2 : 4) + 1];", NULL},
    {"pad", "conflicts", KERNEL("__shared__ float t[1024]; y[n] = t[n]; // HERE"), usual, NULL,
     "one dimension"},
    {"pad", "conflicts",
     KERNEL("__shared__ float t[32][32]; float4 v = *(float4 *)&t[n][0]; // HERE"), usual, NULL,
     "by its address on line 3"},
    {"pad", "conflicts", KERNEL("__shared__ float t[32][32]; f(t); // HERE"), usual, NULL,
     "by its address"},
    {"pad", "conflicts", KERNEL("__shared__ char t[32][32]; y[n] = t[n][0]; // HERE"), usual, NULL,
     "no type of 4 or 8 bytes"},
    {"pad", "conflicts",
     "#define AT(i) t[i][0]\n" KERNEL("__shared__ float t[32][32]; y[n] = AT(n); // HERE"), usual,
     NULL, "a macro uses 't'"},
    {"pad", "conflicts", KERNEL("__shared__ float t[8][8], u[8]; y[n] = t[n][0]; // HERE"), usual,
     NULL, "no single array"},
    {"swizzle", "conflicts",
     "#define W 32\n" KERNEL("__shared__ float t[W][W]; y[n] = t[n + 1][n / 2]; // HERE"), usual,
     "t[n + 1][(n / 2) ^ (n + 1)]", NULL},
    {"swizzle", "conflicts", KERNEL("__shared__ float t[32][64]; y[n] = t[n][0]; // HERE"), usual,
     NULL, "no square"},
    {"swizzle", "conflicts", KERNEL("__shared__ float t[32][32]; y[n] = t[n++][0]; // HERE"), usual,
     NULL, "not plain"},
    {"suffix", "f64", KERNEL("y[n] = exp(0.5 * x[n]) + 1e-3 + 2 + 0x1e; // 1.5 HERE"), usual,
     "expf(0.5f * x[n]) + 1e-3f + 2 + 0x1e; // 1.5", NULL},
    {"suffix", "f64", KERNEL("y[n] = std::exp(x[n]) + 1.0f; // HERE"), usual, NULL, "no literal"},
    {"suffix", "f64", KERNEL("double s = 0.5; y[n] = s; // HERE"), usual, NULL,
     "'double' on line 3"},
    {"reciprocal", "special",
     "__global__ void k(float *y, const float *x, float s, int n)\n{\nfor (int i = 0; i < n; i++)\n"
     "y[i] = x[i] / s; // HERE\n}\n",
     "grid: [4]\n    block: [256]\n    args: [y, x, 2.5, N]", "y[i] = x[i] * s_reciprocal;", NULL},
    {"reciprocal", "special",
     KERNEL("float s = x[0];\nfor (int i = 0; i < n; i++) {\ny[i] = x[i] / s; // HERE\n}"), usual,
     "float s = x[0];\n    const float s_reciprocal = 1.0f / s;", NULL},
    {"reciprocal", "special",
     KERNEL("float s = x[0];\nfor (int i = 0; i < n; i++) {\ny[i] = x[i] / s; s += 1; // HERE\n}"),
     usual, NULL, "no division by an f32 variable"},
    {"intrinsic", "special", KERNEL("y[n] = expf(x[n]) + 1.0f / sqrtf(x[0]) + my.sinf(2); // HERE"),
     usual, "__expf(x[n]) + rsqrtf(x[0]) + my.sinf(2)", NULL},
    {"divisor", "division", KERNEL("y[0] = x[3 / n] + x[5 % n]; // HERE"), usual,
     "x[3 / (int)n_KNOWN] + x[5 % (int)n_KNOWN]", NULL},
    {"divisor", "division", KERNEL("n += 1; y[0] = x[3 / n]; // HERE"), usual, NULL, "no division"},
    {"sums", "chain",
     KERNEL("    float s = 0;\n    for (int i = 0; i < n; i += 2)\n        s += x[i] * x[i + 1]; "
            "// HERE\n    y[0] = s;"),
     usual, "s_3 += x[(i + 3 * (2))] * x[(i + 3 * (2)) + 1];", NULL},
    {"sums", "chain",
     KERNEL("    float s = 0;\n    for (int i = 0; i < n; i++)\n        s += x[i] * s; // HERE\n   "
            " y[0] = s;"),
     usual, NULL, "no plain"},
    {"sums", "chain",
     KERNEL("    float s = 0;\n    if (n)\n    for (int i = 0; i < n; i++)\n        s += x[i]; // "
            "HERE\n    y[0] = s;"),
     usual, NULL, "part of another statement"},
    {"unroll", "few-loads", KERNEL("  for (int i = 0; i < n; i++)\n    y[i] = x[i]; // HERE"),
     usual, "  #pragma unroll 8\n  for (int i", NULL},
    {"unroll", "few-loads",
     KERNEL("#pragma unroll 2\n  for (int i = 0; i < n; i++)\n    y[i] = x[i]; // HERE"), usual,
     NULL, "has a pragma already"},
    {"unroll", "few-loads", KERNEL("while (n--)\n    y[n] = x[n]; // HERE"), usual, NULL,
     "no `for`"},
    {"unroll", "few-loads", KERNEL("  for (int i = 0; y && i < n; i++)\n    y[0] += x[i]; // HERE"),
     usual, NULL, "tests in each round what no round changes"},
    {"unroll", "few-loads",
     KERNEL("  for (int i = 0; i < n && i < 2 * n; i++)\n    y[0] += x[i]; // HERE"), usual,
     "  #pragma unroll 8\n  for (int i", NULL},
    {"unroll", "few-loads",
     KERNEL("__shared__ float t[8][8];\n  for (int i = 0; i < n; i++)\n    t[i / 8][i % 8] = "
            "x[i]; // HERE"),
     usual, NULL, "fills shared memory"},
    {"unroll", "few-loads",
     KERNEL("__shared__ float t[8][8];\n  for (int i = 0; i < n; i++)\n    y[i] = t[i / 8][i % "
            "8]; // HERE"),
     usual, "  #pragma unroll 8\n  for (int i", NULL},
    {"restrict", "overhead", KERNEL("for (int i = 0; i < n; i++)\ny[0] += x[i]; // HERE"), usual,
     "k(float *__restrict__ y, const float *__restrict__ x, int n)", NULL},
    {"restrict", "overhead", KERNEL("for (int i = 0; i < n; i++)\ny[0] += x[i]; // HERE"),
     "grid: [4]\n    block: [256]\n    args: [y, y, N]", NULL, "the same buffer"},
    {"vector", "narrow",
     KERNEL("int i = blockIdx.x * blockDim.x + threadIdx.x;\nif (i < n) // HERE\ny[i] += x[i];"),
     usual, "y_4.one[i_k] += x_4.one[i_k];", NULL},
    {"vector", "narrow",
     KERNEL("int i = blockIdx.x * blockDim.x + threadIdx.x;\nif (i >= n) return; // HERE\ny[i] = "
            "x[i];"),
     usual, "((float4 *)y)[i] = y_4.all;", NULL},
    {"vector", "narrow",
     KERNEL("int i = blockIdx.x * blockDim.x + threadIdx.x;\nif (i < n) // HERE\ny[i] = x[i] + x[i "
            "+ 1];"),
     usual, NULL, "'x' is used on line 5 other than by the thread's own index"},
    {"vector", "narrow", KERNEL("int i = threadIdx.x;\nif (i < n) // HERE\ny[i] = x[i];"), usual,
     NULL, "not of the form"},
    {"block", "small-grid", KERNEL("y[n] = x[n]; // HERE"), usual, NULL, NULL},
    {"block", "small-grid", KERNEL("__shared__ float t[256]; y[n] = x[n]; // HERE"), usual, NULL,
     "rests on the size of its blocks"},
    {"block", "small-grid",
     "enum { TILE = 256 };\n" KERNEL(
         "int i = blockIdx.x * TILE + threadIdx.x; y[i] = x[i]; // HERE"),
     usual, NULL, "a constant in place of blockDim"},
    {"block", "small-grid", KERNEL("y[n] = x[n]; // HERE"),
     "grid: [ceil_div(N,128)]\n    block: [256]\n    args: [y, x, N]", NULL,
     "does not name the block's 256"},
    {"bounds", "occupancy", KERNEL("y[n] = x[n]; // HERE"), usual,
     "__global__ void __launch_bounds__(256, 4) k(", NULL},
    {"pad", "conflicts", "#define K k\n__global__ void K(float *y)\n{ y[0] = 1; } // HERE\n", usual,
     NULL, "does not show the kernel's definition"},
    {"pad", "conflicts", KERNEL("#if 1\n__shared__ float t[32][32]; // HERE\n#endif"), usual, NULL,
     "conditions of the preprocessor"},
    {"pad", "conflicts", "__device__ float f() { return 1; } // HERE\n" KERNEL("y[0] = f();"),
     usual, NULL, "not in the kernel's own text"},
};

static void each_maker_writes_what_it_says_or_refuses_with_a_reason(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct patch *p =
            patch_of(rows[i].maker, rows[i].cause, rows[i].source, rows[i].launch);
        if (rows[i].refusal && (p->title || !strstr(p->refusal, rows[i].refusal)))
            fail_msg("row %zu, %s: %s", i, rows[i].maker, p->title ? p->source : p->refusal);
        if (!rows[i].refusal && !p->title)
            fail_msg("row %zu, %s: refused: %s", i, rows[i].maker, p->refusal);
        if (rows[i].wanted && !strstr(p->source, rows[i].wanted))
            fail_msg("row %zu, %s:\n%s", i, rows[i].maker, p->source);
    }
}

static void a_launch_of_smaller_blocks_changes_grid_and_block(void **state)
{
    (void)state;
    const struct patch *p = patch_of("block", "small-grid", KERNEL("y[n] = x[n]; // HERE"), usual);
    assert_int_equal(p->key_count, 2);
    assert_null(p->source);
    assert_string_equal(p->keys[0].value, "[\"ceil_div(N,64)\"]");
    assert_string_equal(p->keys[1].value, "[64]");
}

static void diffs_are_unified_with_three_lines_around(void **state)
{
    (void)state;
    const char *before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n";
    const char *after = "1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n";
    assert_string_equal(edits_diff(&arena, before, after, "a/k", "b/k"),
                        "--- a/k\n+++ b/k\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"
                        "@@ -12,3 +12,4 @@\n 12\n 13\n 14\n+15\n");
    assert_string_equal(edits_diff(&arena, "x", "y", "a", "b"),
                        "--- a\n+++ b\n@@ -1,1 +1,1 @@\n-x\n\\ No newline at end of file\n+y\n"
                        "\\ No newline at end of file\n");
    assert_string_equal(edits_diff(&arena, before, before, "a", "b"), "");
}

// patch(1) makes the patched source of each diff.
static void diffs_are_what_patch_reads(void **state)
{
    (void)state;
    if (system("command -v patch >/dev/null") != 0)
        skip();
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct patch *p =
            patch_of(rows[i].maker, rows[i].cause, rows[i].source, rows[i].launch);
        char *patched = NULL;
        size_t size = 0;
        struct error err = {0};
        if (!p->source)
            continue;
        write_file("fix.diff", p->diff);
        const char *command = arena_printf(&arena, "cd %s && patch -s -p1 <fix.diff", folder);
        if (system(command) != 0 ||
            !file_read(path_join(&arena, folder, "k.cu"), 1 << 20, &patched, &size, &err))
            fail_msg("row %zu:\n%s", i, p->diff);
        assert_string_equal(patched, p->source);
        free(patched);
    }
}

static const char *inserted(const char *text, const char *of, const char **why)
{
    static const struct patch_key keys[] = {{"from", "a"}, {"grid", "[9]"}};
    struct yaml_node *root = NULL;
    struct error err = {0};
    *why = NULL;
    if (!yaml_parse(&arena, "e.yaml", text, strlen(text), &root, &err))
        fail_msg("%s", err.message);
    const struct yaml_node *list = yaml_get(root, "variants");
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(yaml_get(list->items[i], "name")->scalar, of) == 0)
            return variant_insert(&arena, text, root, list->items[i], "new", keys, 2, why);
    return NULL;
}

static void a_variant_is_written_behind_the_last_one(void **state)
{
    (void)state;
    const char *why;
    const char *text =
        "variants:\n  - name: a\n    hypothesis: >-\n      long\n      words\n    grid: [1]\n"
        "    args: [x,\n      y]\n\n  # of b\n  - kernel: k\n    name: b\n# the end\ngate: "
        "{percent: 3}\n";
    assert_string_equal(
        inserted(text, "a", &why),
        "variants:\n  - name: a\n    hypothesis: >-\n      long\n      words\n    grid: [1]\n"
        "    args: [x,\n      y]\n\n  # of b\n  - kernel: k\n    name: b\n"
        "\n  - name: new\n    from: a\n    grid: [9]\n    args: [x,\n      y]\n"
        "# the end\ngate: {percent: 3}\n");
    assert_non_null(strstr(inserted(text, "b", &why),
                           "  - name: new\n    from: a\n    grid: [9]\n    kernel: k\n"));
    assert_null(inserted("variants: [{name: a, kernel: k}]\n", "a", &why));
    assert_non_null(strstr(why, "one key per line"));
}

// A finding promises 50 ns of 100. The patch is worth what its own change was replayed to; where it has none, or does a
// part of it, the promise is the most that can be.
static void a_patch_is_priced_by_its_own_change(void **state)
{
    const char *loop = KERNEL("  for (int i = 0; i < n; i++)\n    y[i] = x[i]; // HERE");
    const char *row = KERNEL("__shared__ float t[32][32]; y[n] = t[n][0]; // HERE");
    (void)state;
    replays.as_is_ns = (struct figure){200, PROVENANCE_MODELLED};
    replays.time_ns[INTERVENTION_CONFLICTS] = (struct figure){140, PROVENANCE_MODELLED};
    replays.time_ns[INTERVENTION_LOADS] = (struct figure){20, PROVENANCE_MODELLED};
    const struct patch *pad = patch_of("pad", "conflicts", row, usual);
    assert_true(fabs(pad->expected_time_ns - 70) < 1e-9);
    assert_false(pad->at_most);
    assert_int_equal(pad->price, PRICE_REPLAY);
    const struct patch *unroll = patch_of("unroll", "few-loads", loop, usual);
    assert_true(unroll->expected_time_ns == 50);
    assert_true(unroll->at_most);
    replays = (struct counterfactuals){0};
    pad = patch_of("pad", "conflicts", row, usual);
    assert_true(pad->expected_time_ns == 50 && pad->at_most);
}

static void a_divisor_is_defined_without_its_type(void **state)
{
    (void)state;
    const struct patch *divisor =
        patch_of("divisor", "division", KERNEL("y[0] = x[3 / n]; // HERE"),
                 "grid: [1]\n    block: [1]\n    args: [y, x, u64 N/2]");
    assert_string_equal(divisor->keys[0].name, "defines");
    assert_string_equal(divisor->keys[0].value, "{n_KNOWN: \"N/2\"}");
}

// What was seen stands in place of what was promised; what is not right is not offered.
static void a_patch_that_was_tried_is_priced_by_its_trial(void **state)
{
    const char *row = KERNEL("__shared__ float t[32][32]; y[n] = t[n][0]; // HERE");
    (void)state;
    tried = (struct patch_trial){.maker = "pad", .verdict = TRIAL_LOSES, .time_ns = 105};
    const struct patch *pad = patch_of("pad", "conflicts", row, usual);
    assert_true(pad->trial && patch_usable(pad));
    assert_true(pad->sole && !pad->at_most);
    assert_int_equal(pad->price, PRICE_PATCH);
    assert_true(pad->expected_time_ns == 105);
    assert_null(patch_of("swizzle", "conflicts", row, usual)->trial); // another patch
    tried.verdict = TRIAL_WRONG;
    tried.time_ns = (double)NAN;
    pad = patch_of("pad", "conflicts", row, usual);
    assert_false(patch_usable(pad));
    assert_true(pad->expected_time_ns == 50);
    tried = (struct patch_trial){0};
}

// As one of the experiment's own, in memory: the launch is the patch's, and what it does not change is as before.
static void a_patch_is_a_variant_of_the_experiment(void **state)
{
    const char *grid = "grid: [ceil_div(N,512)]\n    block: [512]\n    args: [y, x, N]";
    struct error err = {0};
    struct experiment *e = NULL, *with = NULL;
    int variant = -1;
    (void)state;
    const struct patch *block = patch_of(
        "block", "small-grid",
        KERNEL("int i = blockIdx.x * blockDim.x + threadIdx.x; y[i] = x[i]; // HERE"), grid);
    assert_null(block->refusal);
    struct result r = {.variant = "v"};
    if (!experiment_load(&arena, folder, &e, &err) ||
        !advice_variant(&arena, e, &r, block, &with, &variant, &err))
        fail_msg("%s", err.message);
    assert_int_equal(with->variant_count, 2);
    assert_int_equal(variant, 1);
    assert_string_equal(with->variants[1].name, "v-block");
    assert_string_equal(with->variants[1].launches[0].kernel, "k");
    assert_int_equal(e->variant_count, 1);
    r.variant = "other";
    assert_false(advice_variant(&arena, e, &r, block, &with, &variant, &err));
    assert_non_null(strstr(err.message, "no variant 'other'"));
}

// On an H200 `#pragma unroll` made conv1d's naive kernel 2 % slower: eight loads of a thread were in flight before it.
static void a_loop_with_loads_in_flight_is_left_alone(void **state)
{
    const char *loop = KERNEL("  for (int i = 0; i < n; i++)\n    y[i] = x[i]; // HERE");
    (void)state;
    facts = (struct facts){.known = true, .provenance = PROVENANCE_SIMULATED};
    facts.value[FACT_LOAD_BATCHES] = 10;
    facts.value[FACT_LOADS_BATCHED] = 15;
    assert_null(patch_of("unroll", "few-loads", loop, usual)->refusal);
    facts.value[FACT_LOADS_BATCHED] = 78;
    assert_non_null(strstr(patch_of("unroll", "few-loads", loop, usual)->refusal,
                           "a thread has 7.8 loads in flight already"));
    facts = (struct facts){0};
}

static int folder_open(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int folder_close(void **state)
{
    (void)state;
    bool gone = system(arena_printf(&arena, "rm -r %s", folder)) == 0;
    arena_release(&arena);
    return gone ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_with_loads_in_flight_is_left_alone),
        cmocka_unit_test(a_patch_is_priced_by_its_own_change),
        cmocka_unit_test(a_divisor_is_defined_without_its_type),
        cmocka_unit_test(a_patch_that_was_tried_is_priced_by_its_trial),
        cmocka_unit_test(a_patch_is_a_variant_of_the_experiment),
        cmocka_unit_test(each_maker_writes_what_it_says_or_refuses_with_a_reason),
        cmocka_unit_test(a_launch_of_smaller_blocks_changes_grid_and_block),
        cmocka_unit_test(diffs_are_unified_with_three_lines_around),
        cmocka_unit_test(diffs_are_what_patch_reads),
        cmocka_unit_test(a_variant_is_written_behind_the_last_one),
    };
    return cmocka_run_group_tests(tests, folder_open, folder_close);
}
