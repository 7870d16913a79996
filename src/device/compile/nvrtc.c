// NVRTC, opened at run time and only ever in a worker process: whatever the vendor's compiler does
// (crash, hang, leak) stays there. One compilation for a real architecture gives PTX, and ptxas's
// report of registers and shared memory in the log.
// SPDX-License-Identifier: Apache-2.0
#include "device/compile/extract.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEADER_BYTES_MAX = 1024 * 1024,
    ARCHS_MAX = 64,
    OPTIONS_FIXED = 16,
    FOLDERS_MAX = 64,
    FOLDER_FORMS = 3, // of a toolkit: lib64, lib, targets/…
    NVRTC_ERROR_INVALID_OPTION = 5,
    NVRTC_ERROR_COMPILATION = 6,
};

static const double find_timeout_s = 20;
static const char *const library_names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                                            "libnvrtc.so", NULL};

// What NVRTC does not have built in; the types are those its own headers use.
static const char header_text[] =
    "#ifndef RIDGE_STANDARD_HEADERS\n#define RIDGE_STANDARD_HEADERS\n"
    "typedef signed char int8_t;\ntypedef unsigned char uint8_t;\n"
    "typedef short int16_t;\ntypedef unsigned short uint16_t;\n"
    "typedef int int32_t;\ntypedef unsigned int uint32_t;\n"
    "typedef long long int64_t;\ntypedef unsigned long long uint64_t;\n"
    "typedef unsigned char uchar;\ntypedef unsigned short ushort;\n"
    "typedef unsigned int uint;\ntypedef unsigned long ulong;\n"
    // Types and macros to the letter as CCCL's cuda/std/cstdint and climits: both may be included.
    "typedef int64_t intptr_t;\ntypedef uint64_t uintptr_t;\n"
    "#define CHAR_BIT 8\n#define SCHAR_MIN (-128)\n#define SCHAR_MAX 127\n#define UCHAR_MAX 255\n"
    "#define SHRT_MIN (-SHRT_MAX - 1)\n#define SHRT_MAX 0x7fff\n#define USHRT_MAX 0xffff\n"
    "#define INT_MIN (-INT_MAX - 1)\n#define INT_MAX 0x7fffffff\n#define UINT_MAX 0xffffffff\n"
    "#define LLONG_MIN (-LLONG_MAX - 1)\n#define LLONG_MAX 0x7fffffffffffffffLL\n"
    "#define ULLONG_MAX 0xffffffffffffffffUL\n"
    "#define INT8_MIN SCHAR_MIN\n#define INT16_MIN SHRT_MIN\n#define INT32_MIN INT_MIN\n"
    "#define INT64_MIN LLONG_MIN\n#define INT8_MAX SCHAR_MAX\n#define INT16_MAX SHRT_MAX\n"
    "#define INT32_MAX INT_MAX\n#define INT64_MAX LLONG_MAX\n#define UINT8_MAX UCHAR_MAX\n"
    "#define UINT16_MAX USHRT_MAX\n#define UINT32_MAX UINT_MAX\n#define UINT64_MAX ULLONG_MAX\n"
    "#ifndef FLT_MAX\n#define FLT_MAX 3.402823466e+38f\n#define FLT_MIN 1.175494351e-38f\n"
    "#define FLT_EPSILON 1.192092896e-07f\n#define DBL_MAX 1.7976931348623157e+308\n"
    "#define DBL_MIN 2.2250738585072014e-308\n#define DBL_EPSILON 2.2204460492503131e-16\n#endif\n"
    "#ifndef INFINITY\n#define INFINITY (__int_as_float(0x7f800000))\n"
    "#define NAN (__int_as_float(0x7fffffff))\n#endif\n"
    "#ifndef M_PI\n#define M_E 2.7182818284590452354\n#define M_LOG2E 1.4426950408889634074\n"
    "#define M_LOG10E 0.43429448190325182765\n#define M_LN2 0.69314718055994530942\n"
    "#define M_LN10 2.30258509299404568402\n#define M_PI 3.14159265358979323846\n"
    "#define M_PI_2 1.57079632679489661923\n#define M_PI_4 0.78539816339744830962\n"
    "#define M_1_PI 0.31830988618379067154\n#define M_2_PI 0.63661977236758134308\n"
    "#define M_2_SQRTPI 1.12837916709551257390\n#define M_SQRT2 1.41421356237309504880\n"
    "#define M_SQRT1_2 0.70710678118654752440\n#endif\n"
    "#ifndef CUDART_INF_F\n#define CUDART_INF_F __int_as_float(0x7f800000)\n"
    "#define CUDART_NAN_F __int_as_float(0x7fffffff)\n#define CUDART_PI_F 3.141592654f\n#endif\n"
    "#endif\n";

// A tensor map, which kernels take by value; CCCL declares the struct only.
static const char driver_text[] =
    "#include <cuda_runtime.h>\n#ifndef RIDGE_TENSOR_MAP\n#define RIDGE_TENSOR_MAP\n"
    "struct __align__(64) CUtensorMap_st { unsigned long long opaque[16]; };\n"
    "typedef struct CUtensorMap_st CUtensorMap;\n#endif\n";

// What host libraries bring along for the device, and of CUB what works within a kernel.
static const char library_text[] = "#if __has_include(<cuda_bf16.h>)\n#include <cuda_fp16.h>\n"
                                   "#include <cuda_bf16.h>\n#endif\n";
static const char cub_text[] =
    "#include <cub/block/block_exchange.cuh>\n#include <cub/block/block_histogram.cuh>\n"
    "#include <cub/block/block_load.cuh>\n#include <cub/block/block_radix_sort.cuh>\n"
    "#include <cub/block/block_reduce.cuh>\n#include <cub/block/block_scan.cuh>\n"
    "#include <cub/block/block_store.cuh>\n#include <cub/warp/warp_reduce.cuh>\n"
    "#include <cub/warp/warp_scan.cuh>\n";

static const char *content_of(const struct tool *tool, const struct standard_header *header)
{
    switch (header->content) {
    case HEADER_CORE:
        return strcmp(header->name, "cuda.h") == 0 ? driver_text : header_text;
    case HEADER_STD:
        return tool->standard;
    case HEADER_CUB:
        return cub_text;
    case HEADER_LIBRARY:
        return strcmp(header->name, "ridge-library.h") == 0 ? library_text : NULL;
    case HEADER_OWN:
    case HEADER_HOST:
        break;
    }
    return NULL;
}

struct nvrtc {
#define FUNCTION(name, parameters) int(*name) parameters;
#include "device/compile/nvrtc.def"
#undef FUNCTION
};

static bool nvrtc_load(const char *path, struct nvrtc *n, struct error *err)
{
    void *library = library_open((const char *const[]){path, NULL}, NULL, err);
    if (!library)
        return false;
#define FUNCTION(name, parameters)                                      \
    if (!library_symbol(library, #name, &n->name, sizeof n->name, err)) \
        return false;
#include "device/compile/nvrtc.def"
#undef FUNCTION
    return true;
}

/* ---- where it is -------------------------------------------------------------------------------- */

struct folders {
    struct arena *arena;
    const char **items;
    size_t count;
};

static void folders_add(struct folders *f, const char *folder)
{
    if (f->count < FOLDERS_MAX && file_exists(folder))
        f->items[f->count++] = folder;
}

// A toolkit's root: its library folders, and the root itself (a wheel's folder, say).
static void folders_add_toolkit(struct folders *f, const char *root)
{
    static const char *const forms[FOLDER_FORMS] = {"lib64", "lib", "targets/x86_64-linux/lib"};
    if (!root || !*root)
        return;
    for (size_t i = 0; i < FOLDER_FORMS; i++)
        folders_add(f, path_join(f->arena, root, forms[i]));
    folders_add(f, root);
}

static int by_name_descending(const void *x, const void *y)
{
    return -strverscmp(*(const char *const *)x, *(const char *const *)y);
}

// /usr/local/cuda-13.0, cuda-12.8 …, newest first.
static void folders_add_installed(struct folders *f)
{
    static const char parent[] = "/usr/local";
    const char *names[FOLDERS_MAX];
    size_t count = 0;
    DIR *d = opendir(parent);
    // Of a stream of our own: what readdir(3) calls safe in every modern implementation.
    for (struct dirent *e;
         d && count < FOLDERS_MAX && (e = readdir(d));) // NOLINT(concurrency-mt-unsafe)
        if (str_starts_with(e->d_name, "cuda-"))
            names[count++] = arena_strdup(f->arena, e->d_name);
    if (d)
        (void)closedir(d);
    qsort(names, count, sizeof *names, by_name_descending);
    for (size_t i = 0; i < count; i++)
        folders_add_toolkit(f, path_join(f->arena, parent, names[i]));
}

static void folders_add_list(struct folders *f, const char *list)
{
    while (list && *list) {
        size_t length = strcspn(list, ":");
        if (length > 0)
            folders_add(f, arena_strndup(f->arena, list, length));
        list += length + (list[length] == ':');
    }
}

const char *const *cuda_folders(struct arena *a)
{
    struct folders f = {.arena = a, .items = ARENA_ARRAY(a, const char *, FOLDERS_MAX + 1)};
    folders_add_toolkit(&f, environment("RIDGE_CUDA_PATH"));
    folders_add_toolkit(&f, environment("CUDA_HOME"));
    folders_add_toolkit(&f, environment("CUDA_PATH"));
    folders_add_toolkit(&f, "/usr/local/cuda");
    folders_add_installed(&f);
    folders_add_list(&f, environment("LD_LIBRARY_PATH"));
    folders_add_list(&f,
                     "/usr/lib/x86_64-linux-gnu:/usr/lib/aarch64-linux-gnu:/usr/lib64:/usr/lib");
    return f.items;
}

static const char *find_library(struct arena *a)
{
    const char *const *folders = cuda_folders(a);
    for (const char *const *name = library_names; *name; name++)
        for (const char *const *folder = folders; *folder; folder++) {
            const char *path = path_join(a, *folder, *name);
            if (file_exists(path))
                return path;
        }
    return NULL;
}

/* ---- what it is ---------------------------------------------------------------------------------- */

// First byte of a worker's message.
enum reply {
    REPLY_ERROR = 'E',
    REPLY_VERSION = 'V',
    REPLY_LOG = 'L',
    REPLY_PTX = 'P',
    REPLY_MACHINE = 'M',
    REPLY_STATUS = 'S'
};

static int send_error(int fd, const struct error *err)
{
    (void)worker_send_kind(fd, REPLY_ERROR, err->message, strlen(err->message));
    return 0;
}

// Sends "13.0 75 80 86 …".
static int version_body(void *context, int fd)
{
    struct nvrtc n;
    struct error err = {0};
    if (!nvrtc_load(context, &n, &err))
        return send_error(fd, &err);
    int major = 0, minor = 0, count = 0, archs[ARCHS_MAX];
    if (n.nvrtcVersion(&major, &minor) != 0 || n.nvrtcGetNumSupportedArchs(&count) != 0 ||
        count < 1 || count > ARCHS_MAX || n.nvrtcGetSupportedArchs(archs) != 0) {
        (void)fail_as(&err, ERROR_SYSTEM, NOWHERE, "NVRTC does not report its version");
        return send_error(fd, &err);
    }
    struct text t = {0};
    text_printf(&t, "%d.%d", major, minor);
    for (int i = 0; i < count; i++)
        text_printf(&t, " %d", archs[i]);
    (void)worker_send_kind(fd, REPLY_VERSION, t.data, t.length);
    text_release(&t);
    return 0;
}

struct answer { // what the worker sent, arena-owned
    struct arena *arena;
    const char *error, *version, *log, *ptx;
    size_t ptx_bytes;
    const char *machine;
    size_t machine_bytes;
    bool has_status;
    int status;
};

static void take_reply(void *context, const char *data, size_t size_bytes)
{
    struct answer *answer = context;
    if (size_bytes == 0)
        return;
    const char *text = arena_strndup(answer->arena, data + 1, size_bytes - 1);
    switch ((enum reply)data[0]) {
    case REPLY_ERROR:
        answer->error = text;
        break;
    case REPLY_VERSION:
        answer->version = text;
        break;
    case REPLY_LOG:
        answer->log = text;
        break;
    case REPLY_PTX:
        answer->ptx = text;
        answer->ptx_bytes = size_bytes - 1;
        break;
    case REPLY_MACHINE:
        answer->machine = arena_copy(answer->arena, data + 1, size_bytes - 1);
        answer->machine_bytes = size_bytes - 1;
        break;
    case REPLY_STATUS:
        answer->has_status = true;
        answer->status = (int)strtol(text, NULL, 10);
        break;
    }
}

static bool read_version(struct arena *a, const char *text, struct tool *out)
{
    char *at = NULL;
    out->version = arena_printf(a, "NVRTC %.*s", (int)strcspn(text, " "), text);
    out->archs = ARENA_ARRAY(a, int, ARCHS_MAX);
    out->arch_count = 0;
    for (text += strcspn(text, " "); *text == ' ' && out->arch_count < ARCHS_MAX; text = at) {
        int arch = (int)strtol(text, &at, 10);
        if (at == text || arch <= 0)
            return false;
        out->archs[out->arch_count++] = arch;
    }
    return out->arch_count > 0;
}

static bool ask_version(struct arena *a, struct tool *out, struct error *err)
{
    const char *known = memo_get(a, out->path);
    if (known && read_version(a, known, out))
        return true;
    struct answer answer = {.arena = a};
    char *path = arena_strdup(a, out->path);
    struct worker_spec spec = {.body = version_body,
                               .context = path,
                               .timeout_s = find_timeout_s,
                               .on_message = take_reply,
                               .message_context = &answer};
    struct worker_result result;
    if (!worker_run(&spec, &result, err))
        return false;
    if (answer.error)
        return fail_as(err, ERROR_SYSTEM, NOWHERE, "%s", answer.error);
    if (result.end != WORKER_DONE || !answer.version || !read_version(a, answer.version, out))
        return fail_as(err, ERROR_SYSTEM, NOWHERE,
                       "'%s' cannot be used: it %s when asked for its version", out->path,
                       result.end == WORKER_TIMED_OUT ? "hangs" : "fails");
    memo_put(out->path, answer.version);
    return true;
}

bool tool_read_standard(struct arena *a, struct tool *tool, struct error *err)
{
    char *text = NULL;
    size_t size_bytes = 0;
    struct error ignored = {0};
    tool->standard_path = data_path(a, "std_min.h", err);
    if (!tool->standard_path) // of a tree that is not installed
        tool->standard_path = data_path(a, "assets/std_min.h", &ignored);
    if (tool->standard_path)
        error_clear(err);
    if (!tool->standard_path ||
        !file_read(tool->standard_path, HEADER_BYTES_MAX, &text, &size_bytes, err))
        return false;
    tool->standard = arena_strndup(a, text, size_bytes);
    free(text);
    return true;
}

bool nvrtc_find(struct arena *a, struct tool *out, struct error *err)
{
    *out = (struct tool){.kind = TOOL_NVRTC, .support = header_text, .path = find_library(a)};
    if (!tool_read_standard(a, out, err))
        return false;
    if (!out->path)
        return fail_as(err, ERROR_SYSTEM, NOWHERE,
                       "libnvrtc is in no folder known; set RIDGE_CUDA_PATH to CUDA's folder");
    if (!ask_version(a, out, err))
        return false;
    const char *include = path_join(a, path_dir(a, out->path), "../include");
    if (file_exists(path_join(a, include, "cuda_fp16.h")))
        out->include = include;
    return true;
}

/* ---- compiling ------------------------------------------------------------------------------------ */

struct task { // what the worker needs; inherited memory
    const struct compile_job *job;
    const char *const *options; // the last one asks for ptxas's report
    int option_count;
};

// A program compiled with the first `option_count` options; NVRTC's status.
static int compile_program(const struct nvrtc *n, const struct task *task, int option_count,
                           void **program)
{
    const struct source *source = task->job->source;
    const struct device_side *side = task->job->side;
    size_t own = side ? side->count : 0, count = 0;
    const char **contents = xcalloc(standard_header_count + own, sizeof *contents);
    const char **names = xcalloc(standard_header_count + own, sizeof *names);
    for (size_t i = 0; i < standard_header_count; i++) {
        contents[count] = content_of(task->job->tool, &standard_headers[i]);
        names[count] = standard_headers[i].name;
        count += contents[count] != NULL; // CUDA's own headers include others of CUDA's
    }
    for (size_t i = 0; i < own; i++) {
        names[count] = side->names[i];
        contents[count++] = side->texts[i];
    }
    int status = n->nvrtcCreateProgram(program, side ? side->texts[0] : source->text, source->path,
                                       (int)count, contents, names);
    const struct compile_request *r = task->job->request;
    for (int i = 0; status == 0 && i < r->instance_count; i++)
        status = n->nvrtcAddNameExpression(*program, r->instances[i]);
    if (status == 0)
        status = n->nvrtcCompileProgram(*program, option_count, task->options);
    free(contents);
    free(names);
    return status;
}

static char *read_log(const struct nvrtc *n, void *program)
{
    size_t size_bytes = 0;
    if (!program || n->nvrtcGetProgramLogSize(program, &size_bytes) != 0 || size_bytes == 0)
        return NULL;
    char *log = xcalloc(size_bytes + 1, 1);
    if (n->nvrtcGetProgramLog(program, log) == 0)
        return log;
    free(log);
    return NULL;
}

static bool log_has_error(const struct nvrtc *n, void *program)
{
    char *log = read_log(n, program);
    bool has = log && strstr(log, "error");
    free(log);
    return has;
}

static void send_log(const struct nvrtc *n, void *program, int fd)
{
    char *log = read_log(n, program);
    if (log)
        (void)worker_send_kind(fd, REPLY_LOG, log, strlen(log));
    free(log);
}

static void send_ptx(const struct nvrtc *n, void *program, int fd)
{
    size_t size_bytes = 0;
    if (n->nvrtcGetPTXSize(program, &size_bytes) != 0 || size_bytes <= 1)
        return;
    char *ptx = xcalloc(size_bytes + 1, 1);
    if (n->nvrtcGetPTX(program, ptx) == 0)
        (void)worker_send_kind(fd, REPLY_PTX, ptx, strlen(ptx));
    free(ptx);
}

// Of a real architecture NVRTC has made it already.
static void send_machine(const struct nvrtc *n, void *program, int fd)
{
    size_t size_bytes = 0;
    if (n->nvrtcGetCUBINSize(program, &size_bytes) != 0 || size_bytes == 0)
        return;
    char *cubin = xcalloc(size_bytes, 1);
    if (n->nvrtcGetCUBIN(program, cubin) == 0)
        (void)worker_send_kind(fd, REPLY_MACHINE, cubin, size_bytes);
    free(cubin);
}

static int compile_body(void *context, int fd)
{
    const struct task *task = context;
    struct nvrtc n;
    struct error err = {0};
    void *program = NULL;
    if (!nvrtc_load(task->job->tool->path, &n, &err))
        return send_error(fd, &err);
    int status = compile_program(&n, task, task->option_count, &program);
    // An old one has no ptxas options; with ptxas's report a newer one leaves out why ptxas refused,
    // as it does a kernel with too much shared memory.
    if (status == NVRTC_ERROR_INVALID_OPTION || (status != 0 && !log_has_error(&n, program)))
        status = compile_program(&n, task, task->option_count - 1, &program);
    if (program)
        send_log(&n, program, fd);
    if (status == 0)
        send_ptx(&n, program, fd);
    if (status == 0 && job_takes_machine(task->job))
        send_machine(&n, program, fd);
    struct text t = {0};
    text_printf(&t, "%d", status);
    (void)worker_send_kind(fd, REPLY_STATUS, t.data, t.length);
    text_release(&t);
    return 0;
}

static struct task make_task(struct arena *a, const struct compile_job *job)
{
    const struct compile_request *r = job->request;
    const struct flag_set *f = job->flags;
    const char **options = ARENA_ARRAY(a, const char *, OPTIONS_FIXED + flags_argument_count(f, r));
    int count = 0;
    options[count++] = "-lineinfo";
    options[count++] = arena_printf(a, "--gpu-architecture=%s", job->arch);
    // As with nvcc, what is not marked is the host's. CCCL defines macros of its own over ours.
    options[count++] = job->side ? "--diag-suppress=47" : "-default-device";
    options[count++] = arena_printf(a, "--std=%s", f->standard);
    count = flags_add_arithmetic(f, options, count);
    options[count++] = arena_printf(a, "--include-path=%s", job->source->directory);
    count = flags_add(a, f, r, options, count);
    if (job->tool->include) {
        options[count++] = arena_printf(a, "--include-path=%s", job->tool->include);
        options[count++] = arena_printf(a, "--include-path=%s/cccl", job->tool->include);
    }
    options[count++] = "--ptxas-options=-v";
    return (struct task){.job = job, .options = options, .option_count = count};
}

static bool judge_end(struct arena *a, const struct compile_job *job,
                      const struct worker_result *result, const struct answer *answer,
                      struct error *err)
{
    const char *version = job->tool->version, *shown = job->source->shown;
    switch (result->end) {
    case WORKER_TIMED_OUT:
        return fail_compiler_late(job, err);
    case WORKER_CRASHED:
        return fail_as(err, ERROR_SYSTEM, NOWHERE,
                       "%s crashed while compiling %s (%s); try --compiler clang", version, shown,
                       signal_name(result->signal));
    case WORKER_CANCELLED:
        return fail_as(err, ERROR_SYSTEM, NOWHERE, "interrupted while %s was compiling %s", version,
                       shown);
    case WORKER_EXITED:
        return fail_as(err, ERROR_SYSTEM, NOWHERE, "%s ended while compiling %s (exit status %d)",
                       version, shown, result->exit_status);
    case WORKER_DONE:
        break;
    }
    if (answer->error)
        return fail_as(err, ERROR_SYSTEM, NOWHERE, "%s", answer->error);
    if (answer->status == NVRTC_ERROR_COMPILATION)
        return fail_compile(a, job, answer->log ? answer->log : "(it says nothing)", err);
    if (answer->status != 0 || !answer->has_status || !answer->ptx)
        return fail_as(err, ERROR_SYSTEM, NOWHERE, "%s fails on %s with its error %d%s%s", version,
                       shown, answer->status, answer->log ? ":\n" : "",
                       answer->log ? answer->log : "");
    return true;
}

bool nvrtc_compile(struct arena *a, const struct compile_job *job, struct code_object *out,
                   struct error *err)
{
    struct compile_job own = *job;
    device_side_make(a, &own, "ridge-source");
    job = &own;
    struct task task = make_task(a, job);
    struct answer answer = {.arena = a};
    struct worker_spec spec = {.body = compile_body,
                               .context = &task,
                               .timeout_s = job->timeout_s,
                               .on_message = take_reply,
                               .message_context = &answer};
    struct worker_result result;
    if (!worker_run(&spec, &result, err))
        return error_context(err, "compiling %s", job->source->shown);
    if (!judge_end(a, job, &result, &answer, err))
        return false;
    out->bytes = answer.ptx;
    out->size_bytes = answer.ptx_bytes;
    out->machine = answer.machine;
    out->machine_bytes = answer.machine_bytes;
    out->log = answer.log ? shorten_paths(a, ptxas_log_take(a, answer.log, out)) : "";
    if (!job->arch_exact) // another chip's registers are not this one's
        out->kernel_count = 0;
    return true;
}
