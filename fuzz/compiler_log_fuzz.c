// Any bytes as what a compiler wrote: ptxas's report, out of which kernels are taken, and the make rule
// that names the files it read.
// SPDX-License-Identifier: Apache-2.0
#include "device/internal.h"
#include "target.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct code_object code = {0};
    struct tool tool = {.kind = TOOL_CLANG,
                        .path = "/usr/bin/clang",
                        .include = "cuda_min.h",
                        .standard_path = "std_min.h"};
    struct source source = {.path = "/k.cu"};
    struct compile_job job = {.source = &source, .tool = &tool};
    const char *text = arena_strndup(&a, (const char *)data, size);
    const char *left = ptxas_log_take(&a, text, &code);
    if (strlen(left) > strlen(text) + 1)
        abort();
    for (int i = 0; i < code.kernel_count; i++)
        if (!code.kernels[i].name || code.kernels[i].registers <= 0)
            abort();
    (void)rule_names_more(&a, &job, text, "/tmp/folder");
    tool.kind = TOOL_NVCC;
    (void)rule_names_more(&a, &job, text, NULL);
    arena_release(&a);
    return 0;
}
