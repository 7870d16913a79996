// References of dense.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void sgemm_ref(int M, int N, int K, float alpha, const float *a, const float *b, float beta,
               float *c)
{
    float *row = malloc(sizeof *row * (size_t)N);
    for (int m = 0; m < M; m++) {
        memset(row, 0, sizeof *row * (size_t)N);
        for (int k = 0; k < K; k++)
            for (int n = 0; n < N; n++)
                row[n] +=
                    a[(size_t)m * (size_t)K + (size_t)k] * b[(size_t)k * (size_t)N + (size_t)n];
        for (int n = 0; n < N; n++) {
            float *at = &c[(size_t)m * (size_t)N + (size_t)n];
            *at = alpha * row[n] + beta * *at;
        }
    }
    free(row);
}

// C = A B' (+ bias), K numbers a row in both.
static void product(float *c, const float *a, const float *b, const float *bias, int M, int N,
                    int K)
{
    float *turned = malloc(sizeof *turned * (size_t)N * (size_t)K),
          *row = malloc(sizeof *row * (size_t)N);
    for (size_t n = 0; n < (size_t)N; n++)
        for (size_t k = 0; k < (size_t)K; k++)
            turned[k * (size_t)N + n] = b[n * (size_t)K + k];
    for (size_t m = 0; m < (size_t)M; m++) {
        memset(row, 0, sizeof *row * (size_t)N);
        for (size_t k = 0; k < (size_t)K; k++)
            for (size_t n = 0; n < (size_t)N; n++)
                row[n] += a[m * (size_t)K + k] * turned[k * (size_t)N + n];
        for (size_t n = 0; n < (size_t)N; n++)
            c[m * (size_t)N + n] = row[n] + (bias ? bias[n] : 0);
    }
    free(turned);
    free(row);
}

void linear_ref(float *y, const float *x, const float *w, const float *bias, int M, int N, int K)
{
    product(y, x, w, bias, M, N, K);
}

void tfgemm_ref(float *c, const float *a, const float *b, int M, int N, int K)
{
    product(c, a, b, NULL, M, N, K);
}

static float *widened(const uint16_t *from, size_t n)
{
    float *to = malloc(sizeof *to * n);
    for (size_t i = 0; i < n; i++) {
        uint32_t bits = (uint32_t)from[i] << 16;
        memcpy(&to[i], &bits, sizeof bits);
    }
    return to;
}

void hgemm_ref(float *c, const uint16_t *a, const uint16_t *b, int M, int N, int K)
{
    float *x = widened(a, (size_t)M * (size_t)K), *y = widened(b, (size_t)N * (size_t)K);
    product(c, x, y, NULL, M, N, K);
    free(x);
    free(y);
}

void gemvt_ref(float *y, const float *a, const float *x, int rows, int cols)
{
    double *sum = calloc((size_t)cols, sizeof *sum);
    for (size_t i = 0; i < (size_t)rows; i++)
        for (size_t j = 0; j < (size_t)cols; j++)
            sum[j] += (double)a[i * (size_t)cols + j] * x[i];
    for (int j = 0; j < cols; j++)
        y[j] = (float)sum[j];
    free(sum);
}

void int8_ref(int32_t *c, const int8_t *a, const int8_t *b, int M, int N, int K)
{
    for (size_t m = 0; m < (size_t)M; m++)
        for (size_t n = 0; n < (size_t)N; n++) {
            int32_t sum = 0;
            for (size_t k = 0; k < (size_t)K; k++)
                sum += a[m * (size_t)K + k] * b[n * (size_t)K + k];
            c[m * (size_t)N + n] = sum;
        }
}

void convlayer_ref(float *out, const float *in, const float *weight, int w, int h, int kinds)
{
    for (int k = 0; k < kinds; k++)
        for (int y = 0; y < h; y++) {
            float *row = out + ((size_t)k * (size_t)h + (size_t)y) * (size_t)w;
            memset(row, 0, sizeof *row * (size_t)w);
            for (int c = 0; c < 16; c++)
                for (int r = 0; r < 3; r++)
                    for (int s = 0; s < 3; s++) {
                        int yy = y + r - 1;
                        if (yy < 0 || yy >= h)
                            continue;
                        const float *from = in + ((size_t)c * (size_t)h + (size_t)yy) * (size_t)w;
                        float factor = weight[((k * 16 + c) * 3 + r) * 3 + s];
                        for (int x = s == 0; x < w - (s == 2); x++)
                            row[x] += factor * from[x + s - 1];
                    }
        }
}

void recurrent_ref(float *out, const float *x, const float *weight, int steps, int sequences)
{
    for (size_t i = 0; i < (size_t)sequences; i++) {
        float h[64] = {0}, next[64];
        for (size_t s = 0; s < (size_t)steps; s++) {
            size_t at = (i * (size_t)steps + s) * 64;
            for (size_t t = 0; t < 64; t++)
                next[t] = x[at + t];
            for (size_t k = 0; k < 64; k++)
                for (size_t t = 0; t < 64; t++)
                    next[t] += weight[k * 64 + t] * h[k];
            for (size_t t = 0; t < 64; t++)
                out[at + t] = h[t] = tanhf(next[t]);
        }
    }
}
