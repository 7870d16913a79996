// An expression of host code as one of an experiment file. Names become the sizes that they stand for: a definition
// that is itself an expression is written out, a number at file scope is that number, a local number or what cannot
// be followed (an argument of the program, an array's element) is a size of its name.
// SPDX-License-Identifier: Apache-2.0
#include "device/compile/host.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct host *h;
    const struct token_list *t;
    size_t i, end;
    size_t file, at; // where names are looked up from
    int depth;
    int nesting; // of parentheses and signs
};
enum { NESTING_MAX = 100 };
static struct host_value read_choice(struct reader *r);

static const struct host_value NOTHING;

static const char *word_at(const struct reader *r, size_t i)
{
    return host_text(r->h->arena, r->t, i, i + 1);
}

static bool is_word(const struct reader *r, size_t i)
{
    return i < r->end && r->t->items[i].kind == TOKEN_WORD;
}

static bool mark(const struct reader *r, size_t i, char c)
{
    return i < r->end && token_is(r->t, i, c);
}

static struct host_value number_value(struct host *h, double n, bool whole)
{
    const char *text = arena_printf(h->arena, whole ? "%.0f" : "%.17g", n);
    if (!whole && !strpbrk(text, ".en"))
        text = arena_printf(h->arena, "%s.0", text);
    return (struct host_value){text, n, true, true, whole};
}

/* ---- sizes ---------------------------------------------------------------------------------------------- */

// "cuda_num_SMs", "sm_count": the device's own.
static bool counts_sms(const char *name)
{
    static const char *const words[] = {"numsm",   "num_sm", "sm_count",
                                        "smcount", "nsm",    "multiprocessor"};
    char lower[64];
    str_lower(name, lower, sizeof lower);
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (strstr(lower, words[i]))
            return true;
    return false;
}

static struct host_value size_value(struct host *h, const char *name, double value, bool known)
{
    enum { H200_SMS = 132 }; // for choices by size only
    size_t i = 0;
    if (!known && counts_sms(name))
        return (struct host_value){"device.sm_count", H200_SMS, true, false, true};
    while (i < h->size_count && strcmp(h->sizes[i].name, name) != 0)
        i++;
    struct declared_size size = {arena_strdup(h->arena, name), value, known};
    if (i == h->size_count)
        VEC_PUSH(h->sizes, h->size_count, h->size_capacity, size);
    else if (known && !h->sizes[i].known)
        h->sizes[i] = size;
    return (struct host_value){size.name, h->sizes[i].value, h->sizes[i].known, false, true};
}

// As an operand: in parentheses, if it is not one name, number or call.
static struct host_value operand(struct host *h, struct host_value v)
{
    int open = 0;
    bool bare = false;
    for (const char *c = v.text; c && *c; c++) {
        open += (*c == '(') - (*c == ')');
        bare = bare || (open == 0 && strchr("+-*/%<>=&|? ", *c) != NULL);
    }
    if (bare)
        v.text = arena_printf(h->arena, "(%s)", v.text);
    return v;
}

// A definition's value under its name.
static struct host_value named(struct host *h, const char *name, struct host_value v)
{
    if (v.literal)
        return v.whole ? size_value(h, name, v.number, true) : v;
    return v.text && v.known ? v : size_value(h, name, 0, false);
}

/* ---- where a name is defined ------------------------------------------------------------------------------- */

// `name = …` or `name{…}` or `name(…)` behind a type, the nearest before the token, in its function.
static bool find_local(struct reader *r, const char *name, struct host_value *out)
{
    const struct host_function *f = host_function_at(r->h, r->file, r->at);
    const struct token_list *t = &r->h->lists[r->file];
    for (size_t i = f ? r->at : 0; f && i > f->close; i--) {
        if (!token_is_word(t, i, name) || token_is(t, i - 1, '.') || token_is(t, i - 1, '>') ||
            !token_is(t, i + 1, '=') || token_is(t, i + 2, '='))
            continue;
        *out = host_evaluate(r->h, r->file, i + 2, host_item_end(t, i + 2, f->last), r->depth + 1);
        if (out->text) {
            *out = named(r->h, name, *out);
            return true;
        }
    }
    return false;
}

static size_t parameter_at(const struct token_list *t, const struct host_function *f,
                           const char *name, size_t *given, size_t *given_end)
{
    size_t n = 0;
    for (size_t i = f->open + 1; i < f->close; n++) {
        size_t end = host_item_end(t, i, f->close), last = SIZE_MAX;
        *given = *given_end = 0;
        for (size_t k = i; k < end && *given == 0; k++) {
            if (token_is(t, k, '=')) {
                *given = k + 1;
                *given_end = end;
            } else if (t->items[k].kind == TOKEN_WORD) {
                last = k;
            }
        }
        if (last != SIZE_MAX && token_is_word(t, last, name))
            return n;
        i = end + 1;
    }
    return SIZE_MAX;
}

// The n-th argument of the first call of the function.
static bool argument_of(struct reader *r, const struct host_function *f, size_t n,
                        struct host_value *out)
{
    const struct token_list *own = &r->h->lists[f->file];
    const char *function = host_text(r->h->arena, own, f->name, f->name + 1);
    for (size_t file = 0; file < r->h->source->file_count; file++) {
        const struct token_list *t = &r->h->lists[file];
        for (size_t i = 0; i + 1 < t->count; i++) {
            size_t open = i + 1;
            if (!token_is_word(t, i, function) || (file == f->file && i == f->name))
                continue;
            while (token_is(t, i + 1, '<') && open < t->count && !token_is(t, open, '(') &&
                   !token_is(t, open, ';'))
                open++;
            const struct host_function *caller = host_function_at(r->h, file, i);
            if (!token_is(t, open, '(') || !caller || caller == f)
                continue;
            size_t end = token_closing(t, open, t->count), begin = open + 1;
            for (size_t k = 0; k < n && begin < end; k++)
                begin = host_item_end(t, begin, end) + 1;
            if (begin >= end)
                continue;
            *out = host_evaluate(r->h, file, begin, host_item_end(t, begin, end), r->depth + 1);
            return true;
        }
    }
    return false;
}

static bool find_parameter(struct reader *r, const char *name, struct host_value *out)
{
    const struct host_function *f = host_function_at(r->h, r->file, r->at);
    size_t given = 0, given_end = 0;
    size_t n = f ? parameter_at(&r->h->lists[r->file], f, name, &given, &given_end) : SIZE_MAX;
    if (n == SIZE_MAX)
        return false;
    if (argument_of(r, f, n, out)) {
        // A caller's own size keeps its name.
        bool is_name = out->text && !out->literal && is_word_character(*out->text) &&
                       strpbrk(out->text, " ()+-*/") == NULL;
        *out = is_name && strcmp(out->text, name) == 0 ? *out : named(r->h, name, *out);
    } else if (given > 0) {
        *out = named(r->h, name, host_evaluate(r->h, r->file, given, given_end, r->depth + 1));
    } else {
        *out = size_value(r->h, name, 0, false);
    }
    return true;
}

static bool find_template_parameter(struct reader *r, const char *name, size_t i,
                                    struct host_value *out)
{
    if (r->t != &r->h->lists[r->file] || !host_function_at(r->h, r->file, i))
        return false;
    const char *text = host_template_value(r->h, r->file, i, i + 1, true, r->depth + 1);
    char *end = NULL;
    double n = strtod(text, &end);
    if (strcmp(text, name) == 0 || end == text || *end)
        return false;
    *out = number_value(r->h, n, true);
    return true;
}

// What a text of a macro says, at the place that uses it.
static struct host_value macro_value(struct reader *r, const char *text, size_t size)
{
    struct token_list t = {0};
    tokens_read(text, size, &t);
    struct reader inner = {r->h, &t, 0, t.count, r->file, r->at, r->depth + 1, r->nesting + 1};
    struct host_value v = t.count > 0 ? read_choice(&inner) : NOTHING;
    if (inner.i < t.count)
        v = NOTHING;
    tokens_release(&t);
    return v;
}

static bool find_macro(struct reader *r, const char *name, struct host_value *out)
{
    size_t length = strlen(name);
    for (size_t file = 0; file < r->h->source->file_count; file++) {
        const struct token_list *t = &r->h->lists[file];
        for (size_t i = 0; i < t->count; i++) {
            const char *line = t->text + t->items[i].begin, *after = NULL;
            const char *end = t->text + t->items[i].end;
            if (t->items[i].kind != TOKEN_DIRECTIVE || directive_word(line, &after) != 6 ||
                memcmp(after - 6, "define", 6) != 0)
                continue;
            after += strspn(after, " \t");
            if (strncmp(after, name, length) != 0 || is_word_character(after[length]) ||
                after[length] == '(' || after + length >= end)
                continue;
            *out = macro_value(r, after + length, (size_t)(end - after) - length);
            if (out->text)
                return true;
        }
    }
    return false;
}

// Is the variable that token i names declared with const or constexpr?
static bool is_constant(const struct token_list *t, size_t i)
{
    for (size_t k = i; k-- > 0 && !token_is(t, k, ';') && !token_is(t, k, '}');)
        if (token_is_word(t, k, "const") || token_is_word(t, k, "constexpr"))
            return true;
    return false;
}

// enum { a, name = 4, … }
static bool find_enumerator(struct reader *r, const char *name, struct host_value *out)
{
    for (size_t file = 0; file < r->h->source->file_count; file++) {
        const struct token_list *t = &r->h->lists[file];
        for (size_t i = 0; i + 1 < t->count; i++) {
            size_t open = i + 1, limit = i + 6;
            if (!token_is_word(t, i, "enum"))
                continue;
            while (open < limit && open < t->count && !token_is(t, open, '{'))
                open++;
            if (!token_is(t, open, '{'))
                continue;
            size_t close = token_closing(t, open, t->count);
            double next = 0;
            for (size_t k = open + 1; k < close; next++) {
                size_t end = host_item_end(t, k, close);
                if (token_is(t, k + 1, '='))
                    next = host_evaluate(r->h, file, k + 2, end, r->depth + 1).number;
                if (token_is_word(t, k, name)) {
                    *out = number_value(r->h, next, true);
                    return true;
                }
                k = end + 1;
            }
        }
    }
    return false;
}

// Constants and variables at file scope.
static bool find_global(struct reader *r, const char *name, struct host_value *out)
{
    for (size_t file = 0; file < r->h->source->file_count; file++) {
        const struct token_list *t = &r->h->lists[file];
        for (size_t i = 1; i + 2 < t->count; i++) {
            if (!token_is_word(t, i, name) || !token_is(t, i + 1, '=') || token_is(t, i + 2, '=') ||
                t->items[i - 1].kind != TOKEN_WORD || host_function_at(r->h, file, i))
                continue;
            *out =
                host_evaluate(r->h, file, i + 2, host_item_end(t, i + 2, t->count), r->depth + 1);
            if (out->text && !is_constant(t, i))
                *out = size_value(r->h, name, out->number, out->known && out->number > 0);
            if (out->text)
                return true;
        }
    }
    return false;
}

static struct host_value name_value(struct reader *r, const char *name, size_t token)
{
    struct host_value v = NOTHING;
    if (strcmp(name, "true") == 0 || strcmp(name, "false") == 0)
        return number_value(r->h, strcmp(name, "true") == 0, true);
    if (strcmp(name, "warpSize") == 0)
        return number_value(r->h, 32, true);
    if (r->depth > HOST_DEPTH_MAX || ++r->h->lookups > HOST_LOOKUPS_MAX)
        return size_value(r->h, name, 0, false);
    if (find_local(r, name, &v) || find_parameter(r, name, &v) ||
        find_template_parameter(r, name, token, &v) || find_macro(r, name, &v) ||
        find_enumerator(r, name, &v) || find_global(r, name, &v))
        return v;
    return size_value(r->h, name, 0, false);
}

/* ---- dimensions --------------------------------------------------------------------------------------------- */

static void read_dimensions(struct host *h, size_t file, size_t begin, size_t end, int depth,
                            const char *out[3])
{
    const struct token_list *t = &h->lists[file];
    for (int i = 0; i < 3 && begin < end; i++) {
        size_t stop = host_item_end(t, begin, end);
        out[i] = host_evaluate(h, file, begin, stop, depth + 1).text;
        begin = stop + 1;
    }
}

// `dim3 name(a, b)`, `dim3 name = …`, `dim3 name{a, b}`, before the token or at file scope.
static bool named_dimensions(struct host *h, size_t file, size_t token, int depth,
                             const char *out[3])
{
    const struct token_list *t = &h->lists[file];
    const struct host_function *f = host_function_at(h, file, token);
    const char *name = host_text(h->arena, t, token, token + 1);
    for (size_t i = token; f && i-- > f->close + 1;) {
        size_t open = i + 1;
        if (!token_is_word(t, i, name))
            continue;
        bool set = token_is(t, open, '=') && !token_is(t, open + 1, '=');
        if (set) {
            size_t end = host_item_end(t, open + 1, f->last);
            host_dimensions(h, file, open + 1, end, depth + 1, out);
            return out[0] != NULL;
        }
        bool declared = t->items[i - 1].kind == TOKEN_WORD || token_is(t, i - 1, ',');
        if (declared && (token_is(t, open, '(') || token_is(t, open, '{'))) {
            read_dimensions(h, file, open + 1, token_closing(t, open, f->last), depth, out);
            return out[0] != NULL;
        }
    }
    return false;
}

void host_dimensions(struct host *h, size_t file, size_t begin, size_t end, int depth,
                     const char *out[3])
{
    const struct token_list *t = &h->lists[file];
    bool called = begin + 1 < end && token_is_word(t, begin, "dim3") &&
                  (token_is(t, begin + 1, '(') || token_is(t, begin + 1, '{'));
    size_t open = called ? begin + 1 : begin;
    out[0] = out[1] = out[2] = NULL;
    if (depth > HOST_DEPTH_MAX || begin >= end)
        return;
    if (called || token_is(t, begin, '{'))
        read_dimensions(h, file, open + 1, token_closing(t, open, end), depth, out);
    else if (!(end == begin + 1 && t->items[begin].kind == TOKEN_WORD &&
               named_dimensions(h, file, begin, depth, out)))
        out[0] = host_evaluate(h, file, begin, end, depth + 1).text;
}

/* ---- expressions -------------------------------------------------------------------------------------------- */

static struct host_value call_value(struct reader *r, const char *name, struct host_value *a, int n)
{
    static const struct {
        const char *host, *ours;
        int arguments;
    } calls[] = {{"min", "min", 2},   {"max", "max", 2},     {"fmin", "min", 2},
                 {"fmax", "max", 2},  {"MIN", "min", 2},     {"MAX", "max", 2},
                 {"ceil", "ceil", 1}, {"ceilf", "ceil", 1},  {"floor", "floor", 1},
                 {"sqrt", "sqrt", 1}, {"sqrtf", "sqrt", 1},  {"log2", "log2", 1},
                 {"abs", "abs", 1},   {"floorf", "floor", 1}};
    char lower[64];
    str_lower(name, lower, sizeof lower);
    bool known = n > 0 && a[0].known && (n < 2 || a[1].known);
    if (n < 1 || !a[0].text || (n > 1 && !a[1].text))
        return NOTHING;
    for (size_t i = 0; i < COUNT_OF(calls); i++)
        if (strcmp(calls[i].host, name) == 0 && calls[i].arguments == n) {
            struct host_value v = {.known = false, .whole = a[0].whole || lower[0] == 'c'};
            v.text =
                n == 2 ? arena_printf(r->h->arena, "%s(%s,%s)", calls[i].ours, a[0].text, a[1].text)
                       : arena_printf(r->h->arena, "%s(%s)", calls[i].ours, a[0].text);
            if (n == 2)
                v.number = lower[1] == 'i' || lower[2] == 'i' ? fmin(a[0].number, a[1].number)
                                                              : fmax(a[0].number, a[1].number);
            else
                v.number = calls[i].ours[0] == 'c'   ? ceil(a[0].number)
                           : calls[i].ours[0] == 'f' ? floor(a[0].number)
                           : calls[i].ours[0] == 's' ? sqrt(a[0].number)
                           : calls[i].ours[0] == 'l' ? log2(a[0].number)
                                                     : fabs(a[0].number);
            v.known = known;
            return v;
        }
    if (n == 2 && (strstr(lower, "div") || strstr(lower, "ceil"))) // however they call it
        return (struct host_value){
            arena_printf(r->h->arena, "ceil_div(%s,%s)", a[0].text, a[1].text),
            a[1].number != 0 ? ceil(a[0].number / a[1].number) : 0, known, false, true};
    return NOTHING;
}

static struct host_value read_call(struct reader *r, const char *name)
{
    enum { ARGUMENTS_MAX = 2 };
    struct host_value a[ARGUMENTS_MAX] = {{0}};
    size_t close = token_closing(r->t, r->i, r->end);
    int n = 0;
    for (r->i++; r->i < close && n < ARGUMENTS_MAX; n++) {
        struct reader inner = *r;
        inner.end = host_item_end(r->t, r->i, close);
        a[n] = read_choice(&inner);
        if (inner.i < inner.end)
            a[n] = NOTHING;
        r->i = inner.end + 1;
    }
    bool more = r->i < close;
    r->i = close + 1;
    return more ? NOTHING : call_value(r, name, a, n);
}

static struct host_value sizeof_value(struct reader *r)
{
    size_t close = token_closing(r->t, r->i, r->end), begin = r->i + 1, last = close;
    int elements = 0;
    enum element_type type;
    r->i = close + 1;
    while (last > begin && token_is(r->t, last - 1, '*'))
        last--;
    if (last < close)
        return number_value(r->h, 8, true);
    if (begin >= last)
        return NOTHING;
    const char *text = arena_strndup(r->h->arena, r->t->text + r->t->items[begin].begin,
                                     r->t->items[last - 1].end - r->t->items[begin].begin);
    bool ours = declared_element(r->h->arena, r->h->source, text, &type, &elements);
    if (!ours && last == begin + 1) {
        text = host_template_value(r->h, r->file, begin, last, true, r->depth + 1);
        ours = declared_element(r->h->arena, r->h->source, text, &type, &elements);
    }
    return ours ? number_value(r->h, (double)elements * (int)element_bytes(type), true) : NOTHING;
}

// A name with what follows it: a call, a member, an index.
static struct host_value read_name(struct reader *r)
{
    size_t token = r->i;
    const char *name = word_at(r, r->i++);
    if (strcmp(name, "sizeof") == 0 && mark(r, r->i, '('))
        return sizeof_value(r);
    if (strcmp(name, "static_cast") == 0 && mark(r, r->i, '<')) {
        while (r->i < r->end && !mark(r, r->i, '('))
            r->i++;
        struct host_value v =
            r->i < r->end ? read_choice(&(struct reader){r->h, r->t, r->i + 1,
                                                         token_closing(r->t, r->i, r->end), r->file,
                                                         r->at, r->depth + 1, r->nesting + 1})
                          : NOTHING;
        r->i = r->i < r->end ? token_closing(r->t, r->i, r->end) + 1 : r->end;
        return v;
    }
    const char *scope = NULL;
    while (mark(r, r->i, ':') && mark(r, r->i + 1, ':') && is_word(r, r->i + 2)) {
        scope = name;
        name = word_at(r, r->i + 2);
        r->i += 3;
    }
    if (mark(r, r->i, '('))
        return read_call(r, name);
    if (scope && strcmp(scope, "std") != 0) {
        struct host_value v = NOTHING;
        return find_enumerator(r, name, &v) || find_global(r, name, &v)
                   ? operand(r->h, v)
                   : size_value(r->h, arena_printf(r->h->arena, "%s_%s", scope, name), 0, false);
    }
    bool simple = true;
    while (r->i < r->end) {
        if (mark(r, r->i, '['))
            r->i = token_closing(r->t, r->i, r->end) + 1;
        else if (mark(r, r->i, '.') && is_word(r, r->i + 1))
            name = word_at(r, (r->i += 2) - 1);
        else if (mark(r, r->i, '-') && mark(r, r->i + 1, '>') && is_word(r, r->i + 2))
            name = word_at(r, (r->i += 3) - 1);
        else
            break;
        simple = false;
    }
    if (simple)
        return operand(r->h, name_value(r, name, token));
    if (strcmp(name, "multiProcessorCount") == 0)
        return (struct host_value){"device.sm_count", 132, true, false, true};
    if (strcmp(name, "maxThreadsPerMultiProcessor") == 0)
        return number_value(r->h, 2048, true);
    static const char axes[] = "xyz";
    const char *dimensions[3] = {NULL, NULL, NULL}, *axis = strchr(axes, *name);
    if (axis && *name && !name[1] && r->t == &r->h->lists[r->file] &&
        named_dimensions(r->h, r->file, token, r->depth + 1, dimensions)) {
        const char *text = dimensions[axis - axes] ? dimensions[axis - axes] : "1";
        char *end = NULL;
        double n = strtod(text, &end);
        return operand(r->h, (struct host_value){text, n, !*end, false, true});
    }
    return size_value(r->h, name, 0, false);
}

static bool is_type_word(const struct reader *r, size_t i)
{
    static const char *const words[] = {"int",      "unsigned", "long",   "short",   "size_t",
                                        "float",    "double",   "const",  "uint",    "uint32_t",
                                        "uint64_t", "int64_t",  "signed", "int32_t", "char"};
    for (size_t n = 0; n < COUNT_OF(words); n++)
        if (is_word(r, i) && token_is_word(r->t, i, words[n]))
            return true;
    return false;
}

static struct host_value read_number(struct reader *r)
{
    const char *text = word_at(r, r->i++);
    char *end = NULL;
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    double n = strtod(text, &end);
    bool whole = hex || strpbrk(text, ".eEfF") == NULL;
    return end > text ? number_value(r->h, n, whole) : NOTHING;
}

static struct host_value read_operand(struct reader *r);

static struct host_value read_unary(struct reader *r)
{
    if (r->nesting > NESTING_MAX)
        return NOTHING;
    r->nesting++;
    struct host_value v = read_operand(r);
    r->nesting--;
    return v;
}

static struct host_value read_operand(struct reader *r)
{
    if (mark(r, r->i, '(')) {
        size_t close = token_closing(r->t, r->i, r->end), type = r->i + 1;
        bool real = false;
        while (type < close && is_type_word(r, type)) {
            real =
                real || token_is_word(r->t, type, "float") || token_is_word(r->t, type, "double");
            type++;
        }
        if (type == close && type > r->i + 1) { // a cast
            r->i = close + 1;
            struct host_value v = read_unary(r);
            if (v.text && real && v.whole)
                v = (struct host_value){arena_printf(r->h->arena, "1.0*%s", v.text), v.number,
                                        v.known, false, false};
            else if (v.text && !real && !v.whole)
                v = (struct host_value){arena_printf(r->h->arena, "floor(%s)", v.text),
                                        floor(v.number), v.known, false, true};
            return v;
        }
        struct reader inner = *r;
        inner.i++;
        inner.end = close;
        struct host_value v = read_choice(&inner);
        r->i = close + 1;
        return inner.i < close ? NOTHING : operand(r->h, v);
    }
    if (mark(r, r->i, '-') || mark(r, r->i, '+')) {
        bool minus = mark(r, r->i++, '-');
        struct host_value v = read_unary(r);
        return v.text && minus ? (struct host_value){arena_printf(r->h->arena, "-%s", v.text),
                                                     -v.number, v.known, v.literal, v.whole}
                               : v;
    }
    if (r->i < r->end && r->t->items[r->i].kind == TOKEN_NUMBER)
        return read_number(r);
    return is_word(r, r->i) ? read_name(r) : NOTHING;
}

static const struct operation {
    const char *host, *ours;
    int rank;
} operations[] = {{"||", "||", 1}, {"&&", "&&", 2}, {"==", "==", 3}, {"!=", "!=", 3},
                  {"<=", "<=", 4}, {">=", ">=", 4}, {"<<", "<<", 5}, {">>", ">>", 5},
                  {"<", "<", 4},   {">", ">", 4},   {"+", "+", 6},   {"-", "-", 6},
                  {"*", "*", 7},   {"/", "/", 7},   {"%", "%", 7}};

static const struct operation *operation_at(const struct reader *r)
{
    for (size_t i = 0; i < COUNT_OF(operations); i++) {
        const char *s = operations[i].host;
        if (mark(r, r->i, s[0]) && (!s[1] || mark(r, r->i + 1, s[1])))
            return &operations[i];
    }
    return NULL;
}

static double computed(const struct operation *o, double a, double b, bool whole)
{
    switch (o->host[0]) {
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    case '/':
        return b == 0 ? 0 : whole ? trunc(a / b) : a / b;
    case '%':
        return b == 0 ? 0 : fmod(a, b);
    case '<':
        return o->host[1] == '<' ? a * exp2(b) : o->host[1] == '=' ? a <= b : a < b;
    case '>':
        return o->host[1] == '>' ? floor(a / exp2(b)) : o->host[1] == '=' ? a >= b : a > b;
    case '=':
        return a == b;
    case '!':
        return a != b;
    case '&':
        return a != 0 && b != 0;
    default:
        return a != 0 || b != 0;
    }
}

static struct host_value read_binary(struct reader *r, int rank)
{
    struct host_value a = read_unary(r);
    const struct operation *o;
    while (a.text && (o = operation_at(r)) != NULL && o->rank >= rank) {
        r->i += strlen(o->host);
        struct host_value b = read_binary(r, o->rank + 1);
        bool shift = o->rank == 5;
        if (!b.text || (shift && !b.literal))
            return NOTHING;
        struct host_value v = {.number = computed(o, a.number, b.number, a.whole && b.whole),
                               .known = a.known && b.known,
                               .literal = a.literal && b.literal,
                               .whole = (a.whole && b.whole) || o->rank < 6};
        if (v.literal)
            v = number_value(r->h, v.number, v.whole);
        else if (shift)
            v.text = arena_printf(r->h->arena, "%s%s%.0f", a.text, o->host[0] == '<' ? "*" : "/",
                                  exp2(b.number));
        else
            v.text = arena_printf(r->h->arena, o->rank < 6 ? "(%s %s %s)" : "%s%s%s", a.text,
                                  o->ours, b.text);
        a = v;
    }
    return a;
}

static struct host_value read_choice(struct reader *r)
{
    struct host_value condition = read_binary(r, 1);
    if (!condition.text || !mark(r, r->i, '?'))
        return condition;
    if (++r->nesting > NESTING_MAX)
        return NOTHING;
    r->i++;
    struct host_value a = read_choice(r);
    if (!a.text || !mark(r, r->i, ':'))
        return NOTHING;
    r->i++;
    struct host_value b = read_choice(r);
    if (!b.text)
        return NOTHING;
    struct host_value chosen = condition.number != 0 ? a : b;
    if (condition.known)
        return chosen;
    chosen.text = arena_printf(r->h->arena, "(%s ? %s : %s)", condition.text, a.text, b.text);
    chosen.known = chosen.literal = false;
    return chosen;
}

struct host_value host_evaluate(struct host *h, size_t file, size_t begin, size_t end, int depth)
{
    struct reader r = {h, &h->lists[file], begin, end, file, begin, depth, 0};
    if (depth > HOST_DEPTH_MAX || begin >= end)
        return NOTHING;
    r.at = begin > 0 ? begin - 1 : 0;
    struct host_value v = read_choice(&r);
    return r.i < end ? NOTHING : v;
}
