// The parser of a module: directives, variables with initialisers, function heads; then every
// symbol is resolved and the graphs are built. Recursive descent, one token of look-ahead.
// SPDX-License-Identifier: Apache-2.0
#include "ptx/parser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- tokens ------------------------------------------------------------------------------------- */

bool ptx_parser_advance(struct parser *p)
{
    return ptx_lexer_next(&p->lexer, &p->token, p->err);
}

bool ptx_parser_fail(struct parser *p, const char *fmt, ...)
{
    char message[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    return fail(p->err, ptx_lexer_location(&p->lexer, &p->token), "%s", message);
}

bool ptx_token_is(const struct parser *p, char c)
{
    return p->token.kind == TOKEN_PUNCTUATION && *p->token.text == c;
}

bool ptx_token_is_dot(const struct parser *p, const char *word)
{
    return p->token.kind == TOKEN_DOT && strlen(word) == p->token.length &&
           memcmp(p->token.text, word, p->token.length) == 0;
}

char *ptx_token_text(struct parser *p)
{
    return arena_strndup(p->a, p->token.text, p->token.length);
}

bool ptx_parser_expect(struct parser *p, char c)
{
    if (ptx_token_is(p, c))
        return ptx_parser_advance(p);
    if (p->token.kind == TOKEN_END)
        return ptx_parser_fail(p, "the text ends where '%c' is expected", c);
    return ptx_parser_fail(p, "'%c' expected before '%s'", c, ptx_token_text(p));
}

bool ptx_parser_name(struct parser *p, const char **out, const char *what)
{
    if (p->token.kind != TOKEN_NAME)
        return ptx_parser_fail(p, "%s expected", what);
    *out = ptx_token_text(p);
    return ptx_parser_advance(p);
}

bool ptx_parser_integer(struct parser *p, int64_t *out)
{
    bool minus = ptx_token_is(p, '-');
    if (minus && !ptx_parser_advance(p))
        return false;
    if (p->token.kind != TOKEN_INTEGER)
        return ptx_parser_fail(p, "a whole number expected");
    *out = minus ? (int64_t)(0 - p->token.bits) : (int64_t)p->token.bits;
    return ptx_parser_advance(p);
}

static bool skip_until(struct parser *p, char c)
{
    while (!ptx_token_is(p, c) && p->token.kind != TOKEN_END)
        if (!ptx_parser_advance(p))
            return false;
    return ptx_parser_expect(p, c);
}

static bool skip_braces(struct parser *p)
{
    int depth = 0;
    do {
        depth += ptx_token_is(p, '{');
        depth -= ptx_token_is(p, '}');
        if (p->token.kind == TOKEN_END)
            return ptx_parser_fail(p, "the text ends inside braces");
        if (!ptx_parser_advance(p))
            return false;
    } while (depth > 0);
    return true;
}

/* ---- variables ----------------------------------------------------------------------------------- */

struct initial { // an initialiser being filled
    LIST(struct ptx_relocation) relocations;
    uint8_t *bytes;
    uint64_t size, element, at;
    enum ptx_type type;
};

// The number at hand in the variable's type: floats are rounded to it, integers converted for floats.
static uint64_t initial_bits(const struct token *t, bool minus, enum ptx_type type)
{
    bool wants_float = type == PTX_TYPE_F32 || type == PTX_TYPE_F64;
    if (t->kind == TOKEN_INTEGER && !wants_float)
        return minus ? 0 - t->bits : t->bits;
    double value = (double)(int64_t)t->bits;
    if (t->kind == TOKEN_FLOAT && t->float_type == PTX_TYPE_F32) {
        if (type != PTX_TYPE_F64) // every bit stays, of NaN too
            return minus ? t->bits ^ 0x80000000u : t->bits;
        float narrow;
        memcpy(&narrow, &t->bits, sizeof narrow);
        value = (double)narrow;
    } else if (t->kind == TOKEN_FLOAT) {
        memcpy(&value, &t->bits, sizeof value);
    }
    value = minus ? -value : value;
    uint64_t bits = 0;
    float narrow = (float)value;
    if (type == PTX_TYPE_F32)
        memcpy(&bits, &narrow, sizeof narrow);
    else
        memcpy(&bits, &value, sizeof value);
    return bits;
}

static bool initial_symbol(struct parser *p, struct initial *in)
{
    struct ptx_relocation r = {.offset_bytes = in->at, .size_bytes = (int)in->element};
    if (!ptx_parser_name(p, &r.symbol, "a symbol"))
        return false;
    if (strcmp(r.symbol, "generic") == 0 && ptx_token_is(p, '(')) {
        r.generic = true;
        if (!ptx_parser_advance(p) || !ptx_parser_name(p, &r.symbol, "a symbol") ||
            !ptx_parser_expect(p, ')'))
            return false;
    }
    if (ptx_token_is(p, '+') && (!ptx_parser_advance(p) || !ptx_parser_integer(p, &r.addend)))
        return false;
    VEC_PUSH(in->relocations.items, in->relocations.count, in->relocations.capacity, r);
    return true;
}

static bool initial_value(struct parser *p, struct initial *in, int depth)
{
    if (ptx_token_is(p, '{')) {
        if (depth > SCOPES_NESTED_MAX)
            return ptx_parser_fail(p, "the initialiser is nested too deeply");
        if (!ptx_parser_advance(p))
            return false;
        while (!ptx_token_is(p, '}')) {
            if (!initial_value(p, in, depth + 1))
                return false;
            if (!ptx_token_is(p, '}') && !ptx_parser_expect(p, ','))
                return false;
        }
        return ptx_parser_advance(p);
    }
    if (in->at + in->element > in->size)
        return ptx_parser_fail(p, "the initialiser has more values than the variable");
    bool minus = ptx_token_is(p, '-');
    if (minus && !ptx_parser_advance(p))
        return false;
    if (p->token.kind == TOKEN_NAME) {
        if (!initial_symbol(p, in))
            return false;
    } else if (p->token.kind == TOKEN_INTEGER || p->token.kind == TOKEN_FLOAT) {
        uint64_t bits = initial_bits(&p->token, minus, in->type);
        memcpy(in->bytes + in->at, &bits, in->element < 8 ? in->element : 8);
        if (!ptx_parser_advance(p))
            return false;
    } else {
        return ptx_parser_fail(p, "a number or a symbol expected in the initialiser");
    }
    in->at += in->element;
    return true;
}

static bool parse_initial(struct parser *p, struct ptx_variable *v)
{
    struct initial in = {.type = v->type,
                         .size = v->size_bytes,
                         .element = (uint64_t)(ptx_type_bits(v->type) + 7) / 8};
    if (in.size > INITIAL_BYTES_MAX)
        return ptx_parser_fail(p, "'%s' is too large for an initialiser: at most %d bytes", v->name,
                               INITIAL_BYTES_MAX);
    in.bytes = arena_alloc(p->a, in.size + 8);
    bool ok = ptx_parser_advance(p) && initial_value(p, &in, 0);
    v->initial = in.bytes;
    v->relocation_count = in.relocations.count;
    v->relocations = ARENA_ARRAY(p->a, struct ptx_relocation, in.relocations.count + 1);
    if (in.relocations.count)
        memcpy(v->relocations, in.relocations.items, in.relocations.count * sizeof *v->relocations);
    free(in.relocations.items);
    return ok;
}

static bool parse_dimensions(struct parser *p, struct ptx_variable *v)
{
    uint64_t size = (uint64_t)(ptx_type_bits(v->type) + 7) / 8 * (uint64_t)v->vector;
    while (ptx_token_is(p, '[')) {
        int64_t n = -1;
        if (!ptx_parser_advance(p) || (!ptx_token_is(p, ']') && !ptx_parser_integer(p, &n)))
            return false;
        if (v->dimension_count == (int)COUNT_OF(v->dimensions))
            return ptx_parser_fail(p, "more than %d dimensions", v->dimension_count);
        v->dimensions[v->dimension_count++] = n;
        if (n >= 0 && size != 0 && (uint64_t)n > (UINT64_C(1) << 40) / size)
            return ptx_parser_fail(p, "'%s' is larger than any memory", v->name);
        size = n < 0 ? 0 : size * (uint64_t)n;
        if (!ptx_parser_expect(p, ']'))
            return false;
    }
    bool own = v->space == PTX_SPACE_LOCAL || v->space == PTX_SPACE_PARAM;
    if (own && size > THREAD_BYTES_MAX)
        return ptx_parser_fail(p, "'%s' of %llu bytes is larger than a thread's memory of %d bytes",
                               v->name, (unsigned long long)size, THREAD_BYTES_MAX);
    v->size_bytes = size;
    if (v->align_bytes == 0)
        v->align_bytes = (ptx_type_bits(v->type) + 7) / 8 * v->vector;
    return true;
}

// The words between the space and the name: .align n .v4 .f32 .ptr .global .attribute(…)
static bool parse_variable_words(struct parser *p, struct ptx_variable *v)
{
    int64_t n;
    enum ptx_space ignored;
    while (p->token.kind == TOKEN_DOT) {
        enum ptx_type type;
        if (ptx_token_is_dot(p, "align")) {
            if (!ptx_parser_advance(p) || !ptx_parser_integer(p, &n))
                return false;
            if (n < 1 || n > 65536 || (n & (n - 1)))
                return ptx_parser_fail(p, "an alignment is a power of two");
            if (v->name == NULL)
                v->align_bytes = (int)n;
            continue;
        }
        if (ptx_token_is_dot(p, "attribute")) {
            if (!skip_until(p, ')'))
                return false;
            continue;
        }
        if (ptx_find_type(p->token.text, p->token.length, &type))
            v->type = type;
        else if (p->token.length == 2 && p->token.text[0] == 'v')
            v->vector = p->token.text[1] - '0';
        else if (!ptx_token_is_dot(p, "ptr") &&
                 !ptx_find_space(p->token.text, p->token.length, &ignored))
            return ptx_parser_fail(p, "unknown word '.%s' in a declaration", ptx_token_text(p));
        // .ptr's own .align speaks of what is pointed at
        if (ptx_token_is_dot(p, "ptr")) {
            int align = v->align_bytes;
            if (!ptx_parser_advance(p))
                return false;
            while (p->token.kind == TOKEN_DOT) {
                bool is_align = ptx_token_is_dot(p, "align");
                if (!ptx_parser_advance(p) || (is_align && !ptx_parser_integer(p, &n)))
                    return false;
            }
            v->align_bytes = align;
            continue;
        }
        if (!ptx_parser_advance(p))
            return false;
    }
    if (v->type == PTX_TYPE_NONE)
        return ptx_parser_fail(p, "the declaration has no type");
    return v->vector == 1 || v->vector == 2 || v->vector == 4 || v->vector == 8 ||
           ptx_parser_fail(p, "a vector has 2 or 4 elements");
}

// like: the one before the comma, which stated type, vector and alignment; NULL for the first.
bool ptx_parse_variable(struct parser *p, enum ptx_space space, const struct ptx_variable *like,
                        struct ptx_variable *v)
{
    v->space = space;
    v->vector = like ? like->vector : 1;
    v->type = like ? like->type : PTX_TYPE_NONE;
    v->align_bytes = like ? like->align_bytes : 0;
    if (!parse_variable_words(p, v))
        return false;
    v->at = ptx_lexer_location(&p->lexer, &p->token);
    if (!ptx_parser_name(p, &v->name, "a variable's name") || !parse_dimensions(p, v))
        return false;
    if (!ptx_token_is(p, '='))
        return true;
    if (v->dimension_count == 1 && v->dimensions[0] < 0)
        return ptx_parser_fail(p, "an initialised array needs its size");
    return parse_initial(p, v);
}

bool ptx_parse_parameters(struct parser *p, struct ptx_variable **out, int *count)
{
    LIST(struct ptx_variable) list = {0};
    bool ok = ptx_parser_expect(p, '(');
    while (ok && !ptx_token_is(p, ')')) {
        struct ptx_variable v = {0};
        enum ptx_space space = PTX_SPACE_PARAM;
        if (p->token.kind == TOKEN_DOT && ptx_find_space(p->token.text, p->token.length, &space))
            ok = ptx_parser_advance(p);
        ok = ok && ptx_parse_variable(p, space, NULL, &v);
        VEC_PUSH(list.items, list.count, list.capacity, v);
        ok = ok && (ptx_token_is(p, ')') || ptx_parser_expect(p, ','));
    }
    *count = (int)list.count;
    *out = ARENA_ARRAY(p->a, struct ptx_variable, list.count + 1);
    if (list.count)
        memcpy(*out, list.items, list.count * sizeof **out);
    free(list.items);
    return ok && ptx_parser_expect(p, ')');
}

/* ---- functions ----------------------------------------------------------------------------------- */

struct linkage {
    bool is_extern, is_visible, is_weak;
};

static bool parse_three(struct parser *p, int out[3])
{
    int64_t n;
    for (int i = 0; i < 3; i++) {
        if (!ptx_parser_integer(p, &n))
            return false;
        out[i] = (int)n;
        if (!ptx_token_is(p, ','))
            return true;
        if (!ptx_parser_advance(p))
            return false;
    }
    return true;
}

static bool parse_tuning(struct parser *p, struct ptx_function *f)
{
    int ignored[3];
    while (p->token.kind == TOKEN_DOT) {
        int *to = ptx_token_is_dot(p, "maxntid")             ? f->maxntid
                  : ptx_token_is_dot(p, "reqntid")           ? f->reqntid
                  : ptx_token_is_dot(p, "minnctapersm")      ? &f->minnctapersm
                  : ptx_token_is_dot(p, "maxnreg")           ? &f->maxnreg
                  : ptx_token_is_dot(p, "reqnctapercluster") ? f->cluster
                  : ptx_token_is_dot(p, "maxnctapersm") || ptx_token_is_dot(p, "maxclusterrank")
                      ? ignored
                      : NULL;
        bool single = to == &f->minnctapersm || to == &f->maxnreg;
        int values[3] = {0, 0, 0};
        f->is_noreturn |= ptx_token_is_dot(p, "noreturn");
        if (ptx_token_is_dot(p, "pragma") || ptx_token_is_dot(p, "attribute")) {
            if (!skip_until(p, ptx_token_is_dot(p, "pragma") ? ';' : ')'))
                return false;
            continue;
        }
        if (!ptx_parser_advance(p) || (to && !parse_three(p, values)))
            return false;
        if (to)
            memcpy(to, values, single ? sizeof(int) : sizeof values);
    }
    return true;
}

static void place_parameters(struct ptx_function *f)
{
    uint64_t at = 0;
    for (int i = 0; i < f->param_count; i++) {
        struct ptx_variable *v = &f->params[i];
        uint64_t align = v->align_bytes > 0 ? (uint64_t)v->align_bytes : 1;
        at = (at + align - 1) / align * align;
        v->param_offset_bytes = at;
        at += v->size_bytes;
    }
    f->param_bytes = at;
}

static bool parse_function(struct parser *p, bool is_entry, struct linkage linkage)
{
    struct ptx_function f = {.is_entry = is_entry,
                             .is_extern = linkage.is_extern,
                             .is_visible = linkage.is_visible,
                             .is_weak = linkage.is_weak};
    if (!ptx_parser_advance(p))
        return false;
    while (ptx_token_is_dot(p, "attribute"))
        if (!skip_until(p, ')'))
            return false;
    if (ptx_token_is(p, '(') && !ptx_parse_parameters(p, &f.results, &f.result_count))
        return false;
    f.at = ptx_lexer_location(&p->lexer, &p->token);
    if (!ptx_parser_name(p, &f.name, "a function's name") ||
        (ptx_token_is(p, '(') && !ptx_parse_parameters(p, &f.params, &f.param_count)) ||
        !parse_tuning(p, &f))
        return false;
    place_parameters(&f);
    bool ok = true;
    if (ptx_token_is(p, '{')) {
        for (size_t i = 0; i < p->functions.count; i++)
            if (p->functions.items[i].has_body && strcmp(p->functions.items[i].name, f.name) == 0)
                return fail(p->err, f.at, "'%s' has a body already", f.name);
        f.has_body = true;
        p->f = &f;
        ok = ptx_parse_body(p);
        p->f = NULL;
    } else {
        ok = ptx_parser_expect(p, ';');
    }
    VEC_PUSH(p->functions.items, p->functions.count, p->functions.capacity, f);
    return ok || error_context(p->err, "in function '%s'", f.name);
}

static bool parse_module_variable(struct parser *p, enum ptx_space space, struct linkage linkage)
{
    struct ptx_variable like, *before = NULL;
    do {
        struct ptx_variable v = {.is_extern = linkage.is_extern,
                                 .is_visible = linkage.is_visible,
                                 .is_weak = linkage.is_weak};
        if (!ptx_parser_advance(p) || !ptx_parse_variable(p, space, before, &v))
            return false;
        like = v, before = &like;
        if (table_has(&p->module_names, v.name) && !linkage.is_extern)
            return fail(p->err, v.at, "'%s' is declared twice", v.name);
        VEC_PUSH(p->variables.items, p->variables.count, p->variables.capacity, v);
        table_set(&p->module_names, v.name, (void *)(uintptr_t)p->variables.count);
    } while (ptx_token_is(p, ','));
    return ptx_parser_expect(p, ';');
}

// The characters of a string token: compilers write bytes beyond ASCII as three octal digits, and a
// quote or a backslash after a backslash. Another backslash is itself.
static const char *string_text(struct parser *p)
{
    enum { OCTAL_DIGITS = 3, OCTAL_BITS = 3 };
    const char *s = p->token.text, *end = s + p->token.length;
    char *text = arena_alloc(p->a, p->token.length + 1), *to = text;
    while (s < end) {
        bool octal = end - s > OCTAL_DIGITS && s[0] == '\\' && strchr("0123", s[1]) && s[1] &&
                     strspn(s + 1, "01234567") >= OCTAL_DIGITS;
        unsigned byte = 0;
        for (int i = 1; octal && i <= OCTAL_DIGITS; i++)
            byte = byte << OCTAL_BITS | (unsigned)(s[i] - '0');
        bool quoted = end - s > 1 && s[0] == '\\' && (s[1] == '"' || s[1] == '\\');
        if (octal && byte != 0)
            *to++ = (char)byte;
        else
            *to++ = s[quoted];
        s += octal && byte != 0 ? OCTAL_DIGITS + 1 : 1 + quoted;
    }
    return text;
}

static bool parse_file(struct parser *p)
{
    int64_t index;
    if (!ptx_parser_advance(p) || !ptx_parser_integer(p, &index))
        return false;
    if (index < 0 || index > 65535)
        return ptx_parser_fail(p, "the file's number is out of range");
    if (p->token.kind != TOKEN_STRING)
        return ptx_parser_fail(p, "the file's name expected");
    struct ptx_module *m = p->module;
    if (index >= m->file_count) {
        const char **files = ARENA_ARRAY(p->a, const char *, index + 1);
        for (int i = 0; i < m->file_count; i++)
            files[i] = m->files[i];
        m->files = files;
        m->file_count = (int)index + 1;
    }
    m->files[index] = string_text(p);
    if (!ptx_parser_advance(p))
        return false;
    while (ptx_token_is(p, ',')) // time stamp, size
        if (!ptx_parser_advance(p) || !ptx_parser_advance(p))
            return false;
    return true;
}

static bool parse_version(struct parser *p)
{
    double version;
    if (!ptx_parser_advance(p))
        return false;
    if (p->token.kind != TOKEN_FLOAT)
        return ptx_parser_fail(p, "a version such as 7.5 expected");
    memcpy(&version, &p->token.bits, sizeof version);
    if (p->token.float_type != PTX_TYPE_F64 || !(version >= 1 && version < 100))
        return ptx_parser_fail(p, "a version such as 7.5 expected");
    p->module->version_major = (int)version;
    p->module->version_minor = (int)((version - (int)version) * 10 + 0.5);
    return ptx_parser_advance(p);
}

static bool parse_target(struct parser *p)
{
    if (!ptx_parser_advance(p))
        return false;
    struct location at = ptx_lexer_location(&p->lexer, &p->token);
    if (!ptx_parser_name(p, &p->module->target, "a target such as sm_90"))
        return false;
    if (!str_starts_with(p->module->target, "sm_"))
        return fail(p->err, at, "'%s' is no target of PTX: sm_70 or later expected",
                    p->module->target);
    while (ptx_token_is(p, ','))
        if (!ptx_parser_advance(p) || !ptx_parser_advance(p))
            return false;
    return true;
}

// One item of module scope.
static bool parse_item(struct parser *p)
{
    struct linkage linkage = {0};
    enum ptx_space space;
    int64_t n;
    for (;;) {
        if (ptx_token_is_dot(p, "extern"))
            linkage.is_extern = true;
        else if (ptx_token_is_dot(p, "visible"))
            linkage.is_visible = true;
        else if (ptx_token_is_dot(p, "weak") || ptx_token_is_dot(p, "common"))
            linkage.is_weak = true;
        else
            break;
        if (!ptx_parser_advance(p))
            return false;
    }
    if (ptx_token_is(p, '@')) // old DWARF: @@DWARF …
        return skip_until(p, '\n');
    if (p->token.kind != TOKEN_DOT)
        return ptx_parser_fail(p, "a directive expected, not '%s'", ptx_token_text(p));
    if (ptx_token_is_dot(p, "version"))
        return parse_version(p);
    if (ptx_token_is_dot(p, "target"))
        return parse_target(p);
    if (ptx_token_is_dot(p, "address_size")) {
        struct location at = ptx_lexer_location(&p->lexer, &p->token);
        if (!ptx_parser_advance(p) || !ptx_parser_integer(p, &n))
            return false;
        p->module->address_size = (int)n;
        return n == 64 || fail(p->err, at, "only 64-bit addresses are supported");
    }
    if (ptx_token_is_dot(p, "file"))
        return parse_file(p);
    if (ptx_token_is_dot(p, "section"))
        return ptx_parser_advance(p) && ptx_parser_advance(p) && skip_braces(p);
    if (ptx_token_is_dot(p, "pragma") || ptx_token_is_dot(p, "alias"))
        return skip_until(p, ';');
    if (ptx_token_is_dot(p, "entry") || ptx_token_is_dot(p, "func"))
        return parse_function(p, ptx_token_is_dot(p, "entry"), linkage);
    if (ptx_find_space(p->token.text, p->token.length, &space) && space != PTX_SPACE_REGISTER)
        return parse_module_variable(p, space, linkage);
    return ptx_parser_fail(p, "unknown directive '.%s'", ptx_token_text(p));
}

/* ---- the module ------------------------------------------------------------------------------------ */

static bool module_finish(struct parser *p)
{
    struct ptx_module *m = p->module;
    m->variable_count = (int)p->variables.count;
    m->variables = ARENA_ARRAY(p->a, struct ptx_variable, p->variables.count + 1);
    if (p->variables.count)
        memcpy(m->variables, p->variables.items, p->variables.count * sizeof *m->variables);
    m->function_count = (int)p->functions.count;
    m->functions = ARENA_ARRAY(p->a, struct ptx_function, p->functions.count + 1);
    if (p->functions.count)
        memcpy(m->functions, p->functions.items, p->functions.count * sizeof *m->functions);
    for (int i = 0; i < m->function_count; i++)
        if (m->functions[i].has_body &&
            !(ptx_resolve_function(p, &m->functions[i]) &&
              ptx_check_operands(p, &m->functions[i]) && ptx_build_graph(p->a, &m->functions[i])))
            return error_context(p->err, "in function '%s'", m->functions[i].name);
    return true;
}

bool ptx_parse(struct arena *a, const char *name, const char *text, size_t size_bytes,
               struct ptx_module **module, struct error *err)
{
    struct parser p = {
        .a = a, .err = err, .source_file = -1, .inlined_file = -1, .place = -1, .scope = -1};
    char *copy = arena_strndup(a, text, size_bytes);
    size_t length = strlen(copy);
    p.module = ARENA_NEW(a, struct ptx_module);
    p.module->name = arena_strdup(a, name);
    p.module->text = copy;
    p.module->address_size = 64;
    p.lexer = (struct lexer){.name = p.module->name,
                             .text = copy,
                             .at = copy,
                             .end = copy + length,
                             .line_start = copy,
                             .line = 1};
    bool ok = ptx_parser_advance(&p);
    while (ok && p.token.kind != TOKEN_END)
        ok = parse_item(&p);
    if (ok && p.module->version_major == 0)
        ok = ptx_parser_fail(&p, "this is no PTX: it has no .version");
    ok = ok && module_finish(&p);
    p.module->places = ARENA_ARRAY(a, struct ptx_place, p.places.count + 1);
    p.module->place_count = (int)p.places.count;
    if (p.places.count > 0)
        memcpy(p.module->places, p.places.items, p.places.count * sizeof *p.places.items);
    free(p.places.items);
    table_release(&p.place_names);
    table_release(&p.module_names);
    for (size_t i = 0; i < p.scopes.count; i++)
        table_release(&p.scopes.items[i].names);
    free(p.scopes.items);
    free(p.variables.items);
    free(p.functions.items);
    free(p.registers.items);
    free(p.vectors.items);
    free(p.locals.items);
    free(p.instructions.items);
    free(p.targets.items);
    free(p.prototypes.items);
    *module = ok ? p.module : NULL;
    return ok;
}
