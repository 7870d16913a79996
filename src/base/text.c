// Text: growing strings, prefixes, the nearest word for suggestions, strict numbers that no locale
// can bend.
// SPDX-License-Identifier: Apache-2.0
#include "base/base.h"

#include <ctype.h>
#include <assert.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TEXT_FIRST_CAPACITY = 64,
    NEAREST_MAX_LENGTH = 63, // longer words are no typing slips of our names
    BASE_DECIMAL = 10,
    BASE_HEX = 16,
};

void text_release(struct text *t)
{
    free(t->data);
    *t = (struct text){0};
}

void text_clear(struct text *t)
{
    t->length = 0;
    if (t->data)
        t->data[0] = '\0';
}

static void text_reserve(struct text *t, size_t more)
{
    size_t needed = t->length + more + 1;
    if (needed <= t->capacity)
        return;
    size_t grown = t->capacity ? t->capacity : TEXT_FIRST_CAPACITY;
    while (grown < needed)
        grown *= 2;
    t->data = xrealloc(t->data, grown);
    t->capacity = grown;
}

void text_addn(struct text *t, const char *s, size_t n)
{
    text_reserve(t, n);
    if (n > 0)
        memcpy(t->data + t->length, s, n);
    t->length += n;
    t->data[t->length] = '\0';
}

void text_add(struct text *t, const char *s)
{
    text_addn(t, s, strlen(s));
}

// Most pieces fit into the room there is; only then is one pass enough.
void text_vprintf(struct text *t, const char *fmt, va_list args)
{
    va_list again;
    va_copy(again, args);
    text_reserve(t, TEXT_FIRST_CAPACITY);
    size_t room = t->capacity - t->length;
    int length = vsnprintf(t->data + t->length, room, fmt, args);
    assert(length >= 0); // only a broken format string fails
    if ((size_t)length >= room) {
        text_reserve(t, (size_t)length);
        (void)vsnprintf(t->data + t->length, (size_t)length + 1, fmt, again);
    }
    t->length += (size_t)length;
    va_end(again);
}

void text_printf(struct text *t, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    text_vprintf(t, fmt, args);
    va_end(args);
}

const char *text_str(const struct text *t)
{
    return t->data ? t->data : "";
}

void str_lower(const char *s, char *out, size_t size)
{
    size_t n = 0;
    for (; s[n] && n + 1 < size; n++)
        out[n] = (char)tolower((unsigned char)s[n]);
    out[n] = '\0';
}

bool str_starts_with(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool str_ends_with(const char *s, const char *suffix)
{
    size_t length = strlen(s), tail = strlen(suffix);
    return length >= tail && strcmp(s + length - tail, suffix) == 0;
}

static char ascii_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static size_t min3(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

// Optimal string alignment distance (Damerau-Levenshtein with each piece edited once); upper and
// lower case count as equal, so "N" finds "n". Three rows suffice.
static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][NEAREST_MAX_LENGTH + 1];
    size_t *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b_length; j++) {
        before[j] = j;
        above[j] = j;
    }
    for (size_t i = 1; i <= a_length; i++) {
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            char x = ascii_lower(a[i - 1]), y = ascii_lower(b[j - 1]);
            row[j] = min3(above[j] + 1, row[j - 1] + 1, above[j - 1] + (x != y));
            bool swapped =
                i > 1 && j > 1 && x == ascii_lower(b[j - 2]) && ascii_lower(a[i - 2]) == y;
            if (swapped && before[j - 2] + 1 < row[j])
                row[j] = before[j - 2] + 1;
        }
        size_t *oldest = before;
        before = above;
        above = row;
        row = oldest;
    }
    return above[b_length];
}

const char *str_nearest(const char *word, const char *const *candidates, size_t count)
{
    size_t length = strlen(word);
    if (length == 0 || length > NEAREST_MAX_LENGTH)
        return NULL;
    const char *nearest = NULL;
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        size_t other = strlen(candidates[i]);
        if (other == 0 || other > NEAREST_MAX_LENGTH)
            continue;
        size_t longer = length > other ? length : other;
        size_t shorter = length < other ? length : other;
        size_t allowed = (longer + 2) / 3; // a third, rounded up: one slip in a short word
        if (allowed >= shorter)
            allowed = shorter - 1; // something of the word must be left
        size_t distance = edit_distance(word, length, candidates[i], other);
        if (distance <= allowed && distance < best) {
            best = distance;
            nearest = candidates[i];
        }
    }
    return nearest;
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = ascii_lower(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + BASE_DECIMAL : BASE_HEX;
}

static bool has_hex_prefix(const char *s)
{
    return s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
}

bool str_to_i64(const char *s, int64_t *out)
{
    bool negative = *s == '-';
    if (*s == '-' || *s == '+')
        s++;
    int base = BASE_DECIMAL;
    if (has_hex_prefix(s)) {
        base = BASE_HEX;
        s += 2;
    }
    if (!*s)
        return false;
    int64_t value = 0; // kept negative: the range reaches one further there
    for (; *s; s++) {
        int digit = digit_value(*s);
        if (digit >= base || __builtin_mul_overflow(value, base, &value) ||
            __builtin_sub_overflow(value, digit, &value))
            return false;
    }
    if (!negative && value == INT64_MIN)
        return false;
    *out = negative ? value : -value;
    return true;
}

static const char *skip_digits(const char *s, int base, size_t *count)
{
    for (; digit_value(*s) < base; s++)
        ++*count;
    return s;
}

// Accepts [+-] digits [. digits] [e [+-] digits], or 0x and hex digits; strtod alone would also
// take spaces, "inf", "nan" and the locale's own point.
static bool is_number(const char *s)
{
    if (*s == '-' || *s == '+')
        s++;
    size_t digits = 0;
    if (has_hex_prefix(s)) {
        s = skip_digits(s + 2, BASE_HEX, &digits);
        return digits > 0 && *s == '\0';
    }
    s = skip_digits(s, BASE_DECIMAL, &digits);
    if (*s == '.')
        s = skip_digits(s + 1, BASE_DECIMAL, &digits);
    if (digits == 0)
        return false;
    if (*s == 'e' || *s == 'E') {
        s++;
        if (*s == '-' || *s == '+')
            s++;
        size_t exponent_digits = 0;
        s = skip_digits(s, BASE_DECIMAL, &exponent_digits);
        if (exponent_digits == 0)
            return false;
    }
    return *s == '\0';
}

bool str_to_double(const char *s, double *out)
{
    if (!is_number(s))
        return false;
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); // glibc's static one: no cost
    if (!c_locale)
        return false;
    double value = strtod_l(s, NULL, c_locale);
    freelocale(c_locale);
    if (!isfinite(value))
        return false;
    *out = value;
    return true;
}
