// AMD's GPUs through HIP's module API (libamdhip64, opened at run time). What works a device is device/cuda,
// under hip.def's names. The runtime is asked in a worker process.
// SPDX-License-Identifier: Apache-2.0
#include "device/hip/hip.h"
#include "device/hip/rocm_smi.h"
#include "device/hip/rocprofiler.h"

#include <ctype.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 256, BUS_ID_BYTES = 32, ARCH_BYTES = 16, GPUS_MAX = 64 };
enum { PROPERTIES_BYTES = 8192 }; // more than any version's

/* ---- opening ------------------------------------------------------------------------------------- */

void *hip_library(const char *const *names, struct error *err)
{
    struct arena a = {0};
    const char *const roots[] = {environment("RIDGE_ROCM_PATH"), environment("ROCM_PATH"),
                                 "/opt/rocm"};
    const char *folders[COUNT_OF(roots) + 1] = {NULL};
    size_t count = 0;
    struct error ignored = {0};
    for (size_t i = 0; i < COUNT_OF(roots); i++)
        if (roots[i])
            folders[count++] = path_join(&a, roots[i], "lib");
    void *library = library_open(names, NULL, &ignored); // the loader's own choice first
    if (!library)
        library = library_open(names, folders, err);
    arena_release(&a);
    return library;
}

// hipGetErrorName and hipGetErrorString return what CUDA's write to a pointer. They are one library's, the same
// for all who open it.
typedef const char *error_text(int status);
static _Atomic(error_text *) error_name, error_string;

static int get_error_name(int status, const char **out)
{
    *out = error_name(status);
    return 0;
}

static int get_error_string(int status, const char **out)
{
    *out = error_string(status);
    return 0;
}

static bool load_texts(void *library, struct driver *d, struct error *err)
{
    error_text *name = NULL, *string = NULL;
    if (!library_symbol(library, "hipGetErrorName", &name, sizeof name, err) ||
        !library_symbol(library, "hipGetErrorString", &string, sizeof string, err))
        return false;
    error_name = name;
    error_string = string;
    d->cuGetErrorName = get_error_name;
    d->cuGetErrorString = get_error_string;
    return true;
}

static void *open_runtime(struct error *err)
{
    static const char *const names[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
                                        "libamdhip64.so", NULL};
    struct error why = {0};
    void *library = hip_library(names, &why);
    if (!library)
        (void)fail_as(err, ERROR_SYSTEM, NOWHERE, "libamdhip64 is not here (%s)", why.message);
    return library;
}

static bool hip_driver_open(struct driver *d, struct error *err)
{
    struct error missing = {0};
    void *library = open_runtime(err);
    *d = (struct driver){0};
    if (!library || !load_texts(library, d, err))
        return false;
#define HIP(of_cuda, name)                                                    \
    if (!library_symbol(library, #name, &d->of_cuda, sizeof d->of_cuda, err)) \
        return error_context(err, "AMD's runtime is older than ROCm 5: update it");
#define HIP_OPTIONAL(of_cuda, name)                                                \
    if (!library_symbol(library, #name, &d->of_cuda, sizeof d->of_cuda, &missing)) \
        d->of_cuda = NULL;
#include "device/hip/hip.def"
#undef HIP_OPTIONAL
#undef HIP
    int status = d->cuInit(0);
    if (status == CUDA_DONE)
        return true;
    return fail_as(err, ERROR_SYSTEM, NOWHERE,
                   "libamdhip64 was found, but hipInit fails (%s, %s): no usable GPU",
                   error_name(status), error_string(status));
}

/* ---- which GPUs: in the worker ------------------------------------------------------------------------ */

struct gpu_answer {
    int ordinal, version;
    char name[NAME_BYTES], bus_id[BUS_ID_BYTES], arch[ARCH_BYTES];
    int units, warp, threads, shared_bytes, l2_bytes;
    size_t memory_bytes;
};

void hip_arch_of(const char *properties, size_t size_bytes, char out[ARCH_BYTES])
{
    static const char head[] = "gfx";
    const size_t length = sizeof head - 1;
    out[0] = '\0';
    for (size_t i = NAME_BYTES; i + ARCH_BYTES <= size_bytes; i++) {
        size_t n = length;
        if (memcmp(properties + i, head, length) != 0)
            continue;
        while (n < ARCH_BYTES - 1 && isalnum((unsigned char)properties[i + n]))
            n++;
        if (n == length || !isdigit((unsigned char)properties[i + length]))
            continue;
        memcpy(out, properties + i, n); // without ":sramecc+:xnack-"
        out[n] = '\0';
        return;
    }
}

static void ask_arch(int ordinal, char out[ARCH_BYTES])
{
    int (*properties_of)(void *properties, int device) = NULL;
    struct error ignored = {0};
    void *library = open_runtime(&ignored);
    char *properties = xcalloc(PROPERTIES_BYTES, 1);
    if (library &&
        (library_symbol(library, "hipGetDevicePropertiesR0600", &properties_of,
                        sizeof properties_of, &ignored) ||
         library_symbol(library, "hipGetDeviceProperties", &properties_of, sizeof properties_of,
                        &ignored)) &&
        properties_of(properties, ordinal) == CUDA_DONE)
        hip_arch_of(properties, PROPERTIES_BYTES, out);
    free(properties);
}

static bool ask_gpu(const struct driver *d, int ordinal, struct gpu_answer *out)
{
    int device = 0;
    const struct {
        enum hip_attribute attribute;
        int *to;
    } attributes[] = {{HIP_MULTIPROCESSORS, &out->units},
                      {HIP_WARP_SIZE, &out->warp},
                      {HIP_MAX_THREADS_PER_BLOCK, &out->threads},
                      {HIP_SHARED_BYTES_PER_BLOCK, &out->shared_bytes},
                      {HIP_L2_BYTES, &out->l2_bytes}};
    *out = (struct gpu_answer){.ordinal = ordinal};
    if (d->cuDeviceGet(&device, ordinal) != CUDA_DONE ||
        d->cuDeviceGetName(out->name, sizeof out->name - 1, device) != CUDA_DONE)
        return false;
    for (size_t i = 0; i < COUNT_OF(attributes); i++)
        (void)d->cuDeviceGetAttribute(attributes[i].to, (int)attributes[i].attribute, device);
    (void)d->cuDriverGetVersion(&out->version);
    (void)d->cuDeviceTotalMem_v2(&out->memory_bytes, device);
    if (d->cuDeviceGetPCIBusId(out->bus_id, sizeof out->bus_id - 1, device) != CUDA_DONE)
        out->bus_id[0] = '\0';
    ask_arch(ordinal, out->arch);
    return true;
}

struct answer {
    struct gpu_answer gpus[GPUS_MAX];
    int count;
    struct error err;
};

static int ask_body(void *context, int fd)
{
    struct answer *answer = context;
    struct driver d;
    int count = 0;
    if (hip_driver_open(&d, &answer->err) &&
        driver_check(&d, d.cuDeviceGetCount(&count), &answer->err,
                     "AMD's runtime does not say what GPUs it has"))
        for (int i = 0; i < count && i < GPUS_MAX; i++)
            answer->count += ask_gpu(&d, i, &answer->gpus[answer->count]);
    return worker_send(fd, answer, sizeof *answer) ? 0 : 1;
}

static bool ask(struct answer *out, struct error *err)
{
    if (!driver_ask(ask_body, out, sizeof *out, "AMD's runtime", "GPUs", err))
        return false;
    if (out->err.kind != ERROR_NONE) {
        *err = out->err;
        return false;
    }
    return out->count > 0 || fail_as(err, ERROR_SYSTEM, NOWHERE, "AMD's runtime has no GPU");
}

/* ---- which GPUs: in the parent ------------------------------------------------------------------------- */

static bool choose_chip(struct arena *a, const struct gpu_answer *g, struct gpu **out,
                        struct error *err)
{
    *out = NULL;
    if (!gpu_find_by_name(a, g->name, out, err))
        return false;
    if (*out && (strcmp((*out)->vendor, "amd") != 0 || strcmp((*out)->arch, g->arch) != 0))
        *out = NULL;
    return true;
}

// A chip without a file has no bounds: no other chip's figures stand for it.
static bool make_info(struct arena *a, const struct gpu_answer *g, struct device_info *out,
                      struct error *err)
{
    enum { MAJOR = 10000000, MINOR = 100000 }; // 60032830 is 6.0
    struct gpu *chip = NULL;
    if (!choose_chip(a, g, &chip, err))
        return false;
    *out = (struct device_info){
        .id = arena_printf(a, "%s:%d", backend_hip.name, g->ordinal),
        .name = arena_strdup(a, g->name),
        .backend = backend_hip.name,
        .bus_id = g->bus_id[0] ? arena_strdup(a, g->bus_id) : NULL,
        .gpu = chip,
        .chip = chip,
        .arch = arena_strdup(a, g->arch),
        .facts = {.sm_count = g->units,
                  .warp_size = g->warp,
                  .max_threads_per_block = g->threads,
                  .shared_bytes_per_block = g->shared_bytes,
                  .l2_bytes = g->l2_bytes,
                  .memory_bytes = (int64_t)g->memory_bytes},
        .driver =
            arena_printf(a, "ROCm's HIP %d.%d", g->version / MAJOR, g->version % MAJOR / MINOR),
        .warning = g->arch[0] ? "AMD's GPUs were not tried on hardware by ridge's authors: "
                                "docs/amd.md says what was"
                              : "AMD's runtime does not say which architecture the GPU has: "
                                "nothing can be compiled for it",
    };
    if (chip)
        out->gpu = roofs_of_device(a, chip, out->name, out->driver, out->id, &out->warning);
    return true;
}

static bool hip_list(struct arena *a, struct device_info **out, int *count, struct error *err)
{
    struct answer *answer = xcalloc(1, sizeof *answer);
    *count = 0;
    bool done = ask(answer, err);
    if (done)
        *out = ARENA_ARRAY(a, struct device_info, answer->count);
    for (; done && *count < answer->count; ++*count)
        done = make_info(a, &answer->gpus[*count], &(*out)[*count], err);
    free(answer);
    return done;
}

static bool hip_find(struct arena *a, const char *id, const char *which, struct device_info *out,
                     struct error *err)
{
    struct device_info *infos = NULL;
    struct error why = {0};
    int count = 0;
    if (!hip_list(a, &infos, &count, &why))
        return fail_no_gpu(id, &why, err);
    if (device_pick(infos, count, which ? id : NULL, out))
        return true;
    return fail_as(err, ERROR_SYSTEM, NOWHERE, "no device '%s': AMD's runtime has %d", id, count);
}

static void hip_parts(struct parts *p)
{
    struct device_info *infos = NULL;
    struct error why = {0};
    int count = 0;
    bool found = hip_list(p->arena, &infos, &count, &why);
    parts_add(p, "HIP (libamdhip64)", found,
              found ? infos[0].driver : arena_strdup(p->arena, why.message),
              "comes with AMD's ROCm; simulated GPUs do not need it");
    hiprtc_part(p);
    rocm_smi_part(p);
    rocprofiler_part(p);
}

/* ---- the backend ------------------------------------------------------------------------------------------ */

static const struct device_ops hip_device_ops;

// A device at work may be asked for counters.
static bool open_counted(struct driver *d, struct error *err)
{
    rocprofiler_register();
    return hip_driver_open(d, err);
}

static bool hip_open(const struct device_info *info, struct device **out, struct error *err)
{
    static const struct cuda_dialect amd = {
        .open = open_counted,
        .tools = hip_tools,
        .formats = 1U << CODE_HSACO,
        .formats_words = "an AMD GPU runs its own machine code (.cu by hipRTC, .hsaco)",
        .lacks = 1U << FEATURE_CLUSTER | 1U << FEATURE_PERSIST | 1U << FEATURE_TENSOR_MAP |
                 1U << FEATURE_TEXTURE,
        .counting = &rocprofiler_counting,
        .no_stalls = "no samples of stalls: they are CUPTI's, for NVIDIA's GPUs",
    };
    return cuda_open_as(&amd, &hip_device_ops, info, out, err);
}

static const struct device_code_ops code_ops = {
    .load = cuda_load, .run = cuda_run, .launch = cuda_launch_on};
static const struct device_clock_ops clock_ops = {
    .measure = cuda_measure,
    .measure_region = cuda_measure_region,
    .mark = cuda_mark,
    .elapsed = cuda_elapsed,
};
static const struct device_counting_ops counting_ops = {.region = cuda_count_region};
static const struct device_ops hip_device_ops = {
    .open = hip_open,
    .close = cuda_close,
    .memory = &cuda_memory_ops,
    .code = &code_ops,
    .clock = &clock_ops,
    .counting = &counting_ops,
};
const struct device_backend backend_hip = {.name = "hip",
                                           .ops = &hip_device_ops,
                                           .telemetry = &rocm_smi_telemetry,
                                           .list = hip_list,
                                           .find = hip_find,
                                           .parts = hip_parts,
                                           .compile = hip_compile};
