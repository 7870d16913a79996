// The lexer: words, dotted words, numbers, strings; comments and white space are passed over.
// SPDX-License-Identifier: Apache-2.0
#include "ptx/internal.h"

#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}
static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}
static int hex_value(char c)
{
    if (is_digit(c))
        return c - '0';
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

struct location ptx_lexer_location(const struct lexer *x, const struct token *t)
{
    return (struct location){x->name, t->line, t->column, x->text};
}

static bool lexer_fail(const struct lexer *x, const struct token *t, const char *what,
                       struct error *err)
{
    return fail(err, ptx_lexer_location(x, t), "%s", what);
}

static void newline(struct lexer *x)
{
    x->line++;
    x->line_start = x->at + 1;
}

static bool skip_blank(struct lexer *x, struct token *t, struct error *err)
{
    for (; x->at < x->end; x->at++) {
        char c = *x->at;
        if (c == '\n') {
            newline(x);
        } else if (c == '/' && x->at[1] == '/') {
            while (x->at + 1 < x->end && x->at[1] != '\n')
                x->at++;
        } else if (c == '/' && x->at[1] == '*') {
            *t = (struct token){.line = x->line, .column = (int)(x->at - x->line_start) + 1};
            for (x->at += 2; x->at < x->end && !(x->at[0] == '*' && x->at[1] == '/'); x->at++)
                if (*x->at == '\n')
                    newline(x);
            if (x->at >= x->end)
                return lexer_fail(x, t, "the comment that starts here has no end", err);
            x->at++;
        } else if (c != ' ' && c != '\t' && c != '\r') {
            break;
        }
    }
    return true;
}

// 0f and 0d with the bits in hexadecimal.
static bool lex_float_bits(struct lexer *x, struct token *t, int digits, struct error *err)
{
    t->kind = TOKEN_FLOAT;
    t->float_type = digits == 8 ? PTX_TYPE_F32 : PTX_TYPE_F64;
    x->at += 2;
    for (int i = 0; i < digits; i++, x->at++) {
        int v = x->at < x->end ? hex_value(*x->at) : -1;
        if (v < 0)
            return lexer_fail(x, t,
                              digits == 8 ? "0f needs 8 hexadecimal digits"
                                          : "0d needs 16 hexadecimal digits",
                              err);
        t->bits = t->bits << 4 | (uint64_t)v;
    }
    return true;
}

static bool lex_decimal_float(struct lexer *x, struct token *t)
{
    const char *p = x->at;
    while (is_digit(*p))
        p++;
    bool point = *p == '.' && is_digit(p[1]);
    if (point)
        for (p++; is_digit(*p);)
            p++;
    bool exponent = (*p == 'e' || *p == 'E') &&
                    (is_digit(p[1]) || ((p[1] == '-' || p[1] == '+') && is_digit(p[2])));
    if (!point && !exponent)
        return false;
    if (exponent)
        for (p += 2; is_digit(*p);)
            p++;
    char number[64];
    size_t n = (size_t)(p - x->at);
    double value = 0;
    if (n >= sizeof number)
        return false;
    memcpy(number, x->at, n);
    number[n] = 0;
    if (!str_to_double(number, &value))
        return false;
    t->kind = TOKEN_FLOAT;
    t->float_type = PTX_TYPE_F64;
    memcpy(&t->bits, &value, sizeof value);
    x->at = p;
    return true;
}

static bool lex_number(struct lexer *x, struct token *t, struct error *err)
{
    char second = (char)(x->at[1] | 0x20);
    int base = 10;
    if (*x->at == '0' && (second == 'f' || second == 'd') && hex_value(x->at[2]) >= 0)
        return lex_float_bits(x, t, second == 'f' ? 8 : 16, err);
    if (lex_decimal_float(x, t))
        return true;
    t->kind = TOKEN_INTEGER;
    if (*x->at == '0' && (second == 'x' || second == 'b')) {
        base = second == 'x' ? 16 : 2;
        x->at += 2;
    } else if (*x->at == '0') {
        base = 8;
    }
    for (; x->at < x->end; x->at++) {
        int v = hex_value(*x->at);
        if (v < 0)
            break;
        if (v >= base)
            return lexer_fail(x, t, "this digit does not fit the number's base", err);
        if (t->bits > (UINT64_MAX - (uint64_t)v) / (uint64_t)base)
            return lexer_fail(x, t, "the number does not fit 64 bits", err);
        t->bits = t->bits * (uint64_t)base + (uint64_t)v;
    }
    if (*x->at == 'U')
        x->at++;
    return true;
}

static void lex_word(struct lexer *x, bool dotted)
{
    while (x->at < x->end && (is_letter(*x->at) || is_digit(*x->at) ||
                              (dotted && x->at[0] == ':' && x->at[1] == ':')))
        x->at += *x->at == ':' ? 2 : 1;
}

bool ptx_lexer_next(struct lexer *x, struct token *t, struct error *err)
{
    if (!skip_blank(x, t, err))
        return false;
    *t = (struct token){.text = x->at, .line = x->line, .column = (int)(x->at - x->line_start) + 1};
    if (x->at >= x->end)
        return true;
    char c = *x->at;
    bool ok = true;
    if (is_letter(c)) {
        t->kind = TOKEN_NAME;
        lex_word(x, false);
    } else if (c == '.' && (is_letter(x->at[1]) || is_digit(x->at[1]))) {
        t->kind = TOKEN_DOT;
        x->at++;
        t->text++;
        lex_word(x, true);
    } else if (is_digit(c)) {
        ok = lex_number(x, t, err);
    } else if (c == '"') {
        t->kind = TOKEN_STRING;
        t->text++;
        for (x->at++; x->at < x->end && *x->at != '"' && *x->at != '\n'; x->at++)
            x->at += x->at[0] == '\\' && x->at + 1 < x->end && x->at[1] != '\n';
        if (x->at >= x->end || *x->at == '\n')
            return lexer_fail(x, t, "the string that starts here has no end", err);
        t->length = (size_t)(x->at++ - t->text);
        return true;
    } else if (c == 0) {
        return lexer_fail(x, t, "a NUL byte: this is no PTX text", err);
    } else {
        t->kind = TOKEN_PUNCTUATION;
        x->at++;
    }
    t->length = (size_t)(x->at - t->text);
    return ok;
}
