// Tensor maps among a kernel's arguments: {tensor_map: a, dims: [K, M], box: [64, 128], swizzle: 128B}.
// What a map may be is CUDA's: driver API, cuTensorMapEncodeTiled.
// SPDX-License-Identifier: Apache-2.0
#include "experiment/internal.h"

#include <string.h>

enum { BOX_MAX = 256, GRANULE_BYTES = 16 };
static const char *const swizzle_names[] = {"none", "32B", "64B", "128B"};

static bool load_list(struct loader *l, const struct yaml_node *node, const char *what, int rank,
                      struct expression **out)
{
    int count = node->kind == YAML_LIST ? (int)node->count : 1;
    if (count != rank) {
        return fail(l->err, node->at,
                    "%s of this tensor map must have %d %s, not %d: 'dims' has one per "
                    "dimension, 'box' too, 'strides' one less",
                    what, rank, rank == 1 ? "entry" : "entries", count);
    }
    for (int i = 0; i < rank; i++) {
        const struct yaml_node *item = node->kind == YAML_LIST ? node->items[i] : node;
        if (!load_expression(l, item, what, &out[i])) {
            return false;
        }
    }
    return true;
}

static bool load_swizzle(struct loader *l, const struct yaml_node *node, enum tensor_swizzle *out)
{
    const char *s = NULL;
    if (node == NULL) {
        return true;
    }
    if (!yaml_string(node, "'swizzle'", &s, l->err)) {
        return false;
    }
    for (size_t i = 0; i < COUNT_OF(swizzle_names); i++) {
        if (strcmp(swizzle_names[i], s) == 0) {
            *out = (enum tensor_swizzle)i;
            return true;
        }
    }
    return fail_unknown(l->err, node->at, "swizzle", s, swizzle_names, COUNT_OF(swizzle_names));
}

bool load_tensor_map(struct loader *l, const struct yaml_node *node, struct argument_spec *out)
{
    const struct yaml_node *dims = yaml_get(node, "dims"), *box = yaml_get(node, "box");
    const struct yaml_node *strides = yaml_get(node, "strides");
    const char *name = NULL;
    *out = (struct argument_spec){.kind = ARGUMENT_TENSOR_MAP, .buffer = -1, .at = node->at};
    struct tensor_spec *t = out->tensor = ARENA_NEW(l->a, struct tensor_spec);
    if (!check_keys(l, node, "a tensor map", KEYS_TENSOR_MAP) ||
        !yaml_string(yaml_get(node, "tensor_map"), "'tensor_map'", &name, l->err)) {
        return false;
    }
    out->buffer = buffer_find(l->e, name);
    if (out->buffer < 0) {
        return fail_unknown_buffer(l->a, l->e, yaml_get(node, "tensor_map")->at, name, false,
                                   l->err);
    }
    if (dims == NULL || box == NULL) {
        return fail(l->err, node->at, "the tensor map of '%s' needs '%s', innermost first", name,
                    dims == NULL ? "dims" : "box");
    }
    t->rank = dims->kind == YAML_LIST ? (int)dims->count : 1;
    if (t->rank < 1 || t->rank > TENSOR_RANK_MAX) {
        return fail(l->err, dims->at, "a tensor map has 1 to %d dimensions, not %d",
                    TENSOR_RANK_MAX, t->rank);
    }
    return load_list(l, dims, "'dims'", t->rank, t->dims) &&
           load_list(l, box, "'box'", t->rank, t->box) &&
           (strides == NULL || load_list(l, strides, "'strides'", t->rank - 1, t->strides + 1)) &&
           load_swizzle(l, yaml_get(node, "swizzle"), &t->swizzle);
}

/* ---- in a case --------------------------------------------------------------------------------- */

static bool evaluate(struct resolver *r, const struct expression *x, const char *what, int64_t most,
                     int64_t *out)
{
    if (!evaluate_integer(r, x, what, out)) {
        return false;
    }
    return (*out >= 1 && *out <= most) ||
           fail(r->err, expression_location(x),
                "%s of a tensor map is %lld (%s with %s); it must "
                "be 1 to %lld",
                what, (long long)*out, expression_text(x), r->where, (long long)most);
}

static bool check_box(struct resolver *r, const struct argument_spec *s,
                      const struct resolved_tensor *t)
{
    uint64_t inner = t->box[0] * t->strides_bytes[0];
    uint64_t most =
        t->swizzle == TENSOR_SWIZZLE_NONE ? UINT64_MAX : (uint64_t)GRANULE_BYTES << t->swizzle;
    if (inner % GRANULE_BYTES != 0) {
        return fail(r->err, s->at,
                    "a row of this tensor map's box has %llu bytes: not a multiple of %d",
                    (unsigned long long)inner, GRANULE_BYTES);
    }
    if (inner > most) {
        return fail(r->err, s->at,
                    "a row of this tensor map's box has %llu bytes: swizzle %s takes %llu at most",
                    (unsigned long long)inner, swizzle_names[t->swizzle], (unsigned long long)most);
    }
    return true;
}

static bool check_reach(struct resolver *r, const struct argument_spec *s,
                        const struct resolved_tensor *t)
{
    struct resolved_buffer b;
    uint64_t end = t->strides_bytes[0];
    for (int i = 0; i < t->rank; i++) {
        end += (t->dims[i] - 1) * t->strides_bytes[i];
        if (i > 0 && t->strides_bytes[i] % GRANULE_BYTES != 0) {
            return fail(r->err, s->at,
                        "stride %d of this tensor map is %llu bytes with %s: not a multiple of %d; "
                        "give the variant a 'requires' that says so",
                        i, (unsigned long long)t->strides_bytes[i], r->where, GRANULE_BYTES);
        }
    }
    if (!resolve_buffer(r, &r->e->buffers[s->buffer], &b)) {
        return false;
    }
    return end <= b.size_bytes ||
           fail(r->err, s->at, "this tensor map spans %llu bytes with %s: buffer '%s' has %llu",
                (unsigned long long)end, r->where, b.name, (unsigned long long)b.size_bytes);
}

bool tensor_resolve(struct resolver *r, const struct argument_spec *s,
                    struct resolved_argument *out)
{
    const struct tensor_spec *from = s->tensor;
    struct resolved_tensor *t = ARENA_NEW(r->a, struct resolved_tensor);
    t->type = r->e->buffers[s->buffer].type;
    t->rank = from->rank;
    t->swizzle = from->swizzle;
    t->strides_bytes[0] = element_bytes(t->type);
    for (int i = 0; i < t->rank; i++) {
        int64_t dim = 0, box = 0, stride = 0;
        if (!evaluate(r, from->dims[i], "'dims'", (int64_t)1 << 32, &dim) ||
            !evaluate(r, from->box[i], "'box'", BOX_MAX, &box) ||
            (from->strides[i] != NULL &&
             !evaluate(r, from->strides[i], "'strides'", (int64_t)1 << 40, &stride))) {
            return false;
        }
        t->dims[i] = (uint64_t)dim;
        t->box[i] = (uint32_t)box;
        if (i > 0) {
            t->strides_bytes[i] = from->strides[i] != NULL
                                      ? (uint64_t)stride * t->strides_bytes[0]
                                      : t->strides_bytes[i - 1] * t->dims[i - 1];
        }
    }
    out->type = t->type;
    out->tensor = t;
    return !r->supported || (check_box(r, s, t) && check_reach(r, s, t));
}
