// diagnose: from counters and a time to bounds, the limiter, findings with expected gains, and the
// stop rule (DESIGN 7). Pure functions of their inputs; reads only `struct counters`, never a device.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_DIAGNOSE_H
#define RIDGE_DIAGNOSE_H

#include "base/base.h"
#include "counters/counters.h"
#include "device/device.h"
#include "gpu/gpu.h"

// resources.def: RESOURCE(ID, "name", "label"): dram, l2, l1, shared, f32, f64, f16, integer,
// special, issue, atomics, launch, tensor.
enum resource {
#define RESOURCE(id, name, label) RESOURCE_##id,
#include "diagnose/resources.def"
#undef RESOURCE
    RESOURCE_COUNT
};
const char *resource_name(enum resource r);

struct bound { // the time the work on one resource takes at that resource's rate
    enum resource resource;
    double time_ns;
    double work;                // in `unit`
    const char *unit;           // "bytes", "wavefronts", "warp instructions"
    double rate_per_ns;         // work a nanosecond
    const char *rate_source;    // from the chip's file
    enum provenance provenance; // of the work
};

enum finding_class {
    FINDING_BANDWIDTH,
    FINDING_LATENCY,
    FINDING_CAPACITY,
    FINDING_INSTRUCTIONS,
    FINDING_OCCUPANCY,
    FINDING_DIVERGENCE,
    FINDING_LAUNCH,
    FINDING_TAIL,
};
const char *finding_class_name(enum finding_class c);

struct evidence {
    const char *name; // a counter, a derived counter, or "time_ns"
    struct figure figure;
};
struct finding {
    enum finding_class class;
    const char *title; // "Global loads are uncoalesced: 32 sectors a request, 4 would do"
    const char *file;  // NULL if no single place
    int line;
    const char *fix;         // one sentence
    double expected_time_ns; // with this inefficiency removed, bounds recomputed
    struct evidence evidence[6];
    int evidence_count;
    bool folded; // expected gain under 3 %: counted, not shown by default
};

struct diagnosis_input {
    const struct gpu *gpu;
    const struct counters *counters;
    struct figure time_ns;
    double work_bytes, work_flops_f16, work_flops_f32, work_flops_f64, work_flops_tensor; // NAN
    const device_line *lines;
    int line_count;
    int launches;                      // kernel launches in the sequence
    const struct sim_time *time_model; // optional: of the longest step, for latency reasons
    uint64_t grid_blocks;              // of the longest step
    int block_threads;
};
struct diagnosis {        // arena-owned
    struct bound *bounds; // those with work, largest first
    int bound_count;
    double floor_ns;          // of [work] at the chip's rates: no code is faster; NAN if not stated
    double code_floor_ns;     // largest bound: the floor with this code
    const char *limiter;      // a resource's name, or "latency" when none reaches 60 % of the time
    const char *limiter_why;  // one sentence
    double throughput_gbps;   // work_bytes / time, NAN if no work stated
    double intensity;         // work flops / work bytes; NAN
    double pct_of_floor;      // 100 * floor / time
    struct finding *findings; // ranked by expected gain
    int finding_count;
};
bool diagnose(struct arena *a, const struct diagnosis_input *in, struct diagnosis *out,
              struct error *err) CHECK_RESULT;

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
    // Modelled: launch + largest bound + waiting. Waiting is what the bounds do not explain of the
    // time; it goes with the latency of device memory, and against the lanes an SM holds and the
    // SMs (Little's law).
    double expected_time_ns;
};
// Fails if the counters lack the launch's shape, or the new one does not fit on an SM.
bool diagnose_whatif(struct arena *a, const struct diagnosis_input *in, const struct whatif *change,
                     struct whatif_result *out, struct error *err) CHECK_RESULT;

// The stop rule over the variants of one case in order: reason is NULL (go on), "close to peak"
// (best within 5 % of its floor) or "diminishing returns" (three in a row without a significant
// gain over the best before).
struct stop_input {
    double time_ns, floor_ns; // NAN: that variant failed
};
const char *diagnose_stop(const struct stop_input *variants, int count);

#endif
