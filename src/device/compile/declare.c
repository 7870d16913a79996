// One declaration after the other, found by their outline: which parentheses are a function's, where a body
// ends, which words are introduced. No types are resolved; what is marked for the device is recognised by its words.
// SPDX-License-Identifier: Apache-2.0
#include "device/compile/extract.h"

#include <string.h>

bool is_device_mark(const char *word, size_t length)
{
    static const char *const marks[] = {"__global__", "__device__", "__constant__", "__shared__",
                                        "__managed__"};
    for (size_t i = 0; i < COUNT_OF(marks); i++)
        if (strlen(marks[i]) == length && memcmp(marks[i], word, length) == 0)
            return true;
    return false;
}

struct reader {
    const struct token_list *t;
    size_t end;
    const struct table *macros;
    struct declaration d;
    size_t last_word; // token
    bool parameters, equals, type, pointer, initialisers, alias, use;
};

static bool is_any(const struct token_list *t, size_t i, const char *const *words, size_t count)
{
    for (size_t n = 0; n < count; n++)
        if (token_is_word(t, i, words[n]))
            return true;
    return false;
}

static const struct macro *macro_of(const struct reader *r, size_t i)
{
    char name[128];
    const struct token *token = &r->t->items[i];
    size_t length = token->end - token->begin;
    if (!r->macros || length >= sizeof name)
        return NULL;
    memcpy(name, r->t->text + token->begin, length);
    name[length] = '\0';
    return table_get(r->macros, name);
}

// After <…> at i; parentheses within may hold any < and >.
static size_t after_angles(const struct token_list *t, size_t i, size_t end)
{
    size_t depth = 0;
    for (; i < end; i++) {
        if (token_is(t, i, '(') || token_is(t, i, '{'))
            i = token_closing(t, i, end);
        else if (token_is(t, i, '<'))
            depth++;
        else if (token_is(t, i, '>') &&
                 !(i > 0 && token_is(t, i - 1, '-') && t->items[i - 1].end == t->items[i].begin)) {
            if (--depth == 0)
                return i + 1;
        } else if (token_is(t, i, ';'))
            return i;
    }
    return end;
}

// Words that are followed by parentheses of their own.
static const char *const attributes[] = {
    "__attribute__", "alignas",     "__align__", "__launch_bounds__", "decltype",      "noexcept",
    "__declspec",    "__maxnreg__", "explicit",  "__cluster_dims__",  "__block_size__"};
static const char *const type_words[] = {"class", "struct", "union", "enum"};

static size_t take_operator(struct reader *r, size_t i)
{
    r->d.is_operator = true;
    r->d.name = i;
    r->last_word = i++;
    if (token_is(r->t, i, '(') && token_is(r->t, i + 1, ')'))
        return i + 2;
    while (i < r->end && !token_is(r->t, i, '(') && !token_is(r->t, i, ';'))
        i++;
    return i;
}

static size_t take_word(struct reader *r, size_t i)
{
    const struct token_list *t = r->t;
    const struct token *token = &t->items[i];
    const struct macro *macro = macro_of(r, i);
    size_t next = token_skip(t, i + 1);
    struct declaration *d = &r->d;
    d->device = d->device || is_device_mark(t->text + token->begin, token->end - token->begin) ||
                (macro && macro->device);
    if (token_is_word(t, i, "template") && token_is(t, next, '<'))
        return after_angles(t, next, r->end);
    if (is_any(t, i, attributes, COUNT_OF(attributes)) && token_is(t, next, '('))
        return token_closing(t, next, r->end) + 1;
    if (token_is_word(t, i, "operator") && !r->parameters && !r->equals)
        return take_operator(r, i);
    if (is_any(t, i, type_words, COUNT_OF(type_words)) && !r->parameters && !r->equals) {
        r->type = true;
        d->enumeration = d->enumeration || token_is_word(t, i, "enum");
        return i + 1;
    }
    d->computed =
        d->computed || token_is_word(t, i, "constexpr") || token_is_word(t, i, "consteval");
    d->constant = d->constant || d->computed || token_is_word(t, i, "const");
    d->stays = d->stays || token_is_word(t, i, "virtual") ||
               (r->equals && r->parameters &&
                (token_is_word(t, i, "default") || token_is_word(t, i, "delete")));
    r->last_word = i;
    return i + 1;
}

// May what follows a function's parameters be this?
static bool follows_parameters(const struct token_list *t, size_t i)
{
    static const char *const words[] = {"const",    "volatile", "noexcept",      "override",
                                        "final",    "try",      "__attribute__", "throw",
                                        "requires", "mutable"};
    return i >= t->count || token_is(t, i, '{') || token_is(t, i, ';') || token_is(t, i, ':') ||
           token_is(t, i, '=') || token_is(t, i, '-') || token_is(t, i, '&') ||
           is_any(t, i, words, COUNT_OF(words));
}

// SIZE_MAX: the declaration ended with these parentheses.
static size_t take_parentheses(struct reader *r, size_t i)
{
    const struct token_list *t = r->t;
    size_t closing = token_closing(t, i, r->end), after = token_skip(t, closing + 1);
    bool alone = r->last_word == r->d.first && token_skip(t, r->d.first + 1) == i;
    const struct macro *macro = alone ? macro_of(r, r->d.first) : NULL;
    if (r->equals || r->parameters || r->pointer || r->last_word == SIZE_MAX)
        return closing + 1;
    if (macro && macro->takes_arguments && macro->declares && !token_is(t, after, '{')) {
        r->d.last = closing + 1;
        return SIZE_MAX;
    }
    if (!r->d.is_operator && (token_is(t, i + 1, '*') || token_is(t, i + 1, '&'))) {
        r->pointer = true; // of a function: a variable, or an alias
        for (size_t n = i + 1; n < closing; n++)
            if (t->items[n].kind == TOKEN_WORD)
                r->d.name = n;
    } else if (follows_parameters(t, after)) {
        r->parameters = true;
        r->d.name = r->d.is_operator ? r->d.name : r->last_word;
    }
    return closing + 1;
}

static size_t token_before(const struct token_list *t, size_t i)
{
    while (i > 0 && t->items[i - 1].kind == TOKEN_DIRECTIVE)
        i--;
    return i > 0 ? i - 1 : 0;
}

// SIZE_MAX: a function's body, which ends it.
static size_t take_braces(struct reader *r, size_t i)
{
    const struct token_list *t = r->t;
    size_t closing = token_closing(t, i, r->end), before = token_before(t, i);
    bool initialiser =
        r->initialisers && (t->items[before].kind == TOKEN_WORD || token_is(t, before, '>'));
    if (r->parameters && !r->equals && !initialiser) {
        r->d.has_body = true;
        r->d.last = closing < r->end ? closing + 1 : r->end;
        return SIZE_MAX;
    }
    if (r->type && !r->equals && !r->parameters && r->d.body_last == 0) {
        r->d.body_first = i + 1;
        r->d.body_last = closing;
    } else if (!r->equals && !r->parameters && r->d.name == SIZE_MAX) {
        r->d.name = r->last_word; // int n{3};
    }
    return closing + 1;
}

static bool is_pair(const struct token_list *t, size_t i)
{
    return i + 1 < t->count && t->items[i].kind == TOKEN_MARK &&
           t->items[i + 1].kind == TOKEN_MARK && t->items[i].end == t->items[i + 1].begin;
}

// A mark that is no bracket; SIZE_MAX: it ends the declaration.
static size_t take_mark(struct reader *r, size_t i)
{
    const struct token_list *t = r->t;
    if (token_is(t, i, ';') || token_is(t, i, '}')) {
        r->d.last = i + token_is(t, i, ';');
        return SIZE_MAX;
    }
    if (is_pair(t, i) &&
        (token_is(t, i + 1, '=') || (token_is(t, i, ':') && token_is(t, i + 1, ':'))))
        return i + 2;
    if (token_is(t, i, ':'))
        r->initialisers = r->initialisers || r->parameters;
    if (token_is(t, i, '=') && !r->equals) {
        r->equals = true;
        if (r->d.name == SIZE_MAX)
            r->d.name = r->last_word;
    }
    return i + 1;
}

// As the kind says, where it did not show on the way.
static void name_it(struct reader *r)
{
    struct declaration *d = &r->d;
    const struct token_list *t = r->t;
    bool variable = r->equals && d->body_last == 0; // struct option options[] = {…};
    d->kind = token_is_word(t, d->first, "static_assert") ? DECLARATION_OTHER
              : r->alias                                  ? DECLARATION_ALIAS
              : r->use                                    ? DECLARATION_NAMESPACE_USED
              : r->parameters                             ? DECLARATION_FUNCTION
              : r->type && !variable                      ? DECLARATION_TYPE
                                                          : DECLARATION_VARIABLE;
    if (d->name == SIZE_MAX || (d->kind == DECLARATION_ALIAS && !r->pointer && !r->equals))
        d->name = r->last_word;
}

struct entered scope_read(const struct token_list *t, size_t i, size_t end)
{
    size_t at = token_is_word(t, i, "inline") ? token_skip(t, i + 1) : i, brace = at + 1;
    bool space = token_is_word(t, at, "namespace");
    bool linkage = token_is_word(t, i, "extern") && i + 2 < end &&
                   t->items[i + 1].kind == TOKEN_STRING && token_is(t, i + 2, '{');
    while (space && brace < end && t->items[brace].kind == TOKEN_WORD)
        brace++;
    if (linkage)
        return (struct entered){i + 2, i + 2};
    return space && token_is(t, brace, '{') ? (struct entered){at + 1, brace}
                                            : (struct entered){end, end};
}

struct declaration declaration_read(const struct token_list *t, size_t i, size_t end,
                                    const struct table *macros)
{
    struct reader r = {.t = t, .end = end, .macros = macros, .last_word = SIZE_MAX};
    r.d = (struct declaration){.first = i, .last = end, .name = SIZE_MAX};
    r.use = token_is_word(t, i, "using") && token_is_word(t, token_skip(t, i + 1), "namespace");
    r.alias = !r.use && (token_is_word(t, i, "using") || token_is_word(t, i, "typedef") ||
                         token_is_word(t, i, "namespace"));
    while (i < end && i != SIZE_MAX) {
        if (t->items[i].kind == TOKEN_WORD)
            i = take_word(&r, i);
        else if (t->items[i].kind != TOKEN_MARK)
            i++;
        else if (token_is(t, i, '('))
            i = take_parentheses(&r, i);
        else if (token_is(t, i, '['))
            i = token_closing(t, i, end) + 1;
        else if (token_is(t, i, '{'))
            i = take_braces(&r, i);
        else
            i = take_mark(&r, i);
        if (i != SIZE_MAX && i > end)
            i = end;
    }
    if (r.d.last > end)
        r.d.last = end; // an opened bracket that is never closed
    if (r.d.last <= r.d.first)
        r.d.last = r.d.first + 1;
    name_it(&r);
    return r.d;
}

// The class key of the type, behind template<…>.
static size_t class_key(const struct token_list *t, const struct declaration *d)
{
    size_t i = d->first;
    while (i < d->last && !is_any(t, i, type_words, COUNT_OF(type_words)))
        i = token_is_word(t, i, "template") && token_is(t, token_skip(t, i + 1), '<')
                ? after_angles(t, token_skip(t, i + 1), d->last)
                : i + 1;
    return i;
}

// Its own name (with macros around it), its enumerators, and what is declared behind its body.
static void name_type(const struct token_list *t, const struct declaration *d,
                      void (*each)(void *context, size_t token), void *context)
{
    size_t head = d->body_last > 0 ? d->body_first - 1 : d->last;
    for (size_t i = class_key(t, d) + 1; i < head; i++) {
        if (token_is(t, i, '<') || token_is(t, i, ':'))
            break;
        if (token_is(t, i, '('))
            i = token_closing(t, i, head);
        else if (t->items[i].kind == TOKEN_WORD)
            each(context, i);
    }
    for (size_t i = d->enumeration ? head : d->body_last; i < d->last; i++)
        if (t->items[i].kind == TOKEN_WORD)
            each(context, i);
}

size_t declaration_head(const struct token_list *t, const struct declaration *d)
{
    size_t i = d->first;
    while (i < d->last && token_is_word(t, i, "template") && token_is(t, token_skip(t, i + 1), '<'))
        i = token_skip(t, after_angles(t, token_skip(t, i + 1), d->last));
    return i;
}

void declaration_names(const struct token_list *t, const struct declaration *d,
                       void (*each)(void *context, size_t token), void *context)
{
    if (d->kind == DECLARATION_TYPE || (d->kind == DECLARATION_ALIAS && d->body_last > 0)) {
        name_type(t, d, each, context);
        return;
    }
    if (d->name != SIZE_MAX)
        each(context, d->name);
    for (size_t i = d->first; d->kind == DECLARATION_VARIABLE && i + 1 < d->last; i++) {
        if (token_is(t, i, '(') || token_is(t, i, '{') || token_is(t, i, '['))
            i = token_closing(t, i, d->last);
        else if (t->items[i].kind == TOKEN_WORD &&
                 (token_is(t, i + 1, '=') || token_is(t, i + 1, '[') || token_is(t, i + 1, ',') ||
                  token_is(t, i + 1, ';')))
            each(context, i);
    }
}
