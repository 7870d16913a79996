// OpenCL C: made into a code object by the device's own compiler. There is no code that another process could
// load on every driver, so the object holds the source, and each worker builds it; drivers keep what they
// compiled. What the parent needs to know (does it compile, which kernels, which parameters) a worker of its own finds out.
// SPDX-License-Identifier: Apache-2.0
#include "device/opencl/opencl.h"

#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 512, KERNELS_MAX = 256, MESSAGES_MAX = 3000 };

static const double default_timeout_s = 60;
static const char options_head[] = "// options:";
static const char exact_division[] = "-cl-fp32-correctly-rounded-divide-sqrt"; // not of all devices

/* ---- the text that is built ---------------------------------------------------------------------- */

static bool add_folder(const char *folder, const struct source *s, struct text *out,
                       struct error *err)
{
    if (strpbrk(folder, " \t\n\"'\\"))
        return fail(
            err, (struct location){.file = s->shown},
            "OpenCL's compilers take no folder with spaces or quotes in its name, and files "
            "are included from '%s': move it",
            folder);
    text_printf(out, " -I%s", folder);
    return true;
}

static bool add_options(const struct source *s, const struct flag_set *f, struct text *out,
                        struct error *err)
{
    text_add(out, options_head);
    text_add(out, " -cl-kernel-arg-info");
    if (f->fast_functions)
        text_add(out, " -cl-fast-relaxed-math");
    else if (!f->approximate_division && !f->approximate_root)
        text_printf(out, " %s", exact_division); // as CUDA's compilers do
    if (f->ftz)
        text_add(out, " -cl-denorms-are-zero");
    if (s->file_count > 1 && !add_folder(s->directory, s, out, err))
        return false;
    for (int i = 0; i < f->folder_count; i++)
        if (!add_folder(f->folders[i], s, out, err))
            return false;
    text_add(out, "\n");
    return true;
}

static void add_define(const char *define, struct text *out)
{
    const char *equals = strchr(define, '=');
    int length = equals ? (int)(equals - define) : (int)strlen(define);
    text_printf(out, "#define %.*s %s\n", length, define, equals ? equals + 1 : "1");
}

// Lines stay the user's: what stands before them is numbered apart.
static bool add_text(const struct compile_request *r, const struct source *s,
                     const struct flag_set *f, struct text *out, struct error *err)
{
    if (f->max_registers > 0)
        return fail(err, r->flags_at, "OpenCL's compilers take no limit of registers");
    if (!add_options(s, f, out, err))
        return false;
    text_printf(out, "// source: %s\n", s->hash); // with what it includes
    if (f->no_contraction)
        text_add(out, "#pragma OPENCL FP_CONTRACT OFF\n");
    for (int i = 0; i < f->define_count; i++)
        add_define(f->defines[i], out);
    for (int i = 0; i < r->define_count; i++)
        add_define(r->defines[i], out);
    text_printf(out, "#line 1 \"%s\"\n%s", s->path, s->text);
    return true;
}

/* ---- building it: in a worker ------------------------------------------------------------------------ */

static const char *build_log(struct arena *a, const struct opencl *cl, void *program, void *device)
{
    size_t size = 0;
    if (cl->clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) != CL_DONE)
        return "";
    char *log = arena_alloc(a, size + 1);
    (void)cl->clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
    return log;
}

// The first line's, less what the device cannot.
static const char *options_of(struct arena *a, const struct opencl *cl, void *device,
                              const char *text)
{
    const size_t head = sizeof options_head - 1;
    if (!str_starts_with(text, options_head))
        return "";
    char *options = arena_strndup(a, text + head, strcspn(text + head, "\n"));
    char *exact = strstr(options, exact_division);
    uint64_t can = opencl_figure(cl, device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof can);
    if (exact && (can & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) == 0)
        memset(exact, ' ', sizeof exact_division - 1);
    return options;
}

bool opencl_build(const struct opencl *cl, void *context, void *device, const char *text,
                  const char *shown, void **program, struct error *err)
{
    struct arena a = {0};
    int status = CL_DONE;
    const char *options = options_of(&a, cl, device, text);
    *program = cl->clCreateProgramWithSource(context, 1, &text, NULL, &status);
    bool done = opencl_check(status, err, "%s cannot be given to OpenCL", shown);
    if (done) {
        status = cl->clBuildProgram(*program, 1, &device, options, NULL, NULL);
        if (status == CL_BUILD_PROGRAM_FAILURE) {
            const char *log = shorten_paths(&a, build_log(&a, cl, *program, device));
            done =
                fail(err, NOWHERE, "%s does not compile with the device's OpenCL compiler:\n%.*s",
                     shown, MESSAGES_MAX, *log ? log : "(it says nothing)");
        } else {
            done = opencl_check(status, err, "%s cannot be compiled", shown);
        }
    }
    arena_release(&a);
    return done;
}

/* ---- its kernels: in a worker -------------------------------------------------------------------------- */

bool opencl_parameter_of(const char *type, bool pointer, struct code_parameter *out)
{
    static const struct {
        const char *name, *type;
        uint64_t size_bytes;
    } scalars[] = {
        {"char", "s8", 1},    {"uchar", "u8", 1},       {"unsigned char", "u8", 1},
        {"short", "s16", 2},  {"ushort", "u16", 2},     {"unsigned short", "u16", 2},
        {"int", "s32", 4},    {"uint", "u32", 4},       {"unsigned int", "u32", 4},
        {"long", "s64", 8},   {"ulong", "u64", 8},      {"unsigned long", "u64", 8},
        {"half", "b16", 2},   {"float", "f32", 4},      {"double", "f64", 8},
        {"size_t", "u64", 8}, {"signed char", "s8", 1},
    };
    if (pointer) {
        *out = (struct code_parameter){.size_bytes = 8, .align_bytes = 8, .type = "u64"};
        return true;
    }
    size_t length = strlen(type), digits = 0;
    while (digits < length && isdigit((unsigned char)type[length - digits - 1]))
        digits++;
    long lanes = digits > 0 ? strtol(type + length - digits, NULL, 10) : 1;
    if (lanes != 1 && lanes != 2 && lanes != 3 && lanes != 4 && lanes != 8 && lanes != 16)
        return false;
    for (size_t i = 0; i < COUNT_OF(scalars); i++)
        if (strlen(scalars[i].name) == length - digits &&
            strncmp(scalars[i].name, type, length - digits) == 0) {
            uint64_t bytes = scalars[i].size_bytes * (uint64_t)(lanes == 3 ? 4 : lanes);
            *out = (struct code_parameter){.size_bytes = bytes,
                                           .align_bytes = bytes,
                                           .type = lanes > 1 ? "b8" : scalars[i].type};
            return true;
        }
    return false;
}

static bool argument_figure(const struct opencl *cl, void *kernel, unsigned index, unsigned *where)
{
    *where = 0;
    return cl->clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof *where,
                                  where, NULL) == CL_DONE;
}

bool opencl_local_arguments(const struct opencl *cl, void *kernel, uint64_t *out, unsigned *count)
{
    *out = 0;
    *count = 0;
    if (cl->clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof *count, count, NULL) != CL_DONE ||
        *count > OPENCL_ARGUMENTS_MAX)
        return false;
    for (unsigned i = 0; i < *count; i++) {
        unsigned where = 0;
        if (!argument_figure(cl, kernel, i, &where))
            return false;
        if (where == CL_KERNEL_ARG_ADDRESS_LOCAL)
            *out |= (uint64_t)1 << i;
    }
    return true;
}

// The parameters that a launch gives: all but local memory. NULL: one of them is of a type that is not
// known here.
static json_t *parameters_to_json(const struct opencl *cl, void *kernel)
{
    uint64_t locals = 0;
    unsigned count = 0;
    if (!opencl_local_arguments(cl, kernel, &locals, &count))
        return json_null();
    json_t *list = json_array();
    for (unsigned i = 0; i < count; i++) {
        char type[NAME_BYTES] = "";
        struct code_parameter p;
        unsigned where = 0;
        if ((locals >> i & 1) != 0)
            continue;
        if (!argument_figure(cl, kernel, i, &where) ||
            cl->clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof type - 1, type,
                                   NULL) != CL_DONE ||
            !opencl_parameter_of(type,
                                 where == CL_KERNEL_ARG_ADDRESS_GLOBAL ||
                                     where == CL_KERNEL_ARG_ADDRESS_CONSTANT,
                                 &p)) {
            json_decref(list);
            return json_null();
        }
        json_array_append_new(list, json_pack("{s:I, s:I, s:s}", "size", (json_int_t)p.size_bytes,
                                              "align", (json_int_t)p.align_bytes, "type", p.type));
    }
    return list;
}

static json_t *kernels_to_json(const struct opencl *cl, void *program, void *device)
{
    void *kernels[KERNELS_MAX];
    unsigned count = 0;
    json_t *list = json_array();
    if (cl->clCreateKernelsInProgram(program, KERNELS_MAX, kernels, &count) != CL_DONE)
        count = 0; // a source without a kernel: some drivers call that an error
    for (unsigned i = 0; i < count && i < KERNELS_MAX; i++) {
        char name[NAME_BYTES] = "";
        uint64_t local_bytes = 0;
        (void)cl->clGetKernelInfo(kernels[i], CL_KERNEL_FUNCTION_NAME, sizeof name - 1, name, NULL);
        (void)cl->clGetKernelWorkGroupInfo(kernels[i], device, CL_KERNEL_LOCAL_MEM_SIZE,
                                           sizeof local_bytes, &local_bytes, NULL);
        json_array_append_new(list, json_pack("{s:s, s:I, s:o}", "name", name, "shared_bytes",
                                              (json_int_t)local_bytes, "parameters",
                                              parameters_to_json(cl, kernels[i])));
        (void)cl->clReleaseKernel(kernels[i]);
    }
    return list;
}

struct building {
    const char *text, *shown;
    int ordinal;
};

// {kernels, log}, or an error.
static json_t *build(const struct building *b, struct error *err)
{
    struct opencl cl;
    struct opencl_handle h;
    struct arena a = {0};
    int status = CL_DONE;
    void *program = NULL;
    if (!opencl_load(&cl, err) || !opencl_handle_at(&cl, b->ordinal, &h, err))
        return NULL;
    void *context = cl.clCreateContext(NULL, 1, &h.device, NULL, NULL, &status);
    if (!opencl_check(status, err, "opencl:%d cannot be used", b->ordinal) ||
        !opencl_build(&cl, context, h.device, b->text, b->shown, &program, err))
        return NULL;
    const char *log = shorten_paths(&a, build_log(&a, &cl, program, h.device));
    json_t *out = json_pack("{s:o, s:s}", "kernels", kernels_to_json(&cl, program, h.device), "log",
                            log + strspn(log, " \n"));
    arena_release(&a);
    return out; // the process ends: nothing else is freed
}

static int build_body(void *context, int fd)
{
    struct error err = {0};
    json_t *answer = build(context, &err);
    if (!answer)
        answer = json_pack("{s:s, s:i}", "error", err.message, "kind", (int)err.kind);
    char *text = answer ? json_dumps(answer, JSON_COMPACT) : NULL;
    return text && worker_send(fd, text, strlen(text)) ? 0 : 1;
}

/* ---- in the parent ---------------------------------------------------------------------------------------- */

static void take_answer(void *context, const char *data, size_t size_bytes)
{
    json_t **answer = context;
    json_decref(*answer);
    *answer = json_loadb(data, size_bytes, 0, NULL);
}

static void take_kernel(struct arena *a, const json_t *item, struct code_kernel *out)
{
    const json_t *parameters = json_object_get(item, "parameters"), *p = NULL;
    size_t i = 0;
    const char *name = json_string_value(json_object_get(item, "name"));
    *out = (struct code_kernel){
        .name = arena_strdup(a, name ? name : ""),
        .registers = CODE_UNKNOWN,
        .spill_bytes = CODE_UNKNOWN,
        .shared_bytes = (int)json_integer_value(json_object_get(item, "shared_bytes")),
        .parameter_count = json_is_array(parameters) ? 0 : CODE_UNKNOWN,
        .parameters = ARENA_ARRAY(a, struct code_parameter, json_array_size(parameters) + 1)};
    json_array_foreach(parameters, i, p)
    {
        const char *type = json_string_value(json_object_get(p, "type"));
        out->parameters[out->parameter_count++] = (struct code_parameter){
            .size_bytes = (uint64_t)json_integer_value(json_object_get(p, "size")),
            .align_bytes = (uint64_t)json_integer_value(json_object_get(p, "align")),
            .type = arena_strdup(a, type ? type : "")};
    }
}

static bool take_object(struct arena *a, const json_t *answer, struct code_object *out,
                        struct error *err)
{
    const char *why = json_string_value(json_object_get(answer, "error"));
    const json_t *kernels = json_object_get(answer, "kernels"), *item = NULL;
    size_t i = 0;
    if (why)
        return fail_as(err, (enum error_kind)json_integer_value(json_object_get(answer, "kind")),
                       NOWHERE, "%s", why);
    const char *log = json_string_value(json_object_get(answer, "log"));
    out->log = arena_strdup(a, log ? log : "");
    out->kernels = ARENA_ARRAY(a, struct code_kernel, json_array_size(kernels) + 1);
    json_array_foreach(kernels, i, item) take_kernel(a, item, &out->kernels[out->kernel_count++]);
    out->kernels_listed = true;
    return true;
}

static bool build_apart(struct arena *a, struct building *b, double timeout_s,
                        struct code_object *out, struct error *err)
{
    json_t *answer = NULL;
    struct worker_spec spec = {.body = build_body,
                               .context = b,
                               .timeout_s = timeout_s,
                               .on_message = take_answer,
                               .message_context = &answer};
    struct worker_result end;
    bool done = worker_run(&spec, &end, err);
    if (done && answer)
        done = take_object(a, answer, out, err);
    else if (done)
        done =
            fail_as(err, ERROR_SYSTEM, NOWHERE,
                    end.end == WORKER_TIMED_OUT
                        ? "the device's OpenCL compiler did not finish %s within %g s; --timeout "
                          "gives it more time"
                        : "the device's OpenCL compiler crashed while compiling %s (%g s)",
                    b->shown, timeout_s);
    json_decref(answer);
    return done;
}

bool opencl_compile(struct arena *a, const struct device_info *info,
                    const struct compile_request *request, const struct source *source,
                    const struct flag_set *flags, struct code_object *out, struct error *err)
{
    struct text t = {0};
    const char *colon = strchr(info->id, ':');
    bool done = add_text(request, source, flags, &t, err);
    if (done) {
        *out = (struct code_object){.format = CODE_OPENCL,
                                    .bytes = arena_strndup(a, t.data, t.length),
                                    .size_bytes = t.length,
                                    .source = source->shown,
                                    .compiler = arena_printf(a, "OpenCL C of %s", info->driver),
                                    .arch = info->name};
        const struct hash_piece pieces[] = {{t.data, t.length},
                                            {out->compiler, strlen(out->compiler)},
                                            {out->arch, strlen(out->arch)}};
        hash_hex(pieces, COUNT_OF(pieces), out->key);
        struct building b = {out->bytes, source->shown,
                             colon ? atoi(colon + 1) : 0}; // NOLINT(cert-err34-c): device_find's
        done = build_apart(a, &b, request->timeout_s > 0 ? request->timeout_s : default_timeout_s,
                           out, err);
    }
    text_release(&t);
    return done;
}
