// What `library: cublas:FUNCTION` takes: the functions and named arguments of cublas_calls.def, their kinds
// and types, and matrices no larger than their buffers. No device and no cuBLAS is needed to say so.
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cuda.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

enum argument_sort { SORT_MATRIX, SORT_SIZE, SORT_FLAG, SORT_REAL, SORT_MATH };

static const struct {
    const char *name;
    enum argument_sort sort;
} arguments[CUBLAS_ARGUMENT_COUNT] = {
#define ARGUMENT(NAME, name, sort) {name, SORT_##sort},
#include "device/cuda/cublas_calls.def"
#undef ARGUMENT
};

#define BIT(NAME) (1u << CUBLAS_ARGUMENT_##NAME)
static const struct {
    const char *name;
    unsigned required, optional;
    const char *types;
    bool c_may_be_f32;
    const char *meaning;
} functions[CUBLAS_FUNCTION_COUNT] = {
#define FUNCTION(NAME, name, required, optional, types, c_may_be_f32, meaning) \
    {name, required, optional, types, c_may_be_f32, meaning},
#include "device/cuda/cublas_calls.def"
#undef FUNCTION
};

enum cublas_function cublas_function_of(const char *name)
{
    int i = 0;
    while (i < CUBLAS_FUNCTION_COUNT && strcmp(functions[i].name, name) != 0)
        i++;
    return (enum cublas_function)i;
}

enum cublas_argument cublas_argument_of(const char *name)
{
    int i = 0;
    while (i < CUBLAS_ARGUMENT_COUNT && strcmp(arguments[i].name, name) != 0)
        i++;
    return (enum cublas_argument)i;
}

/* ---- the file ------------------------------------------------------------------------------------ */

struct call_check {
    struct arena *a;
    const struct experiment *e;
    const struct launch_spec *s;
    enum cublas_function f;
    struct error *err;
};

static bool fail_unknown_function(const struct call_check *k)
{
    const char *names[CUBLAS_FUNCTION_COUNT], *list = "", *name = k->s->library->function;
    for (int i = 0; i < CUBLAS_FUNCTION_COUNT; i++) {
        names[i] = functions[i].name;
        list = arena_printf(k->a, "%s%s%s", list, i > 0 ? ", " : "", names[i]);
    }
    const char *near = str_nearest(name, names, COUNT_OF(names));
    return near ? fail(k->err, k->s->at, "ridge does not call 'cublas:%s' (did you mean '%s'?)",
                       name, near)
                : fail(k->err, k->s->at, "ridge does not call 'cublas:%s'; it calls %s of cuBLAS",
                       name, list);
}

static bool fail_unknown_argument(const struct call_check *k, const struct argument_spec *x)
{
    const char *names[CUBLAS_ARGUMENT_COUNT], *list = "";
    size_t count = 0;
    for (int i = 0; i < CUBLAS_ARGUMENT_COUNT; i++)
        if (((functions[k->f].required | functions[k->f].optional) >> i & 1) != 0) {
            list = arena_printf(k->a, "%s%s%s", list, count > 0 ? ", " : "", arguments[i].name);
            names[count++] = arguments[i].name;
        }
    const char *near = str_nearest(x->name, names, count);
    return near
               ? fail(k->err, x->name_at, "unknown key '%s' in 'args' of '%s' (did you mean '%s'?)",
                      x->name, k->s->library->text, near)
               : fail(k->err, x->name_at, "unknown key '%s' in 'args' of '%s' (known: %s)", x->name,
                      k->s->library->text, list);
}

static const struct argument_spec *find_argument(const struct launch_spec *s,
                                                 enum cublas_argument role)
{
    for (int i = 0; i < s->arg_count; i++)
        if (strcmp(s->args[i].name, arguments[role].name) == 0)
            return &s->args[i];
    return NULL;
}

static bool check_words(const struct call_check *k, const struct argument_spec *x, const char *one,
                        const char *other, const char *said)
{
    bool known =
        x->kind == ARGUMENT_WORD && (strcmp(x->text, one) == 0 || strcmp(x->text, other) == 0);
    return known || fail(k->err, x->at, "'%s' %s, not '%s'", x->name, said, x->text);
}

static bool check_kind(const struct call_check *k, const struct argument_spec *x,
                       enum argument_sort sort)
{
    switch (sort) {
    case SORT_MATRIX:
        if (x->kind == ARGUMENT_WORD)
            return fail_unknown_buffer(k->a, k->e, x->at, x->text, false, k->err);
        return x->kind == ARGUMENT_BUFFER || fail(k->err, x->at, "'%s' must be a buffer", x->name);
    case SORT_SIZE:
    case SORT_REAL:
        if (x->kind == ARGUMENT_WORD)
            return fail_unknown_buffer(k->a, k->e, x->at, x->text, true, k->err);
        return x->kind == ARGUMENT_SCALAR || fail(k->err, x->at, "'%s' must be a number", x->name);
    case SORT_FLAG:
        return check_words(k, x, "true", "false", "must be true or false");
    case SORT_MATH:
        return check_words(k, x, "f32", "tf32", "is f32 or tf32");
    }
    return false;
}

static bool check_arguments(const struct call_check *k)
{
    unsigned known = functions[k->f].required | functions[k->f].optional;
    const struct library_call *call = k->s->library;
    for (int i = 0; i < k->s->arg_count; i++) {
        const struct argument_spec *x = &k->s->args[i];
        enum cublas_argument role = cublas_argument_of(x->name);
        if (role == CUBLAS_ARGUMENT_COUNT || (known >> role & 1) == 0)
            return fail_unknown_argument(k, x);
        if (!check_kind(k, x, arguments[role].sort))
            return false;
    }
    for (int i = 0; i < CUBLAS_ARGUMENT_COUNT; i++)
        if ((functions[k->f].required >> i & 1) != 0 &&
            !find_argument(k->s, (enum cublas_argument)i))
            return fail(k->err, call->args_at, "'args' of '%s' (%s) must have '%s'", call->text,
                        functions[k->f].meaning, arguments[i].name);
    const struct argument_spec *beta = find_argument(k->s, CUBLAS_ARGUMENT_BETA);
    return k->f != CUBLAS_GEAM || !beta || find_argument(k->s, CUBLAS_ARGUMENT_B) ||
           fail(k->err, beta->at, "'beta' of '%s' scales 'b', which is not given", call->text);
}

// One of the words of a list "f16 bf16".
static bool is_listed(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *s = list; *s != '\0'; s += strcspn(s, " "), s += strspn(s, " "))
        if (strcspn(s, " ") == n && strncmp(s, word, n) == 0)
            return true;
    return false;
}

static bool check_types(const struct call_check *k)
{
    const struct argument_spec *a = find_argument(k->s, CUBLAS_ARGUMENT_A);
    assert(a); // always required
    const char *text = k->s->library->text, *types = functions[k->f].types;
    const struct buffer_spec *first = &k->e->buffers[a->buffer];
    bool c_may_be_f32 = functions[k->f].c_may_be_f32;
    if (!is_listed(types, element_name(first->type)))
        return fail(k->err, a->at, "'%s' takes matrices of %s, and buffer '%s' is %s", text, types,
                    first->name, element_name(first->type));
    for (int i = CUBLAS_ARGUMENT_B; i <= CUBLAS_ARGUMENT_C; i++) {
        const struct argument_spec *x = find_argument(k->s, (enum cublas_argument)i);
        if (!x)
            continue;
        const struct buffer_spec *b = &k->e->buffers[x->buffer];
        bool sums = i == CUBLAS_ARGUMENT_C && c_may_be_f32 && b->type == ELEMENT_F32;
        if (b->type != first->type && !sums)
            return fail(k->err, x->at, "'%s' is %s, but buffer '%s' is %s: '%s' takes one type%s",
                        a->name, element_name(first->type), b->name, element_name(b->type), text,
                        c_may_be_f32 ? ", or f32 for 'c'" : "");
    }
    return true;
}

bool cublas_check(struct arena *a, const struct experiment *e, const struct launch_spec *s,
                  struct error *err)
{
    struct call_check k = {a, e, s, cublas_function_of(s->library->function), err};
    if (k.f == CUBLAS_FUNCTION_COUNT)
        return fail_unknown_function(&k);
    if (s->arg_count == 0 || !s->args[0].name)
        return fail(err, s->library->args_at,
                    "'%s' takes named arguments: args: {a: BUFFER, …} for %s", s->library->text,
                    functions[k.f].meaning);
    return check_arguments(&k) && check_types(&k);
}

/* ---- a case -------------------------------------------------------------------------------------- */

struct sizes {
    int64_t m, n, k;
    bool product;
};

static const char *case_text(const struct resolved_case *c)
{
    return c->point->label[0] ? c->point->label : "no parameters";
}

// A size of a matrix: a whole number that cuBLAS's int holds.
static bool read_size(const struct resolved_case *c, const struct resolved_argument *x,
                      int64_t *out, struct error *err)
{
    double v = element_load(x->type, x->value);
    *out = v >= 1 && v <= INT_MAX ? (int64_t)v : 0;
    return (*out > 0 && (double)*out == v) ||
           fail(err, x->at, "'%s' is %g with %s; it must be a whole number from 1 to %d", x->name,
                v, case_text(c), INT_MAX);
}

static bool check_room(const struct resolved_case *c, const struct resolved_argument *x,
                       const struct sizes *s, struct error *err)
{
    enum cublas_argument role = cublas_argument_of(x->name);
    const struct resolved_buffer *b = &c->buffers[x->buffer];
    int64_t rows = s->product && role == CUBLAS_ARGUMENT_B ? s->k : s->m;
    int64_t columns = s->product && role == CUBLAS_ARGUMENT_A ? s->k : s->n;
    return (uint64_t)rows * (uint64_t)columns <= b->count ||
           fail(err, x->at, "'%s' has %lld x %lld elements with %s, and buffer '%s' only %llu",
                x->name, (long long)rows, (long long)columns, case_text(c), b->name,
                (unsigned long long)b->count);
}

bool cublas_check_case(const struct resolved_case *c, const struct resolved_launch *l,
                       struct error *err)
{
    struct sizes s = {1, 1, 1, false};
    for (int i = 0; i < l->arg_count; i++) {
        enum cublas_argument role = cublas_argument_of(l->args[i].name);
        int64_t *to = role == CUBLAS_ARGUMENT_M   ? &s.m
                      : role == CUBLAS_ARGUMENT_N ? &s.n
                      : role == CUBLAS_ARGUMENT_K ? &s.k
                                                  : NULL;
        if (to && !read_size(c, &l->args[i], to, err))
            return false;
        s.product = s.product || role == CUBLAS_ARGUMENT_K;
    }
    for (int i = 0; i < l->arg_count; i++)
        if (l->args[i].kind == ARGUMENT_BUFFER && !check_room(c, &l->args[i], &s, err))
            return false;
    return true;
}
