// Products of floating-point matrices, compiled once for each instruction set (SIM_ISA). PTX leaves the order
// and the rounding of a product's sum open; this follows what has been found out about the hardware (Fasi et
// al., "Numerical behavior of NVIDIA tensor cores", 2021; Khattak and Mikaitis, "Accurate models of NVIDIA
// tensor cores", 2025): products are exact, `block` of them and the accumulator are aligned to the largest
// exponent, bits below `fraction` are cut off, the sum is exact and cut off to f32, or rounded to f16.
// SPDX-License-Identifier: Apache-2.0
#include "sim/alu/tensor_math.h"
#include "sim/paste.h"

#include <math.h>
#include <string.h>

#include "sim/alu/alu_half.h"

#define MULTIPLY PASTE(tensor_multiply_, SIM_ISA)

enum { NOTHING = -300, SPECIAL = 128 }; // exponents: below every product's; of infinities and NaN
enum { WIDE = 8, DEEP = 8 };            // columns of a vector; products whose sum fits an int32_t
typedef double reals __attribute__((vector_size(WIDE * 8)));
typedef float floats __attribute__((vector_size(WIDE * 4)));
typedef int16_t shorts __attribute__((vector_size(WIDE * 2)));
typedef int32_t wholes __attribute__((vector_size(WIDE * 4)));

static inline int exponent_of(float x)
{
    int e = (int)(bits_f32(x) >> 23 & 255);
    int small = bits_f32(x) << 1 == 0 ? NOTHING : -126;
    return e != 0 ? e - 127 : small;
}

static inline double power_of_two(int e)
{
    return f64_bits((u64)(1023 + e) << 52);
}

// Towards zero.
static float cut(double x)
{
    double magnitude = fabs(x);
    if (magnitude >= 0x1p128)
        return f32_bits(x < 0 ? 0xff800000 : 0x7f800000);
    if (magnitude < 0x1p-126)
        return (float)(trunc(x * 0x1p149) * 0x1p-149);
    return (float)f64_bits(bits_f64(x) & ~(u64)0x1fffffff);
}

static float nearest_half(double x)
{
    return half_value(half_round(narrow_to_odd(x)));
}

struct exponents {
    int16_t a[MATRIX_M * MATRIX_K], b[MATRIX_K * MATRIX_N];
};
struct step { // products `from` to `to` are added at once
    int from, to, fraction;
    bool half;
};

// Of each column's products and its accumulator: the largest exponent.
static inline shorts largest_exponents(const struct matrices *x, const struct exponents *e,
                                       const struct step *s, const int16_t *b, int row,
                                       const float *c)
{
    int16_t of_sum[WIDE];
    shorts most;
    for (int j = 0; j < WIDE; j++) {
        int own = exponent_of(c[j]);
        of_sum[j] = (int16_t)(own > NOTHING ? own : NOTHING);
    }
    memcpy(&most, of_sum, sizeof most);
    for (int k = s->from; k < s->to; k++) {
        shorts both;
        memcpy(&both, b + (ptrdiff_t)k * x->n, sizeof both);
        both += e->a[row * x->k + k];
        shorts larger = both > most;
        most = (both & larger) | (most & ~larger);
    }
    return most;
}

// As f32, towards zero: all at once if none is too large or too small for a normal number.
static inline void cut_all(float *c, const double *value)
{
    uint64_t odd = 0;
    for (int j = 0; j < WIDE; j++) {
        double magnitude = fabs(value[j]);
        c[j] = (float)f64_bits(bits_f64(value[j]) & ~(u64)0x1fffffff);
        odd |= (uint64_t)(magnitude >= 0x1p128) |
               ((uint64_t)(magnitude < 0x1p-126) & (uint64_t)(magnitude > 0));
    }
    for (int j = 0; j < WIDE && odd != 0; j++)
        c[j] = cut(value[j]);
}

// WIDE columns from j on of a row of the result, all numbers finite. A product is below 2^(fraction + 2), at
// most 2^27, so that DEEP of them fit an int32_t.
static inline void multiply_columns(struct matrices *x, const struct exponents *e,
                                    const struct step *s, int row, int j)
{
    double scale[WIDE], value[WIDE];
    float *c = x->c.f + (ptrdiff_t)row * x->n + j;
    shorts most = largest_exponents(x, e, s, e->b + j, row, c);
    for (int i = 0; i < WIDE; i++) {
        scale[i] = power_of_two(s->fraction - most[i]);
        value[i] = (double)(int32_t)((double)c[i] * scale[i]);
    }
    reals total, by;
    memcpy(&total, value, sizeof total);
    memcpy(&by, scale, sizeof by);
    const float *a = x->a.f + (ptrdiff_t)row * x->k;
    for (int from = s->from; from < s->to; from += DEEP) {
        wholes part = {0};
        int to = from + DEEP < s->to ? from + DEEP : s->to;
        for (int k = from; k < to; k++) {
            floats b;
            memcpy(&b, x->b.f + (ptrdiff_t)k * x->n + j, sizeof b);
            reals product = __builtin_convertvector(b, reals) * (double)a[k] * by;
            part += __builtin_convertvector(product, wholes);
        }
        total += __builtin_convertvector(part, reals);
    }
    memcpy(value, &total, sizeof total);
    for (int i = 0; i < WIDE; i++)
        value[i] *= power_of_two(most[i] - s->fraction);
    if (!s->half)
        cut_all(c, value);
    for (int i = 0; i < WIDE && s->half; i++)
        c[i] = nearest_half(value[i]);
}

static void multiply_alone(struct matrices *x, const struct exponents *e, const struct step *s,
                           int row, int j)
{
    float *c = x->c.f + (ptrdiff_t)row * x->n + j;
    int most = exponent_of(*c) > NOTHING ? exponent_of(*c) : NOTHING;
    for (int k = s->from; k < s->to; k++) {
        int both = e->a[row * x->k + k] + e->b[k * x->n + j];
        most = both > most ? both : most;
    }
    double scale = power_of_two(s->fraction - most), sum = (double)(int32_t)((double)*c * scale);
    for (int k = s->from; k < s->to; k++)
        sum += (double)(int32_t)((double)x->a.f[row * x->k + k] * (double)x->b.f[k * x->n + j] *
                                 scale);
    sum *= power_of_two(most - s->fraction);
    *c = s->half ? nearest_half(sum) : cut(sum);
}

// Infinities and NaN: these elements alone, then the spans between them.
static void multiply_special(struct matrices *x, const struct exponents *e, const struct step *s,
                             int row)
{
    for (int j = 0; j < x->n; j++) {
        float *c = &x->c.f[row * x->n + j];
        bool special = exponent_of(*c) == SPECIAL;
        double sum = (double)*c;
        for (int k = s->from; k < s->to; k++) {
            special |= e->a[row * x->k + k] == SPECIAL || e->b[k * x->n + j] == SPECIAL;
            sum += (double)x->a.f[row * x->k + k] * (double)x->b.f[k * x->n + j];
        }
        if (special)
            *c = sum == sum ? (float)sum : f32_bits(0x7fffffff);
        else
            multiply_alone(x, e, s, row, j);
    }
}

static int most_of(const int16_t *exponents, int count)
{
    int16_t most = NOTHING;
    for (int i = 0; i < count; i++)
        most = exponents[i] > most ? exponents[i] : most;
    return most;
}

static bool row_is_special(const struct matrices *x, const struct exponents *e,
                           const struct step *s, int row)
{
    uint32_t most = 0;
    for (int j = 0; j < x->n; j++) {
        uint32_t bits = bits_f32(x->c.f[row * x->n + j]) & 0x7f800000;
        most = bits > most ? bits : most;
    }
    return most == 0x7f800000 || most_of(e->a + row * x->k + s->from, s->to - s->from) == SPECIAL;
}

static void multiply_row(struct matrices *x, const struct exponents *e, const struct step *s,
                         int row)
{
    int j = 0;
    for (; j + WIDE <= x->n; j += WIDE)
        multiply_columns(x, e, s, row, j);
    for (; j < x->n; j++)
        multiply_alone(x, e, s, row, j);
}

static void multiply(struct matrices *x, struct tensor_rounding rounding, bool half)
{
    struct exponents e;
    for (int i = 0; i < x->m * x->k; i++)
        e.a[i] = (int16_t)exponent_of(x->a.f[i]);
    for (int i = 0; i < x->k * x->n; i++)
        e.b[i] = (int16_t)exponent_of(x->b.f[i]);
    bool b_special = most_of(e.b, x->k * x->n) == SPECIAL;
    for (int from = 0; from < x->k; from += rounding.block) {
        int to = from + rounding.block < x->k ? from + rounding.block : x->k;
        struct step s = {.from = from, .to = to, .fraction = rounding.fraction, .half = half};
        for (int row = 0; row < x->m; row++)
            if (b_special || row_is_special(x, &e, &s, row))
                multiply_special(x, &e, &s, row);
            else
                multiply_row(x, &e, &s, row);
    }
}

extern const tensor_multiply MULTIPLY;
const tensor_multiply MULTIPLY = multiply;
