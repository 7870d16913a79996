// References of products.cu.
// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// c += a b, each sum in double; a(i,k) is a[i * row + k * step].
static void multiply(const float *a, size_t row, size_t step, const float *b, float *c, size_t m,
                     size_t n, size_t k)
{
    double *sum = malloc(sizeof *sum * n);
    for (size_t i = 0; i < m; i++) {
        memset(sum, 0, sizeof *sum * n);
        for (size_t l = 0; l < k; l++) {
            double factor = (double)a[i * row + l * step];
            for (size_t j = 0; j < n; j++)
                sum[j] += factor * (double)b[l * n + j];
        }
        for (size_t j = 0; j < n; j++)
            c[i * n + j] = (float)sum[j];
    }
    free(sum);
}

void tngemm_ref(const float *a, const float *b, float *c, int m, int n, int k)
{
    multiply(a, 1, (size_t)m, b, c, (size_t)m, (size_t)n, (size_t)k);
}

// C = A B', with k numbers a row in both.
void nt_ref(const float *a, const float *b, float *c, int m, int n, int k)
{
    float *turned = malloc(sizeof *turned * (size_t)n * (size_t)k);
    for (size_t j = 0; j < (size_t)n; j++)
        for (size_t l = 0; l < (size_t)k; l++)
            turned[l * (size_t)n + j] = b[j * (size_t)k + l];
    multiply(a, (size_t)k, 1, turned, c, (size_t)m, (size_t)n, (size_t)k);
    free(turned);
}

void syrk_ref(const float *a, float *c, int n, int k)
{
    nt_ref(a, a, c, n, n, k);
}

void cgemm_ref(const float *a, const float *b, float *c, int m, int n, int k)
{
    double *sum = malloc(2 * sizeof *sum * (size_t)n);
    for (size_t i = 0; i < (size_t)m; i++) {
        memset(sum, 0, 2 * sizeof *sum * (size_t)n);
        for (size_t l = 0; l < (size_t)k; l++) {
            double re = (double)a[2 * (i * (size_t)k + l)],
                   im = (double)a[2 * (i * (size_t)k + l) + 1];
            const float *row = b + 2 * l * (size_t)n;
            for (size_t j = 0; j < (size_t)n; j++) {
                sum[2 * j] += re * (double)row[2 * j] - im * (double)row[2 * j + 1];
                sum[2 * j + 1] += re * (double)row[2 * j + 1] + im * (double)row[2 * j];
            }
        }
        for (size_t j = 0; j < 2 * (size_t)n; j++)
            c[2 * i * (size_t)n + j] = (float)sum[j];
    }
    free(sum);
}

static float *from_bf16(const uint16_t *bits, size_t count)
{
    float *v = malloc(sizeof *v * count);
    for (size_t i = 0; i < count; i++) {
        uint32_t word = (uint32_t)bits[i] << 16;
        memcpy(&v[i], &word, sizeof word);
    }
    return v;
}

void linbf_ref(const uint16_t *x, const uint16_t *w, float *y, int m, int n, int k)
{
    float *xs = from_bf16(x, (size_t)m * (size_t)k), *ws = from_bf16(w, (size_t)n * (size_t)k);
    nt_ref(xs, ws, y, m, n, k);
    free(xs);
    free(ws);
}

void widegemv_ref(const float *a, const float *x, float *y, int rows, int cols)
{
    for (size_t r = 0; r < (size_t)rows; r++) {
        double sum = 0;
        for (size_t c = 0; c < (size_t)cols; c++)
            sum += (double)a[r * (size_t)cols + c] * (double)x[c];
        y[r] = (float)sum;
    }
}

void ger_ref(float *a, const float *x, const float *y, int m, int n)
{
    for (size_t i = 0; i < (size_t)m; i++)
        for (size_t j = 0; j < (size_t)n; j++)
            a[i * (size_t)n + j] =
                (float)((double)a[i * (size_t)n + j] + (double)x[i] * (double)y[j]);
}

void q4gemv_ref(const uint32_t *packed, const float *scale, const float *x, float *y, int rows,
                int cols)
{
    size_t words = (size_t)cols / 8;
    for (size_t r = 0; r < (size_t)rows; r++) {
        double sum = 0;
        for (size_t i = 0; i < words; i++) {
            double part = 0;
            uint32_t w = packed[r * words + i];
            for (size_t j = 0; j < 8; j++)
                part += ((double)(w >> 4 * j & 15) - 8) * (double)x[8 * i + j];
            sum += part * (double)scale[(r * words + i) / 8];
        }
        y[r] = (float)sum;
    }
}
