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
        return fail(l->err, node->at, "%s is written FILE.c:FUNCTION, not '%s'", what, s);
    }
    struct reference_spec *r = &l->e->reference;
    r->function = arena_strdup(l->a, colon + 1);
    r->source = path_join(l->a, l->e->directory, arena_strndup(l->a, s, (size_t)(colon - s)));
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
    const struct yaml_node *call = yaml_get(node, "call");
    return check_keys(l, node, "'reference'", KEYS_REFERENCE) &&
           (call != NULL || fail(l->err, node->at, "'reference' needs 'call: FILE.c:FUNCTION'")) &&
           load_call(l, call, "'call'");
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

static const char *args_text(struct loader *l)
{
    const struct reference_spec *r = &l->e->reference;
    const char *list = "";
    for (int i = 0; i < r->arg_count; i++) {
        const struct argument_spec *x = &r->args[i];
        list = arena_printf(l->a, "%s%s%s", list, i > 0 ? ", " : "",
                            x->kind == ARGUMENT_SCALAR ? expression_text(x->value)
                                                       : l->e->buffers[x->buffer].name);
    }
    return list;
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
            given = given || r->args[k].buffer == i;
        }
        any = any || b->output;
        if (!b->output || given) {
            continue;
        }
        const char *from =
            r->args_of != NULL
                ? arena_printf(l->a, ", those of the first kernel of variant '%s'", r->args_of)
                : "";
        return fail(l->err, b->at,
                    "buffer '%s' is an output, but not among the arguments of the reference '%s' "
                    "(%s%s): state them with reference: {call: %s:%s, args: [...]}",
                    b->name, r->function, r->arg_count > 0 ? args_text(l) : "none", from,
                    path_name(r->source), r->function);
    }
    return any || fail(l->err, r->at,
                       "there is a reference, but no buffer has 'output: true': nothing would be "
                       "compared with it, and any kernel would be called right");
}

bool load_reference_args(struct loader *l, const struct yaml_node *node)
{
    if (node == NULL) {
        return true;
    }
    const struct yaml_node *args = node->kind == YAML_MAP ? yaml_get(node, "args") : NULL;
    if (args == NULL) {
        return take_args(l) && check_outputs(l);
    }
    struct launch_spec stated = {0};
    if (!load_args(l, args, &stated)) {
        return false;
    }
    l->e->reference.args = stated.args;
    l->e->reference.arg_count = stated.arg_count;
    return check_outputs(l);
}
