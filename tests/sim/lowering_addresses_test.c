// Machine instructions that are reckoned without a ptxas for arithmetic of 64 bits with words in it, as places in arrays are made.
// SPDX-License-Identifier: Apache-2.0
#include "exec_support.h"

// Of one warp: t is the thread's number with a zero above, s with its sign; l is loaded, lu a word with a zero, ls one with its sign; p is a
// parameter. What is stored is r.
static double counted(const char *body)
{
    static char text[4096];
    struct bench b;
    int length = snprintf(
        text, sizeof text,
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 in, .param .u64 p) {\n"
        ".reg .b32 %%x, %%w<4>; .reg .b64 %%in, %%l, %%l2, %%t, %%lu, %%ls, %%p, %%r, %%d<8>;\n"
        ".reg .f64 %%a, %%b, %%q; .reg .pred %%c;\n"
        "ld.param.u64 %%in, [in];\nld.param.u64 %%p, [p];\nmov.u32 %%x, %%tid.x;\n"
        "mul.wide.u32 %%d1, %%x, 8;\nadd.s64 %%d2, %%in, %%d1;\n"
        "ld.global.u64 %%l, [%%d2];\nld.global.u64 %%l2, [%%d2+256];\n"
        "ld.global.u32 %%w1, [%%d2+512];\nld.global.u32 %%w2, [%%d2+768];\n"
        "cvt.u64.u32 %%t, %%x;\ncvt.u64.u32 %%lu, %%w1;\ncvt.s64.s32 %%ls, %%w2;\n"
        "%sst.global.u64 [%%d2+1024], %%r;\nst.global.u64 [%%d2+1280], %%l;\n"
        "st.global.u64 [%%d2+1536], %%l2;\nst.global.u32 [%%d2+256], %%w1;\n"
        "st.global.u64 [%%d2+512], %%ls;\nret; }\n",
        body);
    assert_true(length > 0 && (size_t)length < sizeof text);
    bench_text(&b, text);
    static uint64_t words[256];
    uint64_t in = bench_buffer(&b, "in", words, sizeof words), p = 1 << 24;
    bench_run(&b, "k", GRID1(1, 32), ARGS(&in, &p));
    double instructions = bench_counter(&b, COUNTER_WARP_INSTRUCTIONS);
    bench_close(&b);
    return instructions;
}

// Of ptxas 13.0's code for sm_90, by 320 products, sums, shifts of such.
static void a_product_of_64_bits_takes_what_the_halves_of_its_factors_need(void **state)
{
    (void)state;
    double none = counted("mov.u64 %r, %l;\n");
    assert_true(counted("mul.lo.s64 %r, %l, %l2;\n") == none + 4);
    assert_true(counted("mul.lo.s64 %r, %l, %lu;\n") == none + 3);
    assert_true(counted("mul.lo.s64 %r, %lu, %l;\n") == none + 2);
    assert_true(counted("mul.lo.s64 %r, %ls, %l;\n") == none + 4);
    assert_true(counted("mul.lo.s64 %r, %lu, %t;\n") == none + 3); // a zero is added
    assert_true(counted("mul.lo.s64 %r, %l, 24;\n") == none + 3);
    assert_true(counted("mad.lo.s64 %r, %lu, %l, %l2;\n") == none + 2);
    assert_true(counted("mul.lo.s64 %d3, %lu, %l;\nadd.s64 %r, %d3, %l2;\n") == none + 2);
    // A parameter is the second factor.
    assert_true(counted("mul.lo.s64 %r, %p, %lu;\n") == counted("mul.lo.s64 %r, %lu, %p;\n"));
    // What is taken off is of a factor less zero.
    assert_true(counted("mul.lo.s64 %d3, %lu, %l;\nsub.s64 %r, %l2, %d3;\n") == none + 6);
    assert_true(counted("mul.lo.s64 %d3, %l, %lu;\nsub.s64 %r, %l2, %d3;\n") == none + 5);
}

static void a_product_of_64_bits_is_part_of_each_sum_that_reads_it(void **state)
{
    (void)state;
    double none = counted("xor.b64 %r, %l, %l2;\n");
    // IMAD.WIDE and a sum each, what the upper halves bring once; a product with a number of a shift.
    assert_true(counted("mul.lo.s64 %d3, %l, %l2;\nadd.s64 %d4, %d3, %l;\nadd.s64 %d5, %d3, %l2;\n"
                        "xor.b64 %r, %d4, %d5;\n") == none + 2 + 2 * 2);
    double sum = counted("mul.lo.s64 %d3, %l, 24;\nadd.s64 %r, %d3, %l2;\n");
    assert_true(counted("mul.lo.s64 %d3, %l, 24;\nshl.b64 %d4, %d3, 2;\nadd.s64 %r, %d4, %l2;\n") ==
                sum);
}

static void a_word_becomes_a_pair_for_imad_wide(void **state)
{
    (void)state;
#define ADDED(value) "mul.wide.u32 %d3, %x, %w1;\nadd.s64 %r, %d3, " value ";\n"
    double pair = counted(ADDED("%l"));
    assert_true(counted(ADDED("%t")) == pair + 1);
    assert_true(counted(ADDED("%ls")) == pair); // its sign has been made
}

static void a_word_is_shifted_to_64_bits_by_halves(void **state)
{
    (void)state;
    double none = counted("mov.u64 %r, %l;\n");
    assert_true(counted("shl.b64 %r, %lu, 3;\n") == none + 2);
    assert_true(counted("shl.b64 %r, %ls, 3;\n") == none + 2);
    // LEA takes it where one sum alone reads it; a difference its lower half.
    assert_true(counted("shl.b64 %d3, %lu, 3;\nadd.s64 %r, %l, %d3;\n") == none + 2);
    assert_true(counted("shl.b64 %d3, %lu, 3;\nsub.s64 %r, %l, %d3;\n") == none + 3);
}

static void a_number_without_a_lower_half_is_added_to_the_upper_one(void **state)
{
    (void)state;
    double shifted = counted("shl.b64 %d3, %l, 32;\nshr.s64 %r, %d3, 32;\n");
    assert_true(counted("shl.b64 %d3, %l, 32;\nadd.s64 %d4, %d3, 4294967296;\n"
                        "shr.s64 %r, %d4, 32;\n") == shifted + 1);
}

static double of_flag(const char *type)
{
    static char text[1024];
    struct bench b;
    (void)snprintf(
        text, sizeof text,
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 p, .param .%s f) {\n.reg .b64 %%d; .reg .b16 %%f; "
        ".reg .b32 %%x; .reg .pred %%q;\nld.param.u64 %%d, [p];\nld.param.%s %%f, [f];\n"
        "setp.eq.s16 %%q, %%f, 0;\nselp.b32 %%x, 3, 4, %%q;\n"
        "st.global.u32 [%%d], %%x;\nret; }\n",
        type, type);
    bench_text(&b, text);
    uint32_t words[4] = {0};
    uint64_t p = bench_buffer(&b, "p", words, sizeof words), flag = 0;
    bench_run(&b, "k", GRID1(1, 32), ARGS(&p, &flag));
    double instructions = bench_counter(&b, COUNTER_WARP_INSTRUCTIONS);
    bench_close(&b);
    return instructions;
}

static void a_flag_where_a_word_of_parameters_begins_is_extended(void **state)
{
    (void)state;
    assert_true(of_flag("s8") == of_flag("u8") + 1);
    assert_true(of_flag("s16") == of_flag("u8") + 1);
}

// Of 180 comparisons.
static void what_is_uniform_comes_second_in_a_comparison(void **state)
{
    (void)state;
#define COMPARED(a, b) \
    "shr.u64 %d3, %p, 3;\nsetp.lt.u64 %c, " a ", " b ";\nselp.b64 %r, %l, %l2, %c;\n"
    assert_true(counted(COMPARED("%d3", "%l")) == counted(COMPARED("%l", "%d3")) + 1);
    assert_true(counted(COMPARED("%p", "%l")) == counted(COMPARED("%l", "%p")));
}

// Of 14 forms, at most 2^23 - 1 bytes behind a place and 2^23 before it.
static void divisions_of_f64_need_what_is_large_or_known_by_itself(void **state)
{
    (void)state;
#define DIVIDED(a, b)                                                  \
    "mov.b64 %a, " a ";\nmov.b64 %b, " b ";\ndiv.rn.f64 %q, %a, %b;\n" \
    "mov.b64 %r, %q;\nst.global.u64 [%d2+48], %p;\n"
    double quotient = counted(DIVIDED("%l", "%l2"));
    assert_true(counted(DIVIDED("%l", "%p")) == quotient + 1);
    assert_true(counted(DIVIDED("%p", "%l")) == quotient + 1);
    // Two moves for the number's halves, no comparison of it.
    assert_true(counted(DIVIDED("0d400D99999999999A", "%l")) == quotient + 2 - 1);
    // A product of f64 has no sign of its own.
    assert_true(counted("mov.b64 %a, %l;\nmov.b64 %b, %l2;\nmul.f64 %a, %a, %b;\nneg.f64 %q, %a;\n"
                        "mov.b64 %r, %q;\n") ==
                counted("mov.b64 %a, %l;\nmov.b64 %b, %l2;\nmul.f64 %q, %a, %b;\n"
                        "mov.b64 %r, %q;\n") +
                    1);
    // DADD makes what FSEL takes by halves.
#define CHOSEN(a)                                                    \
    "mov.b64 %a, %l;\nmov.b64 %b, %l2;\nsetp.gt.f64 %c, %a, %b;\n" a \
    "selp.f64 %q, %q, %b, %c;\nmov.b64 %r, %q;\n"
    assert_true(counted(CHOSEN("neg.f64 %q, %a;\n")) == counted(CHOSEN("add.f64 %q, %a, %b;\n")));
}

static void an_access_far_from_its_place_needs_a_sum(void **state)
{
    (void)state;
    enum { SUM = 2 };
    char near[512], far[512], more[640];
    static const char form[] =
        "sub.s64 %%d3, %%d2, %%p;\nmov.u64 %%r, %%d3;\nst.global.u32 [%s], %%w1;\n";
    (void)snprintf(near, sizeof near, form, "%d2+264");
    (void)snprintf(far, sizeof far, form, "%d3+16777216");
    (void)snprintf(more, sizeof more, "%sst.global.u32 [%%d3+16777224], %%w1;\n", far);
    assert_true(counted(far) == counted(near) + SUM);
    assert_true(counted(more) == counted(far) + 1);
    assert_true(counted("mov.u64 %r, %l;\nadd.s64 %d3, %d2, 264;\nst.global.u32 [%d3], %w1;\n") ==
                counted("mov.u64 %r, %l;\nst.global.u32 [%d2+264], %w1;\n"));
}

static void one_lane_adds_for_all_as_many_times_a_number(void **state)
{
    (void)state;
    // Who does it is S2R, VOTEU, UFLO, ISETP; how often POPC; a number but one IMAD; a further one of the same value nothing.
    double one = counted("mov.u64 %r, %l;\nred.global.add.u32 [%in], 1;\n");
    assert_true(counted("mov.u64 %r, %l;\nred.global.add.u32 [%in], 10;\n") == one + 1);
    assert_true(counted("mov.u64 %r, %l;\nred.global.add.u32 [%in], 10;\n"
                        "red.global.add.u32 [%in], 10;\n") == one + 2);
    assert_true(counted("mov.u64 %r, %l;\nred.global.add.u32 [%in], 10;\n"
                        "red.global.add.u32 [%in], 7;\n") == one + 3);
    assert_true(counted("mov.u64 %r, %l;\nred.global.add.u32 [%in], %x;\n"
                        "red.global.add.u32 [%in], %x;\n") ==
                counted("mov.u64 %r, %l;\nred.global.add.u32 [%in], %x;\n") + 1);
    // A number beside a parameter is added to it before, and the sum moved.
    assert_true(counted("mov.u64 %r, %l;\nred.global.add.u32 [%in+4], 1;\n") == one + 4);
}

static void a_word_that_is_stored_as_64_bits_has_a_zero_behind_it(void **state)
{
    (void)state;
    assert_true(counted("mov.u64 %r, %lu;\n") == counted("mov.u64 %r, %l;\n") + 1);
}

// Eight turns, of which each adds what `sums` says to a pointer of all lanes, and steps it.
static double walked(const char *leaves, const char *sums)
{
    static char text[4096];
    struct bench b;
    int length = snprintf(
        text, sizeof text,
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 in, .param .u32 turns) {\n"
        ".reg .b32 %%x, %%y, %%n, %%v, %%u; .reg .b64 %%in, %%s, %%o, %%o2, %%d<4>; .reg .pred "
        "%%c;\n"
        "ld.param.u64 %%in, [in];\nld.param.u32 %%n, [turns];\nmov.u32 %%x, %%tid.x;\n"
        "setp.gt.u32 %%c, %%x, 99;\n%s\nmul.lo.s32 %%y, %%x, 3;\nmul.wide.s32 %%o, %%x, 4;\n"
        "mul.wide.s32 %%o2, %%y, 8;\nmov.u32 %%u, 0;\nmov.u64 %%s, %%in;\n"
        "turn:\n.pragma \"nounroll\";\n%sadd.s32 %%u, %%u, %%v;\nadd.s64 %%s, %%s, 16;\n"
        "add.s32 %%n, %%n, -1;\nsetp.ne.s32 %%c, %%n, 0;\n@%%c bra turn;\n"
        "add.s64 %%d1, %%in, %%o;\nst.global.u32 [%%d1], %%u;\nend:\nret; }\n",
        leaves, sums);
    assert_true(length > 0 && (size_t)length < sizeof text);
    bench_text(&b, text);
    static uint32_t words[1024];
    uint64_t in = bench_buffer(&b, "in", words, sizeof words);
    uint32_t turns = 8;
    bench_run(&b, "k", GRID1(1, 32), ARGS(&in, &turns));
    double instructions = bench_counter(&b, COUNTER_WARP_INSTRUCTIONS);
    bench_close(&b);
    return instructions;
}

// It is in uniform registers where one sum reads it, which IMAD.WIDE with a number cannot add. (ptxas 13.0, 8 forms.)
static void a_pointer_that_lanes_step_together_is_moved_for_its_sum(void **state)
{
    (void)state;
    const char *one = "add.s64 %d1, %s, %o;\nld.global.u32 %v, [%d1];\n";
    const char *two = "add.s64 %d1, %s, %o;\nld.global.u32 %v, [%d1];\n"
                      "add.s64 %d2, %s, %o2;\nld.global.u32 %y, [%d2];\nadd.s32 %v, %v, %y;\n";
    // Of two sums: a sum, a load, and the sum of what was loaded.
    enum { TURNS = 8, LOAD = 1, SUM = 1, MOVES = 2 };
    const char *none = "mov.u32 %v, %x;\n";
    double stepped = walked("", one) - walked("", none);
    assert_true(stepped >= TURNS * (LOAD + SUM + MOVES));
    assert_true(walked("@%c bra end;", one) - walked("@%c bra end;", none) ==
                stepped);                               // who leaves is gone
    double by_two = walked("", two) - walked("", none); // the second one's value is added, too
    assert_true(by_two < TURNS * (2 * (LOAD + SUM) + 1 + MOVES));
    // Where lanes take turns of their own it is moved as well. (ptxas 13.0, 232 forms.)
    enum { TURNS_OF_LAST = TURNS + 31 };
    const char *own = "add.s32 %n, %n, %x;";
    assert_true(walked(own, one) - walked(own, none) >= TURNS_OF_LAST * (LOAD + SUM + MOVES));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_product_of_64_bits_takes_what_the_halves_of_its_factors_need),
        cmocka_unit_test(a_product_of_64_bits_is_part_of_each_sum_that_reads_it),
        cmocka_unit_test(a_word_becomes_a_pair_for_imad_wide),
        cmocka_unit_test(a_pointer_that_lanes_step_together_is_moved_for_its_sum),
        cmocka_unit_test(a_word_is_shifted_to_64_bits_by_halves),
        cmocka_unit_test(one_lane_adds_for_all_as_many_times_a_number),
        cmocka_unit_test(a_word_that_is_stored_as_64_bits_has_a_zero_behind_it),
        cmocka_unit_test(divisions_of_f64_need_what_is_large_or_known_by_itself),
        cmocka_unit_test(a_flag_where_a_word_of_parameters_begins_is_extended),
        cmocka_unit_test(what_is_uniform_comes_second_in_a_comparison),
        cmocka_unit_test(an_access_far_from_its_place_needs_a_sum),
        cmocka_unit_test(a_number_without_a_lower_half_is_added_to_the_upper_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
