// Any bytes as a cubin: functions have names, and a place found has a file and a line.
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cubin.h"
#include "target.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct error err = {0};
    struct cubin_lines c;
    if (cubin_lines_read(&a, data, size, &c, &err))
        for (int i = 0; i < c.function_count; i++)
            for (uint64_t at = 0; at < 256; at += 16) {
                const struct dwarf_place *p = cubin_place_at(&c, c.functions[i].name, at);
                if (p && (!p->file || p->line < 1))
                    abort();
            }
    arena_release(&a);
    return 0;
}
