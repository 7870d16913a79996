// What the files of the OpenCL backend share (device/opencl; nobody else includes it). OpenCL is taken from
// libOpenCL.so.1 at run time: no header and no SDK are needed to build.
//   driver.c   the library, its devices, their figures      source.c   .cl to a code object, in a worker
//   opencl.c   a device opened; a sequence run once         launch.c   kernels bound and enqueued
//   memory.c   buffers, by addresses of our own             measure.c  times by events
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_DEVICE_OPENCL_H
#define RIDGE_DEVICE_OPENCL_H

#include "device/internal.h"

enum {
#define CONSTANT(name, value) name = (value),
#define STATUS(name, value, whose, meaning) name = (value),
#include "device/opencl/constants.def"
#undef STATUS
#undef CONSTANT
};
enum { CL_DONE = 0 }; // CL_SUCCESS

struct opencl {
#define OPENCL(type, name, parameters) type(*name) parameters;
#include "device/opencl/opencl.def"
#undef OPENCL
};

/* ---- the library and its devices (driver.c) -------------------------------------------------- */

bool opencl_load(struct opencl *cl, struct error *err) CHECK_RESULT;
// false with "what: CL_NAME, its meaning"; true for status 0.
bool opencl_check(int status, struct error *err, const char *fmt, ...) PRINTF_LIKE(3, 4);
struct opencl_handle {
    void *platform, *device;
};
// The device of that number: of all vendors, GPUs before the rest, as the library lists them.
bool opencl_handle_at(const struct opencl *cl, int ordinal, struct opencl_handle *out,
                      struct error *err) CHECK_RESULT;
// A 32- or 64-bit figure of the device; 0 = it does not say.
uint64_t opencl_figure(const struct opencl *cl, void *device, unsigned what, size_t size_bytes);
bool opencl_list(struct arena *a, struct device_info **out, int *count,
                 struct error *err) CHECK_RESULT;
bool opencl_find(struct arena *a, const char *id, const char *which, struct device_info *out,
                 struct error *err) CHECK_RESULT;
void opencl_parts(struct parts *p);

/* ---- source (source.c) ------------------------------------------------------------------------- */

// device_backend's `compile`: what the object holds is the source with the definitions before it, whose
// first line is a comment with the options of the device's compiler.
bool opencl_compile(struct arena *a, const struct device_info *info,
                    const struct compile_request *request, const struct source *source,
                    const struct flag_set *flags, struct code_object *out,
                    struct error *err) CHECK_RESULT;
// The object's source built for the device. A compile error has the compiler's messages whole.
bool opencl_build(const struct opencl *cl, void *context, void *device, const char *text,
                  const char *shown, void **program, struct error *err) CHECK_RESULT;
// Which arguments of a kernel are local memory (a launch's shared_bytes): their indices' bits, or
// false where the device does not say.
enum { OPENCL_ARGUMENTS_MAX = 64 };
bool opencl_local_arguments(const struct opencl *cl, void *kernel, uint64_t *out, unsigned *count);
// Of a type as a kernel names it ("float", "uint4", "float*"); false: not one that is known.
bool opencl_parameter_of(const char *type, bool pointer, struct code_parameter *out);

/* ---- the device at work ---------------------------------------------------------------------------- */

struct device_module {
    void *program;
    struct code_kernel *kernels;
    int kernel_count;
    const char *source;
};

struct opencl_buffer {
    void *memory; // NULL: released
    uint64_t size_bytes;
    const char *name;
    struct {
        uint64_t *items; // addresses of further ones like it, so that a batch finds each run's cold
        size_t count, capacity;
    } twins;
};

struct opencl_device {
    struct device head; // first: a struct device * is a struct opencl_device *
    struct opencl cl;
    void *platform, *device, *context, *queue;
    struct arena arena; // modules
    struct {
        void **items;
        size_t count, capacity;
    } programs;
    struct {
        struct opencl_buffer *items;
        size_t count, capacity;
    } buffers;
    void *sweep; // our own kernel that empties the cache, NULL = not built yet
    void *sweep_memory;
    uint64_t sweep_each; // words of 16 bytes that a group reads
};

// memory.c. An address is (number of the buffer + 1) << OPENCL_OFFSET_BITS, plus an offset.
enum { OPENCL_OFFSET_BITS = 44 };
extern const struct device_memory_ops opencl_memory_ops;
// The buffer that holds the address and the offset in it; NULL = none.
struct opencl_buffer *opencl_buffer_at(struct opencl_device *c, uint64_t address, size_t *offset);
bool opencl_grab(struct opencl_device *c, const char *name, uint64_t size_bytes, uint64_t *address,
                 struct error *err) CHECK_RESULT;
void opencl_memory_close(struct opencl_device *c);

// launch.c
struct opencl_launch {
    const struct device_launch *given;
    const char *name; // as the user names the kernel
    void *kernel;     // its own: arguments stay set
    size_t threads[3], block[3];
    void *from, *to; // LAUNCH_COPY; LAUNCH_ZERO has no `from`
    size_t from_offset, to_offset, size_bytes;
};
// Ready launches of the sequence on those buffers (arena-owned, their kernels are not).
bool opencl_prepare(struct opencl_device *c, struct arena *a, const struct device_sequence *s,
                    const uint64_t *addresses, struct opencl_launch **out,
                    struct error *err) CHECK_RESULT;
void opencl_launches_release(struct opencl_device *c, struct opencl_launch *launches, int count);
// Puts it into the queue behind `gate` (NULL = nothing); the event is the caller's.
bool opencl_enqueue(struct opencl_device *c, const struct opencl_launch *l, void *gate,
                    void **event, struct error *err) CHECK_RESULT;
// Reads what the device's cache does not hold, so that it holds none of the data.
bool opencl_flush(struct opencl_device *c, void *gate, struct error *err) CHECK_RESULT;

// measure.c
bool opencl_measure(struct device *d, const struct device_sequence *sequence,
                    const struct device_run_options *options, int count, double *times_ns,
                    struct error *err);
// From the first event's start to the last one's end.
bool opencl_between(const struct opencl *cl, void *first, void *last, double *time_ns,
                    struct error *err) CHECK_RESULT;

#endif
