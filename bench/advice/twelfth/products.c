// References of products.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static float from_half(uint16_t bits)
{
    int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    float v =
        exponent ? ldexpf((float)(mantissa + 1024), exponent - 25) : ldexpf((float)mantissa, -24);
    return bits >> 15 ? -v : v;
}

static uint16_t to_half(float v)
{
    uint16_t sign = signbit(v) ? 0x8000 : 0;
    float size = fabsf(v);
    if (size < ldexpf(1, -14))
        return sign | (uint16_t)lrintf(ldexpf(size, 24));
    int exponent = ilogbf(size);
    return sign | (uint16_t)(((exponent + 14) << 10) + (int)lrintf(ldexpf(size, 10 - exponent)));
}

static float from_bf16(uint16_t bits)
{
    uint32_t word = (uint32_t)bits << 16;
    float v;
    memcpy(&v, &word, sizeof v);
    return v;
}

static float *widened(const uint16_t *bits, size_t count, float (*from)(uint16_t))
{
    float *v = malloc(sizeof *v * count);
    for (size_t i = 0; i < count; i++)
        v[i] = from(bits[i]);
    return v;
}

static float *transposed(const float *a, size_t rows, size_t cols)
{
    float *t = malloc(sizeof *t * rows * cols);
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < cols; c++)
            t[c * rows + r] = a[r * cols + c];
    return t;
}

// C = A B', m x n.
static void product(const float *a, const float *b, float *c, size_t m, size_t n, size_t k)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            float part[8] = {0}, sum = 0;
            for (size_t l = 0; l < k; l += 8)
                for (size_t e = 0; e < 8; e++)
                    part[e] += a[i * k + l + e] * b[j * k + l + e];
            for (size_t e = 0; e < 8; e++)
                sum += part[e];
            c[i * n + j] = sum;
        }
}

void ttgemm_ref(const float *a, const float *b, float *c, int m, int n, int k)
{
    float *rows = transposed(a, (size_t)k, (size_t)m);
    product(rows, b, c, (size_t)m, (size_t)n, (size_t)k);
    free(rows);
}

void qkf16_ref(const uint16_t *q, const uint16_t *k, float *s, int heads, int seq)
{
    size_t each = (size_t)seq * 64;
    float *qs = widened(q, each * (size_t)heads, from_half),
          *ks = widened(k, each * (size_t)heads, from_half);
    for (size_t h = 0; h < (size_t)heads; h++)
        product(qs + h * each, ks + h * each, s + h * (size_t)seq * (size_t)seq, (size_t)seq,
                (size_t)seq, 64);
    free(qs);
    free(ks);
}

void conv1bf_ref(const uint16_t *x, const uint16_t *w, float *y, int pixels, int cin, int cout)
{
    float *xs = widened(x, (size_t)pixels * (size_t)cin, from_bf16),
          *ws = widened(w, (size_t)cout * (size_t)cin, from_bf16);
    product(xs, ws, y, (size_t)pixels, (size_t)cout, (size_t)cin);
    free(xs);
    free(ws);
}

void conv3ch_ref(const float *image, const float *weight, float *out, int w, int h)
{
    size_t width = (size_t)w, height = (size_t)h;
    memset(out, 0, 16 * width * height * sizeof *out);
    for (size_t o = 0; o < 16; o++)
        for (size_t y = 0; y < height; y++)
            for (size_t i = 0; i < 72; i++) {
                const float *from =
                    image + (i / 9 * (height + 2) + y + i % 9 / 3) * (width + 2) + i % 3;
                for (size_t x = 0; x < width; x++)
                    out[(o * height + y) * width + x] += weight[o * 72 + i] * from[x];
            }
}

void packtri_ref(const float *a, const float *x, float *y, int n)
{
    for (size_t i = 0; i < (size_t)n; i++) {
        double sum = 0;
        for (size_t j = 0; j <= i; j++)
            sum += (double)a[i * (i + 1) / 2 + j] * (double)x[j];
        y[i] = (float)sum;
    }
}

void tallgram_ref(const float *x, float *g, int n)
{
    double sum[256] = {0};
    for (size_t r = 0; r < (size_t)n; r++)
        for (size_t i = 0; i < 256; i++)
            sum[i] += (double)(x[r * 16 + i / 16] * x[r * 16 + i % 16]);
    for (size_t i = 0; i < 256; i++)
        g[i] = (float)sum[i];
}

void trsm8_ref(const float *l, const float *b, float *x, int systems, int size)
{
    size_t n = (size_t)systems, m = (size_t)size;
    for (size_t i = 0; i < m; i++)
        for (size_t s = 0; s < n; s++) {
            float sum = b[i * n + s];
            for (size_t j = 0; j < i; j++)
                sum -= l[(i * m + j) * n + s] * x[j * n + s];
            x[i * n + s] = sum / l[(i * m + i) * n + s];
        }
}

void khatri_ref(const uint16_t *a, const uint16_t *b, uint16_t *c, int I, int J, int R)
{
    size_t rank = (size_t)R;
    float *as = widened(a, (size_t)I * rank, from_half),
          *bs = widened(b, (size_t)J * rank, from_half);
    for (size_t i = 0; i < (size_t)I; i++)
        for (size_t j = 0; j < (size_t)J; j++)
            for (size_t r = 0; r < rank; r++)
                c[(i * (size_t)J + j) * rank + r] = to_half(as[i * rank + r] * bs[j * rank + r]);
    free(as);
    free(bs);
}

void specmul_ref(const float *a, const float *b, float *c, int n)
{
    for (size_t i = 0; i < 2 * (size_t)n; i += 2) {
        c[i] = a[i] * b[i] - a[i + 1] * b[i + 1];
        c[i + 1] = a[i] * b[i + 1] + a[i + 1] * b[i];
    }
}
