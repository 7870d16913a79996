// Every class of bottleneck from counters made for it: that it is found, with what evidence, and what
// its fix is expected to bring. Bandwidth, divergence, tail and launch also stand in bounds_test.c.
// SPDX-License-Identifier: Apache-2.0
#include "diagnose/round_chip.h"

enum { ISSUE = 400, F32 = 12800, INTEGER = 6400, SPECIAL = 1600 }; // a nanosecond

static const struct finding *found(const char *part, enum finding_class class)
{
    diagnosed();
    const struct finding *f = finding_of(part);
    if (!f)
        fail_msg("nothing is found with '%s'", part);
    assert_int_equal(f->class, class);
    assert_true(f->fix && f->fix[0] && f->evidence_count > 0);
    return f;
}

static void not_found(const char *part)
{
    diagnosed();
    assert_null(finding_of(part));
}

static double evidence_of(const struct finding *f, const char *name)
{
    for (int i = 0; i < f->evidence_count; i++)
        if (strcmp(f->evidence[i].name, name) == 0)
            return f->evidence[i].figure.value;
    return (double)NAN;
}

/* ---- waiting ---------------------------------------------------------------------------------------- */

static void waiting_is_split_into_launch_tail_occupancy_and_dependency(void **state)
{
    (void)state;
    set(COUNTER_WARP_INSTRUCTIONS, ISSUE * 10000.0);
    set(COUNTER_OCCUPANCY_THEORETICAL_PCT, 40);
    set(COUNTER_OCCUPANCY_ACHIEVED_PCT, 30);
    set(COUNTER_WAVES, 4);
    diagnosed();
    assert_near(out.waiting.launch_ns, 2000);
    assert_near(out.waiting.tail_ns, 24500);       // a quarter of 98 us
    assert_near(out.waiting.occupancy_ns, 38100);  // 60 % of 98 - 10 - 24.5
    assert_near(out.waiting.dependency_ns, 25400); // the rest
    counters.figure[COUNTER_OCCUPANCY_ACHIEVED_PCT].provenance = PROVENANCE_ABSENT;
    in.grid_blocks = 160; // the last wave has 60 blocks for 100 SMs: 80 % of two
    set(COUNTER_WAVES, 1.6);
    diagnosed();
    assert_near(out.waiting.tail_ns, 19600);
    in.grid_blocks = 1600; // 600 blocks: every SM has work
    diagnosed();
    assert_near(out.waiting.tail_ns, 0);
    counters = (struct counters){0};
    diagnosed();
    assert_true(isnan(out.waiting.dependency_ns)); // no resource's work is known
}

static void few_warps_are_found_with_their_part_of_the_time(void **state)
{
    (void)state;
    set(COUNTER_WARP_INSTRUCTIONS, ISSUE * 10000.0);
    set(COUNTER_OCCUPANCY_THEORETICAL_PCT, 40);
    const struct finding *f = found("an SM holds 40 % of its warps", FINDING_OCCUPANCY);
    assert_near(f->expected_time_ns, 47200); // no more than its own waiting
    assert_near(evidence_of(f, "waiting_occupancy_ns"), 0.6 * 88000);
}

static void dependency_is_found_by_what_warps_wait_for(void **state)
{
    (void)state;
    struct time_breakdown model = {
        .valid = true, .waiting_memory_pct = 60, .waiting_barrier_pct = 5};
    double busy = 10000 / 0.86 + 2000;
    set(COUNTER_WARP_INSTRUCTIONS, ISSUE * 10000.0);
    set(COUNTER_OCCUPANCY_THEORETICAL_PCT, 100);
    set(COUNTER_BARRIERS, 1000);
    const struct finding *f = found("each instruction needs the one before", FINDING_LATENCY);
    assert_near(f->expected_time_ns, busy);
    assert_near(evidence_of(f, "waiting_dependency_ns"), 88000);
    set(COUNTER_GLOBAL_LOAD_REQUESTS, 1000);
    found("too few bytes are in flight", FINDING_LATENCY);
    in.time_model = &model;
    found("too few bytes are in flight", FINDING_LATENCY);
    model.waiting_barrier_pct = 20;
    found("then all wait at the barrier", FINDING_LATENCY);
    set(COUNTER_GLOBAL_LOAD_REQUESTS, 0); // no load of a thread's: bulk copies
    set(COUNTER_DRAM_READ_BYTES, 1000);
    found("for what bulk copies bring", FINDING_LATENCY);
    set(COUNTER_DRAM_READ_BYTES, 0);
    set(COUNTER_GLOBAL_LOAD_REQUESTS, 1000);
    model = (struct time_breakdown){.valid = true, .waiting_memory_pct = 5};
    found("each instruction needs the one before", FINDING_LATENCY);
    set(COUNTER_WARP_INSTRUCTIONS, ISSUE * 61000.0); // busy: nothing waits
    not_found("Warps wait");
}

static void unequal_blocks_are_found_by_the_warps_that_are_missing(void **state)
{
    (void)state;
    set(COUNTER_WARP_INSTRUCTIONS, ISSUE * 10000.0);
    set(COUNTER_OCCUPANCY_THEORETICAL_PCT, 100);
    set(COUNTER_WAVES, 4);
    set(COUNTER_OCCUPANCY_ACHIEVED_PCT, 71);
    not_found("unequal work");
    set(COUNTER_OCCUPANCY_ACHIEVED_PCT, 40);
    found("blocks may have unequal work", FINDING_TAIL); // nobody counted them one by one
    set(COUNTER_BLOCK_BALANCE_PCT, 99);                  // equal: it is not that, and no SM is idle
    not_found("unequal work");
    assert_near(out.waiting.tail_ns, 0);
    set(COUNTER_BLOCK_BALANCE_PCT, 25);
    const struct finding *f =
        found("Blocks have unequal work: the largest does 4.0 times the mean; 40 % of the warps",
              FINDING_TAIL);
    assert_near(f->expected_time_ns, 2000 + 0.4 * 98000);
    assert_near(evidence_of(f, "waiting_tail_ns"), 0.6 * 98000);
    set(COUNTER_WAVES, 1.25); // 62 % of two waves explain it: the tail
    set(COUNTER_OCCUPANCY_ACHIEVED_PCT, 60);
    not_found("unequal work");
    found("The last of 2 waves", FINDING_TAIL);
}

static void where_each_block_has_an_SM_the_largest_is_the_time(void **state)
{
    (void)state;
    set(COUNTER_WARP_INSTRUCTIONS, ISSUE * 10000.0);
    set(COUNTER_OCCUPANCY_THEORETICAL_PCT, 100);
    set(COUNTER_OCCUPANCY_ACHIEVED_PCT, 12);
    set(COUNTER_WAVES, 0.125);
    in.grid_blocks = 90; // of 100 SMs
    not_found("unequal work");
    set(COUNTER_BLOCK_BALANCE_PCT, 95);
    not_found("unequal work");
    set(COUNTER_BLOCK_BALANCE_PCT, 40);
    const struct finding *f =
        found("Blocks have unequal work: the largest does 2.5 times the mean, and each has an SM",
              FINDING_TAIL);
    assert_near(f->expected_time_ns, 2000 + 0.4 * 98000);
    in.grid_blocks = 110; // two of them are on one SM: what is large is not known
    not_found("an SM to itself");
    in.grid_blocks = 90;
    in.time_ns.value = 9000; // of which a launch takes 2000
    not_found("an SM to itself");
}

// 101 blocks of which an SM holds one, all equal: the last one is alone, and takes less time than a wave that shares the chip.
static void the_last_wave_takes_what_missing_warps_say(void **state)
{
    (void)state;
    set(COUNTER_WARP_INSTRUCTIONS, ISSUE * 10000.0);
    set(COUNTER_OCCUPANCY_THEORETICAL_PCT, 100);
    set(COUNTER_OCCUPANCY_ACHIEVED_PCT, 50.5);
    set(COUNTER_WAVES, 1.01);
    set(COUNTER_BLOCK_BALANCE_PCT, 100);
    in.grid_blocks = 101;
    const struct finding *f = found("The last of 2 waves", FINDING_TAIL);
    assert_near(f->expected_time_ns, 2000 + 0.505 * 98000); // as long as the first
    set(COUNTER_OCCUPANCY_ACHIEVED_PCT, 80);
    f = found("The last of 2 waves", FINDING_TAIL);
    assert_near(f->expected_time_ns, 2000 + 0.8 * 98000);
}

// Less than a wave, several blocks on an SM: nothing takes the places of those that end.
static void unequal_blocks_are_found_where_all_are_there_at_once(void **state)
{
    (void)state;
    set(COUNTER_WARP_INSTRUCTIONS, ISSUE * 10000.0);
    set(COUNTER_OCCUPANCY_THEORETICAL_PCT, 100);
    set(COUNTER_OCCUPANCY_ACHIEVED_PCT, 10);
    set(COUNTER_WAVES, 0.5);
    in.grid_blocks = 400; // of 8 * 100 places
    not_found("unequal work");
    set(COUNTER_BLOCK_BALANCE_PCT, 95); // the twin: equal
    not_found("unequal work");
    set(COUNTER_BLOCK_BALANCE_PCT, 20);
    const struct finding *f =
        found("Blocks have unequal work: the largest does 5.0 times the mean; 10 % of the warps "
              "are active on average, 50 % could be",
              FINDING_TAIL);
    assert_near(f->expected_time_ns, 2000 + 0.2 * 98000);
    set(COUNTER_OCCUPANCY_ACHIEVED_PCT, 45);
    not_found("unequal work");
    set(COUNTER_OCCUPANCY_ACHIEVED_PCT, 10);
    in.time_ns.value = 9000; // of which a launch takes 2000
    not_found("unequal work");
}

static void a_grid_smaller_than_the_chip_is_the_finding_and_occupancy_is_not(void **state)
{
    (void)state;
    set(COUNTER_WARP_INSTRUCTIONS, ISSUE * 10000.0);
    set(COUNTER_OCCUPANCY_THEORETICAL_PCT, 25);
    set(COUNTER_OCCUPANCY_ACHIEVED_PCT, 12);
    set(COUNTER_WAVES, 0.0625);
    in.grid_blocks = 50; // of 8 * 100 places
    const struct finding *f = found("The grid has 50 blocks for 100 SMs", FINDING_TAIL);
    assert_null(finding_of("Few warps"));
    assert_near(evidence_of(f, "grid_blocks"), 50);
    assert_near(out.waiting.occupancy_ns, 0);
    set(COUNTER_BLOCK_BALANCE_PCT, 100);
    f = found("The grid has 50 blocks for 100 SMs", FINDING_TAIL);
    assert_near(f->expected_time_ns, 51000); // half of 98 us
}

static void a_finding_without_waiting_of_its_own_is_silent(void **state)
{
    (void)state;
    set(COUNTER_WARP_INSTRUCTIONS, ISSUE * 50000.0);
    set(COUNTER_GLOBAL_LOAD_REQUESTS, 1000);
    set(COUNTER_OCCUPANCY_THEORETICAL_PCT, 100);
    set(COUNTER_OCCUPANCY_ACHIEVED_PCT, 40); // 58.8 us of the 48 that are left
    set(COUNTER_WAVES, 4);
    set(COUNTER_BLOCK_BALANCE_PCT, 40);
    found("unequal work", FINDING_TAIL);
    assert_near(out.waiting.dependency_ns, 0);
    assert_null(finding_of("Warps wait"));
    assert_string_equal(out.findings[0].title, finding_of("unequal work")->title);
}

static void what_if_knows_that_a_small_grid_gains_nothing_by_room(void **state)
{
    (void)state;
    struct whatif change = {-1, -1, -1, NULL};
    struct whatif_result w;
    chip.value[GPU_FIELD_warp_size] = 32;
    chip.value[GPU_FIELD_max_threads_per_block] = 1024;
    chip.value[GPU_FIELD_max_warps_per_sm] = 64;
    chip.value[GPU_FIELD_max_blocks_per_sm] = 32;
    chip.value[GPU_FIELD_barriers_per_sm] = 64;
    chip.value[GPU_FIELD_shared_bytes_per_sm] = 233472;
    chip.value[GPU_FIELD_registers_per_sm] = 65536;
    chip.value[GPU_FIELD_max_registers_per_thread] = 255;
    set(COUNTER_WARP_INSTRUCTIONS, ISSUE * 10000.0);
    set(COUNTER_BLOCK_THREADS, 256);
    set(COUNTER_REGISTERS_PER_THREAD, 128);
    change.registers_per_thread = 64; // twice the blocks fit
    if (!diagnose_whatif(&arena, &in, &change, &w, &err))
        fail_msg("%s", err.message);
    assert_true(w.after.warps_per_sm > w.before.warps_per_sm);
    assert_true(w.expected_time_ns < 90000);
    in.grid_blocks = 64;
    if (!diagnose_whatif(&arena, &in, &change, &w, &err))
        fail_msg("%s", err.message);
    assert_near(w.expected_time_ns, 100000);
}

static void launches_are_found_with_their_number(void **state)
{
    (void)state;
    set(COUNTER_WARP_INSTRUCTIONS, ISSUE * 1000.0);
    in.launches = 20;
    const struct finding *f = found("Starting the kernel is 40 %", FINDING_LAUNCH);
    assert_near(f->expected_time_ns, 60000);
    assert_near(evidence_of(f, "launches"), 20);
}

// Each leaves three quarters of the chip free, and none needs what another wrote: together they run side by side.
static void launches_that_do_not_fill_the_chip_are_run_together(void **state)
{
    (void)state;
    set(COUNTER_WARP_INSTRUCTIONS, ISSUE * 1000.0);
    set(COUNTER_WAVES, 0.25);
    in.launches = 20;
    const struct finding *f = found("Starting the kernel is 40 %", FINDING_LAUNCH);
    assert_near(f->expected_time_ns, 2000 + 60000 / 4.0);
}

/* ---- capacity ----------------------------------------------------------------------------------------- */

static void reuse_that_has_left_the_l2_is_capacity(void **state)
{
    (void)state;
    in.work_bytes = 9e6;                 // 10 us
    set(COUNTER_DRAM_READ_BYTES, 7.2e7); // 80 us
    set(COUNTER_GLOBAL_LOAD_SECTORS, 1e6);
    set(COUNTER_GLOBAL_LOAD_SECTORS_IDEAL, 1e6); // 3.6 times the bytes; 10 us of L2
    set(COUNTER_L2_READ_SECTORS, 1e6);
    set(COUNTER_L2_WRITE_SECTORS, 0);
    set(COUNTER_L2_ATOMIC_SECTORS, 0);
    set(COUNTER_L2_SECTORS_HIT, 0.61e6);
    not_found("has left the L2");
    assert_non_null(finding_of("Device memory is busy"));
    set(COUNTER_L2_SECTORS_HIT, 0.3e6);
    const struct finding *f = found("has left the L2: 30 % of its sectors hit, and device memory "
                                    "moves 8.0 times the bytes",
                                    FINDING_CAPACITY);
    assert_near(f->expected_time_ns, 30000);
    assert_null(finding_of("Device memory is busy")); // reported once
    in.work_bytes = 6e7;                              // hardly anything is read again
    not_found("has left the L2");
}

static void reuse_that_has_left_the_l1_is_capacity(void **state)
{
    (void)state;
    in.work_bytes = 9e6;
    set(COUNTER_GLOBAL_LOAD_SECTORS, 8e6); // 80 us of L2; 16 where 80 % hit L1
    set(COUNTER_GLOBAL_LOAD_SECTORS_IDEAL, 8e6);
    set(COUNTER_L1_LOAD_SECTORS_HIT, 0);
    const struct finding *f = found("has left the L1: each byte is loaded 28.4 times, and 0 % of "
                                    "the sectors hit",
                                    FINDING_CAPACITY);
    assert_near(f->expected_time_ns, 36000);
}

static void spilled_registers_are_capacity(void **state)
{
    (void)state;
    not_found("Local memory");
    set(COUNTER_WARP_INSTRUCTIONS, ISSUE * 10000.0);
    set(COUNTER_LOCAL_LOAD_SECTORS, 1.6e7); // 80 us of L1 together
    set(COUNTER_LOCAL_STORE_SECTORS, 1.6e7);
    set(COUNTER_REGISTERS_PER_THREAD, 255);
    const struct finding *f = found("a thread has 255 registers", FINDING_CAPACITY);
    assert_near(f->expected_time_ns, 30000);
}

/* ---- instructions --------------------------------------------------------------------------------------- */

static void busy_issue_slots_are_relieved_of_what_does_not_compute(void **state)
{
    (void)state;
    chip.value[GPU_FIELD_warp_size] = 32;
    set(COUNTER_WARP_INSTRUCTIONS, ISSUE * 59000.0);
    not_found("Issue slots");
    set(COUNTER_WARP_INSTRUCTIONS, ISSUE * 80000.0);
    set(COUNTER_FFMA_F32, F32 * 20000.0); // 8 M warp instructions: 20 of 80 us
    const struct finding *f = found("Issue slots are busy 80 % of the time", FINDING_INSTRUCTIONS);
    assert_near(f->expected_time_ns, 59800); // a third of the other 60 us stays
    assert_near(evidence_of(f, "bound_ns"), 80000);
}

static void busy_pipes_have_fixes_of_their_own(void **state)
{
    (void)state;
    set(COUNTER_WARP_INSTRUCTIONS, ISSUE * 10000.0);
    set(COUNTER_INTEGER_OPS, INTEGER * 80000.0);
    assert_near(found("The integer pipe is busy", FINDING_INSTRUCTIONS)->expected_time_ns, 46400);
    set(COUNTER_INTEGER_OPS, 0);
    set(COUNTER_SPECIAL_OPS, SPECIAL * 80000.0); // 60 us as polynomials
    assert_near(found("special-function unit is busy", FINDING_INSTRUCTIONS)->expected_time_ns,
                80000);
    set(COUNTER_SPECIAL_OPS, 0);
    set(COUNTER_FADD_F32, F32 * 40000.0);
    set(COUNTER_FMUL_F32, F32 * 40000.0);
    set(COUNTER_FFMA_F32, 0);
    assert_near(found("The f32 pipe is busy", FINDING_INSTRUCTIONS)->expected_time_ns, 60000);
    set(COUNTER_FADD_F32, 0);
    set(COUNTER_FLOPS_F64, F32 * 80000.0);
    const struct finding *f = found("The f64 pipe is busy 80 %", FINDING_INSTRUCTIONS);
    assert_near(f->expected_time_ns, 100000); // at its roof
    assert_true(f->folded);
}

static void busy_atomics_have_a_finding(void **state)
{
    (void)state;
    chip.value[GPU_FIELD_warp_size] = 32;
    struct line lines[] = {{.file = "k.cu", .line = 3, .instructions = 900},
                           {.file = "k.cu", .line = 7, .instructions = 100, .atomics = 100}};
    in.lines = lines;
    in.line_count = 2;
    set(COUNTER_WARP_INSTRUCTIONS, ISSUE * 10000.0);
    set(COUNTER_GLOBAL_ATOMIC_SECTORS, 2 * 59000.0);
    not_found("Atomics");
    set(COUNTER_GLOBAL_ATOMIC_SECTORS, 2 * 80000.0);
    const struct finding *f =
        found("Atomics on global memory are busy 80 % of the time", FINDING_BANDWIDTH);
    assert_int_equal(f->line, 7);
    assert_near(f->expected_time_ns, 30000); // 2.5 us of atomics, 10 of issue, the other 20 stay
    struct time_breakdown model = {.valid = true}; // in one place, where one at a time gets through
    model.busy_ns[BREAKDOWN_ATOMIC] = 90000;
    in.time_model = &model;
    set(COUNTER_GLOBAL_ATOMIC_SECTORS, 2 * 10000.0);
    f = found("Atomics on global memory are busy 90 % of the time", FINDING_BANDWIDTH);
    assert_near(f->expected_time_ns, 20000);
}

static void busy_shared_memory_and_l1_have_a_finding_without_a_bad_pattern(void **state)
{
    (void)state;
    set(COUNTER_WARP_INSTRUCTIONS, ISSUE * 10000.0);
    set(COUNTER_SHARED_LOAD_REQUESTS, 4e6);
    set(COUNTER_SHARED_LOAD_WAVEFRONTS, 4e6); // 80 us
    set(COUNTER_SHARED_LOAD_WAVEFRONTS_IDEAL, 4e6);
    set(COUNTER_SHARED_STORE_WAVEFRONTS, 0);
    set(COUNTER_SHARED_STORE_WAVEFRONTS_IDEAL, 0);
    const struct finding *f = found("Shared memory is busy 80 % of the time, without bank "
                                    "conflicts",
                                    FINDING_BANDWIDTH);
    assert_near(f->expected_time_ns, 60000);        // 40 us of wavefronts less
    set(COUNTER_SHARED_LOAD_WAVEFRONTS_IDEAL, 2e6); // conflicts: that finding says how
    not_found("without bank conflicts");
    assert_non_null(finding_of("banks conflict"));
    set(COUNTER_SHARED_LOAD_REQUESTS, 0);
    set(COUNTER_SHARED_LOAD_WAVEFRONTS, 0);
    set(COUNTER_SHARED_LOAD_WAVEFRONTS_IDEAL, 0);
    set(COUNTER_GLOBAL_LOAD_REQUESTS, 8e6);
    set(COUNTER_GLOBAL_LOAD_LINES, 8e6); // 80 us of L1
    set(COUNTER_GLOBAL_LOAD_SECTORS, 8e6);
    set(COUNTER_GLOBAL_LOAD_SECTORS_IDEAL, 8e6);
    set(COUNTER_L1_LOAD_SECTORS_HIT, 8e6);
    f = found("The L1 is busy 80 % of the time", FINDING_BANDWIDTH);
    assert_near(f->expected_time_ns, 60000);
    set(COUNTER_GLOBAL_LOAD_SECTORS_IDEAL, 1e6); // uncoalesced: reported there
    not_found("The L1 is busy");
}

static void f64_work_on_data_without_any_is_found_at_its_line(void **state)
{
    (void)state;
    struct line lines[] = {{.file = "k.cu", .line = 3, .flops = 900},
                           {.file = "k.cu", .line = 7, .flops = 100, .flops_f64 = 100}};
    in.lines = lines;
    in.line_count = 2;
    set(COUNTER_WARP_INSTRUCTIONS, ISSUE * 10000.0);
    set(COUNTER_FLOPS_F64, F32 * 80000.0);
    not_found("f64 arithmetic on data"); // not known whether any are f64
    in.data_without_f64 = true;
    const struct finding *f = found("f64 arithmetic on data without f64", FINDING_INSTRUCTIONS);
    assert_int_equal(f->line, 7);
    assert_near(f->expected_time_ns, 60000); // the f32 pipe takes half as long: FMAs at 128 a cycle
    assert_null(finding_of("The f64 pipe is busy"));
    set(COUNTER_FLOPS_F64, 0);
    not_found("f64 arithmetic on data");
}

/* ---- around the kernels ------------------------------------------------------------------------------------ */

static void copies_are_found_and_expected_at_the_rate_of_the_link_and_overlapped(void **state)
{
    (void)state;
    chip.value[GPU_FIELD_host_link_gbps] = 50;
    in.transfers = (struct transfers){.h2d_ns = 40000,
                                      .d2h_ns = 30000,
                                      .h2d_bytes = 1e6,
                                      .d2h_bytes = 5e5,
                                      .provenance = PROVENANCE_MEASURED};
    const struct finding *f = found("Copies between host and device are 70 % of the time, at 21.4 "
                                    "of the link's 50.0 GB/s",
                                    FINDING_TRANSFER);
    assert_non_null(strstr(f->fix, "Pin"));
    assert_near(f->expected_time_ns,
                30000); // the kernels; the copies take 20 and 10 us beside them
    assert_near(evidence_of(f, "h2d_ns"), 40000);
    assert_int_equal(f->evidence[0].figure.provenance, PROVENANCE_MEASURED);
    assert_string_equal(out.limiter, "link");
    assert_near(bound_ns(RESOURCE_LINK), 20000);
    in.transfers.h2d_bytes = 2e6; // as fast as the link is
    in.transfers.d2h_bytes = 1.5e6;
    f = found("one after the other with the kernels", FINDING_TRANSFER);
    assert_null(strstr(f->fix, "Pin"));
    assert_near(f->expected_time_ns, 40000);
    in.transfers.h2d_ns = 9000;
    in.transfers.d2h_ns = 0;
    not_found("Copies");
}

static void kernels_are_diagnosed_without_the_copies_around_them(void **state)
{
    (void)state;
    in.transfers = (struct transfers){.h2d_ns = 50000, .h2d_bytes = 5e4};
    set(COUNTER_INTEGER_OPS, INTEGER * 40000.0);
    set(COUNTER_WARP_INSTRUCTIONS, ISSUE * 10000.0);
    const struct finding *f = found("The integer pipe is busy 80 %", FINDING_INSTRUCTIONS);
    assert_near(f->expected_time_ns, 73200); // 50 of copies, 23.2 of kernels
    assert_string_equal(out.limiter, "integer");
    assert_non_null(strstr(out.limiter_why, "80 % of the kernels' time"));
    in.transfers.h2d_ns = 100000;
    assert_false(diagnose(&arena, &in, &out, &err));
}

static void exchanges_with_other_gpus_are_found(void **state)
{
    (void)state;
    in.transfers = (struct transfers){.peer_ns = 40000, .provenance = PROVENANCE_MEASURED};
    const struct finding *f = found("other GPUs are 40 % of the time", FINDING_COMMUNICATION);
    assert_near(f->expected_time_ns, 60000);
    in.transfers.peer_ns = 9000;
    not_found("other GPUs");
}

static void slow_clocks_are_found_where_a_reason_is_known(void **state)
{
    (void)state;
    set(COUNTER_DRAM_READ_BYTES, 900 * 18000.0);
    in.state = (struct clock_state){.sm_mhz = 500, .power_w = 700, .throttled = "power limit"};
    const struct finding *f = found("The chip ran at 500 of 1000 MHz: power limit", FINDING_POWER);
    assert_near(f->expected_time_ns, 60000); // 18 us of memory and 2 of launch stay
    assert_near(evidence_of(f, "power_w"), 700);
    assert_true(isnan(evidence_of(f, "temperature_c"))); // not known: no evidence
    in.state.throttled = "heat";
    f = found("of 1000 MHz: heat", FINDING_POWER);
    assert_non_null(strstr(f->fix, "Cool"));
    in.state.throttled = NULL; // slow for want of work
    not_found("The chip ran");
    in.state = (struct clock_state){.sm_mhz = 980, .throttled = "power limit"};
    not_found("The chip ran");
}

static void every_class_has_a_name_of_its_own(void **state)
{
    (void)state;
    for (int i = 0; i < FINDING_CLASS_COUNT; i++)
        for (int k = 0; k < i; k++)
            assert_string_not_equal(finding_class_name((enum finding_class)i),
                                    finding_class_name((enum finding_class)k));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(waiting_is_split_into_launch_tail_occupancy_and_dependency),
        TEST(few_warps_are_found_with_their_part_of_the_time),
        TEST(dependency_is_found_by_what_warps_wait_for),
        TEST(unequal_blocks_are_found_by_the_warps_that_are_missing),
        TEST(where_each_block_has_an_SM_the_largest_is_the_time),
        TEST(the_last_wave_takes_what_missing_warps_say),
        TEST(unequal_blocks_are_found_where_all_are_there_at_once),
        TEST(a_grid_smaller_than_the_chip_is_the_finding_and_occupancy_is_not),
        TEST(a_finding_without_waiting_of_its_own_is_silent),
        TEST(what_if_knows_that_a_small_grid_gains_nothing_by_room),
        TEST(launches_are_found_with_their_number),
        TEST(launches_that_do_not_fill_the_chip_are_run_together),
        TEST(reuse_that_has_left_the_l2_is_capacity),
        TEST(reuse_that_has_left_the_l1_is_capacity),
        TEST(spilled_registers_are_capacity),
        TEST(busy_issue_slots_are_relieved_of_what_does_not_compute),
        TEST(busy_pipes_have_fixes_of_their_own),
        TEST(busy_atomics_have_a_finding),
        TEST(busy_shared_memory_and_l1_have_a_finding_without_a_bad_pattern),
        TEST(f64_work_on_data_without_any_is_found_at_its_line),
        TEST(copies_are_found_and_expected_at_the_rate_of_the_link_and_overlapped),
        TEST(kernels_are_diagnosed_without_the_copies_around_them),
        TEST(exchanges_with_other_gpus_are_found),
        TEST(slow_clocks_are_found_where_a_reason_is_known),
        TEST(every_class_has_a_name_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
