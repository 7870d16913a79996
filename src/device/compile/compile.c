// CUDA C to PTX: read and hash the source, choose a compiler, look into the cache, compile, store.
// SPDX-License-Identifier: Apache-2.0
#include "device/compile/extract.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { HASH_DIGITS = 32, MESSAGES_MAX = 3000 };

static const double default_timeout_s = 60;
// Changes when the options given to the compilers change, so that old cache files are not used.
static const char options_version[] = "10";

const struct standard_header standard_headers[] = {
#define HEADER(name, content) {name, HEADER_##content},
#include "device/compile/headers.def"
#undef HEADER
};
const size_t standard_header_count = COUNT_OF(standard_headers);

int arch_number(const char *arch)
{
    static const char prefix[] = "sm_";
    if (!arch || !str_starts_with(arch, prefix) || !isdigit((unsigned char)arch[sizeof prefix - 1]))
        return 0;
    return (int)strtol(arch + sizeof prefix - 1, NULL, 10);
}

bool is_word_character(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

const char *signal_name(int signal_number)
{
    const char *text = sigdescr_np(signal_number);
    return text ? text : "an unknown signal";
}

static size_t line_count(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += *text == '\n';
    return count;
}

// Where the whole of a long log is kept; NULL if it cannot be.
static const char *keep_log(struct arena *a, const char *messages)
{
    char hash[HASH_DIGITS + 1];
    hash_hex(&(struct hash_piece){messages, strlen(messages)}, 1, hash);
    const char *path = user_cache_path(a, arena_printf(a, "logs/%s.txt", hash));
    return private_write(path, messages, strlen(messages)) ? path : NULL;
}

bool fail_compiler_late(const struct compile_job *job, struct error *err)
{
    return fail_as(err, ERROR_SYSTEM, NOWHERE,
                   "%s did not finish compiling %s within %g s; --timeout gives it more time",
                   job->tool->version, job->source->shown, job->timeout_s);
}

bool fail_compiler_trouble(const struct compile_job *job, const char *trouble, struct error *err)
{
    return fail_as(err, ERROR_SYSTEM, NOWHERE,
                   "%s crashed while compiling %s: %s; free memory and disk space, or choose "
                   "another compiler with --compiler",
                   job->tool->version, job->source->shown, trouble);
}

bool fail_compile(struct arena *a, const struct compile_job *job, const char *messages,
                  struct error *err)
{
    messages = shorten_paths(a, alias_undo(a, job->alias, messages, false));
    size_t length = strlen(messages), shown = length;
    while (shown > 0 && messages[shown - 1] == '\n')
        shown--;
    const char *rest = "";
    if (shown > MESSAGES_MAX) {
        for (shown = MESSAGES_MAX; shown > 0 && messages[shown] != '\n'; shown--) {
        }
        const char *path = keep_log(a, messages);
        rest = arena_printf(a, "\n... and %zu more lines%s%s", line_count(messages + shown + 1),
                            path ? "; all of it: " : "", path ? path : "");
    }
    if (job->side && *job->side->left_out)
        rest = arena_printf(a,
                            "%s\n(without its host code: %s; what is marked neither __global__ "
                            "nor __device__ is left out; nvcc takes all)",
                            rest, job->side->left_out);
    return fail(err, NOWHERE, "%s does not compile with %s:\n%.*s%s", job->source->shown,
                job->tool->version, (int)shown, messages, rest);
}

// The best architecture not above the device's.
static bool choose_arch(struct arena *a, struct compile_job *job, struct error *err)
{
    const char *wanted = job->request->arch;
    int number = arch_number(wanted), best = 0;
    if (number == 0)
        return fail(err, NOWHERE, "'%s' is no architecture of an NVIDIA GPU (like sm_90)",
                    wanted ? wanted : "");
    for (int i = 0; i < job->tool->arch_count; i++)
        if (job->tool->archs[i] <= number && job->tool->archs[i] > best)
            best = job->tool->archs[i];
    if (best == 0)
        return fail_as(err, ERROR_SYSTEM, NOWHERE,
                       "%s cannot compile for %s: the oldest it knows is sm_%d", job->tool->version,
                       wanted, job->tool->arch_count > 0 ? job->tool->archs[0] : 0);
    job->arch_exact = best == number;
    // NVRTC knows the letter variants (sm_90a); clang's do not all exist.
    job->arch =
        job->arch_exact && job->tool->kind != TOOL_CLANG ? wanted : arena_printf(a, "sm_%d", best);
    return true;
}

// What is given to the compiler in the source's place.
static const char *source_file(const struct compile_job *job)
{
    return job->side ? job->side->names[0] : job->source->path;
}

void device_side_make(struct arena *a, struct compile_job *job, const char *folder)
{
    if (!job->without_host)
        return;
    const struct source *s = job->source;
    const struct compile_request *r = job->request;
    struct device_side *side = ARENA_NEW(a, struct device_side);
    const char **wanted = ARENA_ARRAY(a, const char *, r->instance_count + r->needed_count + 1);
    const char **names = ARENA_ARRAY(a, const char *, s->file_count + 1);
    int count = 0;
    for (int i = 0; i < r->instance_count; i++)
        wanted[count++] = r->instances[i];
    for (int i = 0; i < r->needed_count; i++)
        wanted[count++] = r->needed[i];
    for (size_t i = 0; i < s->file_count; i++)
        names[i] = arena_printf(a, "%s/%zu-%s", folder, i, path_name(s->files[i]));
    extract_device_side(a, s, names, wanted, count, job->only_needed, side);
    side->names = names;
    // What nvcc gives to every source, and a namespace std.
    side->texts[0] =
        arena_printf(a, "#include <stdint.h>\n#include <type_traits>\n%s", side->texts[0]);
    job->side = side;
}

// A template is instantiated where its address is taken, after the user's source.
const char *source_with_instances(struct arena *a, const struct compile_job *job,
                                  const char *folder)
{
    const struct compile_request *r = job->request;
    if (r->instance_count == 0 || !folder)
        return source_file(job);
    const char *path = path_join(a, folder, "instances.cu");
    struct text t = {0};
    struct error ignored = {0};
    text_printf(&t, "#include \"%s\"\n", source_file(job));
    for (int i = 0; i < r->instance_count; i++)
        text_printf(&t, "static void *ridge_instance_%d = (void *)&%s;\n", i, r->instances[i]);
    bool done = file_write(path, text_str(&t), t.length, &ignored);
    text_release(&t);
    return done ? path : source_file(job);
}

static bool fail_no_compiler(const char *nvrtc_why, const char *clang_why, struct error *err)
{
    return fail_as(err, ERROR_SYSTEM, NOWHERE,
                   "no compiler for CUDA C was found; install clang (apt install "
                   "--no-install-recommends clang) or NVRTC (pip install nvidia-cuda-nvrtc, then "
                   "set RIDGE_CUDA_PATH to its folder)\n  NVRTC: %s\n  clang: %s",
                   nvrtc_why, clang_why);
}

static const char *chosen_compiler(const struct compile_request *request)
{
    const char *chosen = request->compiler;
    if (!chosen || !*chosen || strcmp(chosen, "auto") == 0)
        chosen = environment("RIDGE_COMPILER");
    return chosen ? chosen : "auto";
}

// NVRTC if it is installed and supports the device, else clang.
static bool choose_without_host(struct arena *a, struct compile_job *job, struct tool *tool,
                                struct error *err)
{
    struct error nvrtc_why = {0}, clang_why = {0};
    if (nvrtc_find(a, tool, &nvrtc_why) && choose_arch(a, job, &nvrtc_why))
        return true;
    if (arch_number(job->request->arch) == 0)
        return choose_arch(a, job, err);
    if (clang_find(a, "clang", tool, &clang_why) && choose_arch(a, job, &clang_why))
        return true;
    return fail_no_compiler(nvrtc_why.message, clang_why.message, err);
}

// auto: nvcc if it is installed, for a source with host code.
static bool choose_any(struct arena *a, struct compile_job *job, struct tool *tool,
                       struct error *err)
{
    struct error ignored = {0};
    if (job->source->host && nvcc_find(a, tool, &ignored) && choose_arch(a, job, &ignored))
        return true;
    return choose_without_host(a, job, tool, err);
}

static bool choose_tool(struct arena *a, struct compile_job *job, struct tool *tool,
                        struct error *err)
{
    const char *chosen = chosen_compiler(job->request);
    if (strcmp(chosen, "auto") == 0)
        return choose_any(a, job, tool, err);
    if (strcmp(chosen, "nvrtc") == 0)
        return nvrtc_find(a, tool, err) && choose_arch(a, job, err);
    if (strcmp(chosen, "nvcc") == 0)
        return nvcc_find(a, tool, err) && choose_arch(a, job, err);
    if (str_starts_with(path_name(chosen), "clang"))
        return clang_find(a, chosen, tool, err) && choose_arch(a, job, err);
    return fail(err, NOWHERE, "unknown compiler '%s': it is one of auto, nvrtc, clang, nvcc",
                chosen);
}

// Which file the compiler is: versions do not distinguish patches.
static void add_identity(const struct tool *tool, struct text *t)
{
    struct stat st;
    if (stat(tool->path, &st) == 0)
        text_printf(t, "\n%s %lld %lld.%ld", tool->path, (long long)st.st_size,
                    (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
}

// Was what was compiled what the key says? Nothing but what the hash covers was read, and it still is so.
static bool is_keyed(struct arena *a, const struct compile_job *job)
{
    struct source after = {0};
    struct error ignored = {0};
    return !*job->read_more && !job->source->asks &&
           source_read(a, job->request->source_path, job->request->source_text, job->flags, &after,
                       &ignored) &&
           strcmp(after.hash, job->source->hash) == 0;
}

// The simulated GPU counts machine instructions by what ptxas makes of each line.
static bool is_counted(const struct compile_request *request)
{
    return request->device && request->device->simulated;
}

// What a simulated GPU needs of code beyond what other devices do, so that they share the rest. true: it was not there.
static bool count_lines(struct arena *a, const struct compile_request *request,
                        struct code_object *code)
{
    struct text ptxas = {0};
    if (!is_counted(request))
        return false;
    ptxas_identity(a, &ptxas);
    text_add(&ptxas, "\n8 by block"); // another number where lines are counted otherwise
    bool asks = strcmp(code->counted ? code->counted : "", text_str(&ptxas)) != 0;
    if (asks) {
        for (int i = 0; i < code->kernel_count; i++)
            code->kernels[i].line_count = 0;
        ptxas_count(a, request->arch, code);
        code->counted = arena_strdup(a, text_str(&ptxas));
    }
    text_release(&ptxas);
    return asks;
}

// key: of what is compiled and by what. file: also of the path, which stands in the PTX's .file.
static void make_key(struct arena *a, const struct compile_job *job, char key[HASH_DIGITS + 1],
                     char file[HASH_DIGITS + 1])
{
    struct text t = {0};
    text_printf(&t, "%s\n%s\n%s\n%s\n", options_version, job->source->hash, job->arch,
                job->tool->version);
    for (int i = 0; i < job->request->instance_count; i++)
        text_printf(&t, "instance %s\n", job->request->instances[i]);
    flags_identity(job->flags, job->request, &t);
    text_add(&t, job->tool->support);
    if (job->tool->standard)
        text_add(&t, job->tool->standard);
    for (int i = 0; job->only_needed && i < job->request->needed_count; i++)
        text_printf(&t, "only %s\n", job->request->needed[i]);
    hash_hex(&(struct hash_piece){t.data, t.length}, 1, key);
    text_printf(&t, "\n%s\n%d", job->source->path, job->arch_exact);
    add_identity(job->tool, &t);
    if (job->tool->kind != TOOL_NVRTC)
        ptxas_identity(a, &t);
    hash_hex(&(struct hash_piece){t.data, t.length}, 1, file);
    text_release(&t);
}

// PTX carries the limit to whoever makes machine code of it. As with nvcc, a kernel with bounds of its own keeps
// those.
static void limit_registers(struct arena *a, int most, struct code_object *code)
{
    struct text t = {0};
    const char *at = code->bytes, *entry;
    while ((entry = strstr(at, ".entry "))) {
        const char *body = strchr(entry, '{'), *end = strchr(entry, ')');
        if (!body || !end || end > body)
            break;
        const char *bounds = memmem(end, (size_t)(body - end), ".m", 2);
        text_addn(&t, at, (size_t)(body - at));
        if (!bounds)
            text_printf(&t, ".maxnreg %d\n", most);
        at = body;
    }
    text_add(&t, at);
    code->bytes = arena_strdup(a, text_str(&t));
    code->size_bytes = t.length;
    code->kernel_count = 0; // registers are no longer those that were reported
    text_release(&t);
}

// Code that needs no compiler, by the ending of its file.
static const struct given {
    const char *ending;
    enum code_format format;
    bool is_text;
    const char *compiler;
} given_codes[] = {{".ptx", CODE_PTX, true, "none (PTX given)"},
                   {".cubin", CODE_CUBIN, false, "none (machine code given)"},
                   {".hsaco", CODE_HSACO, false, "none (machine code given)"}};

static const struct given *given_code(const char *path)
{
    for (size_t i = 0; i < COUNT_OF(given_codes); i++)
        if (str_ends_with(path, given_codes[i].ending))
            return &given_codes[i];
    return NULL;
}

bool source_is_machine_code(const char *path)
{
    const struct given *given = given_code(path);
    return given && !given->is_text;
}

static void pass_given(struct arena *a, const struct source *source, const struct given *given,
                       struct code_object *out)
{
    out->format = given->format;
    out->bytes = source->text;
    out->size_bytes = source->size_bytes;
    out->compiler = given->compiler;
    out->log = out->arch = "";
    memcpy(out->key, source->hash, sizeof out->key);
    const char *target = given->format == CODE_PTX ? strstr(source->text, "\n.target ") : NULL;
    if (target) {
        target += strlen("\n.target ");
        out->arch = arena_strndup(a, target, strcspn(target, ", \t\r\n"));
    }
}

// PTX that was given: what ptxas says of it is kept, as it takes a while.
static void ask_of_given(struct arena *a, const struct source *source,
                         const struct compile_request *request, struct code_object *code)
{
    char name[HASH_DIGITS + 1];
    struct code_object known = {0};
    struct text t = {0};
    if (!ptxas_find(a))
        return;
    text_printf(&t, "ptxas\n%s\n%s\n%s", options_version, source->hash, request->arch);
    ptxas_identity(a, &t);
    hash_hex(&(struct hash_piece){t.data, t.length}, 1, name);
    text_release(&t);
    bool kept = cache_get(a, name, &known);
    if (kept) {
        code->kernels = known.kernels;
        code->kernel_count = known.kernel_count;
        code->counted = known.counted;
    } else {
        ptxas_ask(a, request->arch, code);
    }
    if (count_lines(a, request, code) || !kept)
        cache_put(name, code);
}

static bool tool_compile(struct arena *a, struct compile_job *job, struct code_object *out,
                         struct error *err)
{
    const struct source *source = job->source;
    const struct tool *tool = job->tool;
    struct alias alias;
    bool done = alias_open(a, source, &alias, err);
    job->source = alias.real ? &alias.source : source;
    job->alias = &alias;
    done = done && (tool->kind == TOOL_NVRTC   ? nvrtc_compile(a, job, out, err)
                    : tool->kind == TOOL_CLANG ? clang_compile(a, job, out, err)
                                               : nvcc_compile(a, job, out, err));
    if (done && alias.real) {
        out->bytes = alias_undo(a, &alias, out->bytes, true);
        out->size_bytes = strlen(out->bytes);
    }
    alias_close(&alias);
    job->source = source;
    job->alias = NULL;
    return done;
}

bool job_takes_machine(const struct compile_job *job)
{
    return job->request->machine && job->tool->kind == TOOL_NVRTC && job->arch_exact &&
           job->flags->max_registers == 0;
}

// By the compiler, or from the cache.
static bool compile_job(struct arena *a, struct compile_job *job, struct code_object *out,
                        struct error *err)
{
    const struct source *source = job->source;
    const struct tool *tool = job->tool;
    char key[HASH_DIGITS + 1], file[HASH_DIGITS + 1];
    make_key(a, job, key, file);
    bool kept = !source->asks && !(source->untold && tool->kind == TOOL_NVRTC);
    if (kept && cache_get(a, file, out) &&
        (!job_takes_machine(job) || cache_machine_get(a, file, out))) {
        if (job->arch_exact && count_lines(a, job->request, out))
            cache_put(file, out);
        return true;
    }
    *out = (struct code_object){.format = CODE_PTX, .compiler = tool->version, .arch = job->arch};
    memcpy(out->key, key, sizeof out->key);
    bool done = tool_compile(a, job, out, err);
    if (done && job->flags->max_registers > 0)
        limit_registers(a, job->flags->max_registers, out);
    if (done && (tool->kind != TOOL_NVRTC || job->flags->max_registers > 0) && job->arch_exact)
        ptxas_ask(a, job->request->arch, out);
    if (done && job->arch_exact)
        (void)count_lines(a, job->request, out);
    if (done && is_keyed(a, job))
        cache_put(file, out);
    return done;
}

// Of a source with host code the device side, and if that does not compile, as other kernels of the file need
// what is not here, what this request needs of it.
static bool compile_side(struct arena *a, struct compile_job *job, struct code_object *out,
                         struct error *err)
{
    if (compile_job(a, job, out, err))
        return true;
    if (!job->without_host || job->request->needed_count == 0 || err->kind != ERROR_INPUT)
        return false;
    error_clear(err);
    job->only_needed = true;
    job->side = NULL;
    return compile_job(a, job, out, err);
}

// nvcc takes the host's side too, which may need what is not here, or another toolkit: the others do without it.
static bool compile_without_host(struct arena *a, struct compile_job *job, struct tool *tool,
                                 struct code_object *out, struct error *err)
{
    struct error why = {0};
    if (tool->kind != TOOL_NVCC || err->kind != ERROR_INPUT ||
        strcmp(chosen_compiler(job->request), "auto") != 0)
        return false;
    job->without_host = true;
    if (!choose_without_host(a, job, tool, &why) || !compile_side(a, job, out, &why))
        return false; // what nvcc said
    error_clear(err);
    return true;
}

static bool compile_source(struct arena *a, const struct source *source,
                           const struct compile_request *request, const struct flag_set *flags,
                           struct code_object *out, struct error *err)
{
    struct tool tool = {0};
    bool read_more = source->untold; // a compiler that reports what it read knows better
    struct compile_job job = {.source = source,
                              .request = request,
                              .tool = &tool,
                              .flags = flags,
                              .read_more = &read_more};
    job.timeout_s = request->timeout_s > 0 ? request->timeout_s : default_timeout_s;
    if (!choose_tool(a, &job, &tool, err))
        return false;
    job.without_host = source->host && tool.kind != TOOL_NVCC;
    return compile_side(a, &job, out, err) || compile_without_host(a, &job, &tool, out, err);
}

// "copy" of "blas::copy<4, float>" stands in the source as a word.
static bool source_names(const struct source *source, const char *wanted)
{
    size_t end = strcspn(wanted, "<"), length = 0;
    while (end > 0 && wanted[end - 1] == ' ')
        end--;
    while (length < end && is_word_character(wanted[end - length - 1]))
        length++;
    for (size_t i = 0; i < source->file_count && length > 0; i++)
        for (const char *at = source->texts[i];
             (at = memmem(at, strlen(at), wanted + end - length, length)); at += length)
            if ((at == source->texts[i] || !is_word_character(at[-1])) &&
                !is_word_character(at[length]))
                return true;
    return false;
}

// Is each instance there? One whose name the source does not hold is for who looks for it to report.
static bool has_instances(struct arena *a, const struct source *source,
                          const struct compile_request *request, const struct code_object *code)
{
    for (int i = 0; i < request->instance_count && code->kernels_listed; i++) {
        const char *wanted = request->instances[i];
        bool has = false;
        for (int n = 0; n < code->kernel_count && !has; n++)
            has = kernel_matches(a, code->kernels[n].name, wanted) != MATCH_NONE;
        if (!has && source_names(source, wanted))
            return false;
    }
    return true;
}

bool code_source_hash(struct arena *a, const struct compile_request *request, char out[33],
                      struct error *err)
{
    struct source source = {0};
    struct flag_set flags = {0};
    struct text t = {0};
    if (!flags_read(a, request, &flags, err) ||
        !source_read(a, request->source_path, request->source_text, &flags, &source, err))
        return false;
    text_add(&t, source.hash);
    for (int i = 0; i < request->flag_count; i++)
        text_printf(&t, "\n%s", request->flags[i]);
    hash_hex(&(struct hash_piece){t.data, t.length}, 1, out);
    text_release(&t);
    return true;
}

static const char *source_ending(const char *path)
{
    const char *dot = strrchr(path_name(path), '.');
    return dot ? dot : "";
}

// The backend whose language that is alone, or NULL.
static const struct device_backend *backend_of_source(const char *path)
{
    const struct device_backend *b;
    for (size_t i = 0; (b = backend_at(i)) != NULL; i++)
        if (b->source_ending && strcmp(b->source_ending, source_ending(path)) == 0)
            return b;
    return NULL;
}

bool device_takes_source(const struct device_info *info, const char *path)
{
    const struct device_backend *own = info ? backend_of(info) : NULL;
    return backend_of_source(path) == (own && own->source_ending ? own : NULL);
}

static bool fail_language(const struct compile_request *request, const struct source *source,
                          struct error *err)
{
    const struct device_backend *takes = backend_of_source(source->path);
    const char *id = request->device ? request->device->id : "this device";
    if (takes)
        return fail(err, (struct location){.file = source->shown},
                    "%s does not take %s files: --device %s:0 does, and `source: [k.cu, k%s]` "
                    "gives each device its own",
                    id, takes->source_ending, takes->name, takes->source_ending);
    const struct device_backend *own = backend_of(request->device);
    return fail(err, (struct location){.file = source->shown},
                "%s takes %s files only: `source: [k.cu, k%s]` gives each device its own", id,
                own->source_ending, own->source_ending);
}

bool compiler_is_nvrtc(const char *compiler)
{
    return compiler && str_starts_with(compiler, "NVRTC");
}

bool code_compile(struct arena *a, const struct compile_request *request, struct code_object *out,
                  struct error *err)
{
    struct source source = {0};
    struct flag_set flags = {0};
    *out = (struct code_object){.log = ""};
    if (!flags_read(a, request, &flags, err) ||
        !source_read(a, request->source_path, request->source_text, &flags, &source, err))
        return false;
    const struct device_backend *own = request->device ? backend_of(request->device) : NULL;
    if (!device_takes_source(request->device, source.path))
        return fail_language(request, &source, err);
    bool compiles = own && own->compile && (!own->compiles || own->compiles(request->device));
    const struct given *given = given_code(source.path);
    if (compiles && !given)
        return own->compile(a, request->device, request, &source, &flags, out, err);
    if (given) {
        pass_given(a, &source, given, out);
        if (given->format == CODE_PTX)
            ask_of_given(a, &source, request, out);
    } else if (!compile_source(a, &source, request, &flags, out, err)) {
        // A template that the source has instantiated itself may be named by its last part, which no
        // compiler can instantiate.
        struct compile_request plain = *request;
        struct error why = *err; // why it could not be instantiated
        plain.instance_count = 0;
        if (request->instance_count == 0 || err->kind != ERROR_INPUT)
            return false;
        error_clear(err);
        if (!compile_source(a, &source, &plain, &flags, out, err))
            return false;
        out->source = source.shown;
        code_list_kernels(a, out);
        return has_instances(a, &source, request, out) || (*err = why, false);
    }
    out->source = source.shown;
    code_list_kernels(a, out);
    return true;
}
