// Any bytes as the name of a kernel in the code and, after a line end, as the name that was asked for: the plain
// name is text, and a name always matches itself and the plain name that ridge shows for it.
// SPDX-License-Identifier: Apache-2.0
#include "device/internal.h"
#include "target.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    char *name = arena_strndup(&a, (const char *)data, size);
    char *wanted = name + strcspn(name, "\n");
    if (*wanted != '\0')
        *wanted++ = '\0';
    const char *plain = kernel_plain_name(&a, name);
    if (kernel_matches(&a, name, name) != MATCH_CODE)
        abort();
    if (kernel_matches(&a, name, plain) == MATCH_NONE)
        abort();
    enum kernel_match match = kernel_matches(&a, name, wanted);
    if (match >= MATCH_COUNT)
        abort();
    arena_release(&a);
    return 0;
}
