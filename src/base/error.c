// Errors with a place: "file:line:column: message", and with the text at hand the line itself and a
// caret under the column. A column counts characters (UTF-8 code points) from 1. Whatever a message
// quotes may come from a hostile file, so it is made printable and valid UTF-8 here.
// SPDX-License-Identifier: Apache-2.0
#include "base/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TAB_WIDTH = 4,
    QUOTE_INDENT = 4,   // columns before a quoted source line
    QUOTE_COLUMNS = 92, // longest part of a source line shown
    QUOTE_LEAD = 60,    // of those, how many lie before the caret when the line is cut
    UTF8_CONTINUATION_MASK = 0xC0,
    UTF8_CONTINUATION = 0x80,
};

static bool is_continuation(char c)
{
    return ((unsigned char)c & UTF8_CONTINUATION_MASK) == UTF8_CONTINUATION;
}

// The bytes of a character: a lead byte and what continues it, right or wrong.
static size_t cluster_size(const char *s, size_t n)
{
    size_t size = 1;
    while (size < n && is_continuation(s[size]))
        size++;
    return size;
}

// Control characters and bytes that are no UTF-8 are one question mark each, so that a caret below a
// quoted line stays where it belongs; marks of direction, which have no width, are seen as escapes.
static bool is_question(const char *s, size_t n, const char *escape, size_t *size)
{
    enum { LAST_CONTROL = 0x9F };
    bool control = escape[1] == 'u' && strtol(escape + 2, NULL, 16) <= LAST_CONTROL;
    while (escape[1] == 'x' && *size < n && is_continuation(s[*size]))
        ++*size;
    return control || escape[1] == 'x';
}

// Appends what fits, never half a character.
static void message_addn(struct error *err, const char *s, size_t n)
{
    size_t length = strlen(err->message);
    size_t size = 0;
    for (size_t i = 0; i < n; i += size) {
        char escape[ESCAPE_SIZE];
        const char *shown = text_shown(s + i, n - i, &size, escape);
        if (shown == escape && is_question(s + i, n - i, escape, &size))
            memcpy(escape, "?", sizeof "?");
        size_t added = shown == escape ? strlen(escape) : size;
        if (length + added >= sizeof err->message)
            break;
        memcpy(err->message + length, shown, added);
        length += added;
    }
    err->message[length] = '\0';
}

static void message_add(struct error *err, const char *s)
{
    message_addn(err, s, strlen(s));
}

static void message_add_place(struct error *err, struct location loc)
{
    char number[32];
    if (loc.file)
        message_add(err, loc.file);
    if (loc.line > 0) {
        (void)snprintf(number, sizeof number, "%s%d", loc.file ? ":" : "", loc.line);
        message_add(err, number);
        if (loc.column > 0) {
            (void)snprintf(number, sizeof number, ":%d", loc.column);
            message_add(err, number);
        }
    }
    if (loc.file || loc.line > 0)
        message_add(err, ": ");
}

// The start of the given line (from 1) and its length without the line end, or NULL.
static const char *source_line(const char *source, int line, size_t *length)
{
    for (int at = 1; at < line; at++) {
        source = strchr(source, '\n');
        if (!source)
            return NULL;
        source++;
    }
    *length = strcspn(source, "\n");
    if (*length > 0 && source[*length - 1] == '\r')
        --*length;
    return source;
}

static size_t next_column(size_t at, char c)
{
    if (c == '\t')
        return at + TAB_WIDTH - at % TAB_WIDTH;
    return is_continuation(c) ? at : at + 1;
}

// The column on the screen (from 0, tabs expanded) of character `column` (from 1).
static size_t display_column(const char *text, size_t length, int column)
{
    size_t at = 0;
    int character = 1;
    for (size_t i = 0; i < length; i++) {
        if (!is_continuation(text[i]) && i > 0)
            character++;
        if (character >= column)
            break;
        at = next_column(at, text[i]);
    }
    return at;
}

static void message_add_spaces(struct error *err, size_t n)
{
    while (n-- > 0)
        message_add(err, " ");
}

// Appends the part of a line that lies in display columns [first, last), tabs as spaces.
static void message_add_window(struct error *err, const char *text, size_t length, size_t first,
                               size_t last)
{
    size_t at = 0, size = 1;
    for (size_t i = 0; i < length; i += size) {
        size = cluster_size(text + i, length - i);
        size_t next = text[i] == '\t' ? next_column(at, '\t') : at + 1;
        if (at >= first && at < last) {
            if (text[i] == '\t')
                message_add_spaces(err, next - at);
            else
                message_addn(err, text + i, size);
        }
        at = next;
    }
}

static void message_add_quote(struct error *err, struct location loc)
{
    static const char cut[] = "...";
    size_t length = 0;
    const char *text = loc.line > 0 ? source_line(loc.source, loc.line, &length) : NULL;
    if (!text)
        return;
    size_t caret = display_column(text, length, loc.column);
    size_t width = 0;
    for (size_t i = 0; i < length; i++)
        width = next_column(width, text[i]);
    size_t first = caret >= QUOTE_COLUMNS ? caret - QUOTE_LEAD : 0;
    size_t last = first + QUOTE_COLUMNS;

    message_add(err, "\n");
    message_add_spaces(err, QUOTE_INDENT);
    if (first > 0)
        message_add(err, cut);
    message_add_window(err, text, length, first, last);
    if (width > last)
        message_add(err, cut);
    if (loc.column <= 0)
        return;
    message_add(err, "\n");
    message_add_spaces(err, QUOTE_INDENT + (first > 0 ? sizeof cut - 1 : 0) + caret - first);
    message_add(err, "^");
}

// What is echoed of others' text is bounded here, at the one door of all messages: a name or value of
// 4 KB must not bury what the message says.
enum { WORD_MAX = 400, VALUE_MAX = 240, VALUE_HEAD = 120, VALUE_TAIL = 40 };
static const char value_begin = 1, value_end = 2; // stand for the quotes around a value

// Copies the beginning and the end of what is longer than `most`; returns how much it wrote.
static size_t copy_ends(char *out, const char *in, size_t length, size_t most)
{
    static const char cut[] = "...";
    size_t head = VALUE_HEAD, tail = VALUE_TAIL;
    if (length <= most) {
        memmove(out, in, length);
        return length;
    }
    while (head > 0 && is_continuation(in[head])) // not within a character of UTF-8
        head--;
    while (tail > 0 && is_continuation(in[length - tail]))
        tail--;
    memmove(out, in, head);
    memcpy(out + head, cut, sizeof cut - 1);
    memmove(out + head + sizeof cut - 1, in + length - tail, tail);
    return head + sizeof cut - 1 + tail;
}

// In place: each overlong word, and each value in quotes, which is shown on one line, words and all. Text of
// others may hold the marks too: only a pair of them becomes quotes, so that nothing ever grows.
static void shorten(char *text)
{
    char *out = text;
    for (const char *in = text; *in;) {
        size_t length = strcspn(in, (char[]){' ', '\t', '\n', value_begin, '\0'});
        out += copy_ends(out, in, length, WORD_MAX);
        in += length;
        const char *end = *in == value_begin ? strchr(in, value_end) : NULL;
        if (end) {
            length = (size_t)(end - ++in);
            *out++ = '\'';
            size_t shown = copy_ends(out, in, length, VALUE_MAX);
            for (size_t i = 0; i < shown; i++)
                out[i] = out[i] == '\n' ? ' ' : out[i];
            out += shown;
            *out++ = '\'';
            in = end + 1;
        } else if (*in) {
            *out++ = *in++;
        }
    }
    *out = '\0';
}

// The format with the quotes around values, '%s' and '%.*s', marked.
static char *mark_values(const char *fmt)
{
    static const char *const quoted[] = {"'%s'", "'%.*s'"};
    char *marked = xstrdup(fmt);
    for (size_t i = 0; i < COUNT_OF(quoted); i++)
        for (char *at = marked; (at = strstr(at, quoted[i])); at++) {
            at[0] = value_begin;
            at[strlen(quoted[i]) - 1] = value_end;
        }
    return marked;
}

// The compiler cannot see that a format with other quotes is as good as the caller's.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

// The message's text; the caller frees it. Formats aside: arguments may point into err->message.
static char *PRINTF_LIKE(1, 0) format_message(const char *fmt, va_list args)
{
    char *marked = mark_values(fmt), *text = NULL;
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, marked, again);
    va_end(again);
    text = xcalloc(length > 0 ? (size_t)length + 2 : 1, 1);
    if (length > 0)
        (void)vsnprintf(text, (size_t)length + 1, marked, args);
    shorten(text);
    free(marked);
    return text;
}

#pragma GCC diagnostic pop

static void PRINTF_LIKE(4, 0) record(struct error *err, enum error_kind kind, struct location loc,
                                     const char *fmt, va_list args)
{
    char *text = format_message(fmt, args);
    err->kind = kind;
    err->message[0] = '\0';
    message_add_place(err, loc);
    message_add(err, text);
    if (loc.source)
        message_add_quote(err, loc);
    free(text);
}

void error_clear(struct error *err)
{
    err->kind = ERROR_NONE;
    err->message[0] = '\0';
}

bool fail(struct error *err, struct location loc, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    record(err, ERROR_INPUT, loc, fmt, args);
    va_end(args);
    return false;
}

bool fail_as(struct error *err, enum error_kind kind, struct location loc, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    record(err, kind, loc, fmt, args);
    va_end(args);
    return false;
}

bool fail_errno(struct error *err, int errno_value, const char *fmt, ...)
{
    char reason[256];
    va_list args;
    va_start(args, fmt);
    record(err, ERROR_SYSTEM, NOWHERE, fmt, args);
    va_end(args);
    message_add(err, ": ");
    message_add(err, strerror_r(errno_value, reason, sizeof reason)); // GNU's: returns the text
    return false;
}

bool error_context(struct error *err, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    char *text = format_message(fmt, args);
    va_end(args);
    message_add(err, "\n  ");
    message_add(err, text);
    free(text);
    return false;
}
