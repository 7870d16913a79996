// Variants that call a library: `library: NAME:FUNCTION` with named arguments (a map) or with a list as a
// kernel has. What there is of libraries, and what each takes, is checked by those who call them.
// SPDX-License-Identifier: Apache-2.0
#include "experiment/internal.h"

#include <string.h>

static bool load_call(struct loader *l, const struct yaml_node *node, struct library_call *out)
{
    if (!yaml_string(node, "'library'", &out->text, l->err))
        return false;
    const char *colon = strrchr(out->text, ':');
    if (!colon || colon == out->text || !is_identifier(colon + 1))
        return fail(l->err, node->at, "'library' is written NAME:FUNCTION, not '%s'", out->text);
    out->name = arena_strndup(l->a, out->text, (size_t)(colon - out->text));
    out->function = colon + 1;
    out->directory = l->e->directory;
    return true;
}

// Anything that a kernel's argument may be, or a word.
static bool load_named(struct loader *l, const struct yaml_node *key, const struct yaml_node *node,
                       struct argument_spec *out)
{
    const struct yaml_node *value = node->kind == YAML_MAP ? yaml_get(node, "value") : node;
    const char *text = value && value->kind == YAML_SCALAR ? value->scalar : "";
    if (node->kind == YAML_SCALAR && is_word(l, text))
        *out = (struct argument_spec){.kind = ARGUMENT_WORD, .buffer = -1, .at = node->at};
    else if (!load_argument(l, node, out))
        return false;
    out->name = key->scalar;
    out->name_at = key->at;
    out->text = text;
    return true;
}

static bool load_named_args(struct loader *l, const struct yaml_node *args, struct launch_spec *out)
{
    out->args = ARENA_ARRAY(l->a, struct argument_spec, args->count + 1);
    for (size_t i = 0; i < args->count; i++)
        if (!load_named(l, args->keys[i], args->items[i], &out->args[out->arg_count++]))
            return false;
    return true;
}

bool load_library_keys(struct loader *l, const struct yaml_node *node, struct launch_spec *out)
{
    static const char *const kernels[] = {"kernel", "grid", "block", "shared_bytes", "persist"};
    const struct yaml_node *library = yaml_get(node, "library");
    const struct yaml_node *args = yaml_get(node, "args");
    struct library_call *call = ARENA_NEW(l->a, struct library_call);
    *out = (struct launch_spec){
        .kind = LAUNCH_LIBRARY, .library = call, .zero_buffer = -1, .at = library->at};
    for (size_t i = 0; i < COUNT_OF(kernels); i++) {
        const struct yaml_node *n = yaml_get(node, kernels[i]);
        if (n)
            return fail(
                l->err, n->at,
                "'%s' belongs to kernels: leave it out beside 'library', which launches its own",
                kernels[i]);
    }
    if (!load_call(l, library, call))
        return false;
    call->args_at = args ? args->at : library->at;
    if (!args)
        return true;
    if (args->kind == YAML_MAP ? !load_named_args(l, args, out) : !load_args(l, args, out))
        return false;
    for (int i = 0; i < out->arg_count; i++)
        if (out->args[i].kind == ARGUMENT_STRUCT)
            return fail(l->err, out->args[i].at, "a library takes buffers and numbers, no struct");
        else if (out->args[i].inside)
            return fail(l->err, out->args[i].at, "a library takes whole buffers, without 'offset'");
    return true;
}
