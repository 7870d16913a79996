// `flags:` of an experiment: what is understood, what each compiler is given, and what is refused with an answer.
// SPDX-License-Identifier: Apache-2.0
#include "device/support.h"

static bool read_flags(struct arena *a, const char *const *flags, int count, struct flag_set *out,
                       struct error *err)
{
    struct compile_request r = {.flags = flags, .flag_count = count, .flags_directory = "/usr"};
    return flags_read(a, &r, out, err);
}

static void nvccs_spellings_are_understood(void **state)
{
    static const char *const flags[] = {"-I",
                                        "include",
                                        "-I/usr/lib",
                                        "-DA=1",
                                        "-D",
                                        "B",
                                        "--use_fast_math",
                                        "-maxrregcount=32",
                                        "-std",
                                        "c++14",
                                        "--fmad=false",
                                        "-O3",
                                        "-lineinfo",
                                        "--expt-relaxed-constexpr"};
    struct arena a = {0};
    struct flag_set f;
    struct error err = {0};
    if (!read_flags(&a, flags, COUNT_OF(flags), &f, &err))
        fail_msg("%s", err.message);
    assert_int_equal(f.folder_count, 2);
    assert_string_equal(f.folders[0], "/usr/include");
    assert_string_equal(f.folders[1], "/usr/lib");
    assert_int_equal(f.define_count, 2);
    assert_string_equal(f.defines[0], "A=1");
    assert_string_equal(f.defines[1], "B");
    assert_true(f.fast_functions && f.ftz && f.approximate_division && f.approximate_root);
    assert_true(f.no_contraction);
    assert_int_equal(f.max_registers, 32);
    assert_string_equal(f.standard, "c++14");
    arena_release(&a);
}

static void what_is_not_understood_is_refused(void **state)
{
    static const struct {
        const char *flag, *says;
    } rows[] = {
        {"-arch=sm_90", "the flag '-arch=sm_90': the device says which architecture"},
        {"-lcublas", "the flag '-lcublas': it is for the linker; leave it out"},
        {"-Xcompiler", "it is for the host's compiler"},
        {"--use_fast_maths", "unknown flag '--use_fast_maths' (did you mean '--use_fast_math'?)"},
        {"--maxrregcount=7", "maxrregcount is a number from 16 to 255, not '7'"},
        {"-std=c++98", "std is c++11, c++14, c++17 or c++20, not 'c++98'"},
        {"--ftz=maybe", "the flag '--ftz=maybe' is true or false, not 'maybe'"},
        {"-Inowhere", "the folder '/usr/nowhere' of the flag -I does not exist"},
        {"fast", "unknown flag 'fast'; the flags are -I -D --use_fast_math"},
        {"-I", "unknown flag '-I'"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct arena a = {0};
        struct flag_set f;
        struct error err = {0};
        assert_false(read_flags(&a, &rows[i].flag, 1, &f, &err));
        if (!strstr(err.message, rows[i].says))
            fail_msg("'%s' says:\n%s", rows[i].flag, err.message);
        assert_int_equal(err.kind, ERROR_INPUT);
        arena_release(&a);
    }
}

static const char *compile_with(struct arena *a, const char *compiler, const char *const *flags,
                                int count, char key[33])
{
    need_compiler(a, compiler);
    const char *path = write_source(a, make_folder(a), "f.cu",
                                    "extern \"C\" __global__ void k(float *p)\n{\n"
                                    "    p[0] = sinf(p[1]) / sqrtf(p[2]);\n}\n");
    struct compile_request r = request_for(path, compiler);
    struct code_object out;
    struct error err = {0};
    r.flags = flags;
    r.flag_count = count;
    if (!code_compile(a, &r, &out, &err))
        fail_msg("%s", err.message);
    memcpy(key, out.key, sizeof out.key);
    return out.bytes;
}

static void check_compiler(const char *compiler)
{
    static const char *const fast[] = {"--use_fast_math", "-maxrregcount=40"};
    struct arena a = {0};
    char keys[2][33];
    const char *precise = compile_with(&a, compiler, NULL, 0, keys[0]);
    const char *quick = compile_with(&a, compiler, fast, 2, keys[1]);
    assert_null(strstr(precise, "sin.approx"));
    assert_null(strstr(precise, ".maxnreg"));
    assert_non_null(strstr(quick, "sin.approx"));
    assert_non_null(strstr(quick, "div.approx"));
    assert_non_null(strstr(quick, "sqrt.approx"));
    assert_non_null(strstr(quick, ".maxnreg 40"));
    assert_string_not_equal(keys[0], keys[1]);
    arena_release(&a);
}

static void clang_is_given_them(void **state)
{
    check_compiler("clang");
}

static void nvrtc_is_given_them(void **state)
{
    check_compiler("nvrtc");
}

static void nvcc_is_given_them(void **state)
{
    check_compiler("nvcc");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nvccs_spellings_are_understood),
        cmocka_unit_test(what_is_not_understood_is_refused),
        cmocka_unit_test(clang_is_given_them),
        cmocka_unit_test(nvrtc_is_given_them),
        cmocka_unit_test(nvcc_is_given_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
