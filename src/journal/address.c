// Which journals are a server's, and how their addresses are shown: never with a password.
// SPDX-License-Identifier: Apache-2.0
#include "journal/internal.h"

#include <string.h>

// The part after "postgresql://" or "postgres://", else NULL.
static const char *after_scheme(const char *name)
{
    static const char *const schemes[] = {"postgresql://", "postgres://"};
    for (size_t i = 0; i < COUNT_OF(schemes); i++)
        if (str_starts_with(name, schemes[i]))
            return name + strlen(schemes[i]);
    return NULL;
}

bool journal_is_address(const char *name)
{
    return after_scheme(name) != NULL;
}

char *journal_shown_within(struct arena *a, const char *text)
{
    struct text out = {0};
    while (*text) {
        size_t length = after_scheme(text) ? strcspn(text, " \t\n'\"`") : 1;
        if (length > 1)
            text_add(&out, journal_shown(a, arena_strndup(a, text, length)));
        else
            text_addn(&out, text, 1);
        text += length;
    }
    char *shown = arena_strdup(a, text_str(&out));
    text_release(&out);
    return shown;
}

// What follows the first colon up to the last '@' goes, and so do the settings after '?', which may hold a password
// too. A password that should have been percent-encoded ('/', '?', '@') is cut out whole all the same.
char *journal_shown(struct arena *a, const char *name)
{
    const char *rest = after_scheme(name);
    if (!rest)
        return arena_strdup(a, name);
    const char *at = strrchr(rest, '@'), *colon = strchr(rest, ':');
    const char *host = at ? at : rest;
    size_t user_length = at ? (size_t)((colon && colon < at ? colon : at) - rest) : 0;
    size_t host_length = strcspn(host, "?");
    return arena_printf(a, "postgresql://%.*s%.*s", (int)user_length, rest, (int)host_length, host);
}
