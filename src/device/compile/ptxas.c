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

void ptxas_ask(struct arena *a, const char *arch, struct code_object *code)
{
    const char *path = ptxas_find(a), *name = ptxas_arch(code->arch, arch);
    struct work_folder folder = {0};
    struct process_result r;
    struct error ignored = {0};
    if (!path || !name || !work_folder_open(&folder, &ignored))
        return;
    const char *argv[] = {path,
                          "-v",
                          arena_printf(a, "--gpu-name=%s", name),
                          "-o",
                          path_join(a, folder.path, "code"),
                          "/dev/stdin",
                          NULL};
    struct process_spec spec = {.argv = argv,
                                .input = code->bytes,
                                .input_bytes = code->size_bytes,
                                .timeout_s = ask_timeout_s,
                                .temporary_folder = folder.path};
    if (process_run(&spec, &r, &ignored)) {
        // Code that it refuses is for the device to refuse.
        if (r.exit_status == 0 && !r.timed_out)
            (void)ptxas_log_take(a, text_str(&r.err_text), code);
        process_result_release(&r);
    }
    work_folder_close(&folder);
}
