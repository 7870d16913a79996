// Any bytes as DWARF's line tables, with the same bytes as their strings: what is read is in order, and every place has
// a file or none.
// SPDX-License-Identifier: Apache-2.0
#include "sim/amd/lines.h"
#include "target.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    const struct lines_section all = {data, size};
    const struct lines_sections s = {all, all, all};
    struct amd_places p;
    amd_lines_read(&a, &s, &p);
    for (int i = 0; i < p.count; i++) {
        const struct amd_place *at = amd_place_at(&p, p.items[i].at);
        if ((i > 0 && p.items[i].at < p.items[i - 1].at) || (at && (at->line < 1 || !*at->file)))
            abort();
    }
    arena_release(&a);
    return 0;
}
