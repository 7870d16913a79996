// Counterfactual replays: the time of a kernel without its conflicts, barriers or divergence is that of the same kernel
// written without them; changes compose; a replay that changes nothing takes as long.
// run-early: it takes long.
// SPDX-License-Identifier: Apache-2.0
#include "sim/exec_support.h"

#include <math.h>

// Loads from shared memory `stride` words apart, with a barrier a step where `wait` is 1; lanes below `lanes` go round n times.
static const char code[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 out, .param .u32 n, .param .u32 stride, .param .u32 wait, "
    ".param .u32 lanes)\n"
    "{\n.reg .pred %p<6>; .reg .b32 %r<16>; .reg .b64 %l<4>;\n.shared .align 8 .b32 s[8192];\n"
    "ld.param.u64 %l1, [out]; ld.param.u32 %r1, [n]; ld.param.u32 %r10, [stride];\n"
    "ld.param.u32 %r11, [wait]; ld.param.u32 %r14, [lanes]; mov.u32 %r2, %tid.x;\n"
    "mov.u32 %r9, 0; mov.u32 %r5, s; mov.u32 %r3, 0;\n"
    "setp.ne.u32 %p2, %r11, 0; and.b32 %r6, %r2, 31; mul.lo.u32 %r7, %r6, %r10;\n"
    "setp.ge.u32 %p3, %r6, %r14; @%p3 bra done;\n"
    "shl.b32 %r7, %r7, 2; add.u32 %r5, %r5, %r7;\n"
    "again: ld.shared.u32 %r12, [%r5]; add.u32 %r3, %r3, %r12;\n"
    "@!%p2 bra on; bar.sync 0; on:\n"
    "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, %r1; @%p1 bra again;\n"
    "done: cvt.u64.u32 %l2, %r2; shl.b64 %l2, %l2, 2; add.u64 %l1, %l1, %l2;\n"
    "st.global.u32 [%l1], %r3;\nret;\n}\n";

static double launch(struct bench *b, uint32_t stride, uint32_t wait, uint32_t lanes, bool replays,
                     const struct interventions *change)
{
    uint32_t n = 64;
    static uint32_t threads = 512;
    bench_text(b, code);
    uint64_t out = bench_buffer(b, "out", NULL, 4096);
    b->launch.facts = true;
    b->launch.counterfactuals = replays;
    b->launch.change = change;
    bench_run(b, "k", GRID1(264, threads), ARGS(&out, &n, &stride, &wait, &lanes));
    assert_true(b->report.time.valid);
    return b->report.time.time_ns;
}

// n iterations; the replays have so many seconds.
static double loops(struct bench *b, uint32_t n, uint32_t stride, uint32_t wait, double seconds)
{
    static uint32_t threads = 512, lanes = 32;
    bench_text(b, code);
    uint64_t out = bench_buffer(b, "out", NULL, 4096);
    b->launch.counterfactuals = true;
    b->launch.replay_s = seconds;
    bench_run(b, "k", GRID1(264, threads), ARGS(&out, &n, &stride, &wait, &lanes));
    return b->report.time.time_ns;
}

static double run(struct bench *b, uint32_t stride, uint32_t wait, uint32_t lanes,
                  const struct interventions *change)
{
    return launch(b, stride, wait, lanes, true, change);
}

static double then(const struct bench *b, enum intervention i)
{
    struct figure f = b->report.counterfactuals.time_ns[i];
    assert_int_equal(f.provenance, PROVENANCE_MODELLED);
    return f.value;
}

static void assert_near(double got, double want, double share)
{
    if (!(fabs(got - want) <= share * want))
        fail_msg("%.0f ns, not %.0f", got, want);
}

static void facts_alone_are_those_of_a_replayed_launch(void **state)
{
    struct bench with, without;
    (void)state;
    (void)launch(&with, 32, 0, 32, true, NULL);
    (void)launch(&without, 32, 0, 32, false, NULL);
    assert_true(with.report.facts.known && with.report.facts.value[FACT_SLOTS] > 0);
    assert_true(without.report.facts.known);
    assert_memory_equal(without.report.facts.value, with.report.facts.value,
                        sizeof with.report.facts.value);
    assert_int_equal(without.report.counterfactuals.time_ns[INTERVENTION_CONFLICTS].provenance,
                     PROVENANCE_ABSENT);
    bench_close(&with);
    bench_close(&without);
}

static void without_conflicts_it_is_as_fast_as_its_twin(void **state)
{
    struct bench has, twin;
    (void)state;
    double slow = run(&has, 32, 0, 32, NULL), fast = run(&twin, 1, 0, 32, NULL);
    assert_true(slow > 3 * fast);
    assert_near(then(&has, INTERVENTION_CONFLICTS), fast, 0.1);
    assert_int_equal(twin.report.counterfactuals.time_ns[INTERVENTION_CONFLICTS].provenance,
                     PROVENANCE_ABSENT);
    bench_close(&has);
    bench_close(&twin);
}

// Less of the trace is replayed then: the steps that were taken away are a like share of it.
static void replays_that_have_to_end_soon_replay_less(void **state)
{
    struct bench whole, soon;
    (void)state;
    double time = loops(&whole, 4000, 32, 0, 0);
    assert_near(loops(&soon, 4000, 32, 0, 1e-6), time, 1e-9);
    assert_true(soon.report.counterfactuals.time_ns[INTERVENTION_CONFLICTS].value !=
                whole.report.counterfactuals.time_ns[INTERVENTION_CONFLICTS].value);
    assert_near(then(&soon, INTERVENTION_CONFLICTS) / time,
                then(&whole, INTERVENTION_CONFLICTS) / time, 0.25); // its first few thousand ops
    bench_close(&whole);
    bench_close(&soon);
    (void)loops(&whole, 40, 32, 1, 0);
    (void)loops(&soon, 40, 32, 1, 1000); // time enough for all of it
    assert_near(then(&soon, INTERVENTION_BARRIERS), then(&whole, INTERVENTION_BARRIERS), 1e-9);
    bench_close(&whole);
    bench_close(&soon);
}

static void without_barriers_it_is_as_fast_as_its_twin(void **state)
{
    struct bench has, twin;
    (void)state;
    double slow = run(&has, 1, 1, 32, NULL), fast = run(&twin, 1, 0, 32, NULL);
    assert_true(slow > 1.2 * fast);
    assert_near(then(&has, INTERVENTION_BARRIERS), fast, 0.2);
    bench_close(&has);
    bench_close(&twin);
}

static void changes_compose(void **state)
{
    struct bench both, twin;
    struct interventions x;
    struct error err = {0};
    (void)state;
    assert_true(interventions_parse("conflicts=0,barriers=0", &x, &err));
    (void)run(&both, 32, 1, 32, &x);
    double fast = run(&twin, 1, 0, 32, NULL);
    struct figure asked = both.report.counterfactuals.asked_ns;
    assert_int_equal(asked.provenance, PROVENANCE_MODELLED);
    assert_true(asked.value < then(&both, INTERVENTION_CONFLICTS));
    assert_true(asked.value < then(&both, INTERVENTION_BARRIERS));
    assert_near(asked.value, fast, 0.2);
    bench_close(&both);
    bench_close(&twin);
}

static void a_replay_of_nothing_takes_as_long(void **state)
{
    struct bench b;
    struct interventions none = interventions_none();
    (void)state;
    double time = run(&b, 1, 0, 32, &none);
    assert_near(b.report.counterfactuals.asked_ns.value, time, 1e-9);
    assert_near(b.report.counterfactuals.as_is_ns.value, time, 1e-9);
    bench_close(&b);
}

// A quarter of the lanes at work: packed, a quarter of the loads goes through the data banks.
static void idle_lanes_are_packed(void **state)
{
    struct bench few, full;
    (void)state;
    double time = run(&few, 32, 0, 8, NULL);
    (void)run(&full, 32, 0, 32, NULL);
    double packed = then(&few, INTERVENTION_IDLE_LANES);
    if (!(packed < 0.6 * time))
        fail_msg("%.0f ns packed, %.0f as it is", packed, time);
    assert_int_equal(full.report.counterfactuals.time_ns[INTERVENTION_IDLE_LANES].provenance,
                     PROVENANCE_ABSENT);
    bench_close(&few);
    bench_close(&full);
}

// A loop of n steps over one value: what the library's expf is in PTX, or as many multiplications and additions of
// another polynomial; or a sum; or a recurrence.
static const char steps[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry %s(.param .u64 out, .param .u32 n)\n"
    "{\n.shared .align 4 .b32 tile[4];\n.reg .pred %%p<4>; .reg .b32 %%r<16>; .reg .b64 %%l<4>; "
    ".reg .f32 %%f<32>;\n"
    "ld.param.u64 %%l1, [out]; ld.param.u32 %%r1, [n]; mov.u32 %%r2, %%tid.x;\n"
    "mov.u32 %%r3, %%ctaid.x; mov.u32 %%r4, %%ntid.x; mad.lo.u32 %%r2, %%r3, %%r4, %%r2;\n"
    "cvt.u64.u32 %%l2, %%r2; shl.b64 %%l2, %%l2, 2; add.u64 %%l1, %%l1, %%l2;\n"
    "cvt.rn.f32.u32 %%f1, %%r2; mov.f32 %%f9, 0f00000000; mov.u32 %%r9, 0;\n"
    "again: %s\n"
    "add.u32 %%r9, %%r9, 1; setp.lt.u32 %%p1, %%r9, %%r1; @%%p1 bra again;\n"
    "st.global.f32 [%%l1], %%f9;\nret;\n}\n";
// As nvcc 13.0 writes it, with the first and last coefficient of expf, or others.
#define EXPF(first, last)                                                                  \
    "mov.f32 %f2, 0f3F000000; mov.f32 %f3, " first "; fma.rn.f32 %f4, %f1, %f3, %f2; "     \
    "cvt.sat.f32.f32 %f5, %f4; mov.f32 %f6, 0f4B400001; mov.f32 %f7, 0f437C0000; "         \
    "fma.rm.f32 %f8, %f5, %f7, %f6; add.f32 %f10, %f8, 0fCB40007F; neg.f32 %f11, %f10; "   \
    "mov.f32 %f12, 0f3FB8AA3B; fma.rn.f32 %f13, %f1, %f12, %f11; mov.f32 %f14, " last "; " \
    "fma.rn.f32 %f15, %f1, %f14, %f13; mov.b32 %r5, %f8; shl.b32 %r6, %r5, 23; "           \
    "mov.b32 %f16, %r6; ex2.approx.ftz.f32 %f17, %f15; mul.f32 %f18, %f17, %f16; "         \
    "add.f32 %f1, %f1, 0fBF800000; add.f32 %f9, %f9, %f18;"

static void run_steps_n(struct bench *b, const char *name, const char *body, uint32_t blocks,
                        uint32_t n)
{
    struct arena a = {0};
    static uint32_t threads = 128;
    bench_text(b, arena_printf(&a, steps, name, body));
    uint64_t out = bench_buffer(b, "out", NULL, (size_t)blocks * threads * 4);
    b->launch.counterfactuals = true;
    bench_run(b, name, GRID1(blocks, threads), ARGS(&out, &n));
    arena_release(&a);
}

// Instrumented, a turn takes twenty times as long, and takes the same way as the others.
#ifdef __SANITIZE_ADDRESS__
enum { TURNS = 100 };
#else
enum { TURNS = 400 };
#endif

static void run_steps(struct bench *b, const char *name, const char *body, uint32_t blocks)
{
    run_steps_n(b, name, body, blocks, TURNS);
}

static void a_function_of_the_library_is_known_by_its_coefficients(void **state)
{
    struct bench has, twin;
    (void)state;
    // Half a power, in a loop that has the logarithm in common; a cosine's series, in one that has its angle's remainder.
    static const char *const halves[] = {EXPF("0f391FCB8E", "0f3E75FDEC"),
                                         EXPF("0f3C0885E4", "0fBEFFFFFF")};
    for (size_t i = 0; i < COUNT_OF(halves); i++) {
        run_steps(&has, "k", halves[i], 1056);
        assert_true(has.report.facts.value[FACT_SLOTS_FUNCTION] >
                    0.5 * has.report.facts.value[FACT_SLOTS]);
        bench_close(&has);
    }
    run_steps(&has, "k", EXPF("0f3BBB989D", "0f32A57060"), 1056);
    run_steps(&twin, "k", EXPF("0f3BBB989C", "0f32A57061"), 1056);
    double slots = has.report.facts.value[FACT_SLOTS];
    assert_true(has.report.facts.value[FACT_SLOTS_FUNCTION] > 0.5 * slots);
    assert_true(twin.report.facts.value[FACT_SLOTS_FUNCTION] == 0);
    assert_true(then(&has, INTERVENTION_FUNCTIONS) < 0.8 * has.report.time.time_ns);
    assert_int_equal(twin.report.counterfactuals.time_ns[INTERVENTION_FUNCTIONS].provenance,
                     PROVENANCE_ABSENT);
    bench_close(&has);
    bench_close(&twin);
}

// expf has an instruction that is near enough; of erfc a shorter series stays.
static void of_a_series_a_shorter_one_stays(void **state)
{
    struct bench hardware, series;
    (void)state;
    run_steps(&hardware, "k", EXPF("0f3BBB989D", "0f32A57060"), 1056);
    run_steps(&series, "k", EXPF("0f3A69A091", "0f3102E308"), 1056);
    double stays = then(&series, INTERVENTION_FUNCTIONS) / series.report.time.time_ns;
    assert_true(stays < 0.9);
    assert_true(stays >
                1.1 * then(&hardware, INTERVENTION_FUNCTIONS) / hardware.report.time.time_ns);
    bench_close(&hardware);
    bench_close(&series);
}

// Is the loop a sum, which several threads could share? A recurrence is not.
static void a_recurrence_is_told_from_a_sum(void **state)
{
    struct bench sum, chain;
    (void)state;
    run_steps(&sum, "k", "cvt.rn.f32.u32 %f2, %r9; fma.rn.f32 %f9, %f2, %f1, %f9;", 16);
    run_steps(&chain, "k", "cvt.rn.f32.u32 %f2, %r9; fma.rn.f32 %f9, %f9, %f1, %f2;", 16);
    assert_true(sum.report.facts.value[FACT_SERIAL_LOOPS] == 0);
    assert_true(chain.report.facts.value[FACT_SERIAL_LOOPS] > 0);
    bench_close(&sum);
    bench_close(&chain);
}

// 16 blocks of 128 threads for 132 SMs, each waiting for its own results: spread out it waits as long.
static void a_small_grid_keeps_each_threads_chain(void **state)
{
    struct bench b;
    (void)state;
    run_steps(&b, "k", "cvt.rn.f32.u32 %f2, %r9; fma.rn.f32 %f9, %f9, %f1, %f2;", 16);
    assert_near(then(&b, INTERVENTION_GRID), b.report.time.time_ns, 0.1);
    bench_close(&b);
}

// Warps that wait for each other at a barrier are not spread.
static void a_block_that_works_together_is_not_spread(void **state)
{
    struct bench b;
    (void)state;
    run_steps(&b, "k", "bar.sync 0; fma.rn.f32 %f9, %f9, %f1, %f1;", 16);
    assert_int_equal(b.report.counterfactuals.time_ns[INTERVENTION_GRID].provenance,
                     PROVENANCE_ABSENT);
    bench_close(&b);
}

// One atomic of each block: nothing is left to combine in a block. One of each warp and step: one of a block stays.
static void atomics_are_combined_within_a_block_only(void **state)
{
    struct bench one, each;
    (void)state;
    run_steps(&one, "k",
              "setp.eq.u32 %p2, %r3, %r3; mov.u32 %r7, %tid.x; setp.eq.u32 %p2, %r7, 0; "
              "ld.param.u64 %l3, [out]; setp.eq.and.u32 %p2, %r9, 0, %p2; "
              "@%p2 red.global.add.f32 [%l3], %f1;",
              1056);
    run_steps(&each, "k",
              "mov.u32 %r7, %laneid; setp.eq.u32 %p2, %r7, 0; ld.param.u64 %l3, [out]; "
              "@%p2 red.global.add.f32 [%l3], %f1;",
              1056);
    assert_int_equal(one.report.counterfactuals.time_ns[INTERVENTION_ATOMICS].provenance,
                     PROVENANCE_ABSENT);
    assert_true(then(&each, INTERVENTION_ATOMICS) < 0.5 * each.report.time.time_ns);
    bench_close(&one);
    bench_close(&each);
}

// A number that a lane draws is its own; what it adds for its warp may be added for the block.
static void tickets_are_not_combined(void **state)
{
    static const char draw[] = "mov.u32 %%r7, %%laneid; setp.eq.u32 %%p2, %%r7, 0; "
                               "ld.param.u64 %%l3, [out]; "
                               "@%%p2 atom.global.add.u32 %%r8, [%%l3], %s; "
                               "cvt.rn.f32.u32 %%f2, %%r8; add.f32 %%f9, %%f9, %%f2;";
    struct arena a = {0};
    struct bench tickets, sums;
    (void)state;
    run_steps(&tickets, "k", arena_printf(&a, draw, "1"), 1056);
    run_steps(&sums, "k", arena_printf(&a, draw, "%r9"), 1056);
    assert_int_equal(tickets.report.counterfactuals.time_ns[INTERVENTION_ATOMICS].provenance,
                     PROVENANCE_ABSENT);
    assert_true(then(&sums, INTERVENTION_ATOMICS) < 0.5 * sums.report.time.time_ns);
    bench_close(&tickets);
    bench_close(&sums);
    arena_release(&a);
}

// A loop that steps by the grid is shorter in a larger one: not where each thread takes one turn.
static void a_larger_grid_shortens_what_steps_by_it(void **state)
{
    static const char step[] = "mov.u32 %r7, %nctaid.x; add.u32 %r10, %r10, %r7; bar.sync 0; "
                               "cvt.rn.f32.u32 %f2, %r10; fma.rn.f32 %f9, %f2, %f1, %f9;";
    static const uint32_t turns[] = {1, 2, 400};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(turns); i++) {
        struct bench b;
        run_steps_n(&b, "k", step, 16, turns[i]);
        const struct figure f = b.report.counterfactuals.time_ns[INTERVENTION_GRID];
        assert_int_equal(b.report.facts.value[FACT_GRID_LOOPS] > 0, turns[i] > 1);
        assert_int_equal(f.provenance, turns[i] > 1 ? PROVENANCE_MODELLED : PROVENANCE_ABSENT);
        assert_true(turns[i] < 400 || f.value < 0.5 * b.report.time.time_ns);
        bench_close(&b);
    }
}

// 16 blocks for 132 SMs, a sum each thread: four times as many, a quarter each. A recurrence can not be shared out,
// and nor can what the threads of a block compute for each other.
static void a_sum_is_shared_out_among_blocks(void **state)
{
    static const char sum[] = "cvt.rn.f32.u32 %f2, %r9; fma.rn.f32 %f9, %f2, %f1, %f9;";
    static const char recurrence[] = "cvt.rn.f32.u32 %f2, %r9; fma.rn.f32 %f9, %f9, %f1, %f2;";
    static const char copied[] =
        "mov.u32 %r5, tile; ld.param.u64 %l3, [out]; ld.global.f32 %f2, [%l3]; "
        "st.shared.f32 [%r5], %f2; bar.sync 0; ld.shared.f32 %f3, [%r5]; fma.rn.f32 %f9, %f3, %f1, "
        "%f9;";
    static const char computed[] = "mov.u32 %r5, tile; mul.f32 %f2, %f1, %f1; "
                                   "st.shared.f32 [%r5], %f2; bar.sync 0; ld.shared.f32 %f3, "
                                   "[%r5]; fma.rn.f32 %f9, %f3, %f1, %f9;";
    static const char combined[] = // behind the loop, and added to memory
        "cvt.rn.f32.u32 %f2, %r9; fma.rn.f32 %f9, %f2, %f1, %f9; add.u32 %r9, %r9, 1; "
        "setp.lt.u32 %p1, %r9, %r1; @%p1 bra again; mov.b32 %r5, %f9; "
        "shfl.sync.bfly.b32 %r6, %r5, 16, 31, -1; mov.b32 %f3, %r6; add.f32 %f9, %f9, %f3; "
        "red.global.add.f32 [%l1], %f9; ret;";
    static const char exchanged[] = "mov.b32 %r5, %f9; shfl.sync.bfly.b32 %r6, %r5, 16, 31, -1; "
                                    "mov.b32 %f3, %r6; fma.rn.f32 %f9, %f3, %f1, %f9;";
    static const struct {
        const char *body;
        bool splits;
    } cases[] = {{sum, true},       {recurrence, false}, {copied, true},
                 {computed, false}, {combined, true},    {exchanged, false}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct bench b;
        run_steps_n(&b, "k", cases[i].body, 16, 4000);
        const struct figure f = b.report.counterfactuals.time_ns[INTERVENTION_SPLIT];
        assert_int_equal(f.provenance, cases[i].splits ? PROVENANCE_MODELLED : PROVENANCE_ABSENT);
        assert_true(!cases[i].splits || f.value < 0.75 * b.report.time.time_ns);
        bench_close(&b);
    }
}

// An atomic of each lane on places all over `words` (a power of two).
static void run_scattered(struct bench *b, uint32_t words)
{
    struct arena a = {0};
    uint32_t n = 64, threads = 128, blocks = 264;
    const char *body = arena_printf(
        &a,
        "mad.lo.u32 %%r5, %%r2, 64, %%r9; mul.lo.u32 %%r5, %%r5, 2654435761; shr.u32 %%r5, %%r5, "
        "9; "
        "and.b32 %%r5, %%r5, %u; mul.wide.u32 %%l3, %%r5, 4; ld.param.u64 %%l2, [out]; "
        "add.u64 %%l3, %%l2, %%l3; red.global.add.f32 [%%l3], %%f1; "
        "ld.global.f32 %%f2, [%%l1]; add.f32 %%f9, %%f9, %%f2;",
        words - 1);
    bench_text(b, arena_printf(&a, steps, "k", body));
    size_t of_threads = (size_t)blocks * threads, room = of_threads > words ? of_threads : words;
    uint64_t out = bench_buffer(b, "out", NULL, room * 4);
    b->launch.counterfactuals = true;
    bench_run(b, "k", GRID1(blocks, threads), ARGS(&out, &n));
    arena_release(&a);
}

// In shared memory there is room for some places only; and wider loads leave as many atomics.
static void scattered_atomics_are_combined_where_there_is_room(void **state)
{
    struct bench few, many;
    (void)state;
    run_scattered(&few, 1 << 12);
    run_scattered(&many, 1 << 22);
    assert_true(then(&few, INTERVENTION_ATOMICS) < 0.5 * few.report.time.time_ns);
    const struct figure f = many.report.counterfactuals.time_ns[INTERVENTION_ATOMICS];
    assert_true(f.provenance == PROVENANCE_ABSENT || f.value > 0.9 * many.report.time.time_ns);
    assert_true(then(&few, INTERVENTION_BYTES) > 0.9 * few.report.time.time_ns);
    bench_close(&few);
    bench_close(&many);
}

// Two loops through the data and a tree behind them: wider loads make both loops shorter, and leave the tree.
static void every_loop_through_the_data_is_shortened(void **state)
{
    static const char loop[] = "mov.u32 %%r5, 0; %s: ld.global.f32 %%f2, [%%l1]; "
                               "fma.rn.f32 %%f9, %%f9, %%f2, %%f2; add.u32 %%r5, %%r5, 1; "
                               "setp.lt.u32 %%p2, %%r5, 128; @%%p2 bra %s;";
    static const char tree[] =
        "mov.u32 %r5, 0; fold: shfl.sync.bfly.b32 %r6, %r5, 1, 31, -1; ex2.approx.f32 %f9, %f9; "
        "add.f32 %f9, %f9, %f9; add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 40; @%p2 bra fold;";
    struct arena a = {0};
    struct bench two, with;
    (void)state;
    const char *loops = arena_printf(&a, "%s %s", arena_printf(&a, loop, "first", "first"),
                                     arena_printf(&a, loop, "second", "second"));
    run_steps_n(&two, "k", loops, 1056, 1);
    run_steps_n(&with, "k", arena_printf(&a, "%s %s", loops, tree), 1056, 1);
    double gained = two.report.time.time_ns - then(&two, INTERVENTION_BYTES);
    assert_true(gained > 0.25 * two.report.time.time_ns);
    assert_near(with.report.time.time_ns - then(&with, INTERVENTION_BYTES), gained, 0.3);
    bench_close(&two);
    bench_close(&with);
    arena_release(&a);
}

// The divisor of each step, made once or made anew: the first one's reciprocal is made once as well.
static void a_division_by_what_stays_the_same_becomes_a_product(void **state)
{
    static const char divide[] = "add.f32 %f3, %f1, %f9; div.rn.f32 %f4, %f3, %f1; "
                                 "div.rn.f32 %f5, %f9, %f1; add.f32 %f9, %f4, %f5;";
    static const char by_sums[] = "add.f32 %f3, %f1, %f9; div.rn.f32 %f4, %f1, %f3; "
                                  "add.f32 %f6, %f3, %f9; "
                                  "div.rn.f32 %f5, %f9, %f6; add.f32 %f9, %f4, %f5;";
    struct bench same, sums;
    (void)state;
    run_steps(&same, "k", divide, 1056);
    run_steps(&sums, "k", by_sums, 1056);
    double product = then(&same, INTERVENTION_FUNCTIONS),
           special = then(&sums, INTERVENTION_FUNCTIONS);
    if (!(product < 0.8 * special))
        fail_msg("%.0f ns by products, %.0f by the approximation", product, special);
    bench_close(&same);
    bench_close(&sums);
}

// Four divisions by a divisor that is made anew in each turn: one reciprocal and products. The twin's have a divisor each.
static void divisions_by_one_divisor_share_its_reciprocal(void **state)
{
    static const char by_one[] =
        "add.f32 %f3, %f1, %f9; add.f32 %f4, %f3, %f9; add.f32 %f5, %f4, %f9; "
        "div.rn.f32 %f10, %f9, %f3; div.rn.f32 %f11, %f4, %f3; div.rn.f32 %f12, %f5, %f3; "
        "div.rn.f32 %f13, %f1, %f3; add.f32 %f10, %f10, %f11; add.f32 %f12, %f12, %f13; "
        "add.f32 %f9, %f10, %f12;";
    static const char by_each[] =
        "add.f32 %f3, %f1, %f9; add.f32 %f4, %f3, %f9; add.f32 %f5, %f4, %f9; "
        "div.rn.f32 %f10, %f9, %f3; div.rn.f32 %f11, %f4, %f4; div.rn.f32 %f12, %f5, %f5; "
        "div.rn.f32 %f13, %f1, %f1; add.f32 %f10, %f10, %f11; add.f32 %f12, %f12, %f13; "
        "add.f32 %f9, %f10, %f12;";
    struct bench one, each;
    (void)state;
    run_steps(&one, "k", by_one, 1056);
    run_steps(&each, "k", by_each, 1056);
    double shared = then(&one, INTERVENTION_FUNCTIONS), own = then(&each, INTERVENTION_FUNCTIONS);
    if (!(shared < 0.8 * own))
        fail_msg("%.0f ns by one reciprocal, %.0f by one each", shared, own);
    bench_close(&one);
    bench_close(&each);
}

static void run_blocks(struct bench *b, const char *body, uint32_t blocks, uint32_t threads)
{
    struct arena a = {0};
    static uint32_t n = 1;
    bench_text(b, arena_printf(&a, steps, "k", body));
    uint64_t out = bench_buffer(b, "out", NULL, (size_t)blocks * threads * sizeof(float));
    b->launch.counterfactuals = true;
    bench_run(b, "k", GRID1(blocks, threads), ARGS(&out, &n));
    arena_release(&a);
}

// Of whole numbers by one divisor, the first one's sequence is longer, but each is a division.
static void further_divisions_by_a_divisor_are_divisions(void **state)
{
    static const char one[] = "add.u32 %r5, %r2, 77; add.u32 %r8, %r3, 3; rem.u32 %r6, %r5, %r8; "
                              "cvt.rn.f32.u32 %f2, %r6; add.f32 %f9, %f9, %f2;";
    static const char four[] =
        "add.u32 %r5, %r2, 77; add.u32 %r8, %r3, 3; rem.u32 %r6, %r5, %r8; add.u32 %r5, %r5, 9; "
        "rem.u32 %r7, %r5, %r8; add.u32 %r5, %r5, 9; rem.u32 %r10, %r5, %r8; add.u32 %r5, %r5, 9; "
        "rem.u32 %r11, %r5, %r8; add.u32 %r6, %r6, %r7; add.u32 %r10, %r10, %r11; "
        "add.u32 %r6, %r6, %r10; cvt.rn.f32.u32 %f2, %r6; add.f32 %f9, %f9, %f2;";
    struct bench alone, more;
    (void)state;
    run_blocks(&alone, one, 1056, 128);
    run_blocks(&more, four, 1056, 128);
    double further = more.report.facts.value[FACT_SLOTS_DIVISION] -
                     alone.report.facts.value[FACT_SLOTS_DIVISION];
    assert_true(further >= 3 * 5.0 * 1056 * 4); // three of more than four slots, in each warp
    bench_close(&alone);
    bench_close(&more);
}

// Blocks add to a word of each thread: those that are there at once have nothing to combine, those that come after them have.
static void blocks_that_come_again_combine_their_atomics(void **state)
{
    static const char add[] = "mov.u32 %r5, %tid.x; mul.wide.u32 %l2, %r5, 4; "
                              "ld.param.u64 %l3, [out]; add.u64 %l3, %l3, %l2; "
                              "red.global.add.f32 [%l3], %f1;";
    struct bench again, once;
    (void)state;
    run_blocks(&again, add, 132 * 16 * 4, 128);
    run_blocks(&once, add, 132 * 16, 128);
    assert_true(then(&again, INTERVENTION_ATOMICS) < 0.7 * again.report.time.time_ns);
    assert_int_equal(once.report.counterfactuals.time_ns[INTERVENTION_ATOMICS].provenance,
                     PROVENANCE_ABSENT);
    bench_close(&again);
    bench_close(&once);
}

static void run_room(struct bench *b, const char *body, uint32_t blocks, uint32_t n, size_t bytes)
{
    struct arena a = {0};
    static uint32_t threads = 256;
    bench_text(b, arena_printf(&a, steps, "k", body));
    uint64_t out = bench_buffer(b, "out", NULL, bytes);
    b->launch.counterfactuals = true;
    bench_run(b, "k", GRID1(blocks, threads), ARGS(&out, &n));
    arena_release(&a);
}

// Eight warps load the same eight lines again and again, from L1. Shared memory is as busy with that; registers are not.
static void what_a_block_loads_again_comes_from_shared_memory(void **state)
{
    struct bench b;
    (void)state;
    run_room(&b,
             "mov.u32 %r5, %tid.x; and.b32 %r5, %r5, 31; mul.wide.u32 %l2, %r5, 4; "
             "ld.param.u64 %l3, [out]; add.u64 %l3, %l3, %l2; ld.global.f32 %f2, [%l3]; "
             "ld.global.f32 %f3, [%l3+128]; ld.global.f32 %f4, [%l3+256]; "
             "ld.global.f32 %f5, [%l3+384]; ld.global.f32 %f6, [%l3+512]; "
             "ld.global.f32 %f7, [%l3+640]; ld.global.f32 %f8, [%l3+768]; "
             "ld.global.f32 %f10, [%l3+896]; fma.rn.f32 %f9, %f2, %f3, %f9; "
             "fma.rn.f32 %f9, %f4, %f5, %f9; fma.rn.f32 %f9, %f6, %f7, %f9; "
             "fma.rn.f32 %f9, %f8, %f10, %f9;",
             1056, 64, 1 << 22);
    assert_near(then(&b, INTERVENTION_BLOCK_RELOADS), b.report.time.time_ns, 0.15);
    assert_true(then(&b, INTERVENTION_SHARED_LOADS) < 0.8 * b.report.time.time_ns);
    bench_close(&b);
}

// Four fields of a structure, and the same in four arrays: all of them have to be brought, by whichever load.
static void fields_of_a_structure_are_all_brought(void **state)
{
    enum { BLOCKS = 4224, BYTES = BLOCKS * 256 * 4 };
    struct arena a = {0};
    struct bench structures, arrays;
    static const char sum[] =
        "add.f32 %f2, %f2, %f3; add.f32 %f4, %f4, %f5; add.f32 %f9, %f2, %f4;";
    (void)state;
    run_room(&structures,
             arena_printf(&a,
                          "ld.param.u64 %%l3, [out]; mul.wide.u32 %%l2, %%r2, 16; "
                          "add.u64 %%l3, %%l3, %%l2; ld.global.f32 %%f2, [%%l3]; "
                          "ld.global.f32 %%f3, [%%l3+4]; ld.global.f32 %%f4, [%%l3+8]; "
                          "ld.global.f32 %%f5, [%%l3+12]; %s",
                          sum),
             BLOCKS, 1, (size_t)4 * BYTES);
    run_room(&arrays,
             arena_printf(&a,
                          "ld.global.f32 %%f2, [%%l1]; ld.global.f32 %%f3, [%%l1+%d]; "
                          "ld.global.f32 %%f4, [%%l1+%d]; ld.global.f32 %%f5, [%%l1+%d]; %s",
                          BYTES, 2 * BYTES, 3 * BYTES, sum),
             BLOCKS, 1, (size_t)4 * BYTES);
    assert_near(then(&structures, INTERVENTION_SECTORS), arrays.report.time.time_ns, 0.15);
    bench_close(&structures);
    bench_close(&arrays);
    arena_release(&a);
}

// A row that a loop of two turns at once walks along: no word of it is loaded twice.
static void an_unrolled_walk_along_a_row_loads_nothing_again(void **state)
{
    struct bench b;
    (void)state;
    run_room(&b,
             "mul.wide.u32 %l2, %r9, 8; ld.param.u64 %l3, [out]; add.u64 %l3, %l3, %l2; "
             "ld.global.f32 %f2, [%l3]; ld.global.f32 %f3, [%l3+4]; fma.rn.f32 %f9, %f2, %f3, %f9;",
             16, 64, 1 << 22);
    assert_true(b.report.facts.value[FACT_LOADS] > 0);
    assert_true(b.report.facts.value[FACT_LOADS_AGAIN] == 0);
    bench_close(&b);
}

// Lanes 288 words apart: because an index was loaded, because they are numbered so, or on the way from a start that was loaded.
static void a_gather_is_told_from_a_stride_and_from_a_walk(void **state)
{
    enum { GATHER, STRIDE, WALK, COUNT };
    static const char *const bodies[COUNT] = {
        "ld.global.u32 %r5, [%l1]; mad.lo.u32 %r7, %r2, 288, %r5; mul.wide.u32 %l3, %r7, 4; "
        "ld.param.u64 %l1, [out]; add.u64 %l0, %l1, %l3; ld.global.f32 %f9, [%l0];",
        "ld.global.u32 %r5, [%l1]; mul.lo.u32 %r5, %r2, 288; mul.wide.u32 %l2, %r5, 4; "
        "ld.param.u64 %l3, [out]; add.u64 %l0, %l3, %l2; ld.global.f32 %f9, [%l0];",
        "setp.eq.u32 %p2, %r9, 0; @%p2 ld.global.u32 %r6, [%l1]; add.u32 %r6, %r6, 1; "
        "mad.lo.u32 %r5, %r2, 288, %r6; mul.wide.u32 %l2, %r5, 4; ld.param.u64 %l3, [out]; "
        "add.u64 %l0, %l3, %l2; ld.global.f32 %f9, [%l0];"};
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        struct bench b;
        run_room(&b, bodies[i], 16, i == WALK ? 4 : 1, (size_t)1 << 23);
        assert_true(b.report.facts.value[FACT_LOADS_SCATTERED] > 0);
        if (i == GATHER)
            assert_true(b.report.facts.value[FACT_LOADS_GATHERED] ==
                        b.report.facts.value[FACT_LOADS_SCATTERED]);
        else
            assert_true(b.report.facts.value[FACT_LOADS_GATHERED] == 0);
        bench_close(&b);
    }
}

// Blocks of one warp, the time of which is their start: joined, as long as the same in blocks of eight. Those that share a tile
// stay as they are.
static void blocks_of_a_warp_are_joined(void **state)
{
    static const char load[] = "ld.global.f32 %f9, [%l1];";
    static const char tile[] = "ld.global.f32 %f9, [%l1]; st.shared.f32 [tile], %f9;";
    enum { BLOCKS = 33792 };
    struct bench small, large, sharing;
    (void)state;
    run_blocks(&small, load, BLOCKS, 32);
    run_blocks(&large, load, BLOCKS / 8, 256);
    run_blocks(&sharing, tile, BLOCKS, 32);
    assert_true(large.report.time.time_ns < 0.8 * small.report.time.time_ns);
    assert_near(then(&small, INTERVENTION_WARPS), large.report.time.time_ns, 0.15);
    assert_true(then(&sharing, INTERVENTION_WARPS) > 0.9 * sharing.report.time.time_ns);
    bench_close(&small);
    bench_close(&large);
    bench_close(&sharing);
}

// 64 products of a warp are one of the tensor cores', and their loads are fewer. Sums are not products.
static void products_go_to_the_tensor_cores(void **state)
{
    static const char loop[] = "mul.wide.u32 %%l2, %%r9, 4; add.u64 %%l3, %%l1, %%l2; "
                               "ld.global.f32 %%f2, [%%l3]; ld.global.f32 %%f3, [%%l3+4]; %s";
    struct arena a = {0};
    struct bench products, sums;
    (void)state;
    run_room(&products, arena_printf(&a, loop, "fma.rn.f32 %f9, %f2, %f3, %f9;"), 1056, 64,
             1 << 22);
    run_room(&sums, arena_printf(&a, loop, "max.f32 %f4, %f2, %f3; add.f32 %f9, %f4, %f9;"), 1056,
             64, 1 << 22);
    double time = products.report.time.time_ns, tensor = then(&products, INTERVENTION_TENSOR);
    if (!(tensor < 0.4 * time))
        fail_msg("%.0f ns by the tensor cores, %.0f as it is", tensor, time);
    assert_int_equal(sums.report.counterfactuals.time_ns[INTERVENTION_TENSOR].provenance,
                     PROVENANCE_ABSENT);
    bench_close(&products);
    bench_close(&sums);
    arena_release(&a);
}

// The loop over an array of eight words is gone with its accesses.
static void the_loop_over_a_local_array_goes_with_it(void **state)
{
    struct bench b;
    (void)state;
    run_room(
        &b,
        "{ .local .align 4 .b8 array[32]; .reg .b64 %a, %b; mov.u64 %a, array; "
        "mov.u32 %r5, 0; over: mul.wide.u32 %b, %r5, 4; add.u64 %b, %a, %b; "
        "ld.local.f32 %f2, [%b]; add.f32 %f2, %f2, %f1; st.local.f32 [%b], %f2; "
        "add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 8; @%p2 bra over; add.f32 %f9, %f9, %f2; }",
        264, 16, 1 << 22);
    double left = then(&b, INTERVENTION_LOCAL), accesses = 2.0 / 8; // of the loop's instructions
    if (!(left < (1 - 2 * accesses) * b.report.time.time_ns))
        fail_msg("%.0f of %.0f ns", left, b.report.time.time_ns);
    bench_close(&b);
}

// Counts at places that were loaded lie in shared memory; those at a loop's own, in registers.
static void an_array_indexed_by_values_goes_to_shared_memory(void **state)
{
    static const char counts[] =
        "{ .local .align 4 .b8 array[64]; .reg .b64 %%a, %%b; mov.u64 %%a, array; "
        "mov.u32 %%r5, 0; over: ld.global.u32 %%r6, [%%l1]; add.u32 %%r6, %%r6, %%r5; "
        "and.b32 %%r6, %%r6, 15; mul.wide.u32 %%b, %s, 4; add.u64 %%b, %%a, %%b; "
        "ld.local.u32 %%r7, [%%b]; add.u32 %%r7, %%r7, %%r6; st.local.u32 [%%b], %%r7; "
        "add.u32 %%r5, %%r5, 1; setp.lt.u32 %%p2, %%r5, 16; @%%p2 bra over; "
        "cvt.rn.f32.u32 %%f2, %%r7; add.f32 %%f9, %%f9, %%f2; }";
    struct bench values, turns;
    struct arena a = {0};
    (void)state;
    run_room(&values, arena_printf(&a, counts, "%r6"), 264, 4, 1 << 22);
    run_room(&turns, arena_printf(&a, counts, "%r5"), 264, 4, 1 << 22);
    double shared = then(&values, INTERVENTION_LOCAL) / values.report.time.time_ns,
           registers = then(&turns, INTERVENTION_LOCAL) / turns.report.time.time_ns;
    if (!(shared < 0.95 && registers < 0.8 * shared))
        fail_msg("%.2f in shared memory, %.2f in registers", shared, registers);
    bench_close(&values);
    bench_close(&turns);
    arena_release(&a);
}

// What a loop's counter alone chooses is a number where the loop is unrolled.
static void what_a_count_chooses_goes_with_a_local_array(void **state)
{
    static const char chosen[] =
        "{ .local .align 4 .b8 array[64]; .reg .b64 %%a, %%b; mov.u64 %%a, array; "
        "mov.u32 %%r5, 0; over: mul.wide.u32 %%b, %%r5, 4; add.u64 %%b, %%a, %%b; "
        "ld.local.u32 %%r7, [%%b]; setp.lt.u32 %%p3, %s, 5; selp.b32 %%r8, 77, 99, %%p3; "
        "setp.lt.u32 %%p3, %s, 9; selp.b32 %%r8, %%r8, 55, %%p3; setp.lt.u32 %%p3, %s, 12; "
        "selp.b32 %%r8, %%r8, 33, %%p3; add.u32 %%r7, %%r7, %%r8; st.local.u32 [%%b], %%r7; "
        "add.u32 %%r5, %%r5, 1; setp.lt.u32 %%p2, %%r5, 16; @%%p2 bra over; "
        "cvt.rn.f32.u32 %%f2, %%r7; add.f32 %%f9, %%f9, %%f2; }";
    struct bench count, thread;
    struct arena a = {0};
    (void)state;
    run_room(&count, arena_printf(&a, chosen, "%r5", "%r5", "%r5"), 1056, 4, 1 << 22);
    run_room(&thread, arena_printf(&a, chosen, "%r2", "%r2", "%r2"), 1056, 4, 1 << 22);
    double gone = then(&count, INTERVENTION_LOCAL), stays = then(&thread, INTERVENTION_LOCAL);
    if (!(gone < 0.9 * stays))
        fail_msg("%.0f ns, and %.0f where threads choose", gone, stays);
    bench_close(&count);
    bench_close(&thread);
    arena_release(&a);
}

// A thread that stores a result after the other has them at once: no fewer threads, and the same tile.
#define LOADED(at)                                                             \
    "ld.shared.f32 %f2, [%r5+" at "128]; ld.shared.f32 %f3, [%r5+" at "516]; " \
    "ld.shared.f32 %f4, [%r5+" at "032]; ld.shared.f32 %f5, [%r5+" at "764]; " \
    "fma.rn.f32 %f9, %f2, %f3, %f9; fma.rn.f32 %f9, %f4, %f5, %f9; "
static void results_in_turn_are_joined_within_a_thread(void **state)
{
    static const char result[] =
        "{ .shared .align 4 .b8 own[24576]; mov.u32 %r5, %tid.x; add.u32 %r5, %r5, %r9; "
        "shl.b32 %r5, %r5, 2; mov.u32 %r6, own; add.u32 %r5, %r5, %r6; " LOADED("1") LOADED("2")
            LOADED("3") LOADED("4") LOADED("5") LOADED("6") LOADED("7")
                LOADED("8") "st.global.f32 [%l1], %f9; }";
    struct bench b;
    (void)state;
    run_room(&b, result, 528, 16, 1 << 22);
    if (!(then(&b, INTERVENTION_SHARED_LOADS) < 0.95 * b.report.time.time_ns))
        fail_msg("%.0f of %.0f ns", then(&b, INTERVENTION_SHARED_LOADS), b.report.time.time_ns);
    bench_close(&b);
}

// Products of tiles that are filled turn by turn: a strip, or a square of four results, leaves half of the loads. Results around one
// tile, as a filter's, leave a quarter.
#define PRODUCTS LOADED("1") LOADED("2") LOADED("3") LOADED("4") LOADED("5") LOADED("6")
static void results_of_two_tiles_leave_half_of_the_loads(void **state)
{
    static const char place[] =
        "{ .shared .align 4 .b8 own[24576]; mov.u32 %r5, %tid.x; shl.b32 %r5, "
        "%r5, 2; mov.u32 %r6, own; add.u32 %r5, %r5, %r6; ";
    static const char turn[] =
        "ld.global.f32 %f2, [%l1]; st.shared.f32 [%r5], %f2; bar.sync 0; " PRODUCTS "bar.sync 0; }";
    static uint32_t threads = 256, n = 16;
    (void)state;
    for (int tiles = 0; tiles < 2; tiles++) {
        struct arena a = {0};
        struct bench b;
        struct interventions change = interventions_none();
        change.to[INTERVENTION_SHARED_LOADS] = tiles ? 0.5 : 0.25;
        bench_text(&b, arena_printf(&a, steps, "k",
                                    arena_printf(&a, "%s%s", place, tiles ? turn : PRODUCTS "}")));
        uint64_t out = bench_buffer(&b, "out", NULL, 1 << 22);
        b.launch.counterfactuals = true;
        b.launch.change = &change;
        bench_run(&b, "k", GRID1(528, threads), ARGS(&out, &n));
        assert_near(b.report.counterfactuals.asked_ns.value, then(&b, INTERVENTION_SHARED_LOADS),
                    1e-9);
        assert_true(then(&b, INTERVENTION_SHARED_LOADS) < 0.95 * b.report.time.time_ns);
        bench_close(&b);
        arena_release(&a);
    }
}

// Tiles of one result a thread meet at barriers again and again; a warp has 32 times as many results of the tensor cores, and fewer
// blocks meet.
static void a_warp_has_many_results_of_the_tensor_cores(void **state)
{
    struct bench b;
    (void)state;
    run_room(&b,
             "{ .shared .align 4 .b8 own[24576]; mov.u32 %r5, %tid.x; shl.b32 %r5, %r5, 2; mov.u32 "
             "%r6, own; add.u32 %r5, %r5, %r6; ld.global.f32 %f2, [%l1]; st.shared.f32 [%r5], %f2; "
             "bar.sync 0; " PRODUCTS "bar.sync 0; }",
             16896, 16, 1 << 25);
    double time = b.report.time.time_ns, tensor = then(&b, INTERVENTION_TENSOR);
    if (!(tensor < 0.1 * time))
        fail_msg("%.0f of %.0f ns", tensor, time);
    bench_close(&b);
}

// Arrays larger than L1 come back from memory: without them, memory has nothing to bring.
static void what_local_arrays_read_back_goes_with_them(void **state)
{
    struct bench b;
    (void)state;
    run_room(&b,
             "{ .local .align 4 .b8 array[2048]; .reg .b64 %a, %b; mov.u64 %a, array; "
             "mov.u32 %r5, 0; over: mul.wide.u32 %b, %r5, 128; add.u64 %b, %a, %b; "
             "ld.local.f32 %f2, [%b]; ld.local.f32 %f3, [%b+32]; ld.local.f32 %f4, [%b+64]; "
             "ld.local.f32 %f5, [%b+96]; add.f32 %f9, %f2, %f9; add.f32 %f9, %f3, %f9; "
             "add.f32 %f9, %f4, %f9; add.f32 %f9, %f5, %f9; "
             "add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 16; @%p2 bra over; }",
             1056, 1, 1 << 22);
    double read = counters_get(&b.report.counters, COUNTER_DRAM_READ_BYTES, 0);
    double memory_ns = read / b.gpu->value[GPU_FIELD_dram_read_gbps];
    assert_true(memory_ns > 0.3 * b.report.time.time_ns);
    assert_true(then(&b, INTERVENTION_LOCAL) < memory_ns);
    bench_close(&b);
}

// Two passes over eight rows. Where the second one's values are kept, its counter and its addresses go as well.
#define PASS(name, offset)                                                               \
    "mov.u32 %r6, 0; " name ": shl.b32 %r7, %r6, 10; and.b32 %r8, %r7, 65535; "          \
    "xor.b32 %r8, %r8, 1; xor.b32 %r8, %r8, 1; cvt.u64.u32 %l2, %r8; "                   \
    "add.u64 %l2, %l2, %l1; ld.global.f32 %f2, [%l2" offset "]; add.f32 %f9, %f2, %f9; " \
    "add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, 8; @%p2 bra " name "; bar.sync 0; "
static void a_pass_goes_with_its_addresses(void **state)
{
    struct bench again, other;
    (void)state;
    run_room(&again, PASS("one", "") PASS("two", "") PASS("three", ""), 1056, 1, 1 << 22);
    run_room(&other, PASS("one", "") PASS("two", "+8388608") PASS("three", "+16777216"), 1056, 1,
             1 << 25);
    assert_true(then(&again, INTERVENTION_RELOADS) < 0.8 * again.report.time.time_ns);
    assert_int_equal(other.report.counterfactuals.time_ns[INTERVENTION_RELOADS].provenance,
                     PROVENANCE_ABSENT);
    bench_close(&again);
    bench_close(&other);
}

// A product of two matrices: a warp goes along a row that no other warp has, one word for all its lanes at a time, and all warps go
// down the same columns. In a tile both lie, so that the loads of the row are gone as well.
static void words_of_a_row_lie_in_the_tile_too(void **state)
{
    static const char body[] =
        "mov.u32 %r5, %tid.x; and.b32 %r6, %r5, 31; shr.u32 %r7, %r2, 5; shl.b32 %r7, %r7, 6; "
        "add.u32 %r7, %r7, 4096; mov.u32 %r8, 0; over: add.u32 %r10, %r7, %r8; "
        "mul.wide.u32 %l2, %r10, 4; ld.param.u64 %l3, [out]; add.u64 %l2, %l3, %l2; "
        "ld.global.f32 %f2, [%l2]; shl.b32 %r10, %r8, 5; add.u32 %r10, %r10, %r6; "
        "mul.wide.u32 %l2, %r10, 4; add.u64 %l2, %l3, %l2; ld.global.f32 %f3, [%l2]; "
        "fma.rn.f32 %f9, %f2, %f3, %f9; add.u32 %r8, %r8, 1; setp.lt.u32 %p2, %r8, 64; "
        "@%p2 bra over;";
    struct bench b;
    (void)state;
    run_room(&b, body, 1056, 1, 1 << 24);
    double left = then(&b, INTERVENTION_BLOCK_RELOADS) / b.report.time.time_ns;
    if (!(left < 0.7))
        fail_msg("%.2f of the time is left", left);
    if (!(left > 0.505)) // four words for all lanes are two passes through the banks
        fail_msg("%.2f of the time is left: the row's words cost a pass for each four", left);
    bench_close(&b);
}

// A product's loop of many turns is unrolled over the tile: no counter and no addresses. One of a few turns keeps half of them.
static void a_long_loop_is_unrolled_over_its_tile(void **state)
{
    static const char body[] = "mov.u32 %%r5, %%tid.x; and.b32 %%r5, %%r5, 31; mov.u32 %%r6, 0; "
                               "over: mad.lo.u32 %%r7, %%r6, 32, %%r5; and.b32 %%r7, %%r7, 1023; "
                               "xor.b32 %%r7, %%r7, 4; mul.wide.u32 %%l2, %%r7, 4; "
                               "ld.param.u64 %%l3, [out]; add.u64 %%l3, %%l3, %%l2; "
                               "ld.global.f32 %%f2, [%%l3]; fma.rn.f32 %%f9, %%f2, %%f2, %%f9; "
                               "add.u32 %%r6, %%r6, 1; setp.lt.u32 %%p2, %%r6, %d; "
                               "@%%p2 bra over;";
    struct bench many, few;
    struct arena a = {0};
    (void)state;
    run_room(&many, arena_printf(&a, body, 64), 1056, 1, 1 << 22);
    run_room(&few, arena_printf(&a, body, 12), 1056, 1, 1 << 22);
    double left = then(&many, INTERVENTION_BLOCK_RELOADS) / many.report.time.time_ns;
    assert_true(left < 0.75);
    assert_true(left + 0.1 < then(&few, INTERVENTION_BLOCK_RELOADS) / few.report.time.time_ns);
    bench_close(&many);
    bench_close(&few);
    arena_release(&a);
}

// Running sums are shared out in two passes; not where what is stored is loaded again.
static void running_sums_are_shared_out(void **state)
{
    struct bench scan, follows;
    (void)state;
    run_steps_n(&scan, "k",
                "cvt.rn.f32.u32 %f2, %r9; fma.rn.f32 %f9, %f2, %f1, %f9; st.global.f32 [%l1], %f9;",
                16, 4000);
    run_steps_n(&follows, "k",
                "ld.global.f32 %f2, [%l1]; fma.rn.f32 %f9, %f2, %f1, %f9; "
                "st.global.f32 [%l1], %f9;",
                16, 400);
    double shared = then(&scan, INTERVENTION_SPLIT), time = scan.report.time.time_ns;
    assert_true(shared < 0.5 * time && shared > time / 8); // eight parts, each gone through twice
    assert_int_equal(follows.report.counterfactuals.time_ns[INTERVENTION_SPLIT].provenance,
                     PROVENANCE_ABSENT);
    bench_close(&scan);
    bench_close(&follows);
}

// In place of a 64-bit remainder stand products of several instructions.
static void a_wide_division_leaves_wide_products(void **state)
{
    struct bench narrow, wide;
    (void)state;
    run_steps(&narrow, "k",
              "add.u32 %r5, %r2, 7; rem.u32 %r6, %r9, %r5; cvt.rn.f32.u32 %f2, %r6; "
              "add.f32 %f9, %f9, %f2;",
              1056);
    run_steps(&wide, "k",
              "add.u32 %r5, %r2, 7; cvt.u64.u32 %l2, %r5; cvt.u64.u32 %l3, %r9; "
              "rem.u64 %l3, %l3, %l2; cvt.u32.u64 %r6, %l3; cvt.rn.f32.u32 %f2, %r6; "
              "add.f32 %f9, %f9, %f2;",
              1056);
    assert_true(then(&wide, INTERVENTION_DIVISIONS) > 1.5 * then(&narrow, INTERVENTION_DIVISIONS));
    assert_true(then(&wide, INTERVENTION_DIVISIONS) < 0.7 * wide.report.time.time_ns);
    bench_close(&narrow);
    bench_close(&wide);
}

// bench/advice/fourteenth, bytecode: a switch that takes each warp's lanes apart. Where they go together, a warp jumps once, not once for
// each of its ways.
static void branches_of_a_few_lanes_are_packed(void **state)
{
    struct bench apart, together;
    (void)state;
    // The bits of a lane's number choose its way, and a way adds one value: jumps are most of what is left when those are packed.
    static const char by_bits[] =
        "%s and.b32 %%r6, %%r5, 1; setp.ne.u32 %%p2, %%r6, 0; @%%p2 bra odd; "
        "and.b32 %%r7, %%r5, 2; setp.ne.u32 %%p3, %%r7, 0; @%%p3 bra two; "
        "st.global.f32 [%%l1], %%f1; bra met; two: st.global.f32 [%%l1], %%f2; bra met; "
        "odd: and.b32 %%r7, %%r5, 2; setp.ne.u32 %%p3, %%r7, 0; @%%p3 bra three; "
        "st.global.f32 [%%l1], %%f3; bra met; three: st.global.f32 [%%l1], %%f4; met:";
    struct arena a = {0};
    run_steps(&apart, "k", arena_printf(&a, by_bits, "mov.u32 %r5, %tid.x;"), 1056);
    run_steps(&together, "k", arena_printf(&a, by_bits, "shr.u32 %r5, %r2, 5;"), 1056);
    double packed = then(&apart, INTERVENTION_IDLE_LANES), twin = together.report.time.time_ns;
    if (!(packed < 1.4 * twin))
        fail_msg("%.0f of %.0f ns packed, %.0f of one that has all lanes together", packed,
                 apart.report.time.time_ns, twin);
    arena_release(&a);
    bench_close(&apart);
    bench_close(&together);
}

// Steps with a barrier each, of which a quarter of the lanes takes part.
static void steps_of_a_block_go_within_warps(void **state)
{
    struct bench few, full;
    (void)state;
    (void)run(&few, 32, 1, 8, NULL);
    (void)run(&full, 32, 1, 32, NULL);
    double within = then(&few, INTERVENTION_STEPS);
    assert_true(within < 0.9 * then(&few, INTERVENTION_BARRIERS));
    assert_true(within < then(&few, INTERVENTION_IDLE_LANES));
    assert_int_equal(full.report.counterfactuals.time_ns[INTERVENTION_STEPS].provenance,
                     PROVENANCE_ABSENT); // nobody is beside the step
    bench_close(&few);
    bench_close(&full);
}

// A load, `n` steps with a barrier each, one result.
static double loads_share(uint32_t n)
{
    static const char reduce[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 out, .param .u32 n)\n"
        "{\n.reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %l<4>; .reg .f32 %f<8>;\n"
        "ld.param.u64 %l1, [out]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x;\n"
        "mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mad.lo.u32 %r5, %r3, %r4, %r2;\n"
        "mul.wide.u32 %l2, %r5, 4; add.u64 %l1, %l1, %l2;\n"
        "ld.global.f32 %f1, [%l1]; mov.u32 %r9, 0;\n"
        "again: bar.sync 0; fma.rn.f32 %f1, %f1, %f1, %f1; add.u32 %r9, %r9, 1;\n"
        "setp.lt.u32 %p1, %r9, %r1; @%p1 bra again; setp.ne.u32 %p2, %r2, 0; @%p2 ret;\n"
        "st.global.f32 [%l1], %f1;\nret;\n}\n";
    static uint32_t threads = 256;
    struct bench b;
    bench_text(&b, reduce);
    uint64_t out = bench_buffer(&b, "out", NULL, (size_t)4224 * threads * 4);
    b.launch.counterfactuals = true;
    bench_run(&b, "k", GRID1(4224, threads), ARGS(&out, &n));
    double share = then(&b, INTERVENTION_LOADS) / b.report.time.time_ns;
    bench_close(&b);
    return share;
}

// One tree serves four elements of a thread; steps that a block makes one after the other do not.
static void several_loads_share_a_tree_but_not_a_sequence(void **state)
{
    (void)state;
    assert_true(loads_share(9) < 0.7);
    assert_true(loads_share(100) > 0.9);
}

// What the unrolled loop over the array loads each time around stays in registers as well.
static void loads_beside_a_local_array_go_with_its_loop(void **state)
{
    struct bench b;
    (void)state;
    run_room(
        &b,
        "{ .local .align 4 .b8 array[32]; .reg .b64 %a, %b, %c; mov.u64 %a, array; "
        "mov.u32 %r5, 0; over: mul.wide.u32 %b, %r5, 1024; add.u64 %c, %l1, %b; "
        "ld.global.f32 %f3, [%c]; mul.wide.u32 %b, %r5, 4; add.u64 %b, %a, %b; "
        "ld.local.f32 %f2, [%b]; add.f32 %f2, %f2, %f3; st.local.f32 [%b], %f2; "
        "add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 8; @%p2 bra over; add.f32 %f9, %f9, %f2; }",
        264, 16, 1 << 22);
    assert_true(then(&b, INTERVENTION_LOCAL) < 0.6 * then(&b, INTERVENTION_RELOADS));
    assert_true(then(&b, INTERVENTION_LOCAL) < 0.35 * b.report.time.time_ns);
    bench_close(&b);
}

// A byte of a thread, or sixteen; the numbers of a thread's words, or words as far apart.
static const char accesses[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry bytes(.param .u64 out) {\n.reg .b32 %r<6>; .reg .b64 %l<3>;\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r1, %r2, 256, %r1;\n"
    "ld.param.u64 %l1, [out]; cvt.u64.u32 %l2, %r1; add.u64 %l1, %l1, %l2;\n"
    "ld.global.u8 %r3, [%l1]; xor.b32 %r3, %r3, 3; st.global.u8 [%l1], %r3; ret; }\n"
    ".visible .entry vectors(.param .u64 out) {\n.reg .b32 %r<8>; .reg .b64 %l<3>;\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r1, %r2, 256, %r1;\n"
    "ld.param.u64 %l1, [out]; mul.wide.u32 %l2, %r1, 16; add.u64 %l1, %l1, %l2;\n"
    "ld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%l1];\n"
    "xor.b32 %r3, %r3, 3; xor.b32 %r4, %r4, 3; xor.b32 %r5, %r5, 3; xor.b32 %r6, %r6, 3;\n"
    "st.global.v4.u32 [%l1], {%r3, %r4, %r5, %r6}; ret; }\n"
    ".visible .entry looked_up(.param .u64 out) {\n.reg .b32 %r<6>; .reg .b64 %l<5>;\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r1, %r2, 256, %r1;\n"
    "ld.param.u64 %l1, [out]; mul.wide.u32 %l2, %r1, 4; add.u64 %l2, %l1, %l2;\n"
    "ld.global.u32 %r3, [%l2]; mul.wide.u32 %l3, %r3, 4; add.u64 %l4, %l1, %l3;\n"
    "ld.global.u32 %r4, [%l4]; st.global.u32 [%l2], %r4; ret; }\n"
    ".visible .entry apart(.param .u64 out) {\n.reg .b32 %r<6>; .reg .b64 %l<4>;\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r1, %r2, 256, %r1;\n"
    "ld.param.u64 %l1, [out]; mul.wide.u32 %l2, %r1, 4; add.u64 %l2, %l1, %l2;\n"
    "ld.global.u32 %r3, [%l2]; mul.lo.u32 %r5, %r1, 72; and.b32 %r5, %r5, 1048575; mul.wide.u32 "
    "%l3, %r5, 4;\n"
    "add.u64 %l3, %l1, %l3; ld.global.u32 %r4, [%l3]; st.global.u32 [%l2], %r4; ret; }\n";

static double run_access(struct bench *b, const char *name, uint32_t blocks)
{
    enum { WORDS = 1 << 20 };
    uint32_t *numbers = xcalloc(WORDS, sizeof *numbers);
    static uint32_t threads = 256;
    for (uint32_t i = 0; i < WORDS; i++)
        numbers[i] = i * 72 & (WORDS - 1);
    bench_text(b, accesses);
    uint64_t out = bench_buffer(b, "out", numbers, WORDS * sizeof *numbers);
    free(numbers);
    b->launch.facts = true;
    b->launch.counterfactuals = true;
    bench_run(b, name, GRID1(blocks, threads), ARGS(&out));
    return b->report.time.time_ns;
}

static void bytes_in_vectors_fill_lines(void **state)
{
    struct bench has, twin;
    (void)state;
    double slow = run_access(&has, "bytes", 16384), fast = run_access(&twin, "vectors", 1024);
    assert_true(slow > 2 * fast);
    assert_near(then(&has, INTERVENTION_BYTES), fast, 0.1);
    bench_close(&has);
    bench_close(&twin);
}

// Some blocks go round a loop of loads many times as often: fewer, wider loads of theirs are as many times as wide.
static void wide_loads_leave_long_blocks_long(void **state)
{
    static const char code_of_lists[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 out, .param .u32 few, .param .u32 many)\n"
        "{\n.reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %l<4>; .reg .f32 %f<4>;\n"
        "ld.param.u64 %l1, [out]; ld.param.u32 %r1, [few]; ld.param.u32 %r2, [many];\n"
        "mov.u32 %r3, %ctaid.x; mov.u32 %r4, %tid.x; and.b32 %r5, %r3, 63;\n"
        "setp.eq.u32 %p1, %r5, 63; selp.u32 %r6, %r2, %r1, %p1; mov.f32 %f1, 0f00000000;\n"
        "mul.wide.u32 %l2, %r4, 4; add.u64 %l2, %l1, %l2;\n"
        "again: ld.global.f32 %f2, [%l2]; add.f32 %f1, %f1, %f2; add.u64 %l2, %l2, 1024;\n"
        "sub.u32 %r6, %r6, 1; setp.ne.u32 %p2, %r6, 0; @%p2 bra again;\n"
        "mad.lo.u32 %r7, %r3, 256, %r4; mul.wide.u32 %l3, %r7, 4; add.u64 %l3, %l1, %l3;\n"
        "st.global.f32 [%l3], %f1; ret; }\n";
    static uint32_t threads = 256, few = 8, many = 1024;
    struct bench b;
    (void)state;
    bench_text(&b, code_of_lists);
    uint64_t out = bench_buffer(&b, "out", NULL, 2 << 20);
    b.launch.counterfactuals = true;
    bench_run(&b, "k", GRID1(528, threads), ARGS(&out, &few, &many));
    assert_true(then(&b, INTERVENTION_BYTES) > b.report.time.time_ns / 5);
    assert_true(then(&b, INTERVENTION_BYTES) < b.report.time.time_ns);
    bench_close(&b);
}

// No lanes can be put side by side of those that look up what was loaded; of those that are numbered so, they can.
static void what_is_looked_up_stays_scattered(void **state)
{
    struct bench has, twin;
    (void)state;
    double slow = run_access(&has, "looked_up", 4096), apart = run_access(&twin, "apart", 4096);
    assert_near(then(&has, INTERVENTION_SECTORS), slow, 0.02);
    assert_true(then(&twin, INTERVENTION_SECTORS) < 0.8 * apart);
    bench_close(&has);
    bench_close(&twin);
}

// Eight sectors of a thread at a looked-up place, eight loads each, `apart` bytes from one sector to the next.
static double looked_up_rows(int apart)
{
    enum { WORDS = 1 << 20, ROWS = 60 };
    static uint32_t threads = 256;
    struct arena a = {0};
    struct bench b;
    const char *loads = "";
    for (int i = 0; i < 64; i++)
        loads = arena_printf(&a, "%sld.global.f32 %%f2, [%%l4+%d]; add.f32 %%f1, %%f1, %%f2;\n",
                             loads, i / 8 * apart + i % 8 * 4);
    bench_text(&b, arena_printf(
                       &a,
                       ".version 8.0\n.target sm_90\n.address_size 64\n"
                       ".visible .entry k(.param .u64 out) {\n.reg .b32 %%r<4>; .reg .b64 %%l<5>; "
                       ".reg .f32 %%f<3>;\nmov.u32 %%r1, %%tid.x; mov.u32 %%r2, %%ctaid.x; "
                       "mad.lo.u32 %%r1, %%r2, 256, %%r1; ld.param.u64 %%l1, [out]; "
                       "mul.wide.u32 %%l2, %%r1, 4; add.u64 %%l2, %%l1, %%l2; "
                       "ld.global.u32 %%r3, [%%l2]; mul.wide.u32 %%l3, %%r3, 1280; "
                       "add.u64 %%l4, %%l1, %%l3; mov.f32 %%f1, 0f00000000;\n"
                       "%sst.global.f32 [%%l2], %%f1; ret; }\n",
                       loads));
    uint32_t *numbers = xcalloc(WORDS, sizeof *numbers);
    for (uint32_t i = 0; i < WORDS; i++)
        numbers[i] = (i * 40503 >> 4) % ROWS;
    uint64_t out = bench_buffer(&b, "out", numbers, WORDS * sizeof *numbers);
    free(numbers);
    b.launch.counterfactuals = true;
    bench_run(&b, "k", GRID1(528, threads), ARGS(&out));
    double share = then(&b, INTERVENTION_SECTORS) / b.report.time.time_ns;
    bench_close(&b);
    arena_release(&a);
    return share;
}

// bench/advice/thirteenth, embrow: a row at a looked-up place is asked for by whole lines once lanes go along it side by side. Sectors
// of lines of their own stay requests of their own.
static void looked_up_rows_are_asked_for_by_lines(void **state)
{
    (void)state;
    double row = looked_up_rows(32), places = looked_up_rows(160);
    if (!(row < 0.85 * places))
        fail_msg("%.2f of the time is left of rows, %.2f of places", row, places);
}

// Dot products of bytes are of the tensor cores too, and so are integer ones that are summed up; an address is not.
static void integer_products_go_to_the_tensor_cores(void **state)
{
    static const char *const bodies[] = {
        "ld.global.u32 %r5, [%l1]; ld.global.u32 %r6, [%l1+128]; "
        "dp4a.s32.s32 %r7, %r5, %r6, %r7; cvt.rn.f32.s32 %f9, %r7;",
        "ld.global.u32 %r5, [%l1]; ld.global.u32 %r6, [%l1+128]; "
        "mad.lo.s32 %r7, %r5, %r6, %r7; cvt.rn.f32.s32 %f9, %r7;",
        "mad.lo.s32 %r5, %r9, %r2, %r2; and.b32 %r5, %r5, 65535; mul.wide.u32 %l2, %r5, 4; "
        "ld.param.u64 %l3, [out]; add.u64 %l3, %l3, %l2; ld.global.f32 %f2, [%l3]; "
        "add.f32 %f9, %f9, %f2;"};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(bodies); i++) {
        struct bench b;
        run_room(&b, bodies[i], 1056, 64, 1 << 22);
        bool products = i + 1 < COUNT_OF(bodies);
        assert_int_equal(b.report.counterfactuals.time_ns[INTERVENTION_TENSOR].provenance,
                         products ? PROVENANCE_MODELLED : PROVENANCE_ABSENT);
        assert_true(!products || then(&b, INTERVENTION_TENSOR) < 0.6 * b.report.time.time_ns);
        bench_close(&b);
    }
}

// A word further along, lanes have what those beside them had: no register of their own has it. The same word again is.
static void what_lanes_beside_had_is_not_loaded_again(void **state)
{
    struct bench shifted, again;
    (void)state;
    run_room(&shifted,
             "ld.global.f32 %f2, [%l1]; ld.global.f32 %f3, [%l1+4]; add.f32 %f9, %f2, %f3;", 16, 1,
             1 << 22);
    run_room(&again, "ld.global.f32 %f2, [%l1]; ld.global.f32 %f3, [%l1]; add.f32 %f9, %f2, %f3;",
             16, 1, 1 << 22);
    assert_true(shifted.report.facts.value[FACT_LOADS_AGAIN] == 0);
    assert_true(shifted.report.facts.value[FACT_LOADS_AGAIN_BLOCK] > 0);
    assert_true(again.report.facts.value[FACT_LOADS_AGAIN] > 0);
    assert_true(again.report.facts.value[FACT_LOADS_AGAIN_BLOCK] == 0);
    bench_close(&shifted);
    bench_close(&again);
}

// Rows that begin within a sector, gone through twice (as with an odd number of columns): the second pass has the same words.
static void a_pass_over_odd_rows_loads_again(void **state)
{
    struct bench b;
    const double *f = b.report.facts.value;
    (void)state;
    run_room(
        &b,
        "mov.u32 %r6, 0; one: shl.b32 %r7, %r6, 15; cvt.u64.u32 %l2, %r7; add.u64 %l2, %l2, %l1; "
        "ld.global.f32 %f2, [%l2+4]; add.f32 %f9, %f2, %f9; add.u32 %r6, %r6, 1; "
        "setp.lt.u32 %p2, %r6, 64; @%p2 bra one; bar.sync 0; "
        "mov.u32 %r6, 0; two: shl.b32 %r7, %r6, 15; cvt.u64.u32 %l2, %r7; add.u64 %l2, %l2, %l1; "
        "ld.global.f32 %f2, [%l2+4]; add.f32 %f9, %f2, %f9; add.u32 %r6, %r6, 1; "
        "setp.lt.u32 %p2, %r6, 64; @%p2 bra two; ",
        16, 1, 1 << 22);
    assert_true(f[FACT_LOADS_AGAIN] == f[FACT_LOADS] / 2);
    bench_close(&b);
}

// A sum that leaves some out is one that several may share, unless the sum itself decides which.
static void a_sum_of_some_is_a_sum(void **state)
{
    struct bench some, running;
    (void)state;
    run_steps(&some, "k",
              "cvt.rn.f32.u32 %f2, %r9; setp.gt.f32 %p2, %f2, %f1; add.f32 %f3, %f9, %f2; "
              "selp.f32 %f9, %f3, %f9, %p2;",
              16);
    run_steps(&running, "k",
              "cvt.rn.f32.u32 %f2, %r9; setp.gt.f32 %p2, %f2, %f9; add.f32 %f3, %f9, %f2; "
              "selp.f32 %f9, %f3, %f9, %p2;",
              16);
    assert_true(some.report.facts.value[FACT_SERIAL_LOOPS] == 0);
    assert_true(running.report.facts.value[FACT_SERIAL_LOOPS] > 0);
    bench_close(&some);
    bench_close(&running);
}

// Rows that a thread each walks along, n words, by a loop of eight at a time: words beside each row are loaded for each of them by a
// warp's lanes.
static void run_rows(struct bench *b, uint32_t n)
{
    run_room(b,
             "mad.lo.u32 %r5, %r2, 32, %r9; and.b32 %r5, %r5, 131071; mul.wide.u32 %l2, %r5, 32; "
             "ld.param.u64 %l3, [out]; add.u64 %l3, %l3, %l2; "
             "ld.global.f32 %f2, [%l3]; ld.global.f32 %f3, [%l3+4]; ld.global.f32 %f4, [%l3+8]; "
             "ld.global.f32 %f5, [%l3+12]; add.f32 %f2, %f2, %f3; add.f32 %f4, %f4, %f5; "
             "add.f32 %f9, %f9, %f2; add.f32 %f9, %f9, %f4;",
             1056, n, 1 << 22);
}

// Lanes that share a row out make its address, combine its parts and store its result each time: of long rows that is little.
static void short_rows_gain_less_by_a_warp(void **state)
{
    struct bench few, many;
    (void)state;
    run_rows(&few, 2);
    run_rows(&many, 32);
    assert_true(few.report.facts.value[FACT_ROW_SUMS] > 0);
    double of_few = then(&few, INTERVENTION_ROWS) / then(&few, INTERVENTION_SECTORS);
    double of_many = then(&many, INTERVENTION_ROWS) / then(&many, INTERVENTION_SECTORS);
    if (!(of_few > 1.25 * of_many && of_many < 1.7))
        fail_msg("%.2f times the time of coalesced loads, %.2f of long rows", of_few, of_many);
    bench_close(&few);
    bench_close(&many);
}

// A word for all lanes, a turn of an unrolled loop further along its row, or in the next row.
static void a_row_by_turns_of_a_loop_is_no_column(void **state)
{
    struct bench row, column;
    (void)state;
    run_room(&row,
             "mul.wide.u32 %l2, %r9, 64; ld.param.u64 %l3, [out]; add.u64 %l3, %l3, %l2; "
             "ld.global.f32 %f2, [%l3]; add.f32 %f9, %f9, %f2;",
             16, 64, 1 << 22);
    run_room(&column,
             "mul.wide.u32 %l2, %r9, 1024; ld.param.u64 %l3, [out]; add.u64 %l3, %l3, %l2; "
             "ld.global.f32 %f2, [%l3]; add.f32 %f9, %f9, %f2;",
             16, 64, 1 << 22);
    assert_true(row.report.facts.value[FACT_LOADS_COLUMN] == 0);
    assert_true(column.report.facts.value[FACT_LOADS_COLUMN] > 0);
    bench_close(&row);
    bench_close(&column);
}

// Four terms with coefficients that only an f64 has are a function of the library; with others they are the user's.
#define TERMS(a, b, c, d)                                                                       \
    "{ .reg .f64 %d<8>; cvt.f64.f32 %d1, %f1; mov.f64 %d2, " a "; mov.f64 %d3, " b "; mov.f64 " \
    "%d4, " c "; mov.f64 %d5, " d "; fma.rn.f64 %d6, %d1, %d2, %d3; "                           \
    "fma.rn.f64 %d6, %d6, %d1, %d4; fma.rn.f64 %d6, %d6, %d1, %d5; "                            \
    "fma.rn.f64 %d6, %d6, %d1, %d3; cvt.rn.f32.f64 %f2, %d6; add.f32 %f9, %f9, %f2; }"
static void functions_of_f32_have_fewer_terms(void **state)
{
    struct bench library, own;
    (void)state;
    run_steps(&library, "k",
              TERMS("0d3E5ADE1569CE2BDF", "0d3E928AF3FCA213EA", "0d3EC71DEE62401315",
                    "0d3EFA01997C89EB71"),
              1056);
    run_steps(&own, "k",
              TERMS("0d3E50000000000000", "0d3E90000000000000", "0d3EC0000000000000",
                    "0d3EF0000000000000"),
              1056);
    double fewer = then(&library, INTERVENTION_F64), all = then(&own, INTERVENTION_F64);
    if (!(fewer < 0.9 * all))
        fail_msg("%.0f ns by fewer terms, %.0f by as many", fewer, all);
    bench_close(&library);
    bench_close(&own);
}

// A loop that loads, meets and computes: loaded a turn ahead, what a turn computes hides as much of the wait; where it computes
// nothing, nothing. Without the barrier other warps hide it.
static void a_load_between_barriers_may_be_a_turn_ahead(void **state)
{
    static const char load[] = "mul.wide.u32 %l2, %r9, 262144; add.u64 %l3, %l1, %l2; "
                               "ld.global.f32 %f2, [%l3]; add.f32 %f9, %f9, %f2; ";
    struct arena a = {0};
    struct bench meets, computes, alone;
    const char *sums = "";
    (void)state;
    for (int i = 0; i < 150; i++)
        sums = arena_printf(&a, "%sadd.f32 %%f9, %%f9, %%f9; ", sums);
    run_room(&meets, arena_printf(&a, "%sbar.sync 0;", load), 132, 16, 1 << 23);
    run_room(&computes, arena_printf(&a, "%sbar.sync 0; %s", load, sums), 132, 16, 1 << 23);
    run_room(&alone, load, 132, 16, 1 << 23);
    double nothing = then(&meets, INTERVENTION_AHEAD) / meets.report.time.time_ns,
           as_long = then(&computes, INTERVENTION_AHEAD) / computes.report.time.time_ns;
    if (!(nothing > 0.9 && as_long < 0.75 && as_long > 0.45))
        fail_msg("%.2f of the time, %.2f where it computes meanwhile", nothing, as_long);
    assert_int_equal(alone.report.counterfactuals.time_ns[INTERVENTION_AHEAD].provenance,
                     PROVENANCE_ABSENT);
    bench_close(&meets);
    bench_close(&computes);
    bench_close(&alone);
    arena_release(&a);
}

// The loop over an array is unrolled: its loads go out together; not where some lanes leave a turn out.
static void loads_beside_a_local_array_go_out_together(void **state)
{
    static const char loop[] =
        "{ .local .align 4 .b8 array[32]; .reg .b64 %%a, %%b, %%c; mov.u64 %%a, array; "
        "mov.u32 %%r5, 0; over: mul.wide.u32 %%b, %%r5, 65536; add.u64 %%c, %%l1, %%b; "
        "ld.global.f32 %%f3, [%%c]; and.b32 %%r6, %%r2, %d; setp.ne.u32 %%p3, %%r6, 0; "
        "@%%p3 bra none; mul.wide.u32 %%b, %%r5, 4; add.u64 %%b, %%a, %%b; "
        "ld.local.f32 %%f2, [%%b]; add.f32 %%f2, %%f2, %%f3; st.local.f32 [%%b], %%f2; none: "
        "add.u32 %%r5, %%r5, 1; setp.lt.u32 %%p2, %%r5, 8; @%%p2 bra over; "
        "add.f32 %%f9, %%f9, %%f2; }";
    struct arena a = {0};
    struct bench all, some;
    (void)state;
    run_room(&all, arena_printf(&a, loop, 0), 132, 4, 1 << 23);
    run_room(&some, arena_printf(&a, loop, 1), 132, 4, 1 << 23);
    double left = then(&all, INTERVENTION_LOCAL) / all.report.time.time_ns,
           others = then(&some, INTERVENTION_LOCAL) / some.report.time.time_ns;
    if (!(left < 0.85 * others))
        fail_msg("%.2f of the time, %.2f where lanes leave turns out", left, others);
    bench_close(&all);
    bench_close(&some);
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(further_divisions_by_a_divisor_are_divisions),
        cmocka_unit_test(blocks_that_come_again_combine_their_atomics),
        cmocka_unit_test(an_array_indexed_by_values_goes_to_shared_memory),
        cmocka_unit_test(what_a_count_chooses_goes_with_a_local_array),
        cmocka_unit_test(results_in_turn_are_joined_within_a_thread),
        cmocka_unit_test(a_sum_of_some_is_a_sum),
        cmocka_unit_test(integer_products_go_to_the_tensor_cores),
        cmocka_unit_test(what_lanes_beside_had_is_not_loaded_again),
        cmocka_unit_test(a_pass_over_odd_rows_loads_again),
        cmocka_unit_test(short_rows_gain_less_by_a_warp),
        cmocka_unit_test(a_row_by_turns_of_a_loop_is_no_column),
        cmocka_unit_test(functions_of_f32_have_fewer_terms),
        cmocka_unit_test(a_load_between_barriers_may_be_a_turn_ahead),
        cmocka_unit_test(loads_beside_a_local_array_go_out_together),
        cmocka_unit_test(bytes_in_vectors_fill_lines),
        cmocka_unit_test(wide_loads_leave_long_blocks_long),
        cmocka_unit_test(what_is_looked_up_stays_scattered),
        cmocka_unit_test(looked_up_rows_are_asked_for_by_lines),
        cmocka_unit_test(facts_alone_are_those_of_a_replayed_launch),
        cmocka_unit_test(without_conflicts_it_is_as_fast_as_its_twin),
        cmocka_unit_test(replays_that_have_to_end_soon_replay_less),
        cmocka_unit_test(without_barriers_it_is_as_fast_as_its_twin),
        cmocka_unit_test(changes_compose),
        cmocka_unit_test(a_replay_of_nothing_takes_as_long),
        cmocka_unit_test(idle_lanes_are_packed),
        cmocka_unit_test(branches_of_a_few_lanes_are_packed),
        cmocka_unit_test(a_function_of_the_library_is_known_by_its_coefficients),
        cmocka_unit_test(of_a_series_a_shorter_one_stays),
        cmocka_unit_test(a_recurrence_is_told_from_a_sum),
        cmocka_unit_test(a_small_grid_keeps_each_threads_chain),
        cmocka_unit_test(a_block_that_works_together_is_not_spread),
        cmocka_unit_test(atomics_are_combined_within_a_block_only),
        cmocka_unit_test(tickets_are_not_combined),
        cmocka_unit_test(a_larger_grid_shortens_what_steps_by_it),
        cmocka_unit_test(a_sum_is_shared_out_among_blocks),
        cmocka_unit_test(scattered_atomics_are_combined_where_there_is_room),
        cmocka_unit_test(every_loop_through_the_data_is_shortened),
        cmocka_unit_test(a_division_by_what_stays_the_same_becomes_a_product),
        cmocka_unit_test(divisions_by_one_divisor_share_its_reciprocal),
        cmocka_unit_test(a_gather_is_told_from_a_stride_and_from_a_walk),
        cmocka_unit_test(blocks_of_a_warp_are_joined),
        cmocka_unit_test(what_a_block_loads_again_comes_from_shared_memory),
        cmocka_unit_test(fields_of_a_structure_are_all_brought),
        cmocka_unit_test(an_unrolled_walk_along_a_row_loads_nothing_again),
        cmocka_unit_test(products_go_to_the_tensor_cores),
        cmocka_unit_test(a_warp_has_many_results_of_the_tensor_cores),
        cmocka_unit_test(results_of_two_tiles_leave_half_of_the_loads),
        cmocka_unit_test(the_loop_over_a_local_array_goes_with_it),
        cmocka_unit_test(what_local_arrays_read_back_goes_with_them),
        cmocka_unit_test(a_pass_goes_with_its_addresses),
        cmocka_unit_test(words_of_a_row_lie_in_the_tile_too),
        cmocka_unit_test(a_long_loop_is_unrolled_over_its_tile),
        cmocka_unit_test(running_sums_are_shared_out),
        cmocka_unit_test(a_wide_division_leaves_wide_products),
        cmocka_unit_test(steps_of_a_block_go_within_warps),
        cmocka_unit_test(several_loads_share_a_tree_but_not_a_sequence),
        cmocka_unit_test(loads_beside_a_local_array_go_with_its_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
