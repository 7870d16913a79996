// Markup whose %s are escaped: what a writer puts into a page is harmless unless it says otherwise.
// The conversions of printf that the writers use, each handed on with its own argument.
// SPDX-License-Identifier: Apache-2.0
#include "report/internal.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

enum { SPEC_SIZE = 16 };

// One conversion. Its format was checked where the whole was written down.
static void add_one(struct text *out, const char *spec, ...)
{
    va_list args;
    va_start(args, spec);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    text_vprintf(out, spec, args);
#pragma GCC diagnostic pop
    va_end(args);
}

static void add_string(struct text *out, const char *spec, const char *s, escape_function escape)
{
    struct text whole = {0};
    add_one(&whole, spec, s ? s : "-");
    escape(out, text_str(&whole));
    text_release(&whole);
}

void text_vprintf_escaped(struct text *out, escape_function escape, const char *fmt, va_list args)
{
    for (;;) {
        size_t plain = strcspn(fmt, "%");
        text_addn(out, fmt, plain);
        fmt += plain;
        if (*fmt == '\0')
            return;
        char spec[SPEC_SIZE] = {0};
        size_t n = 1 + strcspn(fmt + 1, "%csdiuxfeg"); // what a conversion ends with
        assert(fmt[n] != '\0' && n + 1 < sizeof spec && !memchr(fmt, '*', n));
        memcpy(spec, fmt, n + 1);
        const char *size = spec + strcspn(spec, "lz");
        if (spec[n] == '%')
            text_add(out, "%");
        else if (spec[n] == 's')
            add_string(out, spec, va_arg(args, const char *), escape);
        else if (spec[n] == 'f' || spec[n] == 'e' || spec[n] == 'g')
            add_one(out, spec, va_arg(args, double));
        else if (size[0] == 'l' && size[1] == 'l')
            add_one(out, spec, va_arg(args, long long));
        else if (*size == 'l')
            add_one(out, spec, va_arg(args, long));
        else if (*size == 'z')
            add_one(out, spec, va_arg(args, size_t));
        else
            add_one(out, spec, va_arg(args, int));
        fmt += n + 1;
    }
}
