// Bank conflicts of arrays in shared memory: padded rows, exchanged columns.
// SPDX-License-Identifier: Apache-2.0
#include "advise/internal.h"

#include <stdlib.h>
#include <string.h>

enum { DIMENSIONS_MAX = 4 };
struct shared_array {
    size_t name;
    struct span dimension[DIMENSIONS_MAX]; // between the brackets
    int dimensions;
    int element_bytes;
};

static int bytes_of_type(const struct token_list *t, struct span type)
{
    static const struct {
        const char *name;
        int bytes;
    } types[] = {{"float", 4},  {"int", 4},    {"unsigned", 4}, {"uint32_t", 4}, {"int32_t", 4},
                 {"double", 8}, {"float2", 8}, {"int2", 8},     {"uint64_t", 8}, {"int64_t", 8}};
    int bytes = 0;
    for (size_t i = type.first; i < type.last; i++)
        for (size_t k = 0; k < COUNT_OF(types); k++)
            if (token_is_word(t, i, types[k].name))
                bytes = types[k].bytes;
    for (size_t i = type.first; i < type.last; i++)
        if (token_is_word(t, i, "short") || token_is_word(t, i, "char") ||
            token_is_word(t, i, "long") || token_is(t, i, '*'))
            return 0;
    return bytes;
}

// `__shared__ float tile[32][33];`, the only one of its declaration.
static bool shared_read(const struct token_list *t, size_t at, size_t end, struct shared_array *out)
{
    size_t i = at + 1;
    while (i < end && (t->items[i].kind == TOKEN_WORD || token_is(t, i, ':')))
        i++;
    if (i >= end || !token_is(t, i, '[') || i < at + 3)
        return false;
    *out = (struct shared_array){.name = i - 1};
    out->element_bytes = bytes_of_type(t, (struct span){at + 1, i - 1});
    while (token_is(t, i, '[') && out->dimensions < DIMENSIONS_MAX) {
        size_t close = token_closing(t, i, end);
        if (close >= end)
            return false;
        out->dimension[out->dimensions++] = (struct span){i + 1, close};
        i = close + 1;
    }
    return token_is(t, i, ';');
}

static bool is_on_line(const struct token_list *t, struct span in, size_t word, int line)
{
    for (size_t i = in.first; i < in.last; i++)
        if (t->items[i].kind == TOKEN_WORD && token_same(t, i, word) && token_line(t, i) == line)
            return true;
    return false;
}

// The array that the finding's line uses; if that names none, the only one.
static bool array_find(struct making *m, struct shared_array *out)
{
    int count = 0, named = 0;
    struct shared_array found, one = {0};
    for (size_t i = m->kernel.body.first; i < m->kernel.body.last; i++) {
        if (!token_is_word(m->t, i, "__shared__") ||
            !shared_read(m->t, i, m->kernel.body.last, &found))
            continue;
        if (is_on_line(m->t, m->kernel.body, found.name, m->finding->line)) {
            *out = found;
            named++;
        }
        one = found;
        count++;
    }
    if (named == 0 && count == 1)
        *out = one;
    if (named > 1 || (named == 0 && count != 1))
        return refuse(
            m, "the line shows no single array of shared memory that is declared in the kernel");
    if (out->dimensions < 2)
        return refuse(m,
                      "the shared array has one dimension: what its rows are only the indices say");
    return out->element_bytes > 0 ||
           refuse(m, "the shared array's elements are of no type of 4 or 8 bytes");
}

// Each use has all subscripts and nothing that would see how rows lie: no address, no pointer.
static bool uses_are_elements(struct making *m, const struct shared_array *s,
                              void (*each)(struct making *m, const struct span *subscripts))
{
    const struct token_list *t = m->t;
    char *name = token_text(m->a, t, s->name);
    if (word_in_macro(t, s->name))
        return refuse(m, "a macro uses '%s'", name);
    for (size_t i = m->kernel.body.first; i < m->kernel.body.last; i++) {
        struct span subscripts[DIMENSIONS_MAX];
        size_t next = i + 1;
        if (t->items[i].kind != TOKEN_WORD || i == s->name || !token_same(t, i, s->name))
            continue;
        bool address = token_is(t, i - 1, '&') && !token_pair(t, i - 2, "&&");
        for (int d = 0; d < s->dimensions; d++) {
            size_t close = token_is(t, next, '[') ? token_closing(t, next, m->kernel.body.last)
                                                  : m->kernel.body.last;
            if (close >= m->kernel.body.last || address)
                return refuse(
                    m,
                    "'%s' is used by its address on line %d, which rows of another length "
                    "may not fit",
                    name, token_line(t, i));
            subscripts[d] = (struct span){next + 1, close};
            next = close + 1;
        }
        if (each)
            each(m, subscripts);
    }
    return true;
}

bool patch_pad(struct making *m)
{
    struct shared_array s;
    if (!array_find(m, &s) || !uses_are_elements(m, &s, NULL))
        return false;
    struct span last = s.dimension[s.dimensions - 1];
    bool simple = last.last - last.first == 1;
    if (!simple)
        edit_before(m, last.first, "(");
    edit_after(m, last.last - 1, simple ? " + 1" : ") + 1");
    return made(
        m,
        arena_printf(m->a, "Pad the rows of '%s' by one element", token_text(m->a, m->t, s.name)),
        "Rows of one more element put the elements of a column into banks of their own.");
}

static bool number_of_bytes(const char *s, size_t n, long *out)
{
    char digits[16] = "", *end = NULL;
    if (n == 0 || n >= sizeof digits)
        return false;
    memcpy(digits, s, n);
    *out = strtol(digits, &end, 10);
    return *end == '\0';
}

// `#define TILE 32`, the only one of the name.
static bool macro_number(const struct token_list *t, size_t word, long *out)
{
    int found = 0;
    const char *name = t->text + t->items[word].begin;
    size_t length = t->items[word].end - t->items[word].begin;
    for (size_t i = 0; i < t->count; i++) {
        const char *after = NULL;
        if (t->items[i].kind != TOKEN_DIRECTIVE ||
            directive_word(t->text + t->items[i].begin, &after) != strlen("define") ||
            memcmp(after - strlen("define"), "define", strlen("define")) != 0)
            continue;
        after += strspn(after, " \t");
        if (strncmp(after, name, length) != 0 || (after[length] != ' ' && after[length] != '\t'))
            continue;
        after += length;
        after += strspn(after, " \t");
        found += number_of_bytes(after, strspn(after, "0123456789"), out) ? 1 : 2;
    }
    return found == 1;
}

// A number, or a macro or an enumerator that is one.
static bool literal_of(const struct token_list *t, struct span s, long *out)
{
    if (s.last - s.first != 1)
        return false;
    size_t begin = t->items[s.first].begin, end = t->items[s.first].end;
    if (t->items[s.first].kind == TOKEN_NUMBER)
        return number_of_bytes(t->text + begin, end - begin, out);
    if (macro_number(t, s.first, out))
        return true;
    for (size_t i = 1; i + 2 < t->count; i++) // enum { TILE = 32, … }
        if ((token_is(t, i - 1, '{') || token_is(t, i - 1, ',')) &&
            t->items[i].kind == TOKEN_WORD && token_same(t, i, s.first) &&
            token_is(t, i + 1, '=') && (token_is(t, i + 3, ',') || token_is(t, i + 3, '}')))
            return number_of_bytes(t->text + t->items[i + 2].begin,
                                   t->items[i + 2].end - t->items[i + 2].begin, out);
    return false;
}

static void swizzle_use(struct making *m, const struct span *subscripts)
{
    if (!span_is_plain(m->t, subscripts[0]) && m->out->refusal == NULL)
        (void)refuse(m, "a row's index on line %d is not plain",
                     token_line(m->t, subscripts[0].first));
    edit_before(m, subscripts[1].first, "(");
    edit_after(m, subscripts[1].last - 1,
               arena_printf(m->a, ") ^ (%s)", span_text(m->a, m->t, subscripts[0])));
}

bool patch_swizzle(struct making *m)
{
    struct shared_array s;
    long rows = 0, columns = 0;
    if (!array_find(m, &s))
        return false;
    if (s.dimensions != 2 || !literal_of(m->t, s.dimension[0], &rows) ||
        !literal_of(m->t, s.dimension[1], &columns) || rows != columns || rows < 32 ||
        (rows & (rows - 1)) != 0)
        return refuse(m, "the shared array is no square with a power of two of 32 or more rows");
    if (!uses_are_elements(m, &s, swizzle_use) || m->out->refusal)
        return false;
    return made(
        m,
        arena_printf(m->a, "Exchange the columns of '%s' by the row's bits",
                     token_text(m->a, m->t, s.name)),
        "A column's index, exclusive-or the row's, puts the elements of a column into banks of "
        "their own and takes no more shared memory.");
}
