// What if: occupancy and bounds recomputed for another launch shape or another chip, and the time they
// would give. Counters are taken to stay: other registers or blocks change how many warps hide the
// latency, not the work.
// SPDX-License-Identifier: Apache-2.0
#include "diagnose/internal.h"

#include <math.h>

static bool shape_counted(const struct diagnosis_input *in, struct block_needs *out,
                          struct error *err)
{
    double threads = counters_get(in->counters, COUNTER_BLOCK_THREADS, (double)NAN);
    double registers = counters_get(in->counters, COUNTER_REGISTERS_PER_THREAD, (double)NAN);
    double shared = counters_get(in->counters, COUNTER_SHARED_BYTES_PER_BLOCK, 0);
    if (isnan(threads) || isnan(registers))
        return fail(err, NOWHERE,
                    "the counters do not include the block's size and registers, so nothing can be "
                    "said about another launch; run it again with this version of ridge");
    *out = (struct block_needs){
        .threads = (int)threads, .registers = (int)registers, .shared_bytes = (uint64_t)shared};
    return true;
}

// Lanes of the grid that are there at once: what the SMs hold, and no more than the grid has. Another
// size of block is taken to leave their sum. grid_lanes NAN: not known, taken to fill the chip.
static double lanes_at_once(const struct gpu *g, const struct occupancy *o, double grid_lanes)
{
    double hold = o->warps_per_sm * GPU(g, warp_size) * GPU(g, sm_count);
    return fmin(hold, grid_lanes); // of NAN and a number, fmin takes the number
}

// How much longer device memory takes there; taken to be as long where one of them is not known.
static double latency_ratio(const struct gpu *there, const struct gpu *here)
{
    double ratio = GPU(there, latency_dram_cycles) / GPU(there, clock_mhz) /
                   (GPU(here, latency_dram_cycles) / GPU(here, clock_mhz));
    return isnan(ratio) ? 1 : ratio;
}

bool diagnose_whatif(struct arena *a, const struct diagnosis_input *in, const struct whatif *change,
                     struct whatif_result *out, struct error *err)
{
    struct block_needs shape = {0};
    struct bound_set before, after;
    struct diagnosis_input there = *in;
    *out = (struct whatif_result){0};
    there.gpu = change->gpu ? change->gpu : in->gpu;
    if (!shape_counted(in, &shape, err))
        return false;
    const double threads = shape.threads; // of a block, as it ran
    (void)gpu_occupancy(in->gpu, &shape, &out->before);
    if (change->block_threads >= 0)
        shape.threads = change->block_threads;
    if (change->registers_per_thread >= 0)
        shape.registers = change->registers_per_thread;
    if (change->shared_bytes_per_block >= 0)
        shape.shared_bytes = (uint64_t)change->shared_bytes_per_block;
    if (!gpu_occupancy(there.gpu, &shape, &out->after))
        return fail(err, NOWHERE,
                    "%d threads with %d registers and %llu shared bytes do not fit on %s of %s: "
                    "%s",
                    shape.threads, shape.registers, (unsigned long long)shape.shared_bytes,
                    gpu_words(there.gpu)->an_sm, there.gpu->name,
                    occupancy_limit_word(there.gpu, out->after.limiter));
    bounds_compute(in, &before);
    bounds_compute(&there, &after);
    out->bounds = ARENA_ARRAY(a, struct bound, RESOURCE_COUNT);
    out->bound_count = bounds_sorted(&after, out->bounds);
    int largest = bounds_largest(&before), now = bounds_largest(&after);
    if (largest < 0 || now < 0 || out->before.warps_per_sm == 0)
        return fail(err, NOWHERE,
                    "no bound is known, so no time can be predicted for another launch");
    double launch = before.by[RESOURCE_LAUNCH].time_ns;
    double moved = transfers_ns(&in->transfers);
    double waiting = fmax(0, in->time_ns.value - moved - launch - before.by[largest].time_ns);
    double grid_lanes = input_grid_blocks(in) * threads;
    waiting *= lanes_at_once(in->gpu, &out->before, grid_lanes) /
               lanes_at_once(there.gpu, &out->after, grid_lanes) *
               latency_ratio(there.gpu, in->gpu);
    double busy = after.by[now].time_ns;
    // The copies go with the links' rates; as long as here where one of them is not known.
    double link = GPU(in->gpu, host_link_gbps) / GPU(there.gpu, host_link_gbps);
    out->expected_time_ns =
        after.by[RESOURCE_LAUNCH].time_ns + busy + waiting + moved * (isnan(link) ? 1 : link);
    out->limiter = busy >= LIMITER_SHARE * out->expected_time_ns ? resource_name((enum resource)now)
                                                                 : "latency";
    return true;
}
