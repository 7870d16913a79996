// Bounds: the work a kernel puts on each resource over the rate of that resource (docs/diagnosis.md), after
// the roofline model (Williams, Waterman, Patterson, CACM 52(4), 2009) applied to every level of the
// memory and every pipe. Work comes from counters, rates from the chip's file; a bound whose work or
// rate is not known stays NAN.
// SPDX-License-Identifier: Apache-2.0
#include "diagnose/internal.h"

#include <math.h>

// A kernel that writes at least this share of its traffic is held to the copy rate: device memory
// loses time turning its bus around.
#define WRITE_SHARE_MIN 0.1
// Below this share of useful bytes, the sectors of stores are taken as written in part.
#define PARTIAL_STORE_EFFICIENCY 0.9

static double known(double value, double otherwise)
{
    return isnan(value) ? otherwise : value;
}

static double gpu_value(const struct gpu *g, enum gpu_field f)
{
    return g->value[f];
}

static double count(const struct diagnosis_input *in, enum counter_id id)
{
    return counters_get(in->counters, id, (double)NAN);
}

// Units per nanosecond of the whole chip from units per cycle of one SM.
static double chip_per_ns(const struct gpu *g, double per_cycle)
{
    return per_cycle * GPU(g, sm_count) * GPU(g, clock_mhz) / 1000;
}

static void bound_set_one(struct bound_set *set, enum resource r, const char *unit, double work,
                          double rate_per_ns, const char *source, enum provenance provenance)
{
    set->by[r] = (struct bound){
        .resource = r,
        .unit = unit,
        .work = work,
        .rate_per_ns = rate_per_ns,
        .rate_source = source,
        .provenance = provenance,
        .time_ns = work > 0 && rate_per_ns > 0 ? work / rate_per_ns : (double)NAN,
    };
}

static enum provenance origin(const struct diagnosis_input *in, enum counter_id id)
{
    return in->counters->figure[id].provenance;
}

bool input_writes(const struct diagnosis_input *in)
{
    double loads = counters_get(in->counters, COUNTER_GLOBAL_LOAD_SECTORS_IDEAL,
                                counters_get(in->counters, COUNTER_GLOBAL_LOAD_SECTORS, 0));
    double stores = counters_get(in->counters, COUNTER_GLOBAL_STORE_SECTORS_IDEAL,
                                 counters_get(in->counters, COUNTER_GLOBAL_STORE_SECTORS, 0));
    return stores >= WRITE_SHARE_MIN * (loads + stores) && stores > 0;
}

// What device memory really reaches; the data sheet's figure where nobody measured.
static double dram_rate(const struct diagnosis_input *in, const char **source)
{
    enum gpu_field f = input_writes(in) ? GPU_FIELD_dram_copy_gbps : GPU_FIELD_dram_read_gbps;
    if (isnan(gpu_value(in->gpu, f)))
        f = GPU_FIELD_dram_gbps;
    *source = in->gpu->source[f];
    return gpu_value(in->gpu, f);
}

static void bound_dram(const struct diagnosis_input *in, struct bound_set *set)
{
    const char *source;
    double rate = dram_rate(in, &source);
    double bytes =
        count(in, COUNTER_DRAM_READ_BYTES) + known(count(in, COUNTER_DRAM_WRITE_BYTES), 0);
    bound_set_one(set, RESOURCE_DRAM, "bytes", bytes, rate, source,
                  origin(in, COUNTER_DRAM_READ_BYTES));
}

// The L2's rates are those SMs see, so the work is what SMs send it: loads that miss L1, stores.
static void bound_l2(const struct diagnosis_input *in, struct bound_set *set)
{
    const struct gpu *g = in->gpu;
    double loads =
        count(in, COUNTER_GLOBAL_LOAD_SECTORS) - known(count(in, COUNTER_L1_LOAD_SECTORS_HIT), 0);
    double stores = known(count(in, COUNTER_GLOBAL_STORE_SECTORS), 0);
    double needed = known(count(in, COUNTER_GLOBAL_STORE_SECTORS_IDEAL), stores);
    loads = known(loads, 0);
    double read_rate = gpu_value(g, GPU_FIELD_l2_read_gbps);
    double write_rate = known(gpu_value(g, GPU_FIELD_l2_write_gbps), read_rate);
    double part_rate =
        known(gpu_value(g, GPU_FIELD_l2_write_sectors_per_ns), write_rate / SECTOR_BYTES / 2);
    bool partial = stores > 0 && needed < PARTIAL_STORE_EFFICIENCY * stores;
    double store_ns = partial ? stores / part_rate : stores * SECTOR_BYTES / write_rate;
    double ns = loads * SECTOR_BYTES / read_rate + store_ns;
    double bytes = (loads + stores) * SECTOR_BYTES;
    if (!(ns > 0))
        return;
    bound_set_one(set, RESOURCE_L2, "bytes", bytes, bytes / ns, g->source[GPU_FIELD_l2_read_gbps],
                  origin(in, COUNTER_GLOBAL_LOAD_SECTORS));
}

// A request of which no lane takes part, as at the end of a tree, is a pass through the data stage as well; hardware counts it there,
// but as no wavefront of shared memory.
static double wavefronts_of(const struct diagnosis_input *in, enum counter_id wavefronts,
                            enum counter_id requests)
{
    return fmax(known(count(in, wavefronts), 0), known(count(in, requests), 0));
}

static double shared_wavefronts(const struct diagnosis_input *in)
{
    return wavefronts_of(in, COUNTER_SHARED_LOAD_WAVEFRONTS, COUNTER_SHARED_LOAD_REQUESTS) +
           wavefronts_of(in, COUNTER_SHARED_STORE_WAVEFRONTS, COUNTER_SHARED_STORE_REQUESTS) +
           known(count(in, COUNTER_SHARED_ATOMIC_WAVEFRONTS), 0);
}

double global_wavefronts(const struct diagnosis_input *in)
{
    double all = known(count(in, COUNTER_L1_WAVEFRONTS), 0);
    return fmax(0, all - shared_wavefronts(in));
}

// Cycles of one SM's store path: lines written in part cost a flit more.
static double store_cycles(const struct diagnosis_input *in)
{
    const struct gpu *g = in->gpu;
    double lines = known(count(in, COUNTER_GLOBAL_STORE_LINES), 0);
    double sectors = known(count(in, COUNTER_GLOBAL_STORE_SECTORS), 0);
    double needed = known(count(in, COUNTER_GLOBAL_STORE_SECTORS_IDEAL), sectors);
    double bytes_rate = known(gpu_value(g, GPU_FIELD_l1_store_bytes_per_cycle), SECTOR_BYTES);
    if (needed >= PARTIAL_STORE_EFFICIENCY * sectors)
        return sectors * SECTOR_BYTES / bytes_rate;
    return lines / known(gpu_value(g, GPU_FIELD_l1_store_lines_per_cycle), 0.5); // data and mask
}

// The L1: the slowest of its tag stage (lines), its data stage (wavefronts through the banks, which
// shared memory passes too) and the store path. The data stage counts as shared memory's where that
// uses most of it.
static void bound_l1(const struct diagnosis_input *in, struct bound_set *set)
{
    const struct gpu *g = in->gpu;
    double lines = known(count(in, COUNTER_GLOBAL_LOAD_LINES), 0);
    double local = known(count(in, COUNTER_LOCAL_LOAD_SECTORS), 0) +
                   known(count(in, COUNTER_LOCAL_STORE_SECTORS), 0);
    double bytes = (known(count(in, COUNTER_GLOBAL_LOAD_SECTORS_IDEAL), 0) + local) * SECTOR_BYTES;
    double global = global_wavefronts(in), shared = shared_wavefronts(in);
    double wavefront = known(gpu_value(g, GPU_FIELD_shared_wavefront_cycles), 1);
    double stages[] = {
        lines / known(gpu_value(g, GPU_FIELD_l1_lines_per_cycle), 1),
        bytes / GPU(g, l1_bytes_per_cycle),
        store_cycles(in),
        wavefront * (global > shared ? global + shared : global),
    };
    double cycles = 0;
    for (size_t i = 0; i < COUNT_OF(stages); i++)
        cycles = fmax(cycles, stages[i]);
    double work = global > 0 ? global : lines > 0 ? lines : local;
    if (!(cycles > 0) || !(work > 0))
        return;
    bound_set_one(set, RESOURCE_L1, "wavefronts", work, chip_per_ns(g, work / cycles),
                  g->source[GPU_FIELD_shared_wavefront_cycles],
                  origin(in, COUNTER_GLOBAL_LOAD_SECTORS));
}

static void bound_shared(const struct diagnosis_input *in, struct bound_set *set)
{
    double waves = shared_wavefronts(in), global = global_wavefronts(in);
    double cycles = known(gpu_value(in->gpu, GPU_FIELD_shared_wavefront_cycles), 1);
    double all = waves >= global ? waves + global : waves;
    bound_set_one(set, RESOURCE_SHARED, "wavefronts", waves,
                  chip_per_ns(in->gpu, waves > 0 ? waves / (all * cycles) : 1 / cycles),
                  in->gpu->source[GPU_FIELD_shared_wavefront_cycles],
                  origin(in, COUNTER_SHARED_LOAD_WAVEFRONTS));
}

// Atomics that meet in few places queue there, whatever the chip could do elsewhere. Only the
// simulated GPU sees where they go.
static bool bound_atomics_queue(const struct diagnosis_input *in, struct bound_set *set)
{
    const struct gpu *g = in->gpu;
    double rate = gpu_value(g, GPU_FIELD_l2_atomic_same_per_ns);
    double queued_ns = in->time_model ? in->time_model->busy_ns[BREAKDOWN_ATOMIC] : 0;
    double spread_ns = known(count(in, COUNTER_GLOBAL_ATOMIC_SECTORS), 0) /
                       gpu_value(g, GPU_FIELD_l2_atomics_per_ns);
    if (!(queued_ns > 2 * spread_ns) || isnan(rate))
        return false;
    bound_set_one(set, RESOURCE_ATOMICS, "sectors in one place", queued_ns * rate, rate,
                  g->source[GPU_FIELD_l2_atomic_same_per_ns], PROVENANCE_MODELLED);
    return true;
}

static void bound_lanes(const struct diagnosis_input *in, struct bound_set *set, enum resource r,
                        double work, const char *unit, enum gpu_field rate, double per_lane,
                        enum counter_id from)
{
    bound_set_one(set, r, unit, work, chip_per_ns(in->gpu, per_lane * gpu_value(in->gpu, rate)),
                  in->gpu->source[rate], origin(in, from));
}

static void bound_atomics(const struct diagnosis_input *in, struct bound_set *set)
{
    if (bound_atomics_queue(in, set))
        return;
    bound_set_one(
        set, RESOURCE_ATOMICS, "sectors", known(count(in, COUNTER_GLOBAL_ATOMIC_SECTORS), 0),
        gpu_value(in->gpu, GPU_FIELD_l2_atomics_per_ns),
        in->gpu->source[GPU_FIELD_l2_atomics_per_ns], origin(in, COUNTER_GLOBAL_ATOMIC_SECTORS));
}

// Both directions at once: the larger.
static void bound_link(const struct diagnosis_input *in, struct bound_set *set)
{
    const struct transfers *t = &in->transfers;
    bound_set_one(set, RESOURCE_LINK, "bytes", fmax(t->h2d_bytes, t->d2h_bytes),
                  gpu_value(in->gpu, GPU_FIELD_host_link_gbps),
                  in->gpu->source[GPU_FIELD_host_link_gbps], t->provenance);
}

void bounds_compute(const struct diagnosis_input *in, struct bound_set *out)
{
    const struct gpu *g = in->gpu;
    for (int r = 0; r < RESOURCE_COUNT; r++)
        out->by[r] = (struct bound){.resource = (enum resource)r, .time_ns = (double)NAN};
    bound_dram(in, out);
    bound_l2(in, out);
    bound_l1(in, out);
    bound_shared(in, out);
    double f32 =
        count(in, COUNTER_FADD_F32) + count(in, COUNTER_FMUL_F32) + count(in, COUNTER_FFMA_F32);
    bound_lanes(in, out, RESOURCE_F32, f32, "operations", GPU_FIELD_f32_lanes_per_cycle, 1,
                COUNTER_FFMA_F32);
    // Only flops are counted for f64 and f16: two per lane at best, an FMA.
    bound_lanes(in, out, RESOURCE_F64, count(in, COUNTER_FLOPS_F64), "flops",
                GPU_FIELD_f64_lanes_per_cycle, 2, COUNTER_FLOPS_F64);
    bound_lanes(in, out, RESOURCE_F16, count(in, COUNTER_FLOPS_F16), "flops",
                GPU_FIELD_f16_lanes_per_cycle, 2, COUNTER_FLOPS_F16);
    bound_lanes(in, out, RESOURCE_INTEGER, count(in, COUNTER_INTEGER_OPS), "operations",
                GPU_FIELD_integer_lanes_per_cycle, 1, COUNTER_INTEGER_OPS);
    bound_lanes(in, out, RESOURCE_SPECIAL, count(in, COUNTER_SPECIAL_OPS), "operations",
                GPU_FIELD_special_lanes_per_cycle, 1, COUNTER_SPECIAL_OPS);
    bound_lanes(in, out, RESOURCE_ISSUE, count(in, COUNTER_WARP_INSTRUCTIONS), "warp instructions",
                GPU_FIELD_schedulers_per_sm, 1, COUNTER_WARP_INSTRUCTIONS);
    // The counter knows no types: those of the stated work are taken to be the kernel's.
    const char *tensor_source;
    double tensor = tensor_rate(g, in->work_tensor, &tensor_source);
    bound_set_one(out, RESOURCE_TENSOR, "flops", count(in, COUNTER_FLOPS_TENSOR), tensor,
                  tensor_source, origin(in, COUNTER_FLOPS_TENSOR));
    bound_atomics(in, out);
    bound_link(in, out);
    bound_set_one(out, RESOURCE_LAUNCH, "launches", in->launches, 1 / GPU(g, grid_launch_ns),
                  g->source[GPU_FIELD_grid_launch_ns], PROVENANCE_MODELLED);
}

int bounds_largest(const struct bound_set *set)
{
    int best = -1;
    for (int r = 0; r < RESOURCE_COUNT; r++)
        if (r != RESOURCE_LAUNCH && r != RESOURCE_LINK && !isnan(set->by[r].time_ns) &&
            (best < 0 || set->by[r].time_ns > set->by[best].time_ns))
            best = r;
    return best;
}

// The floor of any code for this job: its least bytes over device memory's rate, its least
// operations over their pipe's, its copies over the link's; the largest: all can go on at once. NAN when the experiment states no work.
double diagnose_floor(const struct diagnosis_input *in)
{
    const struct gpu *g = in->gpu;
    const char *source;
    double floor_ns = (double)NAN;
    double times[] = {
        in->work_bytes / dram_rate(in, &source),
        in->work_flops_f32 / chip_per_ns(g, 2 * GPU(g, f32_lanes_per_cycle)),
        in->work_flops_f64 / chip_per_ns(g, 2 * GPU(g, f64_lanes_per_cycle)),
        in->work_flops_f16 / chip_per_ns(g, 2 * gpu_value(g, GPU_FIELD_f16_lanes_per_cycle)),
        in->work_flops_tensor / tensor_rate(g, in->work_tensor, &source),
    };
    const struct transfers *t = &in->transfers;
    for (size_t i = 0; i < COUNT_OF(times); i++)
        floor_ns = fmax(floor_ns, times[i]); // fmax drops NAN
    if (!isnan(floor_ns) && transfers_ns(t) > 0)
        floor_ns = fmax(floor_ns,
                        fmax(t->h2d_bytes, t->d2h_bytes) / gpu_value(g, GPU_FIELD_host_link_gbps));
    return floor_ns;
}
