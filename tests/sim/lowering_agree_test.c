// Machine instructions that are reckoned without a ptxas where all lanes of a warp go the same way: nobody waits for others there. What
// ptxas 13.0 takes for the same in all lanes was asked by a branch, or a division, that depends on it.
// SPDX-License-Identifier: Apache-2.0
#include "exec_support.h"

// Of one warp: f1 and f2, r1 and r2 are loaded from the same place for all, f3 and f4, r3 and r4 from the thread's; all are zero but the
// divisors f2 and f4.
static double counted(const char *body)
{
    static char text[4096];
    struct bench b;
    int length = snprintf(
        text, sizeof text,
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 in, .param .u64 out) {\n"
        ".reg .b32 %%x, %%r<32>; .reg .b64 %%d<8>; .reg .f32 %%f<16>; .reg .pred %%p, %%q;\n"
        "ld.param.u64 %%d0, [in];\nld.param.u64 %%d1, [out];\nmov.u32 %%x, %%tid.x;\n"
        "mul.wide.u32 %%d2, %%x, 4;\nadd.s64 %%d3, %%d0, %%d2;\n"
        "ld.global.f32 %%f1, [%%d0];\nld.global.f32 %%f2, [%%d0+512];\n"
        "ld.global.f32 %%f3, [%%d3];\nld.global.f32 %%f4, [%%d3+512];\n"
        "ld.global.u32 %%r1, [%%d0+256];\nld.global.u32 %%r3, [%%d3+256];\n%s"
        "add.u32 %%r1, %%r1, %%r3;\nst.global.u32 [%%d3+384], %%r1;\nret; }\n",
        body);
    assert_true(length > 0 && (size_t)length < sizeof text);
    bench_text(&b, text);
    static uint32_t words[256];
    for (int i = 128; i < 256; i++)
        words[i] = 0x3f800000; // one
    uint64_t in = bench_buffer(&b, "in", words, sizeof words),
             out = bench_buffer(&b, "out", words, sizeof words);
    bench_run(&b, "k", GRID1(1, 32), ARGS(&in, &out));
    double instructions = bench_counter(&b, COUNTER_WARP_INSTRUCTIONS);
    bench_close(&b);
    return instructions;
}

enum { WAITING = 2 }; // BSSY and BSYNC

static void lanes_that_divide_the_same_wait_for_nobody(void **state)
{
    (void)state;
#define QUOTIENT(op, same, own)                                                       \
    assert_true(counted(op own "add.f32 %f6, %f1, %f2;\nst.global.f32 [%d3], %f5;\n"  \
                               "st.global.f32 [%d3+4], %f6;\n") ==                    \
                counted(op same "add.f32 %f6, %f3, %f4;\nst.global.f32 [%d3], %f5;\n" \
                                "st.global.f32 [%d3+4], %f6;\n") +                    \
                    WAITING)
    QUOTIENT("div.rn.f32 %f5, ", "%f1, %f2;\n", "%f3, %f4;\n");
    QUOTIENT("rcp.rn.f32 %f5, ", "%f2;\n", "%f4;\n");
    QUOTIENT("sqrt.rn.f32 %f5, ", "%f2;\n", "%f4;\n");
    // Chosen by what the thread has, it is not the same.
    assert_true(counted("setp.eq.u32 %p, %r3, 3;\nselp.f32 %f7, %f1, %f2, %p;\n"
                        "div.rn.f32 %f5, %f7, %f2;\nst.global.f32 [%d3], %f5;\n") ==
                counted("setp.eq.u32 %p, %r1, 3;\nselp.f32 %f7, %f1, %f2, %p;\n"
                        "div.rn.f32 %f5, %f7, %f2;\nst.global.f32 [%d3], %f5;\n") +
                    WAITING);
}

// A branch that stays one, as there is an atomic in it, before a place where lanes meet.
#define BRANCH(value)                                                              \
    value "setp.ne.u32 %q, %r9, 77;\n@%q bra M;\nred.global.add.u32 [%d3], %r9;\n" \
          "red.global.add.u32 [%d3+4], %r3;\nst.global.u32 [%d3+8], %r9;\nM:\nbar.sync 0;\n"

static void what_is_loaded_from_one_place_sends_all_lanes_the_same_way(void **state)
{
    (void)state;
    double apart = counted(BRANCH("mov.u32 %r9, %r3;\n"));
    assert_true(counted(BRANCH("mov.u32 %r9, %r1;\n")) == apart - WAITING);
    // Sums of it, too, but not with what is the thread's own.
    assert_true(counted(BRANCH("add.u32 %r9, %r1, 3;\n")) ==
                counted(BRANCH("add.u32 %r9, %r3, 3;\n")) - WAITING);
    assert_true(counted(BRANCH("ld.volatile.global.u32 %r9, [%d0+4];\n")) ==
                counted(BRANCH("ld.volatile.global.u32 %r9, [%d3+4];\n")) - WAITING);
}

static void what_a_warp_votes_sends_all_lanes_the_same_way(void **state)
{
    (void)state;
#define TAKEN(lane, width) "shfl.sync.idx.b32 %r9, %r3, " lane ", " width ", -1;\n"
    double all = counted(BRANCH(TAKEN("0", "31")));
    assert_true(counted(BRANCH(TAKEN("0", "0x101f"))) == all + WAITING); // two segments
    assert_true(counted(BRANCH("shfl.sync.bfly.b32 %r9, %r3, 1, 31, -1;\n")) == all + WAITING);
    assert_true(counted(BRANCH("redux.sync.add.s32 %r9, %r3, -1;\n")) <= all + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_that_divide_the_same_wait_for_nobody),
        cmocka_unit_test(what_is_loaded_from_one_place_sends_all_lanes_the_same_way),
        cmocka_unit_test(what_a_warp_votes_sends_all_lanes_the_same_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
