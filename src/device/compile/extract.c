// What the device needs of a source with host code: roots are what is marked for the device (or what was asked
// for); from there on every word leads to the declarations that introduce it. What is not reached is
// blanked. Words are not resolved: two things of one name are both kept, which costs nothing.
// SPDX-License-Identifier: Apache-2.0
#include "device/compile/extract.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES_MAX = 128, LEFT_OUT_SHOWN = 6, MACRO_ROUNDS = 8 };

struct piece { // a declaration of a namespace, a member of a class, or a #define
    size_t file;
    struct declaration d;
    bool is_macro, is_member, kept, dropped;
};
struct places { // of a name: pieces
    size_t *items;
    size_t count, capacity;
};
struct unit {
    struct arena *arena;
    const struct source *source;
    struct token_list *files;
    const char ***instead; // of each of their tokens: what is written in its place, or NULL
    struct piece *pieces;
    size_t piece_count, piece_capacity;
    size_t *work; // pieces that were kept and not yet read
    size_t work_count, work_capacity;
    struct table names, macros, namespaces;
    struct places **places; // all of names
    size_t place_count, place_capacity;
    struct macro **macro_list; // all of macros
    size_t macro_count, macro_capacity;
    bool only;
};

static const char *word_of(const struct token_list *t, size_t i, char name[NAME_BYTES_MAX])
{
    size_t length = t->items[i].end - t->items[i].begin;
    length = length < NAME_BYTES_MAX ? length : NAME_BYTES_MAX - 1;
    memcpy(name, t->text + t->items[i].begin, length);
    name[length] = '\0';
    return name;
}

/* ---- what is there ------------------------------------------------------------------------------- */

struct naming {
    struct unit *u;
    size_t file, piece;
};

static void name_piece(struct unit *u, const char *name, size_t piece)
{
    struct places *p = table_get(&u->names, name);
    if (!p) {
        p = ARENA_NEW(u->arena, struct places);
        table_set(&u->names, name, p);
        VEC_PUSH(u->places, u->place_count, u->place_capacity, p);
    }
    VEC_PUSH(p->items, p->count, p->capacity, piece);
}

static void name_token(void *context, size_t token)
{
    const struct naming *n = context;
    char name[NAME_BYTES_MAX];
    name_piece(n->u, word_of(&n->u->files[n->file], token, name), n->piece);
}

static size_t add_piece(struct unit *u, struct piece piece)
{
    VEC_PUSH(u->pieces, u->piece_count, u->piece_capacity, piece);
    return u->piece_count - 1;
}

// #define NAME text, #define NAME(…) text: found before anything else is read, as marks hide in them.
static void add_macro(struct unit *u, size_t file, size_t token)
{
    const struct token_list *t = &u->files[file];
    const char *after = NULL, *end = t->text + t->items[token].end;
    size_t length = directive_word(t->text + t->items[token].begin, &after);
    if (length != strlen("define") || memcmp(after - length, "define", length) != 0)
        return;
    after += strspn(after, " \t");
    size_t name = strcspn(after, " \t\r\n(\\/");
    if (name == 0 || name >= NAME_BYTES_MAX || after + name > end)
        return;
    const char *key = arena_strndup(u->arena, after, name);
    struct macro *m = ARENA_NEW(u->arena, struct macro);
    m->takes_arguments = after[name] == '(';
    m->text = after + name;
    m->size_bytes = (size_t)(end - m->text);
    const struct macro *before = table_get(&u->macros, key);
    size_t last = m->size_bytes;
    while (last > 0 && strchr(" \t\r\n\\", m->text[last - 1]))
        last--;
    m->declares = (last > 0 && (m->text[last - 1] == '}' || m->text[last - 1] == ';')) ||
                  (before && before->declares);
    m->before = before;
    table_set(&u->macros, key, m);
    VEC_PUSH(u->macro_list, u->macro_count, u->macro_capacity, m);
    name_piece(u, key,
               add_piece(u, (struct piece){.file = file,
                                           .is_macro = true,
                                           .d = {.first = token, .last = token + 1}}));
}

static bool text_marks_device(const struct unit *u, const struct macro *m)
{
    struct token_list t = {0};
    char name[NAME_BYTES_MAX];
    bool marks = m->before && m->before->device;
    tokens_read(m->text, m->size_bytes, &t);
    for (size_t i = 0; i < t.count && !marks; i++) {
        const struct macro *other = NULL;
        if (t.items[i].kind != TOKEN_WORD)
            continue;
        marks = is_device_mark(t.text + t.items[i].begin, t.items[i].end - t.items[i].begin);
        other = marks ? NULL : table_get(&u->macros, word_of(&t, i, name));
        marks = marks || (other && other->device);
    }
    tokens_release(&t);
    return marks;
}

// A macro may stand for another one that marks.
static void mark_macros(struct unit *u)
{
    bool changed = true;
    for (int round = 0; changed && round < MACRO_ROUNDS; round++) {
        changed = false;
        for (size_t i = 0; i < u->macro_count; i++)
            if (!u->macro_list[i]->device && text_marks_device(u, u->macro_list[i]))
                changed = u->macro_list[i]->device = true;
    }
}

static void read_scope(struct unit *u, size_t file, size_t i, size_t end);

// After `namespace a::b {` with what is in it, or `extern "C" {`; else i.
static size_t read_block(struct unit *u, size_t file, size_t i, size_t end)
{
    const struct token_list *t = &u->files[file];
    char name[NAME_BYTES_MAX];
    size_t at = token_is_word(t, i, "inline") ? token_skip(t, i + 1) : i;
    if (token_is_word(t, at, "namespace")) {
        size_t word = token_skip(t, at + 1);
        for (at = word; at < end && !token_is(t, at, '{'); at++)
            if (token_is(t, at, ';') || token_is(t, at, '='))
                return i; // an alias
        if (word < at && t->items[word].kind == TOKEN_WORD)
            table_set(&u->namespaces, word_of(t, word, name), u);
    } else if (token_is_word(t, i, "extern") && i + 1 < end &&
               t->items[i + 1].kind == TOKEN_STRING) {
        at = token_skip(t, i + 2);
    } else {
        return i;
    }
    if (!token_is(t, at, '{') || at >= end)
        return i;
    size_t closing = token_closing(t, at, end);
    read_scope(u, file, at + 1, closing);
    return closing < end ? closing + 1 : end;
}

static void read_scope(struct unit *u, size_t file, size_t i, size_t end)
{
    const struct token_list *t = &u->files[file];
    while ((i = token_skip(t, i)) < end) {
        size_t after = read_block(u, file, i, end);
        if (after != i || token_is(t, i, ';') || token_is(t, i, '}')) {
            i = after != i ? after : i + 1;
            continue;
        }
        struct declaration d = declaration_read(t, i, end, &u->macros);
        struct naming n = {u, file, add_piece(u, (struct piece){.file = file, .d = d})};
        declaration_names(t, &d, name_token, &n);
        i = d.last;
    }
}

/* ---- what is kept -------------------------------------------------------------------------------- */

static bool may_stay(const struct piece *p)
{
    const struct declaration *d = &p->d;
    switch (d->kind) {
    case DECLARATION_FUNCTION:
        return d->device || d->computed;
    case DECLARATION_TYPE:
    case DECLARATION_ALIAS:
        return true;
    case DECLARATION_VARIABLE:
        return d->device || d->constant;
    case DECLARATION_NAMESPACE_USED:
    case DECLARATION_OTHER:
        break;
    }
    return false;
}

// nvcc lets device code call any constexpr function (--expt-relaxed-constexpr) and use any constant; other
// compilers want a mark, and constexpr.
static void adapt(struct unit *u, size_t file, const struct declaration *d)
{
    const struct token_list *t = &u->files[file];
    char name[NAME_BYTES_MAX];
    if (d->device || d->kind == DECLARATION_TYPE || d->kind == DECLARATION_ALIAS)
        return;
    size_t head = declaration_head(t, d), word = SIZE_MAX;
    if (d->kind == DECLARATION_FUNCTION && d->computed && head < d->last)
        u->instead[file][head] =
            arena_printf(u->arena, "__host__ __device__ %s", word_of(t, head, name));
    if (d->kind != DECLARATION_VARIABLE || d->computed || !d->constant)
        return;
    for (size_t i = head; i < d->last && !token_is(t, i, '='); i++) {
        if (token_is(t, i, '*') || token_is(t, i, '&') || token_is(t, i, '(') ||
            token_is_word(t, i, "extern"))
            return;
        word = token_is_word(t, i, "const") ? i : word;
    }
    if (word != SIZE_MAX)
        u->instead[file][word] = "constexpr";
}

static void keep(struct unit *u, size_t piece)
{
    struct piece *p = &u->pieces[piece];
    if (p->kept || !(p->is_macro || may_stay(p)))
        return;
    p->kept = true;
    if (!p->is_macro)
        adapt(u, p->file, &p->d);
    VEC_PUSH(u->work, u->work_count, u->work_capacity, piece);
}

static void keep_name(struct unit *u, const char *name)
{
    const struct places *p = table_get(&u->names, name);
    for (size_t i = 0; p && i < p->count; i++)
        keep(u, p->items[i]);
}

static void keep_names(struct unit *u, const struct token_list *t, size_t first, size_t last)
{
    char name[NAME_BYTES_MAX];
    for (size_t i = first; i < last; i++)
        if (t->items[i].kind == TOKEN_WORD)
            keep_name(u, word_of(t, i, name));
}

static void keep_text(struct unit *u, const char *text, size_t size_bytes)
{
    struct token_list t = {0};
    tokens_read(text, size_bytes, &t);
    keep_names(u, &t, 0, t.count);
    tokens_release(&t);
}

static void keep_members(struct unit *u, size_t file, size_t i, size_t end);

// A class's functions without a mark are the host's; what may shape an object stays.
static void keep_member(struct unit *u, size_t file, const struct declaration *d)
{
    const struct token_list *t = &u->files[file];
    bool host = d->kind == DECLARATION_FUNCTION && !d->device && !d->computed && !d->stays;
    if (d->kind == DECLARATION_FUNCTION)
        adapt(u, file, d);
    if (host)
        (void)add_piece(u,
                        (struct piece){.file = file, .d = *d, .is_member = true, .dropped = true});
    else if (d->kind == DECLARATION_TYPE && d->body_last > d->body_first && !d->enumeration) {
        keep_names(u, t, d->first, d->body_first);
        keep_members(u, file, d->body_first, d->body_last);
        keep_names(u, t, d->body_last, d->last);
    } else {
        keep_names(u, t, d->first, d->last);
    }
}

static void keep_members(struct unit *u, size_t file, size_t i, size_t end)
{
    const struct token_list *t = &u->files[file];
    while ((i = token_skip(t, i)) < end) {
        bool access =
            t->items[i].kind == TOKEN_WORD && token_is(t, i + 1, ':') && !token_is(t, i + 2, ':');
        if (access || token_is(t, i, ';') || token_is(t, i, '}')) {
            i += access ? 2 : 1;
            continue;
        }
        struct declaration d = declaration_read(t, i, end, &u->macros);
        keep_member(u, file, &d);
        i = d.last;
    }
}

static void follow(struct unit *u)
{
    while (u->work_count > 0) {
        const struct piece p = u->pieces[u->work[--u->work_count]];
        const struct token_list *t = &u->files[p.file];
        const struct declaration *d = &p.d;
        if (p.is_macro) {
            const char *after = NULL, *end = t->text + t->items[d->first].end;
            (void)directive_word(t->text + t->items[d->first].begin, &after);
            keep_text(u, after, (size_t)(end - after));
        } else if (d->kind == DECLARATION_TYPE ||
                   (d->kind == DECLARATION_ALIAS && d->body_last > 0)) {
            struct declaration type = *d;
            type.kind = DECLARATION_TYPE;
            keep_member(u, p.file, &type);
        } else {
            keep_names(u, t, d->first, d->last);
        }
    }
}

static bool is_root(const struct unit *u, const struct piece *p)
{
    return !p->is_macro && p->d.device && (!u->only || p->d.is_operator);
}

// `using namespace x;` stays where x is: std is ours, and CUDA's own are behind their headers.
static bool names_known(const struct unit *u, const struct piece *p)
{
    static const char *const known[] = {"std", "cooperative_groups", "nvcuda", "cuda", "cub"};
    const struct token_list *t = &u->files[p->file];
    char name[NAME_BYTES_MAX];
    size_t word = token_skip(t, token_skip(t, p->d.first + 1) + 1);
    if (word >= p->d.last || t->items[word].kind != TOKEN_WORD)
        return false;
    for (size_t i = 0; i < COUNT_OF(known); i++)
        if (token_is_word(t, word, known[i]))
            return true;
    return table_has(&u->namespaces, word_of(t, word, name));
}

/* ---- what is written ----------------------------------------------------------------------------- */

static void blank(char *text, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++)
        if (text[i] != '\n')
            text[i] = ' ';
}

// Directives hold for what follows and stay; pragmas are about what goes.
static void drop(char *text, const struct token_list *t, const struct declaration *d)
{
    size_t at = t->items[d->first].begin;
    for (size_t i = d->first; i < d->last; i++) {
        if (t->items[i].kind != TOKEN_DIRECTIVE)
            continue;
        const char *after = NULL;
        size_t length = directive_word(t->text + t->items[i].begin, &after);
        bool pragma = length == strlen("pragma") && memcmp(after - length, "pragma", length) == 0;
        if (pragma)
            continue;
        blank(text, at, t->items[i].begin);
        at = t->items[i].end;
    }
    blank(text, at, t->items[d->last - 1].end > at ? t->items[d->last - 1].end : at);
}

static int line_of(const char *text, size_t at)
{
    int line = 1;
    for (size_t i = 0; i < at; i++)
        line += text[i] == '\n';
    return line;
}

// "  main (k.cu:40), run (k.cu:12) and 3 more"
static void tell_left_out(const struct unit *u, struct text *out)
{
    int shown = 0, more = 0;
    char name[NAME_BYTES_MAX];
    for (size_t i = 0; i < u->piece_count; i++) {
        const struct piece *p = &u->pieces[i];
        const struct token_list *t = &u->files[p->file];
        if (p->is_macro || p->is_member || p->kept || !p->d.has_body || p->d.name == SIZE_MAX)
            continue;
        if (shown == LEFT_OUT_SHOWN) {
            more++;
            continue;
        }
        text_printf(out, "%s%s (%s:%d)", shown++ > 0 ? ", " : "", word_of(t, p->d.name, name),
                    path_name(u->source->files[p->file]),
                    line_of(t->text, t->items[p->d.first].begin));
    }
    if (more > 0)
        text_printf(out, " and %d more", more);
}

// "#if defined(__NVCC__)" asks for what compiles CUDA: any that is chosen here does.
static const char *nvcc_asked(struct arena *a, const char *directive)
{
    static const char word[] = "__NVCC__";
    size_t length = strcspn(directive, "\n");
    const char *at = memmem(directive, length, word, sizeof word - 1);
    return at ? arena_printf(a, "%.*s__CUDACC__%.*s", (int)(at - directive), directive,
                             (int)(length - (size_t)(at - directive) - (sizeof word - 1)),
                             at + sizeof word - 1)
              : NULL;
}

// An include of one of the source's own files, by its name here; of a host's header, nothing; else NULL.
static const char *directive_instead(const struct unit *u, size_t file, const char *directive,
                                     const char *const *names)
{
    const char *name = NULL;
    size_t other = source_included(u->arena, u->source, file, directive, &name);
    if (other != SIZE_MAX)
        return arena_printf(u->arena, "#include \"%s\"", names[other]);
    for (size_t i = 0; name && i < standard_header_count; i++)
        if (strcmp(standard_headers[i].name, name) == 0)
            return standard_headers[i].content == HEADER_HOST      ? ""
                   : standard_headers[i].content == HEADER_LIBRARY ? "#include <ridge-library.h>"
                                                                   : NULL;
    return nvcc_asked(u->arena, directive);
}

// The text with what goes blanked, and includes of the source's own files by their names here.
static const char *write_file(const struct unit *u, size_t file, const char *const *names)
{
    const struct token_list *t = &u->files[file];
    const struct source *s = u->source;
    char *text = arena_strndup(u->arena, t->text, s->sizes_bytes[file]);
    struct text out = {0};
    size_t at = 0;
    for (size_t i = 0; i < u->piece_count; i++) {
        const struct piece *p = &u->pieces[i];
        if (p->file == file && !p->is_macro && (p->is_member ? p->dropped : !p->kept))
            drop(text, t, &p->d);
    }
    text_printf(&out, "#line 1 \"%s\"\n", s->files[file]);
    for (size_t i = 0; i < t->count; i++) {
        const char *instead = t->items[i].kind == TOKEN_DIRECTIVE
                                  ? directive_instead(u, file, t->text + t->items[i].begin, names)
                                  : u->instead[file][i];
        if (!instead)
            continue;
        text_addn(&out, text + at, t->items[i].begin - at);
        text_add(&out, instead);
        for (at = t->items[i].begin; at < t->items[i].end; at++)
            if (t->text[at] == '\n')
                text_add(&out, "\n");
    }
    text_addn(&out, text + at, s->sizes_bytes[file] - at);
    const char *written = arena_strndup(u->arena, out.data, out.length);
    text_release(&out);
    return written;
}

static void unit_read(struct unit *u)
{
    const struct source *s = u->source;
    for (size_t file = 0; file < s->file_count; file++) {
        tokens_read(s->texts[file], s->sizes_bytes[file], &u->files[file]);
        u->instead[file] = ARENA_ARRAY(u->arena, const char *, u->files[file].count + 1);
        for (size_t i = 0; i < u->files[file].count; i++)
            if (u->files[file].items[i].kind == TOKEN_DIRECTIVE)
                add_macro(u, file, i);
    }
    mark_macros(u);
    for (size_t file = 0; file < s->file_count; file++)
        read_scope(u, file, 0, u->files[file].count);
}

static void unit_release(struct unit *u)
{
    for (size_t file = 0; file < u->source->file_count; file++)
        tokens_release(&u->files[file]);
    for (size_t i = 0; i < u->place_count; i++)
        free(u->places[i]->items);
    free(u->places);
    free(u->macro_list);
    table_release(&u->names);
    table_release(&u->macros);
    table_release(&u->namespaces);
    free(u->pieces);
    free(u->work);
}

void extract_device_side(struct arena *a, const struct source *source, const char *const *names,
                         const char *const *wanted, int wanted_count, bool only,
                         struct device_side *out)
{
    struct unit u = {.arena = a, .source = source, .only = only};
    struct text left = {0};
    u.files = ARENA_ARRAY(a, struct token_list, source->file_count);
    u.instead = ARENA_ARRAY(a, const char **, source->file_count);
    unit_read(&u);
    for (int i = 0; i < wanted_count; i++)
        keep_text(&u, wanted[i], strlen(wanted[i]));
    for (size_t i = 0, count = u.piece_count; i < count; i++) {
        if (is_root(&u, &u.pieces[i]))
            keep(&u, i);
        else if (u.pieces[i].d.kind == DECLARATION_NAMESPACE_USED && !u.pieces[i].is_macro)
            u.pieces[i].kept = names_known(&u, &u.pieces[i]);
    }
    follow(&u);
    *out = (struct device_side){.count = source->file_count};
    out->texts = ARENA_ARRAY(a, const char *, source->file_count);
    for (size_t file = 0; file < source->file_count; file++)
        out->texts[file] = write_file(&u, file, names);
    tell_left_out(&u, &left);
    out->left_out = arena_strdup(a, text_str(&left));
    text_release(&left);
    unit_release(&u);
}
