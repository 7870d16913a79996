// nvcc, where a toolkit and its host compiler are installed: takes sources with host code (main, <<<>>>, the
// C++ library) as they are. Only the device side is compiled (-ptx); lines stay the user's.
// SPDX-License-Identifier: Apache-2.0
#include "device/internal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARCHS_MAX = 64, PTX_BYTES_MAX = 256 << 20, ARGUMENTS_FIXED = 32 };

static const double version_timeout_s = 20;

static const char *find_program(struct arena *a)
{
    const char *path = program_find(a, "nvcc");
    const char *const roots[] = {environment("RIDGE_CUDA_PATH"), environment("CUDA_HOME"),
                                 environment("CUDA_PATH"), "/usr/local/cuda"};
    for (size_t i = 0; !path && i < COUNT_OF(roots); i++)
        if (roots[i])
            path = program_find(a, path_join(a, roots[i], "bin/nvcc"));
    return path;
}

// What the program prints, or NULL.
static const char *ask(struct arena *a, const char *path, const char *option)
{
    const char *const argv[] = {path, option, NULL};
    struct process_spec spec = {.argv = argv, .timeout_s = version_timeout_s};
    struct process_result r;
    struct error ignored = {0};
    if (!process_run(&spec, &r, &ignored))
        return NULL;
    const char *said = r.exit_status == 0 ? arena_strdup(a, text_str(&r.out)) : NULL;
    process_result_release(&r);
    return said;
}

// "13.0 75 80 86": of "… release 13.0, V13.0.88" and a list of "sm_75".
static const char *ask_abilities(struct arena *a, const char *path)
{
    static const char word[] = "release ", code[] = "sm_";
    const char *version = ask(a, path, "--version"), *list = ask(a, path, "--list-gpu-code");
    const char *at = version ? strstr(version, word) : NULL;
    if (!at || !list)
        return NULL;
    at += sizeof word - 1;
    struct text t = {0};
    text_printf(&t, "%.*s", (int)strspn(at, "0123456789."), at);
    for (at = list; (at = strstr(at, code));) {
        at += sizeof code - 1;
        size_t digits = strspn(at, "0123456789");
        if (!isalpha((unsigned char)at[digits])) // sm_90a is sm_90's
            text_printf(&t, " %.*s", (int)digits, at);
    }
    const char *abilities = arena_strdup(a, text_str(&t));
    text_release(&t);
    return abilities;
}

bool nvcc_find(struct arena *a, struct tool *out, struct error *err)
{
    *out = (struct tool){.kind = TOOL_NVCC, .support = "", .include = ""};
    out->path = find_program(a);
    if (!out->path)
        return fail_as(err, ERROR_SYSTEM, NOWHERE,
                       "no nvcc in PATH or /usr/local/cuda; set RIDGE_CUDA_PATH to CUDA's folder");
    const char *known = memo_get(a, out->path);
    const char *at = known ? known : ask_abilities(a, out->path);
    if (!at)
        return fail_as(err, ERROR_SYSTEM, NOWHERE,
                       "'%s' does not report its version and what it can compile for", out->path);
    if (!known)
        memo_put(out->path, at);
    out->version = arena_printf(a, "nvcc %.*s", (int)strcspn(at, " "), at);
    out->archs = ARENA_ARRAY(a, int, ARCHS_MAX);
    at += strcspn(at, " ");
    for (char *end; *at == ' ' && out->arch_count < ARCHS_MAX; at = end)
        out->archs[out->arch_count++] = (int)strtol(at, &end, 10);
    return true;
}

static const char *const *make_arguments(struct arena *a, const struct compile_job *job,
                                         const char *source, const char *folder)
{
    const struct compile_request *r = job->request;
    const struct flag_set *f = job->flags;
    const char *const fixed[] = {
        job->tool->path,
        "-ptx",
        "-lineinfo",
        arena_printf(a, "-arch=%s", job->arch),
        arena_printf(a, "-std=%s", f->standard),
        "-I",
        job->source->directory,
        "-MD",
        "-MF",
        path_join(a, folder, "read"),
        "-o",
        path_join(a, folder, "out.ptx"),
        source,
    };
    _Static_assert(COUNT_OF(fixed) < ARGUMENTS_FIXED, "room for the fixed arguments");
    const char **argv = ARENA_ARRAY(a, const char *, ARGUMENTS_FIXED + flags_argument_count(f, r));
    int count = 0;
    for (size_t i = 0; i < COUNT_OF(fixed); i++)
        argv[count++] = fixed[i];
    count = flags_add(a, f, r, argv, count);
    count = flags_add_arithmetic(f, argv, count);
    argv[count++] = "--expt-relaxed-constexpr";
    argv[count++] = "--extended-lambda";
    return argv;
}

static bool judge_end(struct arena *a, const struct compile_job *job,
                      const struct process_result *r, struct error *err)
{
    if (r->timed_out)
        return fail_compiler_late(job, err);
    const char *trouble = process_trouble(a, r);
    if (trouble)
        return fail_compiler_trouble(job, trouble, err);
    const char *messages = r->err_text.length > 0 ? text_str(&r->err_text) : text_str(&r->out);
    return r->exit_status == 0 || fail_compile(a, job, messages, err);
}

static bool take_ptx(struct arena *a, const char *folder, struct code_object *out,
                     struct error *err)
{
    char *ptx = NULL;
    if (!file_read(path_join(a, folder, "out.ptx"), PTX_BYTES_MAX, &ptx, &out->size_bytes, err))
        return false;
    out->bytes = arena_strndup(a, ptx, out->size_bytes);
    free(ptx);
    return true;
}

bool nvcc_compile(struct arena *a, const struct compile_job *job, struct code_object *out,
                  struct error *err)
{
    struct work_folder folder;
    struct process_result r;
    if (!work_folder_open(&folder, err))
        return false;
    const char *source = source_with_instances(a, job, folder.path);
    struct process_spec spec = {.argv = make_arguments(a, job, source, folder.path),
                                .timeout_s = job->timeout_s,
                                .temporary_folder = folder.path};
    bool done = process_run(&spec, &r, err);
    if (done) {
        done = judge_end(a, job, &r, err) && take_ptx(a, folder.path, out, err);
        out->log = shorten_paths(a, arena_strdup(a, text_str(&r.err_text)));
        if (job->read_more)
            *job->read_more =
                done && rule_reads_more(a, job, path_join(a, folder.path, "read"), folder.path);
        process_result_release(&r);
    }
    work_folder_close(&folder);
    return done || error_context(err, "compiling %s", job->source->shown);
}
