// Machine instructions that are reckoned without a ptxas, of kernels whose code ptxas 13.0 was seen to make.
// SPDX-License-Identifier: Apache-2.0
#include "exec_support.h"

// Of one warp: x is the thread's number, which lanes do not share, n the parameter.
static double instructions_of(const char *declared, const char *body, uint32_t n)
{
    static char text[4096];
    struct bench b;
    int length = snprintf(text, sizeof text,
                          ".version 8.0\n.target sm_90\n.address_size 64\n%s"
                          ".visible .entry k(.param .u32 n) {\n"
                          ".reg .b32 %%x, %%n, %%r<12>; .reg .b64 %%d<8>; .reg .f32 %%f<4>;\n"
                          ".reg .pred %%p; .shared .align 4 .b32 s[64];\n"
                          "ld.param.u32 %%n, [n];\nmov.u32 %%x, %%tid.x;\n%s"
                          "st.shared.u32 [s], %%r9;\nret; }\n",
                          declared, body);
    assert_true(length > 0 && (size_t)length < sizeof text);
    bench_text(&b, text);
    bench_run(&b, "k", GRID1(1, 32), ARGS(&n));
    double counted = bench_counter(&b, COUNTER_WARP_INSTRUCTIONS);
    bench_close(&b);
    return counted;
}

static double straight(const char *body)
{
    return instructions_of("", body, 1);
}

static double per_turn(const char *declared, const char *body)
{
    enum { FEW = 10, MANY = 30 };
    char text[2048];
    (void)snprintf(text, sizeof text,
                   "mov.u32 %%r0, %%x;\nmov.u32 %%r8, 0;\nmov.u32 %%r9, 0;\nagain:\n"
                   ".pragma \"nounroll\";\n%sadd.u32 %%r8, %%r8, 1;\n"
                   "setp.lt.u32 %%p, %%r8, %%n;\n@%%p bra again;\n",
                   body);
    return (instructions_of(declared, text, MANY) - instructions_of(declared, text, FEW)) /
           (MANY - FEW);
}

static void parts_without_a_common_bit_are_joined_by_a_sum(void **state)
{
    (void)state;
    double sum = straight("shl.b32 %r5, %x, 4;\nadd.u32 %r9, %r5, 5;\n");
    assert_true(straight("shl.b32 %r5, %x, 4;\nor.b32 %r9, %r5, 5;\n") == sum);
    assert_true(straight("shl.b32 %r5, %x, 4;\nxor.b32 %r9, %r5, 5;\n") == sum + 1);
    assert_true(straight("shl.b32 %r5, %x, 4;\nor.b32 %r9, %r5, 16;\n") == sum + 1);
    // LEA.HI takes the upper bits to the lower ones.
    double high = straight("and.b32 %r6, %x, 0xffff8000;\nshr.u32 %r5, %x, 17;\n"
                           "add.u32 %r9, %r5, %r6;\n");
    assert_true(straight("and.b32 %r6, %x, 0xffff8000;\nshr.u32 %r5, %x, 17;\n"
                         "or.b32 %r9, %r5, %r6;\n") == high);
}

static void a_divisor_that_a_loop_leaves_is_inverted_before_it(void **state)
{
    (void)state;
    enum { OTHERS = 4 }; // xor, the counter, its comparison, the branch
    assert_true(per_turn("", "div.u32 %r1, %r8, %r0;\nxor.b32 %r9, %r9, %r1;\n") == OTHERS + 9);
    assert_true(per_turn("", "rem.u32 %r1, %r8, %r0;\nxor.b32 %r9, %r9, %r1;\n") == OTHERS + 8);
    assert_true(per_turn("", "div.s32 %r1, %r8, %r0;\nxor.b32 %r9, %r9, %r1;\n") == OTHERS + 12);
    assert_true(per_turn("", "div.u32 %r1, %x, %r0;\nxor.b32 %r9, %r9, %r1;\n"
                             "add.u32 %r0, %r0, 3;\n") > OTHERS + 15);
}

static void the_place_of_a_constant_is_part_of_the_load(void **state)
{
    (void)state;
    static const char table[] = ".const .align 4 .b8 table[256];\n";
    const char *load = "and.b32 %r1, %x, 63;\ncvt.u64.u32 %d1, %r1;\nmov.u64 %d2, table;\n"
                       "add.s64 %d3, %d2, %d1;\nld.const.u8 %r9, [%d3];\n";
    assert_true(instructions_of(table, load, 1) == straight("and.b32 %r9, %x, 63;\n") + 1);
}

static void what_a_loop_hands_on_is_moved(void **state)
{
    (void)state;
    // The sum is not made over the old value, which is the next turn's r9.
    enum { COUNT = 3 };
    assert_true(per_turn("", "xor.b32 %r1, %r9, %x;\nmov.u32 %r9, %r0;\n"
                             "add.u32 %r0, %r0, %r1;\n") == COUNT + 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_without_a_common_bit_are_joined_by_a_sum),
        cmocka_unit_test(a_divisor_that_a_loop_leaves_is_inverted_before_it),
        cmocka_unit_test(the_place_of_a_constant_is_part_of_the_load),
        cmocka_unit_test(what_a_loop_hands_on_is_moved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
