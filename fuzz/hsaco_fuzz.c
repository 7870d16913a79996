// Any bytes as one of AMD's code objects: a list of kernels with names, or nothing.
// SPDX-License-Identifier: Apache-2.0
#include "device/internal.h"
#include "target.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    char *bytes = xcalloc(size + 1, 1);
    if (size > 0)
        memcpy(bytes, data, size);
    struct code_object code = {
        .format = CODE_HSACO, .bytes = bytes, .size_bytes = size, .source = "fuzz.hsaco"};
    code_list_kernels(&a, &code);
    for (int i = 0; i < code.kernel_count; i++)
        if (!code.kernels[i].name || !*code.kernels[i].name)
            abort();
    free(bytes);
    arena_release(&a);
    return 0;
}
