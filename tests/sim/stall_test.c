// Every cycle of a simulated warp has one reason, at one line: kernels of one reason each.
// SPDX-License-Identifier: Apache-2.0
#include "sim/exec_support.h"

#include <math.h>

#define HEAD                                                                                      \
    ".version 8.0\n.target sm_90\n.address_size 64\n"                                             \
    ".visible .entry k(.param .u64 out, .param .u32 n)\n"                                         \
    "{\n.reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %l<8>; .reg .f32 %f<8>; .reg .f64 %d<8>;\n" \
    ".shared .align 8 .b32 s[1024];\n"                                                            \
    "ld.param.u64 %l1, [out]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; mov.u32 %r9, 0;\n"      \
    "mov.f32 %f1, 0f3F800000; mov.f64 %d1, 0d3FF8000000000000; mov.f64 %d2, %d1; mov.f64 %d3, "   \
    "%d1;\nmov.f64 %d4, %d1; mov.u32 %r5, s;\n"
#define LOOP(body)                                                                  \
    HEAD "again:\n" body "\nadd.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, %r1;\n"      \
         "@%p1 bra again;\nst.global.u32 [%l1], %r3; st.global.f32 [%l1+4], %f1;\n" \
         "add.f64 %d1, %d1, %d2; add.f64 %d3, %d3, %d4; add.f64 %d1, %d1, %d3;\n"   \
         "st.global.f64 [%l1+8], %d1;\nret;\n}\n"

static const struct row {
    const char *name, *code;
    uint32_t threads;
    enum stall most;
    double share; // of the warps' cycles, at least
} ROWS[] = {
    {"a chain of products",
     LOOP("fma.rn.f32 %f1, %f1, %f1, %f1;\nfma.rn.f32 %f1, %f1, %f1, %f1;\n"
          "fma.rn.f32 %f1, %f1, %f1, %f1;\nfma.rn.f32 %f1, %f1, %f1, %f1;\n"
          "fma.rn.f32 %f1, %f1, %f1, %f1;\nfma.rn.f32 %f1, %f1, %f1, %f1;\n"
          "fma.rn.f32 %f1, %f1, %f1, %f1;\nfma.rn.f32 %f1, %f1, %f1, %f1;\n"
          "fma.rn.f32 %f1, %f1, %f1, %f1;\nfma.rn.f32 %f1, %f1, %f1, %f1;\n"
          "fma.rn.f32 %f1, %f1, %f1, %f1;\nfma.rn.f32 %f1, %f1, %f1, %f1;\n"
          "fma.rn.f32 %f1, %f1, %f1, %f1;\nfma.rn.f32 %f1, %f1, %f1, %f1;\n"
          "fma.rn.f32 %f1, %f1, %f1, %f1;\nfma.rn.f32 %f1, %f1, %f1, %f1;"),
     32, STALL_WAIT, 0.5},
    {"a chain of loads past L1",
     LOOP("ld.global.cg.u32 %r3, [%l1];\nand.b32 %r4, %r3, 0;\ncvt.u64.u32 %l2, %r4;\n"
          "add.u64 %l1, %l1, %l2;"),
     32, STALL_LONG_SCOREBOARD, 0.8},
    {"a chain of shared loads",
     LOOP("ld.shared.u32 %r3, [%r5];\nand.b32 %r3, %r3, 0;\nadd.u32 %r5, %r5, %r3;\n"
          "ld.shared.u32 %r3, [%r5];\nand.b32 %r3, %r3, 0;\nadd.u32 %r5, %r5, %r3;"),
     32, STALL_SHORT_SCOREBOARD, 0.5},
    {"f64 of many warps",
     LOOP("fma.rn.f64 %d1, %d1, %d1, %d1;\nfma.rn.f64 %d2, %d2, %d2, %d2;\n"
          "fma.rn.f64 %d3, %d3, %d3, %d3;\nfma.rn.f64 %d4, %d4, %d4, %d4;\n"
          "fma.rn.f64 %d1, %d1, %d1, %d1;\nfma.rn.f64 %d2, %d2, %d2, %d2;\n"
          "fma.rn.f64 %d3, %d3, %d3, %d3;\nfma.rn.f64 %d4, %d4, %d4, %d4;"),
     1024, STALL_MATH_PIPE_THROTTLE, 0.25},
    {"f64 of many warps, of which one is let through every other cycle",
     LOOP("fma.rn.f64 %d1, %d1, %d1, %d1;\nfma.rn.f64 %d2, %d2, %d2, %d2;\n"
          "fma.rn.f64 %d3, %d3, %d3, %d3;\nfma.rn.f64 %d4, %d4, %d4, %d4;\n"
          "fma.rn.f64 %d1, %d1, %d1, %d1;\nfma.rn.f64 %d2, %d2, %d2, %d2;\n"
          "fma.rn.f64 %d3, %d3, %d3, %d3;\nfma.rn.f64 %d4, %d4, %d4, %d4;"),
     1024, STALL_NOT_SELECTED, 0.25},
    {"wide products, while which nobody is selected",
     LOOP("mad.wide.u32 %l2, %r2, %r1, %l2;\nmad.wide.u32 %l3, %r2, %r1, %l3;\n"
          "mad.wide.u32 %l4, %r2, %r1, %l4;\n"
          "add.f32 %f1, %f1, %f1;\nadd.f32 %f2, %f2, %f2;\nadd.f32 %f3, %f3, %f3;\n"
          "add.f32 %f4, %f4, %f4;\nadd.f32 %f5, %f5, %f5;"),
     1024, STALL_DISPATCH, 0.2},
    {"wide products behind wide products",
     LOOP("mad.wide.u32 %l2, %r2, %r1, %l2;\nmad.wide.u32 %l3, %r2, %r1, %l3;\n"
          "mad.wide.u32 %l4, %r2, %r1, %l4;\n"
          "add.f32 %f1, %f1, %f1;\nadd.f32 %f2, %f2, %f2;\nadd.f32 %f3, %f3, %f3;\n"
          "add.f32 %f4, %f4, %f4;\nadd.f32 %f5, %f5, %f5;"),
     1024, STALL_MATH_PIPE_THROTTLE, 0.05},
    {"warps that wait for the first one",
     LOOP("setp.ge.u32 %p2, %r2, 32;\n@%p2 bra skip;\nmov.u32 %r7, 0;\nmore: add.u32 %r7, %r7, 1;\n"
          "setp.lt.u32 %p3, %r7, 300;\n@%p3 bra more;\nskip: bar.sync 0;"),
     512, STALL_BARRIER, 0.8},
};

static double all_of(const struct stall_table *t)
{
    double sum = 0;
    for (int i = 0; i < STALL_COUNT; i++) {
        assert_int_equal(t->warp_cycles[i].provenance, PROVENANCE_MODELLED);
        assert_true(t->warp_cycles[i].value >= 0);
        sum += t->warp_cycles[i].value;
    }
    return sum;
}

static void run(struct bench *b, const struct row *r)
{
    uint32_t n = 200;
    bench_text(b, r->code);
    uint64_t out = bench_buffer(b, "out", NULL, 4096);
    bench_run(b, "k", GRID1(1, r->threads), ARGS(&out, &n));
    assert_true(b->report.time.valid);
}

static void each_kernel_waits_for_what_it_was_made_for(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        struct bench b;
        run(&b, &ROWS[i]);
        double share = stalls_share(&b.report.stalls, ROWS[i].most);
        if (share < ROWS[i].share)
            fail_msg("%s: %.2f of the cycles are %s, not %.2f", ROWS[i].name, share,
                     stall_name(ROWS[i].most), ROWS[i].share);
        bench_close(&b);
    }
}

// The twin: products of 32 bits leave the scheduler to others.
static void plain_products_hold_no_dispatch(void **state)
{
    static const struct row plain = {
        "products",
        LOOP("mad.lo.u32 %r3, %r2, %r1, %r3;\nmad.lo.u32 %r4, %r2, %r1, %r4;\n"
             "mad.lo.u32 %r6, %r2, %r1, %r6;\n"
             "add.f32 %f1, %f1, %f1;\nadd.f32 %f2, %f2, %f2;\nadd.f32 %f3, %f3, %f3;\n"
             "add.f32 %f4, %f4, %f4;\nadd.f32 %f5, %f5, %f5;"),
        1024, STALL_DISPATCH, 0};
    struct bench b;
    (void)state;
    run(&b, &plain);
    assert_true(stalls_share(&b.report.stalls, STALL_DISPATCH) == 0);
    bench_close(&b);
}

// One warp, one block: its cycles are the kernel's.
static void reasons_add_up_to_the_warps_cycles(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct bench b;
        run(&b, &ROWS[i]);
        double cycles = (b.report.time.time_ns - b.report.time.launch_ns) * 1.98;
        double sum = all_of(&b.report.stalls);
        if (fabs(sum - cycles) > 0.05 * cycles + 200) // the start of the block is no warp's
            fail_msg("%s: %.0f of %.0f cycles have a reason", ROWS[i].name, sum, cycles);
        bench_close(&b);
    }
}

static void lines_share_the_whole(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        struct bench b;
        run(&b, &ROWS[i]);
        double sum = 0, whole = all_of(&b.report.stalls);
        for (int k = 0; k < b.report.line_count; k++)
            sum += all_of(&b.report.lines[k].stalls);
        if (fabs(sum - whole) > 1e-6 * whole)
            fail_msg("%s: the lines have %.0f of %.0f cycles", ROWS[i].name, sum, whole);
        bench_close(&b);
    }
}

// A sampler looks at one of the warps that are there: of 32 of which one works fifty times as long it sees that one, whose cycles
// are less than two thirds of all.
static void a_warp_that_stays_on_has_the_looks(void **state)
{
    (void)state;
    static const struct row row = {
        "one warp works on",
        LOOP("setp.ge.u32 %p2, %r2, 32;\nsetp.ge.u32 %p3, %r9, 4;\nand.pred %p2, %p2, %p3;\n@%p2 "
             "ret;\n"
             "fma.rn.f32 %f1, %f1, %f1, %f1;\nfma.rn.f32 %f1, %f1, %f1, %f1;\n"
             "fma.rn.f32 %f1, %f1, %f1, %f1;\nfma.rn.f32 %f1, %f1, %f1, %f1;"),
        1024, STALL_NOT_SELECTED, 0};
    struct bench b;
    run(&b, &row);
    assert_true(stalls_share(&b.report.stalls, STALL_NOT_SELECTED) < 0.08);
    bench_close(&b);
}

// Where a launch begins, no cache has its code and parameters; where a warp ends, it is looked at a while longer.
static void starts_and_ends_have_their_reasons(void **state)
{
    (void)state;
    struct bench b;
    run(&b, &ROWS[0]);
    static const enum stall there[] = {STALL_NO_INSTRUCTION, STALL_IMC_MISS, STALL_DRAIN,
                                       STALL_BRANCH_RESOLVING};
    for (size_t i = 0; i < COUNT_OF(there); i++)
        assert_true(stalls_share(&b.report.stalls, there[i]) > 0);
    bench_close(&b);
}

// The waiting is at the line of the reader, as the profiler shows it.
static void the_reader_waits_not_the_load(void **state)
{
    (void)state;
    struct bench b;
    run(&b, &ROWS[1]);
    const struct line *most = NULL;
    for (int k = 0; k < b.report.line_count; k++) {
        const struct line *l = &b.report.lines[k];
        double value = l->stalls.warp_cycles[STALL_LONG_SCOREBOARD].value;
        if (most == NULL || value > most->stalls.warp_cycles[STALL_LONG_SCOREBOARD].value)
            most = l;
    }
    assert_non_null(most);
    int load = 0;
    for (int k = 0; k < b.report.line_count; k++)
        if (b.report.lines[k].global_requests > 0 && load == 0)
            load = b.report.lines[k].line;
    assert_true(load > 0);
    assert_int_equal(most->line, load + 1);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kernel_waits_for_what_it_was_made_for),
        cmocka_unit_test(plain_products_hold_no_dispatch),
        cmocka_unit_test(reasons_add_up_to_the_warps_cycles),
        cmocka_unit_test(lines_share_the_whole),
        cmocka_unit_test(a_warp_that_stays_on_has_the_looks),
        cmocka_unit_test(starts_and_ends_have_their_reasons),
        cmocka_unit_test(the_reader_waits_not_the_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
