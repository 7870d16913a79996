// device: one face for every GPU, real or simulated, and the compilers that feed them.
//   device_open("sim:h200") -> device_alloc/write -> device_load(compiled) -> device_run -> read
// The loop uses a device inside a worker process only: whatever it does to its process costs one
// variant. The library (api) uses it in the caller's. A backend is a file behind `struct device_ops`.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_DEVICE_H
#define RIDGE_DEVICE_H

#include "base/base.h"
#include "counters/counters.h"
#include "device/code.h"
#include "experiment/experiment.h"
#include "gpu/gpu.h"
#include "gpu/roofs.h"
#include "record/execution.h"
#include "sim/sim.h"

/* ---- what is here --------------------------------------------------------------------------- */

struct device_info {
    const char *id;      // "sim:h200", "cuda:0"
    const char *name;    // "NVIDIA H200 (simulated)"
    const char *backend; // "sim", "cuda"
    bool simulated;
    const struct gpu *gpu;  // the chip's figures, measured roofs in their places; NULL if not known
    const struct gpu *chip; // the same as its file and the driver have them, nothing measured here
    struct device_facts facts;
    const char *driver;  // "CUDA 13.0"; NULL on simulated devices
    const char *warning; // measured roofs that could not be used, with the reason; NULL = none
};
// One line of `ridge devices`: a device or a part that is present or missing.
struct device_part {
    const char *what; // "CUDA driver (libcuda.so.1)", "NVRTC", "clang"
    bool present;
    const char *detail; // version and path, or why it is missing
    const char *remedy; // when missing: how to get it, else NULL
};
struct device_inventory { // arena-owned
    struct device_info *devices;
    int device_count;
    struct device_part *parts;
    int part_count;
};
bool device_inventory(struct arena *a, struct device_inventory *out,
                      struct error *err) CHECK_RESULT;
// "auto" = the first real GPU that this version can drive, else sim:h200. Unknown names: error
// with suggestion and the list.
bool device_find(struct arena *a, const char *id, struct device_info *out,
                 struct error *err) CHECK_RESULT;

/* ---- roofs ---------------------------------------------------------------------------------------- */

struct probe_request {                                      // all optional
    const char *compiler;                                   // as compile_request's
    void (*progress)(void *context, enum roof_id measured); // called in the parent
    void *context;
    const volatile bool *cancel;
};
// Measures them in a worker process. Simulated devices have nothing to be measured: an input error.
bool device_probe(struct arena *a, const struct device_info *info,
                  const struct probe_request *request, struct roofs *out,
                  struct error *err) CHECK_RESULT;

// Do the launch's arguments fit the parameters of the kernel, as far as the code lists them?
bool launch_check_args(const struct code_object *code, const struct resolved_launch *l,
                       struct error *err) CHECK_RESULT;

/* ---- a device at work -------------------------------------------------------------------------- */

struct device;
struct device_module;

struct device_run_options {
    unsigned checks; // enum sim_check
    double timeout_s;
    uint64_t budget_warp_instructions; // simulated devices; 0 = none
    int threads;                       // host threads of a simulated device; 0 = all
    bool cold;           // empty caches before the sequence (else as the last one left them)
    bool count;          // counters, lines and (simulated) modelled time wanted
    double sample_share; // as sim.h
    int batch;           // measure: runs of the sequence a sample; 0 = 1
    void (*progress)(void *context, double share_done);
    void *progress_context;
};
struct device_step { // what one launch of the sequence did
    const char *kernel;
    struct figure time_ns;
    struct counters counters;
    struct time_breakdown time_model; // simulated devices
};
struct device_report {        // arena-owned
    struct figure time_ns;    // of the whole sequence: sum of the steps' modelled times (simulated)
    struct counters counters; // of the whole sequence (counters_accumulate)
    struct device_step *steps;
    int step_count;
    struct line *lines;
    int line_count;
    struct problem *problems;
    int problem_count;
    double l2_warm;      // 0 = cold start
    const char *printed; // by the kernels' printf, first 4 KiB; NULL = nothing
    const char *note;    // what could not be had, with the reason (no counters …); NULL = nothing
};

// A step of a sequence, ready to launch.
struct device_launch {
    enum launch_kind kind;
    const struct device_module *module;
    const struct resolved_launch *launch; // args name buffers by index into `addresses`
    int registers_per_thread;             // 0 = as the compiler told at load, else unknown
};
struct device_sequence {
    const struct device_launch *launches;
    int launch_count;
    const uint64_t *addresses; // device address of each buffer
    const uint64_t *sizes_bytes;
    int buffer_count;
};

// The chip as it is now; figures that are not known are NAN.
struct device_state {
    bool valid;
    double sm_mhz, memory_mhz, power_w, temperature_c;
    double energy_mj;      // since some time in the past
    const char *throttled; // why it runs slower than it could ("power limit", "heat"), or NULL
};

struct device_library {  // of the device, until it is closed
    const char *version; // "cuBLAS 13.0.2"; NULL where it is absent
    const char *absent;
};

// Work that the program ridge is part of puts on a stream of its own.
struct device_region {
    const char *name;
    // prepare (optional) makes the inputs new; neither waits for the device.
    bool (*enqueue)(void *context, void *stream, struct error *err);
    bool (*prepare)(void *context, void *stream, struct error *err);
    void *context, *stream; // stream NULL: the default one
    double host_ns;         // out: the host's time to enqueue it, the least seen; 0 = not known yet
};

// Copies that leave the device's own memory.
enum device_link {
    LINK_PINNED_IN,   // host memory that the driver pinned, to the device
    LINK_PINNED_OUT,  // and back
    LINK_PAGEABLE_IN, // plain host memory
    LINK_PAGEABLE_OUT,
    LINK_PEER_IN, // another GPU's memory
};

struct device_ops {
    const char *backend;
    bool (*open)(const struct device_info *info, struct device **out, struct error *err);
    void (*close)(struct device *d);
    bool (*alloc)(struct device *d, uint64_t size_bytes, const char *name, uint64_t *address,
                  struct error *err);
    bool (*release)(struct device *d, uint64_t address, struct error *err);
    bool (*write)(struct device *d, uint64_t address, const void *data, uint64_t size_bytes,
                  struct error *err);
    bool (*read)(struct device *d, uint64_t address, void *data, uint64_t size_bytes,
                 struct error *err);
    bool (*load)(struct device *d, const struct code_object *code, struct device_module **out,
                 struct error *err);
    // Optional (real devices): opens what a step with `library` calls, before the step is run. Where it
    // is not here, that is no error: `absent` says why and how to get it.
    bool (*library)(struct device *d, const struct library_call *call, struct device_library *out,
                    struct error *err);
    // Runs the sequence once, to its end. false: it could not be run or stopped on a problem (kind
    // ERROR_CHECK); the report then holds what is known.
    bool (*run)(struct device *d, const struct device_sequence *sequence,
                const struct device_run_options *options, struct arena *a,
                struct device_report *report, struct error *err);
    // Optional (real devices): `count` samples of the time of one run of the sequence, by the
    // device's clock, in the cache state that the options ask for. A sample is the mean of `batch`
    // runs back to back; cold, each of them has buffers of its own that nothing has touched. Nothing
    // but the sequence lies between the clock's readings. Stops after timeout_s (ERROR_CHECK).
    bool (*measure)(struct device *d, const struct device_sequence *sequence,
                    const struct device_run_options *options, int count, double *times_ns,
                    struct error *err);
    // Optional (real devices): the same of a region. It has no further sets of buffers: cold, a
    // batch of more than one run finds only the first one cold.
    bool (*measure_region)(struct device *d, struct device_region *region,
                           const struct device_run_options *options, int count, double *times_ns,
                           struct error *err);
    // Optional: hardware counters of a region, which runs several times.
    bool (*count_region)(struct device *d, const struct device_region *region, bool cold,
                         struct counters *out, struct error *err);
    // Optional: the time on the device's clock from mark to elapsed, which waits for it.
    bool (*mark)(struct device *d, void *stream, struct error *err);
    bool (*elapsed)(struct device *d, void *stream, double *time_ns, struct error *err);
    // Optional (real devices): enqueues the sequence on the stream and does not wait.
    bool (*launch)(struct device *d, const struct device_sequence *sequence, void *stream,
                   struct error *err);
    void (*state)(struct device *d, struct device_state *out); // optional (real devices)
    // Optional: keeps a copy of every buffer's content on the device; puts it back.
    // Optional (real devices): the least time of a few copies of size_bytes to or from `address`.
    // NAN: there is no other GPU that can be asked.
    bool (*link)(struct device *d, enum device_link way, uint64_t address, uint64_t size_bytes,
                 double *time_ns, struct error *err);
    bool (*snapshot)(struct device *d, struct error *err);
    bool (*restore)(struct device *d, struct error *err);
};
struct device { // the head of every backend's own struct
    const struct device_ops *ops;
    const struct device_info *info;
};
bool device_open(const struct device_info *info, struct device **out,
                 struct error *err) CHECK_RESULT;

// Said before devices are looked for: this process may use CUDA itself (ridge is a library in it).
void driver_may_be_started(void);

/* ---- ranges: what is being done, by name, in this thread; see nvtx.c -------------------------------- */

// The program's: told to a profiler that listens (NVTX), and kept.
void range_push(const char *name);
void range_pop(void);
const char *range_path(void); // "outer/inner"; "" outside; until the next push or pop
// For NVTX's header to call with its tables: the ranges that the program pushes by it then count too.
// Returns 1, or 0 if the tables are not as they should be.
typedef const void *range_tables(uint32_t id);
int ranges_listen(range_tables *get);
// ridge's own: told to the profiler only.
void phase_begin(const char *name);
void phase_end(void);

#endif
