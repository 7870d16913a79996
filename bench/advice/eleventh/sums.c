// References of sums.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void sumgens_ref(const int *in, int *out, int chunks)
{
    for (size_t c = 0; c < (size_t)chunks; c++) {
        out[c] = 0;
        for (size_t i = 0; i < 512; i++)
            out[c] += in[c * 512 + i];
    }
}

void colmean_ref(const float *x, float *mean, int rows, int cols)
{
    double *sum = calloc((size_t)cols, sizeof *sum);
    for (size_t r = 0; r < (size_t)rows; r++)
        for (size_t c = 0; c < (size_t)cols; c++)
            sum[c] += (double)x[r * (size_t)cols + c];
    for (size_t c = 0; c < (size_t)cols; c++)
        mean[c] = (float)(sum[c] / rows);
    free(sum);
}

static int square_of(float v)
{
    int i = (int)floorf(v * 4.0f) + 16;
    return i < 0 ? 0 : i > 31 ? 31 : i;
}

void hist2d_ref(const float *points, uint32_t *bins, int n)
{
    memset(bins, 0, 1024 * sizeof *bins);
    for (size_t i = 0; i < (size_t)n; i++)
        bins[square_of(points[2 * i + 1]) * 32 + square_of(points[2 * i])]++;
}

void bytehist_ref(const uint8_t *text, uint32_t *bins, int n)
{
    memset(bins, 0, 256 * sizeof *bins);
    for (int i = 0; i < n; i++)
        bins[text[i]]++;
}

void lumhist_ref(const uint8_t *pixels, uint32_t *bins, int n)
{
    memset(bins, 0, 16 * sizeof *bins);
    for (size_t i = 0; i < (size_t)n; i++)
        bins[(77 * pixels[4 * i] + 150 * pixels[4 * i + 1] + 29 * pixels[4 * i + 2]) >> 12]++;
}

void rowmaxima_ref(const float *x, float *most, int rows, int cols)
{
    for (size_t r = 0; r < (size_t)rows; r++) {
        float m = 0;
        for (size_t c = 0; c < (size_t)cols; c++)
            m = x[r * (size_t)cols + c] > m ? x[r * (size_t)cols + c] : m;
        most[r] = m;
    }
}

void hillis_ref(const int *in, int *out, int chunks)
{
    for (size_t c = 0; c < (size_t)chunks; c++) {
        int sum = 0;
        for (size_t i = c * 1024; i < (c + 1) * 1024; i++)
            out[i] = sum += in[i];
    }
}

void movavg_ref(const float *x, float *y, int n)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < 16; k++)
            sum += (double)x[i + k];
        y[i] = (float)(sum / 16);
    }
}

void countabove_ref(const float *x, uint32_t *count, double threshold, int n)
{
    *count = 0;
    for (int i = 0; i < n; i++)
        *count += (double)x[i] > threshold;
}

void permcopy_ref(const int *from, const float *x, float *y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = x[from[i]];
}

void rowmeand_ref(const float *x, float *mean, int rows, int cols)
{
    for (size_t r = 0; r < (size_t)rows; r++) {
        double sum = 0;
        for (size_t c = 0; c < (size_t)cols; c++)
            sum += (double)x[r * (size_t)cols + c];
        mean[r] = (float)(sum / cols);
    }
}

void localhist_ref(const uint8_t *x, uint8_t *mode, int n)
{
    for (size_t i = 0; i < (size_t)n; i++) {
        int count[16] = {0}, best = 0;
        for (size_t k = 0; k < 64; k++)
            count[x[k * (size_t)n + i]]++;
        for (int b = 1; b < 16; b++)
            if (count[b] > count[best])
                best = b;
        mode[i] = (uint8_t)best;
    }
}

void heavy_ref(const float *value, const int *starts, float *total, int groups)
{
    for (int g = 0; g < groups; g++) {
        double sum = 0;
        for (int i = starts[g]; i < starts[g + 1]; i++)
            sum += sqrt((double)value[i]);
        total[g] = (float)sum;
    }
}
