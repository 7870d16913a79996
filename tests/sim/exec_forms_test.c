// Forms of PTX that ptxas 13 takes for sm_90 and compilers seldom write. Each kernel gets a buffer of
// words: %a is its address, %t the thread's own place.
// SPDX-License-Identifier: Apache-2.0
#include "sim/exec_support.h"

enum { WORDS = 128 };
#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
#define KERNEL(body)                                                                 \
    ".visible .entry k(.param .u64 p)\n{\n.reg .b64 %a, %t, %u;\n.reg .b32 %r<9>;\n" \
    ".reg .f32 %f<9>;\nld.param.u64 %a, [p];\nmov.u32 %r0, %tid.x;\n"                \
    "mul.wide.u32 %t, %r0, 16;\nadd.s64 %t, %t, %a;\n" body "\nret;\n}\n"

static void run(const char *text, uint32_t *words, int launches)
{
    struct bench b;
    bench_text(&b, text);
    uint64_t p = bench_buffer(&b, "p", words, WORDS * sizeof(*words));
    for (int i = 0; i < launches; i++)
        bench_run(&b, "k", GRID1(1, 32), ARGS(&p));
    bench_fetch(&b, p, words, WORDS * sizeof(*words));
    bench_close(&b);
}

static void count_up(uint32_t *words)
{
    for (uint32_t i = 0; i < WORDS; i++)
        words[i] = i;
}

static void vector_registers_hold_their_elements(void **state)
{
    uint32_t words[WORDS];
    count_up(words);
    run(HEAD KERNEL(".reg .v4 .b32 %v, %w;\n.reg .v2 .b32 %q<2>;\nld.global.v4.b32 %v, [%t];\n"
                    "add.u32 %w.x, %v.y, %v.z;\nmov.b32 %w.g, 7;\nmov.b32 %q1.x, %v.w;\n"
                    "mov.b32 %q1.y, %v.x;\nmov.b64 %u, %q1;\nmov.b64 {%w.z, %w.a}, %u;\n"
                    "st.global.v4.b32 [%t], %w;"),
        words, 1);
    for (uint32_t i = 0; i < WORDS; i += 4) {
        assert_int_equal(words[i], (i + 1) + (i + 2));
        assert_int_equal(words[i + 1], 7);
        assert_int_equal(words[i + 2], i + 3);
        assert_int_equal(words[i + 3], i);
    }
}

static void vectors_move_whole(void **state)
{
    uint32_t words[WORDS];
    count_up(words);
    run(HEAD KERNEL(".reg .v2 .b32 %v, %w;\nld.global.v2.b32 %v, [%t];\nmov.v2.b32 %w, %v;\n"
                    "mov.v2.b32 {%w.x, %w.y}, {%w.y, %w.x};\nst.global.v2.b32 [%t], %w;"),
        words, 1);
    assert_int_equal(words[0], 1);
    assert_int_equal(words[1], 0);
    assert_int_equal(words[124], 125);
    assert_int_equal(words[125], 124);
}

static void a_component_that_is_not_there_is_an_error(void **state)
{
    struct arena a = {0};
    struct error err;
    struct ptx_module *m = NULL;
    const char *text = HEAD KERNEL(".reg .v2 .b32 %v;\nmov.b32 %v.z, 1;");
    assert_false(ptx_parse(&a, "t.ptx", text, strlen(text), &m, &err));
    assert_non_null(strstr(err.message, "a vector of 2 registers has no .z"));
    arena_release(&a);
}

// What printing leaves is PTX again, and does the same.
static void vector_registers_are_printed_as_single_ones(void **state)
{
    uint32_t words[WORDS];
    struct arena a = {0};
    struct error err;
    struct ptx_module *m = NULL;
    const char *text = HEAD KERNEL(".reg .v2 .b32 %v;\nld.global.v2.b32 %v, [%t];\n"
                                   "add.u32 %v.x, %v.x, %v.y;\nst.global.v2.b32 [%t], %v;");
    struct text out = {0};
    assert_true(ptx_parse(&a, "t.ptx", text, strlen(text), &m, &err));
    ptx_print(m, &out);
    count_up(words);
    run(out.data, words, 1);
    assert_int_equal(words[124], 124 + 125);
    text_release(&out);
    arena_release(&a);
}

// It lives as long as the module: launches find what the last one left.
static void global_variables_of_a_function_have_a_place(void **state)
{
    uint32_t words[WORDS] = {0};
    run(HEAD KERNEL(".global .u32 g[4] = {1, 2, 3, 40};\n.const .u32 c = 500;\n"
                    "ld.global.u32 %r1, [g+12];\nld.const.u32 %r2, [c];\nadd.u32 %r3, %r1, %r2;\n"
                    "st.global.u32 [%t], %r3;\nbar.sync 0;\nadd.u32 %r1, %r1, 1;\n"
                    "st.global.u32 [g+12], %r1;"),
        words, 3);
    for (int i = 0; i < WORDS; i += 4)
        assert_int_equal(words[i], 542);
}

static void modifiers_come_in_any_order(void **state)
{
    uint32_t words[WORDS];
    for (int i = 0; i < WORDS; i++)
        words[i] = 0x40c00000; // 6
    run(HEAD KERNEL("ld.global.f32 %f1, [%t];\nmov.f32 %f2, 0f40000000;\n"
                    "div.ftz.rn.f32 %f3, %f1, %f2;\nfma.ftz.rn.f32 %f3, %f3, %f2, %f3;\n"
                    "mul.f32 %f3, %f3, %f3;\nsqrt.ftz.rn.f32 %f3, %f3;\nst.global.f32 [%t], %f3;"),
        words, 1);
    assert_int_equal(words[4], 0x41100000); // 6 / 2 * 2 + 3
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vector_registers_hold_their_elements),
        cmocka_unit_test(vectors_move_whole),
        cmocka_unit_test(a_component_that_is_not_there_is_an_error),
        cmocka_unit_test(vector_registers_are_printed_as_single_ones),
        cmocka_unit_test(global_variables_of_a_function_have_a_place),
        cmocka_unit_test(modifiers_come_in_any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
