// Machine instructions that are reckoned without a ptxas for code that nothing hangs on, of kernels whose code ptxas 13.0 was seen
// to make.
// SPDX-License-Identifier: Apache-2.0
#include "exec_support.h"

// Of one warp: x is the thread's number, n the parameter, 1 here; in[0] is 0.
static double counted(const char *body)
{
    static char text[4096];
    struct bench b;
    uint32_t n = 1;
    int length =
        snprintf(text, sizeof text,
                 ".version 8.0\n.target sm_90\n.address_size 64\n"
                 ".visible .entry k(.param .u64 in, .param .u32 n) {\n"
                 ".reg .b32 %%x, %%n, %%r<32>; .reg .b64 %%d<8>; .reg .pred %%p, %%q;\n"
                 ".shared .align 4 .b32 s[64];\n"
                 "ld.param.u64 %%d0, [in];\nld.param.u32 %%n, [n];\nmov.u32 %%x, %%tid.x;\n%s"
                 "st.shared.u32 [s], %%x;\nret; }\n",
                 body);
    assert_true(length > 0 && (size_t)length < sizeof text);
    bench_text(&b, text);
    static const uint32_t zeros[64];
    uint64_t in = bench_buffer(&b, "in", zeros, sizeof zeros);
    bench_run(&b, "k", GRID1(1, 32), ARGS(&in, &n));
    double instructions = bench_counter(&b, COUNTER_WARP_INSTRUCTIONS);
    bench_close(&b);
    return instructions;
}

#define TURNS(body) "mov.u32 %r1, 0;\nL:\n" body "setp.lt.u32 %p, %r1, 9;\n@%p bra L;\n"

static void a_loop_that_leaves_nothing_behind_is_left_out(void **state)
{
    (void)state;
    double without = counted("");
    assert_true(counted(TURNS("mad.lo.u32 %r1, %r1, %r1, 1;\n")) == without);
    assert_true(counted(TURNS("mad.lo.u32 %r1, %r1, %r1, %n;\n")) == without);
    // With the question whether it is entered.
    assert_true(counted("setp.gt.u32 %q, %x, 3;\n@%q bra M;\n" TURNS(
                    "add.u32 %r1, %r1, 1;\n") "M:\n") == without);
    // A loop around it that is needed for nothing else, either.
    assert_true(
        counted("mov.u32 %r2, 0;\nO:\n" TURNS("mad.lo.u32 %r1, %r1, %r1, %r2;\nadd.u32 %r1, %r1, "
                                              "1;\n") "add.u32 %r2, %r2, 2;\nsetp.lt.u32 %q, %r2, "
                                                      "%n;\n@%q bra O;\n") == without);
}

static void a_loop_whose_register_others_read_is_left_out(void **state)
{
    (void)state;
    // Of two ways one has a loop that stores, the other one of the same counter that does nothing (im2col of no channels).
    const char *stores = "mov.u32 %r1, %x;\nsetp.gt.u32 %q, %n, 0;\n@%q bra B;\nA:\n"
                         "st.shared.u32 [s+4], %r1;\nadd.u32 %r1, %r1, %n;\n"
                         "setp.lt.u32 %p, %r1, 40;\n@%p bra A;\nbra.uni M;\nB:\n";
    char with[1024], without[1024];
    (void)snprintf(without, sizeof without, "%sM:\n", stores);
    (void)snprintf(with, sizeof with,
                   "%sadd.u32 %%r1, %%r1, %%n;\nsetp.lt.u32 %%p, %%r1, 40;\n@%%p bra B;\nM:\n",
                   stores);
    assert_true(counted(with) == counted(without));
}

static void a_loop_whose_turns_are_read_behind_it_stays(void **state)
{
    (void)state;
    double without = counted("");
    assert_true(counted(TURNS("mad.lo.u32 %r1, %r1, %r1, 1;\n") "add.u32 %x, %x, %r1;\n") >
                without + 8);
    assert_true(
        counted(
            TURNS("mad.lo.u32 %r1, %r1, %r1, 1;\n") "@%p bra M;\nst.shared.u32 [s+4], %n;\nM:\n") >
        without + 8);
    assert_true(counted(TURNS("st.shared.u32 [s+4], %r1;\nmad.lo.u32 %r1, %r1, %r1, 1;\n")) >
                without + 8);
}

static void a_loop_with_branches_in_its_turns_stays(void **state)
{
    (void)state;
    assert_true(counted(TURNS("setp.gt.u32 %q, %r1, %x;\n@%q bra E;\ndiv.u32 %r1, %r1, %n;\nE:\n"
                              "add.u32 %r1, %r1, 1;\n")) > counted("") + 8);
}

static void a_loop_that_loads_what_others_may_store_stays(void **state)
{
    (void)state;
#define LOADS(nc) \
    TURNS("ld.global" nc ".u32 %r2, [%d0];\nadd.u32 %r1, %r1, %r2;\nadd.u32 %r1, %r1, 3;\n")
    double without = counted("");
    assert_true(counted(LOADS("")) > without + 8);
    assert_true(counted(LOADS(".nc")) == without);
}

static void a_load_that_nobody_reads_is_no_reason_for_a_branch(void **state)
{
    (void)state;
#define SIDE(load) "setp.gt.u32 %p, %x, %n;\n@%p bra M;\n" load "M:\n"
    assert_true(counted(SIDE("ld.global.nc.u32 %r2, [%d0];\n")) == counted(""));
    assert_true(counted(SIDE("ld.global.nc.u32 %r2, [%d0];\nadd.u32 %x, %x, 3;\n")) ==
                counted(SIDE("add.u32 %x, %x, 3;\n")));
}

static void a_value_less_itself_is_a_number(void **state)
{
    (void)state;
#define STORE "st.shared.u32 [s+100], %r2;\n"
    double zero = counted("mov.u32 %r2, 0;\n" STORE);
    assert_true(counted("xor.b32 %r2, %x, %x;\n" STORE) == zero);
    assert_true(counted("ld.global.nc.u32 %r1, [%d0];\nsub.s32 %r2, %r1, %r1;\n" STORE) == zero);
    assert_true(counted("ld.global.nc.u32 %r1, [%d0];\nsub.s32 %r2, %r1, %x;\n" STORE) > zero + 1);
}

static void what_nobody_writes_is_loaded_once(void **state)
{
    (void)state;
#define TWICE(nc)                                                               \
    "ld.global" nc ".u32 %r1, [%d0];\nst.shared.u32 [s+4], %r1;\nbar.sync 0;\n" \
    "ld.global" nc ".u32 %r2, [%d0];\nst.shared.u32 [s+8], %r2;\n"
    assert_true(counted(TWICE(".nc")) == counted(TWICE("")) - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_that_leaves_nothing_behind_is_left_out),
        cmocka_unit_test(a_loop_whose_register_others_read_is_left_out),
        cmocka_unit_test(a_loop_whose_turns_are_read_behind_it_stays),
        cmocka_unit_test(a_loop_with_branches_in_its_turns_stays),
        cmocka_unit_test(a_loop_that_loads_what_others_may_store_stays),
        cmocka_unit_test(a_value_less_itself_is_a_number),
        cmocka_unit_test(what_nobody_writes_is_loaded_once),
        cmocka_unit_test(a_load_that_nobody_reads_is_no_reason_for_a_branch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
