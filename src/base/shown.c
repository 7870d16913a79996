// What of a text may be shown to a person: the one door for text of others, through which messages and
// reports go. A terminal must not be steered by a name, and what is read must be what is there.
// SPDX-License-Identifier: Apache-2.0
#include "base/internal.h"

#include <stdio.h>
#include <string.h>

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xC0U) == 0x80U;
}

// The bytes of a character: a lead byte and what continues it, right or wrong.
static size_t cluster_size(const char *s, size_t n)
{
    size_t size = 1;
    while (size < n && is_continuation(s[size]))
        size++;
    return size;
}

// Well-formed UTF-8 (RFC 3629, table in section 4), control characters of both sets included.
static bool is_utf8(const char *s, size_t size)
{
    // First and last lead byte, bytes, and the range of the second byte (0: there is none).
    static const struct {
        unsigned char lead_first, lead_last, size, second_first, second_last;
    } forms[] = {
        {0x00, 0x7F, 1, 0, 0},       {0xC2, 0xDF, 2, 0x80, 0xBF}, {0xE0, 0xE0, 3, 0xA0, 0xBF},
        {0xE1, 0xEC, 3, 0x80, 0xBF}, {0xED, 0xED, 3, 0x80, 0x9F}, {0xEE, 0xEF, 3, 0x80, 0xBF},
        {0xF0, 0xF0, 4, 0x90, 0xBF}, {0xF1, 0xF3, 4, 0x80, 0xBF}, {0xF4, 0xF4, 4, 0x80, 0x8F},
    };
    unsigned char lead = (unsigned char)s[0];
    for (size_t i = 0; i < COUNT_OF(forms); i++) {
        if (lead < forms[i].lead_first || lead > forms[i].lead_last || size != forms[i].size)
            continue;
        unsigned char second = size > 1 ? (unsigned char)s[1] : 0;
        return second >= forms[i].second_first && second <= forms[i].second_last;
    }
    return false;
}

static unsigned code_point(const char *s, size_t size)
{
    static const unsigned char lead_bits[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    unsigned code = (unsigned char)s[0] & lead_bits[size];
    for (size_t i = 1; i < size; i++)
        code = code << 6 | ((unsigned char)s[i] & 0x3FU);
    return code;
}

// Characters that do something instead of standing there (Unicode 15: categories Cc, Zl, Zp, and of Cf
// those of the bidirectional algorithm, UAX 9, and the invisible ones).
static bool is_steering(unsigned code)
{
    static const struct {
        unsigned first, last;
    } ranges[] = {
        {0x00, 0x1F},     {0x7F, 0x9F},     {0x061C, 0x061C}, {0x200B, 0x200F},
        {0x2028, 0x202E}, {0x2060, 0x206F}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB},
    };
    for (size_t i = 0; i < COUNT_OF(ranges); i++)
        if (code >= ranges[i].first && code <= ranges[i].last)
            return code != '\n' && code != '\t';
    return false;
}

const char *text_shown(const char *s, size_t n, size_t *size, char escape[ESCAPE_SIZE])
{
    *size = cluster_size(s, n);
    if (!is_utf8(s, *size)) {
        *size = 1;
        (void)snprintf(escape, ESCAPE_SIZE, "\\x%02x", (unsigned)(unsigned char)s[0]);
        return escape;
    }
    unsigned code = code_point(s, *size);
    if (!is_steering(code))
        return s;
    (void)snprintf(escape, ESCAPE_SIZE, "\\u%04x", code);
    return escape;
}

void text_add_shown(struct text *t, const char *s, size_t n)
{
    size_t size = 0;
    for (size_t i = 0; i < n; i += size) {
        char escape[ESCAPE_SIZE];
        const char *shown = text_shown(s + i, n - i, &size, escape);
        text_addn(t, shown, shown == escape ? strlen(escape) : size);
    }
}
