// clang as the compiler when there is no CUDA toolkit: its NVPTX back end and our own cuda_min.h.
// Standard headers per kernel includes are mapped onto cuda_min.h by an overlay file system (given on
// standard input), so that the host's C library is never read.
// SPDX-License-Identifier: Apache-2.0
#include "device/compile/extract.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OLDEST_CLANG = 14,
    NEWEST_CLANG = 23, // names of programs tried, not a limit of what works
    HEADER_BYTES_MAX = 1024 * 1024,
    ARGUMENTS_FIXED = 64,
    CLANG_USER_ERROR = 1, // exit status; the driver's own crashes give others
};

static const double version_timeout_s = 20;
const char clang_system_folder[] = "/ridge-system-headers";

static const struct clang_arch {
    int sm, since, ptx;
} clang_archs[] = {
#define ARCH(sm, since, ptx) {sm, since, ptx},
#include "device/compile/clang_archs.def"
#undef ARCH
};

static const char *find_program(struct arena *a, const char *program)
{
    char *path = program_find(a, program);
    for (int v = NEWEST_CLANG; !path && strcmp(program, "clang") == 0 && v >= OLDEST_CLANG; v--)
        path = program_find(a, arena_printf(a, "clang-%d", v));
    return path;
}

// "14.0.6" of "Debian clang version 14.0.6"; NULL if the text is not clang's.
static const char *version_number(struct arena *a, const char *text)
{
    static const char word[] = "clang version ";
    const char *at = strstr(text, word);
    if (!at)
        return NULL;
    at += sizeof word - 1;
    return arena_strndup(a, at, strspn(at, "0123456789."));
}

static const char *ask_version(struct arena *a, const char *path, struct error *err)
{
    const char *known = memo_get(a, path);
    if (known)
        return known;
    const char *const argv[] = {path, "--version", NULL};
    struct process_spec spec = {.argv = argv, .timeout_s = version_timeout_s};
    struct process_result r;
    if (!process_run(&spec, &r, err))
        return NULL;
    const char *number = r.exit_status == 0 ? version_number(a, text_str(&r.out)) : NULL;
    if (number)
        memo_put(path, number);
    else
        fail_as(err, ERROR_SYSTEM, NOWHERE, "'%s --version' does not answer as clang does", path);
    process_result_release(&r);
    return number;
}

static const char *read_support(struct arena *a, const char *path, struct error *err)
{
    char *text = NULL;
    size_t size_bytes = 0;
    if (!file_read(path, HEADER_BYTES_MAX, &text, &size_bytes, err))
        return NULL;
    const char *support = arena_strndup(a, text, size_bytes);
    free(text);
    return support;
}

// cuda_min.h and the headers beside it, for the key of what is compiled.
static const char *read_all_support(struct arena *a, const char *include, struct error *err)
{
    static const char *const names[] = {"cooperative_groups.h", "cuda_fp16.h"};
    const char *all = read_support(a, include, err);
    for (size_t i = 0; all && i < COUNT_OF(names); i++) {
        const char *one = read_support(a, path_join(a, path_dir(a, include), names[i]), err);
        all = one ? arena_printf(a, "%s%s", all, one) : NULL;
    }
    return all;
}

bool clang_find(struct arena *a, const char *program, struct tool *out, struct error *err)
{
    *out = (struct tool){.kind = TOOL_CLANG};
    out->path = find_program(a, program);
    if (!out->path)
        return fail_as(err, ERROR_SYSTEM, NOWHERE,
                       "no '%s' in PATH; apt install --no-install-recommends clang", program);
    const char *number = ask_version(a, out->path, err);
    if (!number)
        return false;
    out->version = arena_printf(a, "clang %s", number);
    int major = (int)strtol(number, NULL, 10);
    out->archs = ARENA_ARRAY(a, int, COUNT_OF(clang_archs));
    for (size_t i = 0; i < COUNT_OF(clang_archs); i++)
        if (clang_archs[i].since <= major)
            out->archs[out->arch_count++] = clang_archs[i].sm;
    if (out->arch_count == 0)
        return fail_as(err, ERROR_SYSTEM, NOWHERE,
                       "%s (%s) knows no architecture that ridge compiles for: clang %d to %d do; "
                       "install one of them, or NVRTC, and choose it with --compiler",
                       out->version, out->path, OLDEST_CLANG, NEWEST_CLANG);
    out->include = data_path(a, "cuda_min.h", err);
    out->support = out->include ? read_all_support(a, out->include, err) : NULL;
    return out->support != NULL && tool_read_standard(a, out, err);
}

static bool is_since(const struct tool *t, int since)
{
    return strtol(t->version + strlen("clang "), NULL, 10) >= since;
}

bool clang_find_since(struct arena *a, const char *program, int since, struct tool *out,
                      struct error *err)
{
    struct error ignored = {0};
    bool any = strcmp(program, "clang") == 0;
    if (!clang_find(a, program, out, err))
        return false;
    struct tool first = *out;
    for (int v = NEWEST_CLANG; any && !is_since(out, since) && v >= since; v--)
        if (!clang_find(a, arena_printf(a, "clang-%d", v), out, &ignored))
            *out = first;
    return is_since(out, since) ||
           fail_as(err, ERROR_SYSTEM, NOWHERE,
                   "%s (%s) is too old: clang %d or newer knows the chip; install one "
                   "(Debian 12 has clang-19), or name one with --compiler",
                   first.version, first.path, since);
}

static int ptx_version_for(const char *arch)
{
    int number = arch_number(arch), version = 0;
    for (size_t i = 0; i < COUNT_OF(clang_archs); i++)
        if (clang_archs[i].sm == number)
            version = clang_archs[i].ptx;
    return version;
}

// Of CUDA's own headers those that ridge has: the file's name in assets.
static const char *own_header(const char *name)
{
    return str_starts_with(name, "cooperative_groups") ? "cooperative_groups.h" : "cuda_fp16.h";
}

static const char *overlay_path(struct arena *a, const struct tool *tool,
                                const struct standard_header *h)
{
    switch (h->content) {
    case HEADER_CORE:
        return tool->include;
    case HEADER_STD:
        return tool->standard_path;
    case HEADER_OWN:
        return path_join(a, path_dir(a, tool->include), own_header(h->name));
    case HEADER_LIBRARY: // what a library's header brings along
        if (strcmp(h->name, "ridge-library.h") == 0)
            return path_join(a, path_dir(a, tool->include), own_header(h->name));
        break;
    case HEADER_HOST:
    case HEADER_CUB: // not there without a toolkit
        break;
    }
    return "/dev/null";
}

// The overlay: a standard header is cuda_min.h, whose include guard makes it empty, std_min.h, or nothing.
void overlay_add_path(struct text *out, const char *path)
{
    for (const char *c = path; *c; c++)
        text_printf(out, "%s%c", *c == '"' || *c == '\\' ? "\\" : "", *c);
}

void clang_write_overlay(struct arena *a, const struct tool *tool, struct text *out)
{
    text_printf(out,
                "{\"version\": 0, \"case-sensitive\": \"true\", \"roots\": [{\"name\": \"%s\", "
                "\"type\": \"directory\", \"contents\": [",
                clang_system_folder);
    for (size_t i = 0; i < standard_header_count; i++) {
        if (standard_headers[i].content == HEADER_CUB) // not there without a toolkit
            continue;
        const char *path = overlay_path(a, tool, &standard_headers[i]);
        text_printf(out, "%s{\"name\": \"%s\", \"type\": \"file\", \"external-contents\": \"",
                    i > 0 ? ", " : "", standard_headers[i].name);
        overlay_add_path(out, path);
        text_add(out, "\"}");
    }
    text_add(out, "]}]}\n");
}

/* ---- what was read ----------------------------------------------------------------------------- */

// The next name of a make rule's right side, with its escapes taken off; NULL at the end.
static const char *next_name(struct arena *a, const char **at)
{
    const char *s = *at;
    for (;;) {
        s += strspn(s, " \t\r\n");
        if (s[0] != '\\' || (s[1] != '\n' && s[1] != '\r'))
            break;
        s++;
    }
    char *name = arena_strdup(a, s);
    size_t n = 0;
    for (; *s && !strchr(" \t\r\n", *s); s++) {
        s += (s[0] == '\\' && s[1] && strchr(" #:\\", s[1])) || (s[0] == '$' && s[1] == '$');
        name[n++] = *s;
    }
    name[n] = '\0';
    *at = s;
    return n > 0 ? name : NULL;
}

// A toolkit and the system change with the compiler; its version and file are in the key.
static bool is_tools_own(struct arena *a, const struct compile_job *job, const char *name)
{
    const char *toolkit = path_dir(a, path_dir(a, job->tool->path));
    if (job->tool->kind == TOOL_NVCC)
        return str_starts_with(name, "/usr/include/") || str_starts_with(name, "/usr/lib/") ||
               (strlen(toolkit) > 1 && str_starts_with(name, arena_printf(a, "%s/", toolkit)));
    // The overlay's headers.
    return strcmp(path_dir(a, name), path_dir(a, job->tool->include)) == 0 ||
           str_starts_with(name, clang_system_folder) ||
           strcmp(name, job->tool->standard_path) == 0 || strcmp(name, "/dev/null") == 0 ||
           strcmp(name, "/dev/stdin") == 0;
}

bool rule_names_more(struct arena *a, const struct compile_job *job, const char *rule,
                     const char *folder)
{
    const char *at = strchr(rule, ':');
    bool more = !at;
    at = at ? at + 1 : rule;
    for (const char *name; !more && (name = next_name(a, &at));)
        more = !is_tools_own(a, job, name) && !(folder && str_starts_with(name, folder)) &&
               !source_covers(job->source, name);
    return more;
}

bool rule_reads_more(struct arena *a, const struct compile_job *job, const char *rule_path,
                     const char *folder)
{
    char *text = NULL;
    size_t size_bytes = 0;
    struct error ignored = {0};
    if (!file_read(rule_path, HEADER_BYTES_MAX, &text, &size_bytes, &ignored))
        return true;
    bool more = rule_names_more(a, job, text, folder);
    free(text);
    return more;
}

/* ---- running it ---------------------------------------------------------------------------------- */

// Those of arithmetic for clang: what it has no flag for are options of its back end.
static int add_arithmetic(const struct flag_set *f, const char **argv, int count)
{
    if (f->fast_functions)
        argv[count++] = "-D__USE_FAST_MATH__";
    if (f->ftz)
        argv[count++] = "-fgpu-flush-denormals-to-zero";
    if (f->approximate_division) {
        argv[count++] = "-mllvm";
        argv[count++] = "-nvptx-prec-divf32=0";
    }
    if (f->approximate_root)
        argv[count++] = "-DRIDGE_APPROXIMATE_ROOT";
    if (f->no_contraction)
        argv[count++] = "-ffp-contract=off";
    return count;
}

// rule_path: where it writes what it read, or NULL.
static const char *const *make_arguments(struct arena *a, const struct compile_job *job,
                                         bool default_device, const char *rule_path,
                                         const char *source)
{
    const struct compile_request *r = job->request;
    const struct flag_set *f = job->flags;
    const char *const fixed[] = {
        job->tool->path,
        "-x",
        "cuda",
        "--cuda-device-only",
        arena_printf(a, "--cuda-gpu-arch=%s", job->arch),
        "-nocudainc",
        "-nocudalib",
        "-nostdinc",
        "-isystem",
        clang_system_folder,
        "-ivfsoverlay",
        "/dev/stdin",
        "-O3",
        arena_printf(a, "-std=%s", f->standard),
        "-gline-tables-only",
        "-Xclang",
        "-target-feature",
        "-Xclang",
        arena_printf(a, "+ptx%d", ptx_version_for(job->arch)),
        "-Wno-unknown-cuda-version",
        "-fno-color-diagnostics",
        "-fno-crash-diagnostics",
        "-I",
        job->source->directory,
        "-include",
        job->tool->include,
        "-S",
        "-o",
        "-",
        source,
    };
    _Static_assert(COUNT_OF(fixed) < ARGUMENTS_FIXED, "room for the fixed arguments");
    const char **argv = ARENA_ARRAY(a, const char *, ARGUMENTS_FIXED + flags_argument_count(f, r));
    int count = 0;
    for (size_t i = 0; i < COUNT_OF(fixed); i++)
        argv[count++] = fixed[i];
    if (default_device)
        argv[count++] = "-DRIDGE_DEFAULT_DEVICE";
    if (rule_path) {
        argv[count++] = "-MD";
        argv[count++] = "-MF";
        argv[count++] = rule_path;
    }
    count = flags_add(a, f, r, argv, count);
    (void)add_arithmetic(f, argv, count);
    return argv;
}

static bool judge_end(struct arena *a, const struct compile_job *job,
                      const struct process_result *r, struct error *err)
{
    const char *messages = text_str(&r->err_text);
    if (r->timed_out)
        return fail_compiler_late(job, err);
    const char *trouble = process_trouble(a, r);
    if (!trouble && r->exit_status > CLANG_USER_ERROR)
        trouble = arena_printf(a, "exit status %d", r->exit_status);
    if (trouble)
        return fail_compiler_trouble(job, trouble, err);
    if (r->exit_status != 0) {
        if (strstr(messages, "' file not found"))
            messages = arena_printf(a,
                                    "%s(clang compiles kernels without a CUDA toolkit: headers of "
                                    "CUDA's own need NVRTC)\n",
                                    messages);
        return fail_compile(a, job, messages, err);
    }
    if (r->out.length == 0)
        return fail_as(err, ERROR_SYSTEM, NOWHERE, "%s gave no PTX for %s", job->tool->version,
                       job->source->shown);
    return true;
}

static bool run_clang(struct arena *a, const struct compile_job *job, bool default_device,
                      const char *rule_path, const char *source, struct process_result *r,
                      struct error *err)
{
    struct text overlay = {0};
    clang_write_overlay(a, job->tool, &overlay);
    struct process_spec spec = {.argv = make_arguments(a, job, default_device, rule_path, source),
                                .input = overlay.data,
                                .input_bytes = overlay.length,
                                .timeout_s = job->timeout_s};
    struct work_folder folder; // clang's crashes leave files in TMPDIR
    struct error ignored = {0};
    if (work_folder_open(&folder, &ignored))
        spec.temporary_folder = folder.path;
    bool done = process_run(&spec, r, err);
    work_folder_close(&folder);
    text_release(&overlay);
    return done;
}

// Functions without an attribute are device functions, unless the source instantiates a kernel
// template explicitly: clang cannot have both.
static bool run_either(struct arena *a, const struct compile_job *job, const char *rule_path,
                       const char *source, struct process_result *r, struct error *err)
{
    if (!run_clang(a, job, true, rule_path, source, r, err))
        return false;
    if (r->exit_status == 0 || !strstr(text_str(&r->err_text), "attributes are not compatible"))
        return true;
    process_result_release(r);
    return run_clang(a, job, false, rule_path, source, r, err);
}

// The device side as files of the folder.
static bool write_side(struct arena *a, struct compile_job *job, const char *folder,
                       struct error *err)
{
    device_side_make(a, job, folder);
    for (size_t i = 0; i < job->side->count; i++)
        if (!file_write(job->side->names[i], job->side->texts[i], strlen(job->side->texts[i]), err))
            return error_context(err, "compiling %s", job->source->shown);
    return true;
}

bool clang_compile(struct arena *a, const struct compile_job *job, struct code_object *out,
                   struct error *err)
{
    struct process_result r;
    struct work_folder folder = {0};
    struct error ignored = {0};
    const char *rule_path = work_folder_open(&folder, job->without_host ? err : &ignored)
                                ? path_join(a, folder.path, "read")
                                : NULL;
    if (job->without_host && !rule_path)
        return error_context(err, "compiling %s", job->source->shown);
    struct compile_job own = *job;
    if (job->without_host && !write_side(a, &own, folder.path, err)) {
        work_folder_close(&folder);
        return false;
    }
    job = &own;
    const char *source = source_with_instances(a, job, rule_path ? folder.path : NULL);
    bool done = run_either(a, job, rule_path, source, &r, err);
    if (job->read_more && rule_path)
        *job->read_more = done && rule_reads_more(a, job, rule_path, folder.path);
    work_folder_close(&folder);
    if (!done)
        return error_context(err, "compiling %s", job->source->shown);
    done = judge_end(a, job, &r, err);
    if (done) {
        out->bytes = arena_strndup(a, r.out.data, r.out.length);
        out->size_bytes = r.out.length;
        out->log = shorten_paths(a, arena_strdup(a, text_str(&r.err_text)));
    }
    process_result_release(&r);
    return done;
}
