// A result that has everything: figures of every origin, text that needs escaping, a finding folded.
// SPDX-License-Identifier: Apache-2.0
#include "support/sample.h"

#include <math.h>

static double samples[] = {1e6, 1.25e6, 999999.5};
static struct chip_sample chip[] = {
    {.at_s = 0, .sample = 0, .sm_mhz = 1980, .power_w = 410.5, .temperature_c = 54},
    {.at_s = 0.25, .sample = 2, .sm_mhz = (double)NAN, .power_w = 414, .temperature_c = 55}};
static struct case_value params[] = {{"N", {true, 4096, 4096}}, {"s", {false, 0, 2.0}}};
static struct line lines[] = {
    {.file = "transpose.cu",
     .line = 7,
     .instructions = UINT64_MAX,
     .global_sectors = 524288,
     .stalls = {.warp_cycles = {[STALL_LONG_SCOREBOARD] = {700, PROVENANCE_MODELLED},
                                [STALL_SELECTED] = {0, PROVENANCE_MODELLED}}}}};
static struct launch_time launches[] = {{"(zero)", {1500, PROVENANCE_MODELLED}},
                                        {"transpose<int>", {2500.5, PROVENANCE_MODELLED}}};
static struct problem problems[] = {{"race", "k.cu:3: kernel 'k': …", .stops = false}};
static struct expectation_result expectations[] = {{"time", "-50%", "-61%", EXPECTATION_HELD},
                                                   {"waves", "2x", NULL, EXPECTATION_UNKNOWN}};
static struct bound bounds[] = {
    {.resource = RESOURCE_DRAM,
     .time_ns = 8e5,
     .work = 1e9,
     .unit = "bytes",
     .rate_per_ns = 4243.5,
     .rate_source = "measured",
     .provenance = PROVENANCE_SIMULATED},
    {.resource = RESOURCE_ISSUE, .time_ns = 0.5, .work = 3, .rate_per_ns = 6}};
static struct finding findings[] = {
    {.class = FINDING_BANDWIDTH,
     .title = "Global loads are uncoalesced",
     .file = "transpose.cu",
     .line = 7,
     .fix = "Use a tile.",
     .expected_time_ns = 123.5,
     .evidence = {{"load_sectors_per_request", {32, PROVENANCE_SIMULATED}},
                  {"time_ns", {1e6, PROVENANCE_MODELLED}}},
     .evidence_count = 2},
    {.class = FINDING_TAIL,
     .title = "Tail",
     .fix = "More blocks.",
     .expected_time_ns = 1,
     .folded = true}};

struct result sample_result(void)
{
    struct result r = {
        .variant = "tiled",
        .from = "naive",
        .title = "Tiled \"é\"",
        .hypothesis = "h",
        .bottleneck = "b",
        .params = params,
        .param_count = 2,
        .case_label = "N=4096 s=2",
        .status = RESULT_OK,
        .checked = true,
        .verified = true,
        .compiler = "NVRTC 13.0",
        .code_key = "0123456789abcdef0123456789abcdef",
        .work_hash = "fedcba9876543210fedcba9876543210",
        .same_as = "another",
        .seed = 9007199254740993u,
        .stalls = {.warp_cycles = {[STALL_LONG_SCOREBOARD] = {750.5, PROVENANCE_MODELLED},
                                   [STALL_BARRIER] = {250, PROVENANCE_MEASURED}}},
        .lines = lines,
        .line_count = 1,
        .problems = problems,
        .problem_count = 1,
        .printed = "hi\n",
        .note = "no hardware counters: denied",
        .conditions = {.batch = 3,
                       .sm_mhz = 1980,
                       .power_w = 412.5,
                       .temperature_c = 55,
                       .energy_mj = 0.75,
                       .throttled_samples = 4,
                       .warm_up_runs = 640,
                       .throttled = "power limit",
                       .chip = chip,
                       .chip_count = 2},
        .expectations = expectations,
        .launches = launches,
        .launch_count = 2,
        .expectation_count = 2,
        .diagnosed = true,
        .worst_relative_error = 1e-7,
        .worst_absolute_error = 0};
    r.time = (struct time_result){.provenance = PROVENANCE_MEASURED,
                                  .summary = stats_summary(samples, 3),
                                  .samples_ns = samples};
    counters_set(&r.counters, COUNTER_GLOBAL_LOAD_SECTORS, 524288, PROVENANCE_SIMULATED);
    counters_set(&r.counters, COUNTER_WAVES, 1.5, PROVENANCE_MODELLED);
    counters_set(&r.counters, COUNTER_BARRIERS, 0, PROVENANCE_SIMULATED);
    r.diagnosis = (struct diagnosis){.bounds = bounds,
                                     .bound_count = 2,
                                     .floor_ns = 7.5e5,
                                     .code_floor_ns = 8e5,
                                     .limiter = "dram",
                                     .limiter_why = "why",
                                     .waiting = {1700, 2500.5, 0, 1e5},
                                     .throughput_gbps = 4000.25,
                                     .intensity = (double)NAN,
                                     .pct_of_floor = 75,
                                     .findings = findings,
                                     .finding_count = 2};
    r.speedup = (struct speedup){true, "naive", {2.5, 2.25, 2.75, VERDICT_FASTER}};
    return r;
}

struct run_header sample_header(void)
{
    return (struct run_header){.ridge_version = "0.1.0",
                               .started = "2026-11-20T21:00:00Z",
                               .git = "0123456789012345678901234567890123456789",
                               .experiment = "transpose",
                               .title = "Transpose",
                               .experiment_path = "experiments/transpose/experiment.yaml",
                               .command = "ridge run experiments/transpose",
                               .device_id = "sim:h200",
                               .device_name = "NVIDIA H200 (simulated)",
                               .device_cc = 9.0,
                               .cache_state = "cold"};
}
