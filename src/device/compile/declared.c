// The kernels that a source declares, as its author wrote them: names, template parameters, parameters with their names
// and types. Compiled code has neither names of parameters nor templates that nobody instantiated.
// SPDX-License-Identifier: Apache-2.0
#include "device/compile/extract.h"

#include <stdlib.h>
#include <string.h>

struct lister {
    struct arena *arena;
    const struct source *source;
    struct token_list t;
    size_t file;
    struct declared_kernel *items;
    size_t count, capacity;
};

// The text of tokens [first, last), blanks and comments as single blanks.
static const char *text_of(struct lister *l, size_t first, size_t last)
{
    struct text out = {0};
    for (size_t i = first; i < last; i++) {
        const struct token *token = &l->t.items[i];
        bool apart = i > first && token->begin > l->t.items[i - 1].end;
        if (token->kind == TOKEN_DIRECTIVE)
            continue;
        text_add(&out, apart ? " " : "");
        text_addn(&out, l->t.text + token->begin, token->end - token->begin);
    }
    const char *text = arena_strdup(l->arena, text_str(&out));
    text_release(&out);
    return text;
}

static bool is_qualifier(const struct token_list *t, size_t i)
{
    static const char *const words[] = {"const",      "volatile",          "__restrict__",
                                        "__restrict", "__grid_constant__", "struct",
                                        "restrict"};
    for (size_t n = 0; n < COUNT_OF(words); n++)
        if (token_is_word(t, i, words[n]))
            return true;
    return false;
}

// "const float *__restrict__ a": its name is the last word, its type what is left without qualifiers.
static void read_parameter(struct lister *l, size_t first, size_t last,
                           struct declared_parameter *out)
{
    const struct token_list *t = &l->t;
    size_t name = SIZE_MAX, words = 0;
    struct text type = {0};
    for (size_t i = first; i < last && !token_is(t, i, '='); i++) {
        out->indirect = out->indirect || (out->pointer && token_is(t, i, '*'));
        out->pointer = out->pointer || token_is(t, i, '*') || token_is(t, i, '[');
        out->constant = out->constant || token_is_word(t, i, "const");
        if (token_is(t, i, '['))
            break;
        if (t->items[i].kind == TOKEN_WORD && !is_qualifier(t, i)) {
            name = i;
            words++;
        }
    }
    for (size_t i = first; i < last; i++) {
        if (token_is(t, i, '=') || token_is(t, i, '*') || token_is(t, i, '['))
            break;
        if ((i == name && words > 1) || is_qualifier(t, i) || t->items[i].kind == TOKEN_DIRECTIVE)
            continue;
        bool apart =
            type.length > 0 && t->items[i].kind == TOKEN_WORD && t->items[i - 1].kind == TOKEN_WORD;
        text_add(&type, apart ? " " : "");
        text_addn(&type, t->text + t->items[i].begin, t->items[i].end - t->items[i].begin);
    }
    out->type = arena_strdup(l->arena, text_str(&type));
    out->name = name != SIZE_MAX && words > 1 ? text_of(l, name, name + 1) : "";
    text_release(&type);
}

static void read_parameters(struct lister *l, size_t open, size_t end, struct declared_kernel *k)
{
    const struct token_list *t = &l->t;
    size_t closing = token_closing(t, open, end), begin = open + 1;
    k->parameters = ARENA_ARRAY(l->arena, struct declared_parameter, closing - open + 1);
    for (size_t i = open + 1, angles = 0; i <= closing && begin < closing; i++) {
        angles += token_is(t, i, '<');
        angles -= angles > 0 && token_is(t, i, '>');
        if (i < closing && (angles > 0 || !token_is(t, i, ',')))
            continue;
        if (i > begin && !(i == begin + 1 && token_is_word(t, begin, "void")))
            read_parameter(l, begin, i, &k->parameters[k->parameter_count++]);
        begin = i + 1;
    }
}

static void scan_body(const struct lister *l, const struct declaration *d,
                      struct declared_kernel *k)
{
    const struct token_list *t = &l->t;
    for (size_t i = d->first; i + 2 < d->last; i++) {
        bool index = token_is_word(t, i, "threadIdx") || token_is_word(t, i, "blockIdx");
        k->two_dimensional = k->two_dimensional ||
                             (index && token_is(t, i + 1, '.') && token_is_word(t, i + 2, "y"));
        if (token_is_word(t, i, "__launch_bounds__") && t->items[i + 2].kind == TOKEN_NUMBER)
            k->max_threads = (int)strtol(t->text + t->items[i + 2].begin, NULL, 10);
        k->dynamic_shared = k->dynamic_shared || (token_is_word(t, i, "extern") &&
                                                  token_is_word(t, i + 1, "__shared__"));
    }
}

static void take_declaration(struct lister *l, const struct declaration *d, const char *scope)
{
    const struct token_list *t = &l->t;
    bool global = false;
    for (size_t i = d->first; i < d->name && i < d->last; i++)
        global = global || token_is_word(t, i, "__global__");
    if (!global || d->kind != DECLARATION_FUNCTION || !d->has_body || d->name == SIZE_MAX)
        return;
    struct declared_kernel k = {.file = l->source->files[l->file], .line = 1};
    for (const char *c = t->text; c < t->text + t->items[d->name].begin; c++)
        k.line += *c == '\n';
    k.name = arena_printf(l->arena, "%s%s", scope, text_of(l, d->name, d->name + 1));
    size_t head = declaration_head(t, d), open = d->name + 1;
    k.template_parameters = head > d->first + 3 ? text_of(l, d->first + 2, head - 1) : NULL;
    while (open < d->last && !token_is(t, open, '('))
        open++;
    if (open < d->last)
        read_parameters(l, open, d->last, &k);
    scan_body(l, d, &k);
    VEC_PUSH(l->items, l->count, l->capacity, k);
}

// Namespaces are entered; all else is one declaration after the other.
static void list_scope(struct lister *l, size_t i, size_t end, const char *scope)
{
    const struct token_list *t = &l->t;
    while ((i = token_skip(t, i)) < end) {
        struct entered inner = scope_read(t, i, end);
        if (inner.brace < end) {
            size_t closing = token_closing(t, inner.brace, end);
            const char *name = inner.name < inner.brace
                                   ? arena_printf(l->arena, "%s%s::", scope,
                                                  text_of(l, inner.name, inner.name + 1))
                                   : scope;
            list_scope(l, inner.brace + 1, closing, name);
            i = closing < end ? closing + 1 : end;
        } else if (token_is(t, i, ';') || token_is(t, i, '}')) {
            i++;
        } else {
            struct declaration d = declaration_read(t, i, end, NULL);
            take_declaration(l, &d, scope);
            i = d.last;
        }
    }
}

bool declared_read(struct arena *a, const struct compile_request *request,
                   const struct source **out, struct error *err)
{
    struct source *source = ARENA_NEW(a, struct source);
    struct flag_set flags = {0};
    *out = source;
    return flags_read(a, request, &flags, err) &&
           source_read(a, request->source_path, request->source_text, &flags, source, err);
}

void declared_kernels_list(struct arena *a, const struct source *source,
                           struct declared_kernel **out, int *count)
{
    struct lister l = {.arena = a, .source = source};
    for (l.file = 0; l.file < source->file_count; l.file++) {
        tokens_read(source->texts[l.file], source->sizes_bytes[l.file], &l.t);
        list_scope(&l, 0, l.t.count, "");
        tokens_release(&l.t);
    }
    *out = ARENA_ARRAY(a, struct declared_kernel, l.count + 1);
    if (l.count > 0)
        memcpy(*out, l.items, l.count * sizeof *l.items);
    *count = (int)l.count;
    free(l.items);
}
