// What the CUDA backend needs of a machine (`ridge devices`). The vendor's libraries are asked in a worker
// process: one that hangs, crashes or starts threads does it there.
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cuda.h"

#include <string.h>

enum { NAME_BYTES = 256 };

static const double ask_timeout_s = 15;

// Messages of the workers: "what\tdetail", or "!why".

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
    struct error err = {0};
    char version[NAME_BYTES] = "";
    if (!nvml_version(version, sizeof version - 1, &err))
        return send_failure(fd, err.message);
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

void cuda_parts(struct parts *p)
{
    static const char *const cupti_names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so",
                                              NULL};
    struct arena *a = p->arena;
    ask_worker(p, "CUDA driver (libcuda.so.1)", driver_body);
    ask_worker(p, "NVML (libnvidia-ml.so.1)", nvml_body);
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
}
