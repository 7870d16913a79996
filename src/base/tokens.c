// C++ text to tokens (tokens.h).
// SPDX-License-Identifier: Apache-2.0
#include "base/tokens.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { CONDITIONS_MAX = 64 };

static bool is_word_start(char c)
{
    return isalpha((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static bool is_word_part(char c)
{
    return is_word_start(c) || isdigit((unsigned char)c);
}

static void push(struct token_list *t, enum token_kind kind, size_t begin, size_t end)
{
    struct token token = {kind, begin, end};
    VEC_PUSH(t->items, t->count, t->capacity, token);
}

static size_t after_line(const char *s, size_t at, size_t size_bytes)
{
    const char *end = memchr(s + at, '\n', size_bytes - at);
    return end ? (size_t)(end - s) : size_bytes;
}

static size_t after_comment(const char *s, size_t at, size_t size_bytes)
{
    if (at + 1 >= size_bytes || s[at] != '/')
        return at;
    if (s[at + 1] == '/')
        return after_line(s, at, size_bytes);
    if (s[at + 1] != '*')
        return at;
    for (at += 2; at + 1 < size_bytes; at++)
        if (s[at] == '*' && s[at + 1] == '/')
            return at + 2;
    return size_bytes;
}

static size_t after_quoted(const char *s, size_t at, size_t size_bytes)
{
    char quote = s[at++];
    while (at < size_bytes && s[at] != quote && s[at] != '\n')
        at += s[at] == '\\' && at + 1 < size_bytes ? 2 : 1;
    return at < size_bytes && s[at] == quote ? at + 1 : at < size_bytes ? at : size_bytes;
}

// After R"x(…)x" whose quote is at `at`.
static size_t after_raw(const char *s, size_t at, size_t size_bytes)
{
    enum { DELIMITER_MAX = 16 };
    size_t length = 0;
    while (at + 1 + length < size_bytes && !strchr("( )\\\t\v\f\n", s[at + 1 + length]))
        length++;
    if (length > DELIMITER_MAX || at + 1 + length >= size_bytes || s[at + 1 + length] != '(')
        return after_quoted(s, at, size_bytes);
    for (size_t i = at + 2 + length; i + length + 1 < size_bytes; i++)
        if (s[i] == ')' && s[i + 1 + length] == '"' && memcmp(s + i + 1, s + at + 1, length) == 0)
            return i + length + 2;
    return size_bytes;
}

// The line of a directive, with those it is spliced to and the comments that run on.
static size_t after_directive(const char *s, size_t at, size_t size_bytes)
{
    while (at < size_bytes && s[at] != '\n') {
        size_t next = after_comment(s, at, size_bytes);
        if (next != at)
            at = next;
        else if (s[at] == '\\' && at + 1 < size_bytes && s[at + 1] == '\n')
            at += 2;
        else if (s[at] == '\\' && at + 2 < size_bytes && s[at + 1] == '\r' && s[at + 2] == '\n')
            at += 3;
        else if (s[at] == '"')
            at = after_quoted(s, at, size_bytes);
        else
            at++;
    }
    return at < size_bytes ? at : size_bytes;
}

size_t directive_word(const char *line, const char **after)
{
    line += *line == '#';
    line += strspn(line, " \t");
    size_t length = 0;
    while (is_word_part(line[length]))
        length++;
    *after = line + length;
    return length;
}

static bool directive_is(const char *line, const char *word)
{
    const char *after = NULL;
    size_t length = directive_word(line, &after);
    return length == strlen(word) && memcmp(after - length, word, length) == 0;
}

static bool is_never(const char *line)
{
    const char *after = NULL;
    if (!directive_is(line, "if"))
        return false;
    (void)directive_word(line, &after);
    after += strspn(after, " \t");
    return *after == '0' && !is_word_part(after[1]) &&
           strspn(after + 1, " \t\r") == strcspn(after + 1, "\n/");
}

static bool opens_condition(const char *line)
{
    return directive_is(line, "if") || directive_is(line, "ifdef") || directive_is(line, "ifndef");
}

// From behind `#if 0` to the directive that ends or turns it.
static size_t skip_never(const char *s, size_t at, size_t size_bytes)
{
    for (size_t depth = 0; at < size_bytes; at = after_line(s, at, size_bytes)) {
        at += s[at] == '\n';
        size_t start = at + strspn(s + at, " \t");
        if (start >= size_bytes)
            return size_bytes;
        if (s[start] != '#')
            continue;
        if (opens_condition(s + start))
            depth++;
        else if (depth == 0 &&
                 (directive_is(s + start, "else") || directive_is(s + start, "elif") ||
                  directive_is(s + start, "endif")))
            return start;
        else if (directive_is(s + start, "endif"))
            depth--;
    }
    return size_bytes;
}

static size_t read_word(struct token_list *out, const char *s, size_t at, size_t size_bytes)
{
    size_t end = at;
    while (end < size_bytes && is_word_part(s[end]))
        end++;
    if (end < size_bytes && s[end] == '"' && s[end - 1] == 'R' && end - at <= 3) {
        end = after_raw(s, end, size_bytes);
        push(out, TOKEN_STRING, at, end);
        return end;
    }
    push(out, TOKEN_WORD, at, end);
    return end;
}

static size_t read_number(struct token_list *out, const char *s, size_t at, size_t size_bytes)
{
    size_t end = at + 1;
    while (end < size_bytes &&
           (is_word_part(s[end]) || s[end] == '.' ||
            (s[end] == '\'' && end + 1 < size_bytes && is_word_part(s[end + 1])) ||
            ((s[end] == '+' || s[end] == '-') && strchr("eEpP", s[end - 1]) && s[at] != '0')))
        end++;
    push(out, TOKEN_NUMBER, at, end);
    return end;
}

void tokens_read(const char *text, size_t size_bytes, struct token_list *out)
{
    bool line_start = true;
    *out = (struct token_list){.text = text};
    for (size_t at = 0; at < size_bytes;) {
        char c = text[at];
        size_t next = after_comment(text, at, size_bytes);
        if (next != at) {
            at = next;
            continue;
        }
        if (isspace((unsigned char)c) || c == '\\') {
            line_start = line_start || c == '\n';
            at++;
            continue;
        }
        if (c == '#' && line_start) {
            next = after_directive(text, at, size_bytes);
            push(out, TOKEN_DIRECTIVE, at, next);
            at = is_never(text + at) ? skip_never(text, next, size_bytes) : next;
            continue;
        }
        line_start = false;
        if (is_word_start(c)) {
            at = read_word(out, text, at, size_bytes);
        } else if (isdigit((unsigned char)c)) {
            at = read_number(out, text, at, size_bytes);
        } else if (c == '"' || c == '\'') {
            next = after_quoted(text, at, size_bytes);
            push(out, TOKEN_STRING, at, next);
            at = next;
        } else {
            push(out, TOKEN_MARK, at, at + 1);
            at++;
        }
    }
}

void tokens_release(struct token_list *t)
{
    free(t->items);
    *t = (struct token_list){0};
}

bool token_is_word(const struct token_list *t, size_t i, const char *word)
{
    if (i >= t->count || t->items[i].kind != TOKEN_WORD)
        return false;
    size_t length = t->items[i].end - t->items[i].begin;
    return strlen(word) == length && memcmp(t->text + t->items[i].begin, word, length) == 0;
}

size_t token_skip(const struct token_list *t, size_t i)
{
    while (i < t->count && t->items[i].kind == TOKEN_DIRECTIVE)
        i++;
    return i;
}

size_t token_closing(const struct token_list *t, size_t i, size_t end)
{
    char open = t->text[t->items[i].begin];
    char close = open == '(' ? ')' : open == '[' ? ']' : '}';
    size_t depth = 0, saved[CONDITIONS_MAX], conditions = 0;
    for (; i < end; i++) {
        const char *at = t->text + t->items[i].begin;
        if (t->items[i].kind == TOKEN_DIRECTIVE) {
            if (opens_condition(at)) {
                if (conditions < CONDITIONS_MAX)
                    saved[conditions] = depth;
                conditions++;
            } else if (conditions > 0 && conditions <= CONDITIONS_MAX &&
                       (directive_is(at, "else") || directive_is(at, "elif"))) {
                depth = saved[conditions - 1];
            } else if (conditions > 0 && directive_is(at, "endif")) {
                conditions--;
            }
        } else if (t->items[i].kind == TOKEN_MARK) {
            depth += *at == open;
            if (*at == close && --depth == 0)
                return i;
        }
    }
    return end;
}
