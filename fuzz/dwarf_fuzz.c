// Any bytes as DWARF's line tables, with the same bytes as their strings: what is read is in order, and every place has
// a file or none.
// SPDX-License-Identifier: Apache-2.0
#include "base/dwarf.h"
#include "target.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    const struct dwarf_section all = {data, size};
    const struct dwarf_sections s = {all, all, all};
    struct dwarf_places p;
    dwarf_lines_read(&a, &s, &p);
    for (int i = 0; i < p.count; i++) {
        const struct dwarf_place *at = dwarf_place_at(&p, p.items[i].at);
        if ((i > 0 && p.items[i].at < p.items[i - 1].at) || (at && (at->line < 1 || !*at->file)))
            abort();
    }
    arena_release(&a);
    return 0;
}
