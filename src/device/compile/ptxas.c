// ptxas, where a toolkit is installed: what it says of PTX that somebody else made (registers, shared memory,
// spills of each kernel) is exact, where PTX alone gives an estimate. Without it nothing is missing but that.
// SPDX-License-Identifier: Apache-2.0
#include "device/internal.h"

#include <string.h>
#include <sys/stat.h>

static const double ask_timeout_s = 60;

const char *toolkit_find(struct arena *a, const char *variable, const char *tool)
{
    const char *chosen = environment(variable);
    if (chosen)
        return strcmp(chosen, "none") == 0 ? NULL : program_find(a, chosen);
    const char *path = program_find(a, tool);
    const char *const roots[] = {environment("RIDGE_CUDA_PATH"), environment("CUDA_HOME"),
                                 environment("CUDA_PATH"), "/usr/local/cuda"};
    for (size_t i = 0; !path && i < COUNT_OF(roots); i++)
        if (roots[i])
            path = program_find(a, arena_printf(a, "%s/bin/%s", roots[i], tool));
    return path;
}

const char *ptxas_find(struct arena *a)
{
    return toolkit_find(a, "RIDGE_PTXAS", "ptxas");
}

void ptxas_identity(struct arena *a, struct text *out)
{
    struct stat st;
    const char *path = ptxas_find(a);
    if (path && stat(path, &st) == 0)
        text_printf(out, "\n%s %lld %lld", path, (long long)st.st_size,
                    (long long)st.st_mtim.tv_sec);
}

// PTX for another chip of the same number (sm_90a) keeps its letter; PTX for a later one does not run.
const char *ptxas_arch(const char *target, const char *device)
{
    int number = arch_number(target), wanted = arch_number(device);
    if (number == 0 || wanted == 0 || number > wanted)
        return NULL;
    return number == wanted ? target : device;
}

bool ptxas_make(struct arena *a, const struct ptxas_job *job, struct text *said)
{
    const char *argv[] = {job->ptxas, job->option, arena_printf(a, "--gpu-name=%s", job->arch),
                          "-o",       job->file,   "/dev/stdin",
                          NULL};
    struct process_spec spec = {.argv = argv,
                                .input = job->text,
                                .input_bytes = job->text_bytes,
                                .timeout_s = job->timeout_s,
                                .temporary_folder = job->folder};
    struct process_result r;
    struct error ignored = {0};
    if (!process_run(&spec, &r, &ignored))
        return false;
    bool done = r.exit_status == 0 && !r.timed_out;
    if (said)
        text_add(said, text_str(&r.err_text));
    process_result_release(&r);
    return done;
}

void ptxas_ask(struct arena *a, const char *arch, struct code_object *code)
{
    struct ptxas_job job = {.ptxas = ptxas_find(a),
                            .arch = ptxas_arch(code->arch, arch),
                            .option = "-v",
                            .text = code->bytes,
                            .text_bytes = code->size_bytes,
                            .timeout_s = ask_timeout_s};
    struct work_folder folder = {0};
    struct error ignored = {0};
    struct text said = {0};
    if (!job.ptxas || !job.arch || !work_folder_open(&folder, &ignored))
        return;
    job.folder = folder.path;
    job.file = path_join(a, folder.path, "code");
    if (ptxas_make(a, &job, &said)) // code that it refuses is for the device to refuse
        (void)ptxas_log_take(a, text_str(&said), code);
    text_release(&said);
    work_folder_close(&folder);
}
