// Structs by value among a kernel's arguments: {struct: [x, i32 4, f32 0.5]}. A field lies where C puts
// it: at the next multiple of its own size; `at` and `size` say otherwise.
// SPDX-License-Identifier: Apache-2.0
#include "experiment/internal.h"

#include <string.h>

enum { ADDRESS_BYTES = 8, STRUCT_BYTES_MAX = 32764 }; // what a launch's parameters may have in all

bool split_typed(const char *s, enum element_type *type, const char **value)
{
    size_t n = strcspn(s, " ");
    if (s[n] == '\0') {
        return false;
    }
    for (int i = 0; i < ELEMENT_TYPE_COUNT; i++) {
        const char *name = element_name((enum element_type)i);
        if (strlen(name) == n && strncmp(name, s, n) == 0) {
            *type = (enum element_type)i;
            *value = s + n + strspn(s + n, " ");
            return true;
        }
    }
    return false;
}

static bool load_field(struct loader *l, const struct yaml_node *node, struct argument_spec *out)
{
    const struct yaml_node *at = node->kind == YAML_MAP ? yaml_get(node, "at") : NULL;
    if (!load_argument(l, node, out)) {
        return false;
    }
    if (out->kind == ARGUMENT_TENSOR_MAP || out->kind == ARGUMENT_TEXTURE) {
        return fail(l->err, node->at,
                    "a %s cannot be a field of a struct: make it an argument of its own",
                    out->kind == ARGUMENT_TENSOR_MAP ? "tensor map"
                    : out->texture->surface          ? "surface"
                                                     : "texture");
    }
    return at == NULL || load_expression(l, at, "'at'", &out->offset);
}

bool load_struct(struct loader *l, const struct yaml_node *node, struct argument_spec *out)
{
    const struct yaml_node *list = yaml_get(node, "struct"), *size = yaml_get(node, "size");
    const struct yaml_node *align = yaml_get(node, "align");
    *out = (struct argument_spec){.kind = ARGUMENT_STRUCT, .buffer = -1, .at = node->at};
    struct struct_spec *s = out->fields = ARENA_NEW(l->a, struct struct_spec);
    if (!check_keys(l, node, "a struct", KEYS_STRUCT) ||
        !yaml_expect(list, YAML_LIST, "'struct'", l->err) ||
        (size != NULL && !load_expression(l, size, "'size'", &s->size_bytes)) ||
        (align != NULL && !load_expression(l, align, "'align'", &s->align_bytes))) {
        return false;
    }
    if (list->count == 0) {
        return fail(l->err, list->at, "'struct' has no fields");
    }
    s->items = ARENA_ARRAY(l->a, struct argument_spec, list->count);
    for (size_t i = 0; i < list->count; i++) {
        if (!load_field(l, list->items[i], &s->items[s->count++])) {
            return false;
        }
    }
    return true;
}

/* ---- in a case --------------------------------------------------------------------------------- */

static uint64_t field_bytes(const struct resolved_argument *x)
{
    return x->kind == ARGUMENT_STRUCT   ? x->fields->size_bytes
           : x->kind == ARGUMENT_SCALAR ? element_bytes(x->type)
                                        : ADDRESS_BYTES;
}

static uint64_t field_align(const struct resolved_argument *x)
{
    return x->kind == ARGUMENT_STRUCT ? x->fields->align_bytes : field_bytes(x);
}

static uint64_t round_up(uint64_t x, uint64_t unit)
{
    return (x + unit - 1) / unit * unit;
}

// Where the field lies, *at = the end of those before it.
static bool place(struct resolver *r, const struct argument_spec *field,
                  const struct resolved_argument *x, struct resolved_struct *s, uint64_t *at)
{
    uint64_t align = field_align(x), usual = round_up(*at, align);
    int64_t given = (int64_t)usual;
    if (field->offset != NULL && !evaluate_integer(r, field->offset, "'at'", &given)) {
        return false;
    }
    if (given < (int64_t)*at || given > STRUCT_BYTES_MAX || (uint64_t)given % align != 0) {
        return fail(
            r->err, field->at,
            "'at' puts this field of %llu bytes at byte %lld; it must be a multiple of %llu, "
            "from %llu (the end of the field before) to %d",
            (unsigned long long)field_bytes(x), (long long)given, (unsigned long long)align,
            (unsigned long long)*at, STRUCT_BYTES_MAX);
    }
    s->offsets[s->count - 1] = (uint64_t)given;
    s->align_bytes = align > s->align_bytes ? align : s->align_bytes;
    s->as_c =
        s->as_c && (uint64_t)given == usual && (x->kind != ARGUMENT_STRUCT || x->fields->as_c);
    *at = (uint64_t)given + field_bytes(x);
    return true;
}

// `align: 16` as __align__(16) in the source.
static bool align(struct resolver *r, const struct argument_spec *from, struct resolved_struct *s)
{
    enum { ALIGN_MAX = 128 };
    int64_t given = (int64_t)s->align_bytes;
    if (from->fields->align_bytes != NULL &&
        !evaluate_integer(r, from->fields->align_bytes, "the struct's 'align'", &given)) {
        return false;
    }
    if (given < (int64_t)s->align_bytes || given > ALIGN_MAX || (given & (given - 1)) != 0) {
        return fail(r->err, from->at, "'align' is %lld; it must be a power of two from %llu to %d",
                    (long long)given, (unsigned long long)s->align_bytes, ALIGN_MAX);
    }
    s->as_c = s->as_c && (uint64_t)given == s->align_bytes;
    s->align_bytes = (uint64_t)given;
    return true;
}

bool struct_resolve(struct resolver *r, const struct argument_spec *from,
                    struct resolved_argument *out)
{
    const struct struct_spec *spec = from->fields;
    struct resolved_struct *s = ARENA_NEW(r->a, struct resolved_struct);
    uint64_t end = 0;
    const char *text = "";
    *s = (struct resolved_struct){.align_bytes = 1, .as_c = true};
    s->items = ARENA_ARRAY(r->a, struct resolved_argument, spec->count);
    s->offsets = ARENA_ARRAY(r->a, uint64_t, spec->count);
    for (int i = 0; i < spec->count; i++) {
        struct resolved_argument *x = &s->items[s->count++];
        if (!resolve_argument(r, &spec->items[i], x) || !place(r, &spec->items[i], x, s, &end)) {
            return error_context(r->err, "in field %d of a struct", i + 1);
        }
        text = arena_printf(r->a, "%s%s%s at %llu", text, i > 0 ? ", " : "", x->text,
                            (unsigned long long)s->offsets[i]);
    }
    if (!align(r, from, s)) {
        return false;
    }
    uint64_t usual = round_up(end, s->align_bytes);
    int64_t size = (int64_t)usual;
    if (spec->size_bytes != NULL &&
        !evaluate_integer(r, spec->size_bytes, "the struct's 'size'", &size)) {
        return false;
    }
    if (size < (int64_t)end || size > STRUCT_BYTES_MAX) {
        return fail(
            r->err, from->at,
            "this struct has %lld bytes; it must have %llu (the end of its last field) to %d",
            (long long)size, (unsigned long long)end, STRUCT_BYTES_MAX);
    }
    s->size_bytes = (uint64_t)size;
    s->as_c = s->as_c && s->size_bytes == usual;
    out->fields = s;
    out->text = arena_printf(r->a, "{%s}", text);
    return true;
}

void struct_store(const struct resolved_struct *s, const uint64_t *addresses, uint8_t *out)
{
    memset(out, 0, s->size_bytes);
    for (int i = 0; i < s->count; i++) {
        const struct resolved_argument *x = &s->items[i];
        uint8_t *to = out + s->offsets[i];
        switch (x->kind) {
        case ARGUMENT_STRUCT:
            struct_store(x->fields, addresses, to);
            break;
        case ARGUMENT_BUFFER:
            memcpy(to, &(uint64_t){addresses[x->buffer] + x->inside_bytes}, ADDRESS_BYTES);
            break;
        case ARGUMENT_SCALAR:
            memcpy(to, x->value, element_bytes(x->type));
            break;
        case ARGUMENT_TENSOR_MAP:
        case ARGUMENT_TEXTURE: // no fields of a struct: load_field, load_argument
        case ARGUMENT_WORD:
            break;
        }
    }
}
