// Libraries by name, in the tables of the backends.
// SPDX-License-Identifier: Apache-2.0
#include "device/internal.h"

#include <string.h>

static const struct library_rules *next_library(size_t *backend, size_t *row)
{
    for (const struct device_backend *b; (b = backend_at(*backend)) != NULL; ++*backend, *row = 0)
        if (b->libraries && b->libraries[*row])
            return b->libraries[(*row)++];
    return NULL;
}

bool library_is(const struct library_rules *rules, const struct library_call *call)
{
    return rules->is_file_ending ? str_ends_with(call->name, rules->name)
                                 : strcmp(call->name, rules->name) == 0;
}

static const struct library_rules *find_library(const struct library_call *call)
{
    size_t backend = 0, row = 0;
    const struct library_rules *x;
    while ((x = next_library(&backend, &row)) != NULL)
        if (library_is(x, call))
            return x;
    return NULL;
}

static bool fail_unknown_library(struct arena *a, const struct launch_spec *s, struct error *err)
{
    enum { LIBRARIES_MAX = 16 };
    const char *names[LIBRARIES_MAX], *forms = "";
    size_t backend = 0, row = 0, count = 0;
    const struct library_rules *x;
    while ((x = next_library(&backend, &row)) != NULL) {
        forms = arena_printf(a, "%s%s%s%s:FUNCTION", forms, *forms ? " or " : "",
                             x->is_file_ending ? "FILE" : "", x->name);
        if (!x->is_file_ending && count < COUNT_OF(names))
            names[count++] = x->name;
    }
    const char *near = str_nearest(s->library->name, names, count);
    return near ? fail(err, s->at, "unknown library '%s' (did you mean '%s'?)", s->library->name,
                       near)
                : fail(err, s->at, "unknown library '%s': 'library' is written %s",
                       s->library->name, forms);
}

bool libraries_check(struct arena *a, const struct experiment *e, struct error *err)
{
    for (int v = 0; v < e->variant_count; v++)
        for (int i = 0; i < e->variants[v].launch_count; i++) {
            const struct launch_spec *s = &e->variants[v].launches[i];
            if (s->kind != LAUNCH_LIBRARY)
                continue;
            const struct library_rules *x = find_library(s->library);
            if (!x)
                return fail_unknown_library(a, s, err);
            if (!x->check(a, e, s, err))
                return false;
        }
    return true;
}

bool libraries_check_case(const struct resolved_case *c, const struct resolved_variant *v,
                          struct error *err)
{
    for (int i = 0; i < v->launch_count; i++) {
        const struct resolved_launch *l = &v->launches[i];
        const struct library_rules *x = l->kind == LAUNCH_LIBRARY ? find_library(l->library) : NULL;
        if (x && x->check_case && !x->check_case(c, l, err))
            return false;
    }
    return true;
}

bool device_has_libraries(const struct device_info *info)
{
    const struct device_backend *b = backend_of(info);
    return b && b->libraries;
}
