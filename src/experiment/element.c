// Elements: numbers to the bytes of a type and back, f16 and bf16 among them; the poison.
// SPDX-License-Identifier: Apache-2.0
#include "experiment/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool element_is_float(enum element_type t)
{
    return t <= ELEMENT_F64;
}

uint64_t poison_bits(enum element_type t, enum poison poison)
{
    bool first = poison == POISON_FIRST;
    switch (t) {
    case ELEMENT_F16:
        return first ? 0x7ead : 0x7f52;
    case ELEMENT_BF16:
        return first ? 0x7fed : 0x7fd2;
    case ELEMENT_E4M3:
        return first ? 0x7f : 0xff;
    case ELEMENT_F32:
        return first ? 0x7fc0dead : 0x7fd15bad;
    case ELEMENT_F64:
        return first ? 0x7ff8deaddeaddeadu : 0x7ff95bad5bad5badu;
    default:
        break;
    }
    return (first ? 0xa5a5a5a5a5a5a5a5u : 0x5c5c5c5c5c5c5c5cu) >> (64 - 8 * element_bytes(t));
}

struct poisoning {
    unsigned char *data;
    uint64_t bits;
    size_t element_bytes;
};

static void poison_piece(void *context, uint64_t first, uint64_t end)
{
    const struct poisoning *p = context;
    size_t n = p->element_bytes;
    unsigned char *to = p->data + first * n;
    uint64_t pattern = p->bits; // the element again and again, in eight bytes
    for (size_t have = n; have < sizeof pattern; have *= 2) {
        pattern |= pattern << 8 * have;
    }
    size_t bytes = (size_t)(end - first) * n, i = 0;
    for (; i + sizeof pattern <= bytes; i += sizeof pattern) {
        memcpy(to + i, &pattern, sizeof pattern);
    }
    memcpy(to + i, &pattern, bytes - i);
}

void output_poison(const struct resolved_buffer *b, void *data, enum poison poison)
{
    struct poisoning p = {data, poison_bits(b->type, poison), element_bytes(b->type)};
    parallel_for(b->count, ELEMENTS_PER_PIECE, poison_piece, &p);
}

uint64_t element_bits(const void *p, size_t bytes)
{
    uint8_t b = 0;
    uint16_t h = 0;
    uint32_t w = 0;
    uint64_t d = 0;
    switch (bytes) {
    case sizeof b:
        memcpy(&b, p, sizeof b);
        return b;
    case sizeof h:
        memcpy(&h, p, sizeof h);
        return h;
    case sizeof w:
        memcpy(&w, p, sizeof w);
        return w;
    default:
        memcpy(&d, p, sizeof d);
        return d;
    }
}

struct search { // for elements that nobody wrote
    const unsigned char *first, *second;
    uint64_t bits[2];
    size_t element_bytes;
    struct unwritten *found; // of each piece
};

static void search_piece(void *context, uint64_t first, uint64_t end)
{
    const struct search *s = context;
    size_t n = s->element_bytes;
    struct unwritten found = {0};
    for (uint64_t i = first; i < end; i++) {
        if (element_bits(s->first + i * n, n) != s->bits[0] ||
            (s->second != NULL && element_bits(s->second + i * n, n) != s->bits[1])) {
            continue;
        }
        found.first = found.count == 0 ? i : found.first;
        found.count++;
    }
    s->found[first / ELEMENTS_PER_PIECE] = found;
}

struct unwritten output_unwritten(const struct resolved_buffer *b, const void *first,
                                  const void *second)
{
    size_t pieces = b->count / ELEMENTS_PER_PIECE + 1;
    struct search s = {
        .first = first,
        .second = second,
        .bits = {poison_bits(b->type, POISON_FIRST), poison_bits(b->type, POISON_SECOND)},
        .element_bytes = element_bytes(b->type),
        .found = xcalloc(pieces, sizeof *s.found),
    };
    struct unwritten all = {0};
    parallel_for(b->count, ELEMENTS_PER_PIECE, search_piece, &s);
    for (size_t i = 0; i < pieces; i++) {
        all.first = all.count == 0 ? s.found[i].first : all.first;
        all.count += s.found[i].count;
    }
    free(s.found);
    return all;
}

// x / 2^bits, to nearest even.
static uint64_t round_off(uint64_t x, int bits)
{
    return (x + ((uint64_t)1 << (bits - 1)) - 1 + (x >> bits & 1)) >> bits;
}

// Rounded once, to nearest even: `mantissa` bits stored, exponents from 1 - `bias` up to `bias`.
static uint16_t narrow(double v, int mantissa, int bias)
{
    enum { FRACTION_BITS = 52, DOUBLE_BIAS = 1023 };
    uint64_t bits = 0;
    memcpy(&bits, &v, sizeof bits);
    uint16_t sign = (uint16_t)(bits >> 63 << 15);
    uint16_t infinity = (uint16_t)(0x7fff >> mantissa << mantissa);
    if (isnan(v)) {
        return (uint16_t)(sign | infinity | 1 << (mantissa - 1));
    }
    int exponent = (int)(bits >> FRACTION_BITS & 0x7ff) - DOUBLE_BIAS;
    if (exponent > bias) {
        return (uint16_t)(sign | infinity);
    }
    uint64_t one = (uint64_t)1 << FRACTION_BITS;
    uint64_t significand = (bits & (one - 1)) | one;
    int lowest = 1 - bias, dropped = FRACTION_BITS - mantissa;
    if (exponent < lowest) { // fewer bits are left of it, or none
        dropped += lowest - exponent;
        return (uint16_t)(sign |
                          (dropped <= FRACTION_BITS + 1 ? round_off(significand, dropped) : 0));
    }
    uint64_t steps = round_off(significand, dropped); // up to 2^(mantissa+1); a carry is right
    uint64_t result = steps + ((uint64_t)(exponent + bias - 1) << mantissa);
    return (uint16_t)(sign | (result > infinity ? infinity : result));
}

enum { E4M3_NAN = 0x7f, E4M3_LARGEST = 0x7e, E4M3_LOWEST = -6, E4M3_FRACTION_BITS = 3 };

// To nearest even; beyond the largest number, 448, that number, as the conversions of CUDA do.
static uint8_t narrow_e4m3(double v)
{
    uint8_t sign = signbit(v) ? 0x80 : 0;
    double size = fabs(v);
    if (isnan(v)) {
        return sign | E4M3_NAN;
    }
    if (size > 448) {
        return sign | E4M3_LARGEST;
    }
    int exponent = size > 0 ? ilogb(size) : E4M3_LOWEST;
    exponent = exponent > E4M3_LOWEST ? exponent : E4M3_LOWEST;
    int steps = (int)nearbyint(ldexp(size, E4M3_FRACTION_BITS - exponent)); // 16: the next exponent
    return (uint8_t)(sign | (((exponent - E4M3_LOWEST) << E4M3_FRACTION_BITS) + steps));
}

static double widen_e4m3(uint8_t bits)
{
    int exponent = bits >> E4M3_FRACTION_BITS & 15, fraction = bits & 7;
    double size = (bits & 0x7f) == E4M3_NAN ? (double)NAN
                  : exponent == 0
                      ? ldexp(fraction, E4M3_LOWEST - E4M3_FRACTION_BITS)
                      : ldexp(8 + fraction, exponent - 1 + E4M3_LOWEST - E4M3_FRACTION_BITS);
    return bits & 0x80 ? -size : size;
}

static double widen_f16(uint16_t bits)
{
    uint32_t wide = (uint32_t)(bits & 0x7fff) << 13 | (uint32_t)(bits & 0x8000) << 16;
    float f = 0;
    if ((bits & 0x7c00) == 0x7c00) {
        wide |= 0x7f800000;
        memcpy(&f, &wide, sizeof f);
        return (double)f;
    }
    memcpy(&f, &wide, sizeof f);
    return (double)f * 0x1p112; // the biases differ by so much; right for subnormal ones too
}

static double widen_bf16(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float f = 0;
    memcpy(&f, &wide, sizeof f);
    return (double)f;
}

bool element_store_integer(enum element_type t, int64_t v, void *to)
{
    size_t bits = element_bytes(t) * 8;
    bool is_signed = t == ELEMENT_I8 || t == ELEMENT_I16 || t == ELEMENT_I32 || t == ELEMENT_I64;
    memcpy(to, &v, bits / 8); // little endian: every machine with a GPU
    if (bits == 64) {
        return is_signed || v >= 0;
    }
    int64_t most = ((int64_t)1 << (is_signed ? bits - 1 : bits)) - 1;
    return v <= most && v >= (is_signed ? -most - 1 : 0);
}

bool element_store(enum element_type t, double v, void *to)
{
    float f = (float)v;
    uint16_t h = 0;
    int64_t i = 0;
    switch (t) {
    case ELEMENT_F16:
        h = narrow(v, 10, 15);
        memcpy(to, &h, sizeof h);
        break;
    case ELEMENT_BF16:
        h = narrow(v, 7, 127);
        memcpy(to, &h, sizeof h);
        break;
    case ELEMENT_E4M3:
        *(uint8_t *)to = narrow_e4m3(v);
        return !isfinite(v) || fabs(v) <= 448;
    case ELEMENT_F32:
        memcpy(to, &f, sizeof f);
        break;
    case ELEMENT_F64:
        memcpy(to, &v, sizeof v);
        break;
    default:
        i = fabs(v) < 9.2e18 ? (int64_t)v : 0;
        memcpy(to, &i, element_bytes(t));
        break;
    }
    return !isfinite(v) || isfinite(element_load(t, to));
}

double element_load(enum element_type t, const void *from)
{
    uint64_t u = 0;
    float f = 0;
    double d = 0;
    memcpy(&u, from, element_bytes(t));
    switch (t) {
    case ELEMENT_F16:
        return widen_f16((uint16_t)u);
    case ELEMENT_BF16:
        return widen_bf16((uint16_t)u);
    case ELEMENT_E4M3:
        return widen_e4m3((uint8_t)u);
    case ELEMENT_F32:
        memcpy(&f, from, sizeof f);
        return (double)f;
    case ELEMENT_F64:
        memcpy(&d, from, sizeof d);
        return d;
    case ELEMENT_I8:
        return (int8_t)u;
    case ELEMENT_I16:
        return (int16_t)u;
    case ELEMENT_I32:
        return (int32_t)u;
    case ELEMENT_I64:
        return (double)(int64_t)u;
    default:
        return (double)u;
    }
}

// A type's rows by a loop of their own, which the compiler makes vectors of.
void elements_widen(enum element_type t, const void *from, size_t count, float *to)
{
    const uint16_t *halves = from; // a buffer begins where malloc does
    const uint8_t *bytes = from;
    for (size_t i = 0; t == ELEMENT_BF16 && i < count; i++)
        to[i] = (float)widen_bf16(halves[i]);
    for (size_t i = 0; t == ELEMENT_F16 && i < count; i++)
        to[i] = (float)widen_f16(halves[i]);
    for (size_t i = 0; t == ELEMENT_E4M3 && i < count; i++)
        to[i] = (float)widen_e4m3(bytes[i]);
}

void elements_store(enum element_type t, const double *values, size_t count, void *to)
{
    if (t == ELEMENT_F64) {
        memcpy(to, values, count * sizeof *values);
        return;
    }
    if (t == ELEMENT_F32) {
        float *f = to; // a buffer begins where malloc does
        for (size_t i = 0; i < count; i++) {
            f[i] = (float)values[i];
        }
        return;
    }
    size_t n = element_bytes(t);
    for (size_t i = 0; i < count; i++) {
        (void)element_store(t, values[i], (unsigned char *)to + i * n);
    }
}

void elements_store_integers(enum element_type t, const int64_t *values, size_t count, void *to)
{
    size_t n = element_bytes(t);
    bool real = element_is_float(t);
    for (size_t i = 0; i < count; i++) {
        unsigned char *at = (unsigned char *)to + i * n;
        (void)(real ? element_store(t, (double)values[i], at)
                    : element_store_integer(t, values[i], at)); // iota wraps around
    }
}
