// The time of pipelines: mbarriers, bulk copies, groups of copies and barriers of some warps in the replay. Kernels made
// by hand, whose order of events is known: what overlaps takes the longer of two times, what does not takes their sum.
// run-early: it takes long.
// SPDX-License-Identifier: Apache-2.0
#include "sim/exec_support.h"

#include <math.h>

// Instrumented, half the tiles: the others take the same way through the code.
#ifdef __SANITIZE_ADDRESS__
enum { TILES = 16 };
#else
enum { TILES = 32 };
#endif
enum { BLOCKS = 132, THREADS = 96, TILE_BYTES = 8192 };

#define MODULE ".version 8.6\n.target sm_90a\n.address_size 64\n"
#define HEAD                                                                                    \
    MODULE                                                                                      \
    ".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n, .param .u32 tiles)\n{\n" \
    ".reg .pred %p<8>; .reg .b32 %r<24>; .reg .b64 %l<8>; .reg .f32 %f<4>;\n"                   \
    ".shared .align 128 .b8 tile[16384]; .shared .align 8 .b64 full[2];\n"                      \
    ".shared .align 8 .b64 empty[2];\n"                                                         \
    "ld.param.u64 %l1, [in]; ld.param.u32 %r1, [n]; ld.param.u32 %r2, [tiles];\n"               \
    "mov.u32 %r3, %tid.x; mov.u32 %r4, %ctaid.x; mov.f32 %f1, 0f3F800000;\n"                    \
    "mov.f32 %f2, 0f3F7FFFFF; mov.u32 %r5, 0; shr.u32 %r19, %r3, 5; setp.eq.u32 %p6, %r19, 0;\n"
#define MAKE                                                                                \
    "setp.eq.u32 %p1, %r3, 0; mov.u32 %r10, full; mov.u32 %r13, empty;\n"                   \
    "@%p1 mbarrier.init.shared.b64 [%r10], 1; @%p1 mbarrier.init.shared.b64 [%r10+8], 1;\n" \
    "@%p1 mbarrier.init.shared.b64 [%r13], 1; @%p1 mbarrier.init.shared.b64 [%r13+8], 1;\n" \
    "bar.sync 0;\n"
// So many products, each waiting for the one before.
#define WORK(label, times)                                                                \
    "mov.u32 %r8, 0;\n" label ": setp.ge.u32 %p2, %r8, " times "; @%p2 bra " label "D;\n" \
    "fma.rn.f32 %f1, %f1, %f2, %f2; fma.rn.f32 %f1, %f1, %f2, %f2;\n"                     \
    "fma.rn.f32 %f1, %f1, %f2, %f2; fma.rn.f32 %f1, %f1, %f2, %f2;\n"                     \
    "add.u32 %r8, %r8, 4; bra " label ";\n" label "D:\n"
// Asks for tile %r6 of this block, into the stage of its parity.
#define ASK                                                                                   \
    "and.b32 %r7, %r6, 1; shl.b32 %r9, %r7, 3; mov.u32 %r10, full; add.u32 %r9, %r9, %r10;\n" \
    "shl.b32 %r11, %r7, 13; mov.u32 %r10, tile; add.u32 %r11, %r11, %r10;\n"                  \
    "mad.lo.u32 %r12, %r4, %r2, %r6; mul.wide.u32 %l2, %r12, 8192; add.s64 %l2, %l1, %l2;\n"  \
    "mbarrier.arrive.expect_tx.shared.b64 %l3, [%r9], 8192;\n"                                \
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r11], [%l2], 8192, " \
    "[%r9];\n"
// Waits for round %r5 of the stage that it has: its mbarrier is left in %r16.
#define WAIT(label, barriers, flip)                                                     \
    "and.b32 %r7, %r5, 1; shr.u32 %r18, %r5, 1; and.b32 %r18, %r18, 1;\n"               \
    "xor.b32 %r18, %r18, " flip "; shl.b32 %r16, %r7, 3; mov.u32 %r17, " barriers ";\n" \
    "add.u32 %r16, %r16, %r17;\n" label                                                 \
    ": mbarrier.try_wait.parity.shared.b64 %p3, [%r16], %r18; @%p3 bra " label "D;\n"   \
    "bra " label ";\n" label "D:\n"
#define AGAIN(label) "add.u32 %r5, %r5, 1; setp.lt.u32 %p5, %r5, %r2; @%p5 bra " label ";\n"
#define TAIL                                                                                    \
    "END: ld.param.u64 %l4, [out]; mad.lo.u32 %r14, %r4, 96, %r3; mul.wide.u32 %l5, %r14, 4;\n" \
    "add.s64 %l4, %l4, %l5; st.global.f32 [%l4], %f1; ret;\n}\n"

// One thread asks for tile k + 1, then all work on tile k.
static const char ahead[] =
    HEAD MAKE "mov.u32 %r6, 0; @!%p1 bra LOOP;\n" ASK
              "LOOP: add.u32 %r6, %r5, 1; setp.lt.and.u32 %p4, %r6, %r2, %p1; @!%p4 bra USE;\n" ASK
              "USE:" WAIT("W", "full", "0") WORK("C", "%r1") "bar.sync 0;\n" AGAIN("LOOP") TAIL;
// Each tile is asked for when the one before is done with.
static const char behind[] =
    HEAD MAKE "LOOP: mov.u32 %r6, %r5; @!%p1 bra USE;\n" ASK "USE:" WAIT("W", "full", "0")
        WORK("C", "%r1") "bar.sync 0;\n" AGAIN("LOOP") TAIL;
// Warp 0 asks as soon as a stage is empty, warp 1 works and empties stages. They never meet.
static const char roles[] = HEAD MAKE
    "setp.eq.u32 %p7, %r19, 1; @%p7 bra CONSUMER; @!%p1 bra END;\n"
    "PRODUCER: mov.u32 %r6, %r5;\n" WAIT("E", "empty", "1")
        ASK AGAIN("PRODUCER") "bra END;\nCONSUMER:\n" WAIT("W", "full", "0")
            WORK("C", "%r1") "mov.u32 %r17, empty; add.u32 %r16, %r16, %r17; mov.u32 %r17, full;\n"
                             "sub.u32 %r16, %r16, %r17; setp.eq.u32 %p7, %r3, 32;\n"
                             "@%p7 mbarrier.arrive.shared.b64 %l3, [%r16];\n" AGAIN("CONSUMER")
                                 TAIL;
// Warp 0 works as long as the other two, which meet after each part of it at a barrier of their own.
static const char apart[] = HEAD "mul.lo.u32 %r20, %r1, %r2; @!%p6 bra PAIR;\n" WORK(
    "A", "%r20") "bra END;\nPAIR:\n" WORK("B", "%r1") "bar.sync 1, 64;\n" AGAIN("PAIR") TAIL;
#define GROUPS(left)                                                                              \
    HEAD "mov.u32 %r11, tile; shl.b32 %r12, %r3, 12; mul.wide.u32 %l2, %r12, 1; add.s64 %l2, "    \
         "%l1, %l2;\nLOOP: cp.async.cg.shared.global [%r11], [%l2], 16; cp.async.commit_group;\n" \
         "add.s64 %l2, %l2, 128; cp.async.wait_group " left ";\n" WORK("C", "%r1") AGAIN("LOOP")  \
             TAIL
static const char groups_of_before[] = GROUPS("1"), all_groups[] = GROUPS("0");

// The first n threads of each block store 16 bytes each, in bulk, in every round.
static const char lanes[] =
    HEAD "setp.ge.u32 %p4, %r3, %r1; @%p4 bra END; mov.u32 %r11, tile;\n"
         "mad.lo.u32 %r12, %r4, 96, %r3; mul.wide.u32 %l2, %r12, 16; add.s64 %l2, %l1, %l2;\n"
         "LOOP: cp.async.bulk.global.shared::cta.bulk_group [%l2], [%r11], 16;\n"
         "cp.async.bulk.commit_group;\n" AGAIN("LOOP") TAIL;

struct took {
    double us, barrier_pct, memory_pct;
};

static struct took launch(const char *kernel, uint32_t blocks, uint32_t n, uint32_t tiles)
{
    struct bench b;
    bench_text(&b, kernel);
    uint64_t in = bench_buffer(&b, "in", NULL, (size_t)BLOCKS * TILES * TILE_BYTES);
    uint64_t out = bench_buffer(&b, "out", NULL, (size_t)BLOCKS * THREADS * 4);
    bench_run(&b, "k", GRID1(blocks, THREADS), ARGS(&in, &out, &n, &tiles));
    const struct time_breakdown *t = &b.report.time;
    assert_true(t->valid);
    struct took took = {(t->time_ns - t->launch_ns) / 1000, t->waiting_barrier_pct,
                        t->waiting_memory_pct};
    bench_close(&b);
    return took;
}

// A launch always takes the same time (tests/sim/determinism_test.c): each is simulated once.
static struct took run(const char *kernel, uint32_t blocks, uint32_t n, uint32_t tiles)
{
    enum { LAUNCHES_MAX = 64 };
    static struct {
        const char *kernel;
        uint32_t blocks, n, tiles;
        struct took took;
    } known[LAUNCHES_MAX];
    static size_t count;
    for (size_t i = 0; i < count; i++)
        if (known[i].kernel == kernel && known[i].blocks == blocks && known[i].n == n &&
            known[i].tiles == tiles)
            return known[i].took;
    assert_true(count < LAUNCHES_MAX);
    known[count].kernel = kernel;
    known[count].blocks = blocks;
    known[count].n = n;
    known[count].tiles = tiles;
    known[count].took = launch(kernel, blocks, n, tiles);
    return known[count++].took;
}

static void assert_near(const char *what, double got, double want, double share)
{
    if (fabs(got - want) > share * want)
        fail_msg("%s takes %.2f us, not %.2f", what, got, want);
}

enum {
    SHORT = 64,
    LONG = 1024
}; // products: about half of a copy's time, and some four times as long

static const double start_us = 52 / 1980.0; // of a bulk copy, a lane's (chip file of the H200)

// The arithmetic on all tiles, by what the double of it takes more.
/* ---- one copy after the other ---------------------------------------------------------------------- */

// One thread copies %r1 bytes, %r2 times, each waited for.
static const char loads_alone[] = HEAD MAKE
    "@!%p1 bra END; mov.u32 %r11, tile; mov.u32 %r10, full;\n"
    "LOOP: mbarrier.arrive.expect_tx.shared.b64 %l3, [%r10], %r1;\n"
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r11], [%l1], %r1, "
    "[%r10]; and.b32 %r18, %r5, 1;\n"
    "W: mbarrier.try_wait.parity.shared.b64 %p3, [%r10], %r18; @!%p3 bra W;\n" AGAIN("LOOP") TAIL;
static const char stores_alone[] =
    HEAD MAKE "@!%p1 bra END; mov.u32 %r11, tile;\n"
              "LOOP: cp.async.bulk.global.shared::cta.bulk_group [%l1], [%r11], %r1;\n"
              "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n" AGAIN("LOOP") TAIL;

// Cycles of a copy, with its data in the L2.
static double copy_cycles(const char *kernel, uint32_t bytes)
{
    enum { COPIES = 64 };
    struct bench b;
    bench_text(&b, kernel);
    uint32_t count = COPIES;
    uint64_t in = bench_buffer(&b, "in", NULL, 1 << 16), out = bench_buffer(&b, "out", NULL, 4096);
    for (int run = 0; run < 2; run++)
        bench_run(&b, "k", GRID1(1, THREADS), ARGS(&in, &out, &bytes, &count));
    double us = (b.report.time.time_ns - b.report.time.launch_ns) / 1000;
    bench_close(&b);
    return us * 1980 / COPIES;
}

// What 16368 bytes more cost on an H200: 157 cycles to load, 512 to store (bench/device/cycles.sh bulk, copies alone: 567 and 724,
// 319 and 831 cycles; docs/h200-rates.md, section 4).
static void bytes_of_a_bulk_copy_come_as_fast_as_an_h200s(void **state)
{
    (void)state;
    assert_near("loading", copy_cycles(loads_alone, 16384) - copy_cycles(loads_alone, 16), 157,
                0.2);
    assert_near("storing", copy_cycles(stores_alone, 16384) - copy_cycles(stores_alone, 16), 512,
                0.05);
}

static double work_us(uint32_t n)
{
    return run(ahead, BLOCKS, LONG + n, TILES).us - run(ahead, BLOCKS, LONG, TILES).us;
}

static void a_copy_that_is_waited_for_at_once_is_added_to_the_arithmetic(void **state)
{
    (void)state;
    double copies = run(behind, BLOCKS, 0, TILES).us;
    assert_near("behind, long work", run(behind, BLOCKS, LONG, TILES).us, copies + work_us(LONG),
                0.03);
    assert_near("behind, short work", run(behind, BLOCKS, SHORT, TILES).us, copies + work_us(SHORT),
                0.03);
}

static void a_copy_ahead_takes_the_longer_of_copy_and_arithmetic(void **state)
{
    (void)state;
    double copy = run(behind, BLOCKS, 0, TILES).us / TILES;
    struct took with = run(ahead, BLOCKS, LONG, TILES);
    // Who asks for a tile works too.
    assert_near("ahead, long work", with.us, work_us(LONG) + copy + TILES * start_us, 0.05);
    assert_true(with.memory_pct < 5); // the wait is late: the tile is there
    double copies = run(ahead, BLOCKS, 0, TILES).us;
    with = run(ahead, BLOCKS, SHORT, TILES);
    assert_true(with.us < copies + 0.7 * work_us(SHORT));
    assert_true(with.memory_pct > 30);
}

static void a_producer_and_a_consumer_take_as_long_as_copies_ahead(void **state)
{
    (void)state;
    for (uint32_t n = SHORT; n <= LONG; n *= 2) {
        struct took all = run(ahead, BLOCKS, n, TILES), two = run(roles, BLOCKS, n, TILES);
        assert_near("two roles", two.us, all.us, 0.06);
    }
    // The producer waits for stages to become empty.
    assert_true(run(roles, BLOCKS, LONG, TILES).barrier_pct > 25);
}

static void a_barrier_of_two_warps_does_not_wait_for_the_third(void **state)
{
    (void)state;
    double once = run(apart, 1, LONG, 1).us, many = run(apart, 1, LONG, TILES).us;
    if (many > 1.1 * TILES * once)
        fail_msg("%d parts take %.1f us, one %.1f", TILES, many, once);
}

// Two copies are on their way: of two rounds each waits for one copy and works twice, where the copy takes longer.
static void a_wait_leaves_as_many_groups_of_copies_as_it_says(void **state)
{
    (void)state;
    double one_by_one = run(all_groups, 1, SHORT, TILES).us; // each takes a copy and the work
    assert_near("a group ahead of short work", run(groups_of_before, 1, SHORT, TILES).us,
                one_by_one / 2, 0.05);
    double work = run(all_groups, 1, 2 * LONG, TILES).us - run(all_groups, 1, LONG, TILES).us;
    assert_near("a group ahead of long work", run(groups_of_before, 1, LONG, TILES).us, work, 0.05);
}

static void lanes_start_their_bulk_copies_one_after_the_other(void **state)
{
    (void)state;
    double one = run(lanes, BLOCKS, 1, TILES).us, all = run(lanes, BLOCKS, 32, TILES).us;
    assert_near("31 lanes more", all - one, TILES * 31 * start_us, 0.05);
    double two_warps = run(lanes, BLOCKS, 64, TILES).us; // each of its own
    assert_near("two warps", two_warps, all, 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_that_is_waited_for_at_once_is_added_to_the_arithmetic),
        cmocka_unit_test(a_copy_ahead_takes_the_longer_of_copy_and_arithmetic),
        cmocka_unit_test(a_producer_and_a_consumer_take_as_long_as_copies_ahead),
        cmocka_unit_test(a_barrier_of_two_warps_does_not_wait_for_the_third),
        cmocka_unit_test(a_wait_leaves_as_many_groups_of_copies_as_it_says),
        cmocka_unit_test(bytes_of_a_bulk_copy_come_as_fast_as_an_h200s),
        cmocka_unit_test(lanes_start_their_bulk_copies_one_after_the_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
