// Which line of source an instruction comes from: DWARF's line tables (.debug_line of DWARF 2 to 5).
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_BASE_DWARF_H
#define RIDGE_BASE_DWARF_H

#include "base/base.h"

// From `at` on, up to the next one's.
struct dwarf_place {
    uint64_t at;
    const char *file; // NULL: no line is known from here on
    int line;
};
struct dwarf_places {
    struct dwarf_place *items; // by `at`, arena-owned
    int count;
};

struct dwarf_section {
    const uint8_t *bytes; // relocated
    uint64_t size_bytes;
};
struct dwarf_sections {
    struct dwarf_section line, line_str, str;
};

// Any bytes may be given: what is not understood ends the reading, and leaves what was read before.
void dwarf_lines_read(struct arena *a, const struct dwarf_sections *s, struct dwarf_places *out);
// NULL: none is known.
const struct dwarf_place *dwarf_place_at(const struct dwarf_places *p, uint64_t at);

#endif
