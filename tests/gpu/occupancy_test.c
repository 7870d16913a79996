// Occupancy against what NVIDIA's calculator and driver say, and for AMD's chips LLVM.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/gpu.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct gpu *chip(struct arena *a, const char *id)
{
    struct error err = {0};
    struct gpu *g = NULL;
    if (!gpu_load(a, id, &g, &err))
        fail_msg("%s", err.message);
    return g;
}

static bool fits(const struct gpu *g, int threads, int registers, uint64_t shared_bytes,
                 struct occupancy *o)
{
    return gpu_occupancy(g, &(struct block_needs){threads, registers, shared_bytes}, o);
}

static void occupancy_is_that_of_the_calculator(void **state)
{
    static const struct {
        const char *chip;
        int threads, registers;
        uint64_t shared_bytes;
        int blocks;
        enum occupancy_limit limiter;
    } ROWS[] = {
        // h200-counters/counters.csv: 16 registers, 100 % of the warps possible.
        {"h200", 1024, 16, 0, 2, LIMIT_WARPS},
        {"h200", 1024, 16, 4224, 2, LIMIT_WARPS},
        {"h200", 256, 16, 0, 8, LIMIT_WARPS},
        // 65536 / 4 shares / 1280 = 12 warps a share, 48 warps.
        {"h200", 256, 40, 0, 6, LIMIT_REGISTERS},
        {"h200", 32, 40, 0, 32, LIMIT_BLOCKS},
        {"h200", 32, 64, 0, 32, LIMIT_BLOCKS},
        {"h200", 256, 255, 0, 1, LIMIT_REGISTERS},
        {"h200", 288, 64, 0, 3, LIMIT_REGISTERS}, // 9 warps: 32 / 9
        {"h200", 1024, 64, 0, 1, LIMIT_REGISTERS},
        {"h200", 1000, 33, 0, 1, LIMIT_REGISTERS}, // 40 registers per thread: 48 warps, 32 a block
        // 227 KiB per block at most; 113 KiB and the reserved 1 KiB fit twice.
        {"h200", 128, 32, 232448, 1, LIMIT_SHARED},
        {"h200", 128, 32, 115712, 2, LIMIT_SHARED},
        {"h200", 128, 32, 115713, 1, LIMIT_SHARED},
        {"h200", 128, 32, 49152, 4, LIMIT_SHARED},
        // Seen with CUDA.active_blocks on an Ada chip: four blocks at 200 registers, five at 168.
        {"rtx4090", 64, 200, 16888, 4, LIMIT_REGISTERS},
        {"rtx4090", 64, 168, 16888, 5, LIMIT_SHARED},
        {"rtx4090", 1024, 32, 0, 1, LIMIT_WARPS},
        {"rtx4090", 32, 32, 0, 24, LIMIT_BLOCKS},
        {"v100", 128, 32, 49152, 2, LIMIT_SHARED}, // nothing reserved before 8.0
        {"v100", 128, 32, 12288, 8, LIMIT_SHARED},
        {"a100", 128, 32, 49152, 3, LIMIT_SHARED},
    };
    struct arena a = {0};
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        const struct gpu *g = chip(&a, ROWS[i].chip);
        struct occupancy o;
        assert_true(fits(g, ROWS[i].threads, ROWS[i].registers, ROWS[i].shared_bytes, &o));
        assert_int_equal(o.blocks_per_sm, ROWS[i].blocks);
        assert_int_equal(o.limiter, ROWS[i].limiter);
        int warps = (ROWS[i].threads + 31) / 32 * ROWS[i].blocks;
        assert_int_equal(o.warps_per_sm, warps);
        assert_true(o.pct == 100.0 * warps / GPU(g, max_warps_per_sm));
        for (int l = 0; l < LIMIT_COUNT; l++)
            assert_true(o.blocks_by[l] >= o.blocks_per_sm);
    }
    arena_release(&a);
}

static void occupancy_reports_what_can_not_run(void **state)
{
    struct arena a = {0};
    const struct gpu *g = chip(&a, "h200");
    struct occupancy o;
    assert_false(fits(g, 0, 32, 0, &o));
    assert_false(fits(g, 1025, 32, 0, &o));
    assert_int_equal(o.blocks_per_sm, 0);
    assert_false(fits(g, 1024, 65, 0, &o)); // 72 registers per thread: 28 warps
    assert_int_equal(o.limiter, LIMIT_REGISTERS);
    assert_false(fits(g, 32, 256, 0, &o));
    assert_int_equal(o.limiter, LIMIT_REGISTERS);
    assert_false(fits(g, 32, 32, 232449, &o));
    assert_int_equal(o.limiter, LIMIT_SHARED);
    assert_true(fits(g, 32, 0, 0, &o)); // registers not known
    arena_release(&a);
}

static void limits_have_names(void **state)
{
    assert_string_equal(occupancy_limit_name(LIMIT_WARPS), "warps");
    assert_string_equal(occupancy_limit_name(LIMIT_SHARED), "shared memory");
    struct arena a = {0};
    assert_string_equal(occupancy_limit_word(chip(&a, "h200"), LIMIT_REGISTERS), "registers");
    assert_string_equal(occupancy_limit_word(chip(&a, "mi300x"), LIMIT_REGISTERS), "VGPRs");
    assert_string_equal(occupancy_limit_word(chip(&a, "mi300x"), LIMIT_SHARED), "LDS");
    assert_string_equal(gpu_words(chip(&a, "mi250x"))->sm, "CU");
    assert_string_equal(gpu_words(chip(&a, "rx7900xtx"))->sm, "WGP");
    arena_release(&a);
}

// cuda_occupancy.h, from 9.0 on: twice as many barriers as blocks, over those a block uses.
static void barriers_limit_from_9_0_on(void **state)
{
    struct arena a = {0};
    struct occupancy o;
    struct block_needs needs = {.threads = 32, .registers = 32};
    assert_true(gpu_occupancy(chip(&a, "h200"), &needs, &o));
    assert_int_equal(o.blocks_by[LIMIT_BARRIERS], 64);
    assert_int_equal(o.blocks_per_sm, 32);
    needs.barriers = 2;
    assert_true(gpu_occupancy(chip(&a, "h200"), &needs, &o));
    assert_int_equal(o.limiter, LIMIT_BLOCKS);
    needs.barriers = 16;
    assert_true(gpu_occupancy(chip(&a, "h200"), &needs, &o));
    assert_int_equal(o.blocks_per_sm, 4);
    assert_int_equal(o.limiter, LIMIT_BARRIERS);
    assert_true(gpu_occupancy(chip(&a, "a100"), &needs, &o));
    assert_int_equal(o.blocks_by[LIMIT_BARRIERS], INT_MAX);
    assert_int_equal(o.blocks_per_sm, 32);
    arena_release(&a);
}

/* ---- AMD ---------------------------------------------------------------------------------------------- */

// A wave a work-group, so that nothing but registers limits: waves a SIMD.
static int waves_per_simd(const struct gpu *g, struct block_needs needs)
{
    struct occupancy o;
    needs.threads = needs.warp_size > 0 ? needs.warp_size : (int)GPU(g, warp_size);
    assert_true(gpu_occupancy(g, &needs, &o));
    assert_int_equal(o.warps_per_sm % (int)GPU(g, schedulers_per_sm), 0);
    return o.warps_per_sm / (int)GPU(g, schedulers_per_sm);
}

// LLVM's getNumWavesPerEUWithNumVGPRs: the file over the registers rounded to their granule, at most
// the slots. gfx90a and gfx942: 512, granule 8, 8 slots. gfx1100: 1536 (wave64: 768), 24 (12), 16.
static void vgprs_limit_waves_as_llvm_has_it(void **state)
{
    static const struct {
        const char *chip;
        int lanes, registers, waves;
    } ROWS[] = {
        {"mi250x", 64, 1, 8},       {"mi250x", 64, 64, 8},     {"mi250x", 64, 65, 7},
        {"mi250x", 64, 72, 7},      {"mi250x", 64, 73, 6},     {"mi250x", 64, 80, 6},
        {"mi250x", 64, 96, 5},      {"mi250x", 64, 97, 4},     {"mi250x", 64, 128, 4},
        {"mi250x", 64, 129, 3},     {"mi250x", 64, 168, 3},    {"mi250x", 64, 169, 2},
        {"mi250x", 64, 256, 2},     {"mi250x", 64, 257, 1},    {"mi250x", 64, 512, 1},
        {"mi300x", 64, 64, 8},      {"mi300x", 64, 128, 4},    {"mi300x", 64, 512, 1},
        {"rx7900xtx", 32, 96, 16},  {"rx7900xtx", 32, 97, 12}, {"rx7900xtx", 32, 120, 12},
        {"rx7900xtx", 32, 144, 10}, {"rx7900xtx", 32, 168, 9}, {"rx7900xtx", 32, 192, 8},
        {"rx7900xtx", 32, 216, 7},  {"rx7900xtx", 32, 256, 5}, {"rx7900xtx", 64, 48, 16},
        {"rx7900xtx", 64, 49, 12},  {"rx7900xtx", 64, 60, 12}, {"rx7900xtx", 64, 128, 5},
        {"rx7900xtx", 64, 256, 2},
    };
    struct arena a = {0};
    for (size_t i = 0; i < COUNT_OF(ROWS); i++)
        assert_int_equal(waves_per_simd(chip(&a, ROWS[i].chip),
                                        (struct block_needs){.registers = ROWS[i].registers,
                                                             .warp_size = ROWS[i].lanes}),
                         ROWS[i].waves);
    arena_release(&a);
}

// Both kinds lie in one file, the accumulators from a multiple of four on. The totals are those of
// LLVM's test agpr-register-count.ll: 9 and 32 take 44, 40 and 16 take 56.
static void accumulators_share_the_file(void **state)
{
    struct arena a = {0};
    const struct gpu *g = chip(&a, "mi250x");
    assert_int_equal(waves_per_simd(g, (struct block_needs){.registers = 9, .accumulators = 32}),
                     8);
    assert_int_equal(waves_per_simd(g, (struct block_needs){.registers = 40, .accumulators = 16}),
                     8);
    assert_int_equal(waves_per_simd(g, (struct block_needs){.registers = 61, .accumulators = 1}),
                     7);
    assert_int_equal(waves_per_simd(g, (struct block_needs){.registers = 60, .accumulators = 4}),
                     8);
    assert_int_equal(waves_per_simd(g, (struct block_needs){.registers = 128, .accumulators = 128}),
                     2);
    struct occupancy o;
    const struct block_needs none = {.threads = 32, .registers = 8, .accumulators = 8};
    assert_false(gpu_occupancy(chip(&a, "h200"), &none, &o));
    arena_release(&a);
}

// LLVM's getMaxNumSGPRs: 800 a SIMD, granule 16; only above 96 do gfx90a's eight slots notice.
static void scalars_limit_waves(void **state)
{
    struct arena a = {0};
    const struct gpu *g = chip(&a, "mi300x");
    assert_int_equal(waves_per_simd(g, (struct block_needs){.registers = 8, .scalars = 96}), 8);
    assert_int_equal(waves_per_simd(g, (struct block_needs){.registers = 8, .scalars = 97}), 7);
    assert_int_equal(waves_per_simd(g, (struct block_needs){.registers = 8, .scalars = 112}), 7);
    struct occupancy o;
    const struct block_needs many = {.threads = 64, .registers = 8, .scalars = 113};
    assert_false(gpu_occupancy(g, &many, &o));
    assert_int_equal(o.limiter, LIMIT_SCALAR);
    arena_release(&a);
}

static void work_groups_are_limited_by_lds_barriers_and_slots(void **state)
{
    static const struct {
        const char *chip;
        int threads, registers;
        uint64_t lds_bytes;
        int lanes, groups;
        enum occupancy_limit limiter;
    } ROWS[] = {
        {"mi300x", 256, 64, 0, 0, 8, LIMIT_WARPS},       // four waves a group, 32 slots
        {"mi300x", 64, 64, 0, 0, 32, LIMIT_WARPS},       // one wave takes no barrier
        {"mi300x", 128, 64, 0, 0, 16, LIMIT_WARPS},      // two waves: 16 groups, 16 barriers
        {"mi300x", 1024, 128, 0, 0, 1, LIMIT_REGISTERS}, // 16 waves of 16
        {"mi300x", 256, 32, 16384, 0, 4, LIMIT_SHARED},
        {"mi300x", 256, 32, 16385, 0, 3, LIMIT_SHARED}, // in units of 512
        {"mi300x", 256, 32, 65536, 0, 1, LIMIT_SHARED},
        {"rx7900xtx", 32, 24, 0, 0, 64, LIMIT_WARPS},
        {"rx7900xtx", 64, 24, 0, 0, 32, LIMIT_WARPS},
        {"rx7900xtx", 64, 24, 0, 64, 64, LIMIT_WARPS},
        {"rx7900xtx", 256, 24, 65536, 0, 2, LIMIT_SHARED}, // of the WGP's 128 KiB
        {"rx7900xtx", 256, 24, 16385, 0, 7, LIMIT_SHARED}, // in units of 1024
    };
    struct arena a = {0};
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        struct occupancy o;
        const struct block_needs needs = {.threads = ROWS[i].threads,
                                          .registers = ROWS[i].registers,
                                          .shared_bytes = ROWS[i].lds_bytes,
                                          .warp_size = ROWS[i].lanes};
        assert_true(gpu_occupancy(chip(&a, ROWS[i].chip), &needs, &o));
        assert_int_equal(o.blocks_per_sm, ROWS[i].groups);
        assert_int_equal(o.limiter, ROWS[i].limiter);
    }
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(occupancy_is_that_of_the_calculator),
        cmocka_unit_test(occupancy_reports_what_can_not_run),
        cmocka_unit_test(limits_have_names),
        cmocka_unit_test(barriers_limit_from_9_0_on),
        cmocka_unit_test(vgprs_limit_waves_as_llvm_has_it),
        cmocka_unit_test(accumulators_share_the_file),
        cmocka_unit_test(scalars_limit_waves),
        cmocka_unit_test(work_groups_are_limited_by_lds_barriers_and_slots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
