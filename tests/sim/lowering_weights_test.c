// Which sides of a branch get predicates without a ptxas, by what ptxas 13.0 was seen to count of them: the same kernel is run by
// lanes that all skip the side and by lanes that all take it. Under predicates both execute as many instructions.
// SPDX-License-Identifier: Apache-2.0
#include "exec_support.h"

#include <stdlib.h>
#include <string.h>

static double executed(const char *before, const char *side, const char *behind, uint32_t n)
{
    static char text[8192];
    struct bench b;
    int length =
        snprintf(text, sizeof text,
                 ".version 8.0\n.target sm_90\n.address_size 64\n.global .align 16 .b8 g[16384];\n"
                 ".shared .align 16 .b8 s[1024];\n"
                 ".visible .entry k(.param .u32 n, .param .u32 m, .param .u64 d) {\n"
                 ".reg .b32 %%x, %%y, %%n, %%m, %%r<40>; .reg .f32 %%f<8>; .reg .f64 %%e<8>;\n"
                 ".reg .b64 %%a, %%b, %%d, %%w<8>; .reg .b16 %%h<4>; .reg .pred %%p, %%q;\n"
                 "ld.param.u32 %%n, [n];\nld.param.u32 %%m, [m];\nld.param.u64 %%d, [d];\n"
                 "mov.u32 %%x, %%tid.x;\nmov.u64 %%b, g;\nmul.wide.u32 %%w0, %%x, 16;\n"
                 "add.s64 %%a, %%b, %%w0;\ncvt.rn.f32.s32 %%f1, %%x;\nmov.u32 %%y, %%x;\n%s"
                 "setp.lt.s32 %%p, %%x, %%n;\n@%%p bra over;\n%sover:\n%s"
                 "st.global.f32 [%%a], %%f1;\nst.global.u32 [%%a+4], %%y;\nret; }\n",
                 before, side, behind);
    assert_true(length > 0 && (size_t)length < sizeof text);
    uint32_t m = 3;
    uint64_t d = 16;
    bench_text(&b, text);
    bench_run(&b, "k", GRID1(1, 32), ARGS(&n, &m, &d));
    double counted = bench_counter(&b, COUNTER_WARP_INSTRUCTIONS);
    bench_close(&b);
    return counted;
}

static bool has_predicates(const char *before, const char *first, int products, const char *behind)
{
    enum { NOBODY = 0, ALL = 64 };
    static const char product[] = "mul.lo.s32 %y, %y, %x;\n";
    char side[4096];
    size_t length = (size_t)snprintf(side, sizeof side, "%s", first);
    for (int k = 0; k < products && length + sizeof product < sizeof side; k++) {
        memcpy(side + length, product, sizeof product);
        length += sizeof product - 1;
    }
    return executed(before, side, behind, NOBODY) == executed(before, side, behind, ALL);
}

// How many of the eight that a side may count its first instructions are.
static int weight_behind(const char *before, const char *first)
{
    enum { SIDE = 8 };
    int products = 0;
    while (products <= SIDE && has_predicates(before, first, products, ""))
        products++;
    return SIDE + 1 - products;
}

static int weight(const char *first)
{
    return weight_behind("", first);
}

#define F64 "cvt.rn.f64.s32 %e1, %x;\nld.global.f64 %e2, [%b+8];\n"
#define STORED "st.global.f64 [%a+8], %e3;\n"

static void operations_count_before_they_are_expanded(void **state)
{
    (void)state;
    enum { NEVER = 9 };
    assert_int_equal(weight("mul.lo.s32 %y, %y, %x;\n"), 1);
    assert_int_equal(weight_behind(F64, "max.f64 %e3, %e1, %e2;\n" STORED), 2);
    assert_int_equal(weight_behind(F64, "add.f64 %e3, %e1, %e2;\n" STORED), 2);
    assert_int_equal(weight("bfe.u32 %r1, %y, 3, 9;\nadd.s32 %y, %r1, %x;\n"), 2);
    assert_int_equal(weight("ex2.approx.ftz.f32 %f1, %f1;\n"), 1);
    assert_int_equal(weight("ex2.approx.f32 %f1, %f1;\n"), 5);
    assert_int_equal(weight("lg2.approx.f32 %f1, %f1;\n"), 5);
    assert_int_equal(weight("add.f16x2 %y, %y, %x;\n"), 2);
    assert_int_equal(weight("clz.b32 %y, %y;\n"), NEVER);
    assert_int_equal(weight("dp4a.u32.u32 %y, %y, %x, %x;\n"), NEVER);
}

static void numbers_in_registers_count_where_nothing_before_has_them(void **state)
{
    (void)state;
    static const char one[] = "fma.rn.f32 %f1, %f1, %f1, 0f3F100001;\n",
                      two[] = "fma.rn.f32 %f1, %f1, 0f3F200001, 0f3F100001;\n",
                      shared[] = "fma.rn.f32 %f2, %f1, 0f3F200001, 0f3F100001;\n"
                                 "fma.rn.f32 %f1, %f2, 0f3F300001, 0f3F100001;\n";
    assert_int_equal(weight(one), 1);
    assert_int_equal(weight(two), 2);
    assert_int_equal(weight(shared), 3);
    assert_int_equal(weight_behind("mul.f32 %f1, %f1, 0f40000000;\n"
                                   "fma.rn.f32 %f1, %f1, 0f3F200001, 0f3F100001;\n",
                                   two),
                     1);
    assert_int_equal(weight("mov.f32 %f1, 0f00000000;\n"), 0);
    assert_int_equal(weight("mov.f32 %f1, 0f3F800000;\n"), 1);
}

static void parameters_count_where_they_are_read_first(void **state)
{
    (void)state;
    assert_int_equal(weight("add.s32 %y, %y, %m;\n"), 2);
    assert_int_equal(weight("add.s32 %y, %y, %n;\n"), 1);
    assert_int_equal(weight_behind("mul.lo.s32 %y, %y, %m;\n", "add.s32 %y, %y, %m;\n"), 1);
    assert_int_equal(weight("mov.u32 %r1, %ctaid.y;\nadd.s32 %y, %y, %r1;\n"), 2);
}

static void an_address_in_two_halves_is_put_together(void **state)
{
    (void)state;
    static const char before[] = "st.global.u64 [%a+8], %d;\n";
    assert_int_equal(weight_behind(before, "mul.wide.u32 %w3, %x, 4;\nadd.s64 %w4, %a, %w3;\n"
                                           "st.global.u32 [%w4], %x;\n"),
                     2);
    assert_int_equal(weight_behind(before, "add.s64 %w4, %a, %d;\nst.global.u32 [%w4], %x;\n"), 4);
}

static void the_window_of_shared_memory_is_found_once(void **state)
{
    (void)state;
    static const char load[] = "ld.shared.f32 %f2, [s+16];\nadd.f32 %f1, %f1, %f2;\n";
    assert_int_equal(weight(load), 5);
    assert_int_equal(weight_behind("st.shared.u32 [s+4], %x;\n", load), 2);
}

static void loads_begun_before_allow_long_sides_where_much_is_behind(void **state)
{
    (void)state;
    enum { LONG = 12 };
    static const char load[] = "ld.global.u32 %r9, [%a+8192];\n",
                      use[] = "st.global.u32 [%a+8], %r9;\n",
                      much[] = "st.global.u32 [%a+8], %r9;\nst.global.u32 [%a+12], %x;\n"
                               "mul.lo.s32 %r3, %x, %x;\nst.global.u32 [%a+1024], %r3;\n";
    assert_false(has_predicates("", "", LONG, much));
    assert_false(has_predicates(load, "", LONG, use));
    assert_true(has_predicates(load, "", LONG, much));
}

static void a_load_at_the_kernels_end_waits_behind_a_branch(void **state)
{
    (void)state;
    static const char side[] = "ld.global.f32 %f2, [%a+8192];\nadd.f32 %f1, %f2, %f2;\n"
                               "mov.u32 %y, 0;\n",
                      *more = "st.global.u32 [%a+8], %x;\n";
    assert_false(has_predicates("", side, 0, ""));
    assert_true(has_predicates("", side, 0, more));
}

// (ptxas 13.0, 270 forms.)
static void lanes_that_end_soon_want_something_to_do_while_a_side_loads(void **state)
{
    (void)state;
    static const char side[] = "ld.global.f32 %f2, [%a+8192];\nadd.f32 %f1, %f2, %f2;\n"
                               "st.global.f32 [%a+16], %f1;\nmov.u32 %y, 0;\n";
    // Lanes are chosen of which some end: a comparison is too little, products before it are enough, and so is a load.
    static const char ends[] = "setp.gt.u32 %q, %x, %m;\n@%q bra out;\n",
                      worked[] = "mul.lo.s32 %r1, %x, %m;\nmad.lo.s32 %r2, %r1, %x, %m;\n"
                                 "setp.gt.u32 %q, %r2, %m;\n@%q bra out;\n",
                      loaded[] = "ld.global.u32 %r1, [%a+64];\nsetp.gt.u32 %q, %r1, %m;\n"
                                 "@%q bra out;\n";
    char few[512], more[512], load[512];
    static const char rest[] = "st.global.u32 [%a+8], %x;\nst.global.u32 [%a+12], %n;\nret;\nout:\n"
                               "ret;\n";
    (void)snprintf(few, sizeof few, "%s%s", ends, rest);
    (void)snprintf(more, sizeof more, "%s%s", worked, rest);
    (void)snprintf(load, sizeof load, "%s%s", loaded, rest);
    assert_false(has_predicates("", side, 0, few));
    assert_true(has_predicates("", side, 0, more));
    assert_true(has_predicates("", side, 0, load));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_count_before_they_are_expanded),
        cmocka_unit_test(numbers_in_registers_count_where_nothing_before_has_them),
        cmocka_unit_test(parameters_count_where_they_are_read_first),
        cmocka_unit_test(an_address_in_two_halves_is_put_together),
        cmocka_unit_test(the_window_of_shared_memory_is_found_once),
        cmocka_unit_test(loads_begun_before_allow_long_sides_where_much_is_behind),
        cmocka_unit_test(a_load_at_the_kernels_end_waits_behind_a_branch),
        cmocka_unit_test(lanes_that_end_soon_want_something_to_do_while_a_side_loads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
