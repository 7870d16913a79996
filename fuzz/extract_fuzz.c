// Any bytes as CUDA C++ with host code: its device side has the lines of the source, no token lies outside of the
// text, and each of its kernels is looked for in its host code.
// SPDX-License-Identifier: Apache-2.0
#include "device/code.h"
#include "device/compile/extract.h"
#include "target.h"

#include <stdlib.h>
#include <string.h>

static size_t lines(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += *text == '\n';
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    if (memchr(data, '\0', size)) // source_read refuses it
        return 0;
    const char *text = arena_strndup(&a, (const char *)data, size);
    const char *files[] = {"/k.cu"}, *texts[] = {text}, *names[] = {"0-k.cu"};
    const char *wanted[] = {"k<int>", "x"};
    size_t sizes[] = {size};
    struct source source = {.path = "/k.cu",
                            .directory = "/",
                            .files = files,
                            .texts = texts,
                            .sizes_bytes = sizes,
                            .file_count = 1};
    struct token_list tokens;
    tokens_read(text, size, &tokens);
    for (size_t i = 0; i < tokens.count; i++)
        if (tokens.items[i].begin >= tokens.items[i].end || tokens.items[i].end > size)
            abort();
    tokens_release(&tokens);
    for (int only = 0; only < 2; only++) {
        struct device_side side;
        extract_device_side(&a, &source, names, wanted, 2, only, &side);
        if (lines(side.texts[0]) != lines(text) + 1) // #line comes first
            abort();
    }
    struct declared_kernel *kernels = NULL;
    int count = 0;
    declared_kernels_list(&a, &source, &kernels, &count);
    for (int i = 0; i < count; i++) {
        struct declared_launch launch;
        declared_launch_find(&a, &source, &kernels[i], &launch);
    }
    arena_release(&a);
    return 0;
}
