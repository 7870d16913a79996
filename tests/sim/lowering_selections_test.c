// Machine instructions that are reckoned without a ptxas for choices between numbers and for numbers of 16 bits, of kernels whose
// code ptxas 13.0 was seen to make.
// SPDX-License-Identifier: Apache-2.0
#include "exec_support.h"

// Of one warp: x is the thread's number, which lanes do not share, n the parameter, 1 here.
static double straight(const char *body)
{
    static char text[4096];
    struct bench b;
    uint32_t n = 1;
    int length = snprintf(
        text, sizeof text,
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u32 n) {\n"
        ".reg .b32 %%x, %%n, %%r<32>; .reg .f32 %%f<8>; .reg .b16 %%h<8>; .reg .b64 %%d<8>;\n"
        ".reg .pred %%p, %%q; .shared .align 4 .b32 s[64];\n"
        "ld.param.u32 %%n, [n];\nmov.u32 %%x, %%tid.x;\n%s"
        "st.shared.u32 [s], %%r9;\nret; }\n",
        body);
    assert_true(length > 0 && (size_t)length < sizeof text);
    bench_text(&b, text);
    bench_run(&b, "k", GRID1(1, 32), ARGS(&n));
    double counted = bench_counter(&b, COUNTER_WARP_INSTRUCTIONS);
    bench_close(&b);
    return counted;
}

#define LANE "mov.u32 %r1, %laneid;\n"
#define CHOICE LANE "setp.lt.u32 %p, %x, 7;\nselp.u32 %r2, 1, 0, %p;\n"

static void a_choice_that_a_sum_adds_is_two_sums_of_two(void **state)
{
    (void)state;
    // IADD3, and under the predicate another: as many as the choice and the sum alone.
    double one = straight(CHOICE "add.s32 %r9, %r1, %r2;\n");
    assert_true(straight(CHOICE "xor.b32 %r9, %r1, %r2;\n") == one);
    // No sum of three takes it, where a choice that is not between numbers is part of one.
    assert_true(straight(CHOICE "add.s32 %r3, %r1, %x;\nadd.s32 %r9, %r3, %r2;\n") == one + 1);
    assert_true(straight(LANE "setp.lt.u32 %p, %x, 7;\nselp.b32 %r2, %x, 0, %p;\n"
                              "add.s32 %r3, %r1, %x;\nadd.s32 %r9, %r3, %r2;\n") == one);
    assert_true(straight(CHOICE "add.s32 %r3, %r1, %r2;\nadd.s32 %r9, %r3, %x;\n") == one + 1);
    // A product or a shift is made by itself.
    assert_true(straight(CHOICE "shl.b32 %r3, %r1, 2;\nadd.s32 %r9, %r3, %r2;\n") == one + 1);
    assert_true(straight(CHOICE "shl.b32 %r3, %r1, 2;\nsub.s32 %r9, %r3, %r2;\n") == one);
}

static void the_sum_of_two_choices_is_four(void **state)
{
    (void)state;
    double one = straight(CHOICE "add.s32 %r9, %r1, %r2;\n");
    assert_true(straight(CHOICE "setp.lt.u32 %q, %r1, 5;\nselp.u32 %r3, 1, 0, %q;\n"
                                "add.s32 %r9, %r3, %r2;\n") == one + 1 + 2);
}

static void a_choice_is_added_to_what_lanes_share_outside_of_uniform_registers(void **state)
{
    (void)state;
    double lanes = straight(CHOICE "add.s32 %r9, %x, %r2;\n");
    assert_true(straight(CHOICE "add.s32 %r9, %n, %r2;\n") == lanes + 1 + 1); // its load, too
}

static void a_register_that_a_choice_is_added_to_is_moved(void **state)
{
    (void)state;
#define LOOP(OPCODE)                                                                        \
    CHOICE "mov.u32 %r9, 0;\nmov.u32 %r8, 0;\nagain:\n.pragma \"nounroll\";\n"              \
           "setp.lt.u32 %p, %r8, %x;\nselp.u32 %r2, 1, 0, %p;\n" OPCODE " %r9, %r9, %r2;\n" \
           "add.s32 %r8, %r8, 1;\nsetp.lt.u32 %q, %r8, %n;\n@%q bra again;\n"
    assert_true(straight(LOOP("add.s32")) == straight(LOOP("xor.b32")) + 1);
}

static void numbers_of_16_bits_are_part_of_the_instruction(void **state)
{
    (void)state;
#define HALVES LANE "cvt.u16.u32 %h1, %r1;\ncvt.u16.u32 %h2, %x;\n"
#define STORED "cvt.u32.u16 %r9, %h5;\n"
    double read = straight(HALVES "mul.f16 %h5, %h1, %h2;\n" STORED);
    assert_true(straight(HALVES "mov.f32 %f1, 0f3DCCCCCD;\ncvt.rn.f16.f32 %h3, %f1;\n"
                                "mul.f16 %h5, %h1, %h3;\n" STORED) <= read);
    // Both halves of a word; x is not read then.
    double word = straight(LANE "mul.f16x2 %r9, %r1, %x;\n");
    assert_true(straight(LANE "mov.f32 %f1, 0f3DCCCCCD;\ncvt.rn.f16.f32 %h3, %f1;\n"
                              "mov.b32 %r2, {%h3, %h3};\nmul.f16x2 %r9, %r1, %r2;\n") == word - 1);
    assert_true(straight(LANE "mov.f32 %f1, 0f3DCCCCCD;\ncvt.rn.bf16x2.f32 %r2, %f1, %f1;\n"
                              "mul.bf16x2 %r9, %r1, %r2;\n") == word - 1);
    // What is no number is rounded.
    assert_true(straight(LANE "cvt.rn.f32.u32 %f1, %x;\ncvt.rn.f16x2.f32 %r2, %f1, %f1;\n"
                              "mul.f16x2 %r9, %r1, %r2;\n") == word + 2);
}

static void a_comparison_that_chooses_one_or_zero_is_one_instruction(void **state)
{
    (void)state;
#define FLOATS LANE "cvt.rn.f32.u32 %f1, %x;\ncvt.rn.f32.u32 %f2, %r1;\n"
#define WORD "mov.b32 %r9, %f5;\n"
    double sum = straight(FLOATS "add.f32 %f5, %f1, %f2;\n" WORD);
    assert_true(straight(FLOATS "setp.lt.f32 %p, %f1, %f2;\n"
                                "selp.f32 %f5, 0f3F800000, 0f00000000, %p;\n" WORD) == sum);
    assert_true(straight(FLOATS "setp.lt.f32 %p, %f1, %f2;\n"
                                "selp.f32 %f5, 0f00000000, 0f3F800000, %p;\n" WORD) == sum);
    // Other numbers, and comparisons of whole ones, take a predicate.
    assert_true(straight(FLOATS "setp.lt.f32 %p, %f1, %f2;\n"
                                "selp.f32 %f5, 0f40000000, 0f00000000, %p;\n" WORD) == sum + 1);
    assert_true(straight(FLOATS "setp.lt.f32 %p, %f1, %f2;\nselp.f32 %f3, %f1, %f2, %p;\n"
                                "selp.f32 %f4, 0f3F800000, 0f00000000, %p;\n"
                                "add.f32 %f5, %f3, %f4;\n" WORD) == sum + 3);
}

static void a_product_of_16_bits_extends_what_was_loaded_without_a_sign(void **state)
{
    (void)state;
    // The address is the same for both.
    double plain =
        straight("ld.shared.s16 %h1, [s];\nld.shared.s16 %h2, [s+2];\n"
                 "mul.lo.s16 %h5, %h1, %h2;\ncvt.u32.u16 %r3, %h5;\nxor.b32 %r9, %r3, %x;\n");
    assert_true(straight("ld.shared.u16 %h1, [s];\nld.shared.u16 %h2, [s+2];\n"
                         "mul.lo.s16 %h5, %h1, %h2;\ncvt.u32.u16 %r3, %h5;\n"
                         "xor.b32 %r9, %r3, %x;\n") == plain + 2);
    assert_true(straight("ld.shared.u16 %h1, [s];\nld.shared.u16 %h2, [s+2];\n"
                         "mul.lo.u16 %h5, %h1, %h2;\ncvt.u32.u16 %r3, %h5;\n"
                         "xor.b32 %r9, %r3, %x;\n") == plain);
}

static void a_mask_of_16_bits_is_tested_for_zero_by_itself(void **state)
{
    (void)state;
#define MASKED(mask) "cvt.u16.u32 %h1, %x;\nand.b16 %h2, %h1, " mask ";\n"
#define TESTED "selp.b32 %r3, %x, %n, %p;\n"
#define READ "cvt.u32.u16 %r4, %h2;\nxor.b32 %r9, %r3, %r4;\n"
    double one = straight(MASKED("7") "setp.eq.s16 %p, %h2, 1;\n" TESTED READ);
    assert_true(straight(MASKED("7") "setp.eq.s16 %p, %h2, 0;\n" TESTED READ) == one - 1);
    // Not where bits above the sixteenth may be left.
    assert_true(straight(MASKED("-8") "setp.eq.s16 %p, %h2, 0;\n" TESTED READ) ==
                straight(MASKED("-8") "setp.eq.s16 %p, %h2, 1;\n" TESTED READ));
}

static void a_half_is_extended_once_for_all_that_compare_it(void **state)
{
    (void)state;
#define SUM "cvt.u16.u32 %h1, %x;\nadd.s16 %h2, %h1, %h1;\n"
#define AGAIN "setp.gt.s16 %q, %h2, 5;\nselp.b32 %r4, %n, %x, %q;\nxor.b32 %r9, %r3, %r4;\n"
    double once = straight(SUM "setp.gt.s16 %p, %h2, 1;\n" TESTED "xor.b32 %r9, %r3, %n;\n");
    assert_true(straight(SUM "setp.gt.s16 %p, %h2, 1;\n" TESTED AGAIN) == once + 2);
    // Without a sign it is another extension.
    assert_true(straight(SUM "setp.gt.u16 %p, %h2, 1;\n" TESTED AGAIN) == once + 3);
}

static void a_value_is_taken_off_a_wide_product_at_once(void **state)
{
    (void)state;
#define PAIR LANE "ld.shared.u64 %d2, [s+8];\n"
#define HALVES_OF "mov.b64 {%r5, %r6}, %d3;\nxor.b32 %r9, %r5, %r6;\n"
    double sum = straight(PAIR "mul.wide.s32 %d4, %r1, %x;\nadd.s64 %d3, %d4, %d2;\n" HALVES_OF);
    assert_true(straight(PAIR "mul.wide.s32 %d4, %r1, %x;\nsub.s64 %d3, %d4, %d2;\n" HALVES_OF) ==
                sum);
    assert_true(straight(PAIR "mul.wide.s32 %d4, %r1, %x;\nsub.s64 %d3, %d2, %d4;\n" HALVES_OF) ==
                sum + 2);
}

static void a_loaded_word_with_a_sign_is_extended_by_the_sum_that_reads_it(void **state)
{
    (void)state;
#define SUM_OF(load, more) \
    PAIR "ld.shared." load " %d1, [s+16];\nadd.s64 %d3, %d1, %d2;\n" more HALVES_OF
    assert_true(straight(SUM_OF("s32", "")) == straight(SUM_OF("u32", "")));
#define ALSO "mov.b64 {%r3, %r4}, %d1;\nst.shared.u32 [s+100], %r4;\n"
    assert_true(straight(SUM_OF("s32", ALSO)) > straight(SUM_OF("s32", "")) + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_choice_that_a_sum_adds_is_two_sums_of_two),
        cmocka_unit_test(the_sum_of_two_choices_is_four),
        cmocka_unit_test(a_choice_is_added_to_what_lanes_share_outside_of_uniform_registers),
        cmocka_unit_test(a_register_that_a_choice_is_added_to_is_moved),
        cmocka_unit_test(numbers_of_16_bits_are_part_of_the_instruction),
        cmocka_unit_test(a_comparison_that_chooses_one_or_zero_is_one_instruction),
        cmocka_unit_test(a_product_of_16_bits_extends_what_was_loaded_without_a_sign),
        cmocka_unit_test(a_mask_of_16_bits_is_tested_for_zero_by_itself),
        cmocka_unit_test(a_half_is_extended_once_for_all_that_compare_it),
        cmocka_unit_test(a_loaded_word_with_a_sign_is_extended_by_the_sum_that_reads_it),
        cmocka_unit_test(a_value_is_taken_off_a_wide_product_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
