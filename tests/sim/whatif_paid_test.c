// Counterfactual replays include what takes the place of a cause, and what goes with it: their time is that of a twin that is
// written so.
// SPDX-License-Identifier: Apache-2.0
#include "sim/exec_support.h"

#include <math.h>

static const char head[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 out, .param .u64 in)\n"
    "{\n.reg .pred %p<4>; .reg .b32 %r<24>; .reg .b64 %l<8>; .reg .f32 %f<8>;\n"
    ".shared .align 4 .b32 s[2048];\n"
    "ld.param.u64 %l1, [out]; ld.param.u64 %l2, [in]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n"
    "mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1; mul.wide.u32 %l3, %r4, 4;\n"
    "mul.wide.u32 %l5, %r1, 4; mov.u32 %r10, s; shl.b32 %r11, %r1, 2; add.u32 %r11, %r10, %r11;\n";

static double run_two(struct bench *b, const char *body, uint32_t blocks, uint32_t threads)
{
    struct arena a = {0};
    size_t bytes = (size_t)blocks * threads * 64 * sizeof(float);
    bench_text(b, arena_printf(&a, "%s%s\nret;\n}\n", head, body));
    uint64_t out = bench_buffer(b, "out", NULL, bytes), in = bench_buffer(b, "in", NULL, bytes);
    b->launch.counterfactuals = true;
    bench_run(b, "k", GRID1(blocks, threads), ARGS(&out, &in));
    assert_true(b->report.time.valid);
    arena_release(&a);
    return b->report.time.time_ns;
}

static double then(const struct bench *b, enum intervention i)
{
    struct figure f = b->report.counterfactuals.time_ns[i];
    assert_int_equal(f.provenance, PROVENANCE_MODELLED);
    return f.value;
}

static void assert_twin(const char *body, const char *twin, enum intervention i, uint32_t blocks,
                        double within)
{
    struct bench has, other;
    uint32_t threads = i == INTERVENTION_SECTORS ? 1024 : 256;
    double was = run_two(&has, body, blocks, threads),
           want = run_two(&other, twin, blocks, threads);
    double got = then(&has, i);
    assert_true(fabs(was - want) > within * want); // else it shows nothing
    if (!(fabs(got - want) <= within * want))
        fail_msg("%.0f ns promised, %.0f ns as it is, %.0f ns without the cause", got, was, want);
    bench_close(&has);
    bench_close(&other);
}

#define LOAD "add.u64 %l4, %l2, %l3; ld.global.f32 %f1, [%l4]; "
#define STEP(lanes)                                                                        \
    "mov.b32 %r5, %f1; shfl.sync.bfly.b32 %r6, %r5, " lanes ", 31, -1; mov.b32 %f2, %r6; " \
    "add.f32 %f1, %f1, %f2; "

// One sum of all threads: a block adds up its part by shuffles and a barrier, and queues once where each lane did. With 4224 blocks
// most of the time is the queue of the blocks' atomics, with 264 it is not.
static void a_sum_is_a_tree_and_an_atomic_of_each_block(void **state)
{
    static const char each[] = LOAD "red.global.add.f32 [%l1], %f1;";
    static const char tree[] = LOAD STEP("16") STEP("8") STEP("4") STEP("2")
        STEP("1") "shr.u32 %r7, %r1, 5; shl.b32 %r7, %r7, 2; add.u32 %r7, %r10, %r7; "
                  "st.shared.f32 [%r7], %f1; bar.sync 0; setp.gt.u32 %p1, %r1, 31; @%p1 bra done; "
                  "and.b32 %r8, %r1, 7; shl.b32 %r8, %r8, 2; add.u32 %r8, %r10, %r8; "
                  "ld.shared.f32 %f1, [%r8]; " STEP("4") STEP("2")
                      STEP("1") "setp.ne.u32 %p2, %r1, 0; @%p2 bra done; red.global.add.f32 [%l1], "
                                "%f1; done:";
    (void)state;
    assert_twin(each, tree, INTERVENTION_ATOMICS, 4224, 0.1);
    assert_twin(each, tree, INTERVENTION_ATOMICS, 264, 0.1);
}

// 256 counters: each block's own are set to zero, and added to all in the end.
static void counters_of_a_block_are_cleared_and_added(void **state)
{
#define PLACE                                                                  \
    "add.u64 %l4, %l2, %l3; ld.global.u32 %r5, [%l4]; add.u32 %r5, %r5, %r4; " \
    "mul.lo.u32 %r5, %r5, 40503; shr.u32 %r5, %r5, 4; and.b32 %r5, %r5, 255; "
    static const char each[] =
        PLACE "mul.wide.u32 %l6, %r5, 4; add.u64 %l6, %l1, %l6; red.global.add.u32 [%l6], 1;";
    static const char own[] =
        "mov.u32 %r9, 0; st.shared.u32 [%r11], %r9; bar.sync 0; " PLACE
        "shl.b32 %r5, %r5, 2; add.u32 %r5, %r10, %r5; red.shared.add.u32 [%r5], 1; bar.sync 0; "
        "ld.shared.u32 %r6, [%r11]; add.u64 %l6, %l1, %l5; red.global.add.u32 [%l6], %r6;";
    (void)state;
    assert_twin(each, own, INTERVENTION_ATOMICS, 1056, 0.2);
}

// 1024 counters, of which each warp's first lane has one of eight: a copy has all of them, to clear and to add.
static void a_copy_has_the_counters_of_all_lanes(void **state)
{
    struct arena a = {0};
    static const char one[] =
        "mul.lo.u32 %r5, %r4, 40503; shr.u32 %r5, %r5, 4; and.b32 %r5, %r5, 1023; "
        "and.b32 %r6, %r1, 31; setp.ne.u32 %p1, %r6, 0; and.b32 %r6, %r5, 7; "
        "selp.b32 %r5, %r5, %r6, %p1; ";
    const char *each = arena_printf(&a,
                                    "%smul.wide.u32 %%l6, %%r5, 4; add.u64 %%l6, %%l1, %%l6; "
                                    "red.global.add.u32 [%%l6], 1;",
                                    one);
    const char *own = "mov.u32 %r9, 0; ";
    for (int i = 0; i < 4; i++)
        own = arena_printf(&a, "%sst.shared.u32 [%%r11+%d], %%r9; ", own, 1024 * i);
    own = arena_printf(&a,
                       "%sbar.sync 0; %sshl.b32 %%r5, %%r5, 2; add.u32 %%r5, %%r10, %%r5; "
                       "red.shared.add.u32 [%%r5], 1; bar.sync 0; add.u64 %%l6, %%l1, %%l5; ",
                       own, one);
    for (int i = 0; i < 4; i++)
        own = arena_printf(&a,
                           "%sld.shared.u32 %%r6, [%%r11+%d]; setp.ne.u32 %%p2, %%r6, 0; "
                           "@%%p2 red.global.add.u32 [%%l6+%d], %%r6; ",
                           own, 1024 * i, 1024 * i);
    (void)state;
    assert_twin(each, own, INTERVENTION_ATOMICS, 1056, 0.25);
    arena_release(&a);
}

// 2048 counters, of which one is every other's: that one's queue goes with the copies, where each block adds once.
static void the_queue_of_a_frequent_counter_goes(void **state)
{
    struct arena a = {0};
    static const char one[] =
        PLACE "mul.lo.u32 %r5, %r4, 40503; shr.u32 %r5, %r5, 4; and.b32 %r5, %r5, 2047; "
              "and.b32 %r6, %r4, 1; setp.ne.u32 %p1, %r6, 0; selp.b32 %r5, 0, %r5, %p1; ";
    const char *each = arena_printf(&a,
                                    "%smul.wide.u32 %%l6, %%r5, 4; add.u64 %%l6, %%l1, %%l6; "
                                    "red.global.add.u32 [%%l6], 1;",
                                    one);
    const char *own = "mov.u32 %r9, 0; ";
    for (int i = 0; i < 8; i++)
        own = arena_printf(&a, "%sst.shared.u32 [%%r11+%d], %%r9; ", own, 1024 * i);
    own = arena_printf(&a,
                       "%sbar.sync 0; %sshl.b32 %%r5, %%r5, 2; add.u32 %%r5, %%r10, %%r5; "
                       "red.shared.add.u32 [%%r5], 1; bar.sync 0; add.u64 %%l6, %%l1, %%l5; ",
                       own, one);
    for (int i = 0; i < 8; i++)
        own = arena_printf(&a,
                           "%sld.shared.u32 %%r6, [%%r11+%d]; setp.ne.u32 %%p2, %%r6, 0; "
                           "@%%p2 red.global.add.u32 [%%l6+%d], %%r6; ",
                           own, 1024 * i, 1024 * i);
    (void)state;
    assert_twin(each, own, INTERVENTION_ATOMICS, 1056, 0.25);
    arena_release(&a);
}

// Rows of 64 words, which a thread adds up, 16 of them on their way at a time: a warp's lanes have two words of a row each, wait for
// them and combine 32 parts.
static void a_short_row_keeps_few_loads_of_a_lane_on_their_way(void **state)
{
    struct arena a = {0};
    const char *loads = "", *sums = "";
    for (int i = 0; i < 16; i++) {
        loads = arena_printf(&a, "%sld.global.f32 %%g%d, [%%l4+%d]; ", loads, i, 4 * i);
        sums = arena_printf(&a, "%sadd.f32 %%f1, %%f1, %%g%d; ", sums, i);
    }
    const char *row = arena_printf(
        &a,
        ".reg .f32 %%g<16>; mul.wide.u32 %%l4, %%r4, 256; add.u64 %%l4, %%l2, %%l4; "
        "mov.f32 %%f1, 0f00000000; mov.u32 %%r9, 0; again: %s %s add.u64 %%l4, %%l4, 64; "
        "add.u32 %%r9, %%r9, 1; setp.lt.u32 %%p1, %%r9, 4; @%%p1 bra again; "
        "add.u64 %%l6, %%l1, %%l3; st.global.f32 [%%l6], %%f1;",
        loads, sums);
    static const char warp[] =
        "shr.u32 %r5, %r4, 5; mul.wide.u32 %l4, %r5, 256; and.b32 %r6, %r4, 31; "
        "mul.wide.u32 %l6, %r6, 4; add.u64 %l4, %l4, %l6; add.u64 %l4, %l2, %l4; "
        "ld.global.f32 %f1, [%l4]; ld.global.f32 %f2, [%l4+128]; add.f32 %f1, %f1, %f2; " STEP("16")
            STEP("8") STEP("4") STEP("2") STEP("1") "and.b32 %r6, %r4, 31; setp.ne.u32 %p1, %r6, "
                                                    "0; @%p1 bra done; shr.u32 %r5, %r4, 5; "
                                                    "mul.wide.u32 %l6, %r5, 4; add.u64 %l6, %l1, "
                                                    "%l6; st.global.f32 [%l6], %f1; done:";
    struct bench has, twin;
    (void)state;
    double was = run_two(&has, row, 132, 256), want = run_two(&twin, warp, 4224, 256);
    double got = then(&has, INTERVENTION_ROWS);
    if (!(fabs(got - want) <= 0.1 * want))
        fail_msg("%.0f ns promised, %.0f ns as it is, %.0f ns by a warp", got, was, want);
    bench_close(&has);
    bench_close(&twin);
    arena_release(&a);
}

// 2048 words of a block, each of which two of its warps load: from a tile, which a loop of eight turns fills, it takes longer.
static void a_tile_costs_its_fill_and_a_barrier(void **state)
{
    struct arena a = {0};
    const char *from_l1 = "", *from_tile = "";
    for (int i = 0; i < 8; i++) {
        from_l1 = arena_printf(&a,
                               "%sld.global.f32 %%f2, [%%l4+%d]; ld.global.f32 %%f3, [%%l5+%d]; "
                               "add.f32 %%f1, %%f1, %%f2; add.f32 %%f1, %%f1, %%f3; ",
                               from_l1, 1024 * i, 1024 * i);
        from_tile =
            arena_printf(&a,
                         "%sld.shared.f32 %%f2, [%%r11+%d]; ld.shared.f32 %%f3, [%%r12+%d]; "
                         "add.f32 %%f1, %%f1, %%f2; add.f32 %%f1, %%f1, %%f3; ",
                         from_tile, 1024 * i, 1024 * i);
    }
    static const char begin[] =
        "mov.f32 %f1, 0f00000000; mul.lo.u32 %r6, %r2, 2048; and.b32 %r6, %r6, 65535; "
        "xor.b32 %r7, %r1, 128; ";
    static const char store[] = "setp.gt.f32 %p2, %f1, 0f00000000; @%p2 st.global.f32 [%l1], %f1;";
    const char *direct = arena_printf(&a,
                                      "%sadd.u32 %%r8, %%r6, %%r1; mul.wide.u32 %%l4, %%r8, 4; "
                                      "add.u64 %%l4, %%l2, %%l4; add.u32 %%r8, %%r6, %%r7; "
                                      "mul.wide.u32 %%l5, %%r8, 4; add.u64 %%l5, %%l2, %%l5; %s%s",
                                      begin, from_l1, store);
    const char *tile = arena_printf(
        &a,
        "%smov.u32 %%r5, %%r1; fill: add.u32 %%r9, %%r6, %%r5; mul.wide.u32 %%l4, %%r9, 4; "
        "add.u64 %%l4, %%l2, %%l4; ld.global.f32 %%f3, [%%l4]; shl.b32 %%r8, %%r5, 2; "
        "add.u32 %%r8, %%r10, %%r8; st.shared.f32 [%%r8], %%f3; add.u32 %%r5, %%r5, 256; "
        "setp.lt.u32 %%p1, %%r5, 2048; @%%p1 bra fill; bar.sync 0; shl.b32 %%r12, %%r7, 2; "
        "add.u32 %%r12, %%r10, %%r12; %s%s",
        begin, from_tile, store);
    (void)state;
    assert_twin(direct, tile, INTERVENTION_BLOCK_RELOADS, 4224, 0.06);
    arena_release(&a);
}

// A transposition by blocks of 32 by 32: loads or stores have lanes a row apart, whatever the order of the indices. Twice 32
// columns of 32 blocks each lie 4096 bytes apart. As long as nobody pads the tile, its columns lie in one bank.
static void a_transposition_needs_a_tile(void **state)
{
#define ELEMENT                                                                               \
    "and.b32 %r5, %r1, 31; shr.u32 %r6, %r1, 5; and.b32 %r7, %r2, 31; shl.b32 %r7, %r7, 5; "  \
    "shr.u32 %r8, %r2, 5; shl.b32 %r8, %r8, 5; add.u32 %r9, %r8, %r6; shl.b32 %r9, %r9, 10; " \
    "add.u32 %r9, %r9, %r7; add.u32 %r9, %r9, %r5; mul.wide.u32 %l4, %r9, 4; "                \
    "add.u64 %l4, %l2, %l4; ld.global.f32 %f1, [%l4]; "
    static const char direct[] =
        ELEMENT "add.u32 %r12, %r7, %r5; shl.b32 %r12, %r12, 10; add.u32 %r13, %r8, %r6; "
                "add.u32 %r12, %r12, %r13; mul.wide.u32 %l6, %r12, 4; add.u64 %l6, %l1, %l6; "
                "st.global.f32 [%l6], %f1;";
    static const char tile[] =
        ELEMENT "mad.lo.u32 %r12, %r6, 32, %r5; shl.b32 %r12, %r12, 2; add.u32 %r12, %r10, %r12; "
                "st.shared.f32 [%r12], %f1; bar.sync 0; mad.lo.u32 %r12, %r5, 32, %r6; "
                "shl.b32 %r12, %r12, 2; add.u32 %r12, %r10, %r12; ld.shared.f32 %f2, [%r12]; "
                "add.u32 %r12, %r7, %r6; shl.b32 %r12, %r12, 10; add.u32 %r13, %r8, %r5; "
                "add.u32 %r12, %r12, %r13; mul.wide.u32 %l6, %r12, 4; add.u64 %l6, %l1, %l6; "
                "st.global.f32 [%l6], %f2;";
    (void)state;
    assert_twin(direct, tile, INTERVENTION_SECTORS, 1024, 0.06);
}

// Rows of eight words that a thread copies to a row of its own; which one it is to take is loaded once, or again for each word.
static double copied_ns(bool again)
{
    struct arena a = {0};
    struct bench b;
    static const char number[] = "ld.global.u32 %r5, [%l4]; and.b32 %r5, %r5, 1023; "
                                 "mul.wide.u32 %l6, %r5, 128; add.u64 %l6, %l2, %l6; ";
    const char *body = arena_printf(&a, "add.u64 %%l4, %%l2, %%l3; mul.wide.u32 %%l7, %%r4, 128; "
                                        "add.u64 %%l7, %%l1, %%l7; ");
    for (int i = 0; i < 8; i++)
        body =
            arena_printf(&a, "%s%sld.global.f32 %%f1, [%%l6+%d]; st.global.f32 [%%l7+%d], %%f1; ",
                         body, i == 0 || again ? number : "", 4 * i, 4 * i);
    (void)run_two(&b, body, 264, 256);
    double got = then(&b, INTERVENTION_SECTORS);
    bench_close(&b);
    arena_release(&a);
    return got;
}

// bench/advice/second, embed: what says where a row lies is no data that a tile would turn round.
static void numbers_of_places_need_no_tile(void **state)
{
    (void)state;
    double once = copied_ns(false), again = copied_ns(true);
    if (!(again < 1.3 * once))
        fail_msg("%.0f ns promised where the number is loaded again, %.0f where not", again, once);
}

// Four roots of what four loads bring: exact ones branch to a routine, over which ptxas moves no load, so that each is waited for.
// Approximate ones let all four go out first.
static void loads_go_out_together_without_exact_functions(void **state)
{
    struct arena a = {0};
    const char *body[2];
    static const char *const root[2] = {"sqrt.rn.f32", "sqrt.approx.ftz.f32"};
    for (int k = 0; k < 2; k++) {
        body[k] = ".reg .f32 %g<4>; add.u64 %l4, %l2, %l3; mov.f32 %f1, 0f00000000; ";
        for (int i = 0; i < 4; i++)
            body[k] = arena_printf(&a,
                                   "%sld.global.f32 %%g%d, [%%l4+%d]; %s %%g%d, %%g%d; "
                                   "add.f32 %%f1, %%f1, %%g%d; ",
                                   body[k], i, 1081344 * i, root[k], i, i, i);
        body[k] =
            arena_printf(&a, "%sadd.u64 %%l6, %%l1, %%l3; st.global.f32 [%%l6], %%f1;", body[k]);
    }
    (void)state;
    assert_twin(body[0], body[1], INTERVENTION_FUNCTIONS, 1056, 0.1);
    arena_release(&a);
}

// A polynomial of a half each thread: by pairs half of the warps are left, each as long.
static void pairs_of_halves_leave_half_of_the_warps(void **state)
{
    struct arena a = {0};
    const char *one = ".reg .b16 %h<4>; shr.u64 %l4, %l3, 1; add.u64 %l6, %l1, %l4; "
                      "add.u64 %l4, %l2, %l4; ld.global.b16 %h1, [%l4]; mov.b16 %h2, %h1; ",
               *two = "add.u64 %l6, %l1, %l3; add.u64 %l4, %l2, %l3; ld.global.b32 %r5, [%l4]; "
                      "mov.b32 %r6, %r5; ";
    for (int i = 0; i < 24; i++) {
        one = arena_printf(&a, "%sfma.rn.f16 %%h2, %%h2, %%h1, %%h1; ", one);
        two = arena_printf(&a, "%sfma.rn.f16x2 %%r6, %%r6, %%r5, %%r5; ", two);
    }
    one = arena_printf(&a, "%sst.global.b16 [%%l6], %%h2;", one);
    two = arena_printf(&a, "%sst.global.b32 [%%l6], %%r6;", two);
    struct bench has, twin;
    (void)state;
    double was = run_two(&has, one, 4224, 256), want = run_two(&twin, two, 2112, 256);
    double got = then(&has, INTERVENTION_HALVES);
    if (!(fabs(got - want) <= 0.06 * want))
        fail_msg("%.0f ns promised, %.0f ns as it is, %.0f ns by pairs", got, was, want);
    bench_close(&has);
    bench_close(&twin);
    arena_release(&a);
}

// One row of eight has 32 words, the others have four: a warp for each row has nothing to do for most lanes, eight lanes have.
static void rows_of_other_lengths_are_shared_by_their_mean(void **state)
{
    static const char thread[] =
        "mul.wide.u32 %l4, %r4, 128; add.u64 %l4, %l2, %l4; and.b32 %r5, %r4, 7; "
        "setp.eq.u32 %p2, %r5, 0; selp.b32 %r6, 32, 4, %p2; mov.f32 %f1, 0f00000000; "
        "mov.u32 %r9, 0; again: ld.global.f32 %f2, [%l4]; add.f32 %f1, %f1, %f2; "
        "add.u64 %l4, %l4, 4; add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, %r6; @%p1 bra again; "
        "add.u64 %l6, %l1, %l3; st.global.f32 [%l6], %f1;";
    static const char eight[] =
        "shr.u32 %r5, %r4, 3; mul.wide.u32 %l4, %r5, 128; add.u64 %l4, %l2, %l4; "
        "and.b32 %r7, %r5, 7; setp.eq.u32 %p2, %r7, 0; selp.b32 %r6, 32, 4, %p2; "
        "and.b32 %r9, %r4, 7; mul.wide.u32 %l6, %r9, 4; add.u64 %l4, %l4, %l6; mov.u32 %r8, %r9; "
        "mov.f32 %f1, 0f00000000; again: ld.global.f32 %f2, [%l4]; add.f32 %f1, %f1, %f2; "
        "add.u64 %l4, %l4, 32; add.u32 %r9, %r9, 8; setp.lt.u32 %p1, %r9, %r6; @%p1 bra "
        "again; " STEP("4") STEP("2")
            STEP("1") "setp.ne.u32 %p1, %r8, 0; @%p1 bra done; mul.wide.u32 %l6, %r5, 4; "
                      "add.u64 %l6, %l1, %l6; st.global.f32 [%l6], %f1; done:";
    struct bench has, twin;
    (void)state;
    double was = run_two(&has, thread, 264, 256), want = run_two(&twin, eight, 2112, 256);
    double got = then(&has, INTERVENTION_ROWS);
    if (!(fabs(got - want) <= 0.15 * want))
        fail_msg("%.0f ns promised, %.0f ns as it is, %.0f ns by eight lanes", got, was, want);
    bench_close(&has);
    bench_close(&twin);
}

// Four passes over a row of 64 words each thread. A warp for each row finds in L1 what its first pass brought, whatever the many
// warps beside it are just asking for: those have lines of their own.
#define PASS(again)                                                               \
    "mov.u32 %r9, 0; mov.u64 %l7, %l4; " again ": ld.global.f32 %f2, [%l7]; "     \
    "sub.f32 %f2, %f2, %f1; fma.rn.f32 %f3, %f2, %f2, %f3; add.u64 %l7, %l7, 4; " \
    "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 64; @%p1 bra " again "; "
#define PASS_BESIDE                                                                    \
    "ld.global.f32 %f2, [%l4]; sub.f32 %f2, %f2, %f3; fma.rn.f32 %f1, %f2, %f2, %f1; " \
    "ld.global.f32 %f2, [%l4+128]; sub.f32 %f2, %f2, %f3; fma.rn.f32 %f1, %f2, %f2, %f1; "
#define STEP_MOST(lanes)                                                                   \
    "mov.b32 %r5, %f1; shfl.sync.bfly.b32 %r6, %r5, " lanes ", 31, -1; mov.b32 %f2, %r6; " \
    "max.f32 %f1, %f1, %f2; "
static void warps_that_were_not_there_load_lines_of_their_own(void **state)
{
    static const char thread[] =
        "mul.wide.u32 %l4, %r4, 256; add.u64 %l4, %l2, %l4; mov.u64 %l7, %l4; "
        "mov.f32 %f1, 0f00000000; mov.f32 %f3, 0f00000000; mov.u32 %r9, 0; "
        "one: ld.global.f32 %f2, [%l7]; max.f32 %f1, %f1, %f2; add.u64 %l7, %l7, 4; "
        "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 64; @%p1 bra one; " PASS("two") PASS("three")
            PASS("four") "add.u64 %l6, %l1, %l3; st.global.f32 [%l6], %f3;";
    static const char warp[] =
        "shr.u32 %r8, %r4, 5; and.b32 %r7, %r4, 31; mul.wide.u32 %l4, %r8, 256; "
        "add.u64 %l4, %l2, %l4; mul.wide.u32 %l6, %r7, 4; add.u64 %l4, %l4, %l6; "
        "mov.f32 %f1, 0f00000000; ld.global.f32 %f2, [%l4]; max.f32 %f1, %f1, %f2; "
        "ld.global.f32 %f2, [%l4+128]; max.f32 %f1, %f1, %f2; " STEP_MOST("16") STEP_MOST("8")
            STEP_MOST("4") STEP_MOST("2") STEP_MOST(
                "1") "mov.f32 %f3, %f1; "
                     "mov.f32 %f1, 0f00000000; " PASS_BESIDE PASS_BESIDE PASS_BESIDE STEP("16")
                         STEP("8") STEP("4") STEP("2")
                             STEP("1") "setp.ne.u32 %p1, %r7, 0; @%p1 bra done; "
                                       "mul.wide.u32 %l6, %r8, 4; add.u64 %l6, %l1, %l6; "
                                       "st.global.f32 [%l6], %f1; done:";
    struct bench has, twin;
    (void)state;
    double was = run_two(&has, thread, 132, 128), want = run_two(&twin, warp, 4224, 128);
    double got = then(&has, INTERVENTION_ROWS);
    // The twin has a second tree, for the largest: a part of a microsecond that the replay does not pay.
    if (!(got <= 1.03 * want && got >= 0.88 * want))
        fail_msg("%.0f ns promised, %.0f ns as it is, %.0f ns by warps", got, was, want);
    bench_close(&has);
    bench_close(&twin);
}

// Products of a row of 64 words and a vector, 32 to a turn of a thread's loop: more than its registers hold, so they are loaded in
// groups. A warp's lanes have two each, whose loads go out together.
static void loads_that_are_left_go_out_together(void **state)
{
    struct arena a = {0};
    const char *thread = ".reg .f32 %g<64>; mul.wide.u32 %l4, %r4, 256; add.u64 %l4, %l2, %l4; "
                         "mov.u64 %l7, %l2; mov.f32 %f1, 0f00000000; mov.u32 %r9, 0; again: ";
    for (int i = 0; i < 32; i++)
        thread = arena_printf(&a,
                              "%sld.global.f32 %%g%d, [%%l4+%d]; ld.global.f32 %%g%d, [%%l7+%d]; "
                              "fma.rn.f32 %%f1, %%g%d, %%g%d, %%f1; ",
                              thread, 2 * i, 4 * i, 2 * i + 1, 4 * i, 2 * i, 2 * i + 1);
    thread = arena_printf(&a,
                          "%sadd.u64 %%l4, %%l4, 128; add.u64 %%l7, %%l7, 128; "
                          "add.u32 %%r9, %%r9, 32; setp.lt.u32 %%p1, %%r9, 64; @%%p1 bra again; "
                          "add.u64 %%l6, %%l1, %%l3; st.global.f32 [%%l6], %%f1;",
                          thread);
    static const char warp[] =
        "shr.u32 %r8, %r4, 5; and.b32 %r7, %r4, 31; mul.wide.u32 %l4, %r8, 256; "
        "mul.wide.u32 %l6, %r7, 4; add.u64 %l7, %l2, %l6; add.u64 %l4, %l7, %l4; "
        "mov.f32 %f1, 0f00000000; ld.global.f32 %f2, [%l4]; ld.global.f32 %f3, [%l7]; "
        "fma.rn.f32 %f1, %f2, %f3, %f1; ld.global.f32 %f2, [%l4+128]; "
        "ld.global.f32 %f3, [%l7+128]; fma.rn.f32 %f1, %f2, %f3, %f1; " STEP("16") STEP("8")
            STEP("4") STEP("2") STEP("1") "setp.ne.u32 %p1, %r7, 0; @%p1 bra done; "
                                          "mul.wide.u32 %l6, %r8, 4; add.u64 %l6, %l1, %l6; "
                                          "st.global.f32 [%l6], %f1; done:";
    struct bench has, twin;
    (void)state;
    double was = run_two(&has, thread, 132, 128), want = run_two(&twin, warp, 4224, 128);
    double got = then(&has, INTERVENTION_ROWS);
    if (!(got <= 1.02 * want && got >= 0.93 * want))
        fail_msg("%.0f ns promised, %.0f ns as it is, %.0f ns by lanes", got, was, want);
    bench_close(&has);
    bench_close(&twin);
    arena_release(&a);
}

// A window of three by three, of a result each thread or of four below each other: those load six rows in place of twelve.
static void results_of_a_window_share_what_they_load(void **state)
{
    struct arena a = {0};
    const char *one = "", *four = "";
    static const char place[] =
        "and.b32 %r5, %r1, 31; and.b32 %r7, %r2, 31; shl.b32 %r7, %r7, 5; add.u32 %r5, %r5, %r7; "
        "shr.u32 %r6, %r1, 5; shr.u32 %r8, %r2, 5; shl.b32 %r8, %r8, 3; add.u32 %r6, %r6, %r8; ";
    static const char at[] =
        "shl.b32 %r6, %r6, 10; add.u32 %r6, %r6, %r5; mul.wide.u32 %l5, %r6, 4; "
        "add.u64 %l4, %l2, %l5; add.u64 %l6, %l1, %l5; ";
    for (int y = 0; y < 6; y++)
        for (int x = 0; x < 3; x++) {
            const char *load =
                arena_printf(&a, "ld.global.f32 %%g%d, [%%l4+%d]; ", 3 * y + x, 4096 * y + 4 * x);
            one = y < 3 ? arena_printf(&a, "%s%s", one, load) : one;
            four = arena_printf(&a, "%s%s", four, load);
        }
    for (int r = 0; r < 4; r++)
        for (int k = 0; k < 10; k++) {
            const char *step =
                k == 9 ? arena_printf(&a, "st.global.f32 [%%l6+%d], %%h%d; ", 4096 * r, r)
                       : arena_printf(&a, "%s %%h%d, %%g%d%s; ", k == 0 ? "mov.f32" : "add.f32", r,
                                      3 * r + k, k == 0 ? "" : arena_printf(&a, ", %%h%d", r));
            one = r == 0 ? arena_printf(&a, "%s%s", one, step) : one;
            four = arena_printf(&a, "%s%s", four, step);
        }
    one = arena_printf(&a, ".reg .f32 %%g<18>; .reg .f32 %%h<4>; %s%s%s", place, at, one);
    four = arena_printf(&a, ".reg .f32 %%g<18>; .reg .f32 %%h<4>; %sshl.b32 %%r6, %%r6, 2; %s%s",
                        place, at, four);
    struct bench has, twin;
    (void)state;
    double was = run_two(&has, one, 4096, 256), want = run_two(&twin, four, 1024, 256);
    double got = then(&has, INTERVENTION_SHARED_LOADS);
    if (!(fabs(got - want) <= 0.1 * want))
        fail_msg("%.0f ns promised, %.0f ns as it is, %.0f ns by fours", got, was, want);
    bench_close(&has);
    bench_close(&twin);
    arena_release(&a);
}

// A polynomial whose 24 coefficients are at known places: as constants they are operands, as numbers in the code are.
static void constants_at_known_places_are_operands(void **state)
{
    struct arena a = {0};
    static const char begin[] = ".reg .f32 %g<24>; " LOAD "mov.f32 %f3, 0f00000000; ";
    const char *loads = begin, *numbers = begin;
    for (int k = 0; k < 24; k++) {
        loads = arena_printf(&a,
                             "%sld.global.f32 %%g%d, [%%l1+%d]; "
                             "fma.rn.f32 %%f3, %%f3, %%f1, %%g%d; ",
                             loads, k, 4 * k, k);
        numbers = arena_printf(&a, "%sfma.rn.f32 %%f3, %%f3, %%f1, 0f3F8%05X; ", numbers, k);
    }
    loads = arena_printf(&a, "%sst.global.f32 [%%l4+8650752], %%f3;", loads);
    numbers = arena_printf(&a, "%sst.global.f32 [%%l4+8650752], %%f3;", numbers);
    (void)state;
    assert_twin(loads, numbers, INTERVENTION_UNIFORM, 8448, 0.1);
    arena_release(&a);
}

// Quotients of f64 become such of f32, which have a way to a routine too: loads behind it still wait for those in front of it.
static void quotients_of_f32_have_a_way_to_a_routine_too(void **state)
{
    enum { ELEMENTS = 16, BLOCKS = 264, THREADS = 128 };
    struct arena a = {0};
    struct bench has, twin;
    const char *wide = ".reg .f32 %g<16>; .reg .f64 %d<33>; mov.f64 %d32, 0d0000000000000000; "
                       "add.u64 %l4, %l2, %l3; ";
    const char *narrow = ".reg .f32 %g<32>; mov.f32 %f3, 0f00000000; add.u64 %l4, %l2, %l3; ";
    (void)state;
    for (int k = 0; k < ELEMENTS; k++) {
        const char *load =
            arena_printf(&a, "ld.global.f32 %%g%d, [%%l4+%d]; ", k, k * BLOCKS * THREADS * 4);
        wide = arena_printf(&a,
                            "%s%scvt.f64.f32 %%d%d, %%g%d; rcp.rn.f64 %%d%d, %%d%d; "
                            "add.f64 %%d32, %%d32, %%d%d; ",
                            wide, load, k, k, 16 + k, k, 16 + k);
        narrow = arena_printf(&a, "%s%srcp.rn.f32 %%g%d, %%g%d; add.f32 %%f3, %%f3, %%g%d; ",
                              narrow, load, 16 + k, k, 16 + k);
    }
    wide = arena_printf(&a,
                        "%scvt.rn.f32.f64 %%f3, %%d32; add.u64 %%l6, %%l1, %%l3; "
                        "st.global.f32 [%%l6], %%f3;",
                        wide);
    narrow = arena_printf(&a, "%sadd.u64 %%l6, %%l1, %%l3; st.global.f32 [%%l6], %%f3;", narrow);
    (void)run_two(&has, wide, BLOCKS, THREADS);
    double want = run_two(&twin, narrow, BLOCKS, THREADS), got = then(&has, INTERVENTION_F64);
    double together = then(&twin, INTERVENTION_FUNCTIONS);
    // What is gained where no routine keeps loads apart is not promised.
    if (!(fabs(got - want) <= 0.1 * want && together < 0.7 * want))
        fail_msg("%.0f ns promised, %.0f by f32, %.0f without exact quotients", got, want,
                 together);
    bench_close(&has);
    bench_close(&twin);
    arena_release(&a);
}

// A chain of places, each loaded from the one before.
static double run_followed(struct bench *b, uint32_t blocks, int results)
{
    enum { PLACES = 8192, THREADS = 64 };
    static uint32_t threads = THREADS, places[PLACES];
    struct arena a = {0};
    const char *body = "mov.u32 %r9, 0; and.b32 %r12, %r4, 8191; again: mul.wide.u32 %l7, %r12, 4; "
                       "add.u64 %l4, %l2, %l7; ld.global.u32 %r12, [%l4]; add.u32 %r9, %r9, 1; "
                       "setp.lt.u32 %p1, %r9, 24; @%p1 bra again; add.u64 %l6, %l1, %l3; ";
    for (uint32_t i = 0; i < PLACES; i++)
        places[i] = (i * 40503u + 12345u) % PLACES;
    for (int i = 0; i < results; i++)
        body = arena_printf(&a, "%sst.global.u32 [%%l6+%u], %%r12; ", body,
                            (unsigned)i * blocks * THREADS * 4);
    bench_text(b, arena_printf(&a, "%s%s\nret;\n}\n", head, body));
    uint64_t out = bench_buffer(b, "out", NULL, (size_t)blocks * THREADS * 4 * (size_t)results),
             in = bench_buffer(b, "in", places, sizeof places);
    b->launch.counterfactuals = true;
    bench_run(b, "k", GRID1(blocks, threads), ARGS(&out, &in));
    arena_release(&a);
    return b->report.time.time_ns;
}

// Threads that follow several chains are as many fewer: where all of them are on the chip at once, nothing is gained, unless a thread
// has four results of its own.
static void a_pointer_that_is_followed_has_no_loads_to_begin_with(void **state)
{
    struct bench one, four;
    double time = run_followed(&one, 132, 1), own = run_followed(&four, 132, 4);
    (void)state;
    assert_true(one.report.facts.value[FACT_SERIAL_LOOPS] > 0);
    assert_true(fabs(then(&one, INTERVENTION_LOADS) - time) < 0.01 * time);
    assert_true(then(&four, INTERVENTION_LOADS) < 0.5 * own);
    bench_close(&one);
    bench_close(&four);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sum_is_a_tree_and_an_atomic_of_each_block),
        cmocka_unit_test(counters_of_a_block_are_cleared_and_added),
        cmocka_unit_test(a_copy_has_the_counters_of_all_lanes),
        cmocka_unit_test(the_queue_of_a_frequent_counter_goes),
        cmocka_unit_test(a_tile_costs_its_fill_and_a_barrier),
        cmocka_unit_test(a_transposition_needs_a_tile),
        cmocka_unit_test(numbers_of_places_need_no_tile),
        cmocka_unit_test(a_short_row_keeps_few_loads_of_a_lane_on_their_way),
        cmocka_unit_test(loads_go_out_together_without_exact_functions),
        cmocka_unit_test(pairs_of_halves_leave_half_of_the_warps),
        cmocka_unit_test(rows_of_other_lengths_are_shared_by_their_mean),
        cmocka_unit_test(warps_that_were_not_there_load_lines_of_their_own),
        cmocka_unit_test(loads_that_are_left_go_out_together),
        cmocka_unit_test(results_of_a_window_share_what_they_load),
        cmocka_unit_test(constants_at_known_places_are_operands),
        cmocka_unit_test(quotients_of_f32_have_a_way_to_a_routine_too),
        cmocka_unit_test(a_pointer_that_is_followed_has_no_loads_to_begin_with),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
