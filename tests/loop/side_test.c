// What a measured result takes from the simulation on its side, and what it keeps.
// SPDX-License-Identifier: Apache-2.0
#include "loop/bench.h"
#include "loop/job.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct result simulated(void)
{
    struct result r = {.side = {"sim:h200", 0.25, true}, .line_count = 1, .note = "a note"};
    static struct line line = {.file = "k.cu", .line = 7};
    r.lines = &line;
    r.facts = (struct facts){.known = true, .provenance = PROVENANCE_SIMULATED};
    r.stalls.warp_cycles[STALL_BARRIER] = (struct figure){9, PROVENANCE_MODELLED};
    r.counterfactuals.as_is_ns = (struct figure){100, PROVENANCE_MODELLED};
    r.counters.figure[COUNTER_WARP_INSTRUCTIONS] = (struct figure){640, PROVENANCE_MODELLED};
    r.counters.figure[COUNTER_BARRIERS] = (struct figure){5, PROVENANCE_MODELLED};
    r.counters.figure[COUNTER_REGISTERS_PER_THREAD] = (struct figure){16, PROVENANCE_MODELLED};
    r.counters.figure[COUNTER_BLOCK_BALANCE_PCT] = (struct figure){50, PROVENANCE_MODELLED};
    return r;
}

static void result_without_counters_takes_the_simulated_ones(void **state)
{
    struct arena a = {0};
    struct result side = simulated(), r = {.time = {.provenance = PROVENANCE_MEASURED}};
    (void)state;
    r.counters.figure[COUNTER_REGISTERS_PER_THREAD] = (struct figure){32, PROVENANCE_MEASURED};
    side_take(&a, &side, 2, &r);
    assert_true(r.counters.figure[COUNTER_WARP_INSTRUCTIONS].value == 640);
    assert_int_equal(r.counters.figure[COUNTER_BARRIERS].provenance, PROVENANCE_MODELLED);
    assert_true(r.counters.figure[COUNTER_REGISTERS_PER_THREAD].value == 32);
    assert_int_equal(r.time.provenance, PROVENANCE_MEASURED);
    assert_true(r.facts.known && stalls_known(&r.stalls) && r.line_count == 1);
    assert_true(r.counterfactuals.as_is_ns.value == 100);
    assert_string_equal(r.side.device, "sim:h200");
    assert_string_equal(r.note, "on sim:h200: a note");
    arena_release(&a);
}

// A ratio of what hardware counted and what a sample was scaled to is none.
static void hardware_s_counters_stand_alone(void **state)
{
    struct arena a = {0};
    struct result side = simulated(), r = {0};
    (void)state;
    r.counters.figure[COUNTER_WARP_INSTRUCTIONS] = (struct figure){600, PROVENANCE_MEASURED};
    side.counters.figure[COUNTER_GLOBAL_LOAD_LINES] = (struct figure){7, PROVENANCE_MODELLED};
    side_take(&a, &side, 2, &r);
    assert_true(r.counters.figure[COUNTER_WARP_INSTRUCTIONS].value == 600);
    assert_int_equal(r.counters.figure[COUNTER_GLOBAL_LOAD_LINES].provenance, PROVENANCE_ABSENT);
    assert_true(r.counters.figure[COUNTER_BLOCK_BALANCE_PCT].value == 50); // nothing else has it
    assert_true(r.facts.known);
    arena_release(&a);
}

// Without them no finding of a measured kernel names barriers, or atomics that meet in shared memory.
static void barriers_and_turns_of_atomics_are_the_simulated_ones(void **state)
{
    struct arena a = {0};
    struct result side = simulated(), r = {0}, counted = {0};
    (void)state;
    side.counters.figure[COUNTER_SHARED_ATOMIC_REQUESTS] = (struct figure){8, PROVENANCE_MODELLED};
    side.counters.figure[COUNTER_SHARED_ATOMIC_WAVEFRONTS] =
        (struct figure){24, PROVENANCE_MODELLED};
    r.counters.figure[COUNTER_WARP_INSTRUCTIONS] = (struct figure){600, PROVENANCE_MEASURED};
    r.counters.figure[COUNTER_SHARED_ATOMIC_REQUESTS] = (struct figure){10, PROVENANCE_MEASURED};
    counted = r; // by a profiler that has both
    counted.counters.figure[COUNTER_BARRIERS] = (struct figure){6, PROVENANCE_MEASURED};
    counted.counters.figure[COUNTER_SHARED_ATOMIC_WAVEFRONTS] =
        (struct figure){11, PROVENANCE_MEASURED};
    side_take(&a, &side, 2, &r);
    assert_true(r.counters.figure[COUNTER_BARRIERS].value == 5);
    assert_true(r.counters.figure[COUNTER_SHARED_ATOMIC_WAVEFRONTS].value == 30); // three each
    assert_int_equal(r.counters.figure[COUNTER_SHARED_ATOMIC_WAVEFRONTS].provenance,
                     PROVENANCE_MODELLED);
    side_take(&a, &side, 2, &counted);
    assert_true(counted.counters.figure[COUNTER_BARRIERS].value == 6);
    assert_true(counted.counters.figure[COUNTER_SHARED_ATOMIC_WAVEFRONTS].value == 11);
    arena_release(&a);
}

// bench/advice/fourth, degrees: a few rows of a graph have most of its edges, and two waves of blocks miss them.
// Twice as many instructions, and none of the accesses to local memory: the driver keeps an array in registers.
static void other_code_does_not_make_blocks_unequal(void **state)
{
    struct arena a = {0};
    struct result side = simulated(), r = {0}, other;
    (void)state;
    side.counters.figure[COUNTER_BLOCK_BALANCE_PCT].value = 100;
    r.counters.figure[COUNTER_WARP_INSTRUCTIONS] = (struct figure){1280, PROVENANCE_MEASURED};
    r.counters.figure[COUNTER_LOCAL_LOAD_SECTORS] = (struct figure){0, PROVENANCE_MEASURED};
    other = r;
    side_take(&a, &side, 2, &r);
    assert_true(r.counters.figure[COUNTER_BLOCK_BALANCE_PCT].value == 50);
    side.counters.figure[COUNTER_LOCAL_LOAD_SECTORS] = (struct figure){64, PROVENANCE_SIMULATED};
    side_take(&a, &side, 2, &other);
    assert_true(other.counters.figure[COUNTER_BLOCK_BALANCE_PCT].value == 100);
    arena_release(&a);
}

static void a_sample_that_loads_other_than_the_gpu_is_said(void **state)
{
    struct arena a = {0};
    struct result side = simulated(), r = {0}, fair = {0}, whole = {0};
    (void)state;
    side.note = NULL;
    side.counters.figure[COUNTER_GLOBAL_LOAD_REQUESTS] = (struct figure){20, PROVENANCE_MODELLED};
    r.counters.figure[COUNTER_WARP_INSTRUCTIONS] = (struct figure){600, PROVENANCE_MEASURED};
    r.counters.figure[COUNTER_GLOBAL_LOAD_REQUESTS] = (struct figure){1000, PROVENANCE_MEASURED};
    fair = whole = r;
    side_take(&a, &side, 2, &r);
    assert_non_null(strstr(r.note, "the grid loads 0.02 times as often as the GPU counted"));
    side.counters.figure[COUNTER_GLOBAL_LOAD_REQUESTS].value = 600;
    side_take(&a, &side, 2, &fair);
    assert_null(fair.note);
    side.counters.figure[COUNTER_GLOBAL_LOAD_REQUESTS].value = 20;
    side.side.blocks_share = 1; // all blocks: the code is another, as where a compiler loads less
    side_take(&a, &side, 2, &whole);
    assert_null(whole.note);
    arena_release(&a);
}

static void stalls_and_lines_of_the_hardware_stay(void **state)
{
    struct arena a = {0};
    struct result side = simulated(), r = {.line_count = 1};
    struct line line = {.file = "k.cu", .line = 3};
    (void)state;
    r.lines = &line;
    r.stalls.warp_cycles[STALL_WAIT] = (struct figure){4, PROVENANCE_MEASURED};
    side_take(&a, &side, 2, &r);
    assert_int_equal(r.stalls.warp_cycles[STALL_BARRIER].provenance, PROVENANCE_ABSENT);
    assert_int_equal(r.lines[0].line, 3);
    arena_release(&a);
}

static void replays_that_did_not_fit_are_said(void **state)
{
    struct arena a = {0};
    struct result side = simulated(), r = {0};
    (void)state;
    side.note = NULL;
    side.side.replayed = false;
    side_take(&a, &side, 2, &r);
    assert_true(stalls_known(&r.stalls) && r.facts.known);
    assert_string_equal(r.note, "what fixes are worth was not replayed within 2 s: --side-limit "
                                "gives it more time");
    arena_release(&a);
}

#define SECOND 1e9

// 32 of 32,768 blocks first; two waves would be 2048 of them.
static struct side_pass piloted(double took_s, double filling_s)
{
    return (struct side_pass){
        .wanted = 16, .step = 1024, .took_ns = took_s * SECOND, .around_ns = filling_s * SECOND};
}

static void as_many_blocks_run_as_time_allows(void **state)
{
    (void)state;
    struct side_pass quick = piloted(0.005, 0.01), slow = piloted(0.05, 0.01),
                     slowest = piloted(3, 0);
    side_plan(&quick, 2, 0.1 * SECOND);
    assert_int_equal(quick.step, 16);
    assert_true(fabs(quick.request.replay_s - (1.8 - 0.1 - 0.01 - 0.005 * 64)) < 1e-9);
    side_plan(
        &slow, 2,
        0.1 * SECOND); // 3.2 s would be 2048 blocks, and a quarter of the limit is half a second
    assert_int_equal(slow.step, 128);
    assert_true(fabs(slow.request.replay_s - (1.8 - 0.1 - 0.01 - 0.4)) < 1e-9);
    side_plan(&slowest, 2, 3.1 * SECOND); // too late; whoever may still wait gets something
    assert_int_equal(slowest.step, 1024);
    assert_true(fabs(slowest.request.replay_s - 0.2) < 1e-9);
    assert_false(quick.request.unpriced || slow.request.unpriced || slowest.request.unpriced);
}

// A busy machine takes ten times as long, and the plan is the same; only what cannot end within the limit is left out.
static void the_plan_goes_by_counts_not_by_the_clock(void **state)
{
    (void)state;
    struct side_pass counted = piloted(0.001, 0.01), slow = piloted(0.01, 0.01);
    counted.reckoned_ns = slow.reckoned_ns = 0.01 * SECOND;
    counted.instructions = slow.instructions = 250000;
    side_plan(&counted, 20, 0.1 * SECOND);
    side_plan(&slow, 20, 0.1 * SECOND);
    assert_int_equal(counted.step,
                     32); // 32 times as much is 0.32 s, 64 times more than half a second
    assert_int_equal(slow.step, 32);
    // Three times what is expected, then it has gone astray.
    assert_int_equal(counted.request.budget_warp_instructions, 3 * 32 * 250000 + 100000);
    assert_true(counted.request.replay_steps > 0);
    assert_int_equal(counted.request.replay_steps, slow.request.replay_steps);
}

// bench/advice/second, topk: 32 blocks of 512 did not end within 2 s, and nothing was said of the kernel.
static void a_few_long_blocks_are_enough_to_plan_by(void **state)
{
    (void)state;
    struct side_pass few = piloted(0.3, 0.01);
    few.step = 128;
    few.pilot = 16;
    few.wanted = 1;
    assert_false(side_tries_more(&few, 2)); // 32 of them would take 2.4 s
    side_plan(&few, 2, 0.4 * SECOND);
    assert_int_equal(few.step, 128); // twice as many are more than a quarter of the limit
    few.took_ns = 0.07 * SECOND;
    assert_false(side_tries_more(&few, 2));
    few.took_ns = 0.06 * SECOND; // 32 of them half a second, a quarter of the limit
    assert_true(side_tries_more(&few, 2));
    few.step = few.pilot;
    assert_false(side_tries_more(&few, 2)); // those were more of them
}

static void large_buffers_are_filled_once(void **state)
{
    (void)state;
    struct side_pass large = piloted(0.005, 0.5);
    side_plan(&large, 2, 0.6 * SECOND);
    assert_int_equal(large.step, 16);
    assert_true(fabs(large.request.replay_s - (1.8 - 0.6 - 0.005 * 64)) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(result_without_counters_takes_the_simulated_ones),
        cmocka_unit_test(hardware_s_counters_stand_alone),
        cmocka_unit_test(barriers_and_turns_of_atomics_are_the_simulated_ones),
        cmocka_unit_test(other_code_does_not_make_blocks_unequal),
        cmocka_unit_test(a_sample_that_loads_other_than_the_gpu_is_said),
        cmocka_unit_test(stalls_and_lines_of_the_hardware_stay),
        cmocka_unit_test(replays_that_did_not_fit_are_said),
        cmocka_unit_test(as_many_blocks_run_as_time_allows),
        cmocka_unit_test(a_few_long_blocks_are_enough_to_plan_by),
        cmocka_unit_test(large_buffers_are_filled_once),
        cmocka_unit_test(the_plan_goes_by_counts_not_by_the_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
