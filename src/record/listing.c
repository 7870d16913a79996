// Instructions by source line as text: "=FILE" where the file changes, "LINE INSTRUCTION" for each instruction. PTX first; then
// "+SASS" and machine code, or "-SASS WHY".
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

static const char machine_follows[] = "+SASS", no_machine[] = "-SASS ";

void listing_begin_machine(struct text *listing, const char **last_file, const char *why)
{
    *last_file = NULL;
    if (why)
        text_printf(listing, "%s%s\n", no_machine, why);
    else
        text_printf(listing, "%s\n", machine_follows);
}

const char *listing_why_no_machine(const char *listing, size_t *bytes)
{
    for (const char *at = listing; at && *at; at += strcspn(at, "\n"), at += *at == '\n')
        if (str_starts_with(at, no_machine)) {
            at += sizeof no_machine - 1;
            *bytes = strcspn(at, "\n");
            return at;
        }
    return NULL;
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
        if (str_starts_with(line, machine_follows)) {
            row->machine = true;
            row->file = NULL;
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
