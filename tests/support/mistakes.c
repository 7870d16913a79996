// SPDX-License-Identifier: Apache-2.0
#include "support/mistakes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

char *with_mistake(struct arena *a, const char *right, const struct mistake *m)
{
    const char *at = strstr(right, m->what);
    if (!at)
        fail_msg("'%s' is not in the file", m->what);
    return arena_printf(a, "%.*s%s%s", (int)(at - right), right, m->instead, at + strlen(m->what));
}

void mistakes_are_said(struct arena *a, const char *path, const char *right,
                       const struct mistake *mistakes, size_t count, mistake_reader read)
{
    int wrong = 0;
    for (size_t i = 0; i < count; i++) {
        const struct mistake *m = &mistakes[i];
        struct error err = {0};
        bool good = read(a, path, with_mistake(a, right, m), &err);
        const char *wanted = arena_printf(a, "%s:%d:%d: %s", path, m->line, m->column, m->message);
        // without the quoted line and the caret below it
        const char *said = arena_strndup(a, err.message, strcspn(err.message, "\n"));
        if (!good && err.kind == ERROR_INPUT && strcmp(said, wanted) == 0)
            continue;
        wrong++;
        print_message("'%s' for '%s'\n  wanted: %s\n  said:   %s\n", m->instead, m->what, wanted,
                      good ? "nothing" : said);
    }
    assert_int_equal(wrong, 0);
}
