// device: one face for every GPU, real or simulated, and the compilers that feed them.
//   device_find("sim:h200") -> device_open -> ops->memory, code_compile, ops->code, … -> device_close
// The loop uses a device inside a worker process only: whatever it does to its process costs one
// variant. The library (api) uses it in the caller's. A backend is a row of backends.def and a file.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_DEVICE_H
#define RIDGE_DEVICE_H

#include "base/base.h"
#include "counters/counters.h"
#include "device/clock.h"
#include "device/code.h"
#include "device/counting.h"
#include "device/exchange.h"
#include "device/library.h"
#include "device/links.h"
#include "device/memory.h"
#include "device/ranges.h"
#include "device/run.h"
#include "device/telemetry.h"
#include "device/topology.h"
#include "experiment/experiment.h"
#include "gpu/gpu.h"
#include "gpu/roofs.h"
#include "record/execution.h"
#include "sim/sim.h"

/* ---- what is installed --------------------------------------------------------------------------- */

struct device_info {
    const char *id;      // "sim:h200", "cuda:0"
    const char *name;    // "NVIDIA H200 (simulated)"
    const char *backend; // "sim", "cuda": the name of its row in backends.def
    const char *bus_id;  // where telemetry finds the chip: "0000:4E:00.0"; NULL if it has none
    bool simulated;
    const char *arch; // what its compiler is asked for where it has no chip: "gfx90a"; else NULL
    bool cpu;         // it computes on the host's processor: its times are a CPU's
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
// libcupti of an installed toolkit; NULL: none is where ridge looks.
const char *device_cupti(struct arena *a);
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

/* ---- a device at work: a face for each concern ---------------------------------------------------- */

struct device_ops {
    bool (*open)(const struct device_info *info, struct device **out, struct error *err);
    void (*close)(struct device *d);
    const struct device_memory_ops *memory;
    const struct device_code_ops *code;
    const struct device_clock_ops *clock;       // optional: NULL = times are modelled
    const struct device_counting_ops *counting; // optional
    const struct device_link_ops *links;        // optional
    const struct device_exchange_ops *exchange; // optional: with others of its backend
};
struct device { // the head of every backend's own struct
    const struct device_ops *ops;
    const struct device_info *info;
    struct telemetry *telemetry; // opened at the first question
    bool telemetry_tried;
};
bool device_open(const struct device_info *info, struct device **out,
                 struct error *err) CHECK_RESULT;
void device_close(struct device *d);
// Of its telemetry; not valid where there is none.
void device_state(struct device *d, struct device_state *out);

// Said before devices are looked for: this process may use CUDA itself (ridge is a library in it).
void driver_may_be_started(void);

#endif
