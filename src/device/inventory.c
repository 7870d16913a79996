// What is installed and what is missing (`ridge devices`): the backends' parts, compilers. Only facts, and no promises: a
// part this version does not use is said to be unused.
// SPDX-License-Identifier: Apache-2.0
#include "device/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double ask_timeout_s = 15;
static const char ptxas_use[] = "registers and spills of PTX sources and of clang's code";
static const char nvdisasm_use[] = "machine code below its line of source";

void parts_add(struct parts *p, const char *what, bool present, const char *detail,
               const char *remedy)
{
    struct device_part part = {what, present, detail, present ? NULL : remedy};
    VEC_PUSH(p->items, p->count, p->capacity, part);
}

// Messages of the workers: "+detail", or "-why".

static int PRINTF_LIKE(3, 0) send_part(int fd, char sign, const char *fmt, va_list args)
{
    struct text line = {0};
    text_printf(&line, "%c", sign);
    text_vprintf(&line, fmt, args);
    bool sent = worker_send(fd, line.data, line.length);
    text_release(&line);
    return sent ? 0 : 1;
}

int part_here(int fd, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int status = send_part(fd, '+', fmt, args);
    va_end(args);
    return status;
}

int part_missing(int fd, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int status = send_part(fd, '-', fmt, args);
    va_end(args);
    return status;
}

struct asked {
    struct parts *parts;
    const char *what, *remedy;
    bool answered;
};

static void take_part(void *context, const char *data, size_t size_bytes)
{
    struct asked *asked = context;
    if (asked->answered || size_bytes == 0)
        return;
    asked->answered = true;
    parts_add(asked->parts, asked->what, data[0] == '+',
              arena_strndup(asked->parts->arena, data + 1, size_bytes - 1), asked->remedy);
}

void part_ask(struct parts *p, const char *what, int (*body)(void *context, int fd),
              const char *remedy)
{
    struct asked asked = {.parts = p, .what = what, .remedy = remedy};
    struct worker_spec spec = {.body = body,
                               .timeout_s = ask_timeout_s,
                               .on_message = take_part,
                               .message_context = &asked};
    struct worker_result result;
    struct error err = {0};
    bool ran = worker_run(&spec, &result, &err);
    if (asked.answered)
        return;
    const char *why = !ran                             ? arena_strdup(p->arena, err.message)
                      : result.end == WORKER_TIMED_OUT ? "it hangs when asked"
                                                       : "it crashes when asked";
    parts_add(p, what, false, why, "reinstall the vendor's driver");
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

const char *find_in_folders(struct arena *a, const char *const *names)
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
    struct arena *a = p->arena;
    const char *ptxas = ptxas_find(a);
    parts_add(p, "ptxas", ptxas != NULL,
              ptxas ? arena_printf(a, "%s, %s: %s", ptxas_version(a, ptxas), ptxas, ptxas_use)
                    : arena_printf(a, "not here: %s are estimated", ptxas_use),
              "optional: comes with CUDA's toolkit (or pip install nvidia-cuda-nvcc); RIDGE_PTXAS "
              "names it");
    const char *nvdisasm = nvdisasm_find(a);
    parts_add(p, "nvdisasm", nvdisasm != NULL,
              nvdisasm ? arena_printf(a, "%s: %s", nvdisasm, nvdisasm_use)
                       : arena_printf(a, "not here: %s is not shown", nvdisasm_use),
              "optional: comes with CUDA's toolkit; RIDGE_NVDISASM names it");
}

bool device_inventory(struct arena *a, struct device_inventory *out, struct error *err)
{
    *out = (struct device_inventory){0};
    struct parts p = {.arena = a};
    if (!devices_list(a, out, err))
        return false;
    devices_parts(&p);
    add_compilers(&p);
    add_tools(&p);
    out->parts = ARENA_ARRAY(a, struct device_part, p.count);
    for (size_t i = 0; i < p.count; i++)
        out->parts[out->part_count++] = p.items[i];
    free(p.items);
    return true;
}
