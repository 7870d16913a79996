// gpu: what is known of a chip (gpus/*.yaml, each figure with its source) and occupancy.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_GPU_H
#define RIDGE_GPU_H

#include "base/base.h"

// gpu_fields.def: FIELD(name, "unit", need, "meaning"): one row a number in a chip's file.
enum gpu_field {
#define FIELD(name, unit, need, meaning) GPU_FIELD_##name,
#include "gpu/gpu_fields.def"
#undef FIELD
    GPU_FIELD_COUNT
};
// SIMULATED: of the chips we simulate; TIMED: of those whose time is modelled.
enum gpu_need { GPU_OPTIONAL, GPU_NEEDED, GPU_SIMULATED, GPU_TIMED };
struct gpu_field_info {
    const char *name, *unit, *meaning;
    enum gpu_need need;
};
const struct gpu_field_info *gpu_field_info(enum gpu_field f);

struct gpu {
    const char *id;     // "h200": the file's name
    const char *name;   // "NVIDIA H200"
    const char *vendor; // "nvidia", "amd"
    const char *arch;   // "sm_90", "gfx942"
    // 0 of other vendors' chips.
    int cc_major, cc_minor;
    double value[GPU_FIELD_COUNT]; // in the field's unit; NAN = not known
    const char *source[GPU_FIELD_COUNT];
};
// tensor_types.def: what the tensor cores multiply at rates of their own.
enum tensor_type {
#define TENSOR_TYPE(name, words, field) TENSOR_##name,
#include "gpu/tensor_types.def"
#undef TENSOR_TYPE
    TENSOR_TYPE_COUNT
};
// Of a word of an experiment's work, "" for no type; false: there is none such.
bool tensor_type_of(const char *word, enum tensor_type *out);
// Operations per ns of a mix, by how many there are of each type; none: the rate of bf16. source: of the rate of the
// most frequent one.
double tensor_rate(const struct gpu *g, const double operations[TENSOR_TYPE_COUNT],
                   const char **source);
double gpu_get(const struct gpu *g, enum gpu_field f); // asserts that a needed field is there
// What a kernel that moves so many bytes loses until device memory is at its pace; NAN where the chip's file does not have it.
double gpu_dram_ramp_ns(const struct gpu *g, double bytes);
#define GPU(g, field) gpu_get((g), GPU_FIELD_##field)
// What a modelled time on "sim:h200" rests on: ridge's version and a hash of the chip's file.
const char *gpu_model_name(struct arena *a, const char *device_id);
bool gpu_is_simulated(const struct gpu *g); // can the simulated GPU be this chip?

// The vendor's names for the same things; reports use them.
struct gpu_words {
    const char *sm, *an_sm;         // what holds blocks: "SM", "CU", "WGP"; "an SM"
    const char *scheduler;          // its parts: "scheduler", "SIMD"
    const char *warp, *warps;       // "warp", "wave"
    const char *block, *blocks;     // "block", "work-group"
    const char *registers, *memory; // "registers", "VGPRs"; "shared memory", "LDS"
};
const struct gpu_words *gpu_words(const struct gpu *g);
// A sentence in NVIDIA's words ("warps of a block wait on an SM") in those of the chip's vendor. NULL stays NULL.
const char *gpu_say(struct arena *a, const struct gpu *g, const char *sentence);

// Reads gpus/<id>.yaml (data_path). Unknown chip: the error lists those there are.
bool gpu_load(struct arena *a, const char *id, struct gpu **out, struct error *err) CHECK_RESULT;
bool gpu_parse(struct arena *a, const char *file, const char *text, size_t size_bytes,
               struct gpu **out, struct error *err) CHECK_RESULT;
// The chip whose id is in a driver's or profiler's device name ("NVIDIA A100-SXM4-40GB", "Tesla
// V100-SXM2-32GB"). None: *out is NULL and true is returned.
bool gpu_find_by_name(struct arena *a, const char *device_name, struct gpu **out,
                      struct error *err) CHECK_RESULT;
bool gpu_is_named(const struct gpu *g, const char *device_name); // the test on one chip
// Ids of the chips that have a file, sorted; NULL terminated.
bool gpu_list(struct arena *a, const char *const **ids, struct error *err) CHECK_RESULT;

enum occupancy_limit {
    LIMIT_WARPS,
    LIMIT_BLOCKS,
    LIMIT_REGISTERS,
    LIMIT_SHARED,
    LIMIT_BARRIERS,
    LIMIT_SCALAR, // AMD's scalar registers
    LIMIT_COUNT
};
struct occupancy {
    int blocks_per_sm;
    int warps_per_sm;
    double pct;                 // of the chip's maximum of warps
    int blocks_by[LIMIT_COUNT]; // blocks each resource would allow; INT_MAX = no limit
    enum occupancy_limit limiter;
};
// What a block of a kernel takes. 0 below `shared_bytes` is the usual.
struct block_needs {
    int threads;   // 1 to max_threads_per_block
    int registers; // a thread; 0 = not known
    uint64_t shared_bytes;
    int barriers;     // that it uses; usually one
    int warp_size;    // lanes; usually warp_size of the chip
    int accumulators; // AMD's CDNA: AccVGPRs per thread beside its registers
    int scalars;      // AMD: SGPRs a wave, VCC and the like included
};
// NVIDIA's occupancy calculation, and AMD's: registers are allocated per warp in units, shared memory
// per block in units plus the reserved part. false (blocks 0) if it can't run.
bool gpu_occupancy(const struct gpu *g, const struct block_needs *needs, struct occupancy *out);
const char *occupancy_limit_name(enum occupancy_limit l); // "registers": the same for all vendors
const char *occupancy_limit_word(const struct gpu *g, enum occupancy_limit l); // "VGPRs"

#endif
