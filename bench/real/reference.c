// What the kernels of public repositories compute, in plain C with double inside: written from what each kernel is
// for, not from its code. One function serves all kernels that do the same job (README.md).
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdint.h>
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
