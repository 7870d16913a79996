// How a source's host code launches one of its kernels: grid, block, arguments and template arguments of a <<<>>>, as
// expressions over the host's sizes. A name is followed to its definition: in the function, in a caller's arguments,
// at file scope or in a macro. What cannot be followed becomes a size without a value.
// SPDX-License-Identifier: Apache-2.0
#include "device/compile/host.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the host's functions --------------------------------------------------------------------------- */

static void add_function(struct host *h, size_t file, const struct declaration *d)
{
    const struct token_list *t = &h->lists[file];
    struct host_function f = {.file = file, .name = d->name, .last = d->last};
    size_t head = declaration_head(t, d);
    f.angle = head > d->first + 2 ? d->first + 1 : SIZE_MAX;
    f.angle_end = head > 0 ? head - 1 : 0;
    for (f.open = d->name + 1; f.open < d->last && !token_is(t, f.open, '(');)
        f.open++;
    f.close = token_closing(t, f.open, d->last);
    VEC_PUSH(h->functions, h->function_count, h->function_capacity, f);
}

static void list_functions(struct host *h, size_t file, size_t i, size_t end)
{
    const struct token_list *t = &h->lists[file];
    while ((i = token_skip(t, i)) < end) {
        struct entered inner = scope_read(t, i, end);
        if (inner.brace < end) {
            size_t closing = token_closing(t, inner.brace, end);
            list_functions(h, file, inner.brace + 1, closing);
            i = closing < end ? closing + 1 : end;
        } else if (token_is(t, i, ';') || token_is(t, i, '}')) {
            i++;
        } else {
            struct declaration d = declaration_read(t, i, end, NULL);
            if (d.kind == DECLARATION_FUNCTION && d.has_body && d.name != SIZE_MAX)
                add_function(h, file, &d);
            i = d.last > i ? d.last : i + 1;
        }
    }
}

void host_read(struct arena *a, const struct source *s, struct host *h)
{
    *h = (struct host){.arena = a, .source = s};
    h->lists = xcalloc(s->file_count + 1, sizeof *h->lists);
    for (size_t i = 0; i < s->file_count; i++) {
        tokens_read(s->texts[i], s->sizes_bytes[i], &h->lists[i]);
        list_functions(h, i, 0, h->lists[i].count);
    }
}

void host_release(struct host *h)
{
    for (size_t i = 0; i < h->source->file_count; i++)
        tokens_release(&h->lists[i]);
    free(h->lists);
    free(h->functions);
    free(h->sizes);
}

const struct host_function *host_function_at(const struct host *h, size_t file, size_t token)
{
    for (size_t i = 0; i < h->function_count; i++)
        if (h->functions[i].file == file && h->functions[i].name < token &&
            token < h->functions[i].last)
            return &h->functions[i];
    return NULL;
}

const char *host_text(struct arena *a, const struct token_list *t, size_t i, size_t end)
{
    return i < end && end <= t->count ? arena_strndup(a, t->text + t->items[i].begin,
                                                      t->items[end - 1].end - t->items[i].begin)
                                      : "";
}

// The end of what begins at i and ends at a comma or at `end`.
size_t host_item_end(const struct token_list *t, size_t i, size_t end)
{
    int angles = 0;
    for (; i < end; i++) {
        if (token_is(t, i, '(') || token_is(t, i, '{') || token_is(t, i, '['))
            i = token_closing(t, i, end);
        else if (token_is(t, i, '<') && i > 0 && t->items[i - 1].kind == TOKEN_WORD)
            angles++;
        else if (token_is(t, i, '>') && angles > 0)
            angles--;
        else if (token_is(t, i, ';') || (token_is(t, i, ',') && angles == 0))
            return i;
    }
    return i < end ? i : end;
}

// The n-th item between first and end. false: there are fewer.
static bool item_at(const struct token_list *t, size_t first, size_t end, int n, size_t *begin,
                    size_t *stop)
{
    for (int i = 0; first < end; i++) {
        *begin = first;
        *stop = host_item_end(t, first, end);
        if (i == n)
            return *stop > *begin;
        first = *stop + 1;
    }
    return false;
}

/* ---- a launch ------------------------------------------------------------------------------------------ */

static bool is_triple(const struct token_list *t, size_t i, char mark)
{
    return token_is(t, i, mark) && token_is(t, i + 1, mark) && token_is(t, i + 2, mark);
}

struct launch_at {
    size_t file, name;
    size_t angle, angle_end;   // template arguments; SIZE_MAX = none
    size_t config, config_end; // between <<< and >>>
    size_t args, args_end;     // between ( and )
};

// The launch whose kernel's name is token i.
static bool launch_read(const struct token_list *t, size_t file, size_t i, struct launch_at *out)
{
    *out = (struct launch_at){.file = file, .name = i, .angle = SIZE_MAX};
    size_t at = i + 1;
    if (token_is(t, at, '<') && !is_triple(t, at, '<')) {
        for (out->angle = ++at; at < t->count && !is_triple(t, at + 1, '<'); at++)
            if (token_is(t, at, ';') || token_is(t, at, '{'))
                return false;
        out->angle_end = at++;
    }
    if (!is_triple(t, at, '<'))
        return false;
    out->config = at + 3;
    for (at += 3; at < t->count && !is_triple(t, at, '>'); at++) {
        if (token_is(t, at, ';'))
            return false;
        if (token_is(t, at, '(') || token_is(t, at, '{'))
            at = token_closing(t, at, t->count);
    }
    out->config_end = at;
    out->args = at + 4;
    if (!token_is(t, at + 3, '('))
        return false;
    out->args_end = token_closing(t, at + 3, t->count);
    return true;
}

static int count_items(const struct token_list *t, size_t first, size_t end)
{
    int n = 0;
    size_t begin, stop;
    while (item_at(t, first, end, n, &begin, &stop))
        n++;
    return n;
}

/* ---- template arguments -------------------------------------------------------------------------------- */

// "T" of "typename T = float"; *type: it stands for one; *given: what it is by default, or NULL.
static const char *parameter_name(struct arena *a, const struct token_list *t, size_t i, size_t end,
                                  bool *type, const char **given)
{
    const char *name = "";
    *type = token_is_word(t, i, "typename") || token_is_word(t, i, "class");
    *given = NULL;
    for (; i < end; i++) {
        if (token_is(t, i, '=')) {
            *given = host_text(a, t, i + 1, end);
            break;
        }
        if (t->items[i].kind == TOKEN_WORD)
            name = host_text(a, t, i, i + 1);
    }
    return name;
}

static bool is_template_parameter(struct host *h, const struct host_function *f, const char *name)
{
    const struct token_list *t = &h->lists[f->file];
    for (size_t i = f->angle; f->angle != SIZE_MAX && i < f->angle_end; i++)
        if (token_is_word(t, i, name))
            return true;
    return false;
}

// What a template's parameter of the function is, by the first call that says it.
static const char *argument_of_call(struct host *h, const struct host_function *f, const char *name,
                                    int depth)
{
    const struct token_list *t = &h->lists[f->file];
    const char *function = host_text(h->arena, t, f->name, f->name + 1), *given = NULL;
    size_t begin, stop;
    bool type = false;
    int n = 0;
    while (f->angle != SIZE_MAX && item_at(t, f->angle + 1, f->angle_end, n, &begin, &stop) &&
           strcmp(parameter_name(h->arena, t, begin, stop, &type, &given), name) != 0)
        n++;
    if (f->angle == SIZE_MAX || !item_at(t, f->angle + 1, f->angle_end, n, &begin, &stop))
        return NULL;
    for (size_t file = 0; file < h->source->file_count; file++) {
        t = &h->lists[file];
        for (size_t i = 0; i + 2 < t->count; i++) {
            if (!token_is_word(t, i, function) || !token_is(t, i + 1, '<') ||
                token_is(t, i + 2, '<'))
                continue;
            size_t end = i + 2;
            while (end < t->count && !token_is(t, end, '>') && !token_is(t, end, ';'))
                end++;
            if (item_at(t, i + 2, end, n, &begin, &stop))
                return host_template_value(h, file, begin, stop, type, depth + 1);
        }
    }
    return given;
}

// One argument as it is to be written: types as they are, values as numbers where they can be followed.
const char *host_template_value(struct host *h, size_t file, size_t begin, size_t end, bool type,
                                int depth)
{
    const struct token_list *t = &h->lists[file];
    const char *text = host_text(h->arena, t, begin, end), *other = NULL;
    const struct host_function *f = host_function_at(h, file, begin);
    if (depth > HOST_DEPTH_MAX)
        return text;
    if (f && end == begin + 1 && t->items[begin].kind == TOKEN_WORD)
        other = argument_of_call(h, f, text, depth);
    if (other || type)
        return other ? other : text;
    struct host_value v = host_evaluate(h, file, begin, end, depth + 1);
    return v.text && v.known && v.number == floor(v.number)
               ? arena_printf(h->arena, "%.0f", v.number)
               : text;
}

// "float" of `float *x` before the token, in its function.
static const char *type_of_name(struct host *h, const struct host_function *f, size_t before,
                                const char *name)
{
    const struct token_list *t = &h->lists[f->file];
    for (size_t i = before; i > f->name + 1; i--) {
        size_t type = i - 1;
        if (!token_is_word(t, i, name))
            continue;
        while (type > f->name && (token_is(t, type, '*') || token_is_word(t, type, "__restrict__")))
            type--;
        if (t->items[type].kind == TOKEN_WORD && !token_is_word(t, type, "return") &&
            !token_is_word(t, type, "const") && (type < i - 1 || type + 1 == i))
            return host_text(h->arena, t, type, type + 1);
    }
    return NULL;
}

// Of `T` in the kernel's parameters, by what the launch passes there.
static const char *deduced(struct host *h, const struct launch_at *l,
                           const struct declared_kernel *k, const char *name)
{
    const struct token_list *t = &h->lists[l->file];
    const struct host_function *f = host_function_at(h, l->file, l->name);
    size_t begin, stop;
    for (int i = 0; i < k->parameter_count && f; i++) {
        if (strcmp(k->parameters[i].type, name) != 0 ||
            !item_at(t, l->args, l->args_end, i, &begin, &stop))
            continue;
        if (token_is(t, begin, '(') && t->items[begin + 1].kind == TOKEN_WORD &&
            token_is(t, begin + 2, '*'))
            return host_text(h->arena, t, begin + 1, begin + 2);
        while (begin < stop && t->items[begin].kind != TOKEN_WORD)
            begin++;
        const char *type =
            begin < stop ? type_of_name(h, f, begin - 1, host_text(h->arena, t, begin, begin + 1))
                         : NULL;
        const char *other = type ? argument_of_call(h, f, type, 0) : NULL;
        if (other || (type && strcmp(type, "auto") != 0 && !is_template_parameter(h, f, type)))
            return other ? other : type;
    }
    return NULL;
}

// Without a launch that says it: float for types, by the usual names for numbers.
static const char *usual_argument(const char *name, bool type, const char *declared)
{
    static const struct {
        const char *part, *value;
    } usual[] = {{"block", "256"}, {"thread", "256"}, {"tile", "16"}, {"warp", "4"}};
    char lower[64];
    str_lower(name, lower, sizeof lower);
    if (type)
        return "float";
    if (str_starts_with(declared, "bool"))
        return "true";
    for (size_t i = 0; i < COUNT_OF(usual); i++)
        if (strstr(lower, usual[i].part))
            return usual[i].value;
    return "4";
}

// As the launch says it, or NULL where that is no type, number or constant of an enumeration.
static const char *template_value(struct host *h, size_t file, size_t first, size_t last, bool type,
                                  const char *declared)
{
    const char *text = host_template_value(h, file, first, last, type, 0);
    const struct host_function *f = host_function_at(h, file, first);
    char *end = NULL;
    double n = strtod(text, &end);
    if (type)
        return f && is_template_parameter(h, f, text) ? NULL : text;
    if (end == text || *end)
        return strcmp(text, "true") == 0 || strcmp(text, "false") == 0 ? text : NULL;
    // A constant of an enumeration is an instance's name as (type)number.
    size_t word = strcspn(declared, " ");
    const char *kind = arena_strndup(h->arena, declared, word);
    enum element_type element;
    int elements = 0;
    bool plain = strcmp(kind, "const") == 0 || strcmp(kind, "unsigned") == 0 ||
                 declared_element(h->arena, h->source, kind, &element, &elements);
    if (strcmp(kind, "bool") == 0)
        return n != 0 ? "true" : "false";
    return plain ? text : arena_printf(h->arena, "(%s)%.0f", kind, n);
}

// "float, 256", of a template without or with a launch (l); *guessed names those that nothing said.
static const char *template_arguments(struct host *h, const struct launch_at *l,
                                      const struct declared_kernel *k, const char **guessed)
{
    struct token_list parameters = {0};
    struct text out = {0}, missing = {0};
    size_t begin, stop, first, last;
    tokens_read(k->template_parameters, strlen(k->template_parameters), &parameters);
    for (int i = 0; item_at(&parameters, 0, parameters.count, i, &begin, &stop); i++) {
        bool type = false;
        const char *given = NULL, *value = NULL;
        const char *name = parameter_name(h->arena, &parameters, begin, stop, &type, &given);
        const char *declared = host_text(h->arena, &parameters, begin, stop);
        if (l && l->angle != SIZE_MAX &&
            item_at(&h->lists[l->file], l->angle, l->angle_end, i, &first, &last))
            value = template_value(h, l->file, first, last, type, declared);
        if (!value && l && type)
            value = deduced(h, l, k, name);
        if (!value)
            value = given;
        if (!value) {
            value = usual_argument(name, type, declared);
            text_printf(&missing, "%s%s = %s", missing.length ? ", " : "", name, value);
        }
        text_printf(&out, "%s%s", i > 0 ? ", " : "", value);
    }
    const char *result = arena_strdup(h->arena, text_str(&out));
    *guessed = missing.length ? arena_strdup(h->arena, text_str(&missing)) : NULL;
    text_release(&out);
    text_release(&missing);
    tokens_release(&parameters);
    return result;
}

/* ---- what is asked ---------------------------------------------------------------------------------------- */

static void read_config(struct host *h, const struct launch_at *l, struct declared_launch *out)
{
    const struct token_list *t = &h->lists[l->file];
    size_t begin, stop;
    if (item_at(t, l->config, l->config_end, 0, &begin, &stop))
        host_dimensions(h, l->file, begin, stop, 0, out->grid);
    if (item_at(t, l->config, l->config_end, 1, &begin, &stop))
        host_dimensions(h, l->file, begin, stop, 0, out->block);
    if (item_at(t, l->config, l->config_end, 2, &begin, &stop))
        out->shared_bytes = host_evaluate(h, l->file, begin, stop, 0).text;
}

// Is `cudaMemset(name, …)` in the function before its launch?
static bool is_zeroed(const struct host *h, const struct launch_at *l, const char *name)
{
    const struct token_list *t = &h->lists[l->file];
    const struct host_function *f = host_function_at(h, l->file, l->name);
    for (size_t i = f ? f->close : l->name; i + 2 < l->name; i++)
        if (t->items[i].kind == TOKEN_WORD && token_is(t, i + 1, '(') &&
            strncmp(t->text + t->items[i].begin, "cudaMemset", 10) == 0 &&
            token_is_word(t, i + 2, name))
            return true;
    return false;
}

static void read_arguments(struct host *h, const struct launch_at *l, struct declared_launch *out)
{
    const struct token_list *t = &h->lists[l->file];
    size_t begin, stop;
    out->argument_count = count_items(t, l->args, l->args_end);
    out->arguments = ARENA_ARRAY(h->arena, const char *, out->argument_count + 1);
    out->zeroed = ARENA_ARRAY(h->arena, bool, out->argument_count + 1);
    for (int i = 0; i < out->argument_count; i++) {
        if (!item_at(t, l->args, l->args_end, i, &begin, &stop))
            continue;
        out->zeroed[i] = stop == begin + 1 && is_zeroed(h, l, host_text(h->arena, t, begin, stop));
        out->arguments[i] = host_evaluate(h, l->file, begin, stop, 0).text;
    }
}

// The first whose arguments the kernel can take.
static bool find_launch(const struct host *h, const struct declared_kernel *k, const char *bare,
                        struct launch_at *out)
{
    for (size_t file = 0; file < h->source->file_count; file++) {
        const struct token_list *t = &h->lists[file];
        for (size_t i = 0; i < t->count; i++)
            if (token_is_word(t, i, bare) && launch_read(t, file, i, out) &&
                host_function_at(h, file, i) &&
                count_items(t, out->args, out->args_end) <= k->parameter_count)
                return true;
    }
    return false;
}

void declared_launch_find(struct arena *a, const struct source *source,
                          const struct declared_kernel *k, struct declared_launch *out)
{
    struct host h;
    struct launch_at l = {0};
    *out = (struct declared_launch){0};
    host_read(a, source, &h);
    const char *colon = strrchr(k->name, ':');
    out->found = find_launch(&h, k, colon ? colon + 1 : k->name, &l);
    if (out->found) {
        const struct token_list *t = &h.lists[l.file];
        out->file = source->files[l.file];
        out->line = 1;
        for (const char *c = t->text; c < t->text + t->items[l.name].begin; c++)
            out->line += *c == '\n';
        read_config(&h, &l, out);
        read_arguments(&h, &l, out);
    }
    if (k->template_parameters)
        out->template_arguments =
            template_arguments(&h, out->found ? &l : NULL, k, &out->template_guesses);
    out->size_count = (int)h.size_count;
    out->sizes = ARENA_ARRAY(a, struct declared_size, h.size_count + 1);
    if (h.size_count > 0)
        memcpy(out->sizes, h.sizes, h.size_count * sizeof *h.sizes);
    host_release(&h);
}
