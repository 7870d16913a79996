// What the kernels of public repositories compute, in plain C with double inside: written from what each kernel is
// for, not from its code. One function serves all kernels that do the same job (README.md).
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static float bf16_load(uint16_t v)
{
    uint32_t bits = (uint32_t)v << 16;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static uint16_t bf16_store(double v)
{
    float f = (float)v;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    bits += 0x7fffu + ((bits >> 16) & 1u);
    return (uint16_t)(bits >> 16);
}

void gemm(float *c, const float *a, const float *b, int m, int n, int k, float alpha, float beta)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int l = 0; l < k; l++)
                sum += (double)a[i * k + l] * b[l * n + j];
            c[i * n + j] = (float)(alpha * sum + beta * c[i * n + j]);
        }
}

// c = a b, whatever c held.
void product(float *c, const float *a, const float *b, int m, int n, int k)
{
    memset(c, 0, sizeof *c * (size_t)m * (size_t)n);
    gemm(c, a, b, m, n, k, 1, 0);
}

void add(float *c, const float *a, const float *b, int n)
{
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i];
}

void increment(float *a, int n)
{
    for (int i = 0; i < n; i++)
        a[i] += 1;
}

void copied(float *to, const float *from, int n)
{
    memcpy(to, from, sizeof *to * (size_t)n);
}

void transposed(float *to, const float *from, int width, int height)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            to[x * height + y] = from[y * width + x];
}

void reversed(int *v, int n)
{
    for (int i = 0; i < n / 2; i++) {
        int t = v[i];
        v[i] = v[n - 1 - i];
        v[n - 1 - i] = t;
    }
}

// Each block's sum of its part.
void block_sums(float *out, const float *in, int n, int part)
{
    for (int b = 0; b < n / part; b++) {
        double sum = 0;
        for (int i = 0; i < part; i++)
            sum += in[b * part + i];
        out[b] = (float)sum;
    }
}

void block_sums_i32(int *out, const int *in, int n, int part)
{
    for (int b = 0; b < n / part; b++) {
        out[b] = 0;
        for (int i = 0; i < part; i++)
            out[b] += in[b * part + i];
    }
}

void total(float *out, const float *in, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += in[i];
    out[0] = (float)sum;
}

void largest(float *out, const float *in, int n)
{
    out[0] = in[0];
    for (int i = 1; i < n; i++)
        out[0] = in[i] > out[0] ? in[i] : out[0];
}

void row_sums(float *out, const float *in, int n)
{
    for (int y = 0; y < n; y++) {
        double sum = 0;
        for (int x = 0; x < n; x++)
            sum += in[y * n + x];
        out[y] = (float)sum;
    }
}

void column_sums(float *out, const float *in, int n)
{
    for (int x = 0; x < n; x++) {
        double sum = 0;
        for (int y = 0; y < n; y++)
            sum += in[y * n + x];
        out[x] = (float)sum;
    }
}

void gelu_bf16(uint16_t *out, const uint16_t *in, int n)
{
    for (int i = 0; i < n; i++) {
        double x = bf16_load(in[i]);
        out[i] = bf16_store(0.5 * x * (1 + tanh(sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))));
    }
}

void gelu_gradient_bf16(uint16_t *dx, const uint16_t *in, const uint16_t *dy, int n)
{
    for (int i = 0; i < n; i++) {
        double x = bf16_load(in[i]), s = sqrt(2 / M_PI), t = tanh(s * (x + 0.044715 * x * x * x));
        double slope = 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * s * (1 + 3 * 0.044715 * x * x);
        dx[i] = bf16_store(slope * bf16_load(dy[i]));
    }
}

void add_bf16(uint16_t *c, const uint16_t *a, const uint16_t *b, int n)
{
    for (int i = 0; i < n; i++)
        c[i] = bf16_store((double)bf16_load(a[i]) + bf16_load(b[i]));
}

void softmax_rows(float *out, const float *in, int rows, int columns)
{
    for (int r = 0; r < rows; r++) {
        const float *x = in + (size_t)r * (size_t)columns;
        double most = -INFINITY, sum = 0;
        for (int i = 0; i < columns; i++)
            most = fmax(most, x[i]);
        for (int i = 0; i < columns; i++)
            sum += exp(x[i] - most);
        for (int i = 0; i < columns; i++)
            out[(size_t)r * (size_t)columns + (size_t)i] = (float)(exp(x[i] - most) / sum);
    }
}

void layernorm_rows(float *out, float *mean, float *rstd, const float *in, const float *weight,
                    const float *bias, int rows, int columns)
{
    for (int r = 0; r < rows; r++) {
        const float *x = in + (size_t)r * (size_t)columns;
        double sum = 0, squares = 0;
        for (int i = 0; i < columns; i++)
            sum += x[i];
        double m = sum / columns;
        for (int i = 0; i < columns; i++)
            squares += (x[i] - m) * (x[i] - m);
        double s = 1 / sqrt(squares / columns + 1e-5);
        mean[r] = (float)m;
        rstd[r] = (float)s;
        for (int i = 0; i < columns; i++)
            out[(size_t)r * (size_t)columns + (size_t)i] =
                (float)((x[i] - m) * s * weight[i] + bias[i]);
    }
}

void embed_bf16(uint16_t *out, const int *tokens, const uint16_t *wte, const uint16_t *wpe, int b,
                int t, int c)
{
    for (int i = 0; i < b * t; i++)
        for (int k = 0; k < c; k++)
            out[i * c + k] = bf16_store((double)bf16_load(wte[tokens[i] * c + k]) +
                                        bf16_load(wpe[i % t * c + k]));
}

void losses(float *out, const float *probabilities, const int *targets, int rows, int columns)
{
    for (int r = 0; r < rows; r++)
        out[r] = (float)-log(probabilities[r * columns + targets[r]]);
}

void adamw(float *p, const float *g, float *m, float *v, int64_t n, float rate, float beta1,
           float beta2, float correction1, float correction2, float eps, float decay)
{
    for (int64_t i = 0; i < n; i++) {
        m[i] = (float)((double)beta1 * m[i] + (1.0 - beta1) * g[i]);
        v[i] = (float)((double)beta2 * v[i] + (1.0 - beta2) * g[i] * g[i]);
        p[i] -=
            (float)(rate * (m[i] / correction1 / (sqrt(v[i] / correction2) + eps) + decay * p[i]));
    }
}

void stencil(int *out, const int *in, int n, int radius)
{
    for (int i = 0; i < n; i++) {
        out[i + radius] = 0;
        for (int k = -radius; k <= radius; k++)
            out[i + radius] += in[i + radius + k];
    }
}

void relu_i8(int8_t *out, const int8_t *in, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = in[i] > 0 ? in[i] : 0;
}

void silu(float *out, const float *in, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        out[i] = (float)(in[i] / (1 + exp(-(double)in[i])));
}

void silu_gradient(float *dx, const float *dy, const float *in, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        double x = in[i], s = 1 / (1 + exp(-x));
        dx[i] = (float)(dy[i] * s * (1 + x * (1 - s)));
    }
}

void bits_set(int *out, const uint64_t *in, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = __builtin_popcountll(in[i]);
}

// Records of two floats, the distance of each to a point.
void distances(float *out, const float *at, int n, float x, float y)
{
    for (int i = 0; i < n; i++)
        out[i] = (float)sqrt(((double)x - at[2 * i]) * ((double)x - at[2 * i]) +
                             ((double)y - at[2 * i + 1]) * ((double)y - at[2 * i + 1]));
}

// A column of elimination: its factors, and what they leave of the rows below.
void factors(float *m, const float *a, int size, int t)
{
    for (int i = t + 1; i < size; i++)
        m[i * size + t] = a[i * size + t] / a[t * size + t];
}

void eliminate(float *a, float *b, const float *m, int size, int t)
{
    for (int i = t + 1; i < size; i++) {
        for (int j = t; j < size; j++)
            a[i * size + j] -= m[i * size + t] * a[t * size + j];
        b[i] -= m[i * size + t] * b[t];
    }
}

// Prices of European options (Black, Scholes 1973): the normal distribution by erfc.
void options(float *call, float *put, const float *price, const float *strike, const float *years,
             float rate, float volatility, int n)
{
    for (int i = 0; i < n; i++) {
        double s = price[i], x = strike[i], t = years[i], v = volatility * sqrt(t);
        double d1 = (log(s / x) + (rate + 0.5 * volatility * volatility) * t) / v, d2 = d1 - v;
        double n1 = 0.5 * erfc(-d1 / sqrt(2)), n2 = 0.5 * erfc(-d2 / sqrt(2)),
               z = x * exp(-rate * t);
        call[i] = (float)(s * n1 - z * n2);
        put[i] = (float)(z * (1 - n2) - s * (1 - n1));
    }
}

void modulate(float *a, const float *b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = (float)((double)a[i] * b[i] / n);
}

// Exclusive sums of each array of `length`.
void exclusive_sums(uint32_t *out, const uint32_t *in, int n, int length)
{
    for (int i = 0; i < n; i++)
        out[i] = i % length == 0 ? 0 : out[i - 1] + in[i - 1];
}

void total_i32(int *out, const int *in, int n)
{
    out[0] = 0;
    for (int i = 0; i < n; i++)
        out[0] += in[i];
}

// Each element the number of its column.
void columns(int *out, int n)
{
    for (int i = 0; i < n * n; i++)
        out[i] = i % n;
}

// c = a b, rows one after the other.
void product_bf16(uint16_t *c, const uint16_t *a, const uint16_t *b, int m, int n, int k)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int l = 0; l < k; l++)
                sum += (double)bf16_load(a[i * k + l]) * bf16_load(b[l * n + j]);
            c[i * n + j] = bf16_store(sum);
        }
}

// c = a bT with the columns of c one after the other: each element is a product of a row of a and one of b.
void product_of_rows_bf16(uint16_t *c, const uint16_t *a, const uint16_t *b, int m, int n, int k)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            float sum =
                0; // sums of 128 products of bf16: their rounding is far below that of the output
            for (int l = 0; l < k; l++)
                sum += bf16_load(a[i * k + l]) * bf16_load(b[j * k + l]);
            c[(size_t)j * (size_t)m + (size_t)i] = bf16_store((double)sum);
        }
}

static float half_load(uint16_t v)
{
    int exponent = v >> 10 & 31, m = v & 1023;
    float f = exponent == 31  ? (m ? NAN : INFINITY)
              : exponent == 0 ? ldexpf((float)m, -24)
                              : ldexpf((float)(1024 + m), exponent - 25);
    return v & 0x8000 ? -f : f;
}

// Rounded to the nearest, to even between two.
static uint16_t half_store(double v)
{
    int sign = signbit(v) ? 0x8000 : 0, exponent;
    double size = fabs(v);
    if (!(size < 65520))
        return (uint16_t)(sign | 0x7c00 | (size != size));
    (void)frexp(size, &exponent);
    if (size == 0 || exponent < -13) // numbers below are as far apart as there
        exponent = -13;
    return (uint16_t)(sign + (exponent + 13) * 1024 + (int)lrint(ldexp(size, 11 - exponent)));
}

static double e4m3_load(uint8_t v)
{
    int exponent = v >> 3 & 15, m = v & 7;
    double f = exponent ? ldexp(8 + m, exponent - 10) : ldexp(m, -9);
    return v & 0x80 ? -f : f;
}

// A function of one number, of arrays of floats and of halves: FORMULA of v.
#define EACH(name, formula)                                \
    void name(float *y, const float *x, int n)             \
    {                                                      \
        for (int i = 0; i < n; i++) {                      \
            double v = x[i];                               \
            y[i] = (float)(formula);                       \
        }                                                  \
    }                                                      \
    void name##_f16(uint16_t *y, const uint16_t *x, int n) \
    {                                                      \
        for (int i = 0; i < n; i++) {                      \
            double v = half_load(x[i]);                    \
            y[i] = half_store(formula);                    \
        }                                                  \
    }
EACH(relu, v > 0 ? v : 0)
EACH(elu, v > 0 ? v : expm1(v))
EACH(sigmoid, 1 / (1 + exp(-v)))
EACH(swish, v / (1 + exp(-v)))
EACH(gelu, 0.5 * v * (1 + tanh(sqrt(2 / M_PI) * (v + 0.044715 * v * v * v))))
EACH(hardswish, v *fmin(fmax(v + 3, 0), 6) / 6)
EACH(hardshrink, fabs(v) > 0.5 ? v : 0)

void add_f16(uint16_t *c, const uint16_t *a, const uint16_t *b, int n)
{
    for (int i = 0; i < n; i++)
        c[i] = half_store((double)half_load(a[i]) + half_load(b[i]));
}

void dot(float *out, const float *a, const float *b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (double)a[i] * b[i];
    out[0] = (float)sum;
}

void dot_f16(float *out, const uint16_t *a, const uint16_t *b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (double)half_load(a[i]) * half_load(b[i]);
    out[0] = (float)sum;
}

void total_f16(float *out, const uint16_t *in, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += half_load(in[i]);
    out[0] = (float)sum;
}

void total_bf16(float *out, const uint16_t *in, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += bf16_load(in[i]);
    out[0] = (float)sum;
}

void total_e4m3(float *out, const uint8_t *in, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += e4m3_load(in[i]);
    out[0] = (float)sum;
}

void total_i8(int *out, const int8_t *in, int n)
{
    out[0] = 0;
    for (int i = 0; i < n; i++)
        out[0] += in[i];
}

void histogram(int *counts, const int *in, int n, int bins)
{
    memset(counts, 0, sizeof *counts * (size_t)bins);
    for (int i = 0; i < n; i++)
        counts[in[i]]++;
}

void rows_of_table(float *out, const int *rows, const float *table, int n, int width)
{
    for (int i = 0; i < n; i++)
        memcpy(out + i * width, table + rows[i] * width, sizeof *out * (size_t)width);
}

void rows_of_table_f16(uint16_t *out, const int *rows, const uint16_t *table, int n, int width)
{
    for (int i = 0; i < n; i++)
        memcpy(out + i * width, table + rows[i] * width, sizeof *out * (size_t)width);
}

void transposed_i32(int *to, const int *from, int width, int height)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            to[x * height + y] = from[y * width + x];
}

void softmax_rows_f16(uint16_t *out, const uint16_t *in, int rows, int columns)
{
    for (const uint16_t *end = in + rows * columns; in < end; in += columns, out += columns) {
        double most = -INFINITY, sum = 0;
        for (int i = 0; i < columns; i++)
            most = fmax(most, half_load(in[i]));
        for (int i = 0; i < columns; i++)
            sum += exp(half_load(in[i]) - most);
        for (int i = 0; i < columns; i++)
            out[i] = half_store(exp(half_load(in[i]) - most) / sum);
    }
}

// Rows less their means over their standard deviations, times gain, plus shift.
void normalized_rows(float *out, const float *in, float gain, float shift, int rows, int columns)
{
    for (const float *end = in + rows * columns; in < end; in += columns, out += columns) {
        double mean = 0, squares = 0;
        for (int i = 0; i < columns; i++)
            mean += (double)in[i] / columns;
        for (int i = 0; i < columns; i++)
            squares += (in[i] - mean) * (in[i] - mean);
        for (int i = 0; i < columns; i++)
            out[i] = (float)((in[i] - mean) / sqrt(squares / columns + 1e-5) * gain + shift);
    }
}

void normalized_rows_f16(uint16_t *out, const uint16_t *in, float gain, float shift, int rows,
                         int columns)
{
    for (const uint16_t *end = in + rows * columns; in < end; in += columns, out += columns) {
        double mean = 0, squares = 0;
        for (int i = 0; i < columns; i++)
            mean += (double)half_load(in[i]) / columns;
        for (int i = 0; i < columns; i++)
            squares += pow(half_load(in[i]) - mean, 2);
        for (int i = 0; i < columns; i++)
            out[i] = half_store((half_load(in[i]) - mean) / sqrt(squares / columns + 1e-5) * gain +
                                shift);
    }
}

// Rows over the root of the mean of their squares, times gain.
void rms_rows(float *out, const float *in, float gain, int rows, int columns)
{
    for (const float *end = in + rows * columns; in < end; in += columns, out += columns) {
        double squares = 0;
        for (int i = 0; i < columns; i++)
            squares += (double)in[i] * in[i];
        for (int i = 0; i < columns; i++)
            out[i] = (float)(in[i] / sqrt(squares / columns + 1e-5) * gain);
    }
}

void rms_rows_f16(uint16_t *out, const uint16_t *in, float gain, int rows, int columns)
{
    for (const uint16_t *end = in + rows * columns; in < end; in += columns, out += columns) {
        double squares = 0;
        for (int i = 0; i < columns; i++)
            squares += (double)half_load(in[i]) * half_load(in[i]);
        for (int i = 0; i < columns; i++)
            out[i] = half_store(half_load(in[i]) / sqrt(squares / columns + 1e-5) * gain);
    }
}

// Rotary embedding: pair p of a token's row turned by the token's place over 10000^(2p/width).
void rotated_pairs(float *out, const float *in, int tokens, int width)
{
    for (int t = 0; t < tokens; t++)
        for (int p = 0; p < width; p += 2) {
            double angle = t / pow(10000, (double)p / width), a = in[t * width + p],
                   b = in[t * width + p + 1];
            out[t * width + p] = (float)(a * cos(angle) - b * sin(angle));
            out[t * width + p + 1] = (float)(a * sin(angle) + b * cos(angle));
        }
}

void matrix_vector(float *y, const float *a, const float *x, int rows, int columns)
{
    for (int r = 0; r < rows; r++) {
        double sum = 0;
        for (int i = 0; i < columns; i++)
            sum += (double)a[r * columns + i] * x[i];
        y[r] = (float)sum;
    }
}

void matrix_vector_f16(uint16_t *y, const uint16_t *a, const uint16_t *x, int rows, int columns)
{
    for (int r = 0; r < rows; r++) {
        double sum = 0;
        for (int i = 0; i < columns; i++)
            sum += (double)half_load(a[r * columns + i]) * half_load(x[i]);
        y[r] = half_store(sum);
    }
}

// c = a b of matrices of n rows and columns, row by row: a row of c is a sum of rows of b.
void product_f16(uint16_t *c, const uint16_t *a, const uint16_t *b, int n)
{
    size_t count = (size_t)n * (size_t)n;
    float *wide = malloc((count + (size_t)n) * sizeof *wide), *sums = wide + count;
    for (size_t i = 0; i < count; i++)
        wide[i] = half_load(b[i]);
    for (int i = 0; i < n; i++) {
        memset(sums, 0, sizeof *sums * (size_t)n);
        for (int l = 0; l < n; l++) {
            float factor = half_load(a[i * n + l]);
            for (int j = 0; j < n; j++)
                sums[j] += factor * wide[l * n + j];
        }
        for (int j = 0; j < n; j++)
            c[i * n + j] = half_store((double)sums[j]);
    }
    free(wide);
}

// c = a bT of such matrices.
void product_of_rows_f16(uint16_t *c, const uint16_t *a, const uint16_t *b, int n)
{
    size_t count = (size_t)n * (size_t)n;
    uint16_t *turned = malloc(count * sizeof *turned);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            turned[j * n + i] = b[i * n + j];
    product_f16(c, a, turned, n);
    free(turned);
}

// Boxes none of which overlaps another by more than the threshold are all kept.
void all_kept(int *keep, int n)
{
    for (int i = 0; i < n; i++)
        keep[i] = 1;
}

// Great-circle distances in kilometres: records of two places, latitude and longitude in degrees each.
void great_circles(double *out, const double *at, int n)
{
    for (int i = 0; i < n; i++, at += 4) {
        double degree = M_PI / 180, y = sin((at[2] - at[0]) * degree / 2),
               x = sin((at[3] - at[1]) * degree / 2);
        out[i] = 2 * 6371 * asin(sqrt(y * y + x * x * cos(at[0] * degree) * cos(at[2] * degree)));
    }
}

// Sums of 2 radius + 1 neighbours; nothing is before the first element, `radius` more are behind the last one.
void window_sums(int *out, const int *in, int n, int radius)
{
    for (int i = 0; i < n; i++) {
        out[i] = 0;
        for (int k = i < radius ? 0 : i - radius; k <= i + radius; k++)
            out[i] += in[k];
    }
}

// By 90 degrees clockwise, in place.
void turned_quarter(float *m, int n)
{
    size_t bytes = sizeof *m * (size_t)n * (size_t)n;
    float *before = malloc(bytes);
    memcpy(before, m, bytes);
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            m[x * n + n - 1 - y] = before[y * n + x];
    free(before);
}

// Means of the six neighbours in a cube; its faces stay.
void laplace_step(float *out, const float *in, int n)
{
    for (int z = 0; z < n; z++)
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++) {
                int i = (z * n + y) * n + x, a = n - 1;
                bool face = x == 0 || x == a || y == 0 || y == a || z == 0 || z == a;
                out[i] = face ? in[i]
                              : (float)(((double)in[i - 1] + in[i + 1] + in[i - n] + in[i + n] +
                                         in[i - n * n] + in[i + n * n]) /
                                        6);
            }
}

// Largest values of squares of images of n by n, at least 0.
void pooled(float *out, const float *in, int n, int images, int square)
{
    for (int i = 0; i < images * (n / square) * (n / square); i++) {
        int x = i % (n / square),
            y = i / (n / square); // rows of all images are one after the other
        out[i] = 0;
        for (int k = 0; k < square * square; k++)
            out[i] = fmaxf(out[i], in[(y * square + k / square) * n + x * square + k % square]);
    }
}

// Channels group by group become the first of each group, the second of each, …; `inner` elements of each stay together.
void shuffled_channels(float *out, const float *in, int outer, int groups, int each, int inner)
{
    for (int o = 0; o < outer; o++)
        for (int g = 0; g < groups; g++)
            for (int k = 0; k < each; k++)
                memcpy(out + ((o * each + k) * groups + g) * inner,
                       in + ((o * groups + g) * each + k) * inner, sizeof *out * (size_t)inner);
}

// Bilateral filter of an image of n by n, windows of 2 radius + 1, the low edges mirrored; a tap beyond the high ones is
// that at its distance from the edge.
void bilateral(float *out, const float *in, int n, int radius, float variance, float spatial)
{
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            double sum = 0, weights = 0;
            for (int i = -radius; i <= radius; i++)
                for (int j = -radius; j <= radius; j++) {
                    int u = x + i > n - 1 ? n - 1 - i : abs(x + i),
                        v = y + j > n - 1 ? n - 1 - j : abs(y + j);
                    double d = (double)in[y * n + x] - in[v * n + u];
                    double far = (u - x) * (u - x) + (v - y) * (v - y);
                    double w = exp(-d * d / (2 * variance) - far / (2 * spatial));
                    sum += w * in[v * n + u];
                    weights += w;
                }
            out[y * n + x] = (float)(sum / weights);
        }
}

// Water in soil (van Genuchten 1980): capacity, content and conductivity at negative pressures.
void soil_water(double *capacity, double *content, double *conductivity, const double *saturated,
                const double *pressure, int size)
{
    const double alpha = 0.02, full = 0.45, dry = 0.1, n = 1.8, m = 1 - 1 / n;
    for (int i = 0; i < size; i++) {
        double h = -100 * pressure[i] * alpha, s = pow(1 + pow(h, n), -m),
               t = 1 - pow(1 - pow(s, 1 / m), m);
        content[i] = dry + (full - dry) * s;
        conductivity[i] = saturated[i] * sqrt(s) * t * t;
        capacity[i] =
            100 * alpha * n * m * (full - dry) * pow(h, n - 1) * pow(pow(h, n) + 1, 1 / n - 2);
    }
}

// The first half of each row times the sigmoid of the second.
void gated(float *out, const float *in, int rows, int half)
{
    for (int i = 0; i < rows * half; i++) {
        const float *x = in + i / half * 2 * half + i % half;
        out[i] = (float)(x[0] / (1 + exp(-(double)x[half])));
    }
}

// A row added to each of the rows of its batch.
void add_rows(float *out, const float *in, const float *rows, const int *starts, int batches,
              int width)
{
    for (int b = 0; b < batches; b++)
        for (int i = starts[b]; i < starts[b + 1]; i++)
            out[i] = in[i] + rows[b * width + (i - starts[b]) % width];
}

void add_everywhere(int *out, int n, int value)
{
    for (int i = 0; i < n; i++)
        out[i] += value;
}

// Images of n by n with so many channels, convolved with squares of k, no padding.
void convolved(float *out, const float *in, const float *weights, int images, int from, int to,
               int k, int n)
{
    int size = n - k + 1;
    for (int i = 0; i < images * to * size * size; i++) {
        int x = i % size, y = i / size % size, m = i / size / size % to, b = i / size / size / to;
        double sum = 0;
        for (int c = 0; c < from; c++)
            for (int t = 0; t < k * k; t++)
                sum += (double)in[((b * from + c) * n + y + t / k) * n + x + t % k] *
                       weights[(m * from + c) * k * k + t];
        out[i] = (float)sum;
    }
}

// A step of heat in a chip of layers of n by n; beyond an edge it is as warm as at it.
void heat_step(float *out, const float *in, const float *power, int n, int layers, float side,
               float up, float centre, float step)
{
    for (int i = 0; i < n * n * layers; i++) {
        int x = i % n, y = i / n % n, z = i / n / n, layer = n * n;
        double around = (double)in[x ? i - 1 : i] + in[x < n - 1 ? i + 1 : i] + in[y ? i - n : i] +
                        in[y < n - 1 ? i + n : i];
        double above = (double)in[z ? i - layer : i] + in[z < layers - 1 ? i + layer : i];
        out[i] = (float)(centre * in[i] + side * around + up * (above + 80) + step * power[i]);
    }
}

// Queries, keys and values of (batch, time, 3, heads, width) apart, each by (batch, heads, time, width).
void split_heads(float *q, float *k, float *v, const float *in, int batches, int times, int heads,
                 int width)
{
    for (int i = 0; i < batches * heads * times * width; i++) {
        int w = i % width, t = i / width % times, h = i / width / times % heads,
            b = i / width / times / heads, all = heads * width;
        const float *at = in + (b * times + t) * 3 * all + h * width + w;
        q[i] = at[0];
        k[i] = at[all];
        v[i] = at[2 * all];
    }
}

// Orthonormal cosine transform of each square of 8 by 8.
void cosine_squares(float *out, const float *in, int n)
{
    double c[8][8];
    for (int u = 0; u < 8; u++)
        for (int x = 0; x < 8; x++)
            c[u][x] = (u ? 0.5 : sqrt(0.125)) * cos((2 * x + 1) * u * M_PI / 16);
    for (int i = 0; i < n * n; i++) {
        int y = i / n / 8 * 8, x = i % n / 8 * 8, v = i / n % 8, u = i % n % 8;
        double sum = 0;
        for (int k = 0; k < 64; k++)
            sum += c[v][k / 8] * c[u][k % 8] * in[(y + k / 8) * n + x + k % 8];
        out[i] = (float)sum;
    }
}

// How often each of k choices is the best one in m trials, alphas and noise by choice.
void choices(double *out, const double *alphas, const double *noise, int n, int k, int m)
{
    memset(out, 0, sizeof *out * (size_t)n * (size_t)k);
    for (int i = 0; i < n; i++)
        for (int t = 0; t < m; t++) {
            int best = k - 1;
            for (int c = 0; c < k - 1; c++)
                if (alphas[c * n + i] + noise[c * m + t] >
                    alphas[best * n + i] + noise[best * m + t])
                    best = c;
            out[best * n + i] += 1.0 / m;
        }
}

// Sums over `each` elements that are `stride` apart, those of one sum `apart` from the next.
void strided_sums(int *out, const int *in, int n, int each, int stride, int apart)
{
    for (int i = 0; i < n; i++) {
        out[i] = 0;
        for (int k = 0; k < each; k++)
            out[i] += in[i * apart + k * stride];
    }
}

// Where an element is larger than its neighbours on both sides, clipped at the ends.
void maxima(uint8_t *out, const float *in, int n, int order)
{
    for (int i = 0; i < n; i++) {
        out[i] = 1;
        for (int o = 1; o <= order; o++)
            out[i] &= in[i] > in[i + o < n ? i + o : n - 1] && in[i] >= in[i - o < 0 ? 0 : i - o];
    }
}
