// Outputs against the reference; the worst element of the worst buffer. A buffer may come in parts, as
// it is read from a device; the pieces of a part are compared by the host's threads, and put together
// in their order, so that the first of the worst elements is named however many threads there are.
// SPDX-License-Identifier: Apache-2.0
#include "experiment/internal.h"

#include <math.h>
#include <stdlib.h>
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

// Of 64 bits a double does not hold all.
static long double exact(enum element_type t, const void *p)
{
    int64_t i = 0;
    uint64_t u = 0;
    memcpy(&i, p, sizeof i);
    memcpy(&u, p, sizeof u);
    return t == ELEMENT_I64 ? (long double)i : (long double)u;
}

static void difference_exact(enum element_type t, const void *got, const void *wanted,
                             struct output_difference *d)
{
    long double g = exact(t, got), w = exact(t, wanted), off = g > w ? g - w : w - g;
    d->got = (double)g;
    d->wanted = (double)w;
    d->absolute = (double)off;
    d->relative = w != 0 ? (double)(off / (w < 0 ? -w : w)) : off != 0 ? (double)INFINITY : 0;
}

static void difference_real(enum element_type t, const void *got, const void *wanted,
                            struct output_difference *d)
{
    d->got = element_load(t, got);
    d->wanted = element_load(t, wanted);
    d->absolute = fabs(d->got - d->wanted);
    d->relative = d->wanted != 0 ? d->absolute / fabs(d->wanted)
                  : d->got != 0  ? (double)INFINITY
                                 : 0;
}

// True if the element is right; fills d's values.
static bool element_compare(const struct buffer_spec *b, const void *got, const void *wanted,
                            struct output_difference *d)
{
    enum element_type t = b->type;
    bool wide = t == ELEMENT_I64 || t == ELEMENT_U64;
    (wide ? difference_exact : difference_real)(t, got, wanted, d);
    bool same = memcmp(got, wanted, element_bytes(t)) == 0;
    if (same || (isnan(d->got) && isnan(d->wanted))) {
        d->absolute = d->relative = d->ulp = 0;
        return true;
    }
    if (!isfinite(d->got) || !isfinite(d->wanted)) {
        d->absolute = d->relative = d->ulp = (double)INFINITY;
        return false;
    }
    d->ulp = element_is_float(t) ? fabs((double)ordered(t, got) - (double)ordered(t, wanted))
                                 : d->absolute;
    if (b->tolerance_ulp > 0 && d->ulp <= b->tolerance_ulp) {
        return true;
    }
    if (b->tolerance_rel == 0 && b->tolerance_abs == 0) {
        return false; // bit-exact
    }
    return d->absolute <= b->tolerance_abs + b->tolerance_rel * fabs(d->wanted);
}

/* ---- rows that need no second look ------------------------------------------------------------- */

// A row is passed over where every element is right and none is further off than the worst so far, by
// the same arithmetic as element_compare's: a few operations per element, which the compiler makes
// vectors of.
struct row_limits {
    double absolute, relative; // the tolerance
    double worst;              // the largest error so far
};

static uint64_t is_beyond(double got, double wanted, struct row_limits l)
{
    double off = fabs(got - wanted), allowed = l.absolute + l.relative * fabs(wanted);
    double limit = allowed < l.worst ? allowed : l.worst;
    return (uint64_t)(off <= limit ? 0 : 1); // NaN is
}

static bool row_f32(const void *got, const void *wanted, size_t count, struct row_limits l)
{
    const float *g = got, *w = wanted;
    uint64_t beyond = 0;
    for (size_t i = 0; i < count; i++) {
        beyond |= is_beyond((double)g[i], (double)w[i], l);
    }
    return beyond == 0;
}

static bool row_f64(const void *got, const void *wanted, size_t count, struct row_limits l)
{
    const double *g = got, *w = wanted;
    uint64_t beyond = 0;
    for (size_t i = 0; i < count; i++) {
        beyond |= is_beyond(g[i], w[i], l);
    }
    return beyond == 0;
}

// A row of an output as it is read, and as floats where its type is narrower.
struct row {
    const void *got, *wanted;
    size_t count;
    float wide_got[SKIP_ELEMENTS], wide_wanted[SKIP_ELEMENTS];
};

static bool is_narrow(enum element_type t)
{
    return t == ELEMENT_F16 || t == ELEMENT_BF16 || t == ELEMENT_E4M3;
}

static void row_take(struct row *r, enum element_type t, const void *got, const void *wanted,
                     size_t count)
{
    r->got = got;
    r->wanted = wanted;
    r->count = count;
    if (is_narrow(t)) {
        elements_widen(t, got, count, r->wide_got);
        elements_widen(t, wanted, count, r->wide_wanted);
    }
}

static bool is_dull(const struct buffer_spec *b, const struct row *r, double worst)
{
    if (memcmp(r->got, r->wanted, r->count * element_bytes(b->type)) == 0) {
        return true;
    }
    struct row_limits l = {b->tolerance_abs, b->tolerance_rel, worst};
    if (b->tolerance_rel == 0 && b->tolerance_abs == 0) {
        return false; // bit-exact
    }
    switch (b->type) {
    case ELEMENT_F32:
        return row_f32(r->got, r->wanted, r->count, l);
    case ELEMENT_F64:
        return row_f64(r->got, r->wanted, r->count, l);
    case ELEMENT_F16:
    case ELEMENT_BF16:
    case ELEMENT_E4M3:
        return row_f32(r->wide_got, r->wide_wanted, r->count, l);
    default: // whole numbers: 64 bits of one do not fit a double
        return false;
    }
}

/* ---- how far all of them are off ------------------------------------------------------------------ */

static void errors_sum(struct output_errors *sum, const struct output_errors *more)
{
    sum->count += more->count;
    sum->ulp_max = sum->ulp_max > more->ulp_max ? sum->ulp_max : more->ulp_max;
    sum->ulp_squares += more->ulp_squares;
    sum->squares += more->squares;
    sum->wanted_squares += more->wanted_squares;
}

static void errors_add(struct output_errors *e, double got, double wanted, double ulp)
{
    double off = got - wanted;
    e->ulp_max = ulp > e->ulp_max ? ulp : e->ulp_max;
    e->ulp_squares += ulp * ulp;
    e->squares += off * off;
    e->wanted_squares += wanted * wanted;
}

static int32_t ordered_f32(const float *p)
{
    int32_t bits;
    memcpy(&bits, p, sizeof bits);
    return bits < 0 ? INT32_MIN - bits : bits; // -0 is 0
}

static int32_t ordered_16(uint16_t bits)
{
    return bits & 0x8000 ? -(bits & 0x7fff) : bits;
}

static struct output_errors errors_of(enum element_type t, const struct row *r)
{
    struct output_errors e = {.count = r->count};
    const float *g32 = t == ELEMENT_F32 ? r->got : r->wide_got;
    const float *w32 = t == ELEMENT_F32 ? r->wanted : r->wide_wanted;
    const uint16_t *g16 = r->got, *w16 = r->wanted;
    const unsigned char *g = r->got, *w = r->wanted;
    bool halves = t == ELEMENT_F16 || t == ELEMENT_BF16;
    size_t n = element_bytes(t);
    for (size_t i = 0; t == ELEMENT_F32 && i < r->count; i++) {
        double ulp = fabs((double)ordered_f32(&g32[i]) - (double)ordered_f32(&w32[i]));
        errors_add(&e, (double)g32[i], (double)w32[i], ulp);
    }
    for (size_t i = 0; halves && i < r->count; i++) {
        double ulp = abs(ordered_16(g16[i]) - ordered_16(w16[i]));
        errors_add(&e, (double)g32[i], (double)w32[i], ulp);
    }
    for (size_t i = 0; t != ELEMENT_F32 && !halves && i < r->count; i++) {
        const void *a = g + i * n, *b = w + i * n;
        double ulp = fabs((double)ordered(t, a) - (double)ordered(t, b));
        errors_add(&e, element_load(t, a), element_load(t, b), ulp);
    }
    return e;
}

/* ---- a part of an output ---------------------------------------------------------------------------- */

struct comparison { // of a part; got and wanted point to its first element
    const struct buffer_spec *spec;
    const unsigned char *got, *wanted;
    uint64_t first;                  // in the buffer
    struct output_difference *found; // by piece
};

// What an element that is not right was: nothing worse than a number is, and of numbers the furthest.
static bool is_worse(const struct output_difference *d, const struct output_difference *than)
{
    return d->rank > than->rank ||
           (d->rank == than->rank && d->rank != RANK_UNWRITTEN && d->absolute > than->absolute);
}

static void take_worse(struct output_difference *into, const struct output_difference *d)
{
    struct output_difference sum = into->count == 0 || is_worse(d, into) ? *d : *into;
    sum.wrong_count = into->wrong_count + d->wrong_count;
    sum.unwritten_count = into->unwritten_count + d->unwritten_count;
    sum.count = into->count + d->count;
    sum.buffer = into->buffer;
    sum.errors = into->errors;
    errors_sum(&sum.errors, &d->errors);
    *into = sum;
}

static struct output_difference judge_element(const struct buffer_spec *b, const unsigned char *got,
                                              const unsigned char *wanted, uint64_t index)
{
    struct output_difference d = {.index = index, .count = 1};
    size_t n = element_bytes(b->type);
    uint64_t poison = poison_bits(b->type, POISON_FIRST);
    uint64_t bits = element_bits(got, n), wanted_bits = element_bits(wanted, n);
    bool right = element_compare(b, got, wanted, &d);
    // A value that equals the poison by right (165 in u8, or 164 with a tolerance of one) is not unwritten.
    bool unwritten = b->fill == FILL_NONE && bits == poison && bits != wanted_bits && !right;
    // What the reference leaves must be left: its poison is no number to be near to.
    d.extra = b->written_some && b->fill == FILL_NONE && wanted_bits == poison && bits != poison;
    right = right && !d.extra;
    d.unwritten_count = unwritten;
    d.wrong_count = unwritten || !right;
    d.rank = unwritten ? RANK_UNWRITTEN : right ? RANK_RIGHT : RANK_WRONG;
    return d;
}

static void compare_piece(void *context, uint64_t first, uint64_t end)
{
    const struct comparison *c = context;
    size_t n = element_bytes(c->spec->type);
    struct output_difference found = {0};
    struct row r;
    for (uint64_t row = first; row < end; row += SKIP_ELEMENTS) {
        uint64_t count = end - row < SKIP_ELEMENTS ? end - row : SKIP_ELEMENTS;
        const unsigned char *g = c->got + row * n, *w = c->wanted + row * n;
        double worst = found.rank == RANK_RIGHT ? found.absolute : (double)INFINITY;
        row_take(&r, c->spec->type, g, w, (size_t)count);
        if (element_is_float(c->spec->type)) {
            struct output_errors e = errors_of(c->spec->type, &r);
            errors_sum(&found.errors, &e);
        }
        if (row > first && is_dull(c->spec, &r, worst)) {
            found.count += count;
            continue;
        }
        for (uint64_t i = 0; i < count; i++) {
            struct output_difference d =
                judge_element(c->spec, g + i * n, w + i * n, c->first + row + i);
            take_worse(&found, &d);
        }
    }
    c->found[first / ELEMENTS_PER_PIECE] = found;
}

void output_compare(const struct buffer_spec *b, const void *got, const void *wanted,
                    uint64_t first, uint64_t count, struct output_difference *d)
{
    size_t pieces = (size_t)(count / ELEMENTS_PER_PIECE) + 1;
    struct comparison c = {b, got, wanted, first, xcalloc(pieces, sizeof *c.found)};
    parallel_for(count, ELEMENTS_PER_PIECE, compare_piece, &c);
    for (size_t i = 0; i < pieces; i++) {
        if (c.found[i].count > 0) {
            take_worse(d, &c.found[i]);
        }
    }
    free(c.found);
}

void output_take_worst(struct output_difference *worst, const struct output_difference *d)
{
    bool worse = d->wrong_count != worst->wrong_count ? d->wrong_count > worst->wrong_count
                                                      : d->absolute > worst->absolute;
    if (worst->buffer < 0 || worse) {
        *worst = *d;
    }
}

/* ---- whole buffers ------------------------------------------------------------------------------------ */

struct input_comparison {
    const struct resolved_buffer *b;
    const unsigned char *got, *before;
    uint64_t first; // in the buffer
    struct output_difference *found;
};

static void compare_input_piece(void *context, uint64_t first, uint64_t end)
{
    const struct input_comparison *c = context;
    size_t n = element_bytes(c->b->type);
    struct output_difference d = {.count = end - first};
    const unsigned char *g = c->got, *w = c->before;
    bool same = memcmp(g + first * n, w + first * n, (size_t)(end - first) * n) == 0;
    for (uint64_t i = first; i < end && !same; i++) {
        if (element_bits(g + i * n, n) != element_bits(w + i * n, n) && d.wrong_count++ == 0) {
            d.index = c->first + i;
            d.got = element_load(c->b->type, g + i * n);
            d.wanted = element_load(c->b->type, w + i * n);
        }
    }
    c->found[first / ELEMENTS_PER_PIECE] = d;
}

void input_compare(const struct resolved_buffer *b, const void *got, const void *before,
                   uint64_t first, uint64_t count, struct output_difference *d)
{
    size_t pieces = (size_t)(count / ELEMENTS_PER_PIECE) + 1;
    struct input_comparison c = {b, got, before, first, xcalloc(pieces, sizeof *c.found)};
    parallel_for(count, ELEMENTS_PER_PIECE, compare_input_piece, &c);
    for (size_t i = 0; i < pieces; i++) {
        if (d->wrong_count == 0 && c.found[i].wrong_count > 0) {
            d->index = c.found[i].index;
            d->got = c.found[i].got;
            d->wanted = c.found[i].wanted;
        }
        d->wrong_count += c.found[i].wrong_count;
    }
    d->count += count;
    free(c.found);
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
        if (e->buffers[i].compare != COMPARE_ELEMENTS) {
            output_compare_whole(&e->buffers[i], got->data[i], wanted->data[i], c->buffers[i].count,
                                 &d);
        } else {
            output_compare(&e->buffers[i], got->data[i], wanted->data[i], 0, c->buffers[i].count,
                           &d);
        }
        all = all && d.wrong_count == 0;
        output_take_worst(worst, &d);
    }
    return all;
}
