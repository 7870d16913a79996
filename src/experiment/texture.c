// Textures and surfaces among a kernel's arguments: {texture: image, size: [W, H], filter: linear} and {surface:
// out, size: [W, H]}. What they may be is CUDA's: driver API, "Texture Object Management".
// SPDX-License-Identifier: Apache-2.0
#include "experiment/internal.h"

#include <string.h>

enum { ROW_GRANULE_BYTES = 32, LINEAR_TEXELS_MAX = 1 << 27 };

/* ---- reading --------------------------------------------------------------------------------------- */

static const char *const address_names[] = {"wrap", "clamp", "mirror", "border"};

static bool load_word(struct loader *l, const struct yaml_node *node, const char *what,
                      const char *const *words, size_t count, int *out)
{
    const char *s = NULL;
    if (!yaml_string(node, what, &s, l->err))
        return false;
    for (size_t i = 0; i < count; i++)
        if (strcmp(words[i], s) == 0) {
            *out = (int)i;
            return true;
        }
    return fail_unknown(l->err, node->at, what, s, words, count);
}

// One of two words; without the key the first.
static bool load_choice(struct loader *l, const struct yaml_node *map, const char *key,
                        const char *const words[2], bool *second)
{
    const struct yaml_node *node = yaml_get(map, key);
    int which = 0;
    bool done = !node || load_word(l, node, arena_printf(l->a, "'%s'", key), words, 2, &which);
    *second = which == 1;
    return done;
}

static bool load_size(struct loader *l, const struct yaml_node *map, const char *what,
                      const char *name, struct texture_spec *t)
{
    const struct yaml_node *size = yaml_get(map, "size");
    if (!size)
        return fail(l->err, map->at, "the %s of '%s' needs 'size': texels in x, or in x and y",
                    what, name);
    t->rank = size->kind == YAML_LIST ? (int)size->count : 1;
    if (t->rank < 1 || t->rank > TEXTURE_RANK_MAX)
        return fail(l->err, size->at, "'size' of a %s must have 1 or 2 dimensions, not %d", what,
                    t->rank);
    for (int i = 0; i < t->rank; i++)
        if (!load_expression(l, size->kind == YAML_LIST ? size->items[i] : size, "'size'",
                             &t->size[i]))
            return false;
    return true;
}

// One mode for all dimensions, or one for each.
static bool load_address(struct loader *l, const struct yaml_node *node, struct texture_spec *t)
{
    if (node->kind == YAML_LIST && (int)node->count != t->rank)
        return fail(l->err, node->at, "'address' must be one mode, or one for each dimension: %d",
                    t->rank);
    for (int i = 0; i < t->rank; i++) {
        const struct yaml_node *item = node->kind == YAML_LIST ? node->items[i] : node;
        int which = 0;
        if (!load_word(l, item, "'address'", address_names, COUNT_OF(address_names), &which))
            return false;
        t->address[i] = (enum texture_address)which;
        if (!t->normalized && (t->address[i] == TEXTURE_WRAP || t->address[i] == TEXTURE_MIRROR))
            return fail(l->err, item->at,
                        "'address: %s' needs 'coordinates: normalized': with coordinates in texels "
                        "CUDA takes clamp for it",
                        address_names[which]);
    }
    return true;
}

static bool is_texel_type(enum element_type t)
{
    return t == ELEMENT_F16 || t == ELEMENT_F32 || t == ELEMENT_I8 || t == ELEMENT_U8 ||
           t == ELEMENT_I16 || t == ELEMENT_U16 || t == ELEMENT_I32 || t == ELEMENT_U32;
}

static bool load_sampling(struct loader *l, const struct yaml_node *map, enum element_type type,
                          struct texture_spec *t)
{
    static const char *const filters[] = {"point", "linear"}, *const memories[] = {"linear",
                                                                                   "array"};
    static const char *const coordinates[] = {"texels", "normalized"};
    static const char *const reads[] = {"elements", "normalized"};
    const struct yaml_node *address = yaml_get(map, "address");
    bool is_float = type == ELEMENT_F16 || type == ELEMENT_F32;
    if (!load_choice(l, map, "filter", filters, &t->linear_filter) ||
        !load_choice(l, map, "coordinates", coordinates, &t->normalized) ||
        !load_choice(l, map, "read", reads, &t->read_normalized) ||
        !load_choice(l, map, "memory", memories, &t->array) ||
        (address && !load_address(l, address, t)))
        return false;
    if (t->read_normalized && (is_float || element_bytes(type) > 2))
        return fail(l->err, yaml_get(map, "read")->at,
                    "'read: normalized' takes integers of 8 or 16 bits, and these are %s",
                    element_name(type));
    if (t->linear_filter && !is_float && !t->read_normalized)
        return fail(l->err, yaml_get(map, "filter")->at,
                    "'filter: linear' takes f16, f32, or integers with 'read: normalized'");
    if (t->rank == 1 && !t->array && (t->linear_filter || t->normalized || address))
        return fail(l->err, map->at,
                    "a texture of one dimension in linear memory takes tex1Dfetch alone: filters, "
                    "normalized coordinates and 'address' are for 'memory: array'");
    return true;
}

bool load_texture(struct loader *l, const struct yaml_node *node, struct argument_spec *out)
{
    bool surface = yaml_get(node, "surface") != NULL;
    const char *what = surface ? "surface" : "texture", *name = NULL;
    const struct yaml_node *buffer = yaml_get(node, what), *channels = yaml_get(node, "channels");
    int64_t count = 1;
    *out = (struct argument_spec){.kind = ARGUMENT_TEXTURE, .buffer = -1, .at = node->at};
    struct texture_spec *t = out->texture = ARENA_NEW(l->a, struct texture_spec);
    *t = (struct texture_spec){.surface = surface, .array = surface};
    for (int i = 0; i < TEXTURE_RANK_MAX; i++)
        t->address[i] = TEXTURE_CLAMP;
    if (!check_keys(l, node, arena_printf(l->a, "a %s", what),
                    surface ? KEYS_SURFACE : KEYS_TEXTURE) ||
        !yaml_string(buffer, arena_printf(l->a, "'%s'", what), &name, l->err))
        return false;
    out->buffer = buffer_find(l->e, name);
    if (out->buffer < 0)
        return fail_unknown_buffer(l->a, l->e, buffer->at, name, false, l->err);
    enum element_type type = l->e->buffers[out->buffer].type;
    if (!is_texel_type(type))
        return fail(l->err, buffer->at,
                    "a %s takes a buffer of f16, f32, i8, u8, i16, u16, i32 or u32, and '%s' is %s",
                    what, name, element_name(type));
    if (channels && !yaml_i64(channels, "'channels'", &count, l->err))
        return false;
    if (count != 1 && count != 2 && count != 4)
        return fail(l->err, channels->at, "'channels' must be 1, 2 or 4 elements per texel");
    t->channels = (int)count;
    return load_size(l, node, what, name, t) && (surface || load_sampling(l, node, type, t));
}

/* ---- in a case ------------------------------------------------------------------------------------- */

// What CUDA allows of a GPU of compute capability 7.5 and newer (CUDA programming guide, "Technical
// Specifications per Compute Capability").
static const struct {
    bool surface, array;
    int rank;
    int64_t most[TEXTURE_RANK_MAX];
} limits[] = {
    {false, false, 1, {LINEAR_TEXELS_MAX, 1}},
    {false, false, 2, {131072, 65000}},
    {false, true, 1, {131072, 1}},
    {false, true, 2, {131072, 65536}},
    {true, true, 1, {32768, 1}},
    {true, true, 2, {131072, 65536}},
};

static int64_t size_limit(const struct texture_spec *t, int dimension)
{
    for (size_t i = 0; i < COUNT_OF(limits); i++)
        if (limits[i].surface == t->surface && limits[i].array == t->array &&
            limits[i].rank == t->rank)
            return limits[i].most[dimension];
    return 1;
}

static bool check_texture(struct resolver *r, const struct argument_spec *s,
                          const struct resolved_texture *t)
{
    struct resolved_buffer b;
    const char *what = t->surface ? "surface" : "texture";
    if (!resolve_buffer(r, &r->e->buffers[s->buffer], &b))
        return false;
    if (t->pitch_bytes * t->height > b.size_bytes)
        return fail(r->err, s->at, "this %s spans %llu bytes with %s: buffer '%s' has %llu", what,
                    (unsigned long long)(t->pitch_bytes * t->height), r->where, b.name,
                    (unsigned long long)b.size_bytes);
    if (!t->array && t->rank == 2 && t->pitch_bytes % ROW_GRANULE_BYTES != 0)
        return fail(r->err, s->at,
                    "a row of this texture has %llu bytes with %s: not a multiple of %d, as rows "
                    "in linear memory must be; 'memory: array' takes any",
                    (unsigned long long)t->pitch_bytes, r->where, ROW_GRANULE_BYTES);
    return true;
}

bool texture_resolve(struct resolver *r, const struct argument_spec *s,
                     struct resolved_argument *out)
{
    const struct texture_spec *from = s->texture;
    struct resolved_texture *t = ARENA_NEW(r->a, struct resolved_texture);
    uint64_t size[TEXTURE_RANK_MAX] = {1, 1};
    for (int i = 0; i < from->rank; i++) {
        int64_t n = 0, most = size_limit(from, i);
        if (!evaluate_integer(r, from->size[i], "'size'", &n))
            return false;
        if (n < 1 || n > most)
            return fail(r->err, expression_location(from->size[i]),
                        "'size' is %lld texels in %c (%s with %s); it must be 1 to %lld",
                        (long long)n, "xy"[i], expression_text(from->size[i]), r -> where,
                        (long long)most);
        size[i] = (uint64_t)n;
    }
    t->type = r->e->buffers[s->buffer].type;
    t->rank = from->rank;
    t->channels = from->channels;
    t->width = size[0];
    t->height = size[1];
    t->pitch_bytes = size[0] * (uint64_t)from->channels * element_bytes(t->type);
    t->surface = from->surface;
    t->array = from->array;
    t->linear_filter = from->linear_filter;
    t->normalized = from->normalized;
    t->read_normalized = from->read_normalized;
    memcpy(t->address, from->address, sizeof t->address);
    out->type = t->type;
    out->text = r->e->buffers[s->buffer].name;
    out->texture = t;
    return !r->supported || check_texture(r, s, t);
}
