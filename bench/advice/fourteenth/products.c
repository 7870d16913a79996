// References of products.cu.
// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void gemm_ref(const float *a, const float *b, float *c, int m, int n, int k)
{
    double *row = malloc(sizeof *row * (size_t)n);
    for (size_t i = 0; i < (size_t)m; i++) {
        memset(row, 0, sizeof *row * (size_t)n);
        for (size_t l = 0; l < (size_t)k; l++)
            for (size_t j = 0; j < (size_t)n; j++)
                row[j] += (double)a[i * (size_t)k + l] * b[l * (size_t)n + j];
        for (size_t j = 0; j < (size_t)n; j++)
            c[i * (size_t)n + j] = (float)row[j];
    }
    free(row);
}

static float widened(uint16_t v)
{
    uint32_t bits = (uint32_t)v << 16;
    float out;
    memcpy(&out, &bits, sizeof out);
    return out;
}

void bfnt_ref(const uint16_t *a, const uint16_t *b, float *c, int m, int n, int k)
{
    for (size_t i = 0; i < (size_t)m; i++)
        for (size_t j = 0; j < (size_t)n; j++) {
            float sum = 0;
            for (size_t l = 0; l < (size_t)k; l++)
                sum += widened(a[i * (size_t)k + l]) * widened(b[j * (size_t)k + l]);
            c[i * (size_t)n + j] = sum;
        }
}

void i8dp_ref(const int8_t *a, const int8_t *b, int32_t *c, int m, int n, int k)
{
    for (size_t i = 0; i < (size_t)m; i++)
        for (size_t j = 0; j < (size_t)n; j++) {
            int32_t sum = 0;
            for (size_t l = 0; l < (size_t)k; l++)
                sum += a[i * (size_t)k + l] * b[j * (size_t)k + l];
            c[i * (size_t)n + j] = sum;
        }
}

void paircorr_ref(const float *x, float *c, int signals, int samples)
{
    size_t n = (size_t)samples;
    for (size_t i = 0; i < (size_t)signals; i++)
        for (size_t j = 0; j < (size_t)signals; j++) {
            double sum = 0;
            for (size_t t = 0; t < n; t++)
                sum += (double)x[i * n + t] * x[j * n + t];
            c[i * (size_t)signals + j] = (float)(sum / samples);
        }
}

void codebook_ref(const uint8_t *code, const float *table, const float *x, float *y, int rows,
                  int cols)
{
    for (size_t r = 0; r < (size_t)rows; r++) {
        double sum = 0;
        for (size_t c = 0; c < (size_t)cols; c++)
            sum += (double)table[code[c * (size_t)rows + r]] * x[c];
        y[r] = (float)sum;
    }
}

void jones_ref(const float *a, const float *b, float *c, int n)
{
    for (size_t m = 0; m < (size_t)n; m++)
        for (size_t i = 0; i < 2; i++)
            for (size_t j = 0; j < 2; j++) {
                double re = 0, im = 0;
                for (size_t k = 0; k < 2; k++) {
                    const float *p = a + 8 * m + 4 * i + 2 * k, *q = b + 8 * m + 4 * k + 2 * j;
                    re += (double)p[0] * q[0] - (double)p[1] * q[1];
                    im += (double)p[0] * q[1] + (double)p[1] * q[0];
                }
                c[8 * m + 4 * i + 2 * j] = (float)re;
                c[8 * m + 4 * i + 2 * j + 1] = (float)im;
            }
}

void hornermod_ref(const uint32_t *coefficient, const uint32_t *at, uint32_t *value, int n)
{
    for (int i = 0; i < n; i++) {
        uint64_t v = 0;
        for (int t = 1023; t >= 0; t--)
            v = (v * at[i] + coefficient[t]) % 0x7fffffff;
        value[i] = (uint32_t)v;
    }
}

void twovec_ref(const float *a, const float *x, const float *z, float *y, float *w, int rows,
                int cols)
{
    for (size_t r = 0; r < (size_t)rows; r++) {
        double sum = 0, other = 0;
        for (size_t c = 0; c < (size_t)cols; c++) {
            sum += (double)a[r * (size_t)cols + c] * x[c];
            other += (double)a[r * (size_t)cols + c] * z[c];
        }
        y[r] = (float)sum;
        w[r] = (float)other;
    }
}

void colvec_ref(const float *a, const float *x, float *y, int rows, int cols)
{
    double *sums = calloc((size_t)cols, sizeof *sums);
    for (size_t r = 0; r < (size_t)rows; r++)
        for (size_t c = 0; c < (size_t)cols; c++)
            sums[c] += (double)a[r * (size_t)cols + c] * x[r];
    for (int c = 0; c < cols; c++)
        y[c] = (float)sums[c];
    free(sums);
}

void dilconv_ref(const float *in, const float *weight, float *out, int w, int h)
{
    size_t wide = (size_t)w, high = (size_t)h;
    for (size_t y = 2; y < high - 2; y++)
        for (size_t x = 2; x < wide - 2; x++) {
            float sum[8] = {0};
            for (size_t c = 0; c < 8; c++)
                for (size_t k = 0; k < 9; k++) {
                    float v = in[(c * high + y + k / 3 * 2 - 2) * wide + x + k % 3 * 2 - 2];
                    for (size_t o = 0; o < 8; o++)
                        sum[o] += weight[(c * 9 + k) * 8 + o] * v;
                }
            for (size_t o = 0; o < 8; o++)
                out[(o * high + y) * wide + x] = sum[o];
        }
}

void outersh_ref(const float *a, const float *b, const float *in, float *out, int rows, int quads)
{
    size_t cols = 4 * (size_t)quads;
    for (size_t r = 0; r < (size_t)rows; r++)
        for (size_t c = 0; c < cols; c++)
            out[r * cols + c] = in[r * cols + c] + a[r] * b[c];
}
