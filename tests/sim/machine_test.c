// Machine instructions where a real compiler's are known by line (struct sim_line_code): loops that it unrolled, code that it
// moved out of them.
// SPDX-License-Identifier: Apache-2.0
#include "sim/exec_support.h"

// A line each: 5 and 6 before the loop, 8 to 11 in it, 12 and 13 behind.
static const char loop[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                           ".visible .entry k(.param .u32 n) { .reg .b32 %r<4>; .reg .pred %p;\n"
                           "ld.param.u32 %r1, [n];\n"
                           "mov.u32 %r2, 1;\n"
                           "again:\n"
                           "mul.lo.u32 %r2, %r2, 3;\n"
                           "sub.u32 %r1, %r1, 1;\n"
                           "setp.ne.u32 %p, %r1, 0;\n"
                           "@%p bra again;\n"
                           "mov.u32 %r3, %r2;\n"
                           "ret; }\n";

static double instructions_of(uint32_t turns, const struct sim_line_code *codes, int count)
{
    struct bench b;
    bench_text(&b, loop);
    b.launch.line_codes = codes;
    b.launch.line_code_count = count;
    bench_run(&b, "k", GRID1(1, 32), ARGS(&turns));
    double counted = bench_counter(&b, COUNTER_WARP_INSTRUCTIONS);
    bench_close(&b);
    return counted;
}

static void straight_code_counts_as_it_was_made(void **state)
{
    (void)state;
    static const struct sim_line_code codes[] = {{5, 0, 3},  {8, 1, 1},  {9, 1, 1},
                                                 {10, 1, 1}, {11, 1, 1}, {13, 0, 2}};
    assert_true(instructions_of(10, codes, COUNT_OF(codes)) == 3 + 10 * 4 + 2);
}

// Four copies of the body in loop 1, with one counter and one branch; what is left over in loop 2, turn by turn.
static const struct sim_line_code unrolled[] = {{5, 0, 3},  {8, 1, 4},  {8, 2, 1},  {9, 1, 4},
                                                {9, 2, 1},  {10, 1, 1}, {10, 2, 1}, {11, 1, 1},
                                                {11, 2, 1}, {13, 0, 2}};

static void copies_of_a_loop_share_its_counter_and_branch(void **state)
{
    (void)state;
    assert_true(instructions_of(400, unrolled, COUNT_OF(unrolled)) == 3 + 100 * 10 + 2);
}

static void turns_that_are_left_over_run_in_the_other_loop(void **state)
{
    (void)state;
    assert_true(instructions_of(403, unrolled, COUNT_OF(unrolled)) == 3 + 100 * 10 + 3 * 4 + 2);
    assert_true(instructions_of(3, unrolled, COUNT_OF(unrolled)) == 3 + 3 * 4 + 2);
}

static void what_was_moved_out_of_a_loop_runs_once(void **state)
{
    (void)state;
    static const struct sim_line_code codes[] = {{5, 0, 3},  {8, 1, 1},  {9, 0, 1},
                                                 {10, 1, 1}, {11, 1, 1}, {13, 0, 2}};
    assert_true(instructions_of(10, codes, COUNT_OF(codes)) == 3 + 1 + 10 * 3 + 2);
}

static void without_a_compilers_the_lowering_passes_hold(void **state)
{
    (void)state;
    double alone = instructions_of(10, NULL, 0);
    assert_true(alone > 0 && instructions_of(20, NULL, 0) > alone);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight_code_counts_as_it_was_made),
        cmocka_unit_test(copies_of_a_loop_share_its_counter_and_branch),
        cmocka_unit_test(turns_that_are_left_over_run_in_the_other_loop),
        cmocka_unit_test(what_was_moved_out_of_a_loop_runs_once),
        cmocka_unit_test(without_a_compilers_the_lowering_passes_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
