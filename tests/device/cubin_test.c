// Lines of source by function and offset, from a cubin written by hand, cut off at every byte, and from one of nvcc's
// where that is here.
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cubin.h"
#include "device/cubin_file.h"
#include "device/support.h"

static void assert_line(const struct cubin_lines *c, const char *function, uint64_t offset,
                        int line)
{
    const struct dwarf_place *p = cubin_place_at(c, function, offset);
    assert_non_null(p);
    assert_string_equal(p->file, "/home/user/k.cu");
    assert_int_equal(p->line, line);
}

static void each_function_has_lines_of_its_own(void **state)
{
    struct arena a = {0};
    struct error err = {0};
    struct cubin_lines c;
    struct cubin_file_bytes b = {.count = 0};
    (void)state;
    cubin_file_write(&b, "one", "_Z3twoPf", "/home/user/k.cu");
    if (!cubin_lines_read(&a, b.data, b.count, &c, &err))
        fail_msg("%s", err.message);
    assert_line(&c, "one", 0, CUBIN_FIRST_LINE);
    assert_line(&c, "one", 0x10, CUBIN_FIRST_LINE);
    assert_line(&c, "one", 0x30, CUBIN_FIRST_LINE + 1);
    assert_line(&c, "_Z3twoPf", 0, CUBIN_SECOND_LINE);
    assert_line(&c, "_Z3twoPf", 0x20, CUBIN_SECOND_LINE + 1);
    assert_null(cubin_place_at(&c, "one", 0x40)); // beyond its end
    assert_null(cubin_place_at(&c, "one", UINT64_MAX));
    assert_null(cubin_place_at(&c, "three", 0));
    assert_true(cubin_has_function(&c, "one"));
    assert_false(cubin_has_function(&c, "three"));
    arena_release(&a);
}

static void a_cut_file_is_an_error(void **state)
{
    struct arena a = {0};
    struct error err = {0};
    struct cubin_lines c;
    struct cubin_file_bytes b = {.count = 0};
    (void)state;
    cubin_file_write(&b, "one", "two", "k.cu");
    for (size_t count = 0; count < b.count; count++) {
        char *cut = arena_alloc(&a, count + 1);
        memcpy(cut, b.data, count);
        assert_false(cubin_lines_read(&a, cut, count, &c, &err));
        assert_non_null(strstr(err.message, count < 64 ? "is no cubin" : "cut off"));
        error_clear(&err);
    }
    arena_release(&a);
}

static void without_a_line_table_there_are_no_places(void **state)
{
    struct arena a = {0};
    struct error err = {0};
    struct cubin_lines c;
    struct cubin_file_bytes b = {.count = 0};
    (void)state;
    cubin_file_write(&b, "one", "two", "k.cu");
    char *name = memmem(b.data, b.count, ".debug_line", 11);
    assert_non_null(name);
    name[1] = 'x';
    assert_true(cubin_lines_read(&a, b.data, b.count, &c, &err));
    assert_int_equal(c.places.count, 0);
    assert_true(cubin_has_function(&c, "one"));
    assert_null(cubin_place_at(&c, "one", 0));
    arena_release(&a);
}

static void lines_of_the_vendors_compiler_are_read(void **state)
{
    struct arena a = {0};
    struct error err = {0};
    struct cubin_lines c;
    struct tool nvcc;
    struct process_result r;
    char *bytes = NULL;
    size_t size_bytes = 0;
    (void)state;
    need_compiler(&a, "nvcc");
    assert_true(nvcc_find(&a, &nvcc, &err));
    const char *folder = make_folder(&a), *out = path_join(&a, folder, "k.cubin");
    const char *source = write_source(&a, folder, "k.cu",
                                      "extern \"C\" __global__ void one(float *p)\n"
                                      "{\n"
                                      "    p[threadIdx.x] += 1;\n"
                                      "}\n"
                                      "extern \"C\" __global__ void two(float *p)\n"
                                      "{\n"
                                      "    p[threadIdx.x] *= 2;\n"
                                      "}\n");
    const char *const argv[] = {nvcc.path, "-arch=sm_90", "-lineinfo", "-cubin",
                                "-o",      out,           source,      NULL};
    struct process_spec spec = {.argv = argv, .timeout_s = 120};
    if (!process_run(&spec, &r, &err))
        fail_msg("%s", err.message);
    if (r.exit_status != 0)
        fail_msg("%s", text_str(&r.err_text));
    process_result_release(&r);
    assert_true(file_read(out, 1 << 24, &bytes, &size_bytes, &err));
    if (!cubin_lines_read(&a, bytes, size_bytes, &c, &err))
        fail_msg("%s", err.message);
    for (int i = 0; i < 2; i++) {
        bool seen = false;
        for (uint64_t at = 0; at < 0x100; at += 16) {
            const struct dwarf_place *p = cubin_place_at(&c, i == 0 ? "one" : "two", at);
            assert_true(!p || (p->line >= 1 + 4 * i && p->line <= 4 + 4 * i));
            assert_true(!p || strcmp(p->file, source) == 0);
            seen = seen || (p && p->line == 3 + 4 * i);
        }
        assert_true(seen);
    }
    free(bytes);
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_function_has_lines_of_its_own),
        cmocka_unit_test(a_cut_file_is_an_error),
        cmocka_unit_test(without_a_line_table_there_are_no_places),
        cmocka_unit_test(lines_of_the_vendors_compiler_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
