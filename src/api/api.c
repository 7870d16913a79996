// The library's face: devices, memory, kernels, ranges, and how errors leave. Each public function is one
// that fills a struct error, and api_end.
// SPDX-License-Identifier: Apache-2.0
#include "api/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t budget_warp_instructions =
    200000000000; // a simulated kernel's: it may be endless

/* ---- errors ------------------------------------------------------------------------------------------ */

static _Thread_local struct error last;

int api_end(bool done, const struct error *err)
{
    if (done)
        return RIDGE_OK;
    last = *err;
    return (int)err->kind;
}

void api_forget(void)
{
    error_clear(&last);
}

bool api_failed(struct error *err)
{
    if (last.kind == ERROR_NONE)
        return false;
    *err = last;
    return true;
}

bool api_need(const void *pointer, const char *function, const char *what, struct error *err)
{
    return pointer || fail(err, NOWHERE, "%s: %s is NULL", function, what);
}

const char *ridge_error(void)
{
    return last.kind == ERROR_NONE ? "" : last.message;
}

const char *ridge_version(void)
{
    return RIDGE_VERSION;
}

/* ---- a device ------------------------------------------------------------------------------------------ */

static const char *copied(struct arena *a, const char *s)
{
    return s ? arena_strdup(a, s) : NULL;
}

static bool open_device(struct ridge *r, const char *device, const struct ridge_options *options,
                        struct error *err)
{
    if (options)
        r->options = *options;
    r->options.journal = copied(&r->arena, r->options.journal);
    r->options.compiler = copied(&r->arena, r->options.compiler);
    r->options.program = arena_strdup(
        &r->arena, r->options.program ? r->options.program : program_invocation_short_name);
    driver_may_be_started();
    if (!device_find(&r->arena, device, &r->info, err) || !device_open(&r->info, &r->device, err))
        return false;
    if (r->device->ops->clock && !r->device->ops->clock->measure_region)
        return fail(err, NOWHERE,
                    "ridge_open: %s is a device for experiments (`ridge run`): the library has no "
                    "regions there",
                    r->info.id);
    r->ledger.gpu = r->info.gpu;
    r->ledger.journal_asked = r->options.journal;
    return true;
}

int ridge_open(const char *device, const struct ridge_options *options, struct ridge **out)
{
    struct error err = {0};
    if (!api_need(out, "ridge_open", "out", &err))
        return api_end(false, &err);
    struct ridge *r = xcalloc(1, sizeof *r);
    r->ledger.arena = &r->arena;
    bool done = open_device(r, device, options, &err);
    *out = done ? r : NULL;
    if (!done)
        (void)ridge_close(r);
    return api_end(done, &err);
}

int ridge_close(struct ridge *r)
{
    struct error err = {0};
    if (!r)
        return RIDGE_OK;
    if (r->measuring)
        return api_end(fail(&err, NOWHERE,
                            "ridge_close: inside a region's function, where the device is at work: "
                            "close it after ridge_measure"),
                       &err);
    bool done = ledger_close(&r->ledger, &err);
    if (r->device)
        device_close(r->device);
    arena_release(&r->arena);
    free(r);
    return api_end(done, &err);
}

const char *ridge_device(const struct ridge *r)
{
    return r ? r->info.id : NULL;
}

const char *ridge_device_name(const struct ridge *r)
{
    return r ? r->info.name : NULL;
}

int ridge_is_simulated(const struct ridge *r)
{
    return r && r->info.simulated;
}

/* ---- results ------------------------------------------------------------------------------------------ */

int ridge_result_open(struct ridge *r, const char *name, const char *case_label,
                      struct ridge_result **out)
{
    struct error err = {0};
    bool done = api_need(r, "ridge_result_open", "the device", &err) &&
                api_need(name, "ridge_result_open", "name", &err) &&
                api_need(out, "ridge_result_open", "out", &err) &&
                (*name || fail(&err, NOWHERE, "ridge_result_open: the name is empty"));
    if (done)
        *out = ledger_result(&r->ledger, r, range_path(), name, case_label);
    return api_end(done, &err);
}

int ridge_record(struct ridge_result *x, const struct ridge_result *base)
{
    struct error err = {0};
    if (!api_need(x, "ridge_record", "the result", &err))
        return api_end(false, &err);
    struct ridge *r = x->owner;
    struct run_header *header = &r->ledger.header;
    if (!header->experiment) {
        header_of_program(&r->arena, r->options.program, &r->info, r->options.threads, false,
                          header);
        header->cache_state = x->cache_state;
    }
    return api_end(result_record(x, base, &err), &err);
}

int64_t ridge_run_id(const struct ridge *r)
{
    return r ? r->ledger.run : 0;
}

const char *ridge_journal_path(const struct ridge *r)
{
    const struct journal *j = r ? r->ledger.journal : NULL;
    return !j ? NULL : journal_kept(j)->path ? journal_kept(j)->path : journal_path(j);
}

/* ---- memory --------------------------------------------------------------------------------------------- */

int ridge_alloc(struct ridge *r, const char *name, uint64_t size_bytes, uint64_t *address)
{
    struct error err = {0};
    bool done = api_need(r, "ridge_alloc", "the device", &err) &&
                api_need(address, "ridge_alloc", "address", &err) &&
                r->device->ops->memory->alloc(r->device, size_bytes, name ? name : "a buffer",
                                              address, &err);
    return api_end(done, &err);
}

int ridge_free(struct ridge *r, uint64_t address)
{
    struct error err = {0};
    bool done = api_need(r, "ridge_free", "the device", &err) &&
                r->device->ops->memory->release(r->device, address, &err);
    return api_end(done, &err);
}

int ridge_write(struct ridge *r, uint64_t address, const void *data, uint64_t size_bytes)
{
    struct error err = {0};
    bool done = api_need(r, "ridge_write", "the device", &err) &&
                (size_bytes == 0 || api_need(data, "ridge_write", "data", &err)) &&
                r->device->ops->memory->write(r->device, address, data, size_bytes, &err);
    return api_end(done, &err);
}

int ridge_read(struct ridge *r, void *data, uint64_t address, uint64_t size_bytes)
{
    struct error err = {0};
    bool done = api_need(r, "ridge_read", "the device", &err) &&
                (size_bytes == 0 || api_need(data, "ridge_read", "data", &err)) &&
                r->device->ops->memory->read(r->device, address, data, size_bytes, &err);
    return api_end(done, &err);
}

/* ---- kernels ---------------------------------------------------------------------------------------------- */

static bool compile(struct ridge *r, const char *path, const char *const *defines, int define_count,
                    struct ridge_module **out, struct error *err)
{
    struct compile_request request = {
        .source_path = path,
        .defines = defines,
        .define_count = defines ? define_count : 0,
        .device = &r->info,
        .arch = r->info.gpu ? r->info.gpu->arch : NULL,
        .compiler = r->options.compiler ? r->options.compiler : "auto",
    };
    struct arena a = {0};
    struct code_object code = {0};
    struct ridge_module *m = ARENA_NEW(&r->arena, struct ridge_module);
    m->owner = r;
    bool done = code_compile(&a, &request, &code, err) &&
                r->device->ops->code->load(r->device, &code, &m->code, err);
    arena_release(&a);
    *out = done ? m : NULL;
    return done;
}

static bool check_defines(const char *const *defines, int count, struct error *err)
{
    enum { DEFINES_MAX = 4096 };
    if (count < 0 || count > DEFINES_MAX)
        return fail(err, NOWHERE, "ridge_compile: %d definitions: there may be 0 to %d", count,
                    DEFINES_MAX);
    for (int i = 0; defines && i < count; i++)
        if (!defines[i])
            return fail(err, NOWHERE, "ridge_compile: definition %d is NULL", i + 1);
    return true;
}

int ridge_compile(struct ridge *r, const char *path, const char *const *defines, int define_count,
                  struct ridge_module **out)
{
    struct error err = {0};
    bool done = check_defines(defines, define_count, &err) &&
                api_need(r, "ridge_compile", "the device", &err) &&
                api_need(path, "ridge_compile", "path", &err) &&
                api_need(out, "ridge_compile", "out", &err) &&
                compile(r, path, defines, define_count, out, &err);
    return api_end(done, &err);
}

#define ARGUMENT(name, type_id, field, c_type)         \
    struct ridge_argument name(c_type value)           \
    {                                                  \
        struct ridge_argument a = {.type = (type_id)}; \
        a.value.field = value;                         \
        return a;                                      \
    }
ARGUMENT(ridge_address, RIDGE_ADDRESS, u64, uint64_t)
ARGUMENT(ridge_i32, RIDGE_I32, i32, int32_t)
ARGUMENT(ridge_u32, RIDGE_U32, u32, uint32_t)
ARGUMENT(ridge_i64, RIDGE_I64, i64, int64_t)
ARGUMENT(ridge_u64, RIDGE_U64, u64, uint64_t)
ARGUMENT(ridge_f32, RIDGE_F32, f32, float)
ARGUMENT(ridge_f64, RIDGE_F64, f64, double)
#undef ARGUMENT

static const enum element_type elements[] = {
    [RIDGE_I32] = ELEMENT_I32,    [RIDGE_U32] = ELEMENT_U32, [RIDGE_I64] = ELEMENT_I64,
    [RIDGE_U64] = ELEMENT_U64,    [RIDGE_F32] = ELEMENT_F32, [RIDGE_F64] = ELEMENT_F64,
    [RIDGE_ADDRESS] = ELEMENT_U64};

static bool resolve(struct arena *a, const struct ridge_launch *given, struct resolved_launch *out,
                    struct error *err)
{
    *out = (struct resolved_launch){.kind = LAUNCH_KERNEL,
                                    .kernel = given->kernel,
                                    .shared_bytes = given->shared_bytes,
                                    .arg_count = given->argument_count};
    for (int i = 0; i < 3; i++) {
        out->grid[i] = given->grid[i] > 0 ? given->grid[i] : 1;
        out->block[i] = given->block[i] > 0 ? given->block[i] : 1;
    }
    enum { ARGUMENTS_MAX = 4096 }; // CUDA's limit of 32764 bytes is below it, whatever their sizes
    if (given->argument_count > ARGUMENTS_MAX)
        return fail(
            err, NOWHERE,
            "ridge_launch: kernel '%s' has %d arguments, and a kernel takes %d at most: set "
            "argument_count",
            given->kernel, given->argument_count, ARGUMENTS_MAX);
    if (given->argument_count < 0 || (given->argument_count > 0 && !given->arguments))
        return fail(err, NOWHERE, "ridge_launch: kernel '%s' has %d arguments at NULL",
                    given->kernel, given->argument_count);
    out->args = ARENA_ARRAY(a, struct resolved_argument, given->argument_count + 1);
    for (int i = 0; i < given->argument_count; i++) {
        const struct ridge_argument *x = &given->arguments[i];
        if ((size_t)x->type >= COUNT_OF(elements))
            return fail(err, NOWHERE,
                        "ridge_launch: argument %d of kernel '%s' has no type; make it with "
                        "ridge_i32, ridge_address …",
                        i + 1, given->kernel);
        out->args[i] =
            (struct resolved_argument){.kind = ARGUMENT_SCALAR, .type = elements[x->type]};
        memcpy(out->args[i].value, &x->value, element_bytes(out->args[i].type));
    }
    return true;
}

// Counted and timed where a region is at work; else only its effect is wanted.
static bool run_simulated(struct ridge *r, struct arena *a, const struct device_sequence *sequence,
                          struct error *err)
{
    const struct recording *rec = r->recording;
    struct device_report report = {0};
    struct device_run_options options = {
        .threads = r->options.threads,
        .budget_warp_instructions = budget_warp_instructions,
        .cold = rec && rec->cold && rec->launches == 0,
        .count = rec != NULL,
    };
    if (!r->device->ops->code->run(r->device, sequence, &options, a, &report, err))
        return false;
    if (rec)
        recording_add(r, sequence->launches[0].launch, &report);
    return true;
}

static bool launch(struct ridge_module *m, const struct ridge_launch *given, void *stream,
                   struct error *err)
{
    struct arena a = {0};
    struct ridge *r = m->owner;
    struct resolved_launch resolved;
    struct device_launch one = {.kind = LAUNCH_KERNEL, .module = m->code, .launch = &resolved};
    struct device_sequence sequence = {.launches = &one, .launch_count = 1};
    bool done = resolve(&a, given, &resolved, err) &&
                (r->device->ops->code->launch
                     ? r->device->ops->code->launch(r->device, &sequence, stream, err)
                     : run_simulated(r, &a, &sequence, err));
    arena_release(&a);
    return done;
}

int ridge_launch(struct ridge_module *m, const struct ridge_launch *given, void *stream)
{
    struct error err = {0};
    bool done = api_need(m, "ridge_launch", "the module", &err) &&
                api_need(given, "ridge_launch", "launch", &err) &&
                api_need(given->kernel, "ridge_launch", "the kernel's name", &err) &&
                launch(m, given, stream, &err);
    return api_end(done, &err);
}

/* ---- ranges ------------------------------------------------------------------------------------------------- */

void ridge_range_push(const char *name)
{
    range_push(name ? name : "");
}

void ridge_range_pop(void)
{
    range_pop();
}

int ridge_nvtx(const void *(*get_table)(uint32_t id))
{
    return get_table && ranges_listen(get_table);
}
