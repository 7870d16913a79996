// diagnose: from counters and a time to bounds, the limiter, findings with expected gains, and the
// stop rule (docs/diagnosis.md). Pure functions of their inputs; reads only `struct counters`, never a device.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_DIAGNOSE_H
#define RIDGE_DIAGNOSE_H

#include "base/base.h"
#include "counters/counters.h"
#include "gpu/gpu.h"
#include "record/record.h"

// Copies around the kernels, where the time holds them too. 0 = none.
struct transfers {
    double h2d_ns, d2h_ns; // host to device, back
    double h2d_bytes, d2h_bytes;
    double peer_ns; // exchanges with other GPUs
    enum provenance provenance;
};
// Those to and from the host that the counters hold: h2d_ns and the like.
struct transfers transfers_of(const struct counters *c);
// The chip while the time was measured. 0 or NULL = not known, no reason.
struct clock_state {
    double sm_mhz, power_w, temperature_c;
    const char *throttled; // why it was slowed down
};

struct diagnosis_input {
    const struct gpu *gpu;
    const struct counters *counters;
    struct figure time_ns; // transfers included
    struct transfers transfers;
    struct clock_state state;
    double work_bytes, work_flops_f16, work_flops_f32, work_flops_f64, work_flops_tensor; // NAN
    double work_tensor[TENSOR_TYPE_COUNT]; // work_flops_tensor by type; zeros: bf16
    const struct line *lines;
    int line_count;
    int launches;                            // kernel launches in the sequence
    const struct time_breakdown *time_model; // optional: of the longest step, for latency reasons
    const struct stall_table *stalls;        // optional, as the next two
    const struct facts *facts;
    const struct counterfactuals *counterfactuals;
    uint64_t grid_blocks; // of the longest step
    int block_threads;
    bool data_without_f64; // no buffer and no argument is f64; false: some are, or not known
};
bool diagnose(struct arena *a, const struct diagnosis_input *in, struct diagnosis *out,
              struct error *err) CHECK_RESULT;

// Prices and ranks findings anew by what their patches brought (out->trials), which were simulated since; time_ns: of the variant.
void diagnose_trials(struct arena *a, double time_ns, struct diagnosis *d);

// The least time of any code for the work stated, at the chip's rates; NAN where none is stated.
double diagnose_floor(const struct diagnosis_input *in);
// The least time of this code, by what was counted: its largest bound; NAN where nothing was. Needs no time.
double diagnose_code_floor(const struct diagnosis_input *in);

// What if: the same counters with another launch shape, or on another chip.
struct whatif {
    int registers_per_thread, block_threads; // -1 = as counted
    int64_t shared_bytes_per_block;          // -1 = as counted
    const struct gpu *gpu;                   // NULL = the same chip
};
struct whatif_result { // arena-owned bounds
    struct occupancy before, after;
    struct bound *bounds; // after, largest first
    int bound_count;
    const char *limiter; // the largest bound after, or "latency"
    // Modelled: copies + launch + largest bound + waiting. Waiting is what the bounds do not explain of the
    // time; it goes with the latency of device memory, and against the lanes an SM holds and the
    // SMs (Little's law).
    double expected_time_ns;
};
// Fails if the counters lack the launch's shape, or the new one does not fit on an SM.
bool diagnose_whatif(struct arena *a, const struct diagnosis_input *in, const struct whatif *change,
                     struct whatif_result *out, struct error *err) CHECK_RESULT;

// The stop rule over the variants of one case in order: reason is NULL (go on), "close to peak"
// (best within 5 % of its floor) or "diminishing returns" (the last three or more without a significant
// gain over the best before, which has 75 % of its floor, or whose floor is not known).
struct stop_input {
    double time_ns, floor_ns; // NAN: that variant failed
};
const char *diagnose_stop(const struct stop_input *variants, int count);

#endif
