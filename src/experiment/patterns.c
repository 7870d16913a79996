// Patterns of inputs: what a kernel that is right on random data only has not seen.
// SPDX-License-Identifier: Apache-2.0
#include "experiment/internal.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *meaning;
    bool usual;
} rows[] = {
#define PATTERN(id, name, usual, meaning) {name, meaning, usual},
#include "experiment/patterns.def"
#undef PATTERN
};

const char *pattern_name(enum input_pattern p)
{
    return rows[p].name;
}

const char *pattern_meaning(enum input_pattern p)
{
    return rows[p].meaning;
}

unsigned patterns_usual(void)
{
    unsigned set = 0;
    for (int i = 0; i < PATTERN_COUNT; i++)
        set |= rows[i].usual ? 1u << i : 0;
    return set;
}

bool load_patterns(struct loader *l, const struct yaml_node *node)
{
    const char *names[PATTERN_COUNT], *s = NULL;
    for (int i = 0; i < PATTERN_COUNT; i++)
        names[i] = rows[i].name;
    l->e->patterns = patterns_usual();
    if (node == NULL)
        return true;
    l->e->patterns = 0;
    if (node->kind == YAML_SCALAR && strcmp(node->scalar, "none") == 0)
        return true;
    if (!yaml_expect(node, YAML_LIST, "'patterns' (a list, or none)", l->err))
        return false;
    for (size_t i = 0; i < node->count; i++) {
        int found = -1;
        if (!yaml_string(node->items[i], "a pattern", &s, l->err))
            return false;
        for (int k = 0; k < PATTERN_COUNT; k++)
            found = strcmp(s, names[k]) == 0 ? k : found;
        if (found < 0)
            return fail_unknown(l->err, node->items[i]->at, "pattern", s, names, PATTERN_COUNT);
        l->e->patterns |= 1u << found;
    }
    return true;
}

/* ---- filling ----------------------------------------------------------------------------------------------- */

struct patterned { // a buffer
    enum element_type type;
    unsigned char *data; // random so far
    uint64_t count;
    size_t bytes;    // of an element
    uint64_t chosen; // an element
    double least;    // that the fill makes; zero where it makes that
};

static void set_all(const struct patterned *b, const unsigned char *value)
{
    for (uint64_t i = 0; i < b->count; i++)
        memcpy(b->data + i * b->bytes, value, b->bytes);
}

static void make_equal(const struct patterned *b)
{
    unsigned char value[sizeof(uint64_t)];
    memcpy(value, b->data + b->chosen * b->bytes, b->bytes);
    set_all(b, value);
}

static void make_one(const struct patterned *b)
{
    unsigned char kept[sizeof(uint64_t)], least[sizeof(uint64_t)] = {0};
    memcpy(kept, b->data + b->chosen * b->bytes, b->bytes);
    if (element_is_float(b->type))
        (void)element_store(b->type, b->least, least);
    else
        (void)element_store_integer(b->type, (int64_t)b->least, least);
    set_all(b, least);
    memcpy(b->data + b->chosen * b->bytes, kept, b->bytes);
}

static int ascending(const void *x, const void *y, void *context)
{
    const enum element_type *type = context;
    double a = element_load(*type, x), b = element_load(*type, y);
    return (a > b) - (a < b);
}

static void make_sorted(const struct patterned *b)
{
    enum element_type type = b->type;
    qsort_r(b->data, (size_t)b->count, b->bytes, ascending, &type);
}

// The bits of a type's exponent; 0: it has none.
static uint64_t exponent_bits(enum element_type t)
{
    switch (t) {
    case ELEMENT_F16:
        return 0x7c00;
    case ELEMENT_BF16:
        return 0x7f80;
    case ELEMENT_E4M3:
        return 0x78;
    case ELEMENT_F32:
        return 0x7f800000;
    case ELEMENT_F64:
        return 0x7ff0000000000000u;
    default:
        return 0;
    }
}

// Signs and mantissas stay random.
static void make_denormal(const struct patterned *b)
{
    for (uint64_t i = 0; i < b->count; i++) {
        uint64_t bits = element_bits(b->data + i * b->bytes, b->bytes) & ~exponent_bits(b->type);
        memcpy(b->data + i * b->bytes, &bits, b->bytes);
    }
}

static void make_infinite(const struct patterned *b, uint64_t seed)
{
    enum { ONE_OF = 16 };
    uint64_t sign = (uint64_t)1 << (8 * b->bytes - 1);
    for (uint64_t i = 0; i < b->count; i++) {
        uint32_t words[4];
        philox(seed, ELEMENT_TYPE_COUNT, i, words);
        uint64_t bits = exponent_bits(b->type) | (words[1] & 1 ? sign : 0);
        if (words[0] % ONE_OF == 0)
            memcpy(b->data + i * b->bytes, &bits, b->bytes);
    }
}

static bool apply(const struct patterned *b, enum input_pattern p, uint64_t seed)
{
    bool has_infinity = exponent_bits(b->type) != 0 && b->type != ELEMENT_E4M3;
    switch (p) {
    case PATTERN_EQUAL:
        make_equal(b);
        return true;
    case PATTERN_SORTED:
        make_sorted(b);
        return true;
    case PATTERN_ONE:
        make_one(b);
        return true;
    case PATTERN_DENORMALS:
        if (exponent_bits(b->type))
            make_denormal(b);
        return exponent_bits(b->type) != 0;
    case PATTERN_INFINITIES:
        if (has_infinity)
            make_infinite(b, seed);
        return has_infinity;
    case PATTERN_COUNT:
        break;
    }
    return false;
}

// The least number that uniform(a,b) and integers(a,b) make, or zero if they make that; normal makes any.
static bool least_of(const struct buffer_spec *b, const struct scope *scope, double *out,
                     struct error *err)
{
    struct value low = {0}, high = {0};
    *out = 0;
    if (b->fill == FILL_NORMAL)
        return true;
    if (!expression_evaluate(b->fill_args[0], scope, &low, err) ||
        !expression_evaluate(b->fill_args[1], scope, &high, err))
        return error_context(err, "in the fill of buffer '%s'", b->name);
    *out = low.d <= 0 && high.d >= 0 ? 0 : low.d;
    return true;
}

bool buffers_pattern(const struct experiment *e, const struct resolved_case *c,
                     const struct case_point *point, enum input_pattern p, uint64_t seed,
                     struct host_buffers *contents, bool *changed, struct error *err)
{
    struct arena a = {0};
    struct scope scope;
    bool done = true;
    scope_build(&a, e, point, NULL, &scope);
    *changed = false;
    for (int i = 0; i < c->buffer_count && done; i++) {
        const struct buffer_spec *spec = &e->buffers[i];
        uint32_t words[4];
        struct patterned b = {.type = spec->type,
                              .data = contents->data[i],
                              .count = c->buffers[i].count,
                              .bytes = element_bytes(spec->type)};
        if ((spec->fill != FILL_UNIFORM && spec->fill != FILL_NORMAL &&
             spec->fill != FILL_INTEGERS) ||
            b.count == 0)
            continue;
        philox(seed, (uint64_t)i, (uint64_t)p, words);
        b.chosen = ((uint64_t)words[0] << 32 | words[1]) % b.count;
        done = least_of(spec, &scope, &b.least, err);
        if (done && apply(&b, p, seed + (uint64_t)i))
            *changed = true;
    }
    arena_release(&a);
    return done;
}
