// Machine instructions that are reckoned without a ptxas for what a loop's turns have alike, and for numbers that need registers, of
// kernels whose code ptxas 13.0 was seen to make.
// SPDX-License-Identifier: Apache-2.0
#include "exec_support.h"

#include <string.h>

// Of one warp: x is the thread's number, which lanes do not share, n the parameter, a global memory.
static double instructions_of(const char *body, uint32_t n)
{
    static char text[4096];
    static uint32_t memory[64];
    struct bench b;
    int length =
        snprintf(text, sizeof text,
                 ".version 8.0\n.target sm_90\n.address_size 64\n"
                 ".visible .entry k(.param .u32 n, .param .u64 a) {\n"
                 ".reg .b32 %%x, %%n, %%r<32>; .reg .b64 %%a, %%d<16>; .reg .f32 %%f<64>;\n"
                 ".reg .f64 %%w<8>; .reg .pred %%p, %%q; .shared .align 8 .b32 s[64];\n"
                 "ld.param.u32 %%n, [n];\nld.param.u64 %%a, [a];\nmov.u32 %%x, %%tid.x;\n%s"
                 "st.shared.u32 [s], %%r9;\nret; }\n",
                 body);
    assert_true(length > 0 && (size_t)length < sizeof text);
    bench_text(&b, text);
    uint64_t a = bench_buffer(&b, "a", memory, sizeof memory);
    bench_run(&b, "k", GRID1(1, 32), ARGS(&n, &a));
    double counted = bench_counter(&b, COUNTER_WARP_INSTRUCTIONS);
    bench_close(&b);
    return counted;
}

static double straight(const char *body)
{
    return instructions_of(body, 1);
}

static double per_turn(const char *before, const char *body)
{
    enum { FEW = 10, MANY = 30 };
    char text[3072];
    (void)snprintf(text, sizeof text,
                   "mov.u32 %%r8, 0;\nmov.u32 %%r9, 0;\n%sagain:\n.pragma \"nounroll\";\n%s"
                   "add.u32 %%r8, %%r8, 1;\nsetp.lt.u32 %%p, %%r8, %%n;\n@%%p bra again;\n",
                   before, body);
    return (instructions_of(text, MANY) - instructions_of(text, FEW)) / (MANY - FEW);
}

#define TESTED "setp.gt.f32 %q, %f1, 0f3F800000;\n"
#define FLOATS "mov.b32 %f1, %x;\nmov.f32 %f2, %f1;\n"
#define CHOICES(FIRST, SECOND)                                                              \
    "selp.f32 %f3, " FIRST ", 0f3E543201, %q;\nselp.f32 %f4, " SECOND ", 0f3E543202, %q;\n" \
    "fma.rn.f32 %f2, %f2, %f3, %f4;\nmov.b32 %r9, %f2;\n"
#define OF_NUMBERS CHOICES("0f3F123451", "0f3F123452")
#define OF_REGISTERS CHOICES("%f1", "%f2")

static void a_choice_of_two_numbers_moves_one_where_a_turn_waits(void **state)
{
    (void)state;
    const char *from_global = "ld.global.f32 %f1, [%a];\n" TESTED OF_NUMBERS,
               *of_one = "ld.global.f32 %f1, [%a];\n" TESTED OF_REGISTERS,
               *from_shared = "ld.shared.f32 %f1, [s+8];\n" TESTED OF_NUMBERS;
    assert_true(per_turn(FLOATS, from_global) == per_turn(FLOATS, of_one) + 2);
    assert_true(per_turn(FLOATS, from_shared) ==
                per_turn(FLOATS, "ld.shared.f32 %f1, [s+8];\n" TESTED OF_REGISTERS));
}

#define DIVISION "add.u32 %r2, %x, %r8;\nrem.s32 %r1, %r2, %r3;\nxor.b32 %r9, %r9, %r1;\n"
#define ROOT "sqrt.rn.f32 %f2, %f2;\nmov.b32 %r7, %f2;\nxor.b32 %r9, %r9, %r7;\n"

static void no_reciprocal_is_kept_over_a_call(void **state)
{
    (void)state;
    enum { RECIPROCAL = 9 };
    const char *before = FLOATS "add.u32 %r3, %x, 3;\n";
    double root = per_turn(before, ROOT) - per_turn(before, "");
    double alone = per_turn(before, DIVISION);
    assert_true(per_turn(before, DIVISION ROOT) >= alone + root + RECIPROCAL);
    double divided = straight("add.u32 %r3, %x, 3;\nmov.b32 %f2, %x;\nrem.s32 %r9, %n, %r3;\n" ROOT
                              "mov.b32 %r4, %f2;\n"),
           again = straight("add.u32 %r3, %x, 3;\nmov.b32 %f2, %x;\nrem.s32 %r9, %n, %r3;\n" ROOT
                            "mov.b32 %r4, %f2;\nrem.s32 %r5, %r4, %r3;\nxor.b32 %r9, %r9, %r5;\n"),
           beside = straight("add.u32 %r3, %x, 3;\nmov.b32 %f2, %x;\nrem.s32 %r9, %n, %r3;\n"
                             "rem.s32 %r5, %x, %r3;\nxor.b32 %r9, %r9, %r5;\n" ROOT
                             "mov.b32 %r4, %f2;\n");
    assert_true(again - divided >= beside - divided + RECIPROCAL);
}

#define ADDRESSES FLOATS "shl.b32 %r1, %x, 2;\nand.b32 %r2, %r1, 60;\nmov.u32 %r3, s;\n"
#define READ(PLACE)                               \
    "mov.b32 %r7, %f2;\nxor.b32 %r9, %r9, %r7;\n" \
    "ld.shared.u32 %r5, [" PLACE "];\nadd.u32 %r9, %r9, %r5;\n"
#define MORE "fma.rn.f32 %f2, %f2, %f1, %f1;\n"
#define MORE8 MORE MORE MORE MORE MORE MORE MORE MORE

static void what_turns_have_alike_is_made_before_the_loop(void **state)
{
    (void)state;
    assert_true(per_turn(ADDRESSES, "mul.lo.s32 %r4, %r2, 20;\nand.b32 %r6, %r4, 124;\n" READ(
                                        "%r6")) == per_turn(ADDRESSES, READ("%r2")));
    const char *of_turn = "add.u32 %r4, %r2, %r8;\nand.b32 %r6, %r4, 124;\n" READ("%r6");
    assert_true(per_turn(ADDRESSES, of_turn) == per_turn(ADDRESSES, READ("%r2")) + 2);
}

static void a_long_loop_keeps_what_its_turns_have_alike(void **state)
{
    (void)state;
    const char *before = ADDRESSES,
               *alike = "and.b32 %r6, %r2, 28;\n" READ("%r6")
                   MORE8 MORE8 MORE8 MORE8 MORE8 MORE8 MORE8 MORE8,
               *none = READ("%r2") MORE8 MORE8 MORE8 MORE8 MORE8 MORE8 MORE8 MORE8;
    assert_true(per_turn(before, alike) == per_turn(before, none) + 1);
}

#define PLACE "mov.u32 %r1, %ctaid.x;\n"

static void the_least_of_what_lanes_share_is_uniform_for_comparisons_alone(void **state)
{
    (void)state;
    double stored = straight(PLACE "min.s32 %r9, %r1, %n;\n"),
           sum = straight(PLACE "add.s32 %r9, %r1, %n;\n");
    assert_true(stored == sum);
    double compared = straight(PLACE "min.s32 %r2, %r1, %n;\nsetp.lt.s32 %p, %x, %r2;\n"
                                     "selp.u32 %r9, 1, 0, %p;\n"),
           added = straight(PLACE "add.s32 %r2, %r1, %n;\nsetp.lt.s32 %p, %x, %r2;\n"
                                  "selp.u32 %r9, 1, 0, %p;\n");
    assert_true(compared == added + 1);
}

#define PAIR(LOW, HIGH) "mov.b64 %w1, {" LOW ", " HIGH "};\n"
#define LOADED "ld.shared.f64 %w2, [s+8];\n"
#define SUM "sub.f64 %w3, %w2, %w1;\nst.shared.f64 [s+16], %w3;\n"

static void a_number_beside_a_word_is_moved_and_two_are_a_number(void **state)
{
    (void)state;
    double words = straight(LOADED PAIR("%x", "%x") SUM);
    assert_true(straight(LOADED "mov.u32 %r2, 1127219200;\n" PAIR("%x", "%r2") SUM) == words + 1);
    assert_true(
        straight(LOADED "mov.u32 %r2, 1127219200;\nmov.u32 %r3, 0x80000000;\n" PAIR("%r3", "%r2")
                     SUM) ==
        straight(LOADED "sub.f64 %w3, %w2, 0d4330000080000000;\nst.shared.f64 [s+16], %w3;\n"));
}

// Of divisions with a sign in a loop that waits for memory. (ptxas 13.0, 126 forms.)
static void a_loop_that_waits_has_its_first_divisor_inverted_before_it(void **state)
{
    (void)state;
    enum { ALONE = 24, ANEW = 3, AGAIN = 22, OF_SAME = 6 };
    const char *before = "add.u32 %r3, %x, 3;\nadd.u32 %r4, %x, 5;\n",
               *load = "ld.global.u32 %r7, [%a];\nadd.u32 %r2, %x, %r8;\nadd.u32 %r9, %r9, %r7;\n";
    char one[512], two[1024], same[1024];
    (void)snprintf(one, sizeof one, "%sdiv.s32 %%r1, %%r2, %%r3;\nxor.b32 %%r9, %%r9, %%r1;\n",
                   load);
    (void)snprintf(two, sizeof two, "%sdiv.s32 %%r5, %%r2, %%r4;\nxor.b32 %%r9, %%r9, %%r5;\n",
                   one);
    (void)snprintf(same, sizeof same, "%srem.s32 %%r5, %%r2, %%r3;\nxor.b32 %%r9, %%r9, %%r5;\n",
                   one);
    double nothing = per_turn(before, load), waiting = per_turn(before, one) - nothing,
           idle = per_turn(before, "add.u32 %r2, %x, %r8;\ndiv.s32 %r1, %r2, %r3;\n"
                                   "xor.b32 %r9, %r9, %r1;\n") -
                  per_turn(before, "add.u32 %r2, %x, %r8;\nxor.b32 %r9, %r9, %r2;\n");
    assert_true(waiting - 2 ==
                idle + ANEW); // what is divided is worked out, and the quotient taken in
    assert_true(per_turn(before, two) - per_turn(before, one) == AGAIN + 1);
    // A divisor of two is inverted in each turn.
    assert_true(per_turn(before, same) - nothing >= ALONE - 2 + OF_SAME);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_choice_of_two_numbers_moves_one_where_a_turn_waits),
        cmocka_unit_test(no_reciprocal_is_kept_over_a_call),
        cmocka_unit_test(a_loop_that_waits_has_its_first_divisor_inverted_before_it),
        cmocka_unit_test(what_turns_have_alike_is_made_before_the_loop),
        cmocka_unit_test(a_long_loop_keeps_what_its_turns_have_alike),
        cmocka_unit_test(the_least_of_what_lanes_share_is_uniform_for_comparisons_alone),
        cmocka_unit_test(a_number_beside_a_word_is_moved_and_two_are_a_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
