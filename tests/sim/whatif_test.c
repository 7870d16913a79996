// Counterfactual replays: the time of a kernel without its conflicts, barriers or divergence is that of the same kernel
// written without them; changes compose; a replay that changes nothing takes as long.
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_alone_are_those_of_a_replayed_launch),
        cmocka_unit_test(without_conflicts_it_is_as_fast_as_its_twin),
        cmocka_unit_test(without_barriers_it_is_as_fast_as_its_twin),
        cmocka_unit_test(changes_compose),
        cmocka_unit_test(a_replay_of_nothing_takes_as_long),
        cmocka_unit_test(idle_lanes_are_packed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
