// Bounds, the limiter, findings and the stop rule.
// SPDX-License-Identifier: Apache-2.0
#include "diagnose/round_chip.h"

/* ---- bounds ---------------------------------------------------------------------------------------- */

static void bounds_are_work_over_rate(void **state)
{
    (void)state;
    set(COUNTER_SHARED_LOAD_WAVEFRONTS, 30000);
    set(COUNTER_SHARED_STORE_WAVEFRONTS, 20000);
    set(COUNTER_FADD_F32, 1e6);
    set(COUNTER_FMUL_F32, 2e6);
    set(COUNTER_FFMA_F32, 9.8e6);
    set(COUNTER_FLOPS_F64, 1.28e7);
    set(COUNTER_FLOPS_F16, 5.12e7);
    set(COUNTER_FLOPS_TENSOR, 5e8);
    set(COUNTER_INTEGER_OPS, 6.4e6);
    set(COUNTER_SPECIAL_OPS, 1.6e6);
    set(COUNTER_WARP_INSTRUCTIONS, 4e5);
    set(COUNTER_GLOBAL_ATOMIC_SECTORS, 4000);
    diagnosed();
    assert_near(bound_ns(RESOURCE_SHARED), 1000);  // 50000 / 50
    assert_near(bound_ns(RESOURCE_F32), 1000);     // 12.8 M / 12800
    assert_near(bound_ns(RESOURCE_F64), 1000);     // 12.8 M / (2 * 6400)
    assert_near(bound_ns(RESOURCE_F16), 1000);     // 51.2 M / (2 * 25600)
    assert_near(bound_ns(RESOURCE_TENSOR), 1000);  // 500 M / 500000
    assert_near(bound_ns(RESOURCE_INTEGER), 1000); // 6.4 M / 6400
    assert_near(bound_ns(RESOURCE_SPECIAL), 1000); // 1.6 M / 1600
    assert_near(bound_ns(RESOURCE_ISSUE), 1000);   // 400 k / 400
    assert_near(bound_ns(RESOURCE_ATOMICS), 2000); // 4000 / 2
    assert_near(bound_ns(RESOURCE_LAUNCH), 2000);  // one
}

static void atomics_that_meet_are_bound_by_the_place_where_they_do(void **state)
{
    (void)state;
    struct time_breakdown t = {.valid = true, .time_ns = 100000};
    set(COUNTER_GLOBAL_ATOMIC_SECTORS, 4000); // 2000 ns spread over the chip
    t.busy_ns[BREAKDOWN_ATOMIC] = 3000;
    in.time_model = &t;
    diagnosed();
    assert_near(bound_ns(RESOURCE_ATOMICS), 2000);
    t.busy_ns[BREAKDOWN_ATOMIC] = 90000;
    diagnosed();
    assert_near(bound_ns(RESOURCE_ATOMICS), 90000);
    assert_string_equal(out.limiter, "atomics");
}

static void device_memory_is_held_to_the_copy_rate_where_the_job_writes(void **state)
{
    (void)state;
    set(COUNTER_GLOBAL_LOAD_SECTORS, 1000);
    set(COUNTER_DRAM_READ_BYTES, 7.2e6);
    diagnosed();
    assert_near(bound_ns(RESOURCE_DRAM), 8000); // 7.2 MB / 900 a ns
    set(COUNTER_GLOBAL_STORE_SECTORS, 1000);
    set(COUNTER_DRAM_WRITE_BYTES, 0.8e6);
    diagnosed();
    assert_near(bound_ns(RESOURCE_DRAM), 10000); // 8 MB / 800
    chip.value[GPU_FIELD_dram_copy_gbps] = (double)NAN;
    diagnosed();
    assert_near(bound_ns(RESOURCE_DRAM), 8000); // the data sheet's 1000
}

static void l2_takes_loads_that_miss_l1_and_stores_whole_or_in_part(void **state)
{
    (void)state;
    set(COUNTER_GLOBAL_LOAD_SECTORS, 300000);
    set(COUNTER_GLOBAL_LOAD_SECTORS_IDEAL, 300000);
    set(COUNTER_L1_LOAD_SECTORS_HIT, 100000);
    diagnosed();
    assert_near(bound_ns(RESOURCE_L2), 2000); // 200 k sectors / 100
    set(COUNTER_GLOBAL_STORE_SECTORS, 100000);
    set(COUNTER_GLOBAL_STORE_SECTORS_IDEAL, 100000);
    diagnosed();
    assert_near(bound_ns(RESOURCE_L2), 4000); // and 100 k / 50
    set(COUNTER_GLOBAL_STORE_SECTORS_IDEAL, 50000);
    diagnosed();
    assert_near(bound_ns(RESOURCE_L2), 6000); // in part: 100 k / 25
}

static void l1_looks_up_lines_or_returns_bytes_whichever_takes_longer(void **state)
{
    (void)state;
    set(COUNTER_GLOBAL_LOAD_LINES, 200000);
    diagnosed();
    assert_near(bound_ns(RESOURCE_L1), 2000); // 100 a ns
    set(COUNTER_GLOBAL_LOAD_SECTORS_IDEAL, 1.2e6);
    diagnosed();
    assert_near(bound_ns(RESOURCE_L1), 3000); // 38.4 MB / 12800
}

static void bounds_come_largest_first_with_work_rate_and_origin(void **state)
{
    (void)state;
    set(COUNTER_WARP_INSTRUCTIONS, 4e6);
    counters_set(&counters, COUNTER_INTEGER_OPS, 6.4e7, PROVENANCE_MEASURED);
    set(COUNTER_DRAM_READ_BYTES, 9e5);
    diagnosed();
    assert_int_equal(out.bound_count, 4);
    for (int i = 1; i < out.bound_count; i++)
        assert_true(out.bounds[i - 1].time_ns >= out.bounds[i].time_ns);
    for (int i = 0; i < out.bound_count; i++) {
        const struct bound *b = &out.bounds[i];
        assert_near(b->work / b->rate_per_ns, b->time_ns);
        assert_string_equal(b->rate_source, "made up");
        assert_int_equal(b->provenance, b->resource == RESOURCE_INTEGER  ? PROVENANCE_MEASURED
                                        : b->resource == RESOURCE_LAUNCH ? PROVENANCE_MODELLED
                                                                         : PROVENANCE_SIMULATED);
    }
}

static void absent_counters_and_rates_give_no_bound(void **state)
{
    (void)state;
    diagnosed();
    assert_int_equal(out.bound_count, 1); // the launch
    assert_true(isnan(out.code_floor_ns) && isnan(out.floor_ns) && isnan(out.pct_of_floor));
    assert_true(isnan(out.throughput_gbps) && isnan(out.intensity));
    assert_null(out.limiter);
    chip.value[GPU_FIELD_tensor_bf16_tflops] = (double)NAN;
    set(COUNTER_FLOPS_TENSOR, 5e8);
    diagnosed();
    assert_true(isnan(bound_ns(RESOURCE_TENSOR)));
}

static void without_a_time_there_is_nothing_to_diagnose(void **state)
{
    (void)state;
    in.time_ns = (struct figure){0, PROVENANCE_ABSENT};
    assert_false(diagnose(&arena, &in, &out, &err));
    assert_string_equal(err.message,
                        "no time was measured or modelled, so there is nothing to diagnose");
}

/* ---- the floor, the limiter ------------------------------------------------------------------------- */

static void floor_is_the_larger_of_least_bytes_and_least_operations(void **state)
{
    (void)state;
    set(COUNTER_GLOBAL_LOAD_SECTORS, 1000);
    in.work_bytes = 9e6;
    diagnosed();
    assert_near(out.floor_ns, 10000); // 9 MB / 900
    assert_near(out.pct_of_floor, 10);
    assert_near(out.throughput_gbps, 90);
    assert_true(isnan(out.intensity));
    in.work_flops_f32 = 5.12e8; // 2 * 12800 per ns
    diagnosed();
    assert_near(out.floor_ns, 20000);
    assert_near(out.intensity, 5.12e8 / 9e6);
    in.work_flops_tensor = in.work_tensor[TENSOR_FP8] =
        4e10; // of 500 per ns as bf16, of 1000 as they are
    chip.value[GPU_FIELD_tensor_fp8_tflops] = 1000;
    diagnosed();
    assert_near(out.floor_ns, 40000);
}

static void limiter_is_what_is_busy_for_60_percent_of_the_time(void **state)
{
    (void)state;
    set(COUNTER_WARP_INSTRUCTIONS, 400.0 * 60001);
    diagnosed();
    assert_string_equal(out.limiter, "issue");
    assert_non_null(strstr(out.limiter_why, "busy for 60 % of the time"));
    set(COUNTER_WARP_INSTRUCTIONS, 400.0 * 59999);
    diagnosed();
    assert_string_equal(out.limiter, "latency");
    in.launches = 31; // 62 % of the time
    diagnosed();
    assert_string_equal(out.limiter, "launch");
    in.launches = 29;
    diagnosed();
    assert_string_equal(out.limiter, "latency");
}

/* ---- findings at their thresholds -------------------------------------------------------------------- */

static void uncoalesced_loads_are_found_under_90_percent_of_sectors_used(void **state)
{
    (void)state;
    struct line lines[] = {
        {.file = "k.cu", .line = 3, .global_sectors = 500},
        {.file = "k.cu", .line = 9, .global_sectors = 9000, .global_sectors_ideal = 900}};
    in.lines = lines;
    in.line_count = 2;
    set(COUNTER_GLOBAL_LOAD_REQUESTS, 250000);
    set(COUNTER_GLOBAL_LOAD_SECTORS, 8e6); // 80 us of L2
    set(COUNTER_GLOBAL_LOAD_SECTORS_IDEAL, 0.901 * 8e6);
    diagnosed();
    assert_null(finding_of("Global loads are uncoalesced"));
    set(COUNTER_GLOBAL_LOAD_SECTORS_IDEAL, 1e6);
    diagnosed();
    const struct finding *f = finding_of("Global loads are uncoalesced: 32.0 sectors per request, "
                                         "4.0 would do");
    assert_non_null(f);
    assert_int_equal(f->class, FINDING_BANDWIDTH);
    assert_string_equal(f->file, "k.cu");
    assert_int_equal(f->line, 9);            // where most is wasted
    assert_near(f->expected_time_ns, 30000); // 80 us of L2 become 10 us; the other 20 us stay
    assert_false(f->folded);
    assert_string_equal(f->evidence[0].name, "load_sectors_per_request");
    assert_near(f->evidence[0].figure.value, 32);
    assert_int_equal(f->evidence[0].figure.provenance, PROVENANCE_SIMULATED);
    set(COUNTER_GLOBAL_LOAD_SECTORS_IDEAL, 0); // bytes that were not counted, not bytes in vain
    diagnosed();
    assert_null(finding_of("Global loads are uncoalesced"));
}

static void uncoalesced_stores_are_found_apart_from_loads(void **state)
{
    (void)state;
    set(COUNTER_GLOBAL_STORE_REQUESTS, 1000);
    set(COUNTER_GLOBAL_STORE_SECTORS, 32000);
    set(COUNTER_GLOBAL_STORE_SECTORS_IDEAL, 4000);
    diagnosed();
    assert_non_null(finding_of("Global stores are uncoalesced: 32.0 sectors per request"));
    assert_null(finding_of("Global loads"));
}

// Hardware counts bytes: 4 of a block's one result, over 32.
static void a_sector_for_one_lane_is_not_scattered(void **state)
{
    (void)state;
    set(COUNTER_GLOBAL_STORE_REQUESTS, 1000);
    set(COUNTER_GLOBAL_STORE_SECTORS, 1000);
    set(COUNTER_GLOBAL_STORE_SECTORS_IDEAL, 125);
    diagnosed();
    assert_null(finding_of("Global stores are uncoalesced"));
    set(COUNTER_GLOBAL_STORE_SECTORS, 8000); // the twin: eight lanes, each in a sector of its own
    diagnosed();
    assert_non_null(
        finding_of("Global stores are uncoalesced: 8.0 sectors per request, 1.0 would do"));
}

static void bank_conflicts_are_found_from_2_percent(void **state)
{
    (void)state;
    set(COUNTER_SHARED_LOAD_REQUESTS, 1e6);
    set(COUNTER_SHARED_STORE_REQUESTS, 1e6);
    set(COUNTER_SHARED_LOAD_WAVEFRONTS_IDEAL, 1e6);
    set(COUNTER_SHARED_STORE_WAVEFRONTS_IDEAL, 1e6);
    set(COUNTER_SHARED_STORE_WAVEFRONTS, 1e6);
    set(COUNTER_SHARED_LOAD_WAVEFRONTS, 1.04e6); // 1.96 %
    diagnosed();
    assert_null(finding_of("banks conflict"));
    set(COUNTER_SHARED_LOAD_WAVEFRONTS, 1.042e6);
    diagnosed();
    assert_non_null(finding_of("banks conflict"));
    set(COUNTER_SHARED_LOAD_WAVEFRONTS, 3e6); // 80 us, of which 40 without conflicts
    diagnosed();
    const struct finding *f = finding_of("2.0 wavefronts per request, 50 % of them only because of "
                                         "conflicts");
    assert_non_null(f);
    assert_near(f->expected_time_ns, 60000);
    set(COUNTER_SHARED_LOAD_REQUESTS, 0); // passes of bulk copies: no load or store of a warp
    set(COUNTER_SHARED_STORE_REQUESTS, 0);
    diagnosed();
    assert_null(finding_of("banks conflict"));
}

static void idle_lanes_are_found_under_90_percent(void **state)
{
    (void)state;
    set(COUNTER_WARP_INSTRUCTIONS, 400 * 80000.0);
    set(COUNTER_LANES_ACTIVE_PCT, 90);
    diagnosed();
    assert_null(finding_of("Lanes idle"));
    set(COUNTER_LANES_ACTIVE_PCT, 50);
    diagnosed();
    const struct finding *f = finding_of("Lanes idle: 50 %");
    assert_non_null(f);
    assert_int_equal(f->class, FINDING_DIVERGENCE);
    assert_near(f->expected_time_ns, 60000); // 80 us of issue become 40
}

static void low_occupancy_is_found_only_where_warps_wait(void **state)
{
    (void)state;
    set(COUNTER_WARP_INSTRUCTIONS, 400 * 50000.0);
    set(COUNTER_OCCUPANCY_THEORETICAL_PCT, 50);
    diagnosed();
    assert_null(finding_of("Few warps"));
    set(COUNTER_OCCUPANCY_THEORETICAL_PCT, 25);
    diagnosed();
    assert_non_null(finding_of("Few warps to hide latency with: an SM holds 25 % of its warps"));
    set(COUNTER_WARP_INSTRUCTIONS, 400 * 70000.0); // a resource is busy: more warps do not help
    diagnosed();
    assert_null(finding_of("Few warps"));
}

static void busy_device_memory_is_found_from_80_percent(void **state)
{
    (void)state;
    in.work_bytes = 9e6;
    set(COUNTER_DRAM_READ_BYTES, 900 * 79000.0);
    diagnosed();
    assert_null(finding_of("Device memory is busy"));
    set(COUNTER_DRAM_READ_BYTES, 900 * 81000.0);
    diagnosed();
    assert_non_null(finding_of("Device memory is busy 81 % of the time and moves 8.1 times the "
                               "bytes the job needs"));
    in.work_bytes = 900 * 81000.0;
    diagnosed();
    assert_non_null(finding_of("Device memory is busy 81 % of the time: close to its roof"));
}

static void short_kernels_and_poor_grids_are_found(void **state)
{
    (void)state;
    set(COUNTER_WARP_INSTRUCTIONS, 400 * 1000.0);
    in.launches = 14; // 28 us
    diagnosed();
    assert_null(finding_of("Starting the kernel"));
    in.launches = 16;
    diagnosed();
    assert_non_null(finding_of("Starting the kernel is 32 % of the time"));
    in.launches = 1;
    set(COUNTER_WAVES, 1.41); // 1.41 of 2: 70.5 %
    diagnosed();
    assert_null(finding_of("waves of blocks"));
    set(COUNTER_WAVES, 1.01);
    diagnosed();
    assert_non_null(finding_of("The last of 2 waves of blocks is nearly empty"));
    set(COUNTER_WAVES, 0.25);
    diagnosed();
    assert_non_null(finding_of("The grid fills only 25 % of the chip"));
}

static void findings_come_ranked_and_small_ones_are_folded(void **state)
{
    (void)state;
    set(COUNTER_GLOBAL_LOAD_REQUESTS, 250000);
    set(COUNTER_GLOBAL_LOAD_SECTORS, 8e6);
    set(COUNTER_GLOBAL_LOAD_SECTORS_IDEAL, 1e6);
    set(COUNTER_GLOBAL_STORE_REQUESTS, 100);
    set(COUNTER_GLOBAL_STORE_SECTORS, 3200);
    set(COUNTER_GLOBAL_STORE_SECTORS_IDEAL, 400);
    diagnosed();
    assert_true(out.finding_count >= 2);
    for (int i = 1; i < out.finding_count; i++)
        assert_true(out.findings[i - 1].expected_time_ns <= out.findings[i].expected_time_ns);
    assert_false(finding_of("Global loads")->folded);
    assert_true(finding_of("Global stores")->folded); // 3200 sectors: under 3 % of the time
    for (int i = 0; i < out.finding_count; i++) {
        assert_true(out.findings[i].expected_time_ns <= in.time_ns.value);
        assert_true(out.findings[i].expected_time_ns > 0);
    }
}

/* ---- the stop rule ------------------------------------------------------------------------------------ */

static void stop_rule_says_close_to_peak_within_5_percent_of_the_floor(void **state)
{
    (void)state;
    const struct stop_input near[] = {{200, 100}, {104.9, 100}}, far[] = {{200, 100}, {105.1, 100}};
    assert_string_equal(diagnose_stop(near, 2), "close to peak");
    assert_null(diagnose_stop(far, 2));
}

static void stop_rule_says_diminishing_returns_after_three_without_gain(void **state)
{
    (void)state;
    const double f = 160, unknown = (double)NAN; // 80 % of the floor
    const struct stop_input two[] = {{200, f}, {200, f}, {205, f}};
    const struct stop_input three[] = {{200, f}, {200, f}, {205, f}, {199.9, f}};
    const struct stop_input gain[] = {{200, f}, {200, f}, {205, f}, {180, f}};
    const struct stop_input none[] = {
        {200, unknown}, {200, unknown}, {205, unknown}, {199.9, unknown}};
    assert_null(diagnose_stop(two, 3));
    assert_string_equal(diagnose_stop(three, 4), "diminishing returns");
    assert_string_equal(diagnose_stop(none, 4), "diminishing returns");
    assert_null(diagnose_stop(gain, 4));
}

// At 11 % or 56 % of the floor there is much to gain, by other steps than these.
static void stop_rule_does_not_stop_far_from_the_floor(void **state)
{
    (void)state;
    for (double f = 22; f <= 112; f += 90) {
        const struct stop_input far[] = {{200, f}, {200, f}, {205, f}, {199.9, f}};
        assert_null(diagnose_stop(far, 4));
    }
}

static void stop_rule_passes_over_variants_that_failed(void **state)
{
    (void)state;
    const double nothing = (double)NAN;
    const struct stop_input failed[] = {
        {200, nothing}, {nothing, nothing}, {nothing, nothing}, {nothing, nothing}};
    assert_null(diagnose_stop(failed, 4));
    assert_null(diagnose_stop(NULL, 0));
}

// bench/advice/thirteenth, norm256: at the end of a tree most warps have no lane that takes part. An H200 counts a pass through the data
// stage for each of their requests, but no wavefront of shared memory: that is no work of global memory.
static void requests_without_lanes_are_of_shared_memory(void **state)
{
    (void)state;
    set(COUNTER_GLOBAL_LOAD_REQUESTS, 100 * 1000.0);
    set(COUNTER_GLOBAL_LOAD_SECTORS, 400 * 1000.0);
    set(COUNTER_L1_WAVEFRONTS, 1000 * 1000.0);
    set(COUNTER_SHARED_LOAD_REQUESTS, 900 * 1000.0);
    set(COUNTER_SHARED_LOAD_WAVEFRONTS, 200 * 1000.0);
    diagnosed();
    assert_near(bound_ns(RESOURCE_SHARED), 1000 * 1000 / 50.0);
    assert_near(bound_ns(RESOURCE_L1), 100 * 1000 / 50.0);
    set(COUNTER_SHARED_LOAD_REQUESTS, 100 * 1000.0); // the twin: each of them has lanes
    diagnosed();
    assert_near(bound_ns(RESOURCE_SHARED), 200 * 1000 / 50.0);
    assert_near(bound_ns(RESOURCE_L1), 1000 * 1000 / 50.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(bounds_are_work_over_rate),
        TEST(atomics_that_meet_are_bound_by_the_place_where_they_do),
        TEST(device_memory_is_held_to_the_copy_rate_where_the_job_writes),
        TEST(l2_takes_loads_that_miss_l1_and_stores_whole_or_in_part),
        TEST(l1_looks_up_lines_or_returns_bytes_whichever_takes_longer),
        TEST(requests_without_lanes_are_of_shared_memory),
        TEST(bounds_come_largest_first_with_work_rate_and_origin),
        TEST(absent_counters_and_rates_give_no_bound),
        TEST(without_a_time_there_is_nothing_to_diagnose),
        TEST(floor_is_the_larger_of_least_bytes_and_least_operations),
        TEST(limiter_is_what_is_busy_for_60_percent_of_the_time),
        TEST(uncoalesced_loads_are_found_under_90_percent_of_sectors_used),
        TEST(uncoalesced_stores_are_found_apart_from_loads),
        TEST(a_sector_for_one_lane_is_not_scattered),
        TEST(bank_conflicts_are_found_from_2_percent),
        TEST(idle_lanes_are_found_under_90_percent),
        TEST(low_occupancy_is_found_only_where_warps_wait),
        TEST(busy_device_memory_is_found_from_80_percent),
        TEST(short_kernels_and_poor_grids_are_found),
        TEST(findings_come_ranked_and_small_ones_are_folded),
        TEST(stop_rule_says_close_to_peak_within_5_percent_of_the_floor),
        TEST(stop_rule_says_diminishing_returns_after_three_without_gain),
        TEST(stop_rule_does_not_stop_far_from_the_floor),
        TEST(stop_rule_passes_over_variants_that_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
