// Machine instructions that are reckoned without a ptxas for arrays of a thread, of kernels whose code ptxas 13.0 was seen to make.
// SPDX-License-Identifier: Apache-2.0
#include "exec_support.h"

// Of one warp, with an array of so many words: p is its place, x four times the thread's number, r1 a word.
static double counted(int words, const char *body)
{
    static char text[8192];
    struct bench b;
    int length = snprintf(
        text, sizeof text,
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() {\n"
        ".reg .b32 %%r<32>; .reg .b16 %%h<8>; .reg .b64 %%p, %%q, %%x, %%d<8>; .reg .pred %%o;\n"
        ".local .align 16 .b8 depot[%d]; .shared .align 4 .b32 s[64];\n"
        "mov.u32 %%r0, %%tid.x;\nand.b32 %%r0, %%r0, 1;\nld.shared.u32 %%r1, [s+128];\n"
        "ld.shared.u32 %%r8, [s+132];\nmov.u64 %%p, depot;\nmul.wide.u32 %%x, %%r0, 4;\n"
        "add.s64 %%q, %%p, %%x;\n%s"
        "st.shared.u32 [s], %%r9;\nret; }\n",
        4 * words, body);
    assert_true(length > 0 && (size_t)length < sizeof text);
    bench_text(&b, text);
    bench_run(&b, "k", GRID1(1, 32), ARGS(NULL));
    double instructions = bench_counter(&b, COUNTER_WARP_INSTRUCTIONS);
    bench_close(&b);
    return instructions;
}

#define FIRST "st.local.u32 [%p], %r1;\nst.local.u32 [%p+4], %r8;\n"
#define LOAD "ld.local.u32 %r9, [%q];\n"

static void a_word_at_a_place_that_is_worked_out_is_asked_for_twice_per_word(void **state)
{
    (void)state;
    double two = counted(2, FIRST LOAD);
    assert_true(counted(4, FIRST LOAD) == two + 2 * 2);
    assert_true(counted(16, FIRST LOAD) == two + 2 * 14);
    assert_true(counted(4, FIRST "st.local.u32 [%q], %r8;\nld.local.u32 %r9, [%p];\n") ==
                two + 2 * 2);
}

static void accesses_whose_place_is_known_are_nothing(void **state)
{
    (void)state;
    double one = counted(4, FIRST LOAD);
    assert_true(counted(4, FIRST "st.local.u32 [%p+8], %r8;\n" LOAD) == one);
    // With places that are known alone an array is where it was.
    assert_true(counted(4, FIRST LOAD "ld.local.u32 %r2, [%p+4];\nxor.b32 %r9, %r9, %r2;\n") ==
                one + 1);
}

#define FOUR                                                                                      \
    LOAD "ld.local.u32 %r2, [%q+4];\nxor.b32 %r9, %r9, %r2;\nld.local.u32 %r2, [%q+8];\nxor.b32 " \
         "%r9, %r9, %r2;\n"                                                                       \
         "ld.local.u32 %r2, [%q+12];\nxor.b32 %r9, %r9, %r2;\n"

static void an_array_that_asks_too_much_is_in_memory(void **state)
{
    (void)state;
    // Four loads of 16 words are as dear as the stores; of 64 dearer: then words are no matter.
    assert_true(counted(64, FIRST FOUR) == counted(48, FIRST FOUR));
    assert_true(counted(8, FIRST FOUR) == counted(6, FIRST FOUR) + 4 * 2 * 2);
    assert_true(counted(100, FIRST LOAD) < counted(16, FIRST LOAD));
}

static void bytes_and_arrays_of_several_widths_are_in_memory(void **state)
{
    (void)state;
    assert_true(counted(4, FIRST "ld.local.u8 %r9, [%q];\n") ==
                counted(16, FIRST "ld.local.u8 %r9, [%q];\n"));
#define HALF \
    FIRST "ld.local.u16 %h1, [%p];\ncvt.u32.u16 %r2, %h1;\n" LOAD "xor.b32 %r9, %r9, %r2;\n"
    assert_true(counted(4, HALF) == counted(16, HALF));
}

static void a_place_that_a_loop_counts_to_is_in_memory(void **state)
{
    (void)state;
#define TURNS                                                                                    \
    "mov.u32 %r9, 0;\nmov.u64 %d1, %p;\nmov.u32 %r3, 0;\nL:\nld.local.u32 %r2, [%d1];\nadd.u32 " \
    "%r9, %r9, %r2;\n"                                                                           \
    "add.s64 %d1, %d1, 4;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %o, %r3, %r0;\n@%o bra L;\n"
    assert_true(counted(4, FIRST TURNS) == counted(16, FIRST TURNS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_at_a_place_that_is_worked_out_is_asked_for_twice_per_word),
        cmocka_unit_test(accesses_whose_place_is_known_are_nothing),
        cmocka_unit_test(an_array_that_asks_too_much_is_in_memory),
        cmocka_unit_test(bytes_and_arrays_of_several_widths_are_in_memory),
        cmocka_unit_test(a_place_that_a_loop_counts_to_is_in_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
