// Elements: numbers to the bytes of a type and back, f16 and bf16 among them; the poison.
// SPDX-License-Identifier: Apache-2.0
#include "experiment/internal.h"

#include <math.h>
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
    case ELEMENT_F32:
        return first ? 0x7fc0dead : 0x7fd15bad;
    case ELEMENT_F64:
        return first ? 0x7ff8deaddeaddeadu : 0x7ff95bad5bad5badu;
    default:
        break;
    }
    return (first ? 0xa5a5a5a5a5a5a5a5u : 0x5c5c5c5c5c5c5c5cu) >> (64 - 8 * element_bytes(t));
}

void output_poison(const struct resolved_buffer *b, void *data, enum poison poison)
{
    uint64_t bits = poison_bits(b->type, poison);
    size_t n = element_bytes(b->type);
    for (uint64_t i = 0; i < b->count; i++) {
        memcpy((unsigned char *)data + i * n, &bits, n);
    }
}

struct unwritten output_unwritten(const struct resolved_buffer *b, const void *first,
                                  const void *second)
{
    uint64_t bits[] = {poison_bits(b->type, POISON_FIRST), poison_bits(b->type, POISON_SECOND)};
    size_t n = element_bytes(b->type);
    struct unwritten found = {0};
    for (uint64_t i = 0; i < b->count; i++) {
        if (memcmp((const unsigned char *)first + i * n, &bits[0], n) != 0 ||
            (second != NULL && memcmp((const unsigned char *)second + i * n, &bits[1], n) != 0)) {
            continue;
        }
        found.first = found.count == 0 ? i : found.first;
        found.count++;
    }
    return found;
}

// Rounded once, to nearest even: `mantissa` bits stored, exponents from `lowest` up.
static uint16_t narrow(double v, int mantissa, int bias)
{
    uint16_t sign = signbit(v) ? 0x8000 : 0;
    uint16_t infinity = (uint16_t)(0x7fff >> mantissa << mantissa);
    double m = fabs(v);
    if (isnan(v)) {
        return (uint16_t)(sign | infinity | 1 << (mantissa - 1));
    }
    if (isinf(v)) {
        return (uint16_t)(sign | infinity);
    }
    int exponent = m > 0 ? ilogb(m) : -bias;
    exponent = exponent < 1 - bias ? 1 - bias : exponent;
    if (exponent > bias) {
        return (uint16_t)(sign | infinity);
    }
    long steps = lrint(ldexp(m, mantissa - exponent)); // up to 2^(mantissa+1); a carry is right
    long bits = steps + ((long)(exponent + bias - 1) << mantissa);
    return (uint16_t)(sign | (bits > infinity ? infinity : bits));
}

static double widen(uint16_t bits, int mantissa, int bias)
{
    int exponent = (bits & 0x7fff) >> mantissa;
    int fraction = bits & ((1 << mantissa) - 1);
    double m = 0;
    if (exponent == 0x7fff >> mantissa) {
        m = fraction != 0 ? (double)NAN : (double)INFINITY;
    } else if (exponent == 0) {
        m = ldexp(fraction, 1 - bias - mantissa);
    } else {
        m = ldexp(fraction + (1 << mantissa), exponent - bias - mantissa);
    }
    return (bits & 0x8000) != 0 ? -m : m;
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
        return widen((uint16_t)u, 10, 15);
    case ELEMENT_BF16:
        return widen((uint16_t)u, 7, 127);
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
