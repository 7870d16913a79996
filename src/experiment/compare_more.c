// Outputs that are right in any order, or in ascending order: compared whole, as sorted lists.
// SPDX-License-Identifier: Apache-2.0
#include "experiment/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Bits of an element as a number that orders as the elements do; NaN comes last, or first.
static uint64_t rank_of(enum element_type t, uint64_t bits)
{
    size_t width = 8 * element_bytes(t);
    uint64_t sign = (uint64_t)1 << (width - 1), all = sign | (sign - 1);
    bool is_signed = t == ELEMENT_I8 || t == ELEMENT_I16 || t == ELEMENT_I32 || t == ELEMENT_I64;
    if (element_is_float(t)) {
        return (bits & sign) != 0 ? ~bits & all : bits | sign;
    }
    return is_signed ? bits ^ sign : bits;
}

static uint64_t bits_of(enum element_type t, uint64_t rank)
{
    size_t width = 8 * element_bytes(t);
    uint64_t sign = (uint64_t)1 << (width - 1), all = sign | (sign - 1);
    bool is_signed = t == ELEMENT_I8 || t == ELEMENT_I16 || t == ELEMENT_I32 || t == ELEMENT_I64;
    if (element_is_float(t)) {
        return (rank & sign) != 0 ? rank & ~sign : ~rank & all;
    }
    return is_signed ? rank ^ sign : rank;
}

static int by_rank(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

// A copy in ascending order, caller frees.
static unsigned char *sorted_copy(enum element_type t, const unsigned char *data, uint64_t count)
{
    size_t n = element_bytes(t);
    uint64_t *ranks = xcalloc(count + 1, sizeof *ranks);
    unsigned char *out = xcalloc(count * n + 1, 1);
    for (uint64_t i = 0; i < count; i++) {
        memcpy(&ranks[i], data + i * n, n);
        ranks[i] = rank_of(t, ranks[i]);
    }
    qsort(ranks, count, sizeof *ranks, by_rank);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t bits = bits_of(t, ranks[i]);
        memcpy(out + i * n, &bits, n);
    }
    free(ranks);
    return out;
}

static uint64_t poisoned(const struct buffer_spec *b, const unsigned char *data, uint64_t count,
                         uint64_t *first)
{
    uint64_t poison = poison_bits(b->type, POISON_FIRST), found = 0;
    size_t n = element_bytes(b->type);
    for (uint64_t i = 0; i < count && b->fill == FILL_NONE; i++) {
        if (memcmp(data + i * n, &poison, n) == 0) {
            *first = found++ == 0 ? i : *first;
        }
    }
    return found;
}

// The first element that is less than the one before it; count = none is.
static uint64_t first_descent(const struct buffer_spec *b, const unsigned char *data,
                              uint64_t count)
{
    size_t n = element_bytes(b->type);
    uint64_t before = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t bits = 0;
        memcpy(&bits, data + i * n, n);
        uint64_t rank = rank_of(b->type, bits);
        if (i > 0 && rank < before) {
            return i;
        }
        before = rank;
    }
    return count;
}

void output_compare_whole(const struct buffer_spec *b, const void *got, const void *wanted,
                          uint64_t count, struct output_difference *d)
{
    uint64_t first = 0, unwritten = poisoned(b, got, count, &first), wanted_first = 0;
    uint64_t left = poisoned(b, wanted, count, &wanted_first);
    if (unwritten > left) { // what the reference wrote by right is the same number of times in both
        *d = (struct output_difference){.buffer = d->buffer,
                                        .index = first,
                                        .unwritten_count = unwritten,
                                        .wrong_count = unwritten,
                                        .count = count,
                                        .rank = RANK_UNWRITTEN};
        return;
    }
    uint64_t descent = b->compare == COMPARE_SORTED ? first_descent(b, got, count) : count;
    if (descent < count) {
        size_t n = element_bytes(b->type);
        const unsigned char *at = (const unsigned char *)got + descent * n;
        *d = (struct output_difference){.buffer = d->buffer,
                                        .index = descent,
                                        .got = element_load(b->type, at),
                                        .wanted = element_load(b->type, at - n),
                                        .wrong_count = 1,
                                        .count = count,
                                        .rank = RANK_WRONG,
                                        .order = ORDER_DESCENDS};
        return;
    }
    unsigned char *g = sorted_copy(b->type, got, count), *w = sorted_copy(b->type, wanted, count);
    output_compare(b, g, w, 0, count, d);
    d->order = ORDER_SORTED;
    free(g);
    free(w);
}
