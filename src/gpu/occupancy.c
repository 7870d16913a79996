// How many blocks an SM holds at once, as NVIDIA's occupancy calculator has it (the CUDA toolkit's
// cuda_occupancy.h and Nsight Compute's table): the least of four limits. Registers are given to
// whole warps in units, and each of the SM's schedulers has its own share of the register file: a
// warp's registers lie in one share. Shared memory is given to blocks in units, with a reserved part.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/gpu.h"

#include <assert.h>
#include <limits.h>

static uint64_t figure(const struct gpu *g, enum gpu_field f)
{
    return (uint64_t)gpu_get(g, f);
}

static uint64_t divide_up(uint64_t n, uint64_t unit)
{
    return (n + unit - 1) / unit;
}

static int blocks_by_registers(const struct gpu *g, uint64_t warps, uint64_t registers_per_thread)
{
    uint64_t unit = figure(g, GPU_FIELD_register_unit);
    uint64_t file = figure(g, GPU_FIELD_registers_per_sm);
    uint64_t shares = figure(g, GPU_FIELD_schedulers_per_sm);
    if (registers_per_thread > figure(g, GPU_FIELD_max_registers_per_thread))
        return 0;
    if (registers_per_thread == 0)
        return INT_MAX;
    uint64_t per_warp =
        divide_up(registers_per_thread * figure(g, GPU_FIELD_warp_size), unit) * unit;
    // A block starts only if its warps, dealt out evenly, fit in the shares.
    if (per_warp * divide_up(warps, shares) * shares > file)
        return 0;
    return (int)(file / shares / per_warp * shares / warps);
}

static int blocks_by_shared(const struct gpu *g, uint64_t shared_bytes)
{
    if (shared_bytes > figure(g, GPU_FIELD_shared_bytes_per_block))
        return 0;
    uint64_t unit = figure(g, GPU_FIELD_shared_unit_bytes);
    uint64_t need = shared_bytes + figure(g, GPU_FIELD_shared_reserved_bytes);
    if (need == 0)
        return INT_MAX;
    return (int)(figure(g, GPU_FIELD_shared_bytes_per_sm) / (divide_up(need, unit) * unit));
}

bool gpu_occupancy(const struct gpu *g, int block_threads, int registers_per_thread,
                   uint64_t shared_bytes_per_block, struct occupancy *out)
{
    *out = (struct occupancy){.limiter = LIMIT_WARPS};
    if (block_threads < 1 || registers_per_thread < 0 ||
        (uint64_t)block_threads > figure(g, GPU_FIELD_max_threads_per_block))
        return false;
    uint64_t warps = divide_up((uint64_t)block_threads, figure(g, GPU_FIELD_warp_size));
    uint64_t warps_max = figure(g, GPU_FIELD_max_warps_per_sm);
    out->blocks_by[LIMIT_WARPS] = (int)(warps_max / warps);
    out->blocks_by[LIMIT_BLOCKS] = (int)figure(g, GPU_FIELD_max_blocks_per_sm);
    out->blocks_by[LIMIT_REGISTERS] = blocks_by_registers(g, warps, (uint64_t)registers_per_thread);
    out->blocks_by[LIMIT_SHARED] = blocks_by_shared(g, shared_bytes_per_block);
    for (int l = 0; l < LIMIT_COUNT; l++)
        if (out->blocks_by[l] < out->blocks_by[out->limiter])
            out->limiter = (enum occupancy_limit)l;
    out->blocks_per_sm = out->blocks_by[out->limiter];
    out->warps_per_sm = out->blocks_per_sm * (int)warps;
    out->pct = 100.0 * out->warps_per_sm / (double)warps_max;
    return out->blocks_per_sm > 0;
}

const char *occupancy_limit_name(enum occupancy_limit l)
{
    static const char *const names[LIMIT_COUNT] = {
        [LIMIT_WARPS] = "warps",
        [LIMIT_BLOCKS] = "blocks",
        [LIMIT_REGISTERS] = "registers",
        [LIMIT_SHARED] = "shared memory",
    };
    assert((int)l >= 0 && l < LIMIT_COUNT);
    return names[l];
}
