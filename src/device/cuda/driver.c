// The CUDA driver: found, opened, asked what GPUs it has. A GPU is described by its chip's file where
// the name matches; of others the nearest chip's file is taken and every figure that the driver
// knows put in its place, so that a new chip works the day it comes. The driver is asked in a worker
// process, unless ours has started it: then it can no longer fork workers that use it.
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cuda.h"

#include <math.h>
#include <stdio.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 256, BUS_ID_BYTES = 32, GPUS_MAX = 64 };

// CUdevice_attribute, from the driver's documentation.
enum attribute {
    ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
    ATTRIBUTE_WARP_SIZE = 10,
    ATTRIBUTE_CLOCK_KHZ = 13,
    ATTRIBUTE_SM_COUNT = 16,
    ATTRIBUTE_MEMORY_CLOCK_KHZ = 36,
    ATTRIBUTE_MEMORY_BUS_BITS = 37,
    ATTRIBUTE_L2_BYTES = 38,
    ATTRIBUTE_THREADS_PER_SM = 39,
    ATTRIBUTE_CC_MAJOR = 75,
    ATTRIBUTE_CC_MINOR = 76,
    ATTRIBUTE_SHARED_BYTES_PER_SM = 81,
    ATTRIBUTE_REGISTERS_PER_SM = 82,
    ATTRIBUTE_SHARED_BYTES_PER_BLOCK_OPTIN = 97,
    ATTRIBUTE_BLOCKS_PER_SM = 106,
    ATTRIBUTE_SHARED_RESERVED_BYTES = 111,
};

/* ---- opening ---------------------------------------------------------------------------------------- */

static void *open_library(struct error *err)
{
    static const char *const names[] = {"libcuda.so.1", NULL};
    static const char *const usual[] = {"/usr/local/nvidia/lib64", "/usr/lib/wsl/lib",
                                        "/usr/local/cuda/compat", NULL};
    struct error ignored = {0};
    void *library = library_open(names, NULL, &ignored); // the loader's own choice first
    if (!library)
        library = library_open(names, usual, &ignored);
    if (library)
        return library;
    struct arena a = {0};
    library = library_open(names, cuda_folders(&a), &ignored);
    arena_release(&a);
    if (!library)
        (void)fail_as(err, ERROR_SYSTEM, NOWHERE, "libcuda.so.1 is not here");
    return library;
}

bool driver_open(struct driver *d, struct error *err)
{
    void *library = open_library(err);
    if (!library)
        return false;
#define DRIVER(name, parameters)                                        \
    if (!library_symbol(library, #name, &d->name, sizeof d->name, err)) \
        return error_context(err, "NVIDIA's driver is older than CUDA 11: update it");
#define DRIVER_SINCE(version, name, parameters)                            \
    if (!library_symbol(library, #name, &d->name, sizeof d->name, &older)) \
        d->name = NULL;
    struct error older = {0};
#include "device/cuda/driver.def"
#undef DRIVER_SINCE
#undef DRIVER
    int status = d->cuInit(0);
    if (status == CUDA_DONE)
        return true;
    const char *name = NULL, *text = NULL;
    (void)d->cuGetErrorName(status, &name);
    (void)d->cuGetErrorString(status, &text);
    return fail_as(err, ERROR_SYSTEM, NOWHERE,
                   "libcuda.so.1 was found, but cuInit fails (%s, %s): no usable GPU",
                   name ? name : "unknown", text ? text : "no text");
}

// What a kernel or its launch brings about; everything else is trouble of the device or the driver.
static bool is_of_kernel(int status)
{
    static const int of_kernel[] = {
        1,   // invalid value: of the launch
        200, // invalid image
        218, // invalid PTX
        700, // illegal address
        701, // too many resources for a launch
        702, // timeout
        710, // assert
        714, // hardware stack
        715, // illegal instruction
        716, // misaligned address
        717, // invalid address space
        718, // invalid program counter
        719, // launch failed
        720, // cooperative launch too large
    };
    for (size_t i = 0; i < COUNT_OF(of_kernel); i++)
        if (status == of_kernel[i])
            return true;
    return false;
}

bool driver_check(const struct driver *d, int status, struct error *err, const char *fmt, ...)
{
    if (status == CUDA_DONE)
        return true;
    const char *name = NULL, *text = NULL;
    struct text what = {0};
    va_list args;
    va_start(args, fmt);
    text_vprintf(&what, fmt, args);
    va_end(args);
    (void)d->cuGetErrorName(status, &name);
    (void)d->cuGetErrorString(status, &text);
    (void)fail_as(err, is_of_kernel(status) ? ERROR_CHECK : ERROR_SYSTEM, NOWHERE, "%s: %s (%s)",
                  text_str(&what), text ? text : "unknown error", name ? name : "no name");
    text_release(&what);
    return false;
}

/* ---- what GPUs there are: in the worker --------------------------------------------------------------- */

struct gpu_facts { // one message a GPU
    int ordinal, driver_version;
    char name[NAME_BYTES];
    char bus_id[BUS_ID_BYTES];
    int cc_major, cc_minor;
    double value[GPU_FIELD_COUNT]; // NAN = the driver does not say
};

static void ask_field(const struct driver *d, int device, enum attribute attribute, double *out)
{
    int value = 0;
    if (d->cuDeviceGetAttribute(&value, (int)attribute, device) == CUDA_DONE && value > 0)
        *out = value;
}

static void ask_fields(const struct driver *d, int device, double *v)
{
    static const struct {
        enum attribute attribute;
        enum gpu_field field;
    } plain[] = {
        {ATTRIBUTE_MAX_THREADS_PER_BLOCK, GPU_FIELD_max_threads_per_block},
        {ATTRIBUTE_WARP_SIZE, GPU_FIELD_warp_size},
        {ATTRIBUTE_SM_COUNT, GPU_FIELD_sm_count},
        {ATTRIBUTE_L2_BYTES, GPU_FIELD_l2_bytes},
        {ATTRIBUTE_SHARED_BYTES_PER_SM, GPU_FIELD_shared_bytes_per_sm},
        {ATTRIBUTE_REGISTERS_PER_SM, GPU_FIELD_registers_per_sm},
        {ATTRIBUTE_SHARED_BYTES_PER_BLOCK_OPTIN, GPU_FIELD_shared_bytes_per_block},
        {ATTRIBUTE_BLOCKS_PER_SM, GPU_FIELD_max_blocks_per_sm},
        {ATTRIBUTE_SHARED_RESERVED_BYTES, GPU_FIELD_shared_reserved_bytes},
    };
    static const double khz_per_mhz = 1000, bits_per_byte = 8, transfers_per_clock = 2;
    double clock_khz = (double)NAN, memory_khz = (double)NAN, bus_bits = (double)NAN,
           threads = (double)NAN;
    size_t memory_bytes = 0;
    for (size_t i = 0; i < COUNT_OF(plain); i++)
        ask_field(d, device, plain[i].attribute, &v[plain[i].field]);
    ask_field(d, device, ATTRIBUTE_CLOCK_KHZ, &clock_khz);
    ask_field(d, device, ATTRIBUTE_MEMORY_CLOCK_KHZ, &memory_khz);
    ask_field(d, device, ATTRIBUTE_MEMORY_BUS_BITS, &bus_bits);
    ask_field(d, device, ATTRIBUTE_THREADS_PER_SM, &threads);
    v[GPU_FIELD_clock_mhz] = clock_khz / khz_per_mhz;
    v[GPU_FIELD_dram_gbps] =
        memory_khz * khz_per_mhz * transfers_per_clock * bus_bits / bits_per_byte / 1e9;
    v[GPU_FIELD_max_warps_per_sm] = threads / v[GPU_FIELD_warp_size];
    if (d->cuDeviceTotalMem_v2(&memory_bytes, device) == CUDA_DONE)
        v[GPU_FIELD_dram_bytes] = (double)memory_bytes;
}

static bool ask_gpu(const struct driver *d, int ordinal, struct gpu_facts *out)
{
    int device = 0;
    *out = (struct gpu_facts){.ordinal = ordinal};
    for (int f = 0; f < GPU_FIELD_COUNT; f++)
        out->value[f] = (double)NAN;
    if (d->cuDeviceGet(&device, ordinal) != CUDA_DONE ||
        d->cuDeviceGetName(out->name, sizeof out->name - 1, device) != CUDA_DONE ||
        d->cuDeviceGetAttribute(&out->cc_major, ATTRIBUTE_CC_MAJOR, device) != CUDA_DONE ||
        d->cuDeviceGetAttribute(&out->cc_minor, ATTRIBUTE_CC_MINOR, device) != CUDA_DONE)
        return false;
    (void)d->cuDriverGetVersion(&out->driver_version);
    if (d->cuDeviceGetPCIBusId(out->bus_id, sizeof out->bus_id - 1, device) != CUDA_DONE)
        out->bus_id[0] = '\0';
    ask_fields(d, device, out->value);
    return true;
}

struct answer {
    struct gpu_facts gpus[GPUS_MAX];
    int count;
    struct error err;
};

static void ask_all(struct answer *out)
{
    struct driver d;
    int count = 0;
    if (!driver_open(&d, &out->err) ||
        !driver_check(&d, d.cuDeviceGetCount(&count), &out->err,
                      "the CUDA driver does not say what GPUs it has"))
        return;
    for (int i = 0; i < count && i < GPUS_MAX; i++)
        out->count += ask_gpu(&d, i, &out->gpus[out->count]);
}

static int ask_body(void *context, int fd)
{
    struct answer *answer = context;
    ask_all(answer);
    return worker_send(fd, answer, sizeof *answer) ? 0 : 1;
}

static atomic_bool may_be_started; // handles are opened in any thread

void driver_may_be_started(void)
{
    may_be_started = true;
}

// The program that ridge is part of may have started the driver; then it is asked right here. A
// program that has not must not be asked so: profilers load the driver into every process, start it at
// the first question, and workers forked from there hang.
static bool is_started(void)
{
    if (!may_be_started)
        return false;
    int (*ask)(int *count) = NULL, count = 0;
    struct error ignored = {0};
    void *library = library_loaded("libcuda.so.1");
    return library && library_symbol(library, "cuDeviceGetCount", &ask, sizeof ask, &ignored) &&
           ask(&count) == CUDA_DONE;
}

/* ---- what GPUs there are: the chip ---------------------------------------------------------------------- */

static int cc_distance(const struct gpu *g, const struct gpu_facts *facts)
{
    enum { MAJOR_WEIGHT = 10 };
    return abs((g->cc_major - facts->cc_major) * MAJOR_WEIGHT + g->cc_minor - facts->cc_minor);
}

// A file describes the chip when the driver's name holds the file's id and the SMs are as many: an H100
// PCIe is no H100 SXM.
static bool is_chip(const struct gpu *g, const struct gpu_facts *facts)
{
    return gpu_is_named(g, facts->name) && cc_distance(g, facts) == 0 &&
           !(fabs(facts->value[GPU_FIELD_sm_count] - GPU(g, sm_count)) > 0);
}

static bool choose_chip(struct arena *a, const struct gpu_facts *facts, struct gpu **out,
                        bool *known, struct error *err)
{
    const char *const *chips = NULL;
    if (!gpu_list(a, &chips, err))
        return false;
    struct gpu *best = NULL;
    *known = false;
    for (; *chips; chips++) {
        struct gpu *g = NULL;
        if (!gpu_load(a, *chips, &g, err) || !g)
            return false;
        if (strcmp(g->vendor, "nvidia") != 0)
            continue;
        bool matches = is_chip(g, facts);
        if (*known && best && (!matches || strlen(g->name) <= strlen(best->name)))
            continue;
        if (matches || !best || cc_distance(g, facts) < cc_distance(best, facts))
            best = g;
        *known = *known || matches;
    }
    *out = best;
    return best || fail_as(err, ERROR_SYSTEM, NOWHERE, "there is no chip file below gpus/");
}

// Measured rates of another chip say nothing of this one; those a file must have are kept, marked.
static void make_unknown(struct arena *a, struct gpu *g, const struct gpu_facts *facts)
{
    const char *assumed = arena_printf(a, "assumed: as of %s", g->name);
    g->id = "unknown";
    g->name = arena_strdup(a, facts->name);
    g->cc_major = facts->cc_major;
    g->cc_minor = facts->cc_minor;
    // From 9.0 on some instructions (wgmma) belong to the very chip: sm_90a.
    g->arch = arena_printf(a, "sm_%d%d%s", facts->cc_major, facts->cc_minor,
                           facts->cc_major >= 9 ? "a" : "");
    for (int f = 0; f < GPU_FIELD_COUNT; f++) {
        if (gpu_field_info((enum gpu_field)f)->need == GPU_OPTIONAL ||
            gpu_field_info((enum gpu_field)f)->need == GPU_TIMED)
            g->value[f] = (double)NAN;
        g->source[f] = assumed;
    }
}

// What the driver says of this very GPU counts more than its chip's file; clocks and bandwidth do
// so only where there is no file, which knows what is really reached.
static void take_driver_figures(struct gpu *g, const struct gpu_facts *facts, bool known)
{
    for (int f = 0; f < GPU_FIELD_COUNT; f++) {
        bool rate =
            f == GPU_FIELD_clock_mhz || f == GPU_FIELD_dram_gbps || f == GPU_FIELD_dram_bytes;
        if (isnan(facts->value[f]) || facts->value[f] == g->value[f] || (known && rate))
            continue;
        g->value[f] = facts->value[f];
        g->source[f] = "CUDA driver";
    }
}

static bool make_info(struct arena *a, const struct gpu_facts *facts, struct device_info *out,
                      struct error *err)
{
    struct gpu *g = NULL;
    bool known = false;
    if (!choose_chip(a, facts, &g, &known, err) || !g)
        return false;
    if (!known)
        make_unknown(a, g, facts);
    take_driver_figures(g, facts, known);
    *out = (struct device_info){
        .id = arena_printf(a, "cuda:%d", facts->ordinal),
        .name = arena_strdup(a, facts->name),
        .backend = backend_cuda.name,
        .bus_id = facts->bus_id[0] ? arena_strdup(a, facts->bus_id) : NULL,
        .gpu = g,
        .chip = g,
        .facts = device_facts_of(g),
        .driver = arena_printf(a, "CUDA %d.%d", facts->driver_version / CUDA_VERSION_MAJOR,
                               facts->driver_version % CUDA_VERSION_MAJOR / CUDA_VERSION_MINOR),
    };
    if (!isnan(facts->value[GPU_FIELD_dram_bytes])) // what can be had of it, not the data sheet's
        out->facts.memory_bytes = (int64_t)facts->value[GPU_FIELD_dram_bytes];
    out->gpu = roofs_of_device(a, out->chip, out->name, out->driver, out->id, &out->warning);
    return true;
}

bool cuda_list(struct arena *a, struct device_info **out, int *count, struct error *err)
{
    struct answer answer = {.count = 0};
    *count = 0;
    if (is_started())
        ask_all(&answer);
    else if (!driver_ask(ask_body, &answer, sizeof answer, "the CUDA driver", "GPUs", err))
        return false;
    if (answer.err.kind != ERROR_NONE) {
        *err = answer.err;
        return false;
    }
    if (answer.count == 0)
        return fail_as(err, ERROR_SYSTEM, NOWHERE, "the CUDA driver has no GPU");
    *out = ARENA_ARRAY(a, struct device_info, answer.count);
    for (int i = 0; i < answer.count; i++)
        if (!make_info(a, &answer.gpus[i], &(*out)[(*count)++], err))
            return false;
    return true;
}

// One of the real GPUs; a missing one is the system's fault, not the user's.
bool cuda_find(struct arena *a, const char *id, const char *which, struct device_info *out,
               struct error *err)
{
    struct device_info *infos = NULL;
    int count = 0;
    struct error why = {0};
    if (!cuda_list(a, &infos, &count, &why))
        return fail_no_gpu(id, &why, err);
    if (device_pick(infos, count, which ? id : NULL, out))
        return true;
    return fail_as(err, ERROR_SYSTEM, NOWHERE, "no device '%s': there %s %d (%s%s%s)", id,
                   count == 1 ? "is" : "are", count, infos[0].id, count > 1 ? " to " : "",
                   count > 1 ? infos[count - 1].id : "");
}
