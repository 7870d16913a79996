// T1: a tuning problem as JSON, with values and conditions in Python. Read for its space; written from an experiment's.
// SPDX-License-Identifier: Apache-2.0
#include "tune/python.h"
#include "tune/tune.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { T1_AXES_MAX = 64, T1_VALUES_MAX = PY_LIST_MAX, CONDITIONS_MAX = 256 };

struct t1 {
    struct axis *axes;
    struct py_value **values; // of each axis
    int axis_count;
    struct py_expression **conditions;
    int condition_count;
    struct location at;
};

static int by_number(const void *a, const void *b)
{
    const struct py_value *x = a, *y = b;
    double p = x->kind == PY_REAL ? x->d : (double)x->i,
           q = y->kind == PY_REAL ? y->d : (double)y->i;
    return (p > q) - (p < q);
}

// What an axis may be: numbers, which are sorted, or words; none twice.
static bool take_values(struct arena *a, struct t1 *t, const char *name,
                        const struct py_value *list, struct error *err)
{
    struct axis *x = &t->axes[t->axis_count];
    if (list->kind != PY_LIST || list->count == 0 || list->count > T1_VALUES_MAX)
        return fail(err, t->at, "the values of '%.60s' are no list of 1 to %d", name,
                    T1_VALUES_MAX);
    *x = (struct axis){.name = name, .ordered = true};
    for (int i = 0; i < list->count; i++) {
        if (list->items[i].kind == PY_LIST)
            return fail(err, t->at, "the values of '%.60s' hold a list", name);
        x->ordered = x->ordered && list->items[i].kind != PY_STRING;
    }
    if (x->ordered)
        qsort(list->items, (size_t)list->count, sizeof *list->items, by_number);
    const char **texts = ARENA_ARRAY(a, const char *, list->count);
    t->values[t->axis_count] = list->items;
    for (int i = 0; i < list->count; i++) {
        texts[x->value_count] = py_text(a, &list->items[i]);
        list->items[x->value_count] = list->items[i];
        bool again = false;
        for (int k = 0; k < x->value_count; k++)
            again = again || strcmp(texts[k], texts[x->value_count]) == 0;
        x->value_count += !again;
    }
    x->values = texts;
    t->axis_count++;
    return true;
}

static bool take_parameter(struct arena *a, struct t1 *t, const json_t *j, struct error *err)
{
    const char *name = json_string_value(json_object_get(j, "Name"));
    const json_t *values = json_object_get(j, "Values");
    struct py_expression *e;
    struct py_value list = {.kind = PY_LIST};
    if (!name || !*name)
        return fail(err, t->at, "a tuning parameter has no 'Name'");
    for (int i = 0; i < t->axis_count; i++)
        if (strcmp(t->axes[i].name, name) == 0)
            return fail(err, t->at, "the tuning parameter '%.60s' is there twice", name);
    if (!json_is_string(values))
        return fail(err, t->at, "'Values' of '%.60s' must be text: \"[16, 32]\"", name);
    return (py_parse(a, json_string_value(values), t->at, &e, err) &&
            py_evaluate(a, e, NULL, 0, &list, err) &&
            take_values(a, t, arena_strdup(a, name), &list, err)) ||
           error_context(err, "in the tuning parameter '%.60s'", name);
}

bool t1_parse(struct arena *a, const char *file, const char *text, size_t size_bytes,
              struct t1 **out, struct error *err)
{
    json_error_t why;
    struct t1 *t = ARENA_NEW(a, struct t1);
    t->at = (struct location){.file = arena_strdup(a, file)};
    json_t *root = json_loadb(text, size_bytes, JSON_REJECT_DUPLICATES, &why);
    if (!root)
        return fail(err, (struct location){.file = t->at.file, .line = why.line}, "no JSON: %s",
                    why.text);
    const json_t *space = json_object_get(root, "ConfigurationSpace");
    const json_t *parameters = json_object_get(space, "TuningParameters");
    const json_t *conditions = json_object_get(space, "Conditions");
    size_t count = json_array_size(parameters), condition_count = json_array_size(conditions);
    bool done = (count > 0 && count <= T1_AXES_MAX && condition_count <= CONDITIONS_MAX) ||
                fail(err, t->at,
                     "no T1 file: ConfigurationSpace.TuningParameters must have 1 to %d entries, "
                     "and there may be %d conditions",
                     T1_AXES_MAX, CONDITIONS_MAX);
    t->axes = ARENA_ARRAY(a, struct axis, count + 1);
    t->values = ARENA_ARRAY(a, struct py_value *, count + 1);
    t->conditions = ARENA_ARRAY(a, struct py_expression *, condition_count + 1);
    for (size_t i = 0; done && i < count; i++)
        done = take_parameter(a, t, json_array_get(parameters, i), err);
    for (size_t i = 0; done && i < condition_count; i++) {
        const char *s =
            json_string_value(json_object_get(json_array_get(conditions, i), "Expression"));
        done = s ? py_parse(a, arena_strdup(a, s), t->at, &t->conditions[t->condition_count++], err)
                 : fail(err, t->at, "a condition has no 'Expression'");
    }
    json_decref(root);
    *out = t;
    return done;
}

struct axis *t1_axes(const struct t1 *t, int *count)
{
    *count = t->axis_count;
    return t->axes;
}

bool t1_holds(const struct t1 *t, const uint16_t *choice, bool *holds, struct error *err)
{
    struct arena a = {0};
    struct py_name names[T1_AXES_MAX];
    struct py_value v;
    bool done = true;
    *holds = true;
    for (int i = 0; i < t->axis_count; i++)
        names[i] = (struct py_name){t->axes[i].name, t->values[i][choice[i]]};
    for (int i = 0; done && *holds && i < t->condition_count; i++) {
        done = py_evaluate(&a, t->conditions[i], names, t->axis_count, &v, err);
        *holds = done && py_is_true(&v);
    }
    arena_release(&a);
    return done;
}

/* ---- writing --------------------------------------------------------------------------------------- */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

bool t1_expression(struct arena *a, const char *text, const char **out)
{
    static const struct {
        const char *sign, *python;
    } signs[] = {{"&&", " and "}, {"||", " or "}, {"!=", "!="}, {"!", " not "}, {"/", "//"}};
    static const char *const kept[] = {"min", "max", "abs"};
    struct text t = {0};
    bool good = true;
    for (const char *s = text; good && *s;) {
        size_t n = 0, sign = 0;
        while (is_word(s[n]))
            n++;
        if (n > 0) {
            const char *word = arena_strndup(a, s, n);
            good = s[n + strspn(s + n, " ")] != '(';
            for (size_t i = 0; i < COUNT_OF(kept); i++)
                good = good || strcmp(word, kept[i]) == 0;
            text_add(&t, word);
            s += n;
            continue;
        }
        while (sign < COUNT_OF(signs) && !str_starts_with(s, signs[sign].sign))
            sign++;
        good = *s != '?' && *s != ':';
        if (sign < COUNT_OF(signs)) {
            const char *python = signs[sign].python;
            bool gap = t.length > 0 && t.data[t.length - 1] == ' ';
            text_add(&t, python + (gap && *python == ' '));
            s += strlen(signs[sign].sign);
            s += str_ends_with(python, " ") ? strspn(s, " ") : 0;
        } else {
            text_addn(&t, s++, 1);
        }
    }
    *out = arena_strdup(a, text_str(&t));
    text_release(&t);
    return good;
}

static bool is_whole(const char *s)
{
    int64_t ignored;
    return str_to_i64(s, &ignored);
}

static json_t *parameter_to_json(const struct axis *x)
{
    struct text values = {0};
    bool whole = x->ordered;
    for (int i = 0; i < x->value_count; i++) {
        whole = whole && is_whole(x->values[i]);
        text_printf(&values, "%s%s%s%s", i > 0 ? ", " : "[", x->ordered ? "" : "\"", x->values[i],
                    x->ordered ? "" : "\"");
    }
    text_add(&values, "]");
    json_t *j = json_pack("{s:s, s:s, s:s}", "Name", x->name, "Type",
                          !x->ordered ? "string"
                          : whole     ? "int"
                                      : "float",
                          "Values", text_str(&values));
    text_release(&values);
    return j;
}

static json_t *size_to_json(const char *const size[3])
{
    static const char *const keys[] = {"X", "Y", "Z"};
    json_t *j = json_object();
    for (int i = 0; i < 3; i++)
        json_object_set_new(j, keys[i], json_string(size[i] ? size[i] : "1"));
    return j;
}

// The axes that the condition names.
static json_t *named_in(const char *condition, const struct axis *axes, int axis_count)
{
    json_t *j = json_array();
    for (int i = 0; i < axis_count; i++) {
        size_t n = strlen(axes[i].name);
        for (const char *s = strstr(condition, axes[i].name); s; s = strstr(s + 1, axes[i].name))
            if ((s == condition || !is_word(s[-1])) && !is_word(s[n])) {
                json_array_append_new(j, json_string(axes[i].name));
                break;
            }
    }
    return j;
}

json_t *t1_to_json(const struct axis *axes, int axis_count, const struct t1_kernel *k)
{
    json_t *parameters = json_array(), *conditions = json_array(), *options = json_array();
    for (int i = 0; i < axis_count; i++)
        json_array_append_new(parameters, parameter_to_json(&axes[i]));
    for (int i = 0; i < k->condition_count; i++)
        json_array_append_new(conditions, json_pack("{s:o, s:s}", "Parameters",
                                                    named_in(k->conditions[i], axes, axis_count),
                                                    "Expression", k->conditions[i]));
    if (*k->compiler_options)
        json_array_append_new(options, json_string(k->compiler_options));
    return json_pack("{s:{s:i, s:s, s:s}, s:{s:o, s:o}, s:{s:s, s:o, s:s, s:s, s:s, s:o, s:o}}",
                     "General", "FormatVersion", 1, "BenchmarkName", k->benchmark, "OutputFormat",
                     "JSON", "ConfigurationSpace", "TuningParameters", parameters, "Conditions",
                     conditions, "KernelSpecification", "Language", "CUDA", "CompilerOptions",
                     options, "KernelName", k->kernel, "KernelFile", k->file, "GlobalSizeType",
                     "CUDA", "GlobalSize", size_to_json(k->grid), "LocalSize",
                     size_to_json(k->block));
}
