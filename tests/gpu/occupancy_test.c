// Occupancy against what NVIDIA's calculator and driver say.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/gpu.h"

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
        {"h200", 1000, 33, 0, 1, LIMIT_REGISTERS}, // 40 registers a thread: 48 warps, 32 a block
        // 227 KiB a block at most; 113 KiB and the reserved 1 KiB fit twice.
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
        assert_true(gpu_occupancy(g, ROWS[i].threads, ROWS[i].registers, ROWS[i].shared_bytes, &o));
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

static void occupancy_tells_what_can_not_run(void **state)
{
    struct arena a = {0};
    const struct gpu *g = chip(&a, "h200");
    struct occupancy o;
    assert_false(gpu_occupancy(g, 0, 32, 0, &o));
    assert_false(gpu_occupancy(g, 1025, 32, 0, &o));
    assert_int_equal(o.blocks_per_sm, 0);
    assert_false(gpu_occupancy(g, 1024, 65, 0, &o)); // 72 registers a thread: 28 warps
    assert_int_equal(o.limiter, LIMIT_REGISTERS);
    assert_false(gpu_occupancy(g, 32, 256, 0, &o));
    assert_int_equal(o.limiter, LIMIT_REGISTERS);
    assert_false(gpu_occupancy(g, 32, 32, 232449, &o));
    assert_int_equal(o.limiter, LIMIT_SHARED);
    assert_true(gpu_occupancy(g, 32, 0, 0, &o)); // registers not known
    arena_release(&a);
}

static void limits_have_names(void **state)
{
    assert_string_equal(occupancy_limit_name(LIMIT_WARPS), "warps");
    assert_string_equal(occupancy_limit_name(LIMIT_SHARED), "shared memory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(occupancy_is_that_of_the_calculator),
        cmocka_unit_test(occupancy_tells_what_can_not_run),
        cmocka_unit_test(limits_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
