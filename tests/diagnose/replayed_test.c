// Findings of replayed kernels, from facts and replays made for it: what is ranked first, which price is taken.
// SPDX-License-Identifier: Apache-2.0
#include "diagnose/round_chip.h"

static struct facts facts;
static struct stall_table stalls;
static struct counterfactuals replays;

static void replay(enum intervention i, double time_ns)
{
    replays.time_ns[i] = (struct figure){time_ns, PROVENANCE_MODELLED};
}

// A kernel of 100 us that waits for memory with a load at a time.
static int kernel(void **state)
{
    int done = setup(state);
    facts = (struct facts){.known = true, .provenance = PROVENANCE_SIMULATED};
    facts.value[FACT_LOADS] = facts.value[FACT_LOADS_BATCHED] = facts.value[FACT_LOAD_BATCHES] =
        100;
    stalls = (struct stall_table){0};
    stalls.warp_cycles[STALL_LONG_SCOREBOARD] = (struct figure){80, PROVENANCE_MODELLED};
    stalls.warp_cycles[STALL_SELECTED] = (struct figure){20, PROVENANCE_MODELLED};
    replays = (struct counterfactuals){0};
    replays.as_is_ns = (struct figure){100000, PROVENANCE_MODELLED};
    in.facts = &facts;
    in.stalls = &stalls;
    in.counterfactuals = &replays;
    set(COUNTER_WARP_INSTRUCTIONS, 400 * 1000.0);
    set(COUNTER_GLOBAL_LOAD_REQUESTS, 1000);
    return done;
}

static const char *first(void)
{
    diagnosed();
    assert_true(out.finding_count > 0);
    return out.findings[0].cause;
}

static const struct finding *finding_named(const char *cause)
{
    for (int i = 0; i < out.finding_count; i++)
        if (strcmp(out.findings[i].cause, cause) == 0)
            return &out.findings[i];
    fail_msg("no finding names %s", cause);
    return NULL;
}

static void accesses_are_narrow(void)
{
    set(COUNTER_GLOBAL_LOAD_SECTORS, 4000);
    set(COUNTER_GLOBAL_LOAD_SECTORS_IDEAL, 4000);
    set(COUNTER_GLOBAL_STORE_SECTORS, 100);
    set(COUNTER_GLOBAL_STORE_SECTORS_IDEAL, 100);
    set(COUNTER_GLOBAL_STORE_REQUESTS, 25);
    set(COUNTER_GLOBAL_LOAD_REQUESTS, 40000);
    facts.value[FACT_ACCESS_BYTES] = 400;
    facts.value[FACT_ACCESSES] = 100;
}

static void loads_in_vain_come_before_few_loads(void **state)
{
    (void)state;
    replay(INTERVENTION_LOADS, 60000);
    replay(INTERVENTION_BLOCK_RELOADS, 75000);
    assert_string_equal(first(), "few-loads"); // nobody reads again
    facts.value[FACT_LOADS_AGAIN_BLOCK] = 60;
    assert_string_equal(first(), "block-reuse"); // more than half of what few loads promise
    assert_near(out.findings[1].expected_time_ns, 60000);
    replay(INTERVENTION_BLOCK_RELOADS, 90000);
    assert_string_equal(first(), "few-loads");
}

static void what_promises_less_than_counts_as_a_gain_is_no_advice(void **state)
{
    (void)state;
    facts.value[FACT_LOADS_AGAIN_BLOCK] = 60;
    replay(INTERVENTION_LOADS, 98000);
    replay(INTERVENTION_BLOCK_RELOADS, 96000);
    diagnosed();
    assert_true(finding_named("block-reuse")->folded);
    replay(INTERVENTION_BLOCK_RELOADS, 94000);
    diagnosed();
    assert_false(finding_named("block-reuse")->folded);
    replay(INTERVENTION_BLOCK_RELOADS, 96000); // beside one that promises more
    replay(INTERVENTION_LOADS, 60000);
    assert_string_equal(first(), "few-loads");
    assert_false(finding_named("block-reuse")->folded);
}

// The GPU took 100 us. What it took longer than the model goes with the cause, but for waiting that more loads do as well.
static void what_a_gpu_takes_longer_goes_with_the_cause(void **state)
{
    (void)state;
    replays.as_is_ns.value = 80000;
    replay(INTERVENTION_LOADS, 48000); // 60 % are left
    assert_string_equal(first(), "few-loads");
    assert_near(out.findings[0].expected_time_ns, 60000); // a model's time has no excess
    in.time_ns.provenance = PROVENANCE_MEASURED;
    diagnosed();
    assert_near(out.findings[0].expected_time_ns, 60000);
    facts.value[FACT_LOADS_AGAIN_BLOCK] = 60;
    replay(INTERVENTION_BLOCK_RELOADS, 48000);
    assert_string_equal(first(), "block-reuse");
    assert_near(out.findings[0].expected_time_ns, 48000);
    replay(INTERVENTION_LOADS, 80000);
    replay(INTERVENTION_BLOCK_RELOADS, 76000); // 95 %: no gain becomes more than twice itself
    diagnosed();
    assert_near(out.findings[0].expected_time_ns, 90000);
    replays.as_is_ns.value = 121000; // the model takes longer: between 60 us and what it has
    replay(INTERVENTION_LOADS, 121000);
    replay(INTERVENTION_BLOCK_RELOADS, 72600);
    diagnosed();
    assert_near(out.findings[0].expected_time_ns, 66000);
    replay(INTERVENTION_BLOCK_RELOADS, 110000); // … and no more than all of the time
    diagnosed();
    assert_true(finding_of("other threads of the block")->folded);
    assert_near(finding_of("other threads of the block")->expected_time_ns, 100000);
    replays.as_is_ns.value = 40000;
    replay(INTERVENTION_LOADS, 40000);
    replay(INTERVENTION_BLOCK_RELOADS, 24000);
    diagnosed();
    assert_near(out.findings[0].expected_time_ns, 24000);
    replays.as_is_ns.value = 20000; // less than a quarter: a model of something else
    replay(INTERVENTION_LOADS, 20000);
    replay(INTERVENTION_BLOCK_RELOADS, 12000);
    diagnosed();
    assert_near(out.findings[0].expected_time_ns, 60000);
}

// bench/advice/twelfth, trisoft: the mean row does half of the last one's work, and of the sample's time the GPU took 1.7 times as much:
// that is of longer rows, and no one's who loads less.
static void what_unequal_blocks_take_longer_is_theirs(void **state)
{
    (void)state;
    in.time_ns.provenance = PROVENANCE_MEASURED;
    replays.as_is_ns.value = 60000;
    replay(INTERVENTION_LOADS, 60000);
    replay(INTERVENTION_RELOADS, 42000); // 70 %
    facts.value[FACT_LOADS_AGAIN] = 60;
    set(COUNTER_BLOCK_BALANCE_PCT, 100);
    assert_string_equal(first(), "read-again");
    assert_near(out.findings[0].expected_time_ns, 42000);
    set(COUNTER_BLOCK_BALANCE_PCT, 50);
    diagnosed();
    assert_near(finding_of("had loaded or stored before")->expected_time_ns, 70000);
    replays.as_is_ns.value = 121000; // a model that takes longer has none of it
    replay(INTERVENTION_RELOADS, 72600);
    diagnosed();
    assert_near(finding_of("had loaded or stored before")->expected_time_ns, 66000);
}

// bench/advice/fourth, trimmed: an array that the driver's code has in registers, modelled as local memory, at seven times the time.
static void a_model_of_something_else_prices_nothing(void **state)
{
    (void)state;
    in.time_ns.provenance = PROVENANCE_MEASURED;
    set(COUNTER_LANES_ACTIVE_PCT, 50);
    set(COUNTER_WARP_INSTRUCTIONS, 90000 * 400.0);
    replays.as_is_ns.value = 700000;
    replay(INTERVENTION_LOADS, 200000);
    replay(INTERVENTION_IDLE_LANES, 690000);
    assert_string_equal(first(), "divergence");
    assert_int_equal(out.findings[0].price, PRICE_BOUNDS);
    assert_true(finding_of("in flight before")->folded);
    replays.as_is_ns.value = 300000; // the twin: three times as long, so its replays price
    set(COUNTER_WARP_INSTRUCTIONS, 20000 * 400.0);
    replay(INTERVENTION_LOADS, 90000);
    replay(INTERVENTION_IDLE_LANES, 298000);
    assert_string_equal(first(), "few-loads");
    assert_int_equal(out.findings[0].price, PRICE_REPLAY);
    replay(INTERVENTION_LOCAL, 80000); // … but the GPU counted no access to the array
    set(COUNTER_LOCAL_LOAD_SECTORS, 0);
    diagnosed();
    assert_true(finding_of("in flight before")->folded);
    set(COUNTER_LOCAL_LOAD_SECTORS, 1000);
    diagnosed();
    assert_false(finding_of("in flight before")->folded);
    set(COUNTER_LOCAL_LOAD_SECTORS,
        0); // an array that takes 5 % of the model's time is no other code
    replay(INTERVENTION_LOCAL, 285000);
    diagnosed();
    assert_false(finding_of("in flight before")->folded);
}

// bench/advice/eighth, kinetics: bounds of 1024 threads leave 64 registers, and half of the state is spilled. PTX knows nothing of it.
static void spills_cost_what_a_gpu_takes_longer(void **state)
{
    (void)state;
    in.time_ns.provenance = PROVENANCE_MEASURED;
    replays.as_is_ns.value = 30000;
    set(COUNTER_GLOBAL_LOAD_SECTORS, 4000);
    set(COUNTER_GLOBAL_STORE_SECTORS, 1000);
    set(COUNTER_LOCAL_LOAD_SECTORS, 5000);
    set(COUNTER_LOCAL_STORE_SECTORS, 1000);
    assert_string_equal(first(), "local-memory");
    assert_near(out.findings[0].expected_time_ns, 30000);
    set(COUNTER_LOCAL_LOAD_SECTORS, 3000); // not most of what is accessed
    diagnosed();
    assert_true(finding_of("Local memory is used")->folded);
    replay(INTERVENTION_LOCAL, 29000); // an array beside it, which has its replay
    diagnosed();
    assert_near(finding_of("Local memory is used")->expected_time_ns, 100000 - 2 * 100000 / 30.0);
}

// bench/advice/thirteenth, sha1w: 80 words of each thread do not fit into the caches. The GPU takes twice the model's time, all of it
// for them.
static void arrays_that_move_most_have_all_that_a_gpu_takes_longer(void **state)
{
    (void)state;
    in.time_ns.provenance = PROVENANCE_MEASURED;
    replays.as_is_ns.value = 50000;
    replay(INTERVENTION_LOCAL, 40000);
    set(COUNTER_GLOBAL_LOAD_SECTORS, 4000);
    set(COUNTER_GLOBAL_STORE_SECTORS, 1000);
    set(COUNTER_LOCAL_LOAD_SECTORS, 5000);
    set(COUNTER_LOCAL_STORE_SECTORS, 1000);
    assert_string_equal(first(), "local-memory");
    assert_near(out.findings[0].expected_time_ns, 40000);
    set(COUNTER_LOCAL_LOAD_SECTORS, 3000); // the twin moves more for other things
    diagnosed();
    assert_near(finding_of("Local memory is used")->expected_time_ns, 60000);
    set(COUNTER_LOCAL_LOAD_SECTORS, 5000);
    in.time_ns.provenance = PROVENANCE_MODELLED; // a model's time has no excess
    diagnosed();
    assert_near(finding_of("Local memory is used")->expected_time_ns, 80000);
    in.time_ns.provenance = PROVENANCE_MEASURED;
    replays.as_is_ns.value = 20000; // a model of something else
    replay(INTERVENTION_LOCAL, 16000);
    diagnosed();
    assert_near(finding_of("Local memory is used")->expected_time_ns, 80000);
}

// bench/advice/thirteenth, norm256: a block adds up 256 numbers, one a thread. The counted passes are of its steps, most of them by
// warps without lanes, and blocks of several numbers a thread have as many fewer. Steps of a block that each loads for remain.
static void elements_of_a_thread_leave_fewer_steps(void **state)
{
    (void)state;
    chip.value[GPU_FIELD_warp_size] = 32;
    in.time_ns.provenance = PROVENANCE_MEASURED;
    in.grid_blocks = 1000;
    set(COUNTER_BLOCK_THREADS, 256);
    set(COUNTER_BARRIERS, 9 * 8000);
    set(COUNTER_GLOBAL_LOAD_REQUESTS, 8000);
    set(COUNTER_GLOBAL_LOAD_SECTORS, 32000);
    set(COUNTER_GLOBAL_STORE_SECTORS_IDEAL, 1000);
    set(COUNTER_SHARED_LOAD_REQUESTS, 16 * 8000);
    set(COUNTER_WARP_INSTRUCTIONS, 80000 * 400.0);
    replay(INTERVENTION_LOADS, 30000);
    diagnosed();
    assert_near(finding_of("in flight before")->expected_time_ns, 30000);
    set(COUNTER_GLOBAL_STORE_SECTORS_IDEAL,
        32000); // the twin keeps a result for each: it does not add up
    diagnosed();
    assert_near(finding_of("in flight before")->expected_time_ns, 80000);
}

// bench/advice/thirteenth, anymat: entries of a matrix that each turn loads again; what stays in registers needs no second result.
static void loads_again_come_before_registers_for_results(void **state)
{
    (void)state;
    set(COUNTER_SHARED_LOAD_REQUESTS, 80 * 1000.0);
    replay(INTERVENTION_SHARED_LOADS, 60000);
    replay(INTERVENTION_RELOADS, 75000);
    assert_string_equal(first(), "register-reuse");
    facts.value[FACT_LOADS_AGAIN] = 60;
    assert_string_equal(first(), "read-again"); // over half of it
    replay(INTERVENTION_RELOADS, 85000);
    assert_string_equal(first(), "register-reuse");
}

// bench/advice/fourth, means: 82 % of the time are L1 work by the GPU's counters, which waiting less leaves as it is.
static void what_only_waits_less_leaves_the_counted_work(void **state)
{
    (void)state;
    in.time_ns.provenance = PROVENANCE_MEASURED;
    replay(INTERVENTION_LOADS, 30000);
    assert_string_equal(first(), "few-loads");
    assert_near(out.findings[0].expected_time_ns, 30000);
    set(COUNTER_WARP_INSTRUCTIONS, 80000 * 400.0);
    diagnosed();
    assert_near(finding_of("in flight before")->expected_time_ns, 80000);
    set(COUNTER_WARP_INSTRUCTIONS,
        120000 * 400.0); // more than there was time for: that rate does not hold
    diagnosed();
    assert_near(finding_of("in flight before")->expected_time_ns, 30000);
    set(COUNTER_WARP_INSTRUCTIONS, 80000 * 400.0); // a model's replay has its work in it
    in.time_ns.provenance = PROVENANCE_MODELLED;
    diagnosed();
    assert_near(finding_of("in flight before")->expected_time_ns, 30000);
}

// bench/advice/eighth, hamming: the integer pipe is busy for all of the time by the GPU's counters. Wider accesses leave that, but for
// addresses; neither they nor more loads explain what fewer operations gain.
static void wider_accesses_leave_the_counted_arithmetic(void **state)
{
    (void)state;
    accesses_are_narrow();
    in.time_ns.provenance = PROVENANCE_MEASURED;
    replay(INTERVENTION_LOADS, 100000);
    replay(INTERVENTION_BYTES, 60000);
    assert_string_equal(first(), "narrow");
    assert_near(out.findings[0].expected_time_ns, 60000);
    set(COUNTER_INTEGER_OPS, 95000 * 6400.0);
    facts.value[FACT_SLOTS] = 100;
    facts.value[FACT_SLOTS_INDEX] = 10;
    assert_string_equal(first(), "busy");
    assert_near(finding_of("are narrow")->expected_time_ns, 0.9 * 95000);
    facts.value[FACT_SLOTS_INDEX] =
        30; // explains a third of 95 us, and that is over half of what fewer operations gain
    assert_string_equal(first(), "narrow");
    assert_null(finding_of("integer pipe"));
}

// bench/advice/twelfth, hexenc: two stores of a byte each write half of their sectors, at 25 a nanosecond. One of both writes whole
// ones, half as many at 50.
static void wider_stores_write_whole_sectors(void **state)
{
    (void)state;
    accesses_are_narrow();
    in.time_ns.provenance = PROVENANCE_MEASURED;
    set(COUNTER_L1_LOAD_SECTORS_HIT, 0);
    set(COUNTER_GLOBAL_STORE_SECTORS, 1500 * 1000.0);
    set(COUNTER_GLOBAL_STORE_SECTORS_IDEAL, 750 * 1000.0);
    replay(INTERVENTION_LOADS, 100000);
    replay(INTERVENTION_BYTES, 10000);
    assert_string_equal(first(), "narrow");
    assert_near(bound_ns(RESOURCE_L2), 1500 * 1000 / 25.0 + 4000 / 100.0);
    assert_near(out.findings[0].expected_time_ns, 750 * 1000 / 50.0 + 4000 / 100.0);
}

// bench/advice/twelfth, md5: sixteen words that a loop looks up one of are registers on an H200, which executes twice what was simulated.
static void arrays_in_registers_are_looked_through(void **state)
{
    (void)state;
    in.time_ns.provenance = PROVENANCE_MEASURED;
    facts.value[FACT_SLOTS] = 20000 * 400.0;
    replays.as_is_ns.value = 50000;
    replay(INTERVENTION_LOADS, 10000);
    replay(INTERVENTION_LOCAL, 40000);
    set(COUNTER_LOCAL_LOAD_SECTORS, 0);
    set(COUNTER_LOCAL_STORE_SECTORS, 0);
    set(COUNTER_WARP_INSTRUCTIONS, 40000 * 400.0);
    assert_string_equal(first(), "local-memory");
    assert_near(out.findings[0].expected_time_ns, 40000);
    assert_non_null(finding_of("is kept in registers: each access selects"));
    set(COUNTER_WARP_INSTRUCTIONS, 24000 * 400.0); // the twin: as many as were simulated
    diagnosed();
    assert_null(finding_of("is kept in registers"));
    set(COUNTER_WARP_INSTRUCTIONS, 40000 * 400.0);
    set(COUNTER_LOCAL_LOAD_SECTORS, 1000); // … or in local memory
    diagnosed();
    assert_null(finding_of("is kept in registers"));
}

// bench/advice/eighth, cenergy: a loop over 8 KB of constants took an H200 6.7 times as long as one over the same in global memory.
static void a_long_table_is_no_constant(void **state)
{
    (void)state;
    chip.value[GPU_FIELD_constant_cache_bytes] = 2048;
    facts.value[FACT_LOADS_UNIFORM] = 100;
    set(COUNTER_GRID_BLOCKS, 1000);
    facts.value[FACT_ONE_WORD_SECTORS] = 1000 * 64; // 2 KB a block
    replay(INTERVENTION_LOADS, 99000);
    replay(INTERVENTION_UNIFORM, 60000);
    assert_string_equal(first(), "uniform");
    facts.value[FACT_ONE_WORD_SECTORS] = 1000 * 65;
    diagnosed();
    assert_null(finding_of("one word for all lanes"));
    chip.value[GPU_FIELD_constant_cache_bytes] = (double)NAN; // nobody knows of that chip
    assert_string_equal(first(), "uniform");
}

static void one_load_before_a_tree_of_barriers_is_few_loads(void **state)
{
    (void)state;
    stalls.warp_cycles[STALL_LONG_SCOREBOARD].value = 20;
    stalls.warp_cycles[STALL_BARRIER] = (struct figure){60, PROVENANCE_MODELLED};
    replay(INTERVENTION_LOADS, 50000);
    assert_string_equal(first(), "few-loads");
    replay(INTERVENTION_LOADS, 95000);
    diagnosed();
    assert_null(finding_of("in flight before"));
}

static void a_row_per_thread_is_priced_as_shared_out(void **state)
{
    (void)state;
    set(COUNTER_GLOBAL_LOAD_SECTORS, 32000);
    set(COUNTER_GLOBAL_LOAD_SECTORS_IDEAL, 4000);
    replay(INTERVENTION_SECTORS, 70000);
    assert_string_equal(first(), "uncoalesced");
    assert_near(out.findings[0].expected_time_ns, 70000);
    assert_null(strstr(out.findings[0].fix, "row"));
    replay(INTERVENTION_ROWS, 5000);
    assert_string_equal(first(), "uncoalesced");
    assert_near(out.findings[0].expected_time_ns, 5000);
    assert_non_null(strstr(out.findings[0].fix, "neighbouring elements")); // nothing is added up
    facts.value[FACT_ROW_SUMS] = 1;
    diagnosed();
    assert_non_null(strstr(out.findings[0].fix, "Give each row"));
}

static void a_grid_is_shared_out_after_its_threads_do_less(void **state)
{
    (void)state;
    in.grid_blocks = 60; // for 100 SMs
    set(COUNTER_WAVES, 0.6);
    facts.value[FACT_SLOTS] = 100;
    replay(INTERVENTION_SPLIT, 30000);
    assert_string_equal(first(), "small-grid");
    assert_near(out.findings[0].expected_time_ns, 30000);
    assert_non_null(strstr(out.findings[0].fix, "part of each thread's sum"));
    facts.value[FACT_SLOTS_FUNCTION] = 60;
    replay(INTERVENTION_FUNCTIONS, 60000); // more than half of what sharing out gains
    assert_string_equal(first(), "special");
    assert_string_equal(out.findings[1].cause, "small-grid");
    replay(INTERVENTION_FUNCTIONS, 80000);
    assert_string_equal(first(), "small-grid");
    replay(INTERVENTION_FUNCTIONS, 50000);
    replay(INTERVENTION_SPLIT, 20000); // more than twice as fast
    assert_string_equal(first(), "small-grid");
    in.grid_blocks =
        40; // half of the SMs are idle: what makes threads do less has to be worth as much
    set(COUNTER_WAVES, 0.4);
    replay(INTERVENTION_SPLIT, 30000);
    assert_string_equal(first(), "small-grid");
    replay(INTERVENTION_FUNCTIONS, 29000);
    assert_string_equal(first(), "special");
}

// A block's steps within warps: without the barriers, and without the lanes beside them.
static void steps_at_barriers_are_priced_within_warps(void **state)
{
    (void)state;
    stalls.warp_cycles[STALL_LONG_SCOREBOARD].value = 20;
    stalls.warp_cycles[STALL_BARRIER] = (struct figure){60, PROVENANCE_MODELLED};
    set(COUNTER_BLOCK_THREADS, 256);
    set(COUNTER_BARRIERS, 1000.0 * 256 * 8);
    replay(INTERVENTION_BARRIERS, 80000);
    replay(INTERVENTION_STEPS, 50000);
    assert_string_equal(first(), "barrier");
    assert_near(out.findings[0].expected_time_ns, 50000);
    set(COUNTER_BARRIERS, 1000.0 * 8 * 2); // two of a warp
    diagnosed();
    assert_near(out.findings[0].expected_time_ns, 80000);
}

static void behind(enum stall s, double cycles)
{
    stalls.warp_cycles[s] = (struct figure){cycles, PROVENANCE_MODELLED};
}

// A tree makes steps: a load or two from shared memory for each store, a barrier, and again. A tile is loaded from often.
static void steps_at_barriers_come_before_few_loads(void **state)
{
    (void)state;
    behind(STALL_BARRIER, 60);
    set(COUNTER_BLOCK_THREADS, 256);
    set(COUNTER_BARRIERS, 1000.0 * 256 * 8);
    set(COUNTER_SHARED_LOAD_REQUESTS, 2000);
    set(COUNTER_SHARED_STORE_REQUESTS, 1000);
    replay(INTERVENTION_LOADS, 50000);
    replay(INTERVENTION_BARRIERS, 80000);
    assert_string_equal(first(), "barrier");
    set(COUNTER_SHARED_LOAD_REQUESTS, 8000); // the twin: a tile
    assert_string_equal(first(), "few-loads");
    set(COUNTER_SHARED_LOAD_REQUESTS, 2000);
    replay(INTERVENTION_BARRIERS, 90000); // steps that explain a fifth of it
    assert_string_equal(first(), "few-loads");
}

static void lanes_that_idle_come_before_few_loads_and_chains(void **state)
{
    (void)state;
    set(COUNTER_LANES_ACTIVE_PCT, 40);
    replay(INTERVENTION_LOADS, 50000);
    replay(INTERVENTION_IDLE_LANES, 70000);
    assert_string_equal(first(), "divergence");
    replay(INTERVENTION_IDLE_LANES, 80000);
    assert_string_equal(first(), "few-loads");
    behind(STALL_WAIT, 100);
    behind(STALL_SHORT_SCOREBOARD, 0);
    replay(INTERVENTION_LOADS, 99000);
    replay(INTERVENTION_CHAINS, 50000);
    replay(INTERVENTION_IDLE_LANES, 70000);
    assert_string_equal(first(), "divergence");
    set(COUNTER_LANES_ACTIVE_PCT, 100); // the twin
    assert_string_equal(first(), "chain");
}

// One load of a thread in flight, in a grid of 132 blocks that leaves room for seven times as many: either fills the pipe. Where
// most SMs have no block at all, the grid is the cause.
static void a_thin_grid_comes_behind_few_loads_and_an_idle_chip_before(void **state)
{
    (void)state;
    in.grid_blocks = 100;
    set(COUNTER_WAVES, 0.125);
    facts.value[FACT_GRID_LOOPS] = 1;
    replay(INTERVENTION_LOADS, 60000);
    replay(INTERVENTION_GRID, 58000);
    assert_string_equal(first(), "few-loads");
    assert_string_equal(out.findings[1].cause, "small-grid");
    in.grid_blocks = 10;
    set(COUNTER_WAVES, 0.0125);
    replay(INTERVENTION_GRID, 80000); // half of what more loads would gain
    assert_string_equal(first(), "small-grid");
    replay(INTERVENTION_GRID, 90000);
    assert_string_equal(first(), "few-loads");
}

// Chains and room for more warps: what explains a third, and half, of what more loads would gain.
static void chains_and_room_for_warps_come_before_few_loads(void **state)
{
    (void)state;
    behind(STALL_WAIT, 60);
    behind(STALL_SHORT_SCOREBOARD, 0);
    replay(INTERVENTION_LOADS, 60000);
    replay(INTERVENTION_CHAINS, 87000);
    assert_string_equal(first(), "chain");
    replay(INTERVENTION_CHAINS, 89000);
    assert_string_equal(first(), "few-loads");
    set(COUNTER_OCCUPANCY_THEORETICAL_PCT, 40);
    set(COUNTER_OCCUPANCY_ACHIEVED_PCT, 40);
    set(COUNTER_WAVES, 4);
    replay(INTERVENTION_WARPS, 75000);
    assert_string_equal(first(), "occupancy");
    set(COUNTER_OCCUPANCY_THEORETICAL_PCT, 60); // the twin has room
    set(COUNTER_BLOCK_BALANCE_PCT, 100);
    assert_string_equal(first(), "few-loads");
    set(COUNTER_OCCUPANCY_THEORETICAL_PCT, 50); // blocks of a warp: only where it gains
    assert_string_equal(first(), "occupancy");
    replay(INTERVENTION_WARPS, 95000);
    diagnosed();
    assert_null(finding_of("to hide latency"));
}

// What waits for conflicts, and what promises less only because it takes them away as well; a bound behind the replay that explains it.
static void conflicts_and_passes_come_before_what_takes_them_away(void **state)
{
    (void)state;
    set(COUNTER_SHARED_LOAD_REQUESTS, 100 * 1000.0);
    set(COUNTER_SHARED_LOAD_WAVEFRONTS, 1600 * 1000.0);
    set(COUNTER_SHARED_LOAD_WAVEFRONTS_IDEAL, 100 * 1000.0);
    set(COUNTER_SHARED_STORE_REQUESTS, 0);
    set(COUNTER_SHARED_STORE_WAVEFRONTS, 0);
    set(COUNTER_SHARED_STORE_WAVEFRONTS_IDEAL, 0);
    replay(INTERVENTION_SHARED_LOADS, 27000);
    replay(INTERVENTION_CONFLICTS, 30000);
    assert_string_equal(first(), "conflicts");
    replay(INTERVENTION_CONFLICTS, 80000); // the twin: they explain little of it
    assert_string_equal(first(), "register-reuse");
}

// Several results of a thread wait less, whatever for; without the functions there is less to wait for.
static void functions_come_before_results_that_share_loads(void **state)
{
    (void)state;
    set(COUNTER_SHARED_LOAD_REQUESTS, 100 * 1000.0);
    facts.value[FACT_SLOTS] = 100;
    facts.value[FACT_SLOTS_FUNCTION] = 60;
    replay(INTERVENTION_SHARED_LOADS, 59000);
    replay(INTERVENTION_FUNCTIONS, 61000);
    assert_string_equal(first(), "special");
    replay(INTERVENTION_FUNCTIONS, 85000);
    assert_string_equal(first(), "register-reuse");
}

// No unit is busy by its bound, yet warps could issue most of the time: not memory is waited for.
static void warps_that_are_ready_do_not_wait(void **state)
{
    (void)state;
    behind(STALL_LONG_SCOREBOARD, 20);
    behind(STALL_SELECTED, 20);
    behind(STALL_NOT_SELECTED, 60);
    set(COUNTER_WARP_INSTRUCTIONS, 30 * 1000 * 1000.0);
    diagnosed();
    assert_null(finding_of("Warps wait for memory"));
}

// bench/advice/twelfth, hsv: nothing is busy for most of the time, and more loads in flight gain 2 %.
static void waiting_that_more_loads_leave_promises_nothing(void **state)
{
    (void)state;
    facts.value[FACT_LOADS_BATCHED] = 800; // eight at a time
    diagnosed();
    double bound = 2000 + 1000 / 0.86;
    assert_near(finding_of("Warps wait for memory")->expected_time_ns, bound);
    replay(INTERVENTION_LOADS, 98000);
    diagnosed();
    assert_near(finding_of("Warps wait for memory")->expected_time_ns, 98000);
    assert_true(finding_of("Warps wait for memory")->folded);
    facts.value[FACT_LOADS_BATCHED] = 100; // few loads say the same
    replay(INTERVENTION_LOADS, 96000);
    diagnosed();
    assert_null(finding_of("too few bytes are in flight"));
    assert_string_equal(first(), "few-loads");
}

// A quarter of the time that warps wait for results, and what more chains gain.
static void a_short_chain_is_named_where_it_gains(void **state)
{
    (void)state;
    behind(STALL_WAIT, 33);
    behind(STALL_SHORT_SCOREBOARD, 0);
    replay(INTERVENTION_LOADS, 60000);
    replay(INTERVENTION_CHAINS, 88000);
    diagnosed();
    assert_non_null(finding_of("for their own results"));
    replay(INTERVENTION_CHAINS, 95000);
    diagnosed();
    assert_null(finding_of("for their own results"));
    replay(INTERVENTION_CHAINS, 88000);
    behind(STALL_WAIT, 10);
    diagnosed();
    assert_null(finding_of("for their own results"));
}

// Whole sectors, four bytes a lane.
// Vectors gain in any stream. Behind a chain, room for warps, an idle chip and steps at barriers, where those explain enough of it.
static void narrow_accesses_come_behind_what_is_specific(void **state)
{
    (void)state;
    accesses_are_narrow();
    replay(INTERVENTION_BYTES, 60000);
    assert_string_equal(first(), "narrow");
    behind(STALL_WAIT, 60);
    behind(STALL_SHORT_SCOREBOARD, 0);
    replay(INTERVENTION_CHAINS, 85000);
    assert_string_equal(first(), "chain");
    replay(INTERVENTION_CHAINS, 90000); // a quarter of it
    assert_string_equal(first(), "narrow");
    set(COUNTER_OCCUPANCY_THEORETICAL_PCT, 40);
    set(COUNTER_OCCUPANCY_ACHIEVED_PCT, 40);
    set(COUNTER_BLOCK_BALANCE_PCT, 100);
    set(COUNTER_WAVES, 4);
    replay(INTERVENTION_WARPS, 80000);
    assert_string_equal(first(), "occupancy");
    replay(INTERVENTION_WARPS, 88000);
    assert_string_equal(first(), "narrow");
    behind(STALL_BARRIER, 60);
    set(COUNTER_BLOCK_THREADS, 256);
    set(COUNTER_BARRIERS, 1000.0 * 256 * 8);
    set(COUNTER_SHARED_LOAD_REQUESTS, 2000);
    set(COUNTER_SHARED_STORE_REQUESTS, 1000);
    replay(INTERVENTION_BARRIERS, 78000);
    assert_string_equal(first(), "barrier");
    set(COUNTER_SHARED_LOAD_REQUESTS, 8000); // a tile
    assert_string_equal(first(), "narrow");
}

// bench/advice/thirteenth, philox4: a load and a store beside 83 other instructions, most of them for a number that four elements share.
static void narrow_accesses_are_two_of_a_hundred_instructions(void **state)
{
    (void)state;
    accesses_are_narrow();
    replay(INTERVENTION_BYTES, 56000);
    replay(INTERVENTION_LOADS, 85000);
    set(COUNTER_WARP_INSTRUCTIONS, 40025 / 0.0236);
    assert_string_equal(first(), "narrow");
    assert_near(out.findings[0].expected_time_ns, 56000);
    set(COUNTER_WARP_INSTRUCTIONS, 40025 / 0.019);
    diagnosed();
    assert_null(finding_of("accesses are narrow"));
}

// bench/advice/thirteenth, gradangle: exact functions that explain a third of what wider accesses gain.
static void narrow_accesses_come_behind_a_third_by_functions(void **state)
{
    (void)state;
    accesses_are_narrow();
    facts.value[FACT_SLOTS] = 100;
    facts.value[FACT_SLOTS_FUNCTION] = facts.value[FACT_SLOTS_DIVISION] = 40;
    replay(INTERVENTION_BYTES, 60000);
    replay(INTERVENTION_FUNCTIONS, 87000);
    replay(INTERVENTION_DIVISIONS, 99000);
    assert_string_equal(first(), "special");
    replay(INTERVENTION_FUNCTIONS, 89000); // the twin: 28 %
    assert_string_equal(first(), "narrow");
    replay(INTERVENTION_DIVISIONS, 87000);
    assert_string_equal(first(), "division");
    replay(INTERVENTION_DIVISIONS, 89000);
    assert_string_equal(first(), "narrow");
}

// Where an index is loaded, lanes can not just be put side by side, and more look-ups under way come first.
static void loads_in_flight_come_before_gathers_that_are_scattered(void **state)
{
    (void)state;
    set(COUNTER_GLOBAL_LOAD_SECTORS, 32000);
    set(COUNTER_GLOBAL_LOAD_SECTORS_IDEAL, 4000);
    facts.value[FACT_LOADS_SCATTERED] = 50;
    replay(INTERVENTION_LOADS, 70000);
    replay(INTERVENTION_SECTORS, 65000);
    assert_string_equal(first(), "uncoalesced");
    assert_null(strstr(out.findings[0].fix, "sort"));
    facts.value[FACT_LOADS_GATHERED] = 50;
    assert_string_equal(first(), "few-loads");
    assert_string_equal(out.findings[1].cause, "uncoalesced");
    assert_non_null(strstr(out.findings[1].fix, "sort the indices"));
    replay(INTERVENTION_SECTORS, 20000); // most of what they gain is no latency
    assert_string_equal(first(), "uncoalesced");
}

// What comes first is ranked itself: a grid behind few loads, and those behind what is loaded in vain.
static void ranks_go_on_from_one_to_the_next(void **state)
{
    (void)state;
    in.grid_blocks = 100;
    set(COUNTER_WAVES, 0.125);
    facts.value[FACT_GRID_LOOPS] = 1;
    facts.value[FACT_LOADS_AGAIN_BLOCK] = 60;
    replay(INTERVENTION_GRID, 58000);
    replay(INTERVENTION_LOADS, 60000);
    replay(INTERVENTION_BLOCK_RELOADS, 75000);
    assert_string_equal(first(), "block-reuse");
    assert_string_equal(out.findings[1].cause, "few-loads");
    assert_string_equal(out.findings[2].cause, "small-grid");
}

// What a thread need not load again need not be loaded in wider pieces.
static void loads_of_the_same_come_before_narrow_ones(void **state)
{
    (void)state;
    in.work_bytes = 4000 * 32;
    accesses_are_narrow();
    facts.value[FACT_LOADS_AGAIN] = 50;
    replay(INTERVENTION_BYTES, 40000);
    assert_string_equal(first(), "narrow");
    replay(INTERVENTION_RELOADS, 60000);
    assert_string_equal(first(), "read-again");
}

// bench/advice/thirteenth, bilin4: words that others load too are no wider for a vector, but bytes are fields that lie side by side.
static void bytes_are_narrow_though_others_load_them_too(void **state)
{
    (void)state;
    accesses_are_narrow();
    replay(INTERVENTION_BYTES, 60000);
    in.work_bytes = 1000 * 32;
    facts.value[FACT_LOADS_AGAIN_BLOCK] = 30;
    diagnosed();
    assert_null(finding_of("accesses are narrow"));
    facts.value[FACT_ACCESS_BYTES] = 100;
    diagnosed();
    assert_near(finding_of("accesses are narrow")->expected_time_ns, 60000);
}

// Two launches that move three times the bytes of the job: because one reads its own data again, or hands it on.
static void launches_are_not_blamed_for_what_one_loads_again(void **state)
{
    (void)state;
    in.launches = 2;
    in.work_bytes = 1000 * 32;
    set(COUNTER_GLOBAL_LOAD_SECTORS, 2500);
    set(COUNTER_GLOBAL_LOAD_SECTORS_IDEAL, 2500);
    set(COUNTER_GLOBAL_STORE_SECTORS, 500);
    set(COUNTER_GLOBAL_STORE_SECTORS_IDEAL, 500);
    set(COUNTER_GLOBAL_LOAD_REQUESTS, 40000);
    set(COUNTER_GLOBAL_STORE_REQUESTS, 100);
    set(COUNTER_DRAM_READ_BYTES, 60000 * 1000.0);
    facts.value[FACT_ACCESS_BYTES] = 400;
    facts.value[FACT_ACCESSES] = 100;
    facts.value[FACT_LOADS_AGAIN_BLOCK] = 20;
    replay(INTERVENTION_BYTES, 70000);
    diagnosed();
    assert_non_null(finding_of("launches hand results on"));
    // Memory sets the pace of all but the two launches: one of them stays, and a third of the rest.
    assert_near(finding_of("launches hand results on")->expected_time_ns, 2000 + 96000 / 3.0);
    assert_null(finding_of(
        "accesses are narrow")); // lanes load each other's data too: registers help, not vectors
    facts.value[FACT_LOADS_ONE_WORD] = 40; // or all lanes one word, and the rest only once
    diagnosed();
    assert_non_null(finding_of("accesses are narrow"));
    facts.value[FACT_LOADS_ONE_WORD] = 60; // most loads are no vector's
    diagnosed();
    assert_null(finding_of("accesses are narrow"));
    facts.value[FACT_LOADS_ONE_WORD] = 0;
    facts.value[FACT_LOADS_AGAIN] = 75;
    diagnosed();
    assert_null(finding_of("launches hand results on"));
    assert_non_null(finding_of("accesses are narrow"));
}

// 20 launches of a tenth of the chip, with data of their own that they load twice; the twin's hand theirs on, one to the next.
static void launches_with_data_of_their_own_are_run_together(void **state)
{
    (void)state;
    in.launches = 20;
    in.work_bytes = 1000 * 32;
    set(COUNTER_GLOBAL_LOAD_SECTORS_IDEAL, 1900);
    set(COUNTER_GLOBAL_STORE_SECTORS_IDEAL, 100);
    set(COUNTER_WAVES, 0.1);
    diagnosed();
    assert_near(finding_of("fill 10 % of the chip each")->expected_time_ns, 2000 + 60000 * 0.1);
    assert_null(finding_of("hand results on"));
    // bench/advice/thirteenth, batch32: together they ask for more bytes than device memory has under way at its beginning.
    chip.value[GPU_FIELD_dram_ramp_ns] = 900;
    chip.value[GPU_FIELD_dram_ramp_bytes] = 80000;
    set(COUNTER_DRAM_READ_BYTES, 20000); // a quarter; each of the 20 has an eightieth
    diagnosed();
    assert_near(finding_of("fill 10 % of the chip each")->expected_time_ns,
                2000 + 60000 * 0.1 + 900 * (sqrt(0.25) - sqrt(0.25 / 20)));
    set(COUNTER_DRAM_READ_BYTES, 0);
    in.work_bytes = 100 * 32; // all of them work on the same
    diagnosed();
    assert_null(finding_of("of the chip each"));
    assert_non_null(finding_of("launches hand results on"));
    in.work_bytes = 1000 * 32;
    set(COUNTER_GLOBAL_LOAD_SECTORS_IDEAL,
        1400); // bench/advice/twelfth, lstmstep: a state is stored and loaded
    set(COUNTER_GLOBAL_STORE_SECTORS_IDEAL, 600);
    diagnosed();
    assert_null(finding_of("of the chip each"));
    set(COUNTER_GLOBAL_LOAD_SECTORS_IDEAL, 1900);
    set(COUNTER_GLOBAL_STORE_SECTORS_IDEAL, 100);
    set(COUNTER_WAVES, 1); // each fills the chip
    diagnosed();
    assert_null(finding_of("of the chip each"));
}

// bench/advice/thirteenth, batch32: 20 launches that together move the bytes of the job need no other, whatever else was found.
static void launches_that_need_no_other_are_run_together(void **state)
{
    (void)state;
    in.launches = 20;
    in.work_bytes = 2000 * 32;
    set(COUNTER_GLOBAL_LOAD_SECTORS_IDEAL, 1900);
    set(COUNTER_GLOBAL_STORE_SECTORS_IDEAL, 100);
    set(COUNTER_WAVES, 0.1);
    replay(INTERVENTION_LOADS, 90000);
    diagnosed();
    assert_non_null(finding_of("in flight before"));
    assert_near(finding_of("fill 10 % of the chip each")->expected_time_ns, 2000 + 60000 * 0.1);
    set(COUNTER_WAVES, 1); // each fills the chip
    diagnosed();
    assert_null(finding_of("of the chip each"));
    set(COUNTER_WAVES, 0.1);
    in.work_bytes = (double)NAN; // nobody knows what they hand on
    diagnosed();
    assert_null(finding_of("of the chip each"));
}

// Four launches that wait most of their time: in one, each byte comes once, and so does the wait. What computes stays.
static void launches_in_one_wait_once(void **state)
{
    (void)state;
    in.launches = 4;
    in.work_bytes = 1000 * 32;
    set(COUNTER_GLOBAL_LOAD_SECTORS_IDEAL, 3000);
    set(COUNTER_GLOBAL_STORE_SECTORS_IDEAL, 1000);
    set(COUNTER_DRAM_READ_BYTES, 9000 * 1000.0); // 10 us of 92
    diagnosed();
    assert_near(finding_of("launches hand results on")->expected_time_ns,
                2000 + 10000 / 4.0 + 82000 / 4.0);
    set(COUNTER_WARP_INSTRUCTIONS, 400 * 52000.0);
    diagnosed();
    assert_near(finding_of("launches hand results on")->expected_time_ns,
                2000 + 52000 + 40000 / 4.0);
}

// Four launches that fill the chip wait for half of the bytes in one; what each waits as it begins, one waits: 899 ns of device
// memory's ramp, 1 until the last SM begins and 1100 of latency.
static void launches_in_one_begin_once(void **state)
{
    (void)state;
    in.launches = 4;
    in.work_bytes = 2000 * 32;
    chip.value[GPU_FIELD_dram_ramp_ns] = 899;
    chip.value[GPU_FIELD_block_launch_cycles] = 300;
    chip.value[GPU_FIELD_latency_dram_cycles] = 600;
    chip.value[GPU_FIELD_latency_l2_cycles] = 200;
    set(COUNTER_GLOBAL_LOAD_SECTORS_IDEAL, 3000);
    set(COUNTER_GLOBAL_STORE_SECTORS_IDEAL, 1000);
    set(COUNTER_DRAM_READ_BYTES, 9000 * 1000.0); // 10 us of 92
    set(COUNTER_WAVES, 0.5);
    diagnosed();
    assert_near(finding_of("launches hand results on")->expected_time_ns,
                2000 + 10000 / 2.0 + 82000 / 2.0);
    set(COUNTER_WAVES, 2);
    diagnosed();
    assert_near(finding_of("launches hand results on")->expected_time_ns,
                2000 + 10000 / 2.0 + 2000 + (82000 - 4 * 2000) / 2.0);
}

// What they look up at loaded places they look up in one launch as well: 7/12 of what they move stays, and an eighth of the rest.
static void what_launches_look_up_stays(void **state)
{
    (void)state;
    in.launches = 8;
    in.work_bytes = 625 * 32;
    set(COUNTER_GLOBAL_LOAD_SECTORS, 11000);
    set(COUNTER_GLOBAL_LOAD_SECTORS_IDEAL, 4000);
    set(COUNTER_GLOBAL_STORE_SECTORS, 1000);
    set(COUNTER_GLOBAL_STORE_SECTORS_IDEAL, 1000);
    set(COUNTER_WARP_INSTRUCTIONS, 400);
    facts.value[FACT_LOADS_SCATTERED] = 30;
    facts.value[FACT_LOADS_GATHERED] = 30;
    diagnosed();
    double moved = finding_of("launches hand results on")->expected_time_ns - 2000;
    assert_near(moved, 84000 * (7.0 / 12 + 5.0 / 12 / 8));
}

// 30 steps of a thread each, on what it had stored: in one launch, none of them meets. The twin's threads load others' results.
static void steps_of_a_thread_alone_meet_nowhere(void **state)
{
    (void)state;
    in.launches = 30;
    in.work_bytes = 200 * 32;
    set(COUNTER_GLOBAL_LOAD_SECTORS_IDEAL, 3000);
    set(COUNTER_GLOBAL_STORE_SECTORS_IDEAL, 3000);
    set(COUNTER_BLOCK_THREADS, 256);
    set(COUNTER_GRID_BLOCKS, 30 * 512);
    set(COUNTER_WAVES, 1);
    facts.value[FACT_LOADS_AGAIN_BLOCK] = 0;
    facts.value[FACT_LOAD_BATCHES] = facts.value[FACT_LOADS];
    diagnosed();
    double alone = finding_of("launches hand results on")->expected_time_ns;
    facts.value[FACT_LOADS_AGAIN_BLOCK] = 0.5 * facts.value[FACT_LOADS];
    diagnosed();
    assert_true(finding_of("launches hand results on")->expected_time_ns > 1.25 * alone);
}

// bench/advice/twelfth, bitonicg: what a block computes between two barriers stands beside them.
static void steps_of_a_block_compute_between_barriers(void **state)
{
    (void)state;
    in.launches = 50;
    in.work_bytes = 200 * 32;
    set(COUNTER_GLOBAL_LOAD_SECTORS_IDEAL, 10000);
    set(COUNTER_GLOBAL_STORE_SECTORS_IDEAL, 10000);
    set(COUNTER_BLOCK_THREADS, 1024);
    set(COUNTER_GRID_BLOCKS, 50 * 512);
    in.time_ns.value = 110000; // 100 us to start them
    set(COUNTER_WARP_INSTRUCTIONS, 400 * 5000.0);
    facts.value[FACT_LOADS_AGAIN_BLOCK] = 50;
    chip.value[GPU_FIELD_latency_barrier_cycles] = 69;
    chip.value[GPU_FIELD_latency_shared_cycles] = 30;
    diagnosed(); // 130 cycles a step: 6.5 us of barriers, 5 us of issue, in no more than there were
    assert_near(finding_of("launches hand results on")->expected_time_ns, 2000 + 10000);
    set(COUNTER_WARP_INSTRUCTIONS, 400 * 1000.0);
    diagnosed();
    assert_near(finding_of("launches hand results on")->expected_time_ns, 2000 + 6500 + 1000);
}

// bench/advice/eighth, bsort: where a block's shared memory holds what a launch stores, all steps are one block's, and what they
// compute is one SM's work.
static void steps_of_all_data_are_computed_by_one_sm(void **state)
{
    (void)state;
    in.launches = 50;
    in.work_bytes = 200 * 32;
    set(COUNTER_GLOBAL_LOAD_SECTORS_IDEAL, 10000);
    set(COUNTER_GLOBAL_STORE_SECTORS_IDEAL, 10000); // 6400 bytes a launch
    set(COUNTER_BLOCK_THREADS, 1024);
    set(COUNTER_GRID_BLOCKS, 50);
    set(COUNTER_WAVES, 0.01);
    in.time_ns.value = 110000;
    set(COUNTER_WARP_INSTRUCTIONS, 400 * 20.0); // 20 ns of the whole chip
    facts.value[FACT_LOADS_AGAIN_BLOCK] = 50;
    chip.value[GPU_FIELD_latency_barrier_cycles] = 69;
    chip.value[GPU_FIELD_latency_shared_cycles] = 30;
    chip.value[GPU_FIELD_shared_bytes_per_block] = 6400;
    diagnosed(); // 130 cycles a step, 2 us of one of 100 SMs
    assert_near(finding_of("launches hand results on")->expected_time_ns, 2000 + 6500 + 2000);
    chip.value[GPU_FIELD_shared_bytes_per_block] = 6399;
    diagnosed();
    assert_near(finding_of("launches hand results on")->expected_time_ns, 2000 + 6500 + 20);
    chip.value[GPU_FIELD_shared_bytes_per_block] = 6400;
    set(COUNTER_GLOBAL_LOAD_SECTORS_IDEAL,
        40001); // what none of them has stored: nobody has to meet
    diagnosed();
    assert_near(finding_of("launches hand results on")->expected_time_ns, 2000 + 6500 + 20);
    set(COUNTER_GLOBAL_LOAD_SECTORS_IDEAL, 10000);
    facts.value[FACT_LOADS_AGAIN_BLOCK] = 0; // each thread by itself: no block
    diagnosed();
    assert_true(finding_of("launches hand results on")->expected_time_ns < 2000 + 6500);
}

// bench/advice/twelfth, pull2: its look-ups are stated as a sector each, and L2 had four of five.
static void bytes_that_l2_had_are_no_floor(void **state)
{
    (void)state;
    in.work_bytes = 90000 * 900.0; // 90 us at the rate of reading
    set(COUNTER_DRAM_READ_BYTES, 100000 * 900.0);
    replay(INTERVENTION_LOADS, 60000);
    diagnosed();
    assert_near(finding_of("in flight before")->expected_time_ns, 92000);
    set(COUNTER_DRAM_READ_BYTES, 20000 * 900.0);
    diagnosed();
    assert_near(finding_of("in flight before")->expected_time_ns, 60000);
}

// bench/advice/fourteenth, tiledot: a block adds a tile up step by step, and then loads the next one. Loaded ahead, it meets as often.
static void steps_at_barriers_come_before_loading_ahead(void **state)
{
    (void)state;
    behind(STALL_LONG_SCOREBOARD, 40);
    behind(STALL_BARRIER, 30);
    set(COUNTER_BLOCK_THREADS, 256);
    set(COUNTER_BARRIERS, 1000.0 * 256 * 8);
    set(COUNTER_SHARED_LOAD_REQUESTS, 2000);
    set(COUNTER_SHARED_STORE_REQUESTS, 1000);
    facts.value[FACT_LOAD_BATCHES] = 1000.0 * 256 * 8 / 10;
    facts.value[FACT_LOADS_BATCHED] = 5 * facts.value[FACT_LOAD_BATCHES];
    replay(INTERVENTION_AHEAD, 60000);
    replay(INTERVENTION_BARRIERS, 65000);
    assert_string_equal(first(), "barrier");
    replay(INTERVENTION_BARRIERS, 55000); // however much of it ahead explains
    assert_string_equal(first(), "barrier");
    replay(INTERVENTION_BARRIERS, 85000);
    assert_string_equal(first(), "no-overlap");
    replay(INTERVENTION_BARRIERS, 65000);
    facts.value[FACT_LOAD_BATCHES] = 1000.0 * 256 * 8 / 2; // a tile: filled and used up
    facts.value[FACT_LOADS_BATCHED] = 5 * facts.value[FACT_LOAD_BATCHES];
    assert_string_equal(first(), "no-overlap");
}

// bench/advice/tenth and fourteenth, bagmean and experts: rows whose numbers are loaded, one after the other. A wider load waits for
// its row's number as well.
static void rows_that_are_found_need_loads_in_flight_before_wider_ones(void **state)
{
    (void)state;
    accesses_are_narrow();
    facts.value[FACT_LOADS_ONE_WORD] = 50;
    replay(INTERVENTION_LOADS, 45000);
    replay(INTERVENTION_BYTES, 43000);
    assert_string_equal(first(), "narrow");
    facts.value[FACT_LOADS_ROWS_FOUND] = 50;
    assert_string_equal(first(), "few-loads");
    replay(INTERVENTION_LOADS, 52000); // five sixths
    assert_string_equal(first(), "narrow");
    replay(INTERVENTION_LOADS, 45000);
    facts.value[FACT_LOADS_ROWS_FOUND] = 20; // a table beside a stream
    assert_string_equal(first(), "narrow");
}

// bench/advice/fourteenth, hardswish: two halves in an instruction are two in an access.
static void pairs_of_halves_come_before_narrow_accesses(void **state)
{
    (void)state;
    accesses_are_narrow();
    facts.value[FACT_ACCESS_BYTES] = 200;
    facts.value[FACT_SLOTS] = 100;
    facts.value[FACT_SLOTS_HALF] = 30;
    replay(INTERVENTION_BYTES, 50000);
    replay(INTERVENTION_HALVES, 70000);
    assert_string_equal(first(), "half-scalar");
    replay(INTERVENTION_HALVES, 78000); // most of it is the accesses
    assert_string_equal(first(), "narrow");
}

// A loop that loads, meets and computes: by its replay, where that gains.
static void loads_between_barriers_are_no_overlap(void **state)
{
    (void)state;
    stalls.warp_cycles[STALL_BARRIER] = (struct figure){5, PROVENANCE_MODELLED};
    replay(INTERVENTION_LOADS, 90000);
    replay(INTERVENTION_AHEAD, 70000);
    assert_string_equal(first(), "no-overlap");
    assert_near(out.findings[0].expected_time_ns, 70000);
    replay(INTERVENTION_LOADS, 45000); // a turn ahead does half of it
    assert_string_equal(first(), "no-overlap");
    replay(INTERVENTION_LOADS, 30000);
    assert_string_equal(first(), "few-loads");
    replay(INTERVENTION_LOADS, 90000);
    accesses_are_narrow();
    replay(INTERVENTION_BYTES, 45000);
    assert_string_equal(first(), "no-overlap");
    replay(INTERVENTION_BYTES, 30000);
    assert_string_equal(first(), "narrow");
    replay(INTERVENTION_BYTES, 95000);
    replay(INTERVENTION_AHEAD, 97000);
    diagnosed();
    assert_null(finding_of("nothing is loaded meanwhile"));
    replay(INTERVENTION_AHEAD, 70000);
    stalls.warp_cycles[STALL_LONG_SCOREBOARD].value = 2; // of 27: they do not wait
    diagnosed();
    assert_null(finding_of("nothing is loaded meanwhile"));
}

// Without shared memory, the L1 at its limit: registers that serve several results.
static void what_the_l1_serves_again_is_for_registers(void **state)
{
    (void)state;
    facts.value[FACT_LOADS_AGAIN_BLOCK] = 60;
    set(COUNTER_FFMA_F32, 32 * 100.0);
    set(COUNTER_FADD_F32, 0);
    set(COUNTER_FMUL_F32, 0);
    set(COUNTER_GLOBAL_LOAD_SECTORS, 4000);
    set(COUNTER_GLOBAL_LOAD_SECTORS_IDEAL, 4000);
    set(COUNTER_L1_WAVEFRONTS, 50 * 80000.0); // 80 us
    replay(INTERVENTION_SHARED_LOADS, 60000);
    replay(INTERVENTION_BLOCK_RELOADS, 90000);
    assert_string_equal(first(), "register-reuse");
    assert_near(out.findings[0].expected_time_ns, 60000);
    set(COUNTER_L1_WAVEFRONTS, 50 * 10.0);
    diagnosed();
    assert_null(finding_of("the L1 sets the pace"));
}

// A replay prices the tensor cores, whatever it leaves, but for less than their rate.
static void tensor_cores_are_priced_by_a_replay_or_a_bound(void **state)
{
    (void)state;
    in.work_flops_tensor = 1e6;
    set(COUNTER_FLOPS_TENSOR, 0);
    replay(INTERVENTION_TENSOR, 30000);
    diagnosed();
    const struct finding *f = finding_of("tensor cores are idle");
    assert_non_null(f);
    assert_near(f->expected_time_ns, 30000);
    assert_int_equal(f->price, PRICE_REPLAY);
    replay(INTERVENTION_TENSOR, 90000);
    diagnosed();
    f = finding_of("tensor cores are idle");
    assert_near(f->expected_time_ns, 90000);
    assert_int_equal(f->price, PRICE_REPLAY);
    replay(INTERVENTION_TENSOR, 10);
    diagnosed();
    f = finding_of("tensor cores are idle");
    assert_true(f->expected_time_ns > 2000);
    assert_int_equal(f->price, PRICE_BOUNDS);
}

// Not every chip's tensor cores are counted: then the lanes' own operations say who multiplies.
static void tensor_cores_are_called_idle_only_where_lanes_do_their_work(void **state)
{
    (void)state;
    in.work_flops_tensor = 1e6;
    set(COUNTER_FLOPS_TENSOR, 1e6);
    diagnosed();
    assert_null(finding_of("tensor cores are idle"));
    counters.figure[COUNTER_FLOPS_TENSOR].provenance = PROVENANCE_ABSENT;
    set(COUNTER_FLOPS_F32, 2e4);
    set(COUNTER_FLOPS_F16, 0);
    diagnosed();
    assert_null(finding_of("tensor cores are idle"));
    set(COUNTER_FLOPS_F32, 1e6);
    diagnosed();
    assert_non_null(finding_of("tensor cores are idle"));
}

// Loads and stores of structures: one replay has both coalesced, and is promised once.
static void loads_and_stores_promise_one_replay_once(void **state)
{
    (void)state;
    set(COUNTER_GLOBAL_STORE_REQUESTS, 1000);
    set(COUNTER_GLOBAL_LOAD_SECTORS, 12000);
    set(COUNTER_GLOBAL_STORE_SECTORS, 32000);
    set(COUNTER_GLOBAL_LOAD_SECTORS_IDEAL, 4000);
    set(COUNTER_GLOBAL_STORE_SECTORS_IDEAL, 4000);
    replay(INTERVENTION_SECTORS, 70000);
    diagnosed();
    assert_false(finding_of("stores are uncoalesced")->folded);
    assert_true(finding_of("loads are uncoalesced")->folded);
    replay(INTERVENTION_ROWS, 5000); // of the loads alone
    diagnosed();
    assert_false(finding_of("stores are uncoalesced")->folded);
    assert_false(finding_of("loads are uncoalesced")->folded);
}

// Bytes of pixels, three loads of which fill a line together; or the rows that threads walk along.
static void fields_that_fill_their_lines_are_narrow(void **state)
{
    (void)state;
    set(COUNTER_GLOBAL_STORE_REQUESTS, 0);
    set(COUNTER_GLOBAL_LOAD_SECTORS, 3000);
    set(COUNTER_GLOBAL_LOAD_SECTORS_IDEAL, 1000);
    set(COUNTER_GLOBAL_STORE_SECTORS, 0);
    set(COUNTER_GLOBAL_STORE_SECTORS_IDEAL, 0);
    set(COUNTER_L1_LOAD_SECTORS_HIT, 2000);
    set(COUNTER_WARP_INSTRUCTIONS, 10000);
    facts.value[FACT_ACCESS_BYTES] = facts.value[FACT_ACCESSES] = 100;
    in.work_bytes = 32000;
    replay(INTERVENTION_BYTES, 50000);
    assert_string_equal(first(), "narrow");
    facts.value[FACT_LOADS_WALKING] = 50;
    diagnosed();
    assert_null(finding_of("accesses are narrow"));
    facts.value[FACT_LOADS_WALKING] = 0;
    set(COUNTER_L1_LOAD_SECTORS_HIT, 0); // nobody uses the rest
    diagnosed();
    assert_null(finding_of("accesses are narrow"));
}

// The integer pipe sets the pace, and no replay takes anything away: what is computed is the cause.
static void integer_work_on_values_is_busy_as_a_last_resort(void **state)
{
    (void)state;
    stalls.warp_cycles[STALL_LONG_SCOREBOARD].value = 0;
    set(COUNTER_WARP_INSTRUCTIONS, 1e6);
    set(COUNTER_INTEGER_OPS, 1e12);
    replay(INTERVENTION_INDEX, 99000);
    assert_string_equal(first(), "busy");
    assert_non_null(strstr(out.findings[0].fix, "look results up"));
    // 80 us of the pipe, 60 us of the issue slots, two thirds of which are theirs: a third is left of both.
    chip.value[GPU_FIELD_warp_size] = 32;
    set(COUNTER_INTEGER_OPS, 6400 * 80000.0);
    set(COUNTER_WARP_INSTRUCTIONS, 400 * 60000.0);
    diagnosed();
    assert_near(finding_of("integer pipe")->expected_time_ns,
                100000 - 80000 + 60000 - 0.67 * 40000);
    set(COUNTER_WARP_INSTRUCTIONS, 1e6);
    replay(INTERVENTION_FUNCTIONS, 80000);
    facts.value[FACT_SLOTS] = 100;
    facts.value[FACT_SLOTS_FUNCTION] = 60;
    assert_string_equal(first(), "special");
    assert_null(finding_of("integer pipe"));
}

// Bulk copies bring all that is loaded, and warps wait for them.
static void waiting_for_bulk_copies_is_no_overlap(void **state)
{
    (void)state;
    replay(INTERVENTION_LOADS, 60000);
    set(COUNTER_DRAM_READ_BYTES, 1e6);
    set(COUNTER_GLOBAL_LOAD_REQUESTS, 0);
    diagnosed();
    assert_near(finding_of("bulk copies bring")->expected_time_ns, 60000);
    set(COUNTER_GLOBAL_LOAD_REQUESTS, 1000);
    diagnosed();
    assert_null(finding_of("bulk copies bring"));
}

// Warps of a tree have less and less to do, and wait at its barriers: that is what to mend.
static void unequal_warps_stand_behind_the_barriers_they_wait_at(void **state)
{
    (void)state;
    facts.value[FACT_WARP_OPS] = 100;
    facts.value[FACT_WARP_OPS_MOST] = 200;
    stalls.warp_cycles[STALL_LONG_SCOREBOARD].value = 20;
    stalls.warp_cycles[STALL_BARRIER] = (struct figure){60, PROVENANCE_MODELLED};
    set(COUNTER_BLOCK_THREADS, 256);
    set(COUNTER_BARRIERS, 1000.0 * 256 * 8);
    replay(INTERVENTION_IMBALANCE, 60000);
    assert_string_equal(first(), "unequal-work");
    replay(INTERVENTION_BARRIERS, 64000);
    assert_string_equal(first(), "barrier");
    replay(INTERVENTION_BARRIERS, 90000);
    assert_string_equal(first(), "unequal-work");
}

// bench/advice/second, mandelbrot: bands of rows, each on an SM of its own, and warps within them. What the largest block keeps waiting
// is more of the time than what its longest warp does.
static void unequal_blocks_alone_come_before_their_warps(void **state)
{
    (void)state;
    in.grid_blocks = 80;
    facts.value[FACT_WARP_OPS] = 100;
    facts.value[FACT_WARP_OPS_MOST] = 160;
    facts.value[FACT_LOADS_BATCHED] = 500;
    set(COUNTER_BLOCK_BALANCE_PCT, 40);
    replay(INTERVENTION_IMBALANCE, 61000);
    assert_string_equal(first(), "unequal-work");
    assert_non_null(finding_of("each has an SM to itself"));
    assert_near(out.findings[0].expected_time_ns, 100000 - 0.6 * 98000);
    set(COUNTER_BLOCK_BALANCE_PCT, 70); // the twin: less than the warps
    assert_string_equal(first(), "unequal-work");
    assert_non_null(finding_of("Warps of a block have unequal work"));
    assert_near(out.findings[0].expected_time_ns, 61000);
}

// bench/advice/eleventh, heavy: the long blocks are not in the sample, whose model has a fiftieth of the time. What the GPU counted
// of all blocks stands before the sampled ones' warps.
static void unequal_blocks_are_found_where_the_sample_is_unlike_them(void **state)
{
    (void)state;
    in.time_ns.provenance = PROVENANCE_MEASURED;
    facts.value[FACT_WARP_OPS] = 100;
    facts.value[FACT_WARP_OPS_MOST] = 200;
    set(COUNTER_OCCUPANCY_THEORETICAL_PCT, 100);
    set(COUNTER_OCCUPANCY_ACHIEVED_PCT, 25);
    set(COUNTER_WAVES, 8);
    replay(INTERVENTION_IMBALANCE, 90000);
    replay(INTERVENTION_LOADS, 60000);
    diagnosed();
    assert_non_null(finding_of("Warps of a block have unequal work"));
    replays.as_is_ns.value = 2000;
    replay(INTERVENTION_IMBALANCE, 1800);
    replay(INTERVENTION_LOADS, 1200);
    diagnosed();
    assert_non_null(
        finding_of("Warps of a block have unequal work")); // nobody counted the grid's loads
    counters_set(&counters, COUNTER_GLOBAL_LOAD_REQUESTS, 250, PROVENANCE_MEASURED);
    assert_string_equal(first(), "unequal-work"); // those of the sample are 100
    assert_null(finding_of("Warps of a block have unequal work"));
    assert_true(out.findings[0].expected_time_ns < 30000);
    counters_set(&counters, COUNTER_GLOBAL_LOAD_REQUESTS, 150, PROVENANCE_MEASURED);
    diagnosed();
    assert_non_null(finding_of("Warps of a block have unequal work"));
}

static void few_warps_name_what_limits_them(void **state)
{
    (void)state;
    chip.value[GPU_FIELD_warp_size] = 32;
    chip.value[GPU_FIELD_max_threads_per_block] = 1024;
    chip.value[GPU_FIELD_max_warps_per_sm] = 64;
    chip.value[GPU_FIELD_max_blocks_per_sm] = 32;
    chip.value[GPU_FIELD_registers_per_sm] = 65536;
    chip.value[GPU_FIELD_max_registers_per_thread] = 255;
    chip.value[GPU_FIELD_shared_bytes_per_sm] = 100000;
    chip.value[GPU_FIELD_shared_bytes_per_block] = 99000;
    chip.value[GPU_FIELD_barriers_per_sm] = 32;
    set(COUNTER_OCCUPANCY_THEORETICAL_PCT, 25);
    set(COUNTER_BLOCK_THREADS, 256);
    set(COUNTER_SHARED_BYTES_PER_BLOCK, 40000);
    diagnosed();
    const struct finding *f = finding_of("to hide latency");
    assert_non_null(f);
    assert_non_null(strstr(f->fix, "40000 bytes of shared memory"));
}

#define REPLAYED(name) cmocka_unit_test_setup_teardown(name, kernel, teardown)

// Vectors make three or four loads in flight six: that is named where it gains, and not where it does not.
static void loads_by_threes_are_few_where_more_gain(void **state)
{
    (void)state;
    facts.value[FACT_LOADS_BATCHED] = 350; // of 100 batches
    replay(INTERVENTION_LOADS, 80000);
    assert_string_equal(first(), "few-loads");
    replay(INTERVENTION_LOADS, 90000);
    diagnosed();
    assert_null(finding_of("in flight before"));
    facts.value[FACT_LOADS_BATCHED] = 450;
    replay(INTERVENTION_LOADS, 80000);
    diagnosed();
    assert_null(finding_of("in flight before"));
}

// Exact functions of a stream: vectors and more loads would gain somewhat more, and leave what makes it slow.
static void functions_come_before_what_any_stream_gains_by(void **state)
{
    (void)state;
    facts.value[FACT_SLOTS] = 100;
    facts.value[FACT_SLOTS_FUNCTION] = 60;
    replay(INTERVENTION_LOADS, 60000);
    replay(INTERVENTION_FUNCTIONS, 82000); // 45 % of it
    assert_string_equal(first(), "special");
    replay(INTERVENTION_FUNCTIONS, 86000); // 35 %
    assert_string_equal(first(), "few-loads");
}

// Tiles loaded and used in turn, in blocks of which few fit: others on the SM would load meanwhile.
static void room_for_blocks_comes_before_loading_ahead(void **state)
{
    (void)state;
    behind(STALL_LONG_SCOREBOARD, 60);
    behind(STALL_BARRIER, 1);
    replay(INTERVENTION_AHEAD, 60000);
    replay(INTERVENTION_WARPS, 70000); // three quarters of it
    set(COUNTER_OCCUPANCY_THEORETICAL_PCT, 40);
    set(COUNTER_OCCUPANCY_ACHIEVED_PCT, 40);
    set(COUNTER_WAVES, 4);
    set(COUNTER_BLOCK_BALANCE_PCT, 100);
    facts.value[FACT_LOADS_BATCHED] = 500;
    assert_string_equal(first(), "occupancy");
    replay(INTERVENTION_WARPS, 75000); // five eighths
    assert_string_equal(first(), "no-overlap");
}

// Loads that go away with several results of a thread are not waited for.
static void registers_come_before_few_loads(void **state)
{
    (void)state;
    set(COUNTER_SHARED_LOAD_REQUESTS, 100 * 1000.0);
    replay(INTERVENTION_LOADS, 80000);
    replay(INTERVENTION_SHARED_LOADS, 91000); // 45 % of it
    assert_string_equal(first(), "register-reuse");
    replay(INTERVENTION_SHARED_LOADS, 93000);
    assert_string_equal(first(), "few-loads");
}

// Bytes of a stream, each of which is looked up: the stream can be wider, whatever the look-ups are. The twin's loads are scattered
// by themselves.
static void streams_beside_lookups_are_narrow(void **state)
{
    (void)state;
    accesses_are_narrow();
    set(COUNTER_GLOBAL_LOAD_SECTORS, 40000);
    facts.value[FACT_ACCESSES] = 150;
    facts.value[FACT_ACCESS_BYTES] = 150;
    facts.value[FACT_LOADS_SCATTERED] = facts.value[FACT_LOADS_GATHERED] = 50;
    replay(INTERVENTION_BYTES, 30000);
    assert_string_equal(first(), "narrow");
    facts.value[FACT_LOADS_GATHERED] = 20;
    diagnosed();
    assert_null(finding_of("accesses are narrow"));
    facts.value[FACT_LOADS_SCATTERED] = facts.value[FACT_LOADS_GATHERED] = 80; // most are such
    diagnosed();
    assert_null(finding_of("accesses are narrow"));
}

// Warps meet to wait for a tile's loads: asked for a turn before, they have come, and the block waits for no one.
static void loads_a_turn_ahead_come_before_barriers_and_registers(void **state)
{
    (void)state;
    behind(STALL_LONG_SCOREBOARD, 40);
    behind(STALL_BARRIER, 30);
    set(COUNTER_BLOCK_THREADS, 256);
    set(COUNTER_BARRIERS, 1000.0 * 256);
    set(COUNTER_SHARED_LOAD_REQUESTS, 100 * 1000.0);
    facts.value[FACT_LOADS_BATCHED] = 500;
    replay(INTERVENTION_AHEAD, 70000);
    replay(INTERVENTION_BARRIERS, 55000);
    replay(INTERVENTION_SHARED_LOADS, 52000);
    assert_string_equal(first(), "no-overlap");
    replay(INTERVENTION_SHARED_LOADS, 45000); // it explains 55 % of it
    assert_string_equal(first(), "register-reuse");
    replay(INTERVENTION_SHARED_LOADS, 90000);
    replay(INTERVENTION_BARRIERS, 45000);
    assert_string_equal(first(), "barrier");
}

// bench/advice/fourth, emboss: of a window most values are loaded by lanes and warps beside, though the L1 is not busy. Constants are
// the simpler change where they bring most of it.
static void most_loads_again_are_for_registers_where_that_gains(void **state)
{
    (void)state;
    facts.value[FACT_LOADS_AGAIN_BLOCK] = 90;
    facts.value[FACT_LOADS_BATCHED] = 500;
    set(COUNTER_L1_WAVEFRONTS, 50 * 10.0);
    replay(INTERVENTION_SHARED_LOADS, 75000);
    assert_string_equal(first(), "register-reuse");
    assert_near(out.findings[0].expected_time_ns, 75000);
    facts.value[FACT_LOADS_UNIFORM] = 50;
    replay(INTERVENTION_UNIFORM, 80000);
    assert_string_equal(first(), "uniform");
    replay(INTERVENTION_UNIFORM, 88000);
    assert_string_equal(first(), "register-reuse");
    replay(INTERVENTION_UNIFORM, 98000);
    replay(INTERVENTION_BLOCK_RELOADS, 91000); // a third of it: a tile is the step before
    assert_string_equal(first(), "block-reuse");
    replay(INTERVENTION_BLOCK_RELOADS, 95000);
    assert_string_equal(first(), "register-reuse");
    facts.value[FACT_LOADS_ONE_WORD] = 60; // words for all lanes are most of them
    diagnosed();
    assert_null(finding_of("few results of what it loads"));
    facts.value[FACT_LOADS_ONE_WORD] = 0;
    replay(INTERVENTION_SHARED_LOADS, 95000);
    diagnosed();
    assert_null(finding_of("few results of what it loads"));
}

// A second pass that L2 answers, beside one that keeps device memory as busy as it gets: without it the bytes are left.
static void second_passes_at_the_roof_leave_the_bytes(void **state)
{
    (void)state;
    in.time_ns.provenance = PROVENANCE_MEASURED;
    in.work_bytes = 40000 * 900.0;
    facts.value[FACT_LOADS_AGAIN] = 50;
    replay(INTERVENTION_RELOADS, 95000);         // the model's device memory is no faster for it
    set(COUNTER_DRAM_READ_BYTES, 85000 * 900.0); // 85 us
    set(COUNTER_DRAM_WRITE_BYTES, 0);
    diagnosed();
    const struct finding *f = finding_of("had loaded or stored before");
    assert_non_null(f);
    assert_int_equal(f->price, PRICE_BOUNDS);
    assert_near(f->expected_time_ns, bound_ns(RESOURCE_DRAM) + bound_ns(RESOURCE_LAUNCH));
    set(COUNTER_GLOBAL_LOAD_SECTORS,
        100000 * 900.0 / 32); // half of them again, which L2 had not: 85 us less 35
    diagnosed();
    f = finding_of("had loaded or stored before");
    assert_near(f->expected_time_ns, 50000 + bound_ns(RESOURCE_LAUNCH));
    set(COUNTER_DRAM_READ_BYTES, 50000 * 900.0); // the twin
    diagnosed();
    f = finding_of("had loaded or stored before");
    assert_int_equal(f->price, PRICE_REPLAY);
    assert_near(f->expected_time_ns, 95000);
}

// Of loads of one word for all lanes, as a row's factor, no lane is beside another: they do not make the others scattered.
static void words_for_all_lanes_do_not_hide_narrow_accesses(void **state)
{
    (void)state;
    set(COUNTER_GLOBAL_LOAD_REQUESTS, 40000);
    set(COUNTER_GLOBAL_LOAD_SECTORS, 16000 + 24000 * 4);
    counters_set(&counters, COUNTER_GLOBAL_LOAD_SECTORS_IDEAL, 16000 / 8.0 + 24000 * 4,
                 PROVENANCE_MEASURED);
    set(COUNTER_GLOBAL_STORE_SECTORS, 0);
    set(COUNTER_GLOBAL_STORE_SECTORS_IDEAL, 0);
    set(COUNTER_GLOBAL_STORE_REQUESTS, 0);
    facts.value[FACT_LOADS_ONE_WORD] = 40;
    facts.value[FACT_ACCESS_BYTES] = 400;
    facts.value[FACT_ACCESSES] = 100;
    replay(INTERVENTION_BYTES, 60000);
    set(COUNTER_GLOBAL_LOAD_SECTORS, 16000 + 24000 * 5);
    assert_string_equal(first(), "narrow");
    set(COUNTER_GLOBAL_LOAD_SECTORS,
        16000 + 24000 * 8); // the twin: half of the others' sectors are in vain
    diagnosed();
    assert_null(finding_of("bytes per lane"));
}

// Equal blocks in two waves: an idle sixth is known to be in vain. Of unequal ones the last wave says nothing.
static void a_last_wave_of_equal_blocks_counts_from_a_tenth(void **state)
{
    (void)state;
    in.grid_blocks = 160; // 60 of the second wave's for 100 SMs: 80 % of two
    set(COUNTER_WAVES, 1.6);
    set(COUNTER_OCCUPANCY_THEORETICAL_PCT, 100);
    set(COUNTER_OCCUPANCY_ACHIEVED_PCT, 75);
    set(COUNTER_BLOCK_BALANCE_PCT, 100);
    diagnosed();
    assert_non_null(finding_of("waves of blocks is nearly empty"));
    set(COUNTER_BLOCK_BALANCE_PCT, 80);
    diagnosed();
    assert_null(finding_of("waves of blocks is nearly empty"));
    set(COUNTER_BLOCK_BALANCE_PCT, 100);
    in.grid_blocks = 190;
    set(COUNTER_WAVES, 1.9);
    diagnosed();
    assert_null(finding_of("waves of blocks is nearly empty"));
}

static struct patch_trial trial(const char *maker, const char *cause, bool sole,
                                enum trial_verdict verdict, double time_ns)
{
    return (struct patch_trial){.maker = maker,
                                .cause = cause,
                                .sole = sole,
                                .verdict = verdict,
                                .verified = true,
                                .time_ns = time_ns};
}

static void tried(struct patch_trial t)
{
    struct patch_trial *kept = arena_alloc(&arena, sizeof t);
    *kept = t;
    diagnosed();
    out.trials = kept;
    out.trial_count = 1;
    diagnose_trials(&arena, in.time_ns.value, &out);
}

// Few loads promise 60 us of 100, narrow ones 70.
static void a_patch_that_is_the_sole_fix_prices_it(void **state)
{
    (void)state;
    replay(INTERVENTION_LOADS, 60000);
    replay(INTERVENTION_BYTES, 70000);
    accesses_are_narrow();
    assert_string_equal(first(), "few-loads");
    tried(trial("vector", "narrow", true, TRIAL_GAINS, 50000));
    assert_string_equal(out.findings[0].cause, "narrow");
    assert_int_equal(out.findings[0].price, PRICE_PATCH);
    assert_near(out.findings[0].expected_time_ns, 50000);
    assert_near(out.findings[0].counterfactual_ns, 70000);
    tried(trial("vector", "narrow", true, TRIAL_LOSES, 130000)); // advice that would be false
    assert_string_equal(out.findings[0].cause, "few-loads");
    assert_true(finding_named("narrow")->folded);
    assert_near(finding_named("narrow")->expected_time_ns, 100000);
    tried(trial("vector", "narrow", true, TRIAL_WRONG, (double)NAN));
    assert_int_equal(finding_named("narrow")->price, PRICE_REPLAY);
}

// Another fix of the same cause may still gain.
static void a_patch_that_is_one_of_several_fixes_says_the_least(void **state)
{
    (void)state;
    replay(INTERVENTION_LOADS, 60000);
    tried(trial("unroll", "few-loads", false, TRIAL_NOTHING, 99500));
    assert_string_equal(out.findings[0].cause, "few-loads");
    assert_int_equal(out.findings[0].price, PRICE_REPLAY);
    assert_near(out.findings[0].expected_time_ns, 60000);
    tried(trial("sums", "few-loads", false, TRIAL_GAINS, 40000));
    assert_int_equal(out.findings[0].price, PRICE_PATCH);
    assert_near(out.findings[0].expected_time_ns, 40000);
    assert_near(out.findings[0].counterfactual_ns, 60000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        REPLAYED(loads_in_vain_come_before_few_loads),
        REPLAYED(what_promises_less_than_counts_as_a_gain_is_no_advice),
        REPLAYED(a_patch_that_is_the_sole_fix_prices_it),
        REPLAYED(a_patch_that_is_one_of_several_fixes_says_the_least),
        REPLAYED(what_a_gpu_takes_longer_goes_with_the_cause),
        REPLAYED(what_unequal_blocks_take_longer_is_theirs),
        REPLAYED(a_model_of_something_else_prices_nothing),
        REPLAYED(spills_cost_what_a_gpu_takes_longer),
        REPLAYED(arrays_that_move_most_have_all_that_a_gpu_takes_longer),
        REPLAYED(elements_of_a_thread_leave_fewer_steps),
        REPLAYED(loads_again_come_before_registers_for_results),
        REPLAYED(what_only_waits_less_leaves_the_counted_work),
        REPLAYED(wider_accesses_leave_the_counted_arithmetic),
        REPLAYED(wider_stores_write_whole_sectors),
        REPLAYED(arrays_in_registers_are_looked_through),
        REPLAYED(waiting_that_more_loads_leave_promises_nothing),
        REPLAYED(a_long_table_is_no_constant),
        REPLAYED(one_load_before_a_tree_of_barriers_is_few_loads),
        REPLAYED(a_row_per_thread_is_priced_as_shared_out),
        REPLAYED(a_grid_is_shared_out_after_its_threads_do_less),
        REPLAYED(integer_work_on_values_is_busy_as_a_last_resort),
        REPLAYED(waiting_for_bulk_copies_is_no_overlap),
        REPLAYED(steps_at_barriers_are_priced_within_warps),
        REPLAYED(steps_at_barriers_come_before_few_loads),
        REPLAYED(lanes_that_idle_come_before_few_loads_and_chains),
        REPLAYED(a_thin_grid_comes_behind_few_loads_and_an_idle_chip_before),
        REPLAYED(chains_and_room_for_warps_come_before_few_loads),
        REPLAYED(conflicts_and_passes_come_before_what_takes_them_away),
        REPLAYED(functions_come_before_results_that_share_loads),
        REPLAYED(warps_that_are_ready_do_not_wait),
        REPLAYED(a_short_chain_is_named_where_it_gains),
        REPLAYED(narrow_accesses_come_behind_what_is_specific),
        REPLAYED(narrow_accesses_come_behind_a_third_by_functions),
        REPLAYED(narrow_accesses_are_two_of_a_hundred_instructions),
        REPLAYED(loads_in_flight_come_before_gathers_that_are_scattered),
        REPLAYED(steps_at_barriers_come_before_loading_ahead),
        REPLAYED(rows_that_are_found_need_loads_in_flight_before_wider_ones),
        REPLAYED(pairs_of_halves_come_before_narrow_accesses),
        REPLAYED(ranks_go_on_from_one_to_the_next),
        REPLAYED(loads_of_the_same_come_before_narrow_ones),
        REPLAYED(bytes_are_narrow_though_others_load_them_too),
        REPLAYED(launches_are_not_blamed_for_what_one_loads_again),
        REPLAYED(launches_with_data_of_their_own_are_run_together),
        REPLAYED(launches_in_one_begin_once),
        REPLAYED(launches_that_need_no_other_are_run_together),
        REPLAYED(launches_in_one_wait_once),
        REPLAYED(what_launches_look_up_stays),
        REPLAYED(steps_of_a_thread_alone_meet_nowhere),
        REPLAYED(steps_of_a_block_compute_between_barriers),
        REPLAYED(steps_of_all_data_are_computed_by_one_sm),
        REPLAYED(bytes_that_l2_had_are_no_floor),
        REPLAYED(loads_between_barriers_are_no_overlap),
        REPLAYED(what_the_l1_serves_again_is_for_registers),
        REPLAYED(tensor_cores_are_priced_by_a_replay_or_a_bound),
        REPLAYED(tensor_cores_are_called_idle_only_where_lanes_do_their_work),
        REPLAYED(loads_and_stores_promise_one_replay_once),
        REPLAYED(fields_that_fill_their_lines_are_narrow),
        REPLAYED(unequal_warps_stand_behind_the_barriers_they_wait_at),
        REPLAYED(unequal_blocks_alone_come_before_their_warps),
        REPLAYED(unequal_blocks_are_found_where_the_sample_is_unlike_them),
        REPLAYED(few_warps_name_what_limits_them),
        REPLAYED(loads_by_threes_are_few_where_more_gain),
        REPLAYED(functions_come_before_what_any_stream_gains_by),
        REPLAYED(room_for_blocks_comes_before_loading_ahead),
        REPLAYED(registers_come_before_few_loads),
        REPLAYED(streams_beside_lookups_are_narrow),
        REPLAYED(loads_a_turn_ahead_come_before_barriers_and_registers),
        REPLAYED(most_loads_again_are_for_registers_where_that_gains),
        REPLAYED(second_passes_at_the_roof_leave_the_bytes),
        REPLAYED(words_for_all_lanes_do_not_hide_narrow_accesses),
        REPLAYED(a_last_wave_of_equal_blocks_counts_from_a_tenth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
