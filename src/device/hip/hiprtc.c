// CUDA C and HIP C++ to AMD's machine code by hipRTC (libhiprtc, before ROCm 5.3 within libamdhip64). It needs no GPU.
// It works in a process of its own: an old one crashes on an architecture that it does not know. What it made is
// kept in the cache by content.
// SPDX-License-Identifier: Apache-2.0
#include "device/hip/hip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HASH_DIGITS = 32, MESSAGES_MAX = 3000, SUPPORT_BYTES_MAX = 1 << 20, OPTIONS_FIXED = 16 };

static const double default_timeout_s = 120;

static const char remedy[] =
    "comes with ROCm (or apt install libamdhip64-5); RIDGE_ROCM_PATH names its folder";

// Ours: ridge_hold spins for so many ns by the chip's clock of 100 MHz, ridge_sweep reads a word of each 32 bytes.
static const char tools_source[] =
    "static __device__ unsigned long long ridge_ticks()\n"
    "{\n"
    "#if defined(__GFX11__) || defined(__GFX12__) || defined(__gfx1100__) || defined(__gfx1101__)\n"
    "    return __builtin_amdgcn_s_sendmsg_rtnl(0x83);\n"
    "#else\n"
    "    return __builtin_amdgcn_s_memrealtime();\n"
    "#endif\n"
    "}\n"
    "extern \"C\" __global__ void ridge_hold(unsigned long long duration_ns)\n"
    "{\n"
    "    unsigned long long begin = ridge_ticks();\n"
    "    while ((ridge_ticks() - begin) * 10 < duration_ns)\n"
    "        ;\n"
    "}\n"
    "extern \"C\" __global__ void ridge_sweep(unsigned *words, unsigned long long count)\n"
    "{\n"
    "    unsigned long long step = (unsigned long long)gridDim.x * blockDim.x;\n"
    "    unsigned sum = 0;\n"
    "    for (unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)\n"
    "        sum |= words[i * 8];\n"
    "    if (sum != 0)\n"
    "        *words = sum;\n"
    "}\n";

struct hiprtc {
#define HIPRTC(name, parameters) int(*name) parameters;
#include "device/hip/hiprtc.def"
#undef HIPRTC
};

static bool hiprtc_load(struct hiprtc *h, struct error *err)
{
    static const char *const names[] = {"libhiprtc.so.7",   "libhiprtc.so.6", "libhiprtc.so.5",
                                        "libamdhip64.so.5", "libhiprtc.so",   NULL};
    void *library = hip_library(names, err);
    if (!library)
        return false;
#define HIPRTC(name, parameters)                                        \
    if (!library_symbol(library, #name, &h->name, sizeof h->name, err)) \
        return error_context(err, "hipRTC is older than ROCm 5");
#include "device/hip/hiprtc.def"
#undef HIPRTC
    return true;
}

/* ---- in the worker --------------------------------------------------------------------------------- */

struct work {
    const char *text, *shown;
    const char *const *options;
    const char *const *instances;
    int option_count, instance_count;
};

enum reply {
    REPLY_VERSION = 'V',
    REPLY_ERROR = 'E',
    REPLY_LOG = 'L',
    REPLY_CODE = 'C',
};

static bool send_error(int fd, const char *why)
{
    return worker_send_kind(fd, REPLY_ERROR, why, strlen(why));
}

static bool send_log(const struct hiprtc *h, void *program, int fd)
{
    size_t size = 0;
    if (h->hiprtcGetProgramLogSize(program, &size) != 0 || size < 2)
        return true; // nothing was said; the size counts the end
    char *log = xcalloc(size + 1, 1);
    bool sent = h->hiprtcGetProgramLog(program, log) != 0 ||
                worker_send_kind(fd, REPLY_LOG, log, strlen(log));
    free(log);
    return sent;
}

static bool send_code(const struct hiprtc *h, void *program, int fd)
{
    size_t size = 0;
    if (h->hiprtcGetCodeSize(program, &size) != 0 || size == 0)
        return send_error(fd, "hipRTC made no code");
    char *code = xcalloc(size, 1);
    bool sent = h->hiprtcGetCode(program, code) == 0 ? worker_send_kind(fd, REPLY_CODE, code, size)
                                                     : send_error(fd, "hipRTC hands over no code");
    free(code);
    return sent;
}

static bool compile(const struct hiprtc *h, const struct work *w, int fd)
{
    void *program = NULL;
    if (h->hiprtcCreateProgram(&program, w->text, w->shown, 0, NULL, NULL) != 0)
        return send_error(fd, "hipRTC takes no program");
    for (int i = 0; i < w->instance_count; i++)
        if (h->hiprtcAddNameExpression(program, w->instances[i]) != 0)
            return send_error(fd, "hipRTC takes no template to instantiate");
    bool done = h->hiprtcCompileProgram(program, w->option_count, w->options) == 0;
    return send_log(h, program, fd) && (!done || send_code(h, program, fd));
}

static int compile_body(void *context, int fd)
{
    struct hiprtc h;
    struct error err = {0};
    int major = 0, minor = 0;
    char version[32];
    if (!hiprtc_load(&h, &err))
        return send_error(fd, err.message) ? 0 : 1;
    (void)h.hiprtcVersion(&major, &minor);
    (void)snprintf(version, sizeof version, "%d.%d", major, minor);
    if (!worker_send_kind(fd, REPLY_VERSION, version, strlen(version)))
        return 1;
    return !context || compile(&h, context, fd) ? 0 : 1; // the process ends: nothing is freed
}

/* ---- in the parent ----------------------------------------------------------------------------------- */

struct answer { // arena-owned
    struct arena *arena;
    const char *version, *error, *log, *code;
    size_t code_bytes;
};

static void take_reply(void *context, const char *data, size_t size_bytes)
{
    struct answer *answer = context;
    if (size_bytes == 0)
        return;
    char *copy = arena_alloc(answer->arena, size_bytes);
    memcpy(copy, data + 1, size_bytes - 1);
    switch ((enum reply)data[0]) {
    case REPLY_VERSION:
        answer->version = copy;
        break;
    case REPLY_ERROR:
        answer->error = copy;
        break;
    case REPLY_LOG:
        answer->log = copy;
        break;
    case REPLY_CODE:
        answer->code = copy;
        answer->code_bytes = size_bytes - 1;
        break;
    }
}

// work NULL: which version is it? One that hangs or crashes says so in err.
static bool ask(struct work *work, double timeout_s, struct answer *answer, struct error *err)
{
    struct worker_spec spec = {.body = compile_body,
                               .context = work,
                               .timeout_s = timeout_s,
                               .on_message = take_reply,
                               .message_context = answer};
    struct worker_result end;
    if (!worker_run(&spec, &end, err))
        return false;
    if (answer->error)
        return fail_as(err, ERROR_SYSTEM, NOWHERE, "%s", answer->error);
    return end.end == WORKER_DONE ||
           fail_as(err, ERROR_SYSTEM, NOWHERE, "hipRTC %s%s%s",
                   end.end == WORKER_TIMED_OUT ? "did not finish in time; --timeout gives it more"
                                               : "crashed",
                   work ? " on " : " when asked for its version", work ? work->shown : "");
}

void hiprtc_part(struct parts *p)
{
    static const double ask_timeout_s = 15;
    struct answer answer = {.arena = p->arena};
    struct error why = {0};
    bool found = ask(NULL, ask_timeout_s, &answer, &why);
    parts_add(p, "hipRTC", found,
              found ? arena_printf(p->arena, "hipRTC %s", answer.version)
                    : arena_strdup(p->arena, why.message),
              remedy);
}

static bool read_support(struct arena *a, const char **out, struct error *err)
{
    char *text = NULL;
    size_t size = 0;
    const char *path = data_path(a, "hip_min.h", err);
    if (!path || !file_read(path, SUPPORT_BYTES_MAX, &text, &size, err))
        return false;
    *out = arena_strndup(a, text, size);
    free(text);
    return true;
}

// By the compiler, or from the cache.
static bool make(struct arena *a, struct work *w, double timeout_s, struct code_object *out,
                 struct error *err)
{
    char file[HASH_DIGITS + 1];
    struct text t = {0};
    struct answer version = {.arena = a}, answer = {.arena = a};
    static const double ask_timeout_s = 30;
    if (!ask(NULL, ask_timeout_s, &version, err))
        return false;
    out->compiler = arena_printf(a, "hipRTC %s", version.version);
    text_printf(&t, "hip\n%s\n%s", out->compiler, w->text);
    for (int i = 0; i < w->option_count; i++)
        text_printf(&t, "\n%s", w->options[i]);
    for (int i = 0; i < w->instance_count; i++)
        text_printf(&t, "\ninstance %s", w->instances[i]);
    text_printf(&t, "\n%s", out->key); // of what the source includes
    hash_hex(&(struct hash_piece){t.data, t.length}, 1, file);
    text_release(&t);
    struct code_object kept = {0};
    if (cache_get(a, file, &kept)) {
        kept.format = CODE_HSACO;
        *out = kept;
        return true;
    }
    if (!ask(w, timeout_s, &answer, err))
        return false;
    const char *log = answer.log ? shorten_paths(a, answer.log) : "";
    if (!answer.code)
        return fail(err, NOWHERE, "%s does not compile with %s for %s:\n%.*s", w->shown,
                    out->compiler, out->arch, MESSAGES_MAX, *log ? log : "(it says nothing)");
    memcpy(out->key, file, sizeof out->key);
    out->log = log;
    out->bytes = answer.code;
    out->size_bytes = answer.code_bytes;
    cache_put(file, out);
    return true;
}

static const char *arch_of(const struct device_info *info)
{
    return info->gpu ? info->gpu->arch : info->arch;
}

static const char *const *options_of(struct arena *a, const struct device_info *info,
                                     const struct compile_request *r, const struct source *s,
                                     const struct flag_set *f, int *count)
{
    const char **argv = ARENA_ARRAY(a, const char *, OPTIONS_FIXED + flags_argument_count(f, r));
    *count = 0;
    argv[(*count)++] = arena_printf(a, "--offload-arch=%s", arch_of(info));
    argv[(*count)++] = "-O3";
    argv[(*count)++] = arena_printf(a, "-std=%s", f->standard);
    if (f->fast_functions)
        argv[(*count)++] = "-ffast-math";
    if (f->ftz)
        argv[(*count)++] = "-fgpu-flush-denormals-to-zero";
    if (f->approximate_division || f->approximate_root)
        argv[(*count)++] = "-fno-hip-fp32-correctly-rounded-divide-sqrt";
    if (f->no_contraction)
        argv[(*count)++] = "-ffp-contract=off";
    argv[(*count)++] = "-I";
    argv[(*count)++] = s->directory;
    *count = flags_add(a, f, r, argv, *count);
    return argv;
}

// hipRTC has types and functions built in; headers that bring them are not there to be read.
static const char *without_headers(struct arena *a, const char *text)
{
    char *copy = arena_strdup(a, text);
    for (char *line = copy; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        char *at = line + strspn(line, " \t");
        if (*at != '#' || !str_starts_with(at + 1 + strspn(at + 1, " \t"), "include"))
            continue;
        char *open = strchr(at, '<');
        size_t length = open ? strcspn(open + 1, ">\n") : 0;
        for (size_t i = 0; open && i < standard_header_count; i++)
            if (standard_headers[i].content == HEADER_CORE &&
                strlen(standard_headers[i].name) == length &&
                strncmp(open + 1, standard_headers[i].name, length) == 0) {
                memset(at, ' ', strcspn(at, "\n"));
                break;
            }
    }
    return copy;
}

bool hip_compile(struct arena *a, const struct device_info *info,
                 const struct compile_request *request, const struct source *source,
                 const struct flag_set *flags, struct code_object *out, struct error *err)
{
    const char *support = NULL;
    struct work w = {.shown = source->shown,
                     .instances = request->instances,
                     .instance_count = request->instance_count};
    *out = (struct code_object){
        .format = CODE_HSACO, .source = source->shown, .arch = arch_of(info), .log = ""};
    memcpy(out->key, source->hash, sizeof out->key);
    if (flags->max_registers > 0)
        return fail(err, request->flags_at, "hipRTC takes no limit of registers");
    if (source->host)
        return fail(err, (struct location){.file = source->shown},
                    "this source has host code (main, <<<>>>, the C++ library), and hipRTC takes "
                    "the device's side only: put the kernels into a file of their own");
    if (!read_support(a, &support, err))
        return false;
    w.text = arena_printf(a, "%s\n#line 1 \"%s\"\n%s", support, source->path,
                          without_headers(a, source->text));
    w.options = options_of(a, info, request, source, flags, &w.option_count);
    if (!make(a, &w, request->timeout_s > 0 ? request->timeout_s : default_timeout_s, out, err))
        return false;
    out->source = source->shown;
    code_list_kernels(a, out);
    return true;
}

bool hip_tools(struct arena *a, const struct device_info *info, struct code_object *out,
               struct error *err)
{
    const char *const options[] = {arena_printf(a, "--offload-arch=%s", arch_of(info)), "-O3"};
    struct work w = {.text = tools_source,
                     .shown = "ridge's own kernels",
                     .options = options,
                     .option_count = COUNT_OF(options)};
    *out = (struct code_object){.format = CODE_HSACO, .arch = arch_of(info), .log = ""};
    return make(a, &w, default_timeout_s, out, err);
}
