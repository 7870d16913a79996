// Variables of the source that are set before a launch: from a buffer, a file, or a fill of their own, which
// then is a buffer with the variable's name.
// SPDX-License-Identifier: Apache-2.0
#include "experiment/internal.h"

#include <string.h>
#include <sys/stat.h>

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

// Another variant may set the same variable in the same way.
static bool is_same(const struct buffer_spec *a, const struct buffer_spec *b)
{
    bool same = a->type == b->type && a->fill == b->fill && same_text(a->fill_path, b->fill_path) &&
                strcmp(expression_text(a->count), expression_text(b->count)) == 0;
    for (int i = 0; i < 2; i++) {
        const struct expression *x = a->fill_args[i], *y = b->fill_args[i];
        same = same && same_text(x != NULL ? expression_text(x) : NULL,
                                 y != NULL ? expression_text(y) : NULL);
    }
    return same;
}

static bool add_buffer(struct loader *l, const struct buffer_spec *b, int *buffer)
{
    struct experiment *e = l->e;
    *buffer = buffer_find(e, b->name);
    if (*buffer >= 0 && is_same(&e->buffers[*buffer], b)) {
        return true;
    }
    if (*buffer >= 0 || !is_word(l, b->name)) {
        return fail(l->err, b->at,
                    "'set' would make a buffer '%s' for this variable, and there is one, or a "
                    "parameter, of that name: declare a buffer of another name and write its name "
                    "here",
                    b->name);
    }
    struct buffer_spec *more = ARENA_ARRAY(l->a, struct buffer_spec, e->buffer_count + 1);
    if (e->buffer_count > 0) {
        memcpy(more, e->buffers, sizeof *more * (size_t)e->buffer_count);
    }
    more[e->buffer_count] = *b;
    e->buffers = more;
    *buffer = e->buffer_count++;
    return true;
}

// {type: f32, count: K, fill: "uniform(-1,1)"}
static bool load_own(struct loader *l, const struct yaml_node *node, struct buffer_spec *b)
{
    const struct yaml_node *type = yaml_get(node, "type"), *count = yaml_get(node, "count"),
                           *fill = yaml_get(node, "fill");
    if (!check_keys(l, node, "a variable's value", KEYS_SET)) {
        return false;
    }
    if (type == NULL || count == NULL || fill == NULL) {
        return fail(l->err, node->at, "a variable's value needs 'type', 'count' and 'fill'");
    }
    return load_type(l, type, &b->type) && load_expression(l, count, "'count'", &b->count) &&
           load_fill(l, fill, b);
}

// file(taps.bin): all of its bytes.
static bool load_file(struct loader *l, const struct yaml_node *node, struct buffer_spec *b)
{
    struct stat st;
    b->type = ELEMENT_U8;
    if (!load_fill(l, node, b)) {
        return false;
    }
    if (stat(b->fill_path, &st) != 0 || st.st_size < 1) {
        return fail(l->err, node->at, "the file '%s' is empty", b->fill_path);
    }
    return expression_parse(l->a, arena_printf(l->a, "%lld", (long long)st.st_size), node->at,
                            &b->count, l->err);
}

static bool load_set(struct loader *l, const struct yaml_node *key, const struct yaml_node *node,
                     struct set_spec *out)
{
    struct buffer_spec own = {.name = key->scalar, .at = key->at};
    const char *text = NULL;
    *out = (struct set_spec){key->scalar, -1, key->at};
    if (node->kind == YAML_MAP) {
        return load_own(l, node, &own) && add_buffer(l, &own, &out->buffer);
    }
    if (!yaml_string(node, "'set'", &text, l->err)) {
        return false;
    }
    if (str_starts_with(text, "file(")) {
        return load_file(l, node, &own) && add_buffer(l, &own, &out->buffer);
    }
    out->buffer = buffer_find(l->e, text);
    return out->buffer >= 0 || fail_unknown_buffer(l->a, l->e, node->at, text, false, l->err);
}

bool load_sets(struct loader *l, const struct yaml_node *node, struct launch_spec *out)
{
    const struct yaml_node *set = yaml_get(node, "set");
    if (set == NULL) {
        return true;
    }
    if (!yaml_expect(set, YAML_MAP, "'set'", l->err)) {
        return false;
    }
    out->sets = ARENA_ARRAY(l->a, struct set_spec, set->count + 1);
    for (size_t i = 0; i < set->count; i++) {
        if (!load_set(l, set->keys[i], set->items[i], &out->sets[out->set_count++])) {
            return false;
        }
    }
    return true;
}
