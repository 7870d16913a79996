// The cases of an experiment: the product of the parameters' axes, overridden or not.
// SPDX-License-Identifier: Apache-2.0
#include "experiment/internal.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_CASES = 100000 };

const char *point_label(struct arena *a, const struct experiment *e, const struct value *values)
{
    const char *label = "";
    for (int i = 0; i < e->param_count; i++) {
        const char *gap = i > 0 ? " " : "";
        label = values[i].is_integer
                    ? arena_printf(a, "%s%s%s=%lld", label, gap, e->params[i].name,
                                   (long long)values[i].i)
                    : arena_printf(a, "%s%s%s=%g", label, gap, e->params[i].name, values[i].d);
    }
    return label;
}

// A value given keeps the kind of those in the file: it becomes an argument of the same type.
static bool parse_value(const char *text, const char *word, bool integers, const char *name,
                        struct value *v, struct error *err)
{
    v->is_integer = str_to_i64(word, &v->i);
    if (v->is_integer) {
        v->d = (double)v->i;
        v->is_integer = integers;
        return true;
    }
    if (!str_to_double(word, &v->d)) {
        return fail(err, NOWHERE,
                    "--param '%s': '%s' is not a number: write NAME=VALUE or NAME=VALUE,VALUE",
                    text, word);
    }
    return !integers || fail(err, NOWHERE,
                             "--param '%s': '%s' is not a whole number of 64 bits, and '%s' has "
                             "whole numbers in the experiment",
                             text, word, name);
}

static bool parse_values(struct arena *a, const char *text, const char *list,
                         struct parameter_spec *out, struct error *err)
{
    size_t most = 1;
    bool integers = true;
    for (int i = 0; i < out->value_count; i++) {
        integers = integers && out->values[i].is_integer;
    }
    for (const char *s = list; *s != '\0'; s++) {
        most += *s == ',';
    }
    out->values = ARENA_ARRAY(a, struct value, most);
    out->value_count = 0;
    for (const char *s = list;;) {
        size_t n = strcspn(s, ",");
        const char *word = arena_strndup(a, s, n);
        struct value v = {0};
        if (!parse_value(text, word, integers, out->name, &v, err)) {
            return false;
        }
        out->values[out->value_count++] = v;
        if (s[n] == '\0') {
            return true;
        }
        s += n + 1;
    }
}

static bool override_apply(struct arena *a, const struct experiment *e, struct parameter_spec *axes,
                           const char *text, struct error *err)
{
    const char *equal = strchr(text, '=');
    if (equal == NULL || equal == text) {
        return fail(err, NOWHERE, "--param '%s': write NAME=VALUE or NAME=VALUE,VALUE", text);
    }
    const char *name = arena_strndup(a, text, (size_t)(equal - text));
    const char **names = ARENA_ARRAY(a, const char *, e->param_count + 1);
    for (int i = 0; i < e->param_count; i++) {
        names[i] = e->params[i].name;
        if (strcmp(name, names[i]) == 0) {
            return parse_values(a, text, equal + 1, &axes[i], err);
        }
    }
    return fail_unknown(err, (struct location){.file = "--param"}, "parameter", name, names,
                        (size_t)e->param_count);
}

bool experiment_cases(struct arena *a, const struct experiment *e, const char *const *overrides,
                      int override_count, struct case_point **cases, int *count, struct error *err)
{
    struct parameter_spec *axes = ARENA_ARRAY(a, struct parameter_spec, e->param_count + 1);
    for (int i = 0; i < e->param_count; i++) {
        axes[i] = e->params[i];
    }
    for (int i = 0; i < override_count; i++) {
        if (!override_apply(a, e, axes, overrides[i], err)) {
            return false;
        }
    }
    int64_t total = 1;
    for (int i = 0; i < e->param_count; i++) {
        total *= axes[i].value_count;
        if (total > MAX_CASES) {
            return fail(err, axes[i].at, "the parameters make more than %d cases", (int)MAX_CASES);
        }
    }
    *cases = ARENA_ARRAY(a, struct case_point, total);
    *count = (int)total;
    for (int k = 0; k < *count; k++) {
        struct case_point *c = &(*cases)[k];
        c->values = ARENA_ARRAY(a, struct value, e->param_count + 1);
        int rest = k;
        for (int i = e->param_count - 1; i >= 0; i--) { // the last axis is the fastest
            c->values[i] = axes[i].values[rest % axes[i].value_count];
            rest /= axes[i].value_count;
        }
        c->label = point_label(a, e, c->values);
    }
    return true;
}

bool case_context(struct error *err, const struct case_point *point)
{
    return *point->label ? error_context(err, "in case %s", point->label) : false;
}
