// References of sums.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void absmax_ref(const float *x, float *most, int n)
{
    *most = 0;
    for (int i = 0; i < n; i++)
        *most = fmaxf(*most, fabsf(x[i]));
}

void welford_ref(const float *x, float *mean, float *var, int rows, int cols)
{
    size_t width = (size_t)cols;
    double *sum = calloc(2 * width, sizeof *sum), *squares = sum + width;
    for (size_t r = 0; r < (size_t)rows; r++)
        for (size_t c = 0; c < width; c++) {
            double v = (double)x[r * width + c];
            sum[c] += v;
            squares[c] += v * v;
        }
    for (size_t c = 0; c < width; c++) {
        double m = sum[c] / rows;
        mean[c] = (float)m;
        var[c] = (float)(squares[c] / rows - m * m);
    }
    free(sum);
}

void runmax_ref(const float *x, float *y, int chunks)
{
    for (size_t i = 0; i < 512 * (size_t)chunks; i++)
        y[i] = i % 512 ? fmaxf(y[i - 1], x[i]) : x[i];
}

void cumrows_ref(const int *x, int *y, int rows)
{
    for (size_t i = 0; i < 128 * (size_t)rows; i++)
        y[i] = i % 128 ? y[i - 1] + x[i] : x[i];
}

void hist12_ref(const uint32_t *x, uint32_t *bins, int n)
{
    memset(bins, 0, 4096 * sizeof *bins);
    for (int i = 0; i < n; i++)
        bins[x[i]]++;
}

void fewbins_ref(const uint8_t *x, uint32_t *bins, int n)
{
    memset(bins, 0, 8 * sizeof *bins);
    for (int i = 0; i < n; i++)
        bins[x[i]]++;
}

void groupby_ref(const int *key, const int *value, int *total, int n, int keys)
{
    memset(total, 0, (size_t)keys * sizeof *total);
    for (int i = 0; i < n; i++)
        total[key[i]] += value[i];
}

void colmax_ref(const float *x, float *most, int rows)
{
    memset(most, 0, 512 * sizeof *most);
    for (size_t i = 0; i < 512 * (size_t)rows; i++)
        most[i % 512] = fmaxf(most[i % 512], x[i]);
}

void adjdiff_ref(const float *x, float *y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i + 1] - x[i];
}

void flagcount_ref(const uint8_t *flag, int *count, int n)
{
    memset(count, 0, (size_t)n / 4096 * sizeof *count);
    for (int i = 0; i < n; i++)
        count[i / 4096] += flag[i];
}

void cdfseek_ref(const float *x, const float *border, int *bin, int n)
{
    for (int i = 0; i < n; i++) {
        int low = 0, high = 128;
        while (low < high) {
            int middle = (low + high) / 2;
            if (border[middle] <= x[i])
                low = middle + 1;
            else
                high = middle;
        }
        bin[i] = low;
    }
}

void maxlong_ref(const float *x, float *most, int rows)
{
    for (size_t r = 0; r < (size_t)rows; r++) {
        most[r] = x[r * 65536];
        for (size_t i = 1; i < 65536; i++)
            most[r] = fmaxf(most[r], x[r * 65536 + i]);
    }
}

void blockdot_ref(const float *a, const float *b, float *dot, int n)
{
    for (int i = 0; i < n; i += 256) {
        double sum = 0;
        for (int k = i; k < i + 256; k++)
            sum += (double)(a[k] * b[k]);
        dot[i / 256] = (float)sum;
    }
}
