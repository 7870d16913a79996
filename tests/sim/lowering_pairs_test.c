// Operations on single halves that ptxas makes one of pairs of, and loads of shared memory that it makes one: machine instructions of kernels
// whose code ptxas 13.0 was seen to make, each against another that has as many.
// SPDX-License-Identifier: Apache-2.0
#include "exec_support.h"

#include <string.h>

static double counted(const char *body, enum counter_id counter)
{
    static char text[8192];
    struct bench b;
    uint32_t n = 1;
    int length = snprintf(text, sizeof text,
                          ".version 8.0\n.target sm_90\n.address_size 64\n"
                          ".visible .entry k(.param .u32 n) {\n"
                          ".reg .b32 %%n, %%a, %%r<32>; .reg .b16 %%h<64>; .reg .f32 %%f<8>;\n"
                          ".reg .pred %%p<4>; .shared .align 16 .b8 s[4096];\n"
                          "mov.u32 %%r0, %%tid.x; shl.b32 %%r1, %%r0, 4;\n"
                          "mov.u32 %%r2, s; add.u32 %%a, %%r1, %%r2;\n%sret; }\n",
                          body);
    assert_true(length > 0 && (size_t)length < sizeof text);
    bench_text(&b, text);
    bench_run(&b, "k", GRID1(1, 32), ARGS(&n));
    double value = bench_counter(&b, counter);
    bench_close(&b);
    return value;
}

static void are_equal(double have, double expected)
{
    assert_int_equal((long long)have, (long long)expected);
}

static double instructions(const char *body)
{
    return counted(body, COUNTER_WARP_INSTRUCTIONS);
}

#define WORDS                                                                    \
    "ld.volatile.shared.u32 %r3, [%a]; ld.volatile.shared.u32 %r4, [%a+1024];\n" \
    "mov.b32 {%h1, %h2}, %r3; mov.b32 {%h3, %h4}, %r4;\n"
#define SCALARS                                                                  \
    "ld.volatile.shared.u16 %h1, [%a]; ld.volatile.shared.u16 %h2, [%a+1026];\n" \
    "ld.volatile.shared.u16 %h3, [%a+2044]; ld.volatile.shared.u16 %h4, [%a+514];\n"
#define WORD_STORED "mov.b32 %r5, {%h11, %h12}; st.volatile.shared.u32 [%a+2048], %r5;\n"
#define HALVES_STORED \
    "st.volatile.shared.u16 [%a+2048], %h11; st.volatile.shared.u16 [%a+2060], %h12;\n"

static void halves_of_words_are_added_as_pairs(void **state)
{
    (void)state;
    double pair = instructions(WORDS "add.f16x2 %r5, %r3, %r4; st.volatile.shared.u32 [%a+2048], "
                                     "%r5;\n");
    are_equal(instructions(WORDS "add.f16 %h11, %h1, %h3; add.f16 %h12, %h2, %h4;\n" WORD_STORED),
              pair);
    // a product within a sum, a value for both
    are_equal(instructions(WORDS "mul.f16 %h5, %h1, %h3; mul.f16 %h6, %h2, %h3;\n"
                                 "add.f16 %h11, %h5, %h4; add.f16 %h12, %h6, %h4;\n" WORD_STORED),
              pair);
}

static void halves_of_different_places_are_added_one_by_one(void **state)
{
    (void)state;
    double crossed =
               instructions(WORDS "add.f16 %h11, %h1, %h4; add.f16 %h12, %h2, %h3;\n" WORD_STORED),
           straight =
               instructions(WORDS "add.f16 %h11, %h1, %h3; add.f16 %h12, %h2, %h4;\n" WORD_STORED),
           unlike =
               instructions(WORDS "add.f16 %h11, %h1, %h3; mul.f16 %h12, %h2, %h4;\n" WORD_STORED);
    are_equal(crossed - straight, 2); // an addition and PRMT
    are_equal(unlike - straight, 2);
}

static void values_of_no_word_are_put_together_for_a_pair(void **state)
{
    (void)state;
    double pair = instructions(SCALARS
                               "add.f16 %h11, %h1, %h3; add.f16 %h12, %h2, %h4;\n" HALVES_STORED),
           apart = instructions(SCALARS
                                "add.f16 %h11, %h1, %h3; sub.f16 %h12, %h2, %h4;\n" HALVES_STORED);
    are_equal(pair - apart, 2); // two PRMT, one for the upper result, one sum less
}

static void operations_meet_where_no_load_is_late(void **state)
{
    (void)state;
    const char *late = "add.f16 %h11, %h1, %h3; mul.f16 %h13, %h11, %h11;\n"
                       "ld.volatile.shared.u16 %h5, [%a+770];\nadd.f16 %h12, %h2, %h5;\n",
               *early = "ld.volatile.shared.u16 %h5, [%a+770];\n"
                        "add.f16 %h11, %h1, %h3; mul.f16 %h13, %h11, %h11;\n"
                        "add.f16 %h12, %h2, %h5;\n";
    char text[2][1024];
    for (int k = 0; k < 2; k++)
        (void)snprintf(text[k], sizeof text[k], "%s%s%s", SCALARS, k == 0 ? late : early,
                       "st.volatile.shared.u16 [%a+2048], %h13;\n"
                       "st.volatile.shared.u16 [%a+2060], %h12;\n");
    are_equal(instructions(text[1]) - instructions(text[0]), 2);
}

static void loads_of_16_bits_are_one_unless_they_are_extended(void **state)
{
    (void)state;
    const char *loads = "ld.shared.u16 %h1, [%a]; ld.shared.u16 %h2, [%a+2];\n"
                        "ld.shared.u16 %h3, [%a+4]; ld.shared.u16 %h4, [%a+6];\n";
    char text[1024];
    (void)snprintf(text, sizeof text, "%sadd.f16 %%h11, %%h1, %%h3; add.f16 %%h12, %%h2, %%h4;\n%s",
                   loads, WORD_STORED);
    are_equal(counted(text, COUNTER_SHARED_LOAD_REQUESTS), 1);
    (void)snprintf(text, sizeof text,
                   "%scvt.u32.u16 %%r3, %%h1; cvt.u32.u16 %%r4, %%h2; cvt.u32.u16 %%r5, %%h3;\n"
                   "cvt.u32.u16 %%r6, %%h4; add.u32 %%r3, %%r3, %%r4; add.u32 %%r5, %%r5, %%r6;\n"
                   "add.u32 %%r3, %%r3, %%r5; st.shared.u32 [%%a+2048], %%r3;\n",
                   loads);
    are_equal(counted(text, COUNTER_SHARED_LOAD_REQUESTS), 4);
    static const char *const types[] = {"f16", "bf16"}; // bf16 becomes f32 by a shift
    for (int k = 0; k < 2; k++) {
        const char *t = types[k];
        (void)snprintf(text, sizeof text,
                       "%scvt.f32.%s %%f1, %%h1; cvt.f32.%s %%f2, %%h2; cvt.f32.%s %%f3, %%h3;\n"
                       "cvt.f32.%s %%f4, %%h4; fma.rn.f32 %%f1, %%f1, %%f2, %%f3;\n"
                       "mul.f32 %%f1, %%f1, %%f4; st.shared.f32 [%%a+2048], %%f1;\n",
                       loads, t, t, t, t);
        are_equal(counted(text, COUNTER_SHARED_LOAD_REQUESTS), k == 0 ? 1 : 4);
    }
}

static void loads_stay_on_their_side_of_a_routine(void **state)
{
    (void)state;
    static const struct {
        const char *divides;
        int loads;
    } rows[] = {{"div.full.f32 %f3, %f1, %f3;", 1}, {"div.rn.f32 %f3, %f1, %f3;", 2},
                {"sqrt.approx.f32 %f3, %f1;", 1},   {"sqrt.rn.f32 %f3, %f1;", 2},
                {"rcp.rn.f32 %f3, %f1;", 2},        {"div.rn.f32 %f3, %f1, 0f40400000;", 2}};
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        char text[1024];
        (void)snprintf(text, sizeof text,
                       "cvt.rn.f32.u32 %%f3, %%n; ld.shared.f32 %%f1, [%%a]; %s\n"
                       "ld.shared.f32 %%f2, [%%a+4]; mul.f32 %%f3, %%f3, %%f2;\n"
                       "st.shared.f32 [%%a+2048], %%f3;\n",
                       rows[k].divides);
        are_equal(counted(text, COUNTER_SHARED_LOAD_REQUESTS), rows[k].loads);
    }
}

static void special_functions_of_pairs_are_two_and_what_joins_them(void **state)
{
    (void)state;
    double one = instructions("ld.volatile.shared.u16 %h1, [%a]; ex2.approx.f16 %h2, %h1;\n"
                              "st.volatile.shared.u16 [%a], %h2;\n"),
           pair = instructions("ld.volatile.shared.u32 %r3, [%a]; ex2.approx.f16x2 %r4, %r3;\n"
                               "st.volatile.shared.u32 [%a], %r4;\n");
    are_equal(pair - one, 2);
}

static void scratch_registers_hold_values_of_their_own(void **state)
{
    (void)state;
    // the same worked out twice, in registers that are written again
    double twice = instructions("ld.volatile.shared.f32 %f1, [%a];\n"
                                "add.f32 %f2, %f1, 0f40000000; mul.f32 %f2, %f2, %f2;\n"
                                "mov.f32 %f3, %f2;\n"
                                "add.f32 %f2, %f1, 0f40000000; mul.f32 %f2, %f2, %f2;\n"
                                "st.volatile.shared.f32 [%a], %f3;\n"
                                "st.volatile.shared.f32 [%a+4], %f2;\n"),
           once = instructions("ld.volatile.shared.f32 %f1, [%a];\n"
                               "add.f32 %f2, %f1, 0f40000000; mul.f32 %f3, %f2, %f2;\n"
                               "st.volatile.shared.f32 [%a], %f3;\n"
                               "st.volatile.shared.f32 [%a+4], %f3;\n");
    are_equal(twice, once);
}

static void sums_with_a_carry_are_not_the_same_by_their_operands(void **state)
{
    (void)state;
    const char *text[] = {"mov.u32 %r5, %r4;\n", "addc.u32 %r5, %r4, 0;\n"};
    double made[2];
    for (int k = 0; k < 2; k++) {
        char body[1024];
        (void)snprintf(body, sizeof body,
                       "ld.volatile.shared.u32 %%r3, [%%a]; ld.volatile.shared.u32 %%r4, [%%a+4];\n"
                       "add.cc.u32 %%r6, %%r3, %%r4; addc.u32 %%r7, %%r4, 0;\n"
                       "add.cc.u32 %%r8, %%r3, %%r6; %s"
                       "st.volatile.shared.u32 [%%a], %%r6; st.volatile.shared.u32 [%%a], %%r7;\n"
                       "st.volatile.shared.u32 [%%a], %%r8; st.volatile.shared.u32 [%%a], %%r5;\n",
                       text[k]);
        made[k] = instructions(body);
    }
    are_equal(made[1] - made[0], 1);
}

static double compared(const char *how)
{
    char text[1024];
    (void)snprintf(text, sizeof text,
                   "%smov.b16 %%h9, 0x3c00; set.eq.f16.f16 %%h11, %%h1, %%h9;\n"
                   "setp.%s.f16 %%p1, %%h3, %%h9; selp.u16 %%h12, 1, 0, %%p1;\n%s",
                   SCALARS, how, HALVES_STORED);
    return instructions(text);
}

static void comparisons_into_registers_are_predicates_beside_what_asks_for_greater(void **state)
{
    (void)state;
    are_equal(compared("gt") - compared("lt"), 1); // HSETP2 and SEL for HSET2
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_of_words_are_added_as_pairs),
        cmocka_unit_test(halves_of_different_places_are_added_one_by_one),
        cmocka_unit_test(values_of_no_word_are_put_together_for_a_pair),
        cmocka_unit_test(operations_meet_where_no_load_is_late),
        cmocka_unit_test(loads_of_16_bits_are_one_unless_they_are_extended),
        cmocka_unit_test(loads_stay_on_their_side_of_a_routine),
        cmocka_unit_test(special_functions_of_pairs_are_two_and_what_joins_them),
        cmocka_unit_test(scratch_registers_hold_values_of_their_own),
        cmocka_unit_test(sums_with_a_carry_are_not_the_same_by_their_operands),
        cmocka_unit_test(comparisons_into_registers_are_predicates_beside_what_asks_for_greater),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
