// Experiment files: what is read, what is refused and in which words, and the data of a case.
// SPDX-License-Identifier: Apache-2.0
#include "experiment/experiment.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#undef fail

static char folder[64];
static struct arena arena;
static struct error err;
static struct experiment *e;

static const char good[] =
    "experiment: copy\nsource: k.cu\nreference: r.c:ref\nparams: {N: [4, 8]}\n"
    "buffers:\n  in: {type: f32, count: N, fill: 'uniform(-1,1)'}\n"
    "  out: {type: f32, count: N, output: true}\nwork: {bytes: 8*N, flops: 0}\n"
    "variants:\n  - {name: a, kernel: k, grid: 'ceil_div(N-4,4)', block: 4, args: [out, in, N]}\n"
    "  - {name: b, from: a, expect: {time: -50%, x: '>= 90'}, kernel: k, grid: 1, block: 4, args: "
    "[out, in, N]}\n";

static void put(const char *name, const char *text)
{
    struct error ignored = {0};
    assert_true(file_write(path_join(&arena, folder, name), text, strlen(text), &ignored));
}

static int setup(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof folder, "/tmp/ridge_experiment_XXXXXX");
    assert_non_null(mkdtemp(folder));
    assert_int_equal(setenv("RIDGE_CACHE", folder, 1), 0);
    put("k.cu", "");
    put("r.c",
        "void ref(float *o, const float *i, int n) { for (int k = 0; k < n; k++) o[k] = i[k]; }\n");
    error_clear(&err);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    const char *const argv[] = {"rm", "-rf", folder, NULL};
    struct process_spec spec = {.argv = argv};
    struct process_result result = {0};
    struct error ignored = {0};
    (void)!process_run(&spec, &result, &ignored);
    process_result_release(&result);
    arena_release(&arena);
    return 0;
}

static bool load(const char *text)
{
    put("experiment.yaml", text);
    return experiment_load(&arena, folder, &e, &err);
}

static void refused(const char *extra, const char *message)
{
    assert_false(load(arena_printf(&arena, "%s%s", good, extra)));
    assert_non_null(strstr(err.message, message));
    assert_int_equal(err.kind, ERROR_INPUT);
}

static struct value evaluate(const char *text)
{
    const struct scope none = {0};
    struct expression *x = NULL;
    struct value v = {0};
    assert_true(expression_parse(&arena, text, NOWHERE, &x, &err));
    assert_true(expression_evaluate(x, &none, &v, &err));
    return v;
}

static void expressions_have_the_usual_precedence(void **state)
{
    (void)state;
    assert_int_equal(evaluate("1 + 2 * 3 - 8 / 3").i, 5);
    assert_int_equal(evaluate("ceil_div(33, 32) + max(2, -3) + pow(2, 10)").i, 1028);
    assert_int_equal(evaluate("1 < 2 && !(3 == 4) ? 7 : 1/0").i, 7);
    assert_true(evaluate("7 / 2.0").d == 3.5);
}

static void overflow_is_an_error(void **state)
{
    (void)state;
    const struct scope none = {0};
    struct expression *x = NULL;
    struct value v = {0};
    assert_true(expression_parse(&arena, "9223372036854775807 + 1", NOWHERE, &x, &err));
    assert_false(expression_evaluate(x, &none, &v, &err));
    assert_string_equal(err.message,
                        "the expression '9223372036854775807 + 1' overflows a 64-bit integer");
}

static void a_bad_expression_is_refused_with_its_place(void **state)
{
    (void)state;
    struct expression *x = NULL;
    assert_false(expression_parse(&arena, "N * ", NOWHERE, &x, &err));
    assert_string_equal(err.message,
                        "the expression 'N * ' ends where a number, a name or '(' is expected");
}

static void an_unknown_key_is_refused_with_a_suggestion(void **state)
{
    (void)state;
    refused("  - {name: c, kernel: k, gird: 1, block: 4}\n", "unknown key 'gird'");
    assert_non_null(strstr(err.message, "did you mean 'grid'?"));
}

static void an_unknown_buffer_is_refused_with_a_suggestion(void **state)
{
    (void)state;
    refused("  - {name: c, kernel: k, grid: 1, block: 4, args: [outt]}\n",
            ":12:52: unknown buffer or parameter 'outt' (did you mean 'out'?)");
}

static void axes_of_tune_must_make_sense(void **state)
{
    (void)state;
#define REST "kernel: k, grid: 1, block: 4}\n"
    refused("  - {name: c, tune: {T: [1]}, " REST,
            "nothing of the variant names 'T', so its values change nothing");
    refused("  - {name: c, tune: {T: []}, defines: {T: 1}, " REST, "'T' in 'tune' must have 1 to");
    refused("  - {name: c, tune: {T: [1, 1]}, defines: {T: 1}, " REST,
            "'T' in 'tune' must not have the value 1 twice");
    refused("  - {name: c, tune: {T: [1, 2]}, defines: {T: 3}, " REST,
            "the define 'T' must be one of its values in 'tune'");
    refused("  - {name: c, tune: {N: [1]}, defines: {N: 1}, " REST,
            "'N' in 'tune' must be a name of its own");
    refused("  - {name: c, tune: {T: ['a b']}, defines: {T: 1}, " REST,
            "a value must be a number or a word");
    refused("  - {name: c, where: T > 1, " REST, "'where' needs 'tune'");
    refused("  - {name: c, kernel: 'k<{T}>', grid: 1, block: 4}\n",
            "'{T}' must be an axis of the variant's 'tune'");
#undef REST
}

// No args at all: "(, those of the first kernel …)" it said.
static void outputs_without_arguments_say_that_there_are_none(void **state)
{
    (void)state;
    struct arena a = {0};
    static const char text[] = "experiment: x\ntitle: x\nsource: scale.cu\n"
                               "reference: reference.c:scale_ref\n"
                               "buffers: {y: {type: f32, count: 4, output: true}}\n"
                               "work: {bytes: 1, flops: 0}\n"
                               "variants: [{name: v, kernel: k, grid: 1, block: 4}]\n";
    assert_false(experiment_parse(&a, "tests/cli/scale/x.yaml", text, strlen(text), &e, &err));
    assert_non_null(strstr(err.message, "among the arguments of the reference 'scale_ref' (none, "
                                        "those of the first kernel of variant 'v')"));
    arena_release(&a);
}

static void from_must_name_an_earlier_variant(void **state)
{
    (void)state;
    refused("  - {name: c, from: d, kernel: k, grid: 1, block: 4}\n",
            "unknown earlier variant 'd' (known: ");
}

static void expectations_become_bounds(void **state)
{
    (void)state;
    assert_true(load(good));
    assert_int_equal(e->variants[1].expectations[0].kind, EXPECT_CHANGE);
    assert_true(e->variants[1].expectations[0].low == -0.5);
    assert_int_equal(e->variants[1].expectations[1].kind, EXPECT_VALUE);
    assert_true(e->variants[1].expectations[1].low == 90);
}

static void cases_are_the_values_of_the_axes(void **state)
{
    (void)state;
    struct case_point *cases = NULL;
    int count = 0;
    const char *const overrides[] = {"N=1,2,3"};
    assert_true(load(good));
    assert_true(experiment_cases(&arena, e, overrides, 1, &cases, &count, &err));
    assert_int_equal(count, 3);
    assert_string_equal(cases[1].label, "N=2");
}

static void a_grid_of_no_blocks_is_refused_with_its_value(void **state)
{
    (void)state;
    struct case_point *cases = NULL;
    int count = 0;
    struct resolved_variant v;
    const struct device_facts device = {.cc = 9};
    assert_true(load(good));
    assert_true(experiment_cases(&arena, e, NULL, 0, &cases, &count, &err));
    assert_false(experiment_resolve_variant(&arena, e, 0, &cases[0], &device, &v, &err));
    assert_non_null(
        strstr(err.message,
               "grid is 0 blocks in x (it must be 1 to 2147483647): ceil_div(N-4,4) with N=4"));
}

static bool resolve_last(const char *variant, struct resolved_variant *v)
{
    struct case_point *cases = NULL;
    int count = 0;
    const struct device_facts device = {.cc = 9};
    assert_true(load(arena_printf(&arena, "%s%s", good, variant)));
    assert_true(experiment_cases(&arena, e, NULL, 0, &cases, &count, &err));
    return experiment_resolve_variant(&arena, e, e->variant_count - 1, &cases[0], &device, v, &err);
}

static const char tuned[] = "  - name: c\n"
                            "    defines: {TILE: 16, SIZE: TILE*B, T: float}\n"
                            "    tune: {TILE: [8, 16, 32], B: [2, 4], T: [float, double]}\n"
                            "    where: [TILE*B <= 64, N % B == 0]\n"
                            "    kernel: 'k<{T}, {TILE}>'\n"
                            "    grid: ceil_div(N,B)\n"
                            "    block: [B, TILE]\n"
                            "    args: [out, in, B]\n";

static void without_a_choice_a_variant_is_what_its_defines_and_first_values_say(void **state)
{
    (void)state;
    struct resolved_variant v;
    assert_true(resolve_last(tuned, &v));
    assert_string_equal(v.launches[0].kernel, "k<float, 16>");
    assert_int_equal(v.launches[0].block[0], 2);
    assert_int_equal(v.launches[0].block[1], 16);
    assert_string_equal(v.defines[0], "TILE=16");
    assert_string_equal(v.defines[1], "SIZE=32");
    assert_string_equal(v.defines[2], "T=float");
    assert_int_equal(v.define_count, 3);
}

static void a_choice_goes_into_defines_expressions_and_kernels_names(void **state)
{
    (void)state;
    struct resolved_variant v;
    struct case_point *cases = NULL;
    struct choice_list list;
    int count = 0;
    assert_true(load(arena_printf(&arena, "%s%s", good, tuned)));
    assert_true(experiment_cases(&arena, e, NULL, 0, &cases, &count, &err));
    int last = e->variant_count - 1;
    assert_true(experiment_choices(&arena, e, last, &cases[0], NULL, &list, &err));
    assert_int_equal(list.product, 12);
    assert_int_equal(list.count, 10); // TILE=32 B=4 is beyond 64
    const uint16_t *choice = &list.items[(list.count - 1) * 3];
    assert_string_equal(choice_label(&arena, &e->variants[last], choice), "TILE=32 B=2 T=double");
    struct experiment *x = experiment_at_choices(&arena, e, last, choice, 1);
    assert_int_equal(x->variant_count, e->variant_count + 1);
    assert_string_equal(x->variants[last + 1].name, "c[TILE=32 B=2 T=double]");
    assert_true(experiment_resolve_variant(&arena, x, last + 1, &cases[0], NULL, &v, &err));
    assert_string_equal(v.launches[0].kernel, "k<double, 32>");
    assert_int_equal(v.launches[0].block[1], 32);
    assert_string_equal(v.defines[1], "SIZE=64");
    // The experiment itself is as it was.
    assert_string_equal(e->variants[last].launches[0].kernel, "k<float, 16>");
}

static void a_library_s_call_has_named_arguments_as_they_are_written(void **state)
{
    (void)state;
    struct resolved_variant v;
    int64_t n = 0;
    double alpha = 0;
    assert_true(resolve_last("  - {name: c, library: 'lapack:svd', args: {n: N/2, alpha: 1/2.0, "
                             "a: in, upper: true, how: fast}}\n",
                             &v));
    const struct resolved_launch *l = &v.launches[0];
    assert_int_equal(l->kind, LAUNCH_LIBRARY);
    assert_string_equal(l->library->text, "lapack:svd");
    assert_string_equal(l->library->name, "lapack");
    assert_string_equal(l->library->function, "svd");
    assert_int_equal(l->arg_count, 5);
    assert_string_equal(l->args[0].name, "n");
    assert_int_equal(l->args[0].type, ELEMENT_I64);
    memcpy(&n, l->args[0].value, sizeof n);
    assert_int_equal(n, 2);
    assert_int_equal(l->args[1].type, ELEMENT_F64);
    memcpy(&alpha, l->args[1].value, sizeof alpha);
    assert_true(alpha == 0.5);
    assert_int_equal(l->args[2].kind, ARGUMENT_BUFFER);
    assert_int_equal(l->args[2].buffer, 0);
    assert_int_equal(l->args[3].kind, ARGUMENT_WORD);
    assert_string_equal(l->args[3].text, "true");
    assert_string_equal(l->args[4].text, "fast");
}

static void an_address_may_lie_within_a_buffer(void **state)
{
    (void)state;
    struct resolved_variant v;
    assert_true(
        resolve_last("  - {name: c, kernel: k, grid: 1, block: 4, args: [{value: out, offset: "
                     "4*N-4}, {struct: [{value: in, offset: 4}]}, N]}\n",
                     &v));
    const uint64_t addresses[] = {0x1000, 0x2000};
    uint64_t field = 0;
    assert_int_equal(v.launches[0].args[0].inside_bytes, 12);
    struct_store(v.launches[0].args[1].fields, addresses, (uint8_t *)&field);
    assert_int_equal(field, 0x1004);
    assert_false(resolve_last("  - {name: c, kernel: k, grid: 1, block: 4, args: [{value: out, "
                              "offset: 4*N+1}, in, N]}\n",
                              &v));
    assert_non_null(strstr(err.message, "'offset' is 17 with N=4: buffer 'out' has 16 bytes"));
    refused("  - {name: c, kernel: k, grid: 1, block: 4, args: [out, in, {value: N, offset: 4}]}\n",
            "'offset' goes with a buffer");
    refused("  - {name: c, library: 'lapack:svd', args: [{value: in, offset: 4}]}\n",
            "a library takes whole buffers");
}

static void a_library_s_call_may_have_a_list_as_a_kernel_has(void **state)
{
    (void)state;
    struct resolved_variant v;
    assert_true(
        resolve_last("  - {name: c, library: 'sub/x.so:sum_f32', args: [out, in, N]}\n", &v));
    const struct library_call *call = v.launches[0].library;
    assert_string_equal(call->name, "sub/x.so");
    assert_string_equal(call->function, "sum_f32");
    assert_int_equal(v.launches[0].arg_count, 3);
    assert_null(v.launches[0].args[2].name);
    assert_int_equal(v.launches[0].args[2].type, ELEMENT_I32);
    assert_false(variant_has(v.spec, LAUNCH_KERNEL));
}

static void a_reference_needs_a_variant_with_a_kernel(void **state)
{
    (void)state;
    const char *start = arena_strndup(&arena, good, (size_t)(strstr(good, "  - {") - good));
    assert_false(load(arena_printf(&arena, "%s  - {name: c, library: 'x.so:f'}\n", start)));
    assert_non_null(strstr(err.message, "from the first variant with a kernel, and none has one"));
}

static void the_reference_writes_what_poison_did_not(void **state)
{
    (void)state;
    struct case_point *cases = NULL;
    int count = 0;
    struct resolved_reference r;
    struct resolved_case c;
    struct host_buffers got;
    struct host_buffers wanted;
    struct output_difference worst;
    const struct device_facts device = {.cc = 9};
    assert_true(load(good));
    assert_true(experiment_cases(&arena, e, NULL, 0, &cases, &count, &err));
    assert_true(experiment_resolve_case(&arena, e, &cases[1], &device, &c, &err));
    assert_true(experiment_resolve_reference(&arena, e, &cases[1], &device, &r, &err));
    assert_true(buffers_fill(e, &c, &cases[1], 1, &got, &err));
    assert_true(buffers_fill(e, &c, &cases[1], 1, &wanted, &err));
    struct reference_code code = {0};
    assert_true(reference_build(&arena, e, 60, &code, &err));
    assert_true(reference_run(e, &code, &r, 0, &wanted, &err));
    reference_release(&code);
    assert_false(outputs_compare(e, &c, &got, &wanted, &worst));
    assert_int_equal(worst.unwritten_count, 8);
    assert_true(outputs_compare(e, &c, &wanted, &wanted, &worst));
    buffers_release(&got);
    buffers_release(&wanted);
}

static void the_compiler_of_the_reference_may_have_arguments(void **state)
{
    (void)state;
    struct case_point *cases = NULL;
    int count = 0;
    struct resolved_reference r;
    struct resolved_case c;
    struct host_buffers wanted;
    const struct device_facts device = {.cc = 9};
    assert_int_equal(setenv("CC", "  cc  -O1 ", 1), 0);
    assert_true(load(good));
    assert_true(experiment_cases(&arena, e, NULL, 0, &cases, &count, &err));
    assert_true(experiment_resolve_case(&arena, e, &cases[1], &device, &c, &err));
    assert_true(experiment_resolve_reference(&arena, e, &cases[1], &device, &r, &err));
    assert_true(buffers_fill(e, &c, &cases[1], 1, &wanted, &err));
    struct reference_code code = {0};
    assert_true(reference_build(&arena, e, 60, &code, &err));
    assert_true(reference_run(e, &code, &r, 0, &wanted, &err));
    reference_release(&code);
    buffers_release(&wanted);
    assert_int_equal(unsetenv("CC"), 0);
}

static void a_given_value_keeps_the_kind_of_the_axis(void **state)
{
    (void)state;
    struct case_point *cases = NULL;
    int count = 0;
    const char *const whole[] = {"N=1e3"};
    const char *const third[] = {"s=3"};
    assert_true(load(good));
    assert_false(experiment_cases(&arena, e, whole, 1, &cases, &count, &err));
    put("experiment.yaml",
        "experiment: s\nsource: k.cu\nparams: {s: 0.5}\nbuffers: {x: {type: f32, count: 1}}\n"
        "variants: [{name: a, kernel: k, grid: 1, block: 1, args: [x, s]}]\n");
    error_clear(&err);
    assert_true(experiment_load(&arena, folder, &e, &err));
    assert_true(experiment_cases(&arena, e, third, 1, &cases, &count, &err));
    assert_false(cases[0].values[0].is_integer); // an f32 argument stays one
    assert_true(cases[0].values[0].d == 3);
    assert_string_equal(cases[0].label, "s=3");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* ---- docs/experiment.md ------------------------------------------------------------------------------- */

static char *page;

// cmocka's fail_msg needs its fail, which experiment.h has another of.
#define FAIL_WITH(...) (print_error(__VA_ARGS__), assert_true(false))

static void page_read(void)
{
    size_t size;
    assert_true(file_read("docs/experiment.md", 1 << 20, &page, &size, &err));
}

// In the section, per row "| `word` | `example that holds the word` |".
static void assert_documented(const char *section, const char *word)
{
    char heading[64], row[64];
    (void)snprintf(heading, sizeof heading, "\n## %s\n", section);
    (void)snprintf(row, sizeof row, "\n| `%s` | `", word);
    const char *begin = strstr(page, heading);
    if (begin == NULL) {
        FAIL_WITH("docs/experiment.md has no section '%s'", section);
        return;
    }
    const char *end = strstr(begin + 4, "\n## ");
    const char *found = strstr(begin, row);
    if (found == NULL || (end != NULL && found > end)) {
        FAIL_WITH("docs/experiment.md: '%s' is not documented in the section '%s'", word, section);
        return;
    }
    const char *example = found + strlen(row);
    const char *close = strchr(example, '`'), *inside = strstr(example, word);
    if (close == NULL || inside == NULL || inside > close) {
        FAIL_WITH("docs/experiment.md: the example of '%s' in '%s' does not show it", word,
                  section);
    }
}

static void every_word_of_the_schema_is_documented_with_an_example(void **state)
{
    (void)state;
    static const char *const
        section_TOP = "Top level",
        *const section_REFERENCE = "Reference", *const section_BUFFER = "Buffers",
        *const section_TOLERANCE = "Tolerance", *const section_WORK = "Work",
        *const section_VARIANT = "Variants", *const section_LAUNCH = "Launches",
        *const section_ARGUMENT = "Arguments", *const section_SET = "Variables of the source",
        *const section_LOOP = "Loops", *const section_STRUCT = "Structs",
        *const section_GATE = "Gate", *const section_PARALLEL = "Reference",
        *const section_TENSOR_MAP = "Tensor maps", *const section_TEXTURE = "Textures",
        *const section_SURFACE = "Surfaces", *const section_COPY = "Copies",
        *const section_PERSIST = "The L2's window", *const section_SPLIT = "Split";
    page_read();
#define KEY(place, key) assert_documented(section_##place, key);
#define FILL(id, name, args) assert_documented("Fills", name);
#define FUNCTION(name, args) assert_documented("Expressions", name);
#define FACT(name) assert_documented("Expressions", name);
#include "experiment/schema.def"
#undef KEY
#undef FILL
#undef FUNCTION
#undef FACT
    free(page);
}

// Nothing else is documented as a key: every row of the sections of keys is in the schema.
static void every_documented_key_is_one(void **state)
{
    (void)state;
    static const char *const words[] = {
#define KEY(place, key) key,
#define FILL(id, name, args) name,
#define FUNCTION(name, args) name,
#define FACT(name) name,
#include "experiment/schema.def"
#undef KEY
#undef FILL
#undef FUNCTION
#undef FACT
    };
    page_read();
    int rows = 0;
    for (const char *c = page; (c = strstr(c, "\n| `")) != NULL;) {
        c += 4;
        size_t length = strcspn(c, "`");
        bool known = false;
        for (size_t i = 0; i < COUNT_OF(words); i++) {
            known = known || (strlen(words[i]) == length && strncmp(words[i], c, length) == 0);
        }
        if (!known) {
            FAIL_WITH("docs/experiment.md: '%.*s' is no word of the schema", (int)length, c);
        }
        rows++;
    }
    assert_int_equal(rows, COUNT_OF(words));
    free(page);
}

static void the_example_of_the_page_is_an_experiment(void **state)
{
    (void)state;
    page_read();
    const char *begin = strstr(page, "```yaml\n");
    assert_non_null(begin);
    begin += strlen("```yaml\n");
    const char *text = arena_strndup(&arena, begin, (size_t)(strstr(begin, "```") - begin));
    put("scale.cu", "");
    put("reference.c", "void scale_ref(float *y, const float *x, float a, int n) {}\n");
    put("experiment.yaml", text);
    if (!experiment_load(&arena, folder, &e, &err)) {
        FAIL_WITH("%s", err.message);
    }
    assert_int_equal(e->variant_count, 2);
    free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_word_of_the_schema_is_documented_with_an_example),
        TEST(every_documented_key_is_one),
        TEST(the_example_of_the_page_is_an_experiment),
        TEST(expressions_have_the_usual_precedence),
        TEST(overflow_is_an_error),
        TEST(a_bad_expression_is_refused_with_its_place),
        TEST(an_unknown_key_is_refused_with_a_suggestion),
        TEST(an_unknown_buffer_is_refused_with_a_suggestion),
        TEST(axes_of_tune_must_make_sense),
        TEST(without_a_choice_a_variant_is_what_its_defines_and_first_values_say),
        TEST(a_choice_goes_into_defines_expressions_and_kernels_names),
        TEST(outputs_without_arguments_say_that_there_are_none),
        TEST(from_must_name_an_earlier_variant),
        TEST(expectations_become_bounds),
        TEST(cases_are_the_values_of_the_axes),
        TEST(a_grid_of_no_blocks_is_refused_with_its_value),
        TEST(a_library_s_call_has_named_arguments_as_they_are_written),
        TEST(an_address_may_lie_within_a_buffer),
        TEST(a_library_s_call_may_have_a_list_as_a_kernel_has),
        TEST(a_reference_needs_a_variant_with_a_kernel),
        TEST(the_reference_writes_what_poison_did_not),
        TEST(the_compiler_of_the_reference_may_have_arguments),
        TEST(a_given_value_keeps_the_kind_of_the_axis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
