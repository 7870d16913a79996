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
    static const struct sim_line_code codes[] = {{5, 0, 3, 0},  {8, 1, 1, 0},  {9, 1, 1, 0},
                                                 {10, 1, 1, 0}, {11, 1, 1, 0}, {13, 0, 2, 0}};
    assert_true(instructions_of(10, codes, COUNT_OF(codes)) == 3 + 10 * 4 + 2);
}

// Four copies of the body in loop 1, with one counter and one branch; what is left over in loop 2, turn by turn.
static const struct sim_line_code unrolled[] = {
    {5, 0, 3, 0},  {8, 1, 4, 0},  {8, 2, 1, 0},  {9, 1, 4, 0},  {9, 2, 1, 0},
    {10, 1, 1, 0}, {10, 2, 1, 0}, {11, 1, 1, 0}, {11, 2, 1, 0}, {13, 0, 2, 0}};

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
    static const struct sim_line_code codes[] = {{5, 0, 3, 0},  {8, 1, 1, 0},  {9, 0, 1, 0},
                                                 {10, 1, 1, 0}, {11, 1, 1, 0}, {13, 0, 2, 0}};
    assert_true(instructions_of(10, codes, COUNT_OF(codes)) == 3 + 1 + 10 * 3 + 2);
}

// What came into a line from another block is executed with it, and says nothing about copies of it.
static void what_was_moved_into_a_block_is_no_copy_of_it(void **state)
{
    (void)state;
    static const struct sim_line_code codes[] = {{5, 0, 3, 0},  {8, 1, 4, 3},  {9, 1, 4, 3},
                                                 {10, 1, 1, 0}, {11, 1, 1, 0}, {13, 0, 2, 0}};
    assert_true(instructions_of(10, codes, COUNT_OF(codes)) == 3 + 10 * 10 + 2);
}

static const char step[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                           ".visible .entry k(.param .u64 out, .param .u32 from) {\n"
                           ".reg .b32 %r<4>; .reg .b64 %d; .reg .pred %p;\n"
                           "ld.param.u64 %d, [out];\n"
                           "ld.param.u32 %r1, [from];\n"
                           "mov.u32 %r2, %tid.x;\n"
                           "setp.lt.u32 %p, %r2, %r1;\n"
                           "@%p bra over;\n"
                           "red.global.add.u32 [%d], 1;\n"
                           "over:\n"
                           "red.global.add.u32 [%d+4], 1;\n"
                           "ret; }\n";

static double with_lanes_from(uint32_t from)
{
    struct bench b;
    bench_text(&b, step);
    static const uint32_t none[16];
    uint64_t out = bench_buffer(&b, "out", none, sizeof none);
    bench_run(&b, "k", GRID1(1, 32), ARGS(&out, &from));
    double counted = bench_counter(&b, COUNTER_WARP_INSTRUCTIONS);
    bench_close(&b);
    return counted;
}

// Either side issues the BSYNC (an H200: 16 such branches, 16 instructions more per warp).
static void lanes_that_part_issue_one_instruction_more(void **state)
{
    (void)state;
    double together = with_lanes_from(0), parted = with_lanes_from(16);
    assert_true(parted == together + 1);
    assert_true(with_lanes_from(32) < together);
}

static const char copy[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                           ".visible .entry k(.param .u64 in) { .reg .b32 %r; .reg .b64 %d;\n"
                           ".shared .align 16 .b8 s[512];\n"
                           "ld.param.u64 %d, [in];\n"
                           "mov.u32 %r, s;\n"
                           "cp.async.ca.shared.global [%r], [%d], 16;\n"
                           "cp.async.wait_all;\n"
                           "ld.shared.u32 %r, [s];\n"
                           "ret; }\n";

// ptxas writes three loads that are never taken before each LDGSTS; the hardware counts them.
static void asynchronous_copies_bring_three_shared_requests(void **state)
{
    struct bench b;
    (void)state;
    bench_text(&b, copy);
    static const uint32_t none[16];
    uint64_t in = bench_buffer(&b, "in", none, sizeof none);
    bench_run(&b, "k", GRID1(1, 32), ARGS(&in));
    assert_true(bench_counter(&b, COUNTER_SHARED_LOAD_REQUESTS) == 3 + 1);
    bench_close(&b);
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
        cmocka_unit_test(what_was_moved_into_a_block_is_no_copy_of_it),
        cmocka_unit_test(lanes_that_part_issue_one_instruction_more),
        cmocka_unit_test(asynchronous_copies_bring_three_shared_requests),
        cmocka_unit_test(without_a_compilers_the_lowering_passes_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
