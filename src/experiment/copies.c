// Memory of the host: which buffers of a variant lie there (`memory: {x: pinned}`), and the steps that copy
// between it and the device: {copy: {from: x, to: dx}}.
// SPDX-License-Identifier: Apache-2.0
#include "experiment/internal.h"

#include <string.h>

static const char *const memory_names[] = {"device", "pageable", "pinned", "mapped"};

const char *buffer_memory_name(enum buffer_memory m)
{
    return memory_names[m];
}

/* ---- reading --------------------------------------------------------------------------------------- */

static bool load_place(struct loader *l, const struct yaml_node *node, enum buffer_memory *out)
{
    const char *s = NULL;
    if (!yaml_string(node, "'memory'", &s, l->err))
        return false;
    for (size_t i = 0; i < COUNT_OF(memory_names); i++)
        if (strcmp(memory_names[i], s) == 0) {
            *out = (enum buffer_memory)i;
            return true;
        }
    return fail_unknown(l->err, node->at, "memory", s, memory_names, COUNT_OF(memory_names));
}

bool load_memory(struct loader *l, const struct yaml_node *node, struct variant_spec *v)
{
    if (!yaml_expect(node, YAML_MAP, "'memory'", l->err))
        return false;
    v->memory = ARENA_ARRAY(l->a, enum buffer_memory, l->e->buffer_count + 1);
    for (size_t i = 0; i < node->count; i++) {
        int buffer = buffer_find(l->e, node->keys[i]->scalar);
        if (buffer < 0)
            return fail_unknown_buffer(l->a, l->e, node->keys[i]->at, node->keys[i]->scalar, false,
                                       l->err);
        if (!load_place(l, node->items[i], &v->memory[buffer]))
            return false;
    }
    return true;
}

static bool load_side(struct loader *l, const struct yaml_node *copy, const char *key, int *out)
{
    const struct yaml_node *node = yaml_get(copy, key);
    const char *name = NULL;
    if (!node)
        return fail(l->err, copy->at, "a copy needs '%s': {copy: {from: x, to: dx}}", key);
    if (!yaml_string(node, arena_printf(l->a, "'%s'", key), &name, l->err))
        return false;
    *out = buffer_find(l->e, name);
    return *out >= 0 || fail_unknown_buffer(l->a, l->e, node->at, name, false, l->err);
}

bool load_copy(struct loader *l, const struct yaml_node *node, struct launch_spec *out)
{
    const struct yaml_node *copy = yaml_get(node, "copy");
    struct copy_spec *c = ARENA_NEW(l->a, struct copy_spec);
    *out = (struct launch_spec){.kind = LAUNCH_COPY, .zero_buffer = -1, .copy = c, .at = copy->at};
    if (!yaml_expect(copy, YAML_MAP, "'copy'", l->err) ||
        !check_keys(l, copy, "a copy", KEYS_COPY) || !load_side(l, copy, "from", &c->from) ||
        !load_side(l, copy, "to", &c->to))
        return false;
    const struct yaml_node *offset = yaml_get(copy, "offset"), *bytes = yaml_get(copy, "bytes");
    if (c->from == c->to)
        return fail(l->err, copy->at, "a copy needs two buffers, and this is '%s' to itself",
                    l->e->buffers[c->from].name);
    return (!offset || load_expression(l, offset, "'offset'", &c->offset)) &&
           (!bytes || load_expression(l, bytes, "'bytes'", &c->bytes));
}

/* ---- what may lie on the host ------------------------------------------------------------------------ */

static bool fail_host_buffer(struct loader *l, const struct variant_spec *v, struct location at,
                             int buffer, const char *who)
{
    enum buffer_memory m = v->memory[buffer];
    const char *name = l->e->buffers[buffer].name;
    return fail(
        l->err, at,
        "%s takes '%s', which is %s memory of the host in variant '%s': write a step {copy: "
        "{from: %s, to: BUFFER}} before it, or memory: {%s: mapped}",
        who, name, memory_names[m], v->name, name, name);
}

static bool is_on_host(const struct variant_spec *v, int buffer)
{
    return buffer >= 0 && v->memory[buffer] != MEMORY_DEVICE;
}

// A kernel reaches mapped memory by its address; nothing else does.
static bool check_argument(struct loader *l, const struct variant_spec *v, const char *kernel,
                           const struct argument_spec *x)
{
    for (int i = 0; x->kind == ARGUMENT_STRUCT && i < x->fields->count; i++)
        if (!check_argument(l, v, kernel, &x->fields->items[i]))
            return false;
    bool buffer =
        x->kind == ARGUMENT_BUFFER || x->kind == ARGUMENT_TENSOR_MAP || x->kind == ARGUMENT_TEXTURE;
    bool reached = x->kind == ARGUMENT_BUFFER && buffer && is_on_host(v, x->buffer) &&
                   v->memory[x->buffer] == MEMORY_MAPPED;
    if (!buffer || !is_on_host(v, x->buffer) || reached)
        return true;
    return fail_host_buffer(l, v, x->at, x->buffer, arena_printf(l->a, "'%s'", kernel));
}

static bool check_step(struct loader *l, const struct variant_spec *v, const struct launch_spec *s)
{
    const char *who = s->library ? s->library->text : s->kernel;
    if (s->kind == LAUNCH_ZERO && is_on_host(v, s->zero_buffer))
        return fail_host_buffer(l, v, s->at, s->zero_buffer, "'zero'");
    if (s->kind == LAUNCH_COPY && is_on_host(v, s->copy->from) && is_on_host(v, s->copy->to))
        return fail(l->err, s->at,
                    "both buffers of this copy are memory of the host: one must be on the device");
    for (int i = 0; i < s->arg_count; i++)
        if (s->library && s->args[i].kind == ARGUMENT_BUFFER && is_on_host(v, s->args[i].buffer))
            return fail_host_buffer(l, v, s->args[i].at, s->args[i].buffer, who);
        else if (!check_argument(l, v, who, &s->args[i]))
            return false;
    for (int i = 0; i < s->set_count; i++)
        if (is_on_host(v, s->sets[i].buffer))
            return fail_host_buffer(l, v, s->sets[i].at, s->sets[i].buffer, "'set'");
    return true;
}

bool check_memory(struct loader *l, const struct variant_spec *v)
{
    for (int i = 0; v->memory && i < v->launch_count; i++)
        if (!check_step(l, v, &v->launches[i]))
            return false;
    return true;
}

/* ---- in a case ------------------------------------------------------------------------------------- */

bool copy_resolve(struct resolver *r, const struct copy_spec *s, struct location at,
                  struct resolved_copy *out)
{
    struct resolved_buffer from, to;
    int64_t offset = 0, bytes = 0;
    if (!resolve_buffer(r, &r->e->buffers[s->from], &from) ||
        !resolve_buffer(r, &r->e->buffers[s->to], &to) ||
        (s->offset && !evaluate_integer(r, s->offset, "'offset'", &offset)))
        return false;
    uint64_t most = from.size_bytes < to.size_bytes ? from.size_bytes : to.size_bytes;
    bytes = (int64_t)most - offset;
    if (s->bytes && !evaluate_integer(r, s->bytes, "'bytes'", &bytes))
        return false;
    if (offset < 0 || bytes < 1 || (uint64_t)offset + (uint64_t)bytes > most)
        return fail(
            r->err, at,
            "this copy takes %lld bytes from byte %lld on (%s): '%s' has %llu and '%s' %llu",
            (long long)bytes, (long long)offset, r->where, from.name,
            (unsigned long long)from.size_bytes, to.name, (unsigned long long)to.size_bytes);
    *out = (struct resolved_copy){s->from, s->to, (uint64_t)offset, (uint64_t)bytes};
    return true;
}
