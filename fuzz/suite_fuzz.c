// Any bytes as a suite's file: refused with its name in the message, or a name and experiments with paths.
// SPDX-License-Identifier: Apache-2.0
#include "suite/suite.h"
#include "target.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct error err = {0};
    struct suite s;
    char *text = arena_alloc(&a, size + 1); // NUL terminated, as file_read gives it
    if (size > 0)
        memcpy(text, data, size);
    bool parsed = suite_parse(&a, "suite.yaml", text, size, &s, &err);
    if (!parsed && !str_starts_with(err.message, "suite.yaml"))
        abort();
    if (parsed && (!s.name[0] || s.count < 1))
        abort();
    for (int i = 0; parsed && i < s.count; i++)
        if (!s.items[i].path)
            abort();
    arena_release(&a);
    return 0;
}
