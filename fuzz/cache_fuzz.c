// Any bytes as a file of the cache, and behind a checksum that fits them: code with all that is known of
// it, or nothing.
// SPDX-License-Identifier: Apache-2.0
#include "device/internal.h"
#include "target.h"

#include <stdlib.h>
#include <string.h>

static void read_as_code(const char *data, size_t size)
{
    struct arena a = {0};
    struct code_object code = {.source = "fuzz.cu"};
    if (cache_content_read(&a, data, size, &code)) {
        if (!code.compiler || !code.arch || !code.log || !code.bytes || code.size_bytes > size)
            abort();
        for (int i = 0; i < code.kernel_count; i++)
            if (!code.kernels[i].name)
                abort();
        code_list_kernels(&a, &code);
    }
    arena_release(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text whole = {0};
    char *text = xcalloc(size + 1, 1); // NUL terminated, as private_read gives it
    if (size > 0)
        memcpy(text, data, size);
    read_as_code(text, size);
    cache_head_add(&whole, text, size);
    text_addn(&whole, text, size);
    read_as_code(whole.data, whole.length);
    text_release(&whole);
    free(text);
    return 0;
}
