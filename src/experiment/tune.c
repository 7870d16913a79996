// What of a variant may be chosen: `tune`, a list of values for each axis, and `where`, which of their
// combinations make sense. A choice names one value of each axis: a macro where `defines` has its name, a
// name that expressions know, and text in the kernel's name ("copy<{T}>").
// SPDX-License-Identifier: Apache-2.0
#include "experiment/internal.h"

#include <stdlib.h>
#include <string.h>

enum { PRODUCT_MAX = 4000000, CHOICES_MAX = 1000000 };

const struct axis_spec *axis_find(const struct variant_spec *v, const char *name)
{
    for (int i = 0; i < v->axis_count; i++)
        if (strcmp(v->axes[i].name, name) == 0)
            return &v->axes[i];
    return NULL;
}

int axis_choice(const struct variant_spec *v, int axis)
{
    return v->choice ? v->choice[axis] : v->axes[axis].otherwise;
}

/* ---- reading ----------------------------------------------------------------------------------- */

// Goes into the compiler's command line and into the names of kernels.
static bool is_axis_word(const char *s)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_:.-";
    return *s && s[strspn(s, allowed)] == '\0';
}

static bool load_axis_value(struct loader *l, const struct yaml_node *node, const char *what,
                            struct axis_spec *x, const char **texts, bool *words)
{
    struct value *v = &x->values[x->value_count];
    const char *s = NULL;
    if (!yaml_string(node, what, &s, l->err))
        return false;
    for (int i = 0; i < x->value_count; i++)
        if (strcmp(texts[i], s) == 0)
            return fail(l->err, node->at, "%s must not have the value %.40s twice", what, s);
    if (!is_axis_word(s) || strlen(s) > 64)
        return fail(l->err, node->at,
                    "%s: a value must be a number or a word of letters, digits and _ : . -", what);
    v->is_integer = str_to_i64(s, &v->i);
    v->d = (double)v->i;
    *words = (!v->is_integer && !str_to_double(s, &v->d)) || *words;
    texts[x->value_count++] = s;
    return true;
}

// The define of its name says what the axis is where nothing is chosen.
static bool load_otherwise(struct loader *l, const struct yaml_node *defines, struct axis_spec *x)
{
    const struct yaml_node *define =
        defines && defines->kind == YAML_MAP ? yaml_get(defines, x->name) : NULL;
    const char *s = NULL;
    if (!define)
        return true;
    if (!yaml_string(define, x->name, &s, l->err))
        return false;
    if (strcmp(s, x->name) == 0)
        return true;
    for (int i = 0; i < x->value_count; i++)
        if (strcmp(x->texts[i], s) == 0) {
            x->otherwise = i;
            return true;
        }
    return fail(l->err, define->at,
                "the define '%s' must be one of its values in 'tune': it is what `ridge run` takes",
                x->name);
}

static bool names_it(const char *s, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = strstr(s, name); at; at = strstr(at + 1, name)) {
        char before[2] = {at > s ? at[-1] : ' ', 0}, after[2] = {at[n] ? at[n] : ' ', 0};
        if (!is_identifier((char[3]){'x', before[0], 0}) &&
            !is_identifier((char[3]){'x', after[0], 0}))
            return true;
    }
    return false;
}

// Does anything of the variant name the axis, beside `tune` and `where` themselves?
static bool is_named(const struct yaml_node *node, const char *name, bool top)
{
    if (node->kind == YAML_SCALAR)
        return names_it(node->scalar, name);
    for (size_t i = 0; i < node->count; i++) {
        const char *key = node->kind == YAML_MAP ? node->keys[i]->scalar : "";
        if (top && (strcmp(key, "tune") == 0 || strcmp(key, "where") == 0))
            continue;
        if (strcmp(key, name) == 0 || is_named(node->items[i], name, false))
            return true;
    }
    return false;
}

static bool load_axis(struct loader *l, const struct yaml_node *key, const struct yaml_node *list,
                      struct axis_spec *x)
{
    *x = (struct axis_spec){.name = key->scalar, .at = key->at};
    if (!is_identifier(x->name) || !is_word(l, x->name))
        return fail(
            l->err, key->at,
            "'%.40s' in 'tune' must be a name of its own: no parameter, buffer or other axis",
            x->name);
    const char *what = arena_printf(l->a, "'%.40s' in 'tune'", x->name);
    if (!yaml_expect(list, YAML_LIST, what, l->err))
        return false;
    if (list->count == 0 || list->count > AXIS_VALUES_MAX)
        return fail(l->err, list->at, "%s must have 1 to %d values", what, AXIS_VALUES_MAX);
    const char **texts = ARENA_ARRAY(l->a, const char *, list->count);
    bool words = false;
    x->texts = texts;
    x->values = ARENA_ARRAY(l->a, struct value, list->count);
    for (size_t i = 0; i < list->count; i++)
        if (!load_axis_value(l, list->items[i], what, x, texts, &words))
            return false;
    if (words) // one is enough
        x->values = NULL;
    return true;
}

static bool load_where(struct loader *l, const struct yaml_node *node, struct variant_spec *v)
{
    bool list = node->kind == YAML_LIST;
    size_t count = list ? node->count : 1;
    if (v->axis_count == 0)
        return fail(l->err, node->at, "'where' needs 'tune': it says which choices make sense");
    v->where = ARENA_ARRAY(l->a, struct expression *, count + 1);
    for (size_t i = 0; i < count; i++)
        if (!load_expression(l, list ? node->items[i] : node, "'where'",
                             &v->where[v->where_count++]))
            return false;
    return true;
}

bool load_tune(struct loader *l, const struct yaml_node *node, struct variant_spec *v)
{
    const struct yaml_node *tune = yaml_get(node, "tune"), *where = yaml_get(node, "where");
    l->tuned = v;
    if (!tune)
        return !where || load_where(l, where, v);
    if (!yaml_expect(tune, YAML_MAP, "'tune'", l->err))
        return false;
    if (tune->count == 0 || tune->count > AXES_MAX)
        return fail(l->err, tune->at, "'tune' must have 1 to %d axes: {TILE: [8, 16, 32]}",
                    AXES_MAX);
    v->axes = ARENA_ARRAY(l->a, struct axis_spec, tune->count);
    for (size_t i = 0; i < tune->count; i++) {
        struct axis_spec *x = &v->axes[i];
        if (!load_axis(l, tune->keys[i], tune->items[i], x) ||
            !load_otherwise(l, yaml_get(node, "defines"), x))
            return false;
        if (!is_named(node, x->name, true))
            return fail(
                l->err, x->at,
                "nothing of the variant names '%.40s', so its values change nothing: write it "
                "into 'defines' ({%.40s: %s}), an expression, or the kernel's name ({%.40s})",
                x->name, x->name, x->texts[0], x->name);
        v->axis_count++;
    }
    return !where || load_where(l, where, v);
}

static const char *kernel_name(struct arena *a, const struct variant_spec *v, const char *pattern)
{
    struct text t = {0};
    for (const char *s = pattern; *s;) {
        size_t n = *s == '{' ? strcspn(s, "}") : 0;
        const struct axis_spec *x = n > 0 ? axis_find(v, arena_strndup(a, s + 1, n - 1)) : NULL;
        if (!x) {
            text_addn(&t, s++, 1);
            continue;
        }
        text_add(&t, x->texts[axis_choice(v, (int)(x - v->axes))]);
        s += n + 1;
    }
    const char *name = arena_strdup(a, text_str(&t));
    text_release(&t);
    return name;
}

void name_kernels(struct arena *a, struct variant_spec *v)
{
    for (int i = 0; i < v->launch_count; i++)
        if (v->launches[i].kernel_pattern)
            v->launches[i].kernel = kernel_name(a, v, v->launches[i].kernel_pattern);
}

/* ---- choices ------------------------------------------------------------------------------------ */

void scope_set_axes(struct resolver *r, const struct variant_spec *v)
{
    for (int i = 0; i < v->axis_count; i++)
        if (v->axes[i].values)
            scope_set_value(r, v->axes[i].name, &v->axes[i].values[axis_choice(v, i)]);
}

static bool holds(struct resolver *r, const struct variant_spec *v, bool *out)
{
    *out = true;
    for (int i = 0; *out && i < v->where_count; i++) {
        struct value x = {0};
        if (!expression_evaluate(v->where[i], &r->scope, &x, r->err))
            return error_context(r->err, "in 'where' of variant '%s'", v->name);
        *out = x.d != 0;
    }
    return true;
}

// The next one, the last axis the fastest; false: that was the last.
static bool step(const struct variant_spec *v, uint16_t *choice)
{
    for (int i = v->axis_count - 1; i >= 0; i--) {
        if (++choice[i] < v->axes[i].value_count)
            return true;
        choice[i] = 0;
    }
    return false;
}

static bool check_product(const struct variant_spec *v, int64_t *product, struct error *err)
{
    *product = 1;
    for (int i = 0; i < v->axis_count; i++) {
        *product *= v->axes[i].value_count;
        if (*product > PRODUCT_MAX)
            return fail(err, v->axes[i].at, "the axes of '%s' make more than %d combinations",
                        v->name, PRODUCT_MAX);
    }
    return true;
}

bool experiment_choices(struct arena *a, const struct experiment *e, int variant,
                        const struct case_point *point, const struct device_facts *device,
                        struct choice_list *out, struct error *err)
{
    struct variant_spec v = e->variants[variant];
    uint16_t now[AXES_MAX] = {0};
    size_t width = (size_t)v.axis_count, capacity = 0, count = 0;
    uint16_t *found = NULL;
    *out = (struct choice_list){0};
    if (!check_product(&v, &out->product, err))
        return false;
    struct arena scratch = {0};
    struct resolver r = resolver_new(&scratch, e, point, device, err);
    bool done = true, good = false;
    v.choice = now;
    do {
        scope_set_axes(&r, &v);
        done = holds(&r, &v, &good);
        if (!done || !good)
            continue;
        if (out->count == CHOICES_MAX) {
            done =
                fail(err, v.at, "'where' of '%s' leaves more than %d choices", v.name, CHOICES_MAX);
            break;
        }
        out->count++;
        for (size_t i = 0; i < width; i++)
            VEC_PUSH(found, count, capacity, now[i]);
    } while (done && step(&v, now));
    out->items = ARENA_ARRAY(a, uint16_t, count + 1);
    if (count > 0)
        memcpy(out->items, found, count * sizeof *found);
    free(found);
    arena_release(&scratch);
    return done && (out->count > 0 || fail(err, v.at, "'where' of '%s' leaves no choice in %s",
                                           v.name, *point->label ? point->label : "this case"));
}

const char *choice_label(struct arena *a, const struct variant_spec *v, const uint16_t *choice)
{
    const char *label = "";
    for (int i = 0; i < v->axis_count; i++)
        label = arena_printf(a, "%s%s%s=%s", label, i > 0 ? " " : "", v->axes[i].name,
                             v->axes[i].texts[choice ? choice[i] : v->axes[i].otherwise]);
    return label;
}

// With launches of its own, whose kernels are named by the choice.
static struct variant_spec chosen(struct arena *a, const struct variant_spec *v,
                                  const uint16_t *choice)
{
    struct variant_spec out = *v;
    uint16_t *kept = ARENA_ARRAY(a, uint16_t, v->axis_count + 1);
    for (int i = 0; i < v->axis_count; i++)
        kept[i] = choice[i];
    out.choice = kept;
    out.launches = ARENA_ARRAY(a, struct launch_spec, v->launch_count + 1);
    memcpy(out.launches, v->launches, sizeof *v->launches * (size_t)v->launch_count);
    name_kernels(a, &out);
    return out;
}

static struct experiment *copied(struct arena *a, const struct experiment *e, int more)
{
    struct experiment *out = ARENA_NEW(a, struct experiment);
    *out = *e;
    out->variants = ARENA_ARRAY(a, struct variant_spec, e->variant_count + more);
    memcpy(out->variants, e->variants, sizeof *e->variants * (size_t)e->variant_count);
    return out;
}

struct experiment *experiment_at_choices(struct arena *a, const struct experiment *e, int variant,
                                         const uint16_t *choices, int count)
{
    struct experiment *out = copied(a, e, count);
    const struct variant_spec *v = &e->variants[variant];
    for (int i = 0; i < count; i++) {
        const uint16_t *choice = &choices[i * v->axis_count];
        struct variant_spec *x = &out->variants[out->variant_count++];
        *x = chosen(a, v, choice);
        x->name = arena_printf(a, "%s[%s]", v->name, choice_label(a, v, choice));
        x->from = -1;
        x->hypothesis = NULL;
        x->expectation_count = 0;
        x->twin = 0;
    }
    return out;
}

bool experiment_give_axes(struct arena *a, struct experiment *e, int variant,
                          const char *const *names, const char *const *const *values,
                          const int *value_counts, int count, struct error *err)
{
    struct variant_spec *v = &e->variants[variant];
    struct axis_spec *axes = ARENA_ARRAY(a, struct axis_spec, count + 1);
    for (int i = 0; i < v->axis_count; i++) {
        bool there = false;
        for (int k = 0; k < count; k++)
            there = there || strcmp(names[k], v->axes[i].name) == 0;
        if (!there)
            return fail(err, v->axes[i].at, "the other space lacks the axis '%s' of variant '%s'",
                        v->axes[i].name, v->name);
    }
    for (int k = 0; k < count; k++) {
        const struct axis_spec *own = axis_find(v, names[k]);
        if (!own)
            return fail(err, v->at, "variant '%s' has no axis '%s', which the other space has",
                        v->name, names[k]);
        axes[k] = (struct axis_spec){.name = own->name,
                                     .texts = values[k],
                                     .value_count = value_counts[k],
                                     .values = ARENA_ARRAY(a, struct value, value_counts[k] + 1),
                                     .at = own->at};
        for (int i = 0; i < value_counts[k]; i++) {
            struct value *x = axes[k].values ? &axes[k].values[i] : NULL;
            if (!is_axis_word(values[k][i]))
                return fail(err, own->at, "'%s' has a value that is no number and no word",
                            names[k]);
            if (x)
                x->is_integer = str_to_i64(values[k][i], &x->i);
            if (x && !x->is_integer && !str_to_double(values[k][i], &x->d))
                axes[k].values = NULL;
            else if (x && x->is_integer)
                x->d = (double)x->i;
            if (strcmp(values[k][i], own->texts[own->otherwise]) == 0)
                axes[k].otherwise = i;
        }
    }
    v->axes = axes;
    v->axis_count = count;
    v->where_count = 0;
    return true;
}

struct experiment *experiment_chosen(struct arena *a, const struct experiment *e, int variant,
                                     const uint16_t *choice)
{
    struct experiment *out = copied(a, e, 0);
    out->variants[variant] = chosen(a, &e->variants[variant], choice);
    return out;
}
