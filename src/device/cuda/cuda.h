// What the files of the CUDA backend share: the driver's functions, the device at work, a launch
// ready to go. driver.c finds the driver and what it has; cuda.c runs; cuda_measure.c times. Private
// to device.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_DEVICE_CUDA_H
#define RIDGE_DEVICE_CUDA_H

#include "device/internal.h"
#include "device/cuda/cupti.h"

/* ---- the driver (driver.c) ------------------------------------------------------------------------ */

// A launch with attributes, as cuda.h has it (CUlaunchConfig, CUlaunchAttribute).
enum { CUDA_ATTRIBUTE_WINDOW = 1, CUDA_ATTRIBUTE_COOPERATIVE = 2, CUDA_ATTRIBUTE_CLUSTER = 4 };
struct cuda_window { // CUaccessPolicyWindow
    void *base;
    size_t size_bytes;
    float hit_ratio;
    int hit, miss;
};
struct cuda_launch_attribute {
    int id, unused;
    union {
        char size[64];
        unsigned cluster[3];
        int cooperative;
        struct cuda_window window;
    } value;
};
struct cuda_launch_config {
    unsigned grid[3], block[3], shared_bytes;
    void *stream;
    const struct cuda_launch_attribute *attributes;
    unsigned attribute_count;
};

// Resources and samplers of texture and surface objects (CUDA_RESOURCE_DESC, CUDA_TEXTURE_DESC, …).
struct cuda_resource {
    int kind; // CUresourcetype
    union {
        void *array;
        struct {
            uint64_t address;
            int format;
            unsigned channels;
            size_t size_bytes;
        } linear;
        struct {
            uint64_t address;
            int format;
            unsigned channels;
            size_t width, height, pitch_bytes;
        } rows;
        int reserved[32];
    } of;
    unsigned flags;
};
struct cuda_sampler {
    int address[3], filter;
    unsigned flags, anisotropy;
    int level_filter;
    float level_bias, level_low, level_high, border[4];
    int reserved[12];
};
struct cuda_array_shape { // CUDA_ARRAY3D_DESCRIPTOR
    size_t width, height, depth;
    int format;
    unsigned channels, flags;
};
struct cuda_copy_side { // half of CUDA_MEMCPY2D
    size_t x_bytes, y;
    int memory; // CUmemorytype
    void *host;
    uint64_t device;
    void *array;
    size_t pitch_bytes;
};
struct cuda_copy_2d {
    struct cuda_copy_side from, to;
    size_t width_bytes, height;
};

struct driver {
#define DRIVER(name, parameters) int(*name) parameters;
#define DRIVER_SINCE(version, name, parameters) int(*name) parameters;
#include "device/cuda/driver.def"
#undef DRIVER_SINCE
#undef DRIVER
};
enum { CUDA_DONE = 0, CUDA_OUT_OF_MEMORY = 2, CUDA_NOT_READY = 600 }; // CUresult
enum { FUNCTION_REGISTERS = 4 };                                      // CUfunction_attribute
enum { CUDA_VERSION_MAJOR = 1000, CUDA_VERSION_MINOR = 10 };          // 13000 is 13.0

// libcuda.so.1 and all of its functions, cuInit done; err says what is missing and what to do.
bool driver_open(struct driver *d, struct error *err) CHECK_RESULT;
// false with "what: CUDA_ERROR_NAME, its meaning"; true for status 0.
bool driver_check(const struct driver *d, int status, struct error *err, const char *fmt, ...)
    PRINTF_LIKE(4, 5);

// Rows of the backend (driver.c, parts.c, topology.c, nvml.c).
bool cuda_list(struct arena *a, struct device_info **out, int *count,
               struct error *err) CHECK_RESULT;
bool cuda_find(struct arena *a, const char *id, const char *which, struct device_info *out,
               struct error *err) CHECK_RESULT;
void cuda_parts(struct parts *p);
bool cuda_topology(struct arena *a, const struct device_info *infos, int count,
                   struct topology *out, struct error *err) CHECK_RESULT;
extern const struct telemetry_ops nvml_telemetry;
// The driver's version by NVML; false: it does not start, err says why.
bool nvml_version(char *out, unsigned size_bytes, struct error *err) CHECK_RESULT;

/* ---- CUDA's driver API and its like ------------------------------------------------------------- */

struct cuda_device;
// Hardware counters of what a callback launches: CUPTI's range profiler, or rocprofiler-sdk. The callback may be called several
// times (passes), and marks each launch that is counted by begin and end.
struct cuda_counting {
    bool (*open)(const struct cuda_device *c, void **out,
                 struct error *err); // err says what is off
    void (*close)(void *tool);       // NULL is fine
    bool (*count)(void *tool, bool (*replay)(void *context, struct error *err), void *context,
                  int launches, struct counters *per_launch, struct error *err);
    bool (*begin)(void *tool, int launch, struct error *err); // launch: from 0
    bool (*end)(void *tool, struct error *err);               // the kernel must have ended before
};
// AMD's runtime has the same functions under names of its own (device/hip): what differs. NVIDIA's is in cuda.c.
struct cuda_dialect {
    bool (*open)(struct driver *d, struct error *err); // all functions, started
    // Code with the kernels ridge_hold and ridge_sweep, made before the driver is opened.
    bool (*tools)(struct arena *a, const struct device_info *info, struct code_object *out,
                  struct error *err);
    unsigned formats;          // of code objects, their bits
    const char *formats_words; // "a CUDA device runs PTX and cubin files"
    unsigned lacks;            // enum launch_feature, their bits
    const struct cuda_counting *counting;
    const char *no_stalls; // why their samples are not taken; NULL: they are, by CUPTI
};
bool cuda_open_as(const struct cuda_dialect *dialect, const struct device_ops *ops,
                  const struct device_info *info, struct device **out,
                  struct error *err) CHECK_RESULT;
void cuda_close(struct device *d);
bool cuda_load(struct device *d, const struct code_object *code, struct device_module **out,
               struct error *err);
bool cuda_run(struct device *d, const struct device_sequence *sequence,
              const struct device_run_options *options, struct arena *a,
              struct device_report *report, struct error *err);

/* ---- the device at work (cuda.c; launch.c: launches) -------------------------------------------------------------------- */

struct device_module {
    void *handle;
    bool listed; // false: code that is not read here; the driver knows it
    struct code_kernel *kernels;
    int kernel_count;
    const char *source;
    enum code_format format;
    const char *code; // of PTX and cubins, NUL terminated; else NULL
    size_t code_bytes;
};

struct allocation {
    uint64_t address, size_bytes;
    const char *name;
    uint64_t snapshot; // a copy of the content, 0 = none
    struct { // twins: further buffers like this one, so that a batch finds each run's cold
        uint64_t *items;
        size_t count, capacity;
    } twins;
};

struct cuda_device {
    struct device head; // first: a struct device * is a struct cuda_device *
    const struct cuda_dialect *dialect;
    struct driver cu;
    int ordinal, device; // device: the driver's handle
    void *context, *stream, *start, *stop;
    bool retained;      // the context is the primary one, held by us
    void *hold, *sweep; // our own kernels
    uint64_t sweep_address, sweep_bytes;
    struct arena arena; // modules
    struct {
        void **items;
        size_t count, capacity;
    } modules; // the driver's
    struct {
        struct allocation *items;
        size_t count, capacity;
    } allocations;
    struct {
        void **items;
        size_t count, capacity;
    } pinned;              // memory of the host
    void *counting;        // the dialect's; NULL: not opened
    struct cublas *cublas; // NULL = not opened
    struct {
        struct opened_library *items;
        size_t count, capacity;
    } libraries;
    struct {
        struct cuda_texture *items; // objects and the arrays they need (texture.c)
        size_t count, capacity;
    } textures;
    struct {
        struct cuda_array *items;
        size_t count, capacity;
    } arrays;
    struct {
        struct host_place *items; // buffers in memory of the host (host.c)
        size_t count, capacity;
    } places;
    struct {
        struct side_stream *items;
        size_t count, capacity;
    } streams;
    uint64_t window_bytes, aside_bytes; // of the L2: a window at most; set aside
    size_t limit_before;
    bool limit_taken;
    uint64_t workspace; // of plug-ins, one after the other
    size_t workspace_bytes;
};

// memory.c
extern const struct device_memory_ops cuda_memory_ops;
struct allocation *cuda_find_allocation(struct cuda_device *c, uint64_t address); // NULL = not ours
bool cuda_snapshot_all(struct cuda_device *c, struct error *err);
bool cuda_restore_all(struct cuda_device *c, struct error *err) CHECK_RESULT;
void cuda_memory_close(struct cuda_device *c);

struct cuda_copy {         // a step that copies
    const void *from_host; // NULL: from the device
    void *to_host;         // NULL: to the device
    uint64_t from, to;
    size_t size_bytes;
};
// A kernel's launch with its arguments, for one set of buffers.
struct cuda_launch {
    const struct device_launch *given;
    void *function;
    const char *kernel; // as the user names it
    void **args;
    uint64_t zero_address, zero_bytes;
    struct cuda_copy copy;
    uint64_t window_address;            // of what it keeps in the L2; 0 = nothing
    const struct cuda_library *library; // LAUNCH_LIBRARY: whose
    void *call;                         // … and its arguments, as that library takes them
};
// Ready launches of the sequence on those buffers (arena-owned).
bool cuda_prepare(struct cuda_device *c, struct arena *a, const struct device_sequence *sequence,
                  const uint64_t *addresses, struct cuda_launch **out,
                  struct error *err) CHECK_RESULT;
bool cuda_enqueue(struct cuda_device *c, const struct cuda_launch *launches,
                  const struct device_sequence *sequence, struct error *err) CHECK_RESULT;
bool cuda_enqueue_one(struct cuda_device *c, const struct cuda_launch *l,
                      struct error *err) CHECK_RESULT;
extern const struct device_exchange_ops cuda_exchange_ops; // exchange.c
// host.c: what a sequence has beside kernels. begin, then cuda_prepare; load before its steps run and store after
// them: what buffers hold, to and from arrays and memory of the host; end in any case.
bool cuda_sequence_begin(struct cuda_device *c, const struct device_sequence *s,
                         struct error *err) CHECK_RESULT;
bool cuda_sequence_load(struct cuda_device *c, struct error *err) CHECK_RESULT;
bool cuda_sequence_store(struct cuda_device *c, struct error *err) CHECK_RESULT;
void cuda_sequence_end(struct cuda_device *c);
// Addresses by which kernels reach the buffers: those of mapped memory differ.
bool cuda_host_open(struct cuda_device *c, const struct device_sequence *s,
                    const uint64_t *addresses, uint64_t *reached, struct error *err) CHECK_RESULT;
void cuda_host_close(struct cuda_device *c);
void cuda_copy_prepare(struct cuda_device *c, const uint64_t *addresses, struct cuda_launch *l);
bool cuda_copy_enqueue(struct cuda_device *c, const struct cuda_copy *p,
                       struct error *err) CHECK_RESULT;
// The steps on their streams, from the device's own on and back to it.
bool cuda_enqueue_forked(struct cuda_device *c, const struct cuda_launch *launches, int count,
                         int stream_count, struct error *err) CHECK_RESULT;
struct cuda_window cuda_window_of(const struct cuda_device *c, uint64_t address, uint64_t bytes);
// Reads a buffer larger than the L2, so that it holds neither the data nor anything to write back.
bool cuda_flush(struct cuda_device *c, struct error *err) CHECK_RESULT;
bool cuda_grab(struct cuda_device *c, const char *name, uint64_t size_bytes, uint64_t *address,
               struct error *err) CHECK_RESULT;

/* ---- libraries (library.c; cublas.c, plugin.c) ------------------------------------------------- */

static inline void *device_pointer(uint64_t address)
{
    return (void *)(uintptr_t)address;
}
struct cuda_library { // a row of libraries.def
    struct library_rules rules;
    // Opens what the call names and fills `facts`: absent, or version and what is handed to `prepare`.
    bool (*open)(struct cuda_device *c, const struct library_call *call, const void **opened,
                 struct device_library *facts, struct error *err);
    // The arguments of a step on those buffers, and how much memory the step needs beside them.
    bool (*prepare)(struct cuda_device *c, struct arena *a, const void *opened,
                    const struct device_sequence *sequence, const struct resolved_launch *l,
                    const uint64_t *addresses, void **call, size_t *workspace_bytes,
                    struct error *err);
    // Puts the step into the stream.
    bool (*enqueue)(struct cuda_device *c, const void *call, const struct resolved_launch *l,
                    struct error *err);
    void (*close)(struct cuda_device *c); // optional
};
#define LIBRARY(name) extern const struct cuda_library library_##name;
#include "device/cuda/libraries.def"
#undef LIBRARY
extern const struct library_rules *const cuda_libraries[]; // all rows', NULL terminated

bool cuda_library_open(struct device *d, const struct library_call *call,
                       struct device_library *out, struct error *err) CHECK_RESULT;
// Fills what a LAUNCH_LIBRARY step needs, workspace included; its library has been opened.
bool cuda_library_prepare(struct cuda_device *c, struct arena *a,
                          const struct device_sequence *sequence, const uint64_t *addresses,
                          struct cuda_launch *out, struct error *err) CHECK_RESULT;
void cuda_libraries_close(struct cuda_device *c);

extern const char *const cublas_names[]; // of the library, NULL terminated
enum cublas_function {
#define FUNCTION(NAME, name, required, optional, types, c_may_be_f32, meaning) CUBLAS_##NAME,
#include "device/cuda/cublas_calls.def"
#undef FUNCTION
    CUBLAS_FUNCTION_COUNT
};
enum cublas_argument {
#define ARGUMENT(NAME, name, kind) CUBLAS_ARGUMENT_##NAME,
#include "device/cuda/cublas_calls.def"
#undef ARGUMENT
    CUBLAS_ARGUMENT_COUNT
};
enum cublas_function cublas_function_of(const char *name); // COUNT: none
enum cublas_argument cublas_argument_of(const char *name);
// library_rules of cuBLAS.
bool cublas_check(struct arena *a, const struct experiment *e, const struct launch_spec *s,
                  struct error *err) CHECK_RESULT;
bool cublas_check_case(const struct resolved_case *c, const struct resolved_launch *l,
                       struct error *err) CHECK_RESULT;

/* ---- passes over the launches (cuda.c), stalls sampled in them (stalls.c) ------------------------------ */

struct cuda_replay {
    struct cuda_device *device;
    const struct cuda_launch *launches;
    int count;
    bool cold;
    void *context; // of the two, which are called around each counted launch
    bool (*begin)(void *context, int kernel, struct error *err);
    bool (*end)(void *context, struct error *err);
};
// Kernels, and all that a library launches in a call together; not our own filling of buffers.
bool cuda_is_counted(const struct cuda_launch *l);
// Each pass finds what the first did: the same data, the same caches. context: a struct cuda_replay.
bool cuda_replay_pass(void *context, struct error *err);
// PC samples of the sequence's kernels, by line, into the report; what cannot be had is a note of it. false: a kernel
// broke the context.
bool cuda_sample_stalls(const struct cuda_replay *r, const struct device_sequence *sequence,
                        enum sampling_mode mode, struct arena *a, struct device_report *report,
                        struct error *broken) CHECK_RESULT;

/* ---- graphs (graph.c) ---------------------------------------------------------------------- */

// The launches as a CUDA graph, ready to launch.
bool cuda_graph_make(struct cuda_device *c, const struct cuda_launch *launches,
                     const struct device_sequence *sequence, void **graph,
                     struct error *err) CHECK_RESULT;
bool cuda_graph_launch(struct cuda_device *c, void *graph, struct error *err) CHECK_RESULT;
void cuda_graph_release(struct cuda_device *c, void *graph); // NULL is fine

/* ---- timing (cuda_measure.c) -------------------------------------------------------------------------- */

bool cuda_measure(struct device *d, const struct device_sequence *sequence,
                  const struct device_run_options *options, int count, double *times_ns,
                  struct error *err);
// Waits for c->stop to come, at most until that time on clock_ns.
bool cuda_wait_stop(struct cuda_device *c, uint64_t deadline_ns, struct error *err) CHECK_RESULT;

/* ---- a program's own streams (cuda_region.c) ------------------------------------------------------------- */

bool cuda_measure_region(struct device *d, struct device_region *region,
                         const struct device_run_options *options, int count, double *times_ns,
                         struct error *err);
bool cuda_count_region(struct device *d, const struct device_region *region, bool cold,
                       struct counters *out, struct error *err);
bool cuda_mark(struct device *d, void *stream, struct error *err);
bool cuda_elapsed(struct device *d, void *stream, double *time_ns, struct error *err);
bool cuda_launch_on(struct device *d, const struct device_sequence *sequence, void *stream,
                    struct error *err);
// count samples, each of `batch` runs that `enqueue` puts on c->stream, held up for hold_ns.
struct cuda_sampling {
    struct cuda_device *device;
    bool (*enqueue)(struct cuda_sampling *s, int run, struct error *err);
    void *context;
    const struct device_run_options *options;
    int batch;
    uint64_t hold_ns, deadline_ns;
    // Optional: the time of the sample where only parts between the two events count.
    bool (*timed_parts)(struct cuda_sampling *s, float *time_ms, struct error *err);
};
bool cuda_sample(struct cuda_sampling *s, int count, double *times_ns,
                 struct error *err) CHECK_RESULT;

/* ---- tensor maps (tensor.c), textures and surfaces (texture.c) ------------------------------- */

struct object_encoder cuda_object_encoder(struct cuda_device *c);
// object_encoder's: the object for that buffer, made at the first question.
bool cuda_texture(void *context, const struct resolved_texture *t, uint64_t address,
                  uint64_t *handle, struct error *err);
// Arrays get what their buffers hold; buffers get what surfaces wrote: those that were asked for since
// cuda_arrays_begin. In c->stream.
void cuda_arrays_begin(struct cuda_device *c);
bool cuda_arrays_load(struct cuda_device *c, struct error *err) CHECK_RESULT;
bool cuda_arrays_store(struct cuda_device *c, struct error *err) CHECK_RESULT;
void cuda_textures_close(struct cuda_device *c);

#endif
