// OpenCL's library and what it lists: the devices of every vendor that has a driver here. It is asked in a
// worker process: a driver that hangs or crashes does so there, and the parent can go on to fork workers.
// SPDX-License-Identifier: Apache-2.0
#include "device/opencl/opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 256, DEVICES_MAX = 32, PLATFORMS_MAX = 16 };

static const char remedy[] =
    "optional: apt install ocl-icd-libopencl1 and a vendor's OpenCL driver (pocl-opencl-icd is one "
    "for the CPU)";

/* ---- opening ------------------------------------------------------------------------------------- */

bool opencl_load(struct opencl *cl, struct error *err)
{
    static const char *const names[] = {"libOpenCL.so.1", NULL};
    struct error why = {0};
    void *library = library_open(names, NULL, &why);
    if (!library)
        return fail_as(err, ERROR_SYSTEM, NOWHERE, "libOpenCL.so.1 is not here (%s)", why.message);
#define OPENCL(type, name, parameters)                                    \
    if (!library_symbol(library, #name, &cl->name, sizeof cl->name, err)) \
        return error_context(err, "libOpenCL.so.1 is older than OpenCL 1.2");
#include "device/opencl/opencl.def"
#undef OPENCL
    return true;
}

bool opencl_check(int status, struct error *err, const char *fmt, ...)
{
    enum { SYSTEM, KERNEL };
    static const struct {
        int status, whose;
        const char *name, *meaning;
    } known[] = {
#define CONSTANT(name, value)
#define STATUS(name, value, whose, meaning) {value, whose, #name, meaning},
#include "device/opencl/constants.def"
#undef STATUS
#undef CONSTANT
    };
    struct text what = {0};
    va_list args;
    if (status == CL_DONE)
        return true;
    va_start(args, fmt);
    text_vprintf(&what, fmt, args);
    va_end(args);
    size_t i = 0;
    while (i < COUNT_OF(known) && known[i].status != status)
        i++;
    if (i < COUNT_OF(known))
        (void)fail_as(err, known[i].whose == KERNEL ? ERROR_CHECK : ERROR_SYSTEM, NOWHERE,
                      "%s: %s (%s)", text_str(&what), known[i].meaning, known[i].name);
    else
        (void)fail_as(err, ERROR_SYSTEM, NOWHERE, "%s: OpenCL's status %d", text_str(&what),
                      status);
    text_release(&what);
    return false;
}

/* ---- which devices: in the worker ------------------------------------------------------------------ */

uint64_t opencl_figure(const struct opencl *cl, void *device, unsigned what, size_t size_bytes)
{
    uint64_t value = 0; // little-endian: the low bytes are filled
    return cl->clGetDeviceInfo(device, what, size_bytes, &value, NULL) == CL_DONE ? value : 0;
}

struct handles {
    struct opencl_handle items[DEVICES_MAX];
    int count;
};

static void add_devices(const struct opencl *cl, void *platform, bool gpus, struct handles *out)
{
    void *devices[DEVICES_MAX];
    unsigned found = 0;
    static const uint64_t all = 0xFFFFFFFF; // CL_DEVICE_TYPE_ALL
    if (cl->clGetDeviceIDs(platform, all, DEVICES_MAX, devices, &found) != CL_DONE)
        return;
    for (unsigned i = 0; i < found && i < DEVICES_MAX && out->count < DEVICES_MAX; i++) {
        uint64_t type = opencl_figure(cl, devices[i], CL_DEVICE_TYPE, sizeof type);
        if (((type & CL_DEVICE_TYPE_GPU) != 0) == gpus)
            out->items[out->count++] = (struct opencl_handle){platform, devices[i]};
    }
}

static bool list_handles(const struct opencl *cl, struct handles *out, struct error *err)
{
    void *platforms[PLATFORMS_MAX];
    unsigned count = 0;
    out->count = 0;
    if (!opencl_check(cl->clGetPlatformIDs(PLATFORMS_MAX, platforms, &count), err,
                      "libOpenCL.so.1 lists no device"))
        return false;
    for (int gpus = 1; gpus >= 0; gpus--)
        for (unsigned i = 0; i < count && i < PLATFORMS_MAX; i++)
            add_devices(cl, platforms[i], gpus == 1, out);
    return out->count > 0 || fail_as(err, ERROR_SYSTEM, NOWHERE,
                                     "the OpenCL drivers that are installed have no device");
}

bool opencl_handle_at(const struct opencl *cl, int ordinal, struct opencl_handle *out,
                      struct error *err)
{
    struct handles all;
    if (!list_handles(cl, &all, err))
        return false;
    if (ordinal >= all.count)
        return fail_as(err, ERROR_SYSTEM, NOWHERE, "there is no opencl:%d any more", ordinal);
    *out = all.items[ordinal];
    return true;
}

struct device_answer { // of a device
    char name[TEXT_BYTES], driver[TEXT_BYTES], platform[TEXT_BYTES];
    uint64_t type, units, group, local_bytes, cache_bytes, memory_bytes, warp, compiler;
};

// What the device's compiler runs side by side, of a small kernel; 0 = it does not say.
static uint64_t ask_lanes(const struct opencl *cl, void *device)
{
    static const char source[] =
        "__kernel void lanes(__global uint *x) { x[get_global_id(0)] = 0; }";
    struct error ignored = {0};
    void *program = NULL, *kernel = NULL;
    size_t lanes = 0;
    int status = CL_DONE;
    void *context = cl->clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    if (context && opencl_build(cl, context, device, source, "a probe", &program, &ignored))
        kernel = cl->clCreateKernel(program, "lanes", &status);
    if (kernel)
        (void)cl->clGetKernelWorkGroupInfo(kernel, device,
                                           CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                                           sizeof lanes, &lanes, NULL);
    return lanes; // the process ends: nothing is released
}

// The sub-group's size as the vendors call it, else what the compiler runs side by side.
static uint64_t ask_warp_size(const struct opencl *cl, void *device)
{
    static const unsigned asked[] = {CL_DEVICE_WARP_SIZE_NV, CL_DEVICE_WAVEFRONT_WIDTH_AMD};
    for (size_t i = 0; i < COUNT_OF(asked); i++) {
        uint64_t warp = opencl_figure(cl, device, asked[i], sizeof(unsigned));
        if (warp > 0)
            return warp;
    }
    return ask_lanes(cl, device);
}

static void ask_device(const struct opencl *cl, const struct opencl_handle *h,
                       struct device_answer *out)
{
    void *d = h->device;
    *out = (struct device_answer){.type = opencl_figure(cl, d, CL_DEVICE_TYPE, sizeof out->type)};
    (void)cl->clGetDeviceInfo(d, CL_DEVICE_NAME, TEXT_BYTES - 1, out->name, NULL);
    (void)cl->clGetDeviceInfo(d, CL_DRIVER_VERSION, TEXT_BYTES - 1, out->driver, NULL);
    (void)cl->clGetPlatformInfo(h->platform, CL_PLATFORM_NAME, TEXT_BYTES - 1, out->platform, NULL);
    out->units = opencl_figure(cl, d, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(unsigned));
    out->group = opencl_figure(cl, d, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(size_t));
    out->local_bytes = opencl_figure(cl, d, CL_DEVICE_LOCAL_MEM_SIZE, sizeof(uint64_t));
    out->cache_bytes = opencl_figure(cl, d, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, sizeof(uint64_t));
    out->memory_bytes = opencl_figure(cl, d, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(uint64_t));
    out->compiler = opencl_figure(cl, d, CL_DEVICE_COMPILER_AVAILABLE, sizeof(unsigned));
    out->warp = ask_warp_size(cl, d);
}

struct answer {
    struct device_answer devices[DEVICES_MAX];
    int count;
    struct error err;
};

static int ask_body(void *context, int fd)
{
    struct answer *answer = context;
    struct opencl cl;
    struct handles all;
    if (opencl_load(&cl, &answer->err) && list_handles(&cl, &all, &answer->err))
        for (int i = 0; i < all.count; i++)
            ask_device(&cl, &all.items[i], &answer->devices[answer->count++]);
    return worker_send(fd, answer, sizeof *answer) ? 0 : 1;
}

static bool ask(struct answer *out, struct error *err)
{
    *out = (struct answer){.count = 0};
    if (!driver_ask(ask_body, out, sizeof *out, "an OpenCL driver", "devices", err))
        return false;
    if (out->err.kind != ERROR_NONE)
        *err = out->err;
    return out->err.kind == ERROR_NONE;
}

/* ---- which devices: in the parent -------------------------------------------------------------------- */

// Nothing is known of its rates: it has no chip. A CPU is named as one wherever the device is named, for
// its times are a CPU's.
static void make_info(struct arena *a, const struct device_answer *f, int ordinal,
                      struct device_info *out)
{
    bool cpu = (f->type & CL_DEVICE_TYPE_CPU) != 0;
    *out = (struct device_info){
        .id = arena_printf(a, "%s:%d", backend_opencl.name, ordinal),
        .name = arena_printf(a, "%s%s", f->name, cpu ? " (a CPU device of OpenCL)" : ""),
        .backend = backend_opencl.name,
        .cpu = cpu,
        .facts = {.sm_count = (int)f->units,
                  .warp_size = (int)f->warp,
                  .max_threads_per_block = (int)f->group,
                  .shared_bytes_per_block = (int64_t)f->local_bytes,
                  .l2_bytes = (int64_t)f->cache_bytes,
                  .memory_bytes = (int64_t)f->memory_bytes},
        .driver = arena_printf(a, "%s %s", f->platform, f->driver),
        .warning = f->compiler ? NULL : "this OpenCL device has no compiler: no .cl runs on it",
    };
}

bool opencl_list(struct arena *a, struct device_info **out, int *count, struct error *err)
{
    struct answer *answer = xcalloc(1, sizeof *answer);
    *count = 0;
    bool done = ask(answer, err);
    if (done) {
        *out = ARENA_ARRAY(a, struct device_info, answer->count + 1);
        for (; *count < answer->count; ++*count)
            make_info(a, &answer->devices[*count], *count, &(*out)[*count]);
    }
    free(answer);
    return done;
}

bool opencl_find(struct arena *a, const char *id, const char *which, struct device_info *out,
                 struct error *err)
{
    struct device_info *infos = NULL;
    struct error why = {0};
    int count = 0;
    if (!opencl_list(a, &infos, &count, &why))
        return fail_as(err, ERROR_SYSTEM, NOWHERE,
                       "no device '%s': %s; `ridge devices` says what is missing", id, why.message);
    if (device_pick(infos, count, which ? id : NULL, out))
        return true;
    return fail_as(err, ERROR_SYSTEM, NOWHERE, "no device '%s': OpenCL has %d here (opencl:0%s)",
                   id, count, count > 1 ? " and on" : "");
}

void opencl_parts(struct parts *p)
{
    struct device_info *infos = NULL;
    struct error why = {0};
    int count = 0;
    bool found = opencl_list(p->arena, &infos, &count, &why);
    parts_add(p, "OpenCL (libOpenCL.so.1)", found,
              found ? infos[0].driver : arena_strdup(p->arena, why.message), remedy);
}
