// What is here and what is missing (`ridge devices`). Vendors' libraries are asked in a worker
// process: one that hangs, crashes or starts threads does it there. Only facts, and no promises: a
// part this version does not use is said to be unused.
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 256 };

static const double ask_timeout_s = 15;
static const char unused_note[] = "not used by this version";

struct nvml_looks {
#define NVML(name, parameters) int(*name) parameters;
#include "device/cuda/driver.def"
#undef NVML
};

struct parts {
    struct arena *arena;
    struct device_part *items;
    size_t count, capacity;
    const char *what; // the worker's messages are about
};

static void parts_add(struct parts *p, const char *what, bool present, const char *detail,
                      const char *remedy)
{
    struct device_part part = {what, present, detail, present ? NULL : remedy};
    VEC_PUSH(p->items, p->count, p->capacity, part);
}

/* ---- the driver: messages "what\tdetail", or "!why" ------------------------------------------------ */

static int PRINTF_LIKE(2, 3) send_line(int fd, const char *fmt, ...)
{
    struct text line = {0};
    va_list args;
    va_start(args, fmt);
    text_vprintf(&line, fmt, args);
    va_end(args);
    bool sent = worker_send(fd, line.data, line.length);
    text_release(&line);
    return sent ? 0 : 1;
}

static int send_failure(int fd, const char *why)
{
    return send_line(fd, "!%s", why);
}

static int driver_body(void *context, int fd)
{
    (void)context;
    struct driver d;
    struct error err = {0};
    int version = 0;
    if (!driver_open(&d, &err))
        return send_failure(fd, err.message);
    if (d.cuDriverGetVersion(&version) != CUDA_DONE)
        return send_failure(fd, "the driver does not answer");
    return send_line(fd, "CUDA driver (libcuda.so.1)\tfor CUDA %d.%d", version / CUDA_VERSION_MAJOR,
                     version % CUDA_VERSION_MAJOR / CUDA_VERSION_MINOR);
}

static int nvml_body(void *context, int fd)
{
    (void)context;
    struct nvml_looks n;
    struct error err = {0};
    char version[NAME_BYTES] = "";
    void *library = library_open((const char *const[]){"libnvidia-ml.so.1", NULL}, NULL, &err);
    if (!library)
        return send_failure(fd, "libnvidia-ml.so.1 is not here");
#define NVML(name, parameters)                                         \
    if (!library_symbol(library, #name, &n.name, sizeof n.name, &err)) \
        return send_failure(fd, err.message);
#include "device/cuda/driver.def"
#undef NVML
    if (n.nvmlInit_v2() != 0 || n.nvmlSystemGetDriverVersion(version, sizeof version - 1) != 0)
        return send_failure(fd, "libnvidia-ml.so.1 is here, but does not start: no usable GPU");
    return send_line(fd, "NVML (libnvidia-ml.so.1)\tdriver %s", version);
}

static void take_part(void *context, const char *data, size_t size_bytes)
{
    static const char remedy[] = "comes with NVIDIA's driver; simulated GPUs do not need it";
    struct parts *p = context;
    char *line = arena_strndup(p->arena, data, size_bytes);
    char *tab = strchr(line, '\t');
    if (line[0] == '!')
        parts_add(p, p->what, false, line + 1, remedy);
    if (!tab)
        return;
    *tab = '\0';
    parts_add(p, line, true, tab + 1, NULL);
}

static void ask_worker(struct parts *p, const char *what, int (*body)(void *, int))
{
    struct worker_spec spec = {
        .body = body, .timeout_s = ask_timeout_s, .on_message = take_part, .message_context = p};
    struct worker_result result;
    struct error err = {0};
    p->what = what;
    size_t before = p->count;
    bool ran = worker_run(&spec, &result, &err);
    if (p->count > before)
        return;
    const char *why = !ran                             ? arena_strdup(p->arena, err.message)
                      : result.end == WORKER_TIMED_OUT ? "it hangs when asked"
                                                       : "it crashes when asked";
    parts_add(p, what, false, why, "reinstall NVIDIA's driver");
}

/* ---- compilers and the rest ------------------------------------------------------------------------- */

static void add_compilers(struct parts *p)
{
    struct tool tool;
    struct error err = {0};
    bool found = nvrtc_find(p->arena, &tool, &err);
    parts_add(
        p, "NVRTC", found,
        found ? arena_printf(p->arena, "%s, %s", tool.version, tool.path)
              : arena_strdup(p->arena, err.message),
        "optional where clang is: pip install nvidia-cuda-nvrtc (or CUDA's toolkit), then set "
        "RIDGE_CUDA_PATH to its folder");
    found = clang_find(p->arena, "clang", &tool, &err);
    parts_add(p, "clang", found,
              found ? arena_printf(p->arena, "%s, %s", tool.version, tool.path)
                    : arena_strdup(p->arena, err.message),
              "optional where NVRTC is: apt install --no-install-recommends clang");
    const char *chosen = environment("CC");
    const char *cc = program_find(p->arena, chosen ? chosen : "cc");
    parts_add(p, "C compiler (references)", cc != NULL, cc ? cc : "neither $CC nor cc is in PATH",
              "apt install gcc: references of experiments are compiled with it");
}

static const char *find_in_folders(struct arena *a, const char *const *names)
{
    const char *const *folders = cuda_folders(a);
    for (; *names; names++)
        for (const char *const *folder = folders; *folder; folder++) {
            const char *path = path_join(a, *folder, *names);
            if (file_exists(path))
                return path;
        }
    return NULL;
}

static const char *ptxas_version(struct arena *a, const char *path)
{
    static const char word[] = "release ";
    const char *const argv[] = {path, "--version", NULL};
    struct process_spec spec = {.argv = argv, .timeout_s = ask_timeout_s};
    struct process_result r;
    struct error ignored = {0};
    if (!process_run(&spec, &r, &ignored))
        return "";
    const char *at = strstr(text_str(&r.out), word);
    const char *version =
        at ? arena_strndup(a, at + sizeof word - 1, strcspn(at + sizeof word - 1, ", \n")) : "";
    process_result_release(&r);
    return version;
}

static void add_tools(struct parts *p)
{
    static const char *const cupti_names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so",
                                              NULL};
    struct arena *a = p->arena;
    const char *cupti = find_in_folders(a, cupti_names);
    parts_add(p, "CUPTI", cupti != NULL,
              cupti ? cupti : "libcupti is in no folder known: no hardware counters",
              "comes with CUDA's toolkit, 12.6 or later; RIDGE_CUDA_PATH names its folder");
    const char *cublas = find_in_folders(a, cublas_names);
    parts_add(
        p, "cuBLAS", cublas != NULL,
        cublas ? cublas : "libcublas is in no folder known: variants that call it are left out",
        "optional: pip install nvidia-cublas (or CUDA's toolkit), then set RIDGE_CUDA_PATH to "
        "its folder");
    const char *ptxas = program_find(a, "ptxas");
    if (!ptxas)
        ptxas = program_find(a, "/usr/local/cuda/bin/ptxas");
    parts_add(p, "ptxas", ptxas != NULL,
              ptxas ? arena_printf(a, "%s, %s; %s", ptxas_version(a, ptxas), ptxas, unused_note)
                    : arena_printf(a, "not in PATH; %s", unused_note),
              "nothing to do: comes with CUDA's toolkit");
}

// Real GPUs first, then the simulated ones. Why there are no real ones, the parts tell.
static bool add_devices(struct arena *a, struct device_inventory *out, struct error *err)
{
    struct device_info *real = NULL;
    int real_count = 0;
    struct error none = {0};
    const char *const *chips = NULL;
    if (!chips_simulated(a, &chips, err))
        return false;
    int count = 0;
    while (chips[count])
        count++;
    if (!device_infos_cuda(a, &real, &real_count, &none))
        real_count = 0;
    out->devices = ARENA_ARRAY(a, struct device_info, real_count + count);
    for (int i = 0; i < real_count; i++)
        out->devices[out->device_count++] = real[i];
    for (int i = 0; i < count; i++)
        if (!device_info_sim(a, chips[i], &out->devices[out->device_count++], err))
            return false;
    return true;
}

bool device_inventory(struct arena *a, struct device_inventory *out, struct error *err)
{
    *out = (struct device_inventory){0};
    struct parts p = {.arena = a};
    if (!add_devices(a, out, err))
        return false;
    ask_worker(&p, "CUDA driver (libcuda.so.1)", driver_body);
    add_compilers(&p);
    add_tools(&p);
    ask_worker(&p, "NVML (libnvidia-ml.so.1)", nvml_body);
    out->parts = ARENA_ARRAY(a, struct device_part, p.count);
    for (size_t i = 0; i < p.count; i++)
        out->parts[out->part_count++] = p.items[i];
    free(p.items);
    return true;
}
