// A chip of round numbers and what the tests of diagnose share: with 100 SMs at 1 GHz a unit a cycle and
// SM is 100 a nanosecond, and every time in these tests is worked out by hand.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_TESTS_ROUND_CHIP_H
#define RIDGE_TESTS_ROUND_CHIP_H

#include "diagnose/diagnose.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct gpu chip;
static struct counters counters;
static struct diagnosis_input in;
static struct diagnosis out;
static struct arena arena;
static struct error err;

static inline int setup(void **state)
{
    (void)state;
    chip = (struct gpu){.id = "round", .name = "Round", .vendor = "nvidia", .arch = "sm_90"};
    for (int f = 0; f < GPU_FIELD_COUNT; f++) {
        chip.value[f] = 1;
        chip.source[f] = "made up";
    }
    chip.value[GPU_FIELD_sm_count] = 100;
    chip.value[GPU_FIELD_unit_busy_best] = 0.86;
    chip.value[GPU_FIELD_clock_mhz] = 1000;
    chip.value[GPU_FIELD_dram_gbps] = 1000;
    chip.value[GPU_FIELD_dram_read_gbps] = 900;
    chip.value[GPU_FIELD_dram_copy_gbps] = 800;
    chip.value[GPU_FIELD_l2_read_gbps] = 3200;  // 100 sectors per ns
    chip.value[GPU_FIELD_l2_write_gbps] = 1600; // 50
    chip.value[GPU_FIELD_l2_write_sectors_per_ns] = 25;
    chip.value[GPU_FIELD_l2_atomics_per_ns] = 2;
    chip.value[GPU_FIELD_l1_bytes_per_cycle] = 128;
    chip.value[GPU_FIELD_shared_wavefront_cycles] = 2; // 50 a ns
    chip.value[GPU_FIELD_f32_lanes_per_cycle] = 128;   // 12800 per ns
    chip.value[GPU_FIELD_f64_lanes_per_cycle] = 64;
    chip.value[GPU_FIELD_f16_lanes_per_cycle] = 256;
    chip.value[GPU_FIELD_integer_lanes_per_cycle] = 64;
    chip.value[GPU_FIELD_special_lanes_per_cycle] = 16;
    chip.value[GPU_FIELD_schedulers_per_sm] = 4; // 400 warp instructions per ns
    chip.value[GPU_FIELD_tensor_bf16_tflops] = 500;
    chip.value[GPU_FIELD_grid_launch_ns] = 2000;
    counters = (struct counters){0};
    in = (struct diagnosis_input){.gpu = &chip,
                                  .counters = &counters,
                                  .time_ns = {100000, PROVENANCE_MODELLED},
                                  .work_bytes = (double)NAN,
                                  .work_flops_f16 = (double)NAN,
                                  .work_flops_f32 = (double)NAN,
                                  .work_flops_f64 = (double)NAN,
                                  .work_flops_tensor = (double)NAN,
                                  .launches = 1,
                                  .grid_blocks = 1000,
                                  .block_threads = 256};
    error_clear(&err);
    return 0;
}

static inline int teardown(void **state)
{
    (void)state;
    arena_release(&arena);
    return 0;
}

static inline void set(enum counter_id id, double value)
{
    counters_set(&counters, id, value, PROVENANCE_SIMULATED);
}

static inline void diagnosed(void)
{
    if (!diagnose(&arena, &in, &out, &err))
        fail_msg("%s", err.message);
}

static inline double bound_ns(enum resource r)
{
    for (int i = 0; i < out.bound_count; i++)
        if (out.bounds[i].resource == r)
            return out.bounds[i].time_ns;
    return (double)NAN;
}

static inline void assert_near(double value, double wanted)
{
    if (!(fabs(value - wanted) <= 1e-9 * fabs(wanted)))
        fail_msg("%.12g is not %.12g", value, wanted);
}

static inline const struct finding *finding_of(const char *part)
{
    for (int i = 0; i < out.finding_count; i++)
        if (strstr(out.findings[i].title, part))
            return &out.findings[i];
    return NULL;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
