// References of products.cu.
// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void matvec_ref(const float *a, const float *x, float *y, int rows, int cols)
{
    for (size_t r = 0; r < (size_t)rows; r++) {
        double sum = 0;
        for (size_t c = 0; c < (size_t)cols; c++)
            sum += a[r * (size_t)cols + c] * x[c];
        y[r] = (float)sum;
    }
}

// C = A B, of f32.
void gemm_ref(const float *a, const float *b, float *c, int m, int n, int k)
{
    float *row = malloc(sizeof *row * (size_t)n);
    for (size_t i = 0; i < (size_t)m; i++) {
        memset(row, 0, sizeof *row * (size_t)n);
        for (size_t l = 0; l < (size_t)k; l++)
            for (size_t j = 0; j < (size_t)n; j++)
                row[j] += a[i * (size_t)k + l] * b[l * (size_t)n + j];
        memcpy(c + i * (size_t)n, row, sizeof *row * (size_t)n);
    }
    free(row);
}

void dgemm_ref(const double *a, const double *b, double *c, int m, int n, int k)
{
    memset(c, 0, sizeof *c * (size_t)m * (size_t)n);
    for (size_t i = 0; i < (size_t)m; i++)
        for (size_t l = 0; l < (size_t)k; l++)
            for (size_t j = 0; j < (size_t)n; j++)
                c[i * (size_t)n + j] += a[i * (size_t)k + l] * b[l * (size_t)n + j];
}

// C = A B', of f32.
void nt_ref(const float *a, const float *b, float *c, int m, int n, int k)
{
    float *turned = malloc(sizeof *turned * (size_t)n * (size_t)k);
    for (size_t j = 0; j < (size_t)n; j++)
        for (size_t l = 0; l < (size_t)k; l++)
            turned[l * (size_t)n + j] = b[j * (size_t)k + l];
    gemm_ref(a, turned, c, m, n, k);
    free(turned);
}

static float from_half(uint16_t h)
{
    int e = h >> 10 & 31;
    float m = (float)(h & 1023), v = e ? ldexpf(m + 1024, e - 25) : ldexpf(m, -24);
    return h & 0x8000 ? -v : v;
}

// What is too small for a normal number goes to zero.
static uint16_t to_half(float v)
{
    int e;
    float m = frexpf(fabsf(v), &e);
    if (m == 0 || e < -13)
        return v < 0 ? 0x8000 : 0;
    long r = lrintf(m * 2048);
    return (uint16_t)((v < 0 ? 0x8000 : 0) + ((e + 13) << 10) + (int)r);
}

void halfgemm_ref(const uint16_t *a, const uint16_t *b, float *c, int m, int n, int k)
{
    size_t as = (size_t)m * (size_t)k, bs = (size_t)n * (size_t)k;
    float *x = malloc(sizeof *x * as), *y = malloc(sizeof *y * bs);
    for (size_t i = 0; i < as; i++)
        x[i] = from_half(a[i]);
    for (size_t i = 0; i < bs; i++)
        y[i] = from_half(b[i]);
    nt_ref(x, y, c, m, n, k);
    free(x);
    free(y);
}

void i8gemm_ref(const int8_t *a, const int8_t *b, int32_t *c, int m, int n, int k)
{
    for (size_t i = 0; i < (size_t)m; i++)
        for (size_t j = 0; j < (size_t)n; j++) {
            int32_t sum = 0;
            for (size_t l = 0; l < (size_t)k; l++)
                sum += a[i * (size_t)k + l] * b[j * (size_t)k + l];
            c[i * (size_t)n + j] = sum;
        }
}

void batched4_ref(const float *a, const float *b, float *c, int count)
{
    for (size_t m = 0; m < (size_t)count; m++)
        gemm_ref(a + 16 * m, b + 16 * m, c + 16 * m, 4, 4, 4);
}

void skinny_ref(const float *x, const float *w, float *y, int n)
{
    gemm_ref(w, x, y, 16, n, 16);
}

void trimul_ref(const float *l, const float *x, float *y, int n)
{
    for (size_t r = 0; r < (size_t)n; r++) {
        double sum = 0;
        for (size_t k = 0; k <= r; k++)
            sum += l[r * (size_t)n + k] * x[k];
        y[r] = (float)sum;
    }
}

void kron_ref(const float *a, const float *b, float *c, int p, int q, int r, int s)
{
    for (int i = 0; i < p * r; i++)
        for (int j = 0; j < q * s; j++)
            c[(size_t)i * (size_t)(q * s) + (size_t)j] =
                a[i / r * q + j / s] * b[i % r * s + j % s];
}

void modprod_ref(const uint32_t *x, uint32_t *out, int n, int count)
{
    for (int i = 0; i < count; i++) {
        uint64_t product = 1;
        for (int j = 0; j < n; j++)
            product = product * (x[j] + (uint32_t)i) % 998244353;
        out[i] = (uint32_t)product;
    }
}

void batchloop_ref(const float *a, const float *b, float *c, int batch)
{
    for (size_t m = 0; m < (size_t)batch; m++)
        gemm_ref(a + 4096 * m, b + 4096 * m, c + 4096 * m, 64, 64, 64);
}

void halfskinny_ref(const uint16_t *x, const uint16_t *w, uint16_t *y, int n)
{
    for (size_t i = 0; i < (size_t)n; i++) {
        float now[8], next[8];
        for (size_t k = 0; k < 8; k++)
            now[k] = from_half(x[k * (size_t)n + i]);
        for (int step = 0; step < 6; step++) {
            for (size_t c = 0; c < 8; c++) {
                next[c] = 0;
                for (size_t k = 0; k < 8; k++)
                    next[c] += from_half(w[c * 8 + k]) * now[k];
            }
            memcpy(now, next, sizeof now);
        }
        for (size_t c = 0; c < 8; c++)
            y[c * (size_t)n + i] = to_half(now[c]);
    }
}
