// Machine instructions where a real compiler's are known by line (struct sim_line_code): loops that it unrolled, code that it
// moved out of them.
// SPDX-License-Identifier: Apache-2.0
#include "sim/run/exec.h"

#undef fail
#include "sim/exec_support.h"

// A line each: 5 and 6 before the loop, 8 to 11 in it, 12 and 13 behind.
static const char loop[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u32 n) { .reg .b32 %r<4>; .reg .pred %p; .shared .b32 s;\n"
    "ld.param.u32 %r1, [n];\n"
    "mov.u32 %r2, 1;\n"
    "again:\n"
    "mul.lo.u32 %r2, %r2, 3;\n"
    "sub.u32 %r1, %r1, 1;\n"
    "setp.ne.u32 %p, %r1, 0;\n"
    "@%p bra again;\n"
    "st.shared.u32 [s], %r2;\n"
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

static void moves_beside_a_line_are_no_copies_of_its_loop(void **state)
{
    (void)state;
    static const struct sim_line_code codes[] = {{5, 0, 3, 0},  {8, 1, 3, 0},  {9, 1, 1, 0},
                                                 {10, 1, 1, 0}, {11, 1, 1, 0}, {13, 0, 2, 0}};
    assert_true(instructions_of(10, codes, COUNT_OF(codes)) == 3 + 10 * 6 + 2);
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

// Straight code behind the loop in place of the other: bodies of two and one, and what asks how many turns there are, once.
static const struct sim_line_code straight[] = {
    {5, 0, 3, 0},  {8, 1, 4, 0},  {8, 0, 3, 0},  {9, 1, 4, 0},  {9, 0, 3, 0},
    {10, 1, 1, 0}, {10, 0, 6, 0}, {11, 1, 1, 0}, {11, 0, 3, 0}, {13, 0, 2, 0}};

static void what_asks_for_turns_left_over_runs_once(void **state)
{
    (void)state;
    assert_true(instructions_of(400, straight, COUNT_OF(straight)) == 3 + 100 * 10 + 9 + 2);
    assert_true(instructions_of(403, straight, COUNT_OF(straight)) == 3 + 100 * 10 + 9 + 3 * 2 + 2);
}

// A loop of three blocks; the second one is a line that came to two instructions.
static const char blocks[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u32 n) { .reg .b32 %r<4>; .reg .pred %p<2>;\n"
    "ld.param.u32 %r1, [n];\n"
    "again:\n"
    "mul.lo.u32 %r2, %r1, 3;\nmul.lo.u32 %r2, %r2, %r2;\nmul.lo.u32 %r2, %r2, %r1;\n"
    "setp.eq.u32 %p1, %r1, 77777;\n"
    "@%p1 bra next;\n"
    "mul.lo.u32 %r3, %r2, %r2;\n"
    "next:\n"
    "sub.u32 %r1, %r1, 1;\nsetp.ne.u32 %p0, %r1, 0;\n@%p0 bra again;\n"
    "ret; }\n";

static void small_blocks_are_not_taken_for_copies(void **state)
{
    (void)state;
    static const struct sim_line_code codes[] = {
        {5, 0, 3, 0},  {7, 1, 1, 0},  {8, 1, 1, 0},  {9, 1, 1, 0},  {10, 1, 1, 0}, {11, 1, 1, 0},
        {12, 1, 2, 0}, {14, 1, 1, 0}, {15, 1, 1, 0}, {16, 1, 1, 0}, {17, 0, 1, 0}};
    struct bench b;
    uint32_t turns = 10;
    bench_text(&b, blocks);
    b.launch.line_codes = codes;
    b.launch.line_code_count = COUNT_OF(codes);
    bench_run(&b, "k", GRID1(1, 32), ARGS(&turns));
    assert_true(bench_counter(&b, COUNTER_WARP_INSTRUCTIONS) == 3 + 10 * 10 + 1);
    bench_close(&b);
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

// A step of a tree over shared memory, which ptxas puts under predicates.
static const char tree[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                           ".visible .entry k(.param .u32 below) {\n"
                           ".reg .b32 %r<4>; .reg .f32 %f<4>; .reg .pred %p;\n"
                           ".shared .align 16 .b8 s[1024];\n"
                           "ld.param.u32 %r1, [below];\n"
                           "mov.u32 %r2, %tid.x;\n"
                           "shl.b32 %r3, %r2, 2;\n"
                           "mov.u32 %r0, s;\n"
                           "add.s32 %r0, %r0, %r3;\n"
                           "mov.f32 %f1, 0f3F800000;\n"
                           "st.shared.f32 [%r0], %f1;\n"
                           "st.shared.f32 [%r0+512], %f1;\n"
                           "bar.sync 0;\n"
                           "setp.ge.u32 %p, %r2, %r1;\n"
                           "@%p bra over;\n"
                           "ld.shared.f32 %f1, [%r0];\n"
                           "ld.shared.f32 %f2, [%r0+512];\n"
                           "add.f32 %f3, %f1, %f2;\n"
                           "st.shared.f32 [%r0], %f3;\n"
                           "over:\n"
                           "bar.sync 0;\n"
                           "ld.shared.f32 %f1, [%r0];\n"
                           "ret; }\n";

static void shared_requests(const char *text, uint32_t value, double *loads, double *stores)
{
    struct bench b;
    bench_text(&b, text);
    bench_run(&b, "k", GRID1(1, 128), ARGS(&value));
    *loads = bench_counter(&b, COUNTER_SHARED_LOAD_REQUESTS);
    *stores = bench_counter(&b, COUNTER_SHARED_STORE_REQUESTS);
    bench_close(&b);
}

// The hardware counts instructions: of an H200's 129 and 72 per block (experiments/reduction, first-add) 25 and 20 have lanes.
static void requests_under_a_predicate_count_without_lanes(void **state)
{
    (void)state;
    static const uint32_t below[] = {128, 32, 1, 0};
    for (size_t i = 0; i < COUNT_OF(below); i++) {
        double loads, stores;
        shared_requests(tree, below[i], &loads, &stores);
        assert_true(loads == 4 * 3 && stores == 4 * 3);
    }
}

// %r1 moves on by %s bytes a turn: four words beside each other are one LDS.128 where all turns' are aligned.
static double words_of_a_turn(const char *from, const char *by)
{
    char text[1024];
    double loads, stores;
    int length = snprintf(text, sizeof text,
                          ".version 8.0\n.target sm_90\n.address_size 64\n"
                          ".visible .entry k(.param .u32 turns) {\n"
                          ".reg .b32 %%r<4>; .reg .f32 %%f<8>; .reg .pred %%p;\n"
                          ".shared .align 16 .b8 s[4096];\n"
                          "ld.param.u32 %%r2, [turns];\n"
                          "mov.u32 %%r1, s;\n"
                          "add.s32 %%r1, %%r1, %s;\n"
                          "again:\n"
                          "ld.shared.f32 %%f0, [%%r1];\nld.shared.f32 %%f1, [%%r1+4];\n"
                          "ld.shared.f32 %%f2, [%%r1+8];\nld.shared.f32 %%f3, [%%r1+12];\n"
                          "add.s32 %%r1, %%r1, %s;\n"
                          "sub.u32 %%r2, %%r2, 1;\n"
                          "setp.ne.u32 %%p, %%r2, 0;\n"
                          "@%%p bra again;\nret; }\n",
                          from, by);
    assert_true(length > 0 && (size_t)length < sizeof text);
    shared_requests(text, 10, &loads, &stores);
    return loads / 40; // ten turns of four warps
}

static void words_at_a_pointer_that_walks_are_loaded_together(void **state)
{
    (void)state;
    assert_true(words_of_a_turn("32", "256") == 1);
    assert_true(words_of_a_turn("8", "16") == 2);  // the first turn's are not aligned
    assert_true(words_of_a_turn("0", "24") == 2);  // the second's are not
    assert_true(words_of_a_turn("32", "20") == 4); // nor by eight bytes
}

// Four words beside each other at 4 * %r2 of an array that is aligned for words alone, %r2 being made of the thread's number in %r1.
static double words_at(const char *made)
{
    char text[1536];
    double loads, stores;
    int length =
        snprintf(text, sizeof text,
                 ".version 8.0\n.target sm_90\n.address_size 64\n"
                 ".visible .entry k(.param .u32 n) {\n"
                 ".reg .b32 %%r<8>; .reg .b64 %%a<4>; .reg .f32 %%f<8>; .reg .pred %%p;\n"
                 ".shared .align 4 .b8 s[16448];\n"
                 "ld.param.u32 %%r3, [n];\nmov.u32 %%r1, %%tid.x;\nshl.b32 %%r4, %%r1, 2;\n"
                 "shl.b32 %%r5, %%r3, 5;\n%s\nand.b32 %%r2, %%r2, 4095;\n"
                 "mov.u64 %%a1, s;\nmul.wide.u32 %%a2, %%r2, 4;\nadd.s64 %%a3, %%a1, %%a2;\n"
                 "ld.shared.f32 %%f0, [%%a3];\nld.shared.f32 %%f1, [%%a3+4];\n"
                 "ld.shared.f32 %%f2, [%%a3+8];\nld.shared.f32 %%f3, [%%a3+12];\n"
                 "add.f32 %%f0, %%f0, %%f1;\nadd.f32 %%f2, %%f2, %%f3;\nadd.f32 %%f0, %%f0, %%f2;\n"
                 "st.shared.f32 [%%a3], %%f0;\nret; }\n",
                 made);
    assert_true(length > 0 && (size_t)length < sizeof text);
    shared_requests(text, 1, &loads, &stores);
    return loads / 4; // warps
}

// Which operations leave ptxas 13.0 the power of two that a place is a multiple of: forms given to it one by one.
static void words_are_loaded_together_where_ptxas_knows_their_place(void **state)
{
    (void)state;
    static const char *const known[] = {
        "or.b32 %r2, %r4, %r5;",
        "or.b32 %r2, %r5, 16;",
        "xor.b32 %r2, %r4, %r5;",
        "xor.b32 %r2, %r4, 64;",
        "shl.b32 %r6, %r1, 4; shr.u32 %r2, %r6, 2;",
        "setp.lt.s32 %p, %r1, %r3; selp.b32 %r2, %r4, %r5, %p;",
        "sub.s32 %r6, 0, %r4; add.s32 %r2, %r6, 1024;",
        "and.b32 %r2, %r4, %r3;",
        "rem.u32 %r2, %r4, 80;",
        "mul.lo.s32 %r2, %r1, 12;",
    };
    static const char *const unknown[] = {
        "or.b32 %r2, %r5, 17;",           "add.s32 %r2, %r4, 1;",   "sub.s32 %r2, %r5, %r4;",
        "min.u32 %r2, %r4, %r5;",         "max.s32 %r2, %r4, %r5;", "add.s32 %r2, %r4, %r3;",
        "mad.lo.s32 %r2, %r1, %r3, %r4;", "rem.u32 %r2, %r1, 80;",
    };
    for (size_t i = 0; i < COUNT_OF(known); i++)
        assert_true(words_at(known[i]) == 1);
    static const char *const by_two[] = {"add.s32 %r2, %r4, 2;", "xor.b32 %r2, %r5, 2;",
                                         "sub.s32 %r2, 1026, %r4;"};
    for (size_t i = 0; i < COUNT_OF(unknown); i++)
        assert_true(words_at(unknown[i]) == 4);
    for (size_t i = 0; i < COUNT_OF(by_two); i++)
        assert_true(words_at(by_two[i]) == 2);
}

// Of a warp, all lanes of which take a long side: what is before it, in it and behind it.
static double loads_about_a_branch(const char *before, const char *within, const char *behind)
{
    char text[2048];
    double loads, stores;
    int length =
        snprintf(text, sizeof text,
                 ".version 8.0\n.target sm_90\n.address_size 64\n"
                 ".visible .entry k(.param .u32 below) {\n"
                 ".reg .b32 %%r<4>; .reg .f32 %%f<8>; .reg .pred %%p;\n"
                 ".shared .align 16 .b8 s[4096];\n"
                 "ld.param.u32 %%r2, [below];\nmov.u32 %%r3, %%tid.x;\n"
                 "shl.b32 %%r1, %%r3, 4;\nmov.u32 %%r0, s;\nadd.s32 %%r1, %%r1, %%r0;\n"
                 "mov.f32 %%f3, 0f3F800000;\n%s\nsetp.ge.u32 %%p, %%r3, %%r2;\n@%%p bra over;\n"
                 "%s\n"
                 "mul.f32 %%f3, %%f3, %%f3;\nadd.f32 %%f3, %%f3, %%f3;\n"
                 "mul.f32 %%f3, %%f3, %%f3;\nadd.f32 %%f3, %%f3, %%f3;\n"
                 "mul.f32 %%f3, %%f3, %%f3;\nadd.f32 %%f3, %%f3, %%f3;\n"
                 "mul.f32 %%f3, %%f3, %%f3;\nadd.f32 %%f3, %%f3, %%f3;\n"
                 "mul.f32 %%f3, %%f3, %%f3;\nadd.f32 %%f3, %%f3, %%f3;\n"
                 "mul.f32 %%f3, %%f3, %%f3;\nadd.f32 %%f3, %%f3, %%f3;\n"
                 "over:\n%s\n"
                 "add.f32 %%f0, %%f0, %%f1;\nadd.f32 %%f0, %%f0, %%f3;\n"
                 "st.shared.f32 [%%r1+8], %%f0;\nret; }\n",
                 before, within, behind);
    assert_true(length > 0 && (size_t)length < sizeof text);
    shared_requests(text, 128, &loads, &stores);
    return loads / 4;
}

// So ptxas 13.0 makes it for sm_90, of bench/truth/validation-9/boys too (an H200 has its 165,120 loads, of which 33,024 were two).
static void a_word_behind_a_branch_comes_with_its_neighbour_before_it(void **state)
{
    (void)state;
    static const char first[] = "ld.shared.f32 %f0, [%r1];",
                      second[] = "ld.shared.f32 %f1, [%r1+4];";
    assert_true(loads_about_a_branch(first, "", second) == 1);
    assert_true(loads_about_a_branch(first, second, "") == 1);
    assert_true(loads_about_a_branch("", first, second) ==
                2); // not all that pass the second pass the first
    assert_true(loads_about_a_branch(first, "st.shared.f32 [%r1+12], %f3;", second) == 2);
    assert_true(loads_about_a_branch(first, "bar.warp.sync -1;", second) == 2);
    assert_true(loads_about_a_branch(first, "", "ld.shared.f32 %f1, [%r1+12];") == 2);
}

// Of four warps: loads in a loop that ptxas unrolls, of `turns` and, in each lane of odd number, `more`.
static double loads_in_turns(uint32_t turns, const char *more, const char *behind)
{
    char text[2048];
    double loads, stores;
    int length = snprintf(text, sizeof text,
                          ".version 8.0\n.target sm_90\n.address_size 64\n"
                          ".visible .entry k(.param .u32 turns) {\n"
                          ".reg .b32 %%r<6>; .reg .f32 %%f<8>; .reg .pred %%p;\n"
                          ".shared .align 16 .b8 s[8192];\n"
                          "ld.param.u32 %%r2, [turns];\nmov.u32 %%r3, %%tid.x;\n"
                          "and.b32 %%r4, %%r3, 1;\nmul.lo.s32 %%r4, %%r4, %s;\n"
                          "add.s32 %%r2, %%r2, %%r4;\nmov.u32 %%r5, 0;\nmov.u32 %%r1, s;\n"
                          "mov.f32 %%f2, 0f3F800000;\n"
                          "again:\nld.shared.f32 %%f1, [%%r1];\nadd.f32 %%f2, %%f2, %%f1;\n"
                          "add.s32 %%r1, %%r1, 36;\nadd.s32 %%r5, %%r5, 1;\n"
                          "st.shared.f32 [%%r1+4096], %%f2;\n"
                          "setp.lt.s32 %%p, %%r5, %%r2;\n@%%p bra again;\n%s\nret; }\n",
                          more, behind);
    assert_true(length > 0 && (size_t)length < sizeof text);
    shared_requests(text, turns, &loads, &stores);
    return loads / 4;
}

// Lanes that leave an unrolled loop at different turns take what is left over in other bodies than each other's: so an H200 counts
// (bench/truth/validation-2/csr, stream: a fifth more than turns). Of lora:merged of the eighth list it counts one for each time that
// nothing is left over, which a predicate keeps from all lanes; of spgemm:warp of the ninth, whose kernel ends behind the loop, none.
static void lanes_that_leave_an_unrolled_loop_apart_have_requests_of_their_own(void **state)
{
    (void)state;
    static const char more_work[] = "bar.sync 0;\nst.shared.f32 [s+8000], %f2;";
    double together = loads_in_turns(7, "0", more_work), apart = loads_in_turns(4, "3", more_work);
    assert_true(together == 7 && apart > together && apart < together + 2);
    assert_true(loads_in_turns(8, "0", more_work) == 8 + 1 && loads_in_turns(8, "0", "") == 8);
}

static void without_a_compilers_the_lowering_passes_hold(void **state)
{
    (void)state;
    double alone = instructions_of(10, NULL, 0);
    assert_true(alone > 0 && instructions_of(20, NULL, 0) > alone);
}

// Of an H200; the kernel reads nothing else.
static double l2_reads(struct bench *b)
{
    uint32_t turns = 10;
    bench_run(b, "k", GRID1(1, 32), ARGS(&turns));
    return bench_counter(b, COUNTER_L2_READ_SECTORS);
}

static void code_is_read_of_l2_the_first_time(void **state)
{
    (void)state;
    static const struct sim_line_code longer[] = {{5, 0, 807, 0}}; // 808 instructions: 12,928 bytes
    struct bench b;
    bench_text(&b, loop);
    const struct gpu *gpu = b.sim->gpu;
    double others = gpu->value[GPU_FIELD_l2_launch_sectors],
           copies = gpu->value[GPU_FIELD_l2_code_copies], first = l2_reads(&b);
    assert_true(copies > 1 && first > others && first < others + copies * 32); // 1 KiB
    assert_true(bench_counter(&b, COUNTER_L2_SECTORS_HIT) == first);
    assert_true(l2_reads(&b) == 0);
    sim_flush_caches(b.sim);
    assert_true(l2_reads(&b) == first);
    sim_flush_caches(b.sim);
    b.launch.line_codes = longer;
    b.launch.line_code_count = COUNT_OF(longer);
    assert_true(l2_reads(&b) == others + copies * 12928 / 32);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight_code_counts_as_it_was_made),
        cmocka_unit_test(moves_beside_a_line_are_no_copies_of_its_loop),
        cmocka_unit_test(copies_of_a_loop_share_its_counter_and_branch),
        cmocka_unit_test(turns_that_are_left_over_run_in_the_other_loop),
        cmocka_unit_test(what_asks_for_turns_left_over_runs_once),
        cmocka_unit_test(small_blocks_are_not_taken_for_copies),
        cmocka_unit_test(what_was_moved_out_of_a_loop_runs_once),
        cmocka_unit_test(what_was_moved_into_a_block_is_no_copy_of_it),
        cmocka_unit_test(lanes_that_part_issue_one_instruction_more),
        cmocka_unit_test(asynchronous_copies_bring_three_shared_requests),
        cmocka_unit_test(requests_under_a_predicate_count_without_lanes),
        cmocka_unit_test(words_at_a_pointer_that_walks_are_loaded_together),
        cmocka_unit_test(words_are_loaded_together_where_ptxas_knows_their_place),
        cmocka_unit_test(a_word_behind_a_branch_comes_with_its_neighbour_before_it),
        cmocka_unit_test(lanes_that_leave_an_unrolled_loop_apart_have_requests_of_their_own),
        cmocka_unit_test(without_a_compilers_the_lowering_passes_hold),
        cmocka_unit_test(code_is_read_of_l2_the_first_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
