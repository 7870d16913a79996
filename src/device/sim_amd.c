// The simulated GPU as one of AMD's: sources by clang's AMDGPU back end with assets/amd_min.h (first to assembly, then to a
// relocatable object, which the simulator places itself), kernels as the code object's metadata lists them.
// SPDX-License-Identifier: Apache-2.0
#include "device/sim_amd.h"

#include <stdlib.h>
#include <string.h>

enum {
    HASH_DIGITS = 32,
    ARGUMENTS_FIXED = 88,
    OBJECT_BYTES_MAX = 1 << 28,
    SUPPORT_BYTES_MAX = 1 << 20
};

static const double default_timeout_s = 60;

bool sim_amd_takes(const struct device_info *info)
{
    return info->simulated && info->gpu && amd_is_simulated(info->gpu->arch);
}

bool sim_amd_symbol(const struct amd_module *m, const char *name, uint64_t *address,
                    uint64_t *size_bytes)
{
    const struct amd_object *o = amd_module_object(m);
    for (int i = 0; i < o->variable_count; i++)
        if (strcmp(o->variables[i].name, name) == 0) {
            *address = o->variables[i].address;
            *size_bytes = o->variables[i].size_bytes;
            return true;
        }
    return false;
}

// Metadata has no types of values: their sizes only.
static const char *type_of(const struct amd_parameter *p)
{
    if (strcmp(p->kind, "by_value") != 0)
        return "u64";
    return p->size_bytes == 2   ? "b16"
           : p->size_bytes == 4 ? "b32"
           : p->size_bytes == 8 ? "b64"
                                : "b8";
}

void sim_amd_list_kernels(struct arena *a, const struct amd_object *object,
                          struct code_kernel **out, int *count)
{
    *count = object->kernel_count;
    *out = ARENA_ARRAY(a, struct code_kernel, object->kernel_count + 1);
    for (int i = 0; i < object->kernel_count; i++) {
        const struct amd_kernel *from = &object->kernels[i];
        struct code_kernel *k = &(*out)[i];
        *k = (struct code_kernel){.name = from->name,
                                  .parameter_count =
                                      from->listed ? from->user_parameter_count : CODE_UNKNOWN,
                                  .registers = from->vector_registers,
                                  .shared_bytes = (int)from->lds_bytes,
                                  .spill_bytes = CODE_UNKNOWN};
        k->parameters = ARENA_ARRAY(a, struct code_parameter, from->parameter_count + 1);
        int n = 0;
        for (int j = 0; j < from->parameter_count; j++)
            if (!str_starts_with(from->parameters[j].kind, "hidden_"))
                k->parameters[n++] =
                    (struct code_parameter){.offset = from->parameters[j].offset,
                                            .size_bytes = from->parameters[j].size_bytes,
                                            .align_bytes = 8,
                                            .type = type_of(&from->parameters[j])};
    }
}

/* ---- compiling ---------------------------------------------------------------------------------- */

// AMD's device libraries (bitcode), by folder: Debian's rocm-device-libs, ROCm's own. NULL: they are not here, or clang is older
// than all of them (LLVM 15).
static const char *device_libraries(struct arena *a, const struct tool *tool)
{
    enum { OLDEST = 15 };
    if (strtol(tool->version + strlen("clang "), NULL, 10) < OLDEST)
        return NULL;
    const char *const roots[] = {environment("RIDGE_ROCM_PATH"), environment("ROCM_PATH"),
                                 "/opt/rocm", "/usr/lib/x86_64-linux-gnu",
                                 "/usr/lib/aarch64-linux-gnu"};
    for (size_t i = 0; i < COUNT_OF(roots); i++) {
        const char *folder = roots[i] ? path_join(a, roots[i], "amdgcn/bitcode") : NULL;
        if (folder && file_exists(path_join(a, folder, "ocml.bc")))
            return folder;
    }
    return NULL;
}

static void add_library(struct arena *a, const char **argv, int *count, const char *file)
{
    static const char *const words[] = {"-Xclang", "-mlink-builtin-bitcode", "-Xclang"};
    for (size_t i = 0; i < COUNT_OF(words); i++)
        argv[(*count)++] = words[i];
    argv[(*count)++] = arena_strdup(a, file);
}

// Functions that the architecture's back end makes no instructions of. Libraries that are older than the architecture have its
// predecessor's.
static void add_libraries(struct arena *a, const char *folder, const char *arch, const char **argv,
                          int *count)
{
    static const char *const same[] = {"ocml",
                                       "ockl",
                                       "oclc_finite_only_off",
                                       "oclc_unsafe_math_off",
                                       "oclc_daz_opt_off",
                                       "oclc_correctly_rounded_sqrt_on",
                                       "oclc_abi_version_400"};
    static const struct {
        const char *arch, *first, *second;
    } versions[] = {
        {"gfx90a", "90a", "90a"}, {"gfx942", "942", "940"}, {"gfx1100", "1100", "1036"}};
    for (size_t i = 0; i < COUNT_OF(same); i++)
        add_library(a, argv, count, path_join(a, folder, arena_printf(a, "%s.bc", same[i])));
    bool narrow = strcmp(arch, "gfx1100") == 0;
    add_library(a, argv, count,
                path_join(a, folder,
                          narrow ? "oclc_wavefrontsize64_off.bc" : "oclc_wavefrontsize64_on.bc"));
    for (size_t i = 0; i < COUNT_OF(versions); i++) {
        if (strcmp(arch, versions[i].arch) != 0)
            continue;
        const char *file =
            path_join(a, folder, arena_printf(a, "oclc_isa_version_%s.bc", versions[i].first));
        if (!file_exists(file))
            file =
                path_join(a, folder, arena_printf(a, "oclc_isa_version_%s.bc", versions[i].second));
        add_library(a, argv, count, file);
    }
    argv[(*count)++] = "-DRIDGE_DEVICE_LIBS";
}

// libraries: AMD's device libraries, or NULL.
static const char *const *compiler_arguments(struct arena *a, const struct compile_job *job,
                                             const char *source, const char *assembly,
                                             const char *replaced, const char *libraries)
{
    const struct flag_set *f = job->flags;
    const char *const fixed[] = {job->tool->path,
                                 "-x",
                                 "hip",
                                 "--cuda-device-only",
                                 arena_printf(a, "--offload-arch=%s", job->arch),
                                 "-nogpulib",
                                 "-nogpuinc",
                                 "-nostdinc",
                                 "-isystem",
                                 clang_system_folder,
                                 "-ivfsoverlay",
                                 "/dev/stdin",
                                 "-ivfsoverlay",
                                 replaced,
                                 "-O3",
                                 "-gline-tables-only",
                                 "-fno-math-errno",
                                 arena_printf(a, "-std=%s", f->standard),
                                 "-fno-color-diagnostics",
                                 "-fno-crash-diagnostics",
                                 "-Wno-unused-command-line-argument",
                                 "-DRIDGE_DEFAULT_DEVICE",
                                 "-I",
                                 job->source->directory,
                                 "-include",
                                 job->tool->include,
                                 "-S",
                                 "-o",
                                 assembly,
                                 source};
    _Static_assert(COUNT_OF(fixed) + FLAGS_ARITHMETIC_MAX < ARGUMENTS_FIXED, "room");
    const char **argv =
        ARENA_ARRAY(a, const char *, ARGUMENTS_FIXED + flags_argument_count(f, job->request));
    int count = 0;
    for (size_t i = 0; i < COUNT_OF(fixed); i++)
        argv[count++] = fixed[i];
    if (f->fast_functions)
        argv[count++] = "-ffast-math";
    if (f->ftz) // the launch refuses it: denormals are kept
        argv[count++] = "-fgpu-flush-denormals-to-zero";
    if (f->no_contraction)
        argv[count++] = "-ffp-contract=off";
    if (libraries)
        add_libraries(a, libraries, job->arch, argv, &count);
    (void)flags_add(a, f, job->request, argv, count);
    return argv;
}

// Runs clang once; its messages are appended to *log.
static bool run_clang(struct arena *a, const struct compile_job *job, const char *const *argv,
                      const struct text *input, const char **log, struct error *err)
{
    struct process_result r;
    struct process_spec spec = {.argv = argv, .timeout_s = job->timeout_s};
    if (input) {
        spec.input = input->data;
        spec.input_bytes = input->length;
    }
    if (!process_run(&spec, &r, err))
        return error_context(err, "compiling %s", job->source->shown);
    const char *messages = arena_strdup(a, text_str(&r.err_text));
    const char *trouble = process_trouble(a, &r);
    bool done = r.exit_status == 0 && !trouble && !r.timed_out;
    bool late = r.timed_out;
    process_result_release(&r);
    *log = arena_printf(a, "%s%s", *log, messages);
    if (late)
        return fail_compiler_late(job, err);
    if (trouble)
        return fail_compiler_trouble(job, trouble, err);
    return done || fail_compile(a, job, messages, err);
}

// Files with inline PTX are read without it, under their own names. false with a reason in err: a file cannot be written.
static bool write_replaced(struct arena *a, const struct source *s, const char *folder,
                           const char *overlay, struct error *err)
{
    struct text t = {0};
    const char *comma = "";
    bool done = true;
    text_add(&t,
             "{\"version\": 0, \"case-sensitive\": \"true\", \"use-external-names\": \"false\", "
             "\"roots\": [");
    for (size_t i = 0; done && i < s->file_count; i++) {
        const char *text = inline_ptx_replace(a, s->texts[i], s->sizes_bytes[i]);
        if (!text)
            continue;
        const char *path = path_join(a, folder, arena_printf(a, "replaced-%zu", i));
        done = file_write(path, text, strlen(text), err);
        text_printf(&t, "%s{\"type\": \"file\", \"name\": \"", comma);
        overlay_add_path(&t, s->files[i]);
        text_add(&t, "\", \"external-contents\": \"");
        overlay_add_path(&t, path);
        text_add(&t, "\"}");
        comma = ", ";
    }
    text_add(&t, "]}\n");
    done = done && file_write(overlay, text_str(&t), t.length, err);
    text_release(&t);
    return done;
}

// With AMD's device libraries, where they are here; without them where that fails: their bitcode may be of a later LLVM than
// this clang's. What fails in both ways has the second one's reason.
static bool make_assembly(struct arena *a, const struct compile_job *job, const char *source,
                          const char *assembly, const char *replaced, const struct text *overlay,
                          const char **log, struct error *err)
{
    const char *libraries = device_libraries(a, job->tool), *first = "";
    struct error ignored = {0};
    if (libraries &&
        run_clang(a, job, compiler_arguments(a, job, source, assembly, replaced, libraries),
                  overlay, &first, &ignored)) {
        *log = first;
        return true;
    }
    return run_clang(a, job, compiler_arguments(a, job, source, assembly, replaced, NULL), overlay,
                     log, err);
}

static bool make_object(struct arena *a, const struct compile_job *job, const char *folder,
                        struct code_object *out, struct error *err)
{
    const char *assembly = path_join(a, folder, "kernels.s"),
               *object = path_join(a, folder, "kernels.o"),
               *replaced = path_join(a, folder, "replaced.yaml");
    const char *const assembler[] = {job->tool->path,
                                     "--target=amdgcn-amd-amdhsa",
                                     arena_printf(a, "-mcpu=%s", job->arch),
                                     "-x",
                                     "assembler",
                                     "-c",
                                     assembly,
                                     "-o",
                                     object,
                                     NULL};
    struct text overlay = {0};
    const char *log = "";
    char *bytes = NULL;
    clang_write_overlay(a, job->tool, &overlay);
    const char *source = source_with_instances(a, job, folder);
    bool done = write_replaced(a, job->source, folder, replaced, err) &&
                make_assembly(a, job, source, assembly, replaced, &overlay, &log, err) &&
                run_clang(a, job, assembler, NULL, &log, err) &&
                file_read(object, OBJECT_BYTES_MAX, &bytes, &out->size_bytes, err);
    text_release(&overlay);
    if (done)
        out->bytes = arena_copy(a, bytes, out->size_bytes);
    free(bytes);
    out->log = shorten_paths(a, log);
    return done;
}

// Of all that decides what is compiled.
static bool make_key(struct arena *a, const struct compile_job *job, char key[HASH_DIGITS + 1],
                     struct error *err)
{
    struct text t = {0};
    char *support = NULL;
    size_t size_bytes = 0;
    if (!file_read(job->tool->include, SUPPORT_BYTES_MAX, &support, &size_bytes, err))
        return false;
    // The source's path is in the table of lines.
    const char *libraries = device_libraries(a, job->tool);
    text_printf(&t, "amd 6\n%s\n%s\n%s\n%s\n%s\n%s\n", libraries ? libraries : "",
                job->tool->version, job->tool->path, job->arch, job->source->path,
                job->source->hash);
    flags_identity(job->flags, job->request, &t);
    for (int i = 0; i < job->request->instance_count; i++)
        text_printf(&t, "instance %s\n", job->request->instances[i]);
    text_addn(&t, support, size_bytes);
    hash_hex(&(struct hash_piece){t.data, t.length}, 1, key);
    free(support);
    text_release(&t);
    return true;
}

static bool make(struct arena *a, const struct compile_job *job, struct code_object *out,
                 struct error *err)
{
    char key[HASH_DIGITS + 1];
    struct code_object kept = {0};
    struct work_folder folder;
    if (!make_key(a, job, key, err))
        return false;
    bool keeps = !job->source->asks && !job->source->untold;
    if (keeps && cache_get(a, key, &kept)) {
        kept.format = CODE_HSACO;
        *out = kept;
        return true;
    }
    if (!work_folder_open(&folder, err))
        return error_context(err, "compiling %s", job->source->shown);
    bool done = make_object(a, job, folder.path, out, err);
    work_folder_close(&folder);
    memcpy(out->key, key, sizeof out->key);
    if (done && keeps)
        cache_put(key, out);
    return done;
}

// The first clang that makes machine code for it.
static int clang_since(const char *arch)
{
    return strcmp(arch, "gfx942") == 0 ? 17 : strcmp(arch, "gfx1100") == 0 ? 16 : 14;
}

bool sim_amd_compile(struct arena *a, const struct device_info *info,
                     const struct compile_request *request, const struct source *source,
                     const struct flag_set *flags, struct code_object *out, struct error *err)
{
    struct tool tool = {0};
    const char *program = request->compiler && str_starts_with(request->compiler, "clang")
                              ? request->compiler
                              : "clang";
    if (flags->max_registers > 0)
        return fail(err, request->flags_at, "clang takes no limit of registers for AMD's chips");
    if (source->host)
        return fail(err, (struct location){.file = source->shown},
                    "this source has host code (main, <<<>>>, the C++ library), and %s takes the "
                    "device's side only: put the kernels into a file of their own",
                    info->id);
    if (!clang_find_since(a, program, clang_since(info->gpu->arch), &tool, err))
        return error_context(err, "compiling %s for %s", source->shown, info->gpu->arch);
    tool.include = data_path(a, "amd_min.h", err);
    if (!tool.include)
        return false;
    const struct compile_job job = {
        .source = source,
        .request = request,
        .tool = &tool,
        .arch = info->gpu->arch,
        .flags = flags,
        .timeout_s = request->timeout_s > 0 ? request->timeout_s : default_timeout_s,
    };
    *out = (struct code_object){
        .format = CODE_HSACO, .compiler = tool.version, .arch = job.arch, .log = ""};
    if (!make(a, &job, out, err))
        return false;
    out->source = source->shown;
    code_list_kernels(a, out);
    return true;
}
