// Outputs against the reference; the worst element of the worst buffer.
// SPDX-License-Identifier: Apache-2.0
#include "experiment/internal.h"

#include <math.h>
#include <string.h>

enum { SKIP_ELEMENTS = 1024 };

static int64_t ordered(enum element_type t, const void *p) // neighbours differ by one
{
    uint64_t bits = 0;
    memcpy(&bits, p, element_bytes(t));
    uint64_t sign = (uint64_t)1 << (element_bytes(t) * 8 - 1);
    int64_t magnitude = (int64_t)(bits & (sign - 1));
    return (bits & sign) != 0 ? -magnitude : magnitude;
}

static long double exact(enum element_type t, const void *p)
{
    if (t == ELEMENT_I64 || t == ELEMENT_U64) {
        int64_t i = 0;
        uint64_t u = 0;
        memcpy(&i, p, sizeof i);
        memcpy(&u, p, sizeof u);
        return t == ELEMENT_I64 ? (long double)i : (long double)u;
    }
    return (long double)element_load(t, p);
}

// True if the element is right; fills d's values.
static bool element_compare(const struct buffer_spec *b, const void *got, const void *wanted,
                            struct output_difference *d)
{
    size_t n = element_bytes(b->type);
    long double g = exact(b->type, got);
    long double w = exact(b->type, wanted);
    d->got = (double)g;
    d->wanted = (double)w;
    d->absolute = d->relative = d->ulp = 0;
    if (memcmp(got, wanted, n) == 0 || (isnan(g) && isnan(w))) {
        return true;
    }
    if (isnan(g) || isnan(w) || isinf(g) || isinf(w)) {
        d->absolute = d->relative = d->ulp = (double)INFINITY;
        return false;
    }
    d->absolute = (double)fabsl(g - w);
    d->relative = w != 0 ? (double)(fabsl(g - w) / fabsl(w)) : g != 0 ? (double)INFINITY : 0;
    d->ulp = element_is_float(b->type)
                 ? fabs((double)ordered(b->type, got) - (double)ordered(b->type, wanted))
                 : d->absolute;
    if (b->tolerance_rel == 0 && b->tolerance_abs == 0) {
        return false; // bit-exact
    }
    return d->absolute <= b->tolerance_abs + b->tolerance_rel * (double)fabsl(w);
}

static void buffer_compare(const struct buffer_spec *b, const struct resolved_buffer *r,
                           const unsigned char *got, const unsigned char *wanted,
                           struct output_difference *out)
{
    size_t n = element_bytes(b->type);
    uint64_t poison = poison_bits(b->type, POISON_FIRST);
    int worst_rank = 0; // 0 right, 1 wrong because never written, 2 wrong
    out->count = r->count;
    for (uint64_t i = 0; i < r->count; i++) {
        // What is alike bit by bit, most of it, changes nothing after the first element.
        if (i > 0 && i % SKIP_ELEMENTS == 0 && r->count - i >= SKIP_ELEMENTS &&
            memcmp(got + i * n, wanted + i * n, SKIP_ELEMENTS * n) == 0) {
            i += SKIP_ELEMENTS - 1;
            continue;
        }
        const unsigned char *g = got + i * n;
        const unsigned char *w = wanted + i * n;
        struct output_difference d = {0};
        bool right = element_compare(b, g, w, &d);
        uint64_t bits = 0;
        memcpy(&bits, g, n);
        // A value that equals the poison by right (165 in u8) is not unwritten.
        bool unwritten = b->fill == FILL_NONE && bits == poison && memcmp(g, w, n) != 0;
        // What the reference leaves must be left: its poison is no number to be near to.
        bool extra =
            b->written_some && b->fill == FILL_NONE && memcmp(w, &poison, n) == 0 && bits != poison;
        right = right && !extra;
        out->unwritten_count += unwritten;
        out->wrong_count += unwritten || !right;
        int rank = unwritten ? 1 : right ? 0 : 2;
        if (i == 0 || rank > worst_rank ||
            (rank == worst_rank && rank != 1 && d.absolute > out->absolute)) {
            worst_rank = rank;
            out->index = i;
            out->got = d.got;
            out->wanted = d.wanted;
            out->absolute = d.absolute;
            out->relative = d.relative;
            out->ulp = d.ulp;
            out->extra = extra;
        }
    }
}

void input_compare(const struct resolved_buffer *b, const void *got, const void *before,
                   uint64_t first, uint64_t count, struct output_difference *d)
{
    size_t n = element_bytes(b->type);
    const unsigned char *g = got, *w = before;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t left = count - i < SKIP_ELEMENTS ? count - i : SKIP_ELEMENTS;
        if (i % SKIP_ELEMENTS == 0 && memcmp(g + i * n, w + i * n, left * n) == 0) {
            i += left - 1;
            continue;
        }
        if (memcmp(g + i * n, w + i * n, n) != 0 && d->wrong_count++ == 0) {
            d->index = first + i;
            d->got = element_load(b->type, g + i * n);
            d->wanted = element_load(b->type, w + i * n);
        }
    }
    d->count += count;
}

bool outputs_compare(const struct experiment *e, const struct resolved_case *c,
                     const struct host_buffers *got, const struct host_buffers *wanted,
                     struct output_difference *worst)
{
    bool all = true;
    *worst = (struct output_difference){.buffer = -1};
    for (int i = 0; i < c->buffer_count; i++) {
        if (!c->buffers[i].output) {
            continue;
        }
        struct output_difference d = {.buffer = i};
        buffer_compare(&e->buffers[i], &c->buffers[i], got->data[i], wanted->data[i], &d);
        all = all && d.wrong_count == 0;
        bool worse = d.wrong_count != worst->wrong_count ? d.wrong_count > worst->wrong_count
                                                         : d.absolute > worst->absolute;
        if (worst->buffer < 0 || worse) {
            *worst = d;
        }
    }
    return all;
}
