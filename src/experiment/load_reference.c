// Reading an experiment file: the reference, what it is called with, and whether that proves anything.
// SPDX-License-Identifier: Apache-2.0
#include "experiment/internal.h"

#include <string.h>

static bool load_call(struct loader *l, const struct yaml_node *node, const char *what)
{
    const char *s = NULL;
    if (!yaml_string(node, what, &s, l->err)) {
        return false;
    }
    const char *colon = strrchr(s, ':');
    if (colon == NULL || colon == s || !is_identifier(colon + 1)) {
        return fail(l->err, node->at,
                    "%s is written FILE.c:FUNCTION, or FILE.py:FUNCTION, not '%s'", what, s);
    }
    struct reference_spec *r = &l->e->reference;
    r->kind = REFERENCE_CALL;
    r->function = arena_strdup(l->a, colon + 1);
    r->source = path_join(l->a, l->e->directory, arena_strndup(l->a, s, (size_t)(colon - s)));
    r->python = str_ends_with(r->source, ".py");
    return file_exists(r->source) ||
           fail(l->err, node->at, "%s: the file '%s' does not exist", what, r->source);
}

bool load_reference(struct loader *l, const struct yaml_node *node)
{
    if (node == NULL) {
        return true;
    }
    l->e->reference.at = node->at;
    if (node->kind != YAML_MAP) {
        return load_call(l, node, "'reference'");
    }
    static const char *const kinds[] = {"call", "variant", "expected"};
    const struct yaml_node *given[COUNT_OF(kinds)];
    int count = 0;
    struct reference_spec *r = &l->e->reference;
    if (!check_keys(l, node, "'reference'", KEYS_REFERENCE)) {
        return false;
    }
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        given[i] = yaml_get(node, kinds[i]);
        count += given[i] != NULL;
    }
    if (count != 1) {
        return fail(l->err, node->at,
                    "'reference' needs one of 'call: FILE.c:FUNCTION', 'variant: NAME' and "
                    "'expected: {BUFFER: FILE.npy}'");
    }
    if (given[0] != NULL) {
        return load_call(l, given[0], "'call'");
    }
    if (node->count > 1) {
        return fail(l->err, node->at, "'args' and 'parallel' are for 'call'");
    }
    r->kind = given[1] != NULL ? REFERENCE_VARIANT : REFERENCE_FILES;
    r->source = l->e->path;
    r->function = "expected";
    return given[1] == NULL || yaml_string(given[1], "'variant'", &r->function, l->err);
}

bool load_verify(struct loader *l, const struct yaml_node *node)
{
    struct reference_spec *r = &l->e->reference;
    const char *s = NULL;
    if (node == NULL) {
        return true;
    }
    if (!yaml_string(node, "'verify'", &s, l->err)) {
        return false;
    }
    if (strcmp(s, "self") != 0) {
        return fail(l->err, node->at, "'verify' must be self, not '%s'", s);
    }
    if (r->kind != REFERENCE_NONE) {
        return fail(l->err, node->at,
                    "'verify: self' is for experiments without a reference, and this one has one: "
                    "leave one of the two out");
    }
    r->kind = REFERENCE_SELF;
    r->at = node->at;
    return true;
}

static bool load_rows_of(struct loader *l, const struct yaml_node *node)
{
    struct reference_spec *r = &l->e->reference;
    if (!yaml_expect(node, YAML_LIST, "'split'", l->err)) {
        return false;
    }
    for (size_t i = 0; i < node->count; i++) {
        const char *s = NULL;
        if (!yaml_string(node->items[i], "'split'", &s, l->err)) {
            return false;
        }
        int buffer = buffer_find(l->e, s);
        if (buffer < 0) {
            return fail_unknown_buffer(l->a, l->e, node->items[i]->at, s, false, l->err);
        }
        r->split[buffer] = true;
    }
    return true;
}

static bool mentions(const struct argument_spec *x, const char *name)
{
    for (int i = 0; x->kind == ARGUMENT_STRUCT && i < x->fields->count; i++) {
        if (mentions(&x->fields->items[i], name)) {
            return true;
        }
    }
    return x->kind == ARGUMENT_SCALAR && expression_mentions(x->value, name);
}

// The scalars that a part is called with must say which rows it is.
static bool check_rows(struct loader *l, const struct yaml_node *node, bool split_given)
{
    struct reference_spec *r = &l->e->reference;
    bool counted = false, named = false;
    for (int i = 0; i < r->arg_count; i++) {
        counted = counted || mentions(&r->args[i], r->rows);
        named = named || mentions(&r->args[i], FIRST_ROW);
    }
    if (named && !split_given) {
        r->split = NULL; // it is given whole buffers and which rows to compute
        return true;
    }
    return counted || fail(l->err, node->at,
                           "'parallel: %s': the reference does not get the number of rows to "
                           "compute: its 'args' "
                           "need '%s', or '" FIRST_ROW "' and '" END_ROW "'",
                           r->rows, r->rows);
}

// parallel: rows, or {rows: M, split: [c, a]}.
static bool load_parallel(struct loader *l, const struct yaml_node *node)
{
    struct reference_spec *r = &l->e->reference;
    const struct yaml_node *rows = node, *split = NULL;
    bool known = false;
    if (r->python) {
        return fail(l->err, node->at,
                    "'parallel' is for references in C; NumPy's functions may use all processors "
                    "by themselves");
    }
    if (node->kind == YAML_MAP) {
        if (!check_keys(l, node, "'parallel'", KEYS_PARALLEL)) {
            return false;
        }
        rows = yaml_get(node, "rows");
        split = yaml_get(node, "split");
        if (rows == NULL) {
            return fail(l->err, node->at,
                        "'parallel' needs 'rows', the parameter that counts them");
        }
    }
    if (!yaml_string(rows, "'parallel'", &r->rows, l->err)) {
        return false;
    }
    for (int i = 0; i < l->e->param_count; i++) {
        known = known || strcmp(l->e->params[i].name, r->rows) == 0;
    }
    if (!known) {
        return fail(l->err, rows->at,
                    "'parallel' must be the parameter that counts the rows, and '%s' is "
                    "none",
                    r->rows);
    }
    r->split = ARENA_ARRAY(l->a, bool, l->e->buffer_count + 1);
    for (int i = 0; i < l->e->buffer_count; i++) {
        r->split[i] = split == NULL && expression_mentions(l->e->buffers[i].count, r->rows);
    }
    return (split == NULL || load_rows_of(l, split)) && check_rows(l, node, split != NULL);
}

// Without 'args': the first kernel launch of the first variant that has one gives its own.
static bool take_args(struct loader *l)
{
    struct reference_spec *r = &l->e->reference;
    for (int i = 0; i < l->e->variant_count; i++) {
        const struct variant_spec *v = &l->e->variants[i];
        for (int k = 0; k < v->launch_count; k++) {
            if (v->launches[k].kind == LAUNCH_KERNEL) {
                r->args = v->launches[k].args;
                r->arg_count = v->launches[k].arg_count;
                r->args_of = v->name;
                return true;
            }
        }
    }
    return fail(l->err, r->at,
                "the reference takes its arguments from the first variant with a kernel, and none "
                "has one; state them: reference: {call: FILE.c:FUNCTION, args: [...]}");
}

static const char *argument_text(const struct loader *l, const struct argument_spec *x)
{
    return x->kind == ARGUMENT_STRUCT   ? "{struct}"
           : x->kind == ARGUMENT_SCALAR ? expression_text(x->value)
                                        : l->e->buffers[x->buffer].name;
}

// Is the buffer this argument, or a field of it?
static bool gives_buffer(const struct argument_spec *x, int buffer)
{
    for (int i = 0; x->kind == ARGUMENT_STRUCT && i < x->fields->count; i++) {
        if (gives_buffer(&x->fields->items[i], buffer)) {
            return true;
        }
    }
    return x->kind != ARGUMENT_STRUCT && x->kind != ARGUMENT_SCALAR && x->buffer == buffer;
}

static const char *args_text(struct loader *l)
{
    const struct reference_spec *r = &l->e->reference;
    const char *list = "";
    for (int i = 0; i < r->arg_count; i++) {
        const struct argument_spec *x = &r->args[i];
        list = arena_printf(l->a, "%s%s%s", list, i > 0 ? ", " : "", argument_text(l, x));
    }
    return list;
}

// Python is given arrays that are whole buffers.
static bool check_python(struct loader *l)
{
    const struct reference_spec *r = &l->e->reference;
    for (int i = 0; r->python && i < r->arg_count; i++) {
        if (r->args[i].kind == ARGUMENT_BUFFER && r->args[i].inside != NULL) {
            return fail(l->err, r->args[i].at,
                        "a reference in Python takes whole buffers, without 'offset': state its "
                        "arguments with reference: {call: ..., args: [...]}");
        }
    }
    return true;
}

// Every output must be one of the reference's arguments, and there must be one.
static bool check_outputs(struct loader *l)
{
    const struct reference_spec *r = &l->e->reference;
    bool any = false;
    for (int i = 0; i < l->e->buffer_count; i++) {
        const struct buffer_spec *b = &l->e->buffers[i];
        bool given = false;
        for (int k = 0; k < r->arg_count; k++) {
            given = given || gives_buffer(&r->args[k], i);
        }
        any = any || b->output;
        if (!b->output || given) {
            continue;
        }
        const char *from =
            r->args_of != NULL
                ? arena_printf(l->a, ", those of the first kernel of variant '%s'", r->args_of)
                : "";
        const char *next =
            r->args_of != NULL
                ? arena_printf(l->a, "state them with reference: {call: %s:%s, args: [...]}",
                               path_name(r->source), r->function)
                : "add it to 'args', or take 'output: true' away";
        return fail(l->err, b->at,
                    "buffer '%s' is an output, but not among the arguments of the reference '%s' "
                    "(%s%s): %s",
                    b->name, r->function, r->arg_count > 0 ? args_text(l) : "none", from, next);
    }
    return any || fail(l->err, r->at,
                       "there is a reference, but no buffer has 'output: true': nothing would be "
                       "compared with it, and any kernel would be called right");
}

static bool any_output(struct loader *l)
{
    for (int i = 0; i < l->e->buffer_count; i++) {
        if (l->e->buffers[i].output) {
            return true;
        }
    }
    return fail(l->err, l->e->reference.at,
                "there is %s, but no buffer has 'output: true': nothing would be compared, and any "
                "kernel would be called right",
                l->e->reference.kind == REFERENCE_SELF ? "'verify: self'" : "a reference");
}

static bool find_variant(struct loader *l, const struct yaml_node *node)
{
    struct reference_spec *r = &l->e->reference;
    const char **names = ARENA_ARRAY(l->a, const char *, l->e->variant_count + 1);
    for (int i = 0; i < l->e->variant_count; i++) {
        names[i] = l->e->variants[i].name;
        if (strcmp(names[i], r->function) == 0) {
            r->variant = i;
            return any_output(l);
        }
    }
    const char *near = str_nearest(r->function, names, (size_t)l->e->variant_count);
    return near != NULL ? fail(l->err, node->at, "there is no variant '%s' (did you mean '%s'?)",
                               r->function, near)
                        : fail(l->err, node->at, "there is no variant '%s'", r->function);
}

// expected: {y: expected.npy}, a file for each output.
static bool load_expected(struct loader *l, const struct yaml_node *node)
{
    struct reference_spec *r = &l->e->reference;
    if (!yaml_expect(node, YAML_MAP, "'expected'", l->err)) {
        return false;
    }
    r->files = ARENA_ARRAY(l->a, const char *, l->e->buffer_count + 1);
    for (size_t i = 0; i < node->count; i++) {
        const char *name = node->keys[i]->scalar, *path = NULL;
        int buffer = buffer_find(l->e, name);
        if (buffer < 0) {
            return fail_unknown_buffer(l->a, l->e, node->keys[i]->at, name, false, l->err);
        }
        if (!l->e->buffers[buffer].output) {
            return fail(l->err, node->keys[i]->at, "buffer '%s' is no output", name);
        }
        if (!yaml_string(node->items[i], "'expected'", &path, l->err) ||
            !load_data_path(l, node->items[i], "'expected'", path, &r->files[buffer])) {
            return false;
        }
    }
    for (int i = 0; i < l->e->buffer_count; i++) {
        if (l->e->buffers[i].output && r->files[i] == NULL) {
            return fail(l->err, l->e->buffers[i].at, "'expected' names no file for the output '%s'",
                        l->e->buffers[i].name);
        }
    }
    return any_output(l);
}

bool load_reference_args(struct loader *l, const struct yaml_node *node)
{
    if (l->e->reference.kind == REFERENCE_SELF) {
        return any_output(l);
    }
    if (node == NULL) {
        return true;
    }
    if (l->e->reference.kind == REFERENCE_VARIANT) {
        return find_variant(l, yaml_get(node, "variant"));
    }
    if (l->e->reference.kind == REFERENCE_FILES) {
        return load_expected(l, yaml_get(node, "expected"));
    }
    static const char *const names[] = {FIRST_ROW, END_ROW};
    const struct yaml_node *args = node->kind == YAML_MAP ? yaml_get(node, "args") : NULL;
    const struct yaml_node *parallel = node->kind == YAML_MAP ? yaml_get(node, "parallel") : NULL;
    struct launch_spec stated = {0};
    l->names = names;
    l->name_count = parallel != NULL ? COUNT_OF(names) : 0;
    bool given = args == NULL ? take_args(l) : load_args(l, args, &stated);
    l->name_count = 0;
    if (!given) {
        return false;
    }
    if (args != NULL) {
        l->e->reference.args = stated.args;
        l->e->reference.arg_count = stated.arg_count;
    }
    return check_python(l) && check_outputs(l) && (parallel == NULL || load_parallel(l, parallel));
}
