// What a variant may call of a library, held against the backends' tables: messages to the letter, with
// line and column, and sizes of matrices in a case.
// SPDX-License-Identifier: Apache-2.0
#include "device/support.h"

#include "device/cuda/cuda.h"
#include "support/mistakes.h"

static const char right[] = "experiment: copy\n"                                   // 1
                            "title: A copy\n"                                      // 2
                            "source: scale.cu\n"                                   // 3
                            "params: {N: [4, 8]}\n"                                // 4
                            "buffers:\n"                                           // 5
                            "  in: {type: f32, count: N, fill: 'uniform(-1,1)'}\n" // 6
                            "  out: {type: f32, count: N}\n"                       // 7
                            "variants:\n"                                          // 8
                            "  - name: peer\n"                                     // 9
                            "    library: cublas:geam\n"                           // 10
                            "    args: {a: in, c: out, m: 2, n: N/2}\n"            // 11
                            "  - name: plug-in\n"                                  // 12
                            "    library: plug.so:double_f32\n"                    // 13
                            "    args: [out, in, N]\n";                            // 14

static const char path[] = "tests/cli/scale/copy.yaml";
static const struct mistake rows[] = {
    {"cublas:geam", "cubals:geam", 10, 14, "unknown library 'cubals' (did you mean 'cublas'?)"},
    {"plug.so:double_f32", "plug:double_f32", 13, 14,
     "unknown library 'plug': 'library' is written cublas:FUNCTION or FILE.so:FUNCTION"},
    {"[out, in, N]", "{a: out}", 14, 11,
     "'plug.so:double_f32' takes its arguments in a list, as a kernel has them: args: [BUFFER, …]"},
    {"a: in, c", "a: inn, c", 11, 15, "unknown buffer 'inn' (did you mean 'in'?)"},
    {"n: N/2}", "n: M}", 11, 36, "unknown buffer or parameter 'M' (known: in, out, N)"},
    {"n: N/2}", "n: N/2, trans: true}", 11, 41,
     "unknown key 'trans' in 'args' of 'cublas:geam' (did you mean 'transa'?)"},
    {"n: N/2}", "n: N/2, alpha: in}", 11, 48, "'alpha' must be a number"},
    {"cublas:geam", "cublas:gaem", 10, 14,
     "ridge does not call 'cublas:gaem' (did you mean 'geam'?)"},
    {"cublas:geam", "cublas:strsm_batched", 10, 14,
     "ridge does not call 'cublas:strsm_batched'; it calls geam, sgemm, dgemm, gemm_ex of cuBLAS"},
    {"{a: in, c: out, m: 2, n: N/2}", "[in, out]", 11, 11,
     "'cublas:geam' takes named arguments: args: {a: BUFFER, …} for c = alpha op(a) + beta op(b)"},
    {"    args: {a: in, c: out, m: 2, n: N/2}\n", "", 10, 14,
     "'cublas:geam' takes named arguments: args: {a: BUFFER, …} for c = alpha op(a) + beta op(b)"},
    {"c: out, m: 2", "c: out, k: 2", 11, 27,
     "unknown key 'k' in 'args' of 'cublas:geam' (known: a, b, c, m, n, transa, transb, alpha, "
     "beta)"},
    {"c: out, m: 2", "m: 2", 11, 11,
     "'args' of 'cublas:geam' (c = alpha op(a) + beta op(b)) must have 'c'"},
    {"{a: in, c: out", "{a: 3, c: out", 11, 15, "'a' must be a buffer"},
    {"m: 2, n: N/2", "m: in, n: N/2", 11, 30, "'m' must be a number"},
    {"n: N/2}", "n: N/2, transa: 1}", 11, 49, "'transa' must be true or false, not '1'"},
    {"n: N/2}", "n: N/2, beta: 1}", 11, 47,
     "'beta' of 'cublas:geam' scales 'b', which is not given"},
    {"in: {type: f32", "in: {type: f64", 11, 22,
     "'a' is f64, but buffer 'out' is f32: 'cublas:geam' takes one type"},
    {"in: {type: f32", "in: {type: u8", 11, 15,
     "'cublas:geam' takes matrices of f32 f64, and buffer 'in' is u8"},
    {"cublas:geam", "cublas:sgemm", 11, 11,
     "'args' of 'cublas:sgemm' (c = alpha op(a) op(b) + beta c) must have 'b'"},
    {"cublas:geam\n    args: {a: in, c: out, m: 2, n: N/2}",
     "cublas:sgemm\n    args: {a: in, b: in, c: out, m: 2, n: 2, k: 2, math: f16}", 11, 58,
     "'math' is f32 or tf32, not 'f16'"},
};

static struct arena arena;
static struct experiment *e;
static struct error err;

// The file is read whatever the library; what is said of that is checked.
static bool check_named(struct arena *a, const char *name, const char *text, struct error *said)
{
    if (!experiment_parse(a, name, text, strlen(text), &e, said))
        fail_msg("not read: %s", said->message);
    return libraries_check(a, e, said);
}

static bool check(const char *text)
{
    error_clear(&err);
    return check_named(&arena, path, text, &err);
}

static void file_that_is_right_is_accepted(void **state)
{
    if (!check(right))
        fail_msg("%s", err.message);
    arena_release(&arena);
}

static void each_mistake_is_said_to_the_letter(void **state)
{
    mistakes_are_said(&arena, path, right, rows, COUNT_OF(rows), check_named);
    arena_release(&arena);
}

// The first variant in the first case, N=4.
static bool check_case(const char *what, const char *instead)
{
    struct case_point *cases = NULL;
    struct resolved_variant v;
    struct resolved_case c;
    const struct device_facts device = {.cc = 9};
    const struct mistake m = {what, instead, 0, 0, ""};
    int count = 0;
    if (!check(with_mistake(&arena, right, &m)) ||
        !experiment_cases(&arena, e, NULL, 0, &cases, &count, &err) ||
        !experiment_resolve_case(&arena, e, &cases[0], &device, &c, &err) ||
        !experiment_resolve_variant(&arena, e, 0, &cases[0], &device, &v, &err))
        fail_msg("%s", err.message);
    return libraries_check_case(&c, &v, &err);
}

static void refused_in_case(const char *what, const char *instead, const char *message)
{
    assert_false(check_case(what, instead));
    if (!strstr(err.message, message))
        fail_msg("'%s' is not in: %s", message, err.message);
}

static void a_matrix_larger_than_its_buffer_is_refused(void **state)
{
    assert_true(check_case("n: N/2", "n: N/2"));
    refused_in_case("m: 2, n: N/2", "m: N, n: N",
                    "copy.yaml:11:15: 'a' has 4 x 4 elements with N=4, and buffer 'in' only 4");
    refused_in_case("n: N/2", "n: 0", "'n' is 0 with N=4; it must be a whole number from 1 to");
    refused_in_case("n: N/2", "n: N/2.5", "'n' is 1.6 with N=4; it must be a whole number");
    refused_in_case("n: N/2", "n: -1", "'n' is -1 with N=4; it must be a whole number from 1 to");
    arena_release(&arena);
}

static void each_function_and_argument_is_found_by_its_name(void **state)
{
    assert_int_equal(cublas_function_of("gemm_ex"), CUBLAS_GEMM_EX);
    assert_int_equal(cublas_function_of("gemm"), CUBLAS_FUNCTION_COUNT);
    assert_int_equal(cublas_argument_of("math"), CUBLAS_ARGUMENT_MATH);
    assert_int_equal(cublas_argument_of("mathe"), CUBLAS_ARGUMENT_COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(file_that_is_right_is_accepted),
        cmocka_unit_test(each_mistake_is_said_to_the_letter),
        cmocka_unit_test(a_matrix_larger_than_its_buffer_is_refused),
        cmocka_unit_test(each_function_and_argument_is_found_by_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
