// Any bytes as a file of measured roofs: refused with a message, or every figure is positive or absent.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/roofs.h"
#include "target.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct error err = {0};
    struct roofs roofs = {0};
    char *text = arena_alloc(&a, size + 1); // NUL terminated, as file_read gives it
    if (size > 0)
        memcpy(text, data, size);
    bool parsed = roofs_parse(&a, "roofs.yaml", text, size, &roofs, &err);
    if (!parsed && err.message[0] == '\0')
        abort();
    for (int i = 0; parsed && i < ROOF_COUNT; i++)
        if (!isnan(roofs.value[i]) && !(roofs.value[i] > 0))
            abort();
    arena_release(&a);
    return 0;
}
