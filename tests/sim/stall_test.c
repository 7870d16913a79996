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

enum { TURNS = 200 };

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
     32, STALL_SHORT_SCOREBOARD, 0.48}, // an address comes a cycle later than a sum's operand
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
    uint32_t n = TURNS;
    bench_text(b, r->code);
    uint64_t out = bench_buffer(b, "out", NULL, 4096);
    bench_run(b, "k", GRID1(1, r->threads), ARGS(&out, &n));
    assert_true(b->report.time.valid);
}

// Of one warp, in a turn of the kernel's loop.
static double cycles_of(const char *code, enum stall reason)
{
    struct bench b;
    const struct row r = {"", code, 32, reason, 0};
    run(&b, &r);
    double cycles = b.report.stalls.warp_cycles[reason].value / TURNS;
    bench_close(&b);
    return cycles;
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

static void run_blocks(struct bench *b, const char *code, uint32_t blocks, uint32_t threads,
                       uint32_t n)
{
    bench_text(b, code);
    uint64_t out = bench_buffer(b, "out", NULL, 1310720);
    bench_run(b, "k", GRID1(blocks, threads), ARGS(&out, &n));
    assert_true(b->report.time.valid);
}

static double share_of(const char *code, uint32_t blocks, uint32_t threads, uint32_t n,
                       enum stall reason)
{
    struct bench b;
    run_blocks(&b, code, blocks, threads, n);
    double share = stalls_share(&b.report.stalls, reason);
    bench_close(&b);
    return share;
}

// Eight warps of a block at each scheduler take their turns: an eighth of their cycles each, to the end. (If the oldest went first
// they would end one after the other, the last ones alone: a sixth.) A second block waits until the first needs no more:
// with sixteen warps, then with eight, is three 32nds. An H200's samples: chain_f32 in bench/truth/tuning/stalls.
static void warps_take_turns_and_blocks_wait_for_older_ones(void **state)
{
    (void)state;
    static const struct {
        uint32_t blocks;
        double selected;
    } rows[] = {{132, 1.0 / 8}, {264, 3.0 / 32}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        double share = share_of(ROWS[0].code, rows[i].blocks, 1024, 2000, STALL_SELECTED);
        if (fabs(share / rows[i].selected - 1) > 0.08)
            fail_msg("%u blocks: %.4f of the cycles are selected, not %.4f", rows[i].blocks, share,
                     rows[i].selected);
    }
}

#define STORES                                               \
    "st.shared.u32 [%r5], %r1;\nst.shared.u32 [%r5], %r1;\n" \
    "st.shared.u32 [%r5], %r1;\nst.shared.u32 [%r5], %r1;\n" \
    "st.shared.u32 [%r5], %r1;\nst.shared.u32 [%r5], %r1;\n" \
    "st.shared.u32 [%r5], %r1;\nst.shared.u32 [%r5], %r1;"

// Warps that stand in line for room in a queue go in turn too, and come to a barrier behind it together (an H200's shared_stores:
// barrier 2 % of the samples). The twin: a warp that has ten times as much to do keeps the others there.
static void warps_of_a_full_queue_come_to_a_barrier_together(void **state)
{
    (void)state;
    static const char *together =
        HEAD "again:\n" STORES "\nadd.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, %r1;\n"
             "@%p1 bra again;\nbar.sync 0;\nst.global.u32 [%l1], %r9;\nret;\n}\n";
    static const char *one =
        HEAD "setp.lt.u32 %p2, %r2, 32;\nmul.lo.u32 %r7, %r1, 10;\nselp.u32 %r7, %r7, %r1, %p2;\n"
             "again:\n" STORES "\nadd.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, %r7;\n"
             "@%p1 bra again;\nbar.sync 0;\nst.global.u32 [%l1], %r9;\nret;\n}\n";
    double few = share_of(together, 132, 1024, 20, STALL_BARRIER);
    double most = share_of(one, 132, 1024, 20, STALL_BARRIER);
    if (few > 0.05 || most < 0.2)
        fail_msg("%.3f of the cycles are at the barrier, %.3f behind one warp", few, most);
}

// Warps in line for their scheduler find the integer pipe taken in the cycle behind another's instruction; the halves of the f32
// pipe take turns, and nobody waits for them.
static void a_pipe_that_takes_one_every_other_cycle_throttles_warps_in_line(void **state)
{
    (void)state;
    static const char *integers =
        LOOP("xor.b32 %r3, %r3, %r1;\nshl.b32 %r4, %r4, 1;\nadd.f32 %f1, %f1, %f2;\n"
             "add.f32 %f2, %f2, %f3;\nxor.b32 %r6, %r6, %r1;\nadd.f32 %f4, %f4, %f5;\n"
             "add.f32 %f3, %f3, %f5;\nadd.f32 %f5, %f5, %f5;");
    static const char *floats =
        HEAD "mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1;\nagain:\n"
             "add.f32 %f1, %f1, %f1;\nadd.f32 %f2, %f2, %f2;\nadd.f32 %f3, %f3, %f3;\n"
             "add.f32 %f4, %f4, %f4;\nadd.f32 %f1, %f1, %f1;\nadd.f32 %f2, %f2, %f2;\n"
             "add.f32 %f3, %f3, %f3;\nadd.f32 %f4, %f4, %f4;\nadd.f32 %f1, %f1, %f1;\n"
             "add.f32 %f2, %f2, %f2;\nadd.f32 %f3, %f3, %f3;\nadd.f32 %f4, %f4, %f4;\n"
             "add.f32 %f1, %f1, %f1;\nadd.f32 %f2, %f2, %f2;\nadd.f32 %f3, %f3, %f3;\n"
             "add.f32 %f4, %f4, %f4;\nadd.f32 %f1, %f1, %f1;\nadd.f32 %f2, %f2, %f2;\n"
             "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, %r1;\n@%p1 bra again;\n"
             "add.f32 %f1, %f1, %f2; add.f32 %f3, %f3, %f4; add.f32 %f1, %f1, %f3;\n"
             "st.global.f32 [%l1], %f1;\nret;\n}\n";
    double some = share_of(integers, 132, 1024, 200, STALL_MATH_PIPE_THROTTLE);
    double none = share_of(floats, 132, 1024, 200, STALL_MATH_PIPE_THROTTLE);
    if (some < 0.08 || none > 0.03)
        fail_msg("integers %.3f, floats %.3f of the cycles wait for their pipe", some, none);
}

// An H200's quotients of 32 bits have no branch and wait for products and the queue of special functions; rounded ones of f32 have
// a branch around the special cases.
static void quotients_of_integers_have_no_branch(void **state)
{
    (void)state;
    static const char *integers = LOOP(
        "div.u32 %r3, %r1, %r3;\nor.b32 %r3, %r3, 1;\ndiv.u32 %r3, %r1, %r3;\nor.b32 %r3, %r3, 1;\n"
        "div.u32 %r3, %r1, %r3;\nor.b32 %r3, %r3, 1;\ndiv.u32 %r3, %r1, %r3;\nor.b32 %r3, %r3, 1;");
    static const char *floats =
        LOOP("div.rn.f32 %f1, %f2, %f1;\ndiv.rn.f32 %f1, %f2, %f1;\ndiv.rn.f32 %f1, %f2, %f1;\n"
             "div.rn.f32 %f1, %f2, %f1;");
    double none = share_of(integers, 132, 256, 100, STALL_BRANCH_RESOLVING);
    double some = share_of(floats, 132, 256, 100, STALL_BRANCH_RESOLVING);
    assert_true(share_of(integers, 132, 1024, 100, STALL_DISPATCH) > 0.02);
    if (none > 0.03 || some < 0.08)
        fail_msg("integers %.3f, floats %.3f of the cycles resolve branches", none, some);
}

// Warps that end with a reduction stay until it is answered, and keep their places; those that end with a store do not.
static void reductions_keep_their_warps(void **state)
{
    (void)state;
    static const char *reduce = HEAD "red.global.add.u32 [%l1], %r1;\nret;\n}\n";
    static const char *store = HEAD "st.global.u32 [%l1], %r1;\nret;\n}\n";
    double kept = share_of(reduce, 132 * 64, 256, 1, STALL_DRAIN);
    double sent = share_of(store, 132 * 64, 256, 1, STALL_DRAIN);
    if (kept < 0.6 || sent > kept - 0.1)
        fail_msg("%.2f of the cycles drain behind reductions, %.2f behind stores", kept, sent);
}

// A store of 32 lines that nothing follows waits in the queue with its warp gone (drain), and loads overtake it; eight of them fill
// the queue (lg_throttle).
#define SCATTERED                                                                                \
    HEAD "mov.u32 %r4, %ctaid.x;\nmad.lo.u32 %r4, %r4, 256, %r2;\nmul.wide.u32 %l2, %r4, 128;\n" \
         "and.b64 %l2, %l2, 262143;\nadd.u64 %l1, %l1, %l2;\n"
static void stores_wait_while_their_warps_drain(void **state)
{
    (void)state;
    static const char *one = SCATTERED "st.global.u32 [%l1], %r1;\nret;\n}\n";
    static const char *eight = SCATTERED
        "st.global.u32 [%l1], %r1;\nst.global.u32 [%l1+32], %r1;\nst.global.u32 [%l1+64], %r1;\n"
        "st.global.u32 [%l1+96], %r1;\nst.global.u32 [%l1+4], %r1;\nst.global.u32 [%l1+36], %r1;\n"
        "st.global.u32 [%l1+68], %r1;\nst.global.u32 [%l1+100], %r1;\nret;\n}\n";
    double drains = share_of(one, 132 * 16, 256, 1, STALL_DRAIN);
    double full = share_of(one, 132 * 16, 256, 1, STALL_LG_THROTTLE);
    double queue = share_of(eight, 132 * 16, 256, 1, STALL_LG_THROTTLE);
    if (drains < 0.5 || full > 0.03 || queue < 0.3)
        fail_msg("one: %.2f drain, %.2f full queue; eight: %.2f full queue", drains, full, queue);
}

// Behind a short branch around them, which ptxas makes a predicate, shared loads take their way without lanes too: whoever does
// not take part waits for them, not at the barrier. Behind a long one, warps without lanes jump.
static void shared_loads_under_a_predicate_take_their_time(void **state)
{
    (void)state;
    static const char *few = LOOP("setp.ge.u32 %p2, %r2, 32;\n@%p2 bra skip;\nld.shared.u32 %r3, "
                                  "[%r5];\nadd.u32 %r3, %r3, 1;\n"
                                  "st.shared.u32 [%r5+4], %r3;\nskip: bar.sync 0;");
    static const char *barrier_only =
        LOOP("setp.ge.u32 %p2, %r2, 32;\n@%p2 bra skip;\nadd.u32 %r3, %r3, 1;\nskip: bar.sync 0;");
    double waits = share_of(few, 132, 256, 50, STALL_SHORT_SCOREBOARD);
    double others = share_of(barrier_only, 132, 256, 50, STALL_SHORT_SCOREBOARD);
    if (waits < 0.15 || others > 0.05)
        fail_msg("%.2f of the cycles wait for shared memory, %.2f without it", waits, others);
}

// No cache has the program's own constants when they are first read; its parameters have come before.
static void first_constants_are_waited_for(void **state)
{
    (void)state;
    static const char *constants =
        ".version 8.0\n.target sm_90\n.address_size 64\n.const .align 4 .u32 c[4] = {1, 2, 3, 4};\n"
        ".visible .entry k(.param .u64 out, .param .u32 n)\n{\n.reg .b32 %r<4>; .reg .b64 %l<2>;\n"
        "ld.param.u64 %l1, [out]; ld.const.u32 %r1, [c+4]; mov.u32 %r2, %tid.x;\n"
        "add.u32 %r1, %r1, %r2;\nst.global.u32 [%l1], %r1;\nret;\n}\n";
    static const char *parameters =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 out, .param .u32 n)\n{\n.reg .b32 %r<4>; .reg .b64 %l<2>;\n"
        "ld.param.u64 %l1, [out]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x;\n"
        "add.u32 %r1, %r1, %r2;\nst.global.u32 [%l1], %r1;\nret;\n}\n";
    double own = share_of(constants, 132, 256, 1, STALL_IMC_MISS);
    double only = share_of(parameters, 132, 256, 1, STALL_IMC_MISS);
    if (own < only + 0.15)
        fail_msg("%.2f of the cycles wait for constants, %.2f with parameters only", own, only);
}

// What the first warps ask of the special registers' unit passes while they wait for the first constant: 64 warps of an SM do not stand in
// line for it. An H200's bnrelu:wide and bfspull:warp of bench/truth/validation-7 and -6, blocks of 512: `short_scoreboard` 5 and 4 %.
static void special_registers_come_while_constants_do(void **state)
{
    (void)state;
    static const char *index =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 out, .param .u32 n)\n{\n.reg .b32 %r<8>; .reg .b64 %l<4>;\n"
        "ld.param.u64 %l1, [out]; mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, "
        "%ntid.x;\n"
        "mad.lo.u32 %r5, %r3, %r4, %r2; mul.wide.u32 %l2, %r5, 4; add.u64 %l1, %l1, %l2;\n"
        "ld.global.u32 %r6, [%l1]; add.u32 %r6, %r6, 1;\nst.global.u32 [%l1], %r6;\nret;\n}\n";
    double share = share_of(index, 132 * 4, 512, 1, STALL_SHORT_SCOREBOARD);
    if (share > 0.1)
        fail_msg("%.3f of the cycles wait for special registers", share);
}

// A barrier lets its warps go together; those of an H200 that sort in shared memory behind it wait for the loads (nucleus:sorted of
// bench/truth/validation-8: `short_scoreboard` 42, `not_selected` 5 %).
static void a_barrier_lets_its_warps_go_together(void **state)
{
    (void)state;
    static const char *steps =
        LOOP("ld.shared.u32 %r3, [%r5];\nadd.u32 %r3, %r3, 1;\nst.shared.u32 [%r5+4], %r3;\n"
             "bar.sync 0;");
    double line = share_of(steps, 132, 1024, 50, STALL_NOT_SELECTED);
    double loads = share_of(steps, 132, 1024, 50, STALL_SHORT_SCOREBOARD);
    if (line > loads)
        fail_msg("%.3f of the cycles are in line, %.3f wait for loads", line, loads);
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

// A warp's instructions of one pipe follow each other as its scheduler's part of the pipe takes them: accesses every 4 cycles,
// integer ones every 2, f32 ones every cycle. Of eight more in a row, what they wait for by fixed counts:
static void instructions_of_one_pipe_wait_for_each_other(void **state)
{
    (void)state;
#define FOUR_STORES                                                                             \
    "st.shared.u32 [%r5], %r2;\nst.shared.u32 [%r5+256], %r2;\nst.shared.u32 [%r5+512], %r2;\n" \
    "st.shared.u32 [%r5+768], %r2;\n"
#define FOUR_WORDS \
    "xor.b32 %r3, %r3, 1;\nxor.b32 %r4, %r4, 2;\nxor.b32 %r6, %r6, 3;\nxor.b32 %r7, %r7, 4;\n"
#define FOUR_SUMS                                                              \
    "add.f32 %f2, %f2, %f1;\nadd.f32 %f3, %f3, %f1;\nadd.f32 %f4, %f4, %f1;\n" \
    "add.f32 %f5, %f5, %f1;\n"
    static const struct {
        const char *sixteen, *eight;
        double waits;
    } rows[] = {
        {LOOP(FOUR_STORES FOUR_STORES FOUR_STORES FOUR_STORES), LOOP(FOUR_STORES FOUR_STORES), 24},
        {LOOP(FOUR_WORDS FOUR_WORDS FOUR_WORDS FOUR_WORDS), LOOP(FOUR_WORDS FOUR_WORDS), 8},
        {LOOP(FOUR_SUMS FOUR_SUMS FOUR_SUMS FOUR_SUMS), LOOP(FOUR_SUMS FOUR_SUMS),
         -6}, // in the wait at the loop's end
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        double waits =
            cycles_of(rows[i].sixteen, STALL_WAIT) - cycles_of(rows[i].eight, STALL_WAIT);
        if (fabs(waits - rows[i].waits) > 3)
            fail_msg("row %zu: %.1f cycles, not %.1f", i, waits, rows[i].waits);
    }
}

// A special function's result is waited for as a scoreboard has it. One that takes numbers near zero tests and scales what goes
// in, under a predicate, and what comes out; between two that flush them are 8 cycles.
static void special_functions_wait_in_their_midst(void **state)
{
    (void)state;
#define TWICE(code) code code
#define EIGHT(code) TWICE(TWICE(TWICE(code)))
    static const char *scales = LOOP(EIGHT("ex2.approx.f32 %f1, %f1;\n"));
    static const char *flushes = LOOP(EIGHT("ex2.approx.ftz.f32 %f1, %f1;\n"));
    static const char *product = LOOP(EIGHT("mul.f32 %f1, %f1, %f1;\n"));
    static const struct {
        const char *const *code;
        double waits, comes; // of one of eight
    } rows[] = {{&scales, 15, 17}, {&flushes, 7, 9}, {&product, 3, 0}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        double waits = cycles_of(*rows[i].code, STALL_WAIT) / 8;
        double comes = cycles_of(*rows[i].code, STALL_SHORT_SCOREBOARD) / 8;
        if (fabs(waits - rows[i].waits) > 3 || fabs(comes - rows[i].comes) > 2)
            fail_msg("row %zu: %.1f cycles by fixed counts, %.1f for its result", i, waits, comes);
    }
}

// Of a branch's cycles that goes back, those that ptxas leaves behind any branch are a fixed count.
static void branches_back_wait_by_a_fixed_count_first(void **state)
{
    (void)state;
    static const char *loop = LOOP("add.f32 %f1, %f1, %f1;");
    double fetched = cycles_of(loop, STALL_NO_INSTRUCTION);
    if (fetched < 3 || fetched > 5.5)
        fail_msg("a turn waits %.1f cycles for its instructions", fetched);
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

// Special functions keep their pace with other instructions between them, those that are part of a chain too: 8 cycles from one to the
// next, as ptxas counts them.
static void special_functions_keep_their_pace_over_others(void **state)
{
    (void)state;
    static const char *sines =
        LOOP("sin.approx.f32 %f2, %f3;\nsin.approx.f32 %f3, %f4;\nsin.approx.f32 %f4, %f5;\n"
             "sin.approx.f32 %f5, %f6;\nsin.approx.f32 %f6, %f7;\nsin.approx.f32 %f7, %f1;\n");
    static const char *sums =
        LOOP("add.f32 %f2, %f3, %f3;\nadd.f32 %f3, %f4, %f4;\nadd.f32 %f4, %f5, %f5;\n"
             "add.f32 %f5, %f6, %f6;\nadd.f32 %f6, %f7, %f7;\nadd.f32 %f7, %f1, %f1;\n");
    double waits = cycles_of(sines, STALL_WAIT) - cycles_of(sums, STALL_WAIT);
    if (waits < 20)
        fail_msg("six of them wait %.1f cycles more than sums", waits);
}

// A result comes a cycle later to another pipe, and to an address.
static void results_come_later_to_other_pipes(void **state)
{
    (void)state;
    static const char *same = LOOP("xor.b32 %r3, %r3, %r1;\nand.b32 %r3, %r3, %r2;\n"
                                   "xor.b32 %r3, %r3, %r1;\nand.b32 %r3, %r3, %r2;\n"
                                   "xor.b32 %r3, %r3, %r1;\nand.b32 %r3, %r3, %r2;\n"
                                   "xor.b32 %r3, %r3, %r1;\nand.b32 %r3, %r3, %r2;\n");
    static const char *other = LOOP("xor.b32 %r3, %r3, %r1;\nmul.lo.u32 %r3, %r3, %r2;\n"
                                    "xor.b32 %r3, %r3, %r1;\nmul.lo.u32 %r3, %r3, %r2;\n"
                                    "xor.b32 %r3, %r3, %r1;\nmul.lo.u32 %r3, %r3, %r2;\n"
                                    "xor.b32 %r3, %r3, %r1;\nmul.lo.u32 %r3, %r3, %r2;\n");
    double more = cycles_of(other, STALL_WAIT) - cycles_of(same, STALL_WAIT);
    if (fabs(more - 8) > 2.5) // the loop's own instructions hide two of them
        fail_msg("eight results come %.1f cycles later to another pipe, not 8", more);
}

// Loads whose data have not come: 512 of an SM, whatever lines they are of. A warp's next one waits for a place.
static void loads_in_flight_are_limited(void **state)
{
    (void)state;
#define NEAR_LOADS(n)                                                                      \
    "ld.global.u32 %r3, [%l1+" #n "00];\nld.global.u32 %r4, [%l1+" #n "04];\n"             \
    "ld.global.u32 %r6, [%l1+" #n "08];\nxor.b32 %r7, %r3, %r7;\nxor.b32 %r8, %r4, %r8;\n" \
    "xor.b32 %r10, %r6, %r10;\n"
#define LOADS(loads)                                                                            \
    HEAD "mov.u32 %r4, %ctaid.x;\nmad.lo.u32 %r4, %r4, 1024, %r2;\nmul.wide.u32 %l2, %r4, 4;\n" \
         "and.b64 %l2, %l2, 262143;\nadd.u64 %l1, %l1, %l2;\nmov.u32 %r7, 0; mov.u32 %r8, 0;\n" \
         "mov.u32 %r10, 0;\n" loads "xor.b32 %r7, %r7, %r8;\nxor.b32 %r7, %r7, %r10;\n"         \
         "setp.eq.u32 %p1, %r7, 12345;\n@%p1 st.global.u32 [%l1], %r7;\nret;\n}\n"
    static const char *few = LOADS(NEAR_LOADS(1));
    static const char *many = LOADS(NEAR_LOADS(1) NEAR_LOADS(2) NEAR_LOADS(3) NEAR_LOADS(4)
                                        NEAR_LOADS(5) NEAR_LOADS(6) NEAR_LOADS(7) NEAR_LOADS(8));
    double fits = share_of(few, 264, 1024, 1, STALL_LG_THROTTLE);
    double full = share_of(many, 264, 1024, 1, STALL_LG_THROTTLE);
    if (fits > 0.005 || full < 0.02)
        fail_msg("3 loads of a warp: %.2f of the cycles wait for a place, 24: %.3f", fits, full);
}

// The queue in front of the load/store unit holds instructions: one of each warp waits in it for its data, eight of each wait for a
// place. (An H200's tinymlp, loads of 32 lines: lg_throttle 54 % of the samples; nekax, conflicts in shared memory: mio_throttle 46 %.)
static void many_loads_of_a_warp_fill_the_queue(void **state)
{
    (void)state;
#define OF_32_LINES                                                                        \
    "and.b32 %r4, %r2, 31;\nmul.wide.u32 %l2, %r4, 128;\nadd.u64 %l1, %l1, %l2;\nagain:\n" \
    "ld.global.u32 %r3, [%l1];\nxor.b32 %r7, %r7, %r3;\n"
#define OF_A_BANK                                                                   \
    "and.b32 %r4, %r2, 31;\nshl.b32 %r4, %r4, 7;\nadd.u32 %r5, %r5, %r4;\nagain:\n" \
    "ld.shared.u32 %r3, [%r5];\nxor.b32 %r7, %r7, %r3;\n"
#define SEVEN_MORE(load, at)                                                                   \
    load " %r3, [" at "+4];\n" load " %r4, [" at "+8];\n" load " %r6, [" at "+12];\n" load     \
         " %r8, [" at "+16];\n" load " %r10, [" at "+20];\n" load " %r11, [" at "+24];\n" load \
         " %r12, [" at "+28];\n"                                                               \
         "xor.b32 %r7, %r7, %r3;\nxor.b32 %r7, %r7, %r4;\nxor.b32 %r7, %r7, %r6;\n"            \
         "xor.b32 %r7, %r7, %r8;\nxor.b32 %r7, %r7, %r10;\nxor.b32 %r7, %r7, %r11;\n"          \
         "xor.b32 %r7, %r7, %r12;\n"
#define FAR_NEXT "cvt.u64.u32 %l3, %r13;\nadd.u64 %l1, %l1, %l3;\n"
#define NEAR_NEXT "add.u32 %r5, %r5, %r13;\n"
#define TURNED(loads, next)                                                                      \
    HEAD "mov.u32 %r7, 0;\n" loads "and.b32 %r13, %r7, 0;\n" next                                \
         "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, %r1;\n"                                     \
         "@%p1 bra again;\nsetp.eq.u32 %p1, %r7, 12345;\n@%p1 st.global.u32 [%l1], %r7;\nret;\n" \
         "}\n"
    static const struct {
        const char *one, *eight;
        enum stall reason;
    } rows[] = {
        {TURNED(OF_32_LINES, FAR_NEXT),
         TURNED(OF_32_LINES SEVEN_MORE("ld.global.u32", "%l1"), FAR_NEXT), STALL_LG_THROTTLE},
        {TURNED(OF_A_BANK, NEAR_NEXT),
         TURNED(OF_A_BANK SEVEN_MORE("ld.shared.u32", "%r5"), NEAR_NEXT), STALL_MIO_THROTTLE},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        double fits = share_of(rows[i].one, 264, 1024, 20, rows[i].reason);
        double full = share_of(rows[i].eight, 264, 1024, 20, rows[i].reason);
        if (fits > 0.1 || full < 0.5)
            fail_msg("row %zu: one load %.3f of the cycles wait for a place, eight %.3f", i, fits,
                     full);
    }
}

// ptxas writes the registers of a store to shared memory again after a few stores: a warp by itself does not fill the queue (an
// H200's rc4: `short_scoreboard` 78 %, mio_throttle 0), many warps do.
static void stores_to_shared_memory_wait_for_their_registers(void **state)
{
    (void)state;
#define FOUR_TO_A_BANK                                                                      \
    "st.shared.u32 [%r5], %r2;\nst.shared.u32 [%r5+4], %r2;\nst.shared.u32 [%r5+8], %r2;\n" \
    "st.shared.u32 [%r5+12], %r2;\n"
    static const char *stores =
        HEAD "and.b32 %r4, %r2, 31;\nshl.b32 %r4, %r4, 7;\nadd.u32 %r5, %r5, "
             "%r4;\nagain:\n" FOUR_TO_A_BANK FOUR_TO_A_BANK FOUR_TO_A_BANK FOUR_TO_A_BANK
             "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, %r1;\n@%p1 bra again;\nret;\n}\n";
    double alone = share_of(stores, 132, 64, 20, STALL_MIO_THROTTLE);
    double registers = share_of(stores, 132, 64, 20, STALL_SHORT_SCOREBOARD);
    double full = share_of(stores, 132, 1024, 20, STALL_MIO_THROTTLE);
    if (alone > 0.02 || registers < 0.7 || full < 0.5)
        fail_msg("two warps: %.3f and %.3f for their registers, 32 warps: %.3f", alone, registers,
                 full);
}

// An f32 root's MUFU is behind 17 fixed cycles of the branch around its slow way; a reciprocal's readers wait for theirs. An f64
// quotient has eight f64 operations behind its MUFU, a reciprocal five.
static void roots_hide_their_special_function(void **state)
{
    (void)state;
    static const struct {
        const char *less, *more;
    } rows[] = {
        {LOOP(EIGHT("sqrt.rn.f32 %f1, %f1;\n")), LOOP(EIGHT("rcp.rn.f32 %f1, %f1;\n"))},
        {LOOP(EIGHT("div.rn.f64 %d1, %d2, %d1;\n")), LOOP(EIGHT("rcp.rn.f64 %d1, %d1;\n"))},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        double less = share_of(rows[i].less, 132, 32, 20, STALL_SHORT_SCOREBOARD);
        double more = share_of(rows[i].more, 132, 32, 20, STALL_SHORT_SCOREBOARD);
        if (less > 0.15 || less > 0.8 * more)
            fail_msg("row %zu: %.3f of the cycles wait for MUFU, %.3f", i, less, more);
    }
}

// The window of shared memory is found once in front of a loop that names a variable in each turn; where only some turns do, there.
static void names_of_shared_variables_wait_once(void **state)
{
    (void)state;
#define NAMED \
    "shl.b32 %r7, %r9, 2;\nmov.u32 %r6, s;\nadd.u32 %r6, %r6, %r7;\nst.shared.u32 [%r6], %r2;\n"
    static const char *each = LOOP(NAMED);
    static const char *some =
        LOOP("and.b32 %r4, %r9, 1;\nsetp.eq.u32 %p2, %r4, 5;\n@%p2 bra skip;\n"
             "bar.sync 0;\n" NAMED "bar.sync 0;\nskip:\nxor.b32 %r2, %r2, %r6;\n");
    double once = cycles_of(each, STALL_SHORT_SCOREBOARD);
    double anew = cycles_of(some, STALL_SHORT_SCOREBOARD);
    if (once > 2 || anew < 4)
        fail_msg("a turn waits %.1f cycles for the variable's place, %.1f", once, anew);
}

// A warp comes to a barrier with what it has loaded from shared memory, though it uses that behind it.
static void barriers_wait_for_shared_loads(void **state)
{
    (void)state;
    static const char *loaded =
        LOOP("ld.shared.u32 %r3, [%r5];\nbar.sync 0;\nadd.u32 %r5, %r5, %r3;\n"
             "and.b32 %r5, %r5, 0;\n");
    double waits = cycles_of(loaded, STALL_SHORT_SCOREBOARD);
    if (waits < 15)
        fail_msg("a barrier behind a load of shared memory: %.1f cycles for the load", waits);
}

// Lanes that part at a branch: more of its cycles resolve it than are a fixed count. Where all lanes go one way, the BSYNC keeps
// its warp by a fixed count.
static void branches_whose_lanes_part_are_resolved(void **state)
{
    (void)state;
#define SIDE_WAY                                                       \
    "fma.rn.f32 %f1, %f1, %f1, %f1;\nfma.rn.f32 %f2, %f1, %f1, %f2;\n" \
    "fma.rn.f32 %f1, %f2, %f1, %f1;\nfma.rn.f32 %f2, %f1, %f1, %f2;\n" \
    "fma.rn.f32 %f1, %f2, %f1, %f1;\nfma.rn.f32 %f2, %f1, %f1, %f2;\n" \
    "fma.rn.f32 %f1, %f2, %f1, %f1;\nfma.rn.f32 %f2, %f1, %f1, %f2;\nbar.warp.sync -1;\n"
    static const char *half =
        LOOP("setp.ge.u32 %p2, %r2, 16;\n@%p2 bra skip;\n" SIDE_WAY "skip: add.u32 %r3, %r3, 1;\n");
    static const char *all =
        LOOP("setp.ge.u32 %p2, %r2, 64;\n@%p2 bra skip;\n" SIDE_WAY "skip: add.u32 %r3, %r3, 1;\n");
    double resolved =
        cycles_of(half, STALL_BRANCH_RESOLVING) - cycles_of(all, STALL_BRANCH_RESOLVING);
    double fixed = cycles_of(half, STALL_WAIT) - cycles_of(all, STALL_WAIT);
    double way = cycles_of(all, STALL_WAIT);
    if (resolved < 18 || fixed > 12 || way < 54)
        fail_msg("%.1f cycles resolve, %.1f are fixed; %.1f where none part", resolved, fixed, way);
}

// Loads overtake stores that wait for their turn at the port.
static void loads_overtake_stores_that_wait(void **state)
{
    (void)state;
    static const char *turn = HEAD
        "mov.u32 %r4, %ctaid.x;\nmad.lo.u32 %r4, %r4, 256, %r2;\nmul.wide.u32 %l3, %r4, 4;\n"
        "add.u64 %l3, %l1, %l3;\nmul.wide.u32 %l2, %r4, 128;\nand.b64 %l2, %l2, 262143;\n"
        "add.u64 %l1, %l1, %l2;\nld.global.u32 %r3, [%l3];\nst.global.u32 [%l1], %r3;\nret;\n}\n";
    double loads = share_of(turn, 132 * 8, 256, 1, STALL_LONG_SCOREBOARD);
    double drains = share_of(turn, 132 * 8, 256, 1, STALL_DRAIN);
    if (loads > 0.35 || drains < 0.5)
        fail_msg("%.2f of the cycles wait for loads, %.2f drain", loads, drains);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kernel_waits_for_what_it_was_made_for),
        cmocka_unit_test(plain_products_hold_no_dispatch),
        cmocka_unit_test(reasons_add_up_to_the_warps_cycles),
        cmocka_unit_test(lines_share_the_whole),
        cmocka_unit_test(a_warp_that_stays_on_has_the_looks),
        cmocka_unit_test(warps_take_turns_and_blocks_wait_for_older_ones),
        cmocka_unit_test(warps_of_a_full_queue_come_to_a_barrier_together),
        cmocka_unit_test(a_pipe_that_takes_one_every_other_cycle_throttles_warps_in_line),
        cmocka_unit_test(quotients_of_integers_have_no_branch),
        cmocka_unit_test(reductions_keep_their_warps),
        cmocka_unit_test(stores_wait_while_their_warps_drain),
        cmocka_unit_test(shared_loads_under_a_predicate_take_their_time),
        cmocka_unit_test(first_constants_are_waited_for),
        cmocka_unit_test(special_registers_come_while_constants_do),
        cmocka_unit_test(a_barrier_lets_its_warps_go_together),
        cmocka_unit_test(starts_and_ends_have_their_reasons),
        cmocka_unit_test(instructions_of_one_pipe_wait_for_each_other),
        cmocka_unit_test(special_functions_wait_in_their_midst),
        cmocka_unit_test(branches_back_wait_by_a_fixed_count_first),
        cmocka_unit_test(special_functions_keep_their_pace_over_others),
        cmocka_unit_test(results_come_later_to_other_pipes),
        cmocka_unit_test(loads_in_flight_are_limited),
        cmocka_unit_test(many_loads_of_a_warp_fill_the_queue),
        cmocka_unit_test(stores_to_shared_memory_wait_for_their_registers),
        cmocka_unit_test(roots_hide_their_special_function),
        cmocka_unit_test(names_of_shared_variables_wait_once),
        cmocka_unit_test(barriers_wait_for_shared_loads),
        cmocka_unit_test(branches_whose_lanes_part_are_resolved),
        cmocka_unit_test(loads_overtake_stores_that_wait),
        cmocka_unit_test(the_reader_waits_not_the_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
