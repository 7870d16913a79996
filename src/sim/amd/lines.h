// Which line of source an instruction comes from: DWARF's line tables (.debug_line of DWARF 2 to 5).
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_AMD_LINES_H
#define RIDGE_SIM_AMD_LINES_H

#include "base/base.h"

// From `at` on, up to the next one's.
struct amd_place {
    uint64_t at;
    const char *file; // NULL: no line is known from here on
    int line;
};
struct amd_places {
    struct amd_place *items; // by `at`, arena-owned
    int count;
};

struct lines_section {
    const uint8_t *bytes; // relocated
    uint64_t size_bytes;
};
struct lines_sections {
    struct lines_section line, line_str, str;
};

// Any bytes may be given: what is not understood ends the reading, and leaves what was read before.
void amd_lines_read(struct arena *a, const struct lines_sections *s, struct amd_places *out);
// NULL: none is known.
const struct amd_place *amd_place_at(const struct amd_places *p, uint64_t at);

#endif
