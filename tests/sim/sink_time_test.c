// Loads that ptxas moves behind a branch, where one of its ways alone reads them (sim/decode/decode_sink.c), by modelled times. Such a
// load begins when the branch has what it asks for: if that is another load's value, the two are waited for one after the other. Each row
// was read off ptxas 13.0's code for sm_90.
// SPDX-License-Identifier: Apache-2.0
#include "sim/exec_support.h"

#include <math.h>

// Ways of so many instructions keep their branch; those of a few get predicates.
#define FOUR(code) code code code code
#define SUMS "add.f32 %f3, %f2, 0f3F800000;\n" FOUR(FOUR("fma.rn.f32 %f3, %f3, %f3, %f4;\n"))
#define ALONE "add.f32 %f3, %f1, 0f40000000;\n" FOUR(FOUR("fma.rn.f32 %f3, %f3, %f4, %f1;\n"))

// One warp: it loads what the branch asks for; then `load` brings %f2, `ask` stands in front of the branch, `one` and `other` on
// its two ways. Caches are empty.
static double body_ns(const char *load, const char *ask, const char *one, const char *other)
{
    enum { TEXT = 8192, BYTES = 1 << 20 };
    char text[TEXT];
    struct bench b;
    snprintf(text, sizeof text,
             ".version 8.0\n.target sm_90\n.address_size 64\n"
             ".visible .entry k(.param .u64 in)\n{\n"
             ".reg .pred %%p; .reg .b32 %%r<4>; .reg .f32 %%f<8>; .reg .b64 %%rd<8>;\n"
             "ld.param.u64 %%rd1, [in]; mov.u32 %%r1, %%tid.x; mul.wide.u32 %%rd2, %%r1, 4;\n"
             "add.s64 %%rd3, %%rd1, %%rd2; mov.f32 %%f4, 0f3F000000;\n"
             "ld.global.f32 %%f1, [%%rd3];\n"
             "%s%ssetp.gt.f32 %%p, %%f1, 0f3F800000; @%%p bra other;\n"
             "%sbra.uni join;\nother:\n%s"
             "join:\nadd.f32 %%f3, %%f3, %%f4; st.global.f32 [%%rd3+262144], %%f3; ret;\n}\n",
             load, ask, one, other);
    bench_text(&b, text);
    uint64_t in = bench_buffer(&b, "in", NULL, BYTES);
    bench_run(&b, "k", GRID1(1, 32), ARGS(&in));
    assert_true(b.report.time.valid);
    double ns = b.report.time.time_ns - b.report.time.launch_ns;
    bench_close(&b);
    return ns;
}

enum { LATENCY = 300 }; // nanoseconds that a wait for device memory takes at least

static void assert_waits(const char *what, double ns, double one_wait, bool two)
{
    if (two ? ns < one_wait + LATENCY : fabs(ns - one_wait) > 100)
        fail_msg("%s: %.0f ns, where one wait takes %.0f", what, ns, one_wait);
}

#define LOAD "ld.global.f32 %f2, [%rd3+65536];\n"
#define READ_ONLY "ld.global.nc.f32 %f2, [%rd3+65536];\n"
#define STORE "st.global.f32 [%rd3+131072], %f4;\n"

static void a_load_for_one_way_alone_begins_behind_the_branch(void **state)
{
    (void)state;
    double one = body_ns("", "", ALONE, ALONE);
    assert_waits("read on both ways", body_ns(LOAD, "", SUMS, SUMS), one, false);
    assert_waits("read in front of the branch",
                 body_ns(LOAD, "add.f32 %f4, %f2, %f4;\n", SUMS, ALONE), one, false);
    assert_waits("read behind both ways", body_ns(LOAD, "add.f32 %f4, %f2, %f4;\n", ALONE, ALONE),
                 one, false);
    assert_waits("read on the way that is taken", body_ns(LOAD, "", SUMS, ALONE), one, true);
    assert_waits(
        "with what makes its place",
        body_ns("add.s64 %rd4, %rd3, %rd2; ld.global.f32 %f2, [%rd4+65536];\n", "", SUMS, ALONE),
        one, true);
}

// A load may not pass a store to the place that it reads, one of read-only data passes all stores. What is made of one register in
// front of the branch moves with it.
static void stores_hold_loads_in_front_of_the_branch(void **state)
{
    (void)state;
    double one = body_ns("", STORE, ALONE, ALONE);
    assert_waits("a store behind it", body_ns(LOAD, STORE, SUMS, ALONE), one, false);
    assert_waits("a store in front of it", body_ns(STORE LOAD, "", SUMS, ALONE), one, true);
    assert_waits("read-only, a store behind it", body_ns(READ_ONLY, STORE, SUMS, ALONE), one, true);
    assert_waits("its product in front of the branch",
                 body_ns("ld.global.f32 %f5, [%rd3+65536];\n", "mul.f32 %f2, %f5, 0f40400000;\n",
                         SUMS, ALONE),
                 one, true);
}

// What is made of two registers that its way reads no more would hold both over the branch.
static void arithmetic_that_holds_registers_stays(void **state)
{
    (void)state;
#define OTHER "ld.global.f32 %f5, [%rd3+65536];\n"
    double one = body_ns("", "", ALONE, ALONE);
    assert_waits("a sum with what the branch asks for",
                 body_ns(OTHER, "add.f32 %f2, %f5, %f1;\n", SUMS, ALONE), one, false);
    assert_waits("a sum with what is read behind",
                 body_ns(OTHER, "add.f32 %f2, %f5, %f4;\n", SUMS, ALONE), one, true);
}

static void ways_with_predicates_hold_loads(void **state)
{
    (void)state;
#define SQUARE "fma.rn.f32 %f3, %f3, %f3, %f4;\n"
#define SIX "add.f32 %f3, %f2, 0f3F800000;\n" FOUR(SQUARE) SQUARE
    double one = body_ns("", "", ALONE, ALONE);
    assert_waits("six instructions", body_ns(LOAD, "", SIX, ALONE), one, false);
    assert_waits(
        "five with a store",
        body_ns(LOAD, "", STORE "add.f32 %f3, %f2, 0f3F800000;\n" SQUARE SQUARE SQUARE, ALONE), one,
        false);
    assert_waits("nine", body_ns(LOAD, "", SIX SQUARE SQUARE SQUARE, ALONE), one, true);
}

// What stands in front of a loop leads nowhere where the ways meet: the branch around both stays.
static void a_way_that_a_loop_follows_keeps_its_branch(void **state)
{
    (void)state;
#define LOOP                                                        \
    "add.f32 %f3, %f2, 0f3F800000; mov.u32 %r2, 0;\nloop:\n" SQUARE \
    "add.u32 %r2, %r2, 1; setp.lt.u32 %p, %r2, %r1; @%p bra loop;\n"
    double one = body_ns("", "", ALONE, ALONE);
    assert_waits("two instructions and a loop", body_ns(LOAD, "", LOOP, ALONE), one, true);
}

// A division has a routine that is branched to: it ends a block of the machine's.
static void a_division_holds_loads(void **state)
{
    (void)state;
#define DIVIDE "div.rn.f32 %f4, %f4, %f4;\n"
    double one = body_ns("", DIVIDE, ALONE, ALONE);
    assert_waits("a division behind it", body_ns(LOAD, DIVIDE, SUMS, ALONE), one, false);
    assert_waits("a division in front of it", body_ns(DIVIDE LOAD, "", SUMS, ALONE), one, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_load_for_one_way_alone_begins_behind_the_branch),
        cmocka_unit_test(stores_hold_loads_in_front_of_the_branch),
        cmocka_unit_test(arithmetic_that_holds_registers_stays),
        cmocka_unit_test(ways_with_predicates_hold_loads),
        cmocka_unit_test(a_way_that_a_loop_follows_keeps_its_branch),
        cmocka_unit_test(a_division_holds_loads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
