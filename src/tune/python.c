// Python's expressions, as far as T1 files use them: parsed to a tree by recursive descent, evaluated over names.
// SPDX-License-Identifier: Apache-2.0
#include "tune/python_tree.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 60, ARGUMENTS_MAX = PY_LIST_MAX };

/* ---- reading ------------------------------------------------------------------------------------ */

struct reader {
    struct arena *a;
    const char *text, *s;
    struct location at;
    int depth;
    struct error *err;
};

static struct py_expression *read_or(struct reader *r);
static struct py_expression *read_whole(struct reader *r);

static struct py_expression *refuse(struct reader *r, const char *what)
{
    if (r->err->kind == ERROR_NONE)
        fail(r->err, r->at, "'%.200s': %s at '%.40s': expressions are a subset of Python's",
             r->text, what, r->s);
    return NULL;
}

static void skip(struct reader *r)
{
    r->s += strspn(r->s, " \t\r\n");
}

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

// A word of letters, or signs; a longer one is another.
static bool take(struct reader *r, const char *word)
{
    size_t n = strlen(word);
    skip(r);
    if (strncmp(r->s, word, n) != 0 || (is_letter(word[0]) && is_letter(r->s[n])))
        return false;
    r->s += n;
    return true;
}

static struct py_expression *make(struct reader *r, enum op op, int count)
{
    struct py_expression *e = ARENA_NEW(r->a, struct py_expression);
    e->op = op;
    e->at = r->at;
    e->count = count;
    e->items = ARENA_ARRAY(r->a, struct py_expression *, count + 1);
    return e;
}

static struct py_expression *make_two(struct reader *r, enum op op, struct py_expression *left,
                                      struct py_expression *right)
{
    if (!left || !right)
        return NULL;
    struct py_expression *e = make(r, op, 2);
    e->items[0] = left;
    e->items[1] = right;
    return e;
}

static struct py_expression *read_number(struct reader *r)
{
    size_t n = strspn(r->s, "0123456789.");
    if (r->s[n] == 'e' || r->s[n] == 'E') {
        n += 1 + strspn(r->s + n + 1, "+-");
        n += strspn(r->s + n, "0123456789");
    }
    const char *word = arena_strndup(r->a, r->s, n);
    struct py_expression *e = make(r, OP_CONSTANT, 0);
    struct py_value *v = &e->constant;
    v->kind = PY_INTEGER;
    if (!str_to_i64(word, &v->i)) {
        v->kind = PY_REAL;
        if (!str_to_double(word, &v->d) || !isfinite(v->d))
            return refuse(r, "this is no number");
    }
    r->s += n;
    return e;
}

static struct py_expression *read_string(struct reader *r)
{
    char quote = *r->s;
    size_t n = strcspn(r->s + 1, quote == '"' ? "\"\\" : "'\\");
    if (r->s[1 + n] != quote)
        return refuse(r, "a string that does not end, or has a backslash,");
    struct py_expression *e = make(r, OP_CONSTANT, 0);
    e->constant = (struct py_value){.kind = PY_STRING, .s = arena_strndup(r->a, r->s + 1, n)};
    r->s += n + 2;
    return e;
}

static const char *read_name(struct reader *r)
{
    size_t n = 0;
    skip(r);
    while (is_letter(r->s[n]))
        n++;
    const char *name = arena_strndup(r->a, r->s, n);
    r->s += n;
    return name;
}

// Behind an item there is a comma, or the bracket.
static bool take_comma(struct reader *r, const char *close)
{
    skip(r);
    return take(r, ",") || *r->s == *close || refuse(r, "a comma or a bracket is missing");
}

// What stands between brackets, up to `close`: items of a list behind the first (NULL: it is still to come), or the
// arguments of a call.
static struct py_expression *read_items(struct reader *r, enum op op, struct py_expression *first,
                                        const char *close)
{
    struct py_expression **items = NULL;
    size_t count = 0, capacity = 0;
    bool good = true;
    if (first) {
        VEC_PUSH(items, count, capacity, first);
        good = take_comma(r, close);
    }
    while (good && !take(r, close)) {
        struct py_expression *item = count < ARGUMENTS_MAX ? read_whole(r) : refuse(r, "too much");
        good = item && take_comma(r, close);
        if (item)
            VEC_PUSH(items, count, capacity, item);
    }
    struct py_expression *e = good ? make(r, op, (int)count) : NULL;
    if (e && count > 0)
        memcpy(e->items, items, count * sizeof(struct py_expression *));
    free(items);
    return e;
}

// x for i in range(3) if i > 1], behind x and `for`.
static struct py_expression *read_each(struct reader *r, struct py_expression *what)
{
    struct py_expression *e = make(r, OP_EACH, 2);
    e->name = read_name(r);
    e->items[0] = what;
    if (!*e->name || !take(r, "in"))
        return refuse(r, "'for NAME in' is missing");
    e->items[1] = read_or(r);
    if (!e->items[1])
        return NULL;
    if (take(r, "if")) {
        e->items[2] = read_or(r);
        if (!e->items[2])
            return NULL;
        e->count = 3;
    }
    return take(r, "]") ? e : refuse(r, "']' is missing");
}

static struct py_expression *read_list(struct reader *r)
{
    if (take(r, "]"))
        return make(r, OP_LIST, 0);
    struct py_expression *first = read_whole(r);
    if (!first)
        return NULL;
    return take(r, "for") ? read_each(r, first) : read_items(r, OP_LIST, first, "]");
}

static struct py_expression *read_word(struct reader *r)
{
    static const char *const functions[] = {"min", "max", "abs", "int", "len", "range", "list"};
    const char *name = read_name(r);
    struct py_expression *e = make(r, OP_NAME, 0);
    e->name = name;
    if (strcmp(name, "True") == 0 || strcmp(name, "False") == 0) {
        e->op = OP_CONSTANT;
        e->constant = (struct py_value){.kind = PY_INTEGER, .i = name[0] == 'T'};
        return e;
    }
    if (!take(r, "("))
        return e;
    for (size_t i = 0; i < COUNT_OF(functions); i++)
        if (strcmp(functions[i], name) == 0) {
            e = read_items(r, OP_CALL, NULL, ")");
            if (e)
                e->name = functions[i];
            return e;
        }
    return refuse(r, "this function is not known");
}

static struct py_expression *read_atom(struct reader *r)
{
    skip(r);
    if (take(r, "(")) {
        struct py_expression *e = read_whole(r);
        return !e || take(r, ")") ? e : refuse(r, "')' is missing");
    }
    if (take(r, "["))
        return read_list(r);
    if (*r->s == '"' || *r->s == '\'')
        return read_string(r);
    if (isdigit((unsigned char)*r->s) || *r->s == '.')
        return read_number(r);
    return is_letter(*r->s) ? read_word(r) : refuse(r, "a value is missing");
}

static struct py_expression *read_unary(struct reader *r);

// Binds to the right, and closer than a sign before it: -2**2 is -4.
static struct py_expression *read_power(struct reader *r)
{
    struct py_expression *e = read_atom(r);
    return e && take(r, "**") ? make_two(r, OP_POWER, e, read_unary(r)) : e;
}

static struct py_expression *read_unary(struct reader *r)
{
    struct py_expression *e = NULL;
    if (++r->depth > DEPTH_MAX)
        return refuse(r, "too deep");
    if (take(r, "-")) {
        struct py_expression *of = read_unary(r);
        e = of ? make(r, OP_NEGATE, 1) : NULL;
        if (e)
            e->items[0] = of;
    } else {
        e = take(r, "+") ? read_unary(r) : read_power(r);
    }
    r->depth--;
    return e;
}

static struct py_expression *read_product(struct reader *r)
{
    struct py_expression *e = read_unary(r);
    while (e) {
        if (take(r, "//"))
            e = make_two(r, OP_FLOOR, e, read_unary(r));
        else if (take(r, "/"))
            e = make_two(r, OP_DIVIDE, e, read_unary(r));
        else if (take(r, "%"))
            e = make_two(r, OP_REMAINDER, e, read_unary(r));
        else if (take(r, "*"))
            e = make_two(r, OP_MULTIPLY, e, read_unary(r));
        else
            break;
    }
    return e;
}

static struct py_expression *read_sum(struct reader *r)
{
    struct py_expression *e = read_product(r);
    while (e) {
        if (take(r, "+"))
            e = make_two(r, OP_ADD, e, read_product(r));
        else if (take(r, "-"))
            e = make_two(r, OP_SUBTRACT, e, read_product(r));
        else
            break;
    }
    return e;
}

static bool take_compare(struct reader *r, enum compare *out)
{
    static const struct {
        const char *word;
        enum compare compare;
    } words[] = {{"==", CMP_EQ}, {"!=", CMP_NE}, {"<=", CMP_LE}, {">=", CMP_GE},
                 {"<", CMP_LT},  {">", CMP_GT},  {"in", CMP_IN}};
    const char *before = r->s;
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (take(r, words[i].word)) {
            *out = words[i].compare;
            return true;
        }
    if (take(r, "not") && take(r, "in")) {
        *out = CMP_NOT_IN;
        return true;
    }
    r->s = before;
    return false;
}

static struct py_expression *read_comparison(struct reader *r)
{
    enum { CHAIN_MAX = 16 };
    struct py_expression *e = read_sum(r), *chain = NULL;
    enum compare compare;
    while (e && take_compare(r, &compare)) {
        if (!chain) {
            chain = make(r, OP_COMPARE, CHAIN_MAX);
            chain->compares = ARENA_ARRAY(r->a, enum compare, CHAIN_MAX);
            chain->items[0] = e;
            chain->count = 1;
        }
        if (chain->count == CHAIN_MAX)
            return refuse(r, "too many comparisons");
        struct py_expression *next = read_sum(r);
        if (!next)
            return NULL;
        chain->compares[chain->count] = compare;
        chain->items[chain->count++] = next;
    }
    return chain ? chain : e;
}

static struct py_expression *read_not(struct reader *r)
{
    if (!take(r, "not"))
        return read_comparison(r);
    if (++r->depth > DEPTH_MAX)
        return refuse(r, "too deep");
    struct py_expression *of = read_not(r), *e = of ? make(r, OP_NOT, 1) : NULL;
    if (e)
        e->items[0] = of;
    r->depth--;
    return e;
}

static struct py_expression *read_and(struct reader *r)
{
    struct py_expression *e = read_not(r);
    while (e && take(r, "and"))
        e = make_two(r, OP_AND, e, read_not(r));
    return e;
}

static struct py_expression *read_or(struct reader *r)
{
    struct py_expression *e = read_and(r);
    while (e && take(r, "or"))
        e = make_two(r, OP_OR, e, read_and(r));
    return e;
}

static struct py_expression *read_whole(struct reader *r)
{
    if (++r->depth > DEPTH_MAX)
        return refuse(r, "too deep");
    struct py_expression *e = read_or(r);
    if (e && take(r, "if")) {
        struct py_expression *both = make(r, OP_IF, 3);
        both->items[1] = e;
        both->items[0] = read_or(r);
        e = both->items[0] && (take(r, "else") || refuse(r, "'else' is missing")) &&
                    (both->items[2] = read_whole(r))
                ? both
                : NULL;
    }
    r->depth--;
    return e;
}

bool py_parse(struct arena *a, const char *text, struct location at, struct py_expression **out,
              struct error *err)
{
    struct reader r = {.a = a, .text = text, .s = text, .at = at, .err = err};
    error_clear(err);
    *out = read_whole(&r);
    if (!*out)
        return false;
    skip(&r);
    return *r.s == '\0' || refuse(&r, "what follows is not understood") != NULL;
}
