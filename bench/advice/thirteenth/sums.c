// References of sums.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void asum_ref(const float *x, float *total, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += fabsf(x[i]);
    *total = (float)sum;
}

void norm256_ref(const float *x, float *norm, int rows)
{
    for (size_t r = 0; r < (size_t)rows; r++) {
        double sum = 0;
        for (size_t i = r * 256; i < r * 256 + 256; i++)
            sum += (double)x[i] * x[i];
        norm[r] = (float)sqrt(sum);
    }
}

void dotfew_ref(const float *x, const float *y, float *total, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (double)x[i] * y[i];
    *total = (float)sum;
}

void binw_ref(const float *weight, const uint8_t *kind, float *total, int n)
{
    double sum[16] = {0};
    for (int i = 0; i < n; i++)
        sum[kind[i]] += weight[i];
    for (int k = 0; k < 16; k++)
        total[k] = (float)sum[k];
}

void hist32_ref(const int32_t *key, int32_t *count, int n)
{
    memset(count, 0, 32 * sizeof *count);
    for (int i = 0; i < n; i++)
        count[key[i]]++;
}

void flagbits_ref(const float *x, uint32_t *bits, float limit, int n)
{
    memset(bits, 0, (size_t)n / 8);
    for (int i = 0; i < n; i++)
        bits[i / 32] |= (uint32_t)(x[i] > limit) << (i % 32);
}

void colmeans_ref(const float *x, float *mean, int rows, int cols)
{
    double *sum = calloc((size_t)cols, sizeof *sum);
    for (size_t r = 0; r < (size_t)rows; r++)
        for (size_t c = 0; c < (size_t)cols; c++)
            sum[c] += x[r * (size_t)cols + c];
    for (int c = 0; c < cols; c++)
        mean[c] = (float)(sum[c] / rows);
    free(sum);
}

void scanlaunch_ref(int32_t *out, const int32_t *in, int n)
{
    int32_t sum = 0;
    for (int i = 0; i < n; i++)
        out[i] = sum += in[i];
}

void hist1k_ref(const uint16_t *key, int32_t *count, int n)
{
    memset(count, 0, 1024 * sizeof *count);
    for (int i = 0; i < n; i++)
        count[key[i]]++;
}

// Positive floats are ordered as their bits are.
void maxparts_ref(const float *x, int32_t *most, int rows)
{
    for (size_t r = 0; r < (size_t)rows; r++) {
        float m = 0;
        for (size_t i = 0; i < 8192; i++)
            m = fmaxf(m, x[r * 8192 + i]);
        memcpy(&most[r], &m, sizeof m);
    }
}

void varcols_ref(const float *x, float *var, int rows, int cols)
{
    for (size_t c = 0; c < (size_t)cols; c++) {
        double sum = 0, squares = 0;
        for (size_t r = 0; r < (size_t)rows; r++) {
            sum += x[r * (size_t)cols + c];
            squares += (double)x[r * (size_t)cols + c] * x[r * (size_t)cols + c];
        }
        var[c] = (float)((squares - sum * sum / rows) / rows);
    }
}

void chainrows_ref(const float *x, float *out, int n)
{
    memset(out, 0, sizeof *out * (size_t)n);
    for (size_t r = 0; r < 64; r++)
        for (size_t c = 0; c < (size_t)n; c++)
            out[c] += x[r * (size_t)n + c];
}
