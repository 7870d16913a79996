// Variants that call a library: `library: cublas:FUNCTION` with the named arguments of cublas.def, or
// `library: FILE.so:FUNCTION` (a plug-in, include/ridge_peer.h) with a list as a kernel has. Whether
// the library is there is the device's affair.
// SPDX-License-Identifier: Apache-2.0
#include "experiment/internal.h"

#include <limits.h>
#include <string.h>

enum argument_sort { SORT_MATRIX, SORT_SIZE, SORT_FLAG, SORT_REAL, SORT_MATH };

static const struct {
    const char *name;
    enum argument_sort sort;
} arguments[CUBLAS_ARGUMENT_COUNT] = {
#define ARGUMENT(NAME, name, sort) {name, SORT_##sort},
#include "experiment/cublas.def"
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
#include "experiment/cublas.def"
#undef FUNCTION
};

/* ---- the name ---------------------------------------------------------------------------------- */

static bool find_function(struct loader *l, const struct yaml_node *node, const char *name,
                          enum cublas_function *out)
{
    const char *names[CUBLAS_FUNCTION_COUNT];
    const char *list = "";
    for (int i = 0; i < CUBLAS_FUNCTION_COUNT; i++) {
        names[i] = functions[i].name;
        list = arena_printf(l->a, "%s%s%s", list, i > 0 ? ", " : "", names[i]);
        if (strcmp(name, names[i]) == 0) {
            *out = (enum cublas_function)i;
            return true;
        }
    }
    const char *near = str_nearest(name, names, COUNT_OF(names));
    return near != NULL
               ? fail(l->err, node->at, "ridge does not call 'cublas:%s' (did you mean '%s'?)",
                      name, near)
               : fail(l->err, node->at, "ridge does not call 'cublas:%s'; it calls %s of cuBLAS",
                      name, list);
}

static bool load_call(struct loader *l, const struct yaml_node *node, struct library_call *out)
{
    if (!yaml_string(node, "'library'", &out->text, l->err)) {
        return false;
    }
    const char *colon = strrchr(out->text, ':');
    bool named = colon != NULL && colon > out->text && is_identifier(colon + 1);
    out->file = named ? arena_strndup(l->a, out->text, (size_t)(colon - out->text)) : "";
    out->function = named ? colon + 1 : NULL;
    out->directory = l->e->directory;
    if (strcmp(out->file, "cublas") == 0) {
        out->kind = LIBRARY_CUBLAS;
        return find_function(l, node, out->function, &out->cublas);
    }
    out->kind = LIBRARY_PLUGIN;
    if (!str_ends_with(out->file, ".so")) {
        return fail(l->err, node->at,
                    "'library' is written cublas:FUNCTION or FILE.so:FUNCTION, not '%s'",
                    out->text);
    }
    if (strchr(out->file, '/') != NULL) {
        out->file = path_join(l->a, l->e->directory, out->file);
    }
    return true;
}

/* ---- named arguments --------------------------------------------------------------------------- */

static bool load_word(struct loader *l, const struct yaml_node *node, const char *expression,
                      struct argument_spec *out)
{
    out->typed = true;
    out->type = ELEMENT_I64;
    return expression_parse(l->a, expression, node->at, &out->value, l->err);
}

static bool load_math(struct loader *l, const struct yaml_node *node, struct argument_spec *out)
{
    const char *s = NULL;
    if (!yaml_string(node, "'math'", &s, l->err)) {
        return false;
    }
    bool tf32 = strcmp(s, "tf32") == 0;
    return tf32 || strcmp(s, "f32") == 0
               ? load_word(l, node, tf32 ? "1" : "0", out)
               : fail(l->err, node->at, "'math' is f32 or tf32, not '%s'", s);
}

static bool load_named(struct loader *l, const struct yaml_node *node, struct argument_spec *out)
{
    const char *name = arguments[out->role].name;
    enum cublas_argument role = out->role;
    bool flag = false;
    switch (arguments[role].sort) {
    case SORT_FLAG:
        return yaml_bool(node, arena_printf(l->a, "'%s'", name), &flag, l->err) &&
               load_word(l, node, flag ? "1" : "0", out);
    case SORT_MATH:
        return load_math(l, node, out);
    case SORT_MATRIX:
    case SORT_SIZE:
    case SORT_REAL:
        break;
    }
    if (!load_argument(l, node, out)) {
        return false;
    }
    out->role = role;
    bool matrix = arguments[role].sort == SORT_MATRIX;
    if (matrix != (out->kind == ARGUMENT_BUFFER)) {
        return fail(l->err, node->at, matrix ? "'%s' must be a buffer" : "'%s' must be a number",
                    name);
    }
    out->typed = true;
    out->type = arguments[role].sort == SORT_REAL ? ELEMENT_F64 : ELEMENT_I64;
    return true;
}

static const struct argument_spec *find_argument(const struct launch_spec *s,
                                                 enum cublas_argument role)
{
    for (int i = 0; i < s->arg_count; i++) {
        if (s->args[i].role == role) {
            return &s->args[i];
        }
    }
    return NULL;
}

// One of the words of a list "f16 bf16".
static bool is_listed(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *s = list; *s != '\0'; s += strcspn(s, " "), s += strspn(s, " ")) {
        if (strcspn(s, " ") == n && strncmp(s, word, n) == 0) {
            return true;
        }
    }
    return false;
}

static bool check_types(struct loader *l, const struct launch_spec *s)
{
    enum cublas_function f = s->library->cublas;
    const struct argument_spec *a = &s->args[0]; // the table's first, and always required
    enum element_type wanted = l->e->buffers[a->buffer].type;
    if (!is_listed(functions[f].types, element_name(wanted))) {
        return fail(l->err, a->at, "'%s' takes matrices of %s, and buffer '%s' is %s",
                    s->library->text, functions[f].types, l->e->buffers[a->buffer].name,
                    element_name(wanted));
    }
    for (int i = 0; i < s->arg_count; i++) {
        const struct argument_spec *x = &s->args[i];
        if (arguments[x->role].sort != SORT_MATRIX) {
            continue;
        }
        const struct buffer_spec *b = &l->e->buffers[x->buffer];
        bool sums =
            x->role == CUBLAS_ARGUMENT_C && functions[f].c_may_be_f32 && b->type == ELEMENT_F32;
        if (b->type != wanted && !sums) {
            return fail(l->err, x->at, "'%s' is %s, but buffer '%s' is %s: '%s' takes one type%s",
                        arguments[CUBLAS_ARGUMENT_A].name, element_name(wanted), b->name,
                        element_name(b->type), s->library->text,
                        functions[f].c_may_be_f32 ? ", or f32 for 'c'" : "");
        }
    }
    return true;
}

static bool load_named_args(struct loader *l, const struct yaml_node *args, struct launch_spec *out)
{
    enum cublas_function f = out->library->cublas;
    const char *names[CUBLAS_ARGUMENT_COUNT];
    size_t known = 0;
    const char *what = arena_printf(l->a, "'args' of '%s'", out->library->text);
    if (args == NULL || args->kind != YAML_MAP) {
        return fail(l->err, args != NULL ? args->at : out->at,
                    "'%s' takes named arguments: args: {a: BUFFER, …} for %s", out->library->text,
                    functions[f].meaning);
    }
    for (int i = 0; i < CUBLAS_ARGUMENT_COUNT; i++) {
        if (((functions[f].required | functions[f].optional) >> i & 1) != 0) {
            names[known++] = arguments[i].name;
        }
    }
    if (!yaml_check_keys(args, what, names, known, l->err)) {
        return false;
    }
    out->args = ARENA_ARRAY(l->a, struct argument_spec, known + 1);
    for (int i = 0; i < CUBLAS_ARGUMENT_COUNT; i++) {
        const struct yaml_node *n = yaml_get(args, arguments[i].name);
        if (n == NULL && (functions[f].required >> i & 1) != 0) {
            return fail(l->err, args->at, "%s (%s) must have '%s'", what, functions[f].meaning,
                        arguments[i].name);
        }
        if (n == NULL) {
            continue;
        }
        struct argument_spec *x = &out->args[out->arg_count++];
        *x = (struct argument_spec){
            .kind = ARGUMENT_SCALAR, .role = (enum cublas_argument)i, .buffer = -1, .at = n->at};
        if (!load_named(l, n, x)) {
            return false;
        }
    }
    const struct argument_spec *b = find_argument(out, CUBLAS_ARGUMENT_B);
    const struct argument_spec *beta = find_argument(out, CUBLAS_ARGUMENT_BETA);
    if (f == CUBLAS_GEAM && b == NULL && beta != NULL) {
        return fail(l->err, beta->at, "'beta' of '%s' scales 'b', which is not given",
                    out->library->text);
    }
    return check_types(l, out);
}

/* ---- the step ---------------------------------------------------------------------------------- */

bool load_library_keys(struct loader *l, const struct yaml_node *node, struct launch_spec *out)
{
    static const char *const kernels[] = {"kernel", "grid", "block", "shared_bytes"};
    const struct yaml_node *library = yaml_get(node, "library");
    const struct yaml_node *args = yaml_get(node, "args");
    struct library_call *call = ARENA_NEW(l->a, struct library_call);
    *out = (struct launch_spec){
        .kind = LAUNCH_LIBRARY, .library = call, .zero_buffer = -1, .at = library->at};
    for (size_t i = 0; i < COUNT_OF(kernels); i++) {
        const struct yaml_node *n = yaml_get(node, kernels[i]);
        if (n != NULL) {
            return fail(l->err, n->at, "'%s' is for kernels: 'library' launches its own",
                        kernels[i]);
        }
    }
    if (!load_call(l, library, call)) {
        return false;
    }
    if (call->kind == LIBRARY_CUBLAS) {
        return load_named_args(l, args, out);
    }
    return args == NULL || load_args(l, args, out);
}

/* ---- sizes ------------------------------------------------------------------------------------- */

static int64_t size_of(const struct launch_spec *s, const struct resolved_launch *r,
                       enum cublas_argument role)
{
    const struct argument_spec *x = find_argument(s, role);
    int64_t v = 1;
    if (x != NULL) {
        memcpy(&v, r->args[x - s->args].value, sizeof v);
    }
    return v;
}

bool library_check_sizes(const struct experiment *e, const struct launch_spec *s,
                         const struct resolved_launch *r, const uint64_t *counts, const char *where,
                         struct error *err)
{
    if (s->library->kind != LIBRARY_CUBLAS) {
        return true;
    }
    for (int i = 0; i < s->arg_count; i++) {
        int64_t v = size_of(s, r, s->args[i].role);
        if (arguments[s->args[i].role].sort == SORT_SIZE && (v < 1 || v > INT_MAX)) {
            return fail(err, s->args[i].at, "'%s' is %lld with %s; it must be 1 to %d",
                        arguments[s->args[i].role].name, (long long)v, where, INT_MAX);
        }
    }
    int64_t m = size_of(s, r, CUBLAS_ARGUMENT_M), n = size_of(s, r, CUBLAS_ARGUMENT_N),
            k = size_of(s, r, CUBLAS_ARGUMENT_K);
    bool product = find_argument(s, CUBLAS_ARGUMENT_K) != NULL;
    for (int i = 0; i < s->arg_count; i++) {
        const struct argument_spec *x = &s->args[i];
        if (x->kind != ARGUMENT_BUFFER) {
            continue;
        }
        int64_t rows = product && x->role == CUBLAS_ARGUMENT_B ? k : m;
        int64_t columns = product && x->role == CUBLAS_ARGUMENT_A ? k : n;
        if ((uint64_t)rows * (uint64_t)columns > counts[x->buffer]) {
            return fail(err, x->at,
                        "'%s' has %lld x %lld elements with %s, and buffer '%s' only %llu",
                        arguments[x->role].name, (long long)rows, (long long)columns, where,
                        e->buffers[x->buffer].name, (unsigned long long)counts[x->buffer]);
        }
    }
    return true;
}
