// The arithmetic of tensor cores. PTX leaves the order and the rounding of a product's sum open; this
// follows what has been found out about the hardware (Fasi et al., "Numerical behavior of NVIDIA tensor
// cores", 2021; Khattak and Mikaitis, "Accurate models of NVIDIA tensor cores", 2025): products are
// exact, `block` of them and the accumulator are aligned to the largest exponent, bits below `fraction`
// are cut off, the sum is exact and cut off to f32, or rounded to f16. Double precision is a chain of
// fused multiply-adds. tests/sim/tensor_h200.cu compares bits with a device.
// SPDX-License-Identifier: Apache-2.0
#include "sim/alu/tensor_math.h"

#include <math.h>

#include "sim/alu/alu_half.h"
#include "sim/alu/alu_soft.h"

struct tensor_rounding tensor_rounding(const struct gpu *gpu, enum ptx_type type)
{
    int major = gpu->cc_major, bits = ptx_type_bits(type);
    if (major >= 9)
        return (struct tensor_rounding){.block = bits == 32 ? 8 : 16, .fraction = 25};
    if (major == 8)
        return (struct tensor_rounding){.block = bits == 32 ? 4 : 8, .fraction = 24};
    return (struct tensor_rounding){.block = 4, .fraction = 23};
}

float tensor_value(enum ptx_type type, uint32_t raw)
{
    if (type == PTX_TYPE_F16)
        return half_value(raw & 0xffff);
    if (type == PTX_TYPE_BF16)
        return bf16_value(raw & 0xffff);
    if (type == PTX_TYPE_TF32) // the low bits are not looked at
        return f32_bits(raw & ~UINT32_C(0x1fff));
    if (type == PTX_TYPE_F32)
        return f32_bits(raw);
    return f32_bits(
        (u32)soft_pack(float_format(PTX_TYPE_F32), soft_unpack(float_format(type), raw, 0), 0));
}

uint32_t tensor_raw(enum ptx_type type, float value)
{
    return type == PTX_TYPE_F16 ? half_round(value) : bits_f32(value);
}

void matrices_init(struct matrices *x, int m, int n, int k)
{
    x->m = m, x->n = n, x->k = k;
    x->a.d = (double *)(void *)x->a_room;
    x->b.d = (double *)(void *)x->b_room;
    x->c.d = (double *)(void *)x->c_room;
}

/* ---- floating point ---------------------------------------------------------------------------- */

enum { NOTHING = -300, SPECIAL = 128 }; // exponents: below every product's; of infinities and NaN

static int exponent_of(float x)
{
    int e = (int)(bits_f32(x) >> 23 & 255);
    if (e != 0)
        return e - 127;
    return bits_f32(x) << 1 == 0 ? NOTHING : -126;
}

static double power_of_two(int e)
{
    return f64_bits((u64)(1023 + e) << 52);
}

// Towards zero.
static float cut(double x)
{
    double magnitude = fabs(x);
    if (magnitude >= 0x1p128)
        return x < 0 ? -INFINITY : INFINITY;
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

// Columns first to last of a row of the result, all numbers finite.
static void multiply_span(struct matrices *x, const struct exponents *e, const struct step *s,
                          int row, int first, int last)
{
    int most[MATRIX_N];
    double scale[MATRIX_N], sum[MATRIX_N];
    float *c = x->c.f + (ptrdiff_t)row * x->n;
    for (int j = first; j < last; j++)
        most[j] = exponent_of(c[j]);
    for (int k = s->from; k < s->to; k++) {
        int a = e->a[row * x->k + k];
        const int16_t *b = e->b + (ptrdiff_t)k * x->n;
        for (int j = first; j < last; j++)
            most[j] = a + b[j] > most[j] ? a + b[j] : most[j];
    }
    for (int j = first; j < last; j++) {
        most[j] = most[j] > NOTHING ? most[j] : NOTHING;
        scale[j] = power_of_two(s->fraction - most[j]);
        sum[j] = (double)(int32_t)((double)c[j] * scale[j]);
    }
    for (int k = s->from; k < s->to; k++) {
        double a = (double)x->a.f[row * x->k + k];
        const float *b = x->b.f + (ptrdiff_t)k * x->n;
        for (int j = first; j < last; j++)
            sum[j] += (double)(int32_t)(a * (double)b[j] * scale[j]);
    }
    for (int j = first; j < last; j++) {
        double value = sum[j] * power_of_two(most[j] - s->fraction);
        c[j] = s->half ? nearest_half(value) : cut(value);
    }
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
            multiply_span(x, e, s, row, j, j + 1);
    }
}

static bool row_is_special(const struct matrices *x, const struct exponents *e,
                           const struct step *s, int row, bool b_special)
{
    bool special = b_special;
    for (int j = 0; j < x->n; j++)
        special |= exponent_of(x->c.f[row * x->n + j]) == SPECIAL;
    for (int k = s->from; k < s->to; k++)
        special |= e->a[row * x->k + k] == SPECIAL;
    return special;
}

void tensor_multiply_float(struct matrices *x, struct tensor_rounding rounding, bool half)
{
    struct exponents e;
    bool b_special = false;
    for (int i = 0; i < x->m * x->k; i++)
        e.a[i] = (int16_t)exponent_of(x->a.f[i]);
    for (int i = 0; i < x->k * x->n; i++)
        e.b[i] = (int16_t)exponent_of(x->b.f[i]);
    for (int i = 0; i < x->k * x->n; i++)
        b_special |= e.b[i] == SPECIAL;
    for (int from = 0; from < x->k; from += rounding.block) {
        int to = from + rounding.block < x->k ? from + rounding.block : x->k;
        struct step s = {.from = from, .to = to, .fraction = rounding.fraction, .half = half};
        for (int row = 0; row < x->m; row++)
            if (row_is_special(x, &e, &s, row, b_special))
                multiply_special(x, &e, &s, row);
            else
                multiply_span(x, &e, &s, row, 0, x->n);
    }
}

/* ---- the others -------------------------------------------------------------------------------- */

void tensor_multiply_double(struct matrices *x)
{
    for (int i = 0; i < x->m; i++)
        for (int j = 0; j < x->n; j++) {
            double sum = x->c.d[i * x->n + j];
            for (int k = 0; k < x->k; k++)
                sum = fma(x->a.d[i * x->k + k], x->b.d[k * x->n + j], sum);
            x->c.d[i * x->n + j] = sum;
        }
}

void tensor_multiply_integer(struct matrices *x, bool saturate)
{
    for (int i = 0; i < x->m; i++)
        for (int j = 0; j < x->n; j++) {
            int64_t sum = x->c.i[i * x->n + j];
            for (int k = 0; k < x->k; k++)
                sum += (int64_t)x->a.i[i * x->k + k] * x->b.i[k * x->n + j];
            if (saturate)
                sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
            x->c.i[i * x->n + j] = (int32_t)(uint32_t)(uint64_t)sum;
        }
}

void tensor_multiply_bits(struct matrices *x, bool bit_and)
{
    for (int i = 0; i < x->m; i++)
        for (int j = 0; j < x->n; j++) {
            uint32_t sum = (uint32_t)x->c.i[i * x->n + j];
            for (int k = 0; k < x->k; k++) {
                uint32_t a = (uint32_t)x->a.i[i * x->k + k], b = (uint32_t)x->b.i[k * x->n + j];
                sum += (uint32_t)__builtin_popcount(bit_and ? a & b : a ^ b);
            }
            x->c.i[i * x->n + j] = (int32_t)sum;
        }
}
