// Reading an experiment file: the variants, their launches, arguments and expectations.
// SPDX-License-Identifier: Apache-2.0
#include "experiment/internal.h"

#include <math.h>
#include <string.h>

bool load_dimensions(struct loader *l, const struct yaml_node *node, const char *what,
                     struct expression *out[3])
{
    if (node->kind != YAML_LIST) {
        return load_expression(l, node, what, &out[0]);
    }
    if (node->count < 1 || node->count > 3) {
        return fail(l->err, node->at, "%s has 1 to 3 dimensions, not %zu", what, node->count);
    }
    for (size_t i = 0; i < node->count; i++) {
        if (!load_expression(l, node->items[i], what, &out[i])) {
            return false;
        }
    }
    return true;
}

bool fail_unknown_buffer(struct arena *a, const struct experiment *e, struct location at,
                         const char *name, bool or_param, struct error *err)
{
    int n = 0;
    const char **names = ARENA_ARRAY(a, const char *, e->buffer_count + e->param_count + 1);
    for (int i = 0; i < e->buffer_count; i++) {
        names[n++] = e->buffers[i].name;
    }
    for (int i = 0; or_param && i < e->param_count; i++) {
        names[n++] = e->params[i].name;
    }
    return fail_unknown(err, at, or_param ? "buffer or parameter" : "buffer", name, names,
                        (size_t)n);
}

bool is_word(const struct loader *l, const char *text)
{
    bool known = !is_identifier(text) || buffer_find(l->e, text) >= 0;
    for (int i = 0; i < l->e->param_count; i++) {
        known = known || strcmp(l->e->params[i].name, text) == 0;
    }
    for (int i = 0; i < l->name_count; i++) {
        known = known || strcmp(l->names[i], text) == 0;
    }
    return !known && (l->tuned == NULL || axis_find(l->tuned, text) == NULL);
}

// {value: N*N, type: u64} or {value: x, offset: 4*N}
static bool load_argument_map(struct loader *l, const struct yaml_node *node,
                              struct argument_spec *out)
{
    const struct yaml_node *type = yaml_get(node, "type"), *value = yaml_get(node, "value");
    const char *s = NULL;
    if (!check_keys(l, node, "an argument", KEYS_ARGUMENT)) {
        return false;
    }
    if (value == NULL) {
        return fail(l->err, node->at, "an argument that is a map needs 'value'");
    }
    if (!yaml_string(value, "'value'", &s, l->err)) {
        return false;
    }
    out->typed = type != NULL;
    out->buffer = type == NULL ? buffer_find(l->e, s) : -1;
    const struct yaml_node *inside = yaml_get(node, "offset");
    if (out->buffer >= 0) {
        out->kind = ARGUMENT_BUFFER;
        return inside == NULL || load_expression(l, inside, "'offset'", &out->inside);
    }
    if (inside != NULL) {
        return fail(l->err, inside->at, "'offset' goes with a buffer, and 'value' names none");
    }
    return load_expression(l, value, "'value'", &out->value) &&
           (type == NULL || load_type(l, type, &out->type));
}

bool load_argument(struct loader *l, const struct yaml_node *node, struct argument_spec *out)
{
    if (node->kind == YAML_MAP && yaml_get(node, "tensor_map") != NULL) {
        return load_tensor_map(l, node, out);
    }
    if (node->kind == YAML_MAP &&
        (yaml_get(node, "texture") != NULL || yaml_get(node, "surface") != NULL)) {
        return load_texture(l, node, out);
    }
    if (node->kind == YAML_MAP && yaml_get(node, "struct") != NULL) {
        return load_struct(l, node, out);
    }
    out->at = node->at;
    out->kind = ARGUMENT_SCALAR;
    out->buffer = -1;
    if (node->kind == YAML_MAP) {
        return load_argument_map(l, node, out);
    }
    const char *s = NULL;
    if (!yaml_string(node, "an argument", &s, l->err)) {
        return false;
    }
    out->buffer = buffer_find(l->e, s);
    if (out->buffer >= 0) {
        out->kind = ARGUMENT_BUFFER;
        return true;
    }
    const char *whole = s;
    struct location at = node->at;
    out->typed = split_typed(s, &out->type, &s);
    at.column += (int)(s - whole);
    return !is_word(l, s) ? expression_parse(l->a, s, at, &out->value, l->err)
                          : fail_unknown_buffer(l->a, l->e, node->at, s, true, l->err);
}

bool load_args(struct loader *l, const struct yaml_node *args, struct launch_spec *out)
{
    if (!yaml_expect(args, YAML_LIST, "'args'", l->err)) {
        return false;
    }
    out->args = ARENA_ARRAY(l->a, struct argument_spec, args->count + 1);
    for (size_t i = 0; i < args->count; i++) {
        const struct yaml_node *x = args->items[i];
        if (!load_argument(l, x, &out->args[out->arg_count++])) {
            return false;
        }
        if (x->kind == YAML_MAP && yaml_get(x, "at") != NULL) {
            return fail(l->err, yaml_get(x, "at")->at,
                        "'at' belongs to a field of a struct; "
                        "this is an argument of its own");
        }
    }
    return true;
}

// As C++ writes it, with scopes and template arguments: "blas::axpy<4, float>".
static bool load_kernel_name(struct loader *l, const struct yaml_node *node, const char **out)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                  "_$.:<>,*&()-+ {}";
    if (!yaml_string(node, "'kernel'", out, l->err))
        return false;
    size_t good = strspn(*out, allowed);
    for (const char *s = strchr(*out, '{'); s != NULL; s = strchr(s + 1, '{')) {
        const char *name = arena_strndup(l->a, s + 1, strcspn(s + 1, "}"));
        if (axis_find(l->tuned, name) == NULL)
            return fail(l->err, node->at,
                        "'kernel': '{%.40s}' must be an axis of the variant's 'tune'", name);
    }
    if ((*out)[0] == '\0')
        return fail(l->err, node->at, "'kernel' must not be empty");
    return (*out)[good] == '\0' ||
           fail(l->err, node->at,
                "'kernel' must be a name as C++ writes it (blas::axpy<4, float>), without '%.1s'",
                *out + good);
}

static bool load_kernel_keys(struct loader *l, const struct yaml_node *node,
                             struct launch_spec *out)
{
    const struct yaml_node *grid = yaml_get(node, "grid");
    const struct yaml_node *block = yaml_get(node, "block");
    const struct yaml_node *args = yaml_get(node, "args");
    const struct yaml_node *shared = yaml_get(node, "shared_bytes");
    const struct yaml_node *cluster = yaml_get(node, "cluster");
    const struct yaml_node *cooperative = yaml_get(node, "cooperative");
    const struct yaml_node *persist = yaml_get(node, "persist");
    out->kind = LAUNCH_KERNEL;
    out->zero_buffer = -1;
    out->at = node->at;
    const struct yaml_node *kernel = yaml_get(node, "kernel");
    if (kernel == NULL) {
        return fail(l->err, node->at, "a launch needs 'kernel'");
    }
    if (!load_kernel_name(l, kernel, &out->kernel)) {
        return false;
    }
    out->kernel_pattern = strchr(out->kernel, '{') != NULL ? out->kernel : NULL;
    out->at = kernel->at;
    if (grid == NULL || block == NULL) {
        return fail(l->err, out->at, "the launch of '%s' needs '%s'", out->kernel,
                    grid == NULL ? "grid" : "block");
    }
    if (!load_dimensions(l, grid, "'grid'", out->grid) ||
        !load_dimensions(l, block, "'block'", out->block) ||
        (cluster != NULL && !load_dimensions(l, cluster, "'cluster'", out->cluster)) ||
        (cooperative != NULL &&
         !yaml_bool(cooperative, "'cooperative'", &out->cooperative, l->err)) ||
        (persist != NULL && !load_persist(l, persist, &out->persist)) ||
        (shared != NULL && !load_expression(l, shared, "'shared_bytes'", &out->shared_bytes))) {
        return false;
    }
    return load_sets(l, node, out) && (args == NULL || load_args(l, args, out));
}

bool load_call_keys(struct loader *l, const struct yaml_node *node, struct launch_spec *out)
{
    return yaml_get(node, "library") != NULL ? load_library_keys(l, node, out)
                                             : load_kernel_keys(l, node, out);
}

bool load_launch(struct loader *l, const struct yaml_node *node, struct launch_spec *out)
{
    static const char *const zero_keys[] = {"zero", "for", "timed", "stream", "after"};
    static const char *const copy_keys[] = {"copy", "for", "timed", "stream", "after"};
    const struct yaml_node *timed = NULL;
    if (!yaml_expect(node, YAML_MAP, "a launch", l->err)) {
        return false;
    }
    const struct yaml_node *zero = yaml_get(node, "zero");
    bool is_timed = true;
    timed = yaml_get(node, "timed");
    if (timed != NULL && !yaml_bool(timed, "'timed'", &is_timed, l->err)) {
        return false;
    }
    if (yaml_get(node, "copy") != NULL) {
        bool done =
            yaml_check_keys(node, "a 'copy' step", copy_keys, COUNT_OF(copy_keys), l->err) &&
            load_copy(l, node, out);
        out->untimed = !is_timed;
        return done;
    }
    if (zero == NULL) {
        bool done = check_keys(l, node, "a launch", KEYS_LAUNCH) && load_call_keys(l, node, out);
        out->untimed = !is_timed;
        return done;
    }
    const char *name = NULL;
    if (!yaml_check_keys(node, "a 'zero' step", zero_keys, COUNT_OF(zero_keys), l->err) ||
        !yaml_string(zero, "'zero'", &name, l->err)) {
        return false;
    }
    out->kind = LAUNCH_ZERO;
    out->untimed = !is_timed;
    out->at = zero->at;
    out->zero_buffer = buffer_find(l->e, name);
    return out->zero_buffer >= 0 ? true
                                 : fail_unknown_buffer(l->a, l->e, zero->at, name, false, l->err);
}

bool expectation_parse(struct arena *a, const char *what, const char *text, struct location at,
                       struct expectation_spec *x, struct error *err)
{
    const char *s = text;
    size_t n = strlen(s);
    char last = n > 0 ? s[n - 1] : '\0';
    *x = (struct expectation_spec){.what = what, .text = text, .kind = EXPECT_VALUE, .at = at};
    bool below = str_starts_with(s, "<=");
    bool above = str_starts_with(s, ">=");
    const char *number = below || above ? s + 2 : s + (*s == '=');
    number += strspn(number, " ");
    bool plain = number == s;
    if (plain && last == '%') {
        x->kind = EXPECT_CHANGE;
    } else if (plain && last == 'x') {
        x->kind = EXPECT_FACTOR;
    }
    number += *number == '+';
    size_t length = strlen(number);
    length -= x->kind != EXPECT_VALUE && length > 0;
    double v = 0;
    if (!str_to_double(arena_strndup(a, number, length), &v)) {
        return fail(err, at, "'%s' is no expectation; write -50%%, 2x, <= 4, >= 90 or a number", s);
    }
    v = x->kind == EXPECT_CHANGE ? v / 100 : v;
    x->low = below ? -(double)INFINITY : v;
    x->high = above ? (double)INFINITY : v;
    return true;
}

bool load_expectations(struct loader *l, const struct yaml_node *node, struct variant_spec *v)
{
    if (!yaml_expect(node, YAML_MAP, "'expect'", l->err)) {
        return false;
    }
    v->expectations = ARENA_ARRAY(l->a, struct expectation_spec, node->count + 1);
    for (size_t i = 0; i < node->count; i++) {
        struct expectation_spec *x = &v->expectations[v->expectation_count++];
        x->what = node->keys[i]->scalar;
        x->at = node->items[i]->at;
        if (!yaml_string(node->items[i], x->what, &x->text, l->err) ||
            !expectation_parse(l->a, x->what, x->text, x->at, x, l->err)) {
            return false;
        }
        if (x->kind != EXPECT_VALUE && v->from < 0) {
            return fail(l->err, x->at,
                        "'%s: %s' compares with an earlier variant, but '%s' has no 'from'",
                        x->what, x->text, v->name);
        }
    }
    return true;
}

static bool load_from(struct loader *l, const struct yaml_node *node, struct variant_spec *v)
{
    const char *s = NULL;
    if (!yaml_string(node, "'from'", &s, l->err)) {
        return false;
    }
    const char **names = ARENA_ARRAY(l->a, const char *, l->e->variant_count + 1);
    for (int i = 0; i < l->e->variant_count; i++) {
        names[i] = l->e->variants[i].name;
        if (strcmp(names[i], s) == 0) {
            v->from = i;
            return true;
        }
    }
    if (strcmp(s, v->name) == 0) {
        return fail(l->err, node->at,
                    "variant '%s' answers itself: 'from' must name an earlier one", s);
    }
    if (l->e->variant_count == 0) {
        return fail(l->err, node->at, "'from' must name an earlier variant, and this is the first");
    }
    return fail_unknown(l->err, node->at, "earlier variant", s, names, (size_t)l->e->variant_count);
}

static bool load_defines(struct loader *l, const struct yaml_node *node, struct variant_spec *v)
{
    if (!yaml_expect(node, YAML_MAP, "'defines'", l->err)) {
        return false;
    }
    v->defines = ARENA_ARRAY(l->a, struct define_spec, node->count + 1);
    for (size_t i = 0; i < node->count; i++) {
        struct define_spec *d = &v->defines[v->define_count++];
        d->name = node->keys[i]->scalar;
        if (!is_identifier(d->name)) {
            return fail(l->err, node->keys[i]->at, "'%s' is no name for a macro", d->name);
        }
        if (!yaml_string(node->items[i], d->name, &d->value, l->err)) {
            return false;
        }
        // What is no expression ("float") is passed on as it is.
        bool known = !is_identifier(d->value) || axis_find(v, d->value) != NULL;
        for (int k = 0; k < l->e->param_count; k++) {
            known = known || strcmp(l->e->params[k].name, d->value) == 0;
        }
        struct error ignored = {0};
        if (!known ||
            !expression_parse(l->a, d->value, node->items[i]->at, &d->expression, &ignored)) {
            d->expression = NULL;
        }
    }
    return true;
}

bool variant_has(const struct variant_spec *v, enum launch_kind kind)
{
    for (int i = 0; i < v->launch_count; i++) {
        if (v->launches[i].kind == kind) {
            return true;
        }
    }
    return false;
}

static bool load_texts(struct loader *l, const struct yaml_node *node, struct variant_spec *v)
{
    const struct yaml_node *n = NULL;
    struct {
        const char *key;
        const char **to;
    } texts[] = {{"title", &v->title},
                 {"hypothesis", &v->hypothesis},
                 {"bottleneck", &v->bottleneck},
                 {"requires", &v->requires}};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        n = yaml_get(node, texts[i].key);
        if (n != NULL && !yaml_string(n, texts[i].key, texts[i].to, l->err)) {
            return false;
        }
    }
    n = yaml_get(node, "requires");
    return n == NULL || expression_parse(l->a, v->requires, n->at, &v->requires_expression, l->err);
}

// Names as PTX has them; the significant bits, the implied one included.
static bool load_precision(struct loader *l, const struct yaml_node *node, struct variant_spec *v)
{
    static const struct {
        const char *name;
        int bits;
    } types[] = {{"f32", 24}, {"tf32", 11}, {"f16", 11}, {"bf16", 8}, {"e4m3", 4}, {"e5m2", 3}};
    const char *names[COUNT_OF(types)];
    if (node == NULL) {
        return true;
    }
    if (!yaml_string(node, "'precision'", &v->precision, l->err)) {
        return false;
    }
    for (size_t i = 0; i < COUNT_OF(types); i++) {
        names[i] = types[i].name;
        if (strcmp(types[i].name, v->precision) == 0) {
            v->precision_bits = types[i].bits;
            return true;
        }
    }
    return fail_unknown(l->err, node->at, "precision", v->precision, names, COUNT_OF(names));
}

static bool load_variant(struct loader *l, const struct yaml_node *node, struct variant_spec *v)
{
    if (!yaml_expect(node, YAML_MAP, "a variant", l->err)) {
        return false;
    }
    v->from = -1;
    v->at = node->at;
    const struct yaml_node *name = yaml_get(node, "name");
    if (!check_keys(l, node, "a variant", KEYS_VARIANT)) {
        return false;
    }
    if (name == NULL) {
        return fail(l->err, node->at, "a variant needs 'name'");
    }
    if (!load_name(l, name, "'name'", &v->name)) {
        return false;
    }
    v->at = name->at;
    for (int i = 0; i < l->e->variant_count; i++) {
        if (strcmp(l->e->variants[i].name, v->name) == 0) {
            return fail(l->err, name->at, "there are two variants named '%s'", v->name);
        }
    }
    const struct yaml_node *from = yaml_get(node, "from");
    const struct yaml_node *expect = yaml_get(node, "expect");
    const struct yaml_node *source = yaml_get(node, "source");
    const struct yaml_node *defines = yaml_get(node, "defines");
    if ((from != NULL && !load_from(l, from, v)) || !load_texts(l, node, v) ||
        (expect != NULL && !load_expectations(l, expect, v)) ||
        (source != NULL && !load_sources(l, source, &v->source, &v->sources)) ||
        !load_tune(l, node, v) || (defines != NULL && !load_defines(l, defines, v)) ||
        !load_precision(l, yaml_get(node, "precision"), v) ||
        !load_flags(l, yaml_get(node, "flags"), &l->e->flags, &v->flags)) {
        return false;
    }
    const struct yaml_node *graph = yaml_get(node, "graph");
    const struct yaml_node *memory = yaml_get(node, "memory");
    if ((graph != NULL && !yaml_bool(graph, "'graph'", &v->graph, l->err)) ||
        (memory != NULL && !load_memory(l, memory, v)) || !load_steps(l, node, v) ||
        !check_memory(l, v) || !check_streams(l, v)) {
        return false;
    }
    l->tuned = NULL;
    name_kernels(l->a, v);
    for (int i = 0; i < v->launch_count && v->graph; i++) {
        if (v->launches[i].untimed) {
            return fail(l->err, v->launches[i].at,
                        "a graph is timed as a whole: 'timed: false' is for variants without it");
        }
    }
    if (v->source == NULL && l->e->source == NULL && variant_has(v, LAUNCH_KERNEL)) {
        return fail(l->err, v->at, "variant '%s' has no 'source', and neither has the experiment",
                    v->name);
    }
    return true;
}

bool load_variants(struct loader *l, const struct yaml_node *node)
{
    if (!yaml_expect(node, YAML_LIST, "'variants'", l->err)) {
        return false;
    }
    if (node->count == 0) {
        return fail(l->err, node->at, "'variants' must not be empty");
    }
    l->e->variants = ARENA_ARRAY(l->a, struct variant_spec, node->count);
    for (size_t i = 0; i < node->count; i++) {
        if (!load_variant(l, node->items[i], &l->e->variants[i])) {
            return false;
        }
        l->e->variant_count++;
    }
    return true;
}
