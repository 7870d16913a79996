// Reading a YAML tree against a schema: scalars become numbers and words here, where the caller says
// what it wants, and every complaint points at the value. `what` is printed as it is ("'count'", "the
// grid"); a NULL node means the value is missing.
// SPDX-License-Identifier: Apache-2.0
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_NAMES_LISTED = 24 };

static const char *kind_name(enum yaml_kind kind)
{
    switch (kind) {
    case YAML_SCALAR:
        return "a single value";
    case YAML_LIST:
        return "a list";
    case YAML_MAP:
        return "a map";
    }
    return "";
}

const struct yaml_node *yaml_get(const struct yaml_node *map, const char *key)
{
    if (!map || map->kind != YAML_MAP)
        return NULL;
    for (size_t i = 0; i < map->count; i++)
        if (strcmp(map->keys[i]->scalar, key) == 0)
            return map->items[i];
    return NULL;
}

// " (did you mean 'y'?)", or what there is; the caller frees it.
static char *way_out(const char *name, const char *const *known, size_t count)
{
    const char *nearest = str_nearest(name, known, count);
    struct text t = {0};
    if (nearest)
        text_printf(&t, " (did you mean '%s'?)", nearest);
    else
        text_add(&t, count > 0 ? " (known: " : " (there is none)");
    for (size_t i = 0; !nearest && i < count && i < MAX_NAMES_LISTED; i++)
        text_printf(&t, "%s%s", i > 0 ? ", " : "", known[i]);
    if (!nearest && count > MAX_NAMES_LISTED)
        text_printf(&t, " and %zu more", count - MAX_NAMES_LISTED);
    if (!nearest && count > 0)
        text_add(&t, ")");
    return t.data;
}

bool fail_unknown(struct error *err, struct location at, const char *what, const char *name,
                  const char *const *known, size_t count)
{
    char *next = way_out(name, known, count);
    fail(err, at, "unknown %s '%s'%s", what, name, next);
    free(next);
    return false;
}

static bool fail_unknown_key(const struct yaml_node *key, const char *what,
                             const char *const *allowed, size_t count, struct error *err)
{
    char *next = way_out(key->scalar, allowed, count);
    fail(err, key->at, "unknown key '%s' in %s%s", key->scalar, what, next);
    free(next);
    return false;
}

bool yaml_check_keys(const struct yaml_node *map, const char *what, const char *const *allowed,
                     size_t count, struct error *err)
{
    if (!yaml_expect(map, YAML_MAP, what, err))
        return false;
    for (size_t i = 0; i < map->count; i++) {
        const struct yaml_node *key = map->keys[i];
        bool known = false;
        for (size_t k = 0; k < count && !known; k++)
            known = strcmp(key->scalar, allowed[k]) == 0;
        if (!known)
            return fail_unknown_key(key, what, allowed, count, err);
    }
    return true;
}

bool yaml_expect(const struct yaml_node *node, enum yaml_kind kind, const char *what,
                 struct error *err)
{
    if (!node)
        return fail(err, NOWHERE, "%s is missing", what);
    if (node->kind == kind)
        return true;
    return fail(err, node->at, "%s must be %s, not %s", what, kind_name(kind),
                kind_name(node->kind));
}

bool yaml_string(const struct yaml_node *node, const char *what, const char **out,
                 struct error *err)
{
    if (!yaml_expect(node, YAML_SCALAR, what, err))
        return false;
    for (const char *c = node->scalar; *c; c++)
        if (((unsigned char)*c < ' ' && *c != '\n' && *c != '\t') || *c == 0x7f)
            return fail(err, node->at, "%s holds a control character (0x%02x)", what,
                        (unsigned)(unsigned char)*c);
    *out = node->scalar;
    return true;
}

bool yaml_double(const struct yaml_node *node, const char *what, double *out, struct error *err)
{
    if (!yaml_expect(node, YAML_SCALAR, what, err))
        return false;
    if (str_to_double(node->scalar, out))
        return true;
    return fail(err, node->at, "%s must be a number, not '%s'", what, node->scalar);
}

bool yaml_i64(const struct yaml_node *node, const char *what, int64_t *out, struct error *err)
{
    if (!yaml_expect(node, YAML_SCALAR, what, err))
        return false;
    if (str_to_i64(node->scalar, out))
        return true;
    return fail(err, node->at, "%s must be a whole number, not '%s'", what, node->scalar);
}

bool yaml_bool(const struct yaml_node *node, const char *what, bool *out, struct error *err)
{
    if (!yaml_expect(node, YAML_SCALAR, what, err))
        return false;
    bool yes = strcmp(node->scalar, "true") == 0;
    if (!yes && strcmp(node->scalar, "false") != 0)
        return fail(err, node->at, "%s must be true or false, not '%s'", what, node->scalar);
    *out = yes;
    return true;
}
