// Instructions by source line as text: "=FILE" where the file changes, "LINE INSTRUCTION" for each instruction.
// SPDX-License-Identifier: Apache-2.0
#include "record/record.h"

#include <stdlib.h>
#include <string.h>

void listing_add(struct text *listing, const char **last_file, const char *file, int line,
                 const char *instruction)
{
    if (!*last_file || strcmp(*last_file, file) != 0)
        text_printf(listing, "=%s\n", file);
    *last_file = file;
    text_printf(listing, "%d %s\n", line, instruction);
}

bool listing_next(const char **at, struct listing_row *row)
{
    while (**at) {
        const char *line = *at;
        size_t bytes = strcspn(line, "\n");
        *at = line + bytes + (line[bytes] == '\n');
        if (*line == '=') {
            row->file = line + 1;
            row->file_bytes = bytes - 1;
            continue;
        }
        char *rest = NULL;
        long number = strtol(line, &rest, 10);
        if (!row->file || number <= 0 || number > INT32_MAX || *rest != ' ')
            continue;
        row->line = (int)number;
        row->text = rest + 1;
        row->text_bytes = (size_t)(line + bytes - row->text);
        return true;
    }
    return false;
}

// Cases of a variant have code of their own where parameters are defined for the compiler.
const char *listing_path(struct arena *a, const struct result *r)
{
    return arena_printf(a, "instructions/%s/%s", r->code_key, r->variant);
}

const char *run_listing(const struct run *r, const struct result *it)
{
    struct arena a = {0};
    const char *path = listing_path(&a, it), *found = NULL;
    for (int i = 0; i < r->source_count && !found; i++)
        if (str_ends_with(r->sources[i].path, path)) // the run's folder may stand before it
            found = r->sources[i].text;
    arena_release(&a);
    return found;
}
