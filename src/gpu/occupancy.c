// How many blocks an SM holds at once, as NVIDIA's occupancy calculator has it (the CUDA toolkit's
// cuda_occupancy.h and Nsight Compute's table) and, for AMD's chips, LLVM (AMDGPUBaseInfo.cpp, IsaInfo):
// the least of the limits. Registers are given to whole warps in units, and each of the SM's schedulers
// (AMD's SIMDs) has its own share of the register file: a warp's registers lie in one share. Shared
// memory is given to blocks in units, with a reserved part. The arithmetic is one; the figures differ:
// AMD adds the scalar registers, and CDNA's accumulators, which lie behind a wave's other VGPRs.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/gpu.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <string.h>

static uint64_t figure(const struct gpu *g, enum gpu_field f)
{
    return (uint64_t)gpu_get(g, f);
}

static bool known(const struct gpu *g, enum gpu_field f)
{
    return !isnan(g->value[f]);
}

static uint64_t divide_up(uint64_t n, uint64_t unit)
{
    return (n + unit - 1) / unit;
}

static uint64_t align_up(uint64_t n, uint64_t unit)
{
    return divide_up(n, unit) * unit;
}

// Of both kinds where the file holds both (LLVM: getTotalNumVGPRs).
static uint64_t registers_per_thread(const struct gpu *g, const struct block_needs *n)
{
    uint64_t registers = (uint64_t)n->registers;
    if (n->accumulators > 0)
        registers =
            align_up(registers, figure(g, GPU_FIELD_accumulator_align)) + (uint64_t)n->accumulators;
    return registers;
}

static int blocks_by_registers(const struct gpu *g, uint64_t warps, uint64_t lanes,
                               uint64_t registers)
{
    uint64_t file = figure(g, GPU_FIELD_registers_per_sm);
    uint64_t shares = figure(g, GPU_FIELD_schedulers_per_sm);
    if (registers > figure(g, GPU_FIELD_max_registers_per_thread))
        return 0;
    if (registers == 0)
        return INT_MAX;
    uint64_t per_warp = align_up(registers * lanes, figure(g, GPU_FIELD_register_unit));
    // A block starts only if its warps, dealt out evenly, fit in the shares.
    if (per_warp * divide_up(warps, shares) * shares > file)
        return 0;
    return (int)(file / shares / per_warp * shares / warps);
}

static int blocks_by_shared(const struct gpu *g, uint64_t shared_bytes)
{
    if (shared_bytes > figure(g, GPU_FIELD_shared_bytes_per_block))
        return 0;
    uint64_t need = shared_bytes + figure(g, GPU_FIELD_shared_reserved_bytes);
    if (need == 0)
        return INT_MAX;
    return (int)(figure(g, GPU_FIELD_shared_bytes_per_sm) /
                 align_up(need, figure(g, GPU_FIELD_shared_unit_bytes)));
}

// NVIDIA has twice as many barriers as blocks (from 9.0 on; before there is no such limit). AMD's are
// for work-groups of more than a wave.
static int blocks_by_barriers(const struct gpu *g, uint64_t warps, int used)
{
    bool amd = strcmp(g->vendor, "amd") == 0;
    if (!known(g, GPU_FIELD_barriers_per_sm) || (amd && warps == 1))
        return INT_MAX;
    return (int)figure(g, GPU_FIELD_barriers_per_sm) / (used > 0 ? used : 1);
}

static int blocks_by_scalars(const struct gpu *g, uint64_t warps, int scalars)
{
    if (!known(g, GPU_FIELD_scalar_registers) || scalars <= 0)
        return INT_MAX;
    if ((uint64_t)scalars > figure(g, GPU_FIELD_max_scalar_registers))
        return 0;
    uint64_t each = align_up((uint64_t)scalars, figure(g, GPU_FIELD_scalar_register_unit));
    return (int)(figure(g, GPU_FIELD_scalar_registers) / each *
                 figure(g, GPU_FIELD_schedulers_per_sm) / warps);
}

bool gpu_occupancy(const struct gpu *g, const struct block_needs *n, struct occupancy *out)
{
    *out = (struct occupancy){.limiter = LIMIT_WARPS};
    if (n->threads < 1 || n->registers < 0 ||
        (uint64_t)n->threads > figure(g, GPU_FIELD_max_threads_per_block) ||
        (n->accumulators > 0 && !known(g, GPU_FIELD_accumulator_align)))
        return false;
    uint64_t lanes = n->warp_size > 0 ? (uint64_t)n->warp_size : figure(g, GPU_FIELD_warp_size);
    uint64_t warps = divide_up((uint64_t)n->threads, lanes);
    uint64_t warps_max = figure(g, GPU_FIELD_max_warps_per_sm);
    out->blocks_by[LIMIT_WARPS] = (int)(warps_max / warps);
    out->blocks_by[LIMIT_BLOCKS] = (int)figure(g, GPU_FIELD_max_blocks_per_sm);
    out->blocks_by[LIMIT_REGISTERS] =
        blocks_by_registers(g, warps, lanes, registers_per_thread(g, n));
    out->blocks_by[LIMIT_SHARED] = blocks_by_shared(g, n->shared_bytes);
    out->blocks_by[LIMIT_BARRIERS] = blocks_by_barriers(g, warps, n->barriers);
    out->blocks_by[LIMIT_SCALAR] = blocks_by_scalars(g, warps, n->scalars);
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
        [LIMIT_WARPS] = "warps",         [LIMIT_BLOCKS] = "blocks",
        [LIMIT_REGISTERS] = "registers", [LIMIT_SHARED] = "shared memory",
        [LIMIT_BARRIERS] = "barriers",   [LIMIT_SCALAR] = "scalar registers",
    };
    assert((int)l >= 0 && l < LIMIT_COUNT);
    return names[l];
}

const char *occupancy_limit_word(const struct gpu *g, enum occupancy_limit l)
{
    const struct gpu_words *w = gpu_words(g);
    switch (l) {
    case LIMIT_WARPS:
        return w->warps;
    case LIMIT_BLOCKS:
        return w->blocks;
    case LIMIT_REGISTERS:
        return w->registers;
    case LIMIT_SHARED:
        return w->memory;
    case LIMIT_BARRIERS:
        return "barriers";
    case LIMIT_SCALAR:
        return "SGPRs";
    case LIMIT_COUNT:
        break;
    }
    return "";
}
