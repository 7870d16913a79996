// Places in a CUDA source: kernels, parameters, loops, by tokens. What is not understood is not there.
// SPDX-License-Identifier: Apache-2.0
#include "advise/internal.h"

#include <string.h>

static const char *at_token(const struct token_list *t, size_t i)
{
    return t->text + t->items[i].begin;
}

static size_t length_of(const struct token_list *t, size_t i)
{
    return t->items[i].end - t->items[i].begin;
}

int token_line(const struct token_list *t, size_t i)
{
    int line = 1;
    for (size_t k = 0; k < t->items[i].begin; k++)
        line += t->text[k] == '\n';
    return line;
}

bool token_same(const struct token_list *t, size_t i, size_t j)
{
    return length_of(t, i) == length_of(t, j) &&
           memcmp(at_token(t, i), at_token(t, j), length_of(t, i)) == 0;
}

char *token_text(struct arena *a, const struct token_list *t, size_t i)
{
    return arena_strndup(a, at_token(t, i), length_of(t, i));
}

char *span_text(struct arena *a, const struct token_list *t, struct span s)
{
    if (s.first >= s.last)
        return arena_strdup(a, "");
    return arena_strndup(a, at_token(t, s.first),
                         t->items[s.last - 1].end - t->items[s.first].begin);
}

bool token_pair(const struct token_list *t, size_t i, const char *two)
{
    return token_is(t, i, two[0]) && token_is(t, i + 1, two[1]) &&
           t->items[i].end == t->items[i + 1].begin;
}

bool word_within(const struct token_list *t, struct span in, size_t word)
{
    for (size_t i = in.first; i < in.last; i++)
        if (t->items[i].kind == TOKEN_WORD && i != word && token_same(t, i, word))
            return true;
    return false;
}

// "=" that is no part of "==", "<=", ">=", "!=".
static bool is_assignment(const struct token_list *t, size_t i)
{
    static const char *const comparisons[] = {"==", "<=", ">=", "!="};
    if (!token_is(t, i, '='))
        return false;
    for (size_t k = 0; k < COUNT_OF(comparisons); k++)
        if (i > 0 && token_pair(t, i - 1, comparisons[k])) {
            bool shifts = k > 0 && k < 3 && i > 1 && token_is(t, i - 2, comparisons[k][0]);
            return shifts; // "<<=" and ">>=" assign
        }
    return !token_pair(t, i, "==");
}

bool word_is_assigned(const struct token_list *t, size_t i)
{
    size_t next = i + 1;
    if (token_pair(t, next, "++") || token_pair(t, next, "--"))
        return true;
    if (is_assignment(t, next))
        return true;
    for (size_t k = next; k < next + 3 && k < t->count; k++) {
        if (t->items[k].kind != TOKEN_MARK || strchr("+-*/%&|^<>=", *at_token(t, k)) == NULL)
            return false;
        if (k > next && is_assignment(t, k))
            return t->items[k].begin == t->items[k - 1].end;
    }
    return false;
}

bool word_changes(const struct token_list *t, struct span in, size_t word)
{
    for (size_t i = in.first; i < in.last; i++) {
        if (t->items[i].kind != TOKEN_WORD || i == word || !token_same(t, i, word))
            continue;
        bool stepped = i >= 2 && (token_pair(t, i - 2, "++") || token_pair(t, i - 2, "--"));
        bool address = i >= 1 && token_is(t, i - 1, '&') && !(i >= 2 && token_pair(t, i - 2, "&&"));
        if (stepped || address || word_is_assigned(t, i))
            return true;
    }
    return false;
}

bool word_in_macro(const struct token_list *t, size_t word)
{
    size_t length = length_of(t, word);
    for (size_t i = 0; i < t->count; i++) {
        const char *after = NULL, *at = at_token(t, i), *end = t->text + t->items[i].end;
        if (t->items[i].kind != TOKEN_DIRECTIVE || directive_word(at, &after) != strlen("define") ||
            strncmp(after - strlen("define"), "define", strlen("define")) != 0)
            continue;
        struct token_list words;
        bool found = false;
        tokens_read(after, (size_t)(end - after), &words);
        for (size_t k = 0; k < words.count; k++)
            found |= words.items[k].end - words.items[k].begin == length &&
                     memcmp(after + words.items[k].begin, at_token(t, word), length) == 0;
        tokens_release(&words);
        if (found)
            return true;
    }
    return false;
}

bool span_is_plain(const struct token_list *t, struct span s)
{
    for (size_t i = s.first; i < s.last; i++) {
        bool call = t->items[i].kind == TOKEN_WORD && i + 1 < s.last && token_is(t, i + 1, '(');
        if (call || token_pair(t, i, "++") || token_pair(t, i, "--") || is_assignment(t, i) ||
            t->items[i].kind == TOKEN_DIRECTIVE || t->items[i].kind == TOKEN_STRING)
            return false;
    }
    return s.first < s.last;
}

/* ---- kernels ------------------------------------------------------------------------------------------ */

// Of what stands before the name since the last declaration: is it marked as a kernel?
static bool is_kernel(const struct token_list *t, size_t name)
{
    for (size_t i = name; i-- > 0;) {
        if (token_is(t, i, ';') || token_is(t, i, '}') || t->items[i].kind == TOKEN_DIRECTIVE)
            return false;
        if (token_is_word(t, i, "__global__"))
            return true;
    }
    return false;
}

static bool has_conditions(const struct token_list *t, struct span s)
{
    for (size_t i = s.first; i < s.last; i++) {
        const char *after = NULL;
        if (t->items[i].kind != TOKEN_DIRECTIVE)
            continue;
        size_t length = directive_word(at_token(t, i), &after);
        if (length != strlen("pragma") || strncmp(after - length, "pragma", length) != 0)
            return true;
    }
    return false;
}

static bool kernel_read(const struct token_list *t, size_t name, struct kernel *out)
{
    size_t open = name + 1;
    if (!token_is(t, open, '(') || !is_kernel(t, name))
        return false;
    size_t close = token_closing(t, open, t->count), brace = close + 1;
    if (close >= t->count || !token_is(t, brace, '{'))
        return false;
    size_t end = token_closing(t, brace, t->count);
    if (end >= t->count)
        return false;
    *out = (struct kernel){name, {open + 1, close}, {brace + 1, end}};
    return true;
}

bool definition_find(const struct token_list *t, const char *name, struct kernel *out,
                     const char **why)
{
    int found = 0;
    struct kernel k;
    for (size_t i = 0; i < t->count; i++)
        if (token_is_word(t, i, name) && kernel_read(t, i, &k)) {
            *out = k;
            found++;
        }
    if (found != 1) {
        *why = found == 0 ? "the source does not show the kernel's definition (a macro, a header)"
                          : "the source has several definitions of the kernel";
        return false;
    }
    if (has_conditions(t, out->body) || has_conditions(t, out->parameters)) {
        *why = "conditions of the preprocessor stand in the kernel";
        return false;
    }
    return true;
}

// One parameter: a type, marks of pointers and references, a name.
static bool parameter_read(const struct token_list *t, struct span s, struct parameter *out)
{
    int stars = 0;
    if (s.last < s.first + 2 || t->items[s.last - 1].kind != TOKEN_WORD)
        return false;
    for (size_t i = s.first; i + 1 < s.last; i++) {
        stars += token_is(t, i, '*');
        bool plain = t->items[i].kind == TOKEN_WORD || token_is(t, i, '*') || token_is(t, i, ':') ||
                     token_is(t, i, '<') || token_is(t, i, '>');
        if (!plain)
            return false;
    }
    *out = (struct parameter){{s.first, s.last - 1}, s.last - 1, stars == 1};
    return stars <= 1;
}

int kernel_parameters(const struct token_list *t, const struct kernel *k,
                      struct parameter out[PARAMETERS_MAX])
{
    int count = 0, depth = 0;
    size_t first = k->parameters.first;
    for (size_t i = first; i <= k->parameters.last && first < k->parameters.last; i++) {
        bool end = i == k->parameters.last;
        depth += !end && (token_is(t, i, '<') || token_is(t, i, '('));
        depth -= !end && (token_is(t, i, '>') || token_is(t, i, ')'));
        if (!end && (depth > 0 || !token_is(t, i, ',')))
            continue;
        if (count == PARAMETERS_MAX || !parameter_read(t, (struct span){first, i}, &out[count++]))
            return -1;
        first = i + 1;
    }
    return count;
}

/* ---- loops ---------------------------------------------------------------------------------------------- */

// The semicolon that ends the part of a header or a statement, no bracket open; end: none.
static size_t semicolon(const struct token_list *t, size_t i, size_t end)
{
    for (; i < end; i++) {
        if (token_is(t, i, ';'))
            return i;
        if (token_is(t, i, '(') || token_is(t, i, '[') || token_is(t, i, '{')) {
            i = token_closing(t, i, end);
            if (i >= end)
                return end;
        }
    }
    return end;
}

bool loop_read(const struct token_list *t, size_t at, size_t end, struct loop *out)
{
    static const char *const compound[] = {"for", "while", "if", "do", "switch", "else"};
    size_t open = at + 1;
    if (!token_is_word(t, at, "for") || !token_is(t, open, '('))
        return false;
    size_t close = token_closing(t, open, end);
    size_t one = semicolon(t, open + 1, close),
           two = one < close ? semicolon(t, one + 1, close) : close;
    size_t body = close + 1;
    if (close >= end || two >= close || body >= end)
        return false;
    *out = (struct loop){
        .at = at, .first = {open + 1, one}, .condition = {one + 1, two}, .step = {two + 1, close}};
    out->braced = token_is(t, body, '{');
    size_t last = out->braced ? token_closing(t, body, end) : semicolon(t, body, end);
    for (size_t i = 0; !out->braced && i < COUNT_OF(compound); i++)
        if (token_is_word(t, body, compound[i]))
            last = end; // a statement of its own: its end is not looked for
    out->body = out->braced ? (struct span){body + 1, last} : (struct span){body, last + 1};
    return last < end;
}

bool loop_around(const struct token_list *t, struct span in, int line, struct loop *out)
{
    bool found = false;
    for (size_t i = in.first; i < in.last; i++) {
        struct loop l;
        if (!loop_read(t, i, in.last, &l))
            continue;
        if (token_line(t, l.at) <= line &&
            line <= token_line(t, l.body.last - (l.braced ? 0 : 1))) {
            *out = l;
            found = true;
        }
    }
    return found;
}
