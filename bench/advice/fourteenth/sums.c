// References of sums.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static float from_half(uint16_t h)
{
    int e = h >> 10 & 31;
    float m = (float)(h & 1023), v = e ? ldexpf(m + 1024, e - 25) : ldexpf(m, -24);
    return h & 0x8000 ? -v : v;
}

// To the nearest half; what is below its normal numbers becomes zero.
static uint16_t to_half(float v)
{
    int e;
    float m = frexpf(fabsf(v), &e);
    if (m == 0 || e < -13)
        return v < 0 ? 0x8000 : 0;
    long r = lrintf(m * 2048);
    return (uint16_t)((v < 0 ? 0x8000 : 0) + ((e + 13) << 10) + (int)r);
}

void cubes_ref(const float *in, float *sum, int n)
{
    double total = 0;
    for (int i = 0; i < n; i++)
        total += (double)in[i] * in[i] * in[i];
    *sum = (float)total;
}

void extent2_ref(const int32_t *in, int32_t *extent, int n)
{
    extent[0] = extent[1] = in[0];
    for (int i = 1; i < n; i++) {
        extent[0] = in[i] < extent[0] ? in[i] : extent[0];
        extent[1] = in[i] > extent[1] ? in[i] : extent[1];
    }
}

void geomean_ref(const uint8_t *in, float *out, int n)
{
    for (size_t i = 0; i < (size_t)n; i++) {
        double product = 1;
        for (size_t k = 0; k < 32; k++)
            product *= in[k * (size_t)n + i] + 1.0;
        out[i] = (float)exp(log(product) / 32);
    }
}

void colnorms_ref(const float *in, float *out, int rows, int cols)
{
    double *sums = calloc((size_t)cols, sizeof *sums);
    for (size_t r = 0; r < (size_t)rows; r++)
        for (size_t c = 0; c < (size_t)cols; c++)
            sums[c] += (double)in[r * (size_t)cols + c] * in[r * (size_t)cols + c];
    for (int c = 0; c < cols; c++)
        out[c] = (float)sums[c];
    free(sums);
}

void movsum_ref(const float *in, float *out, int n)
{
    double sum = 0;
    for (int i = 0; i < 63; i++)
        sum += in[i];
    for (int i = 0; i < n; i++) {
        sum += in[i + 63];
        out[i] = (float)sum;
        sum -= in[i];
    }
}

void exsum_ref(const int32_t *in, int32_t *out, int chunks)
{
    for (size_t c = 0; c < (size_t)chunks; c++) {
        int32_t sum = 0;
        for (size_t i = 512 * c; i < 512 * c + 512; i++) {
            out[i] = sum;
            sum += in[i];
        }
    }
}

void hist8_ref(const uint8_t *in, uint32_t *bins, int n)
{
    memset(bins, 0, 8 * sizeof *bins);
    for (int i = 0; i < n; i++)
        bins[in[i] & 7]++;
}

void hist2k_ref(const uint32_t *in, uint32_t *bins, int n)
{
    memset(bins, 0, 2048 * sizeof *bins);
    for (int i = 0; i < n; i++)
        bins[in[i]]++;
}

void modekeys_ref(const int32_t *key, const float *value, float *sum, int n, int keys)
{
    double *sums = calloc((size_t)keys, sizeof *sums);
    for (int i = 0; i < n; i++)
        sums[key[i]] += value[i];
    for (int k = 0; k < keys; k++)
        sum[k] = (float)sums[k];
    free(sums);
}

void harmean_ref(const uint8_t *in, float *out, int n)
{
    for (size_t i = 0; i < (size_t)n; i++) {
        double sum = 0;
        for (size_t k = 0; k < 48; k++)
            sum += 1 / (in[k * (size_t)n + i] + 1.0);
        out[i] = (float)(48 / sum);
    }
}

void halfvar_ref(const uint16_t *in, uint16_t *out, int n)
{
    float *least = malloc(2 * (size_t)n * sizeof *least), *most = least + n;
    for (size_t i = 0; i < (size_t)n; i++)
        least[i] = most[i] = from_half(in[i]);
    for (size_t k = 1; k < 24; k++)
        for (size_t i = 0; i < (size_t)n; i++) {
            float v = from_half(in[k * (size_t)n + i]);
            least[i] = fminf(least[i], v);
            most[i] = fmaxf(most[i], v);
        }
    for (size_t i = 0; i < (size_t)n; i++)
        out[i] = to_half(most[i] - least[i]);
    free(least);
}

void tiledot_ref(const float *a, const float *b, float *out, int rows, int cols)
{
    for (size_t r = 0; r < (size_t)rows; r++) {
        double sum = 0;
        for (size_t i = r * (size_t)cols; i < (r + 1) * (size_t)cols; i++)
            sum += (double)a[i] * b[i];
        out[r] = (float)sum;
    }
}

void firstover_ref(const float *in, int32_t *first, float threshold, int rows)
{
    for (size_t r = 0; r < (size_t)rows; r++) {
        int i = 0;
        while (i < 512 && in[512 * r + (size_t)i] <= threshold)
            i++;
        first[r] = i;
    }
}

void slowsum_ref(const float *a, const float *b, float *sum, int n)
{
    double total = 0;
    for (int i = 0; i < n; i++)
        total += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
    *sum = (float)total;
}

void eitherof_ref(const float *a, const float *b, float *out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = a[i] < 0 ? expf(a[i]) * b[i] + a[i] : 1 / sqrtf(a[i] + b[i]) - a[i] * b[i];
}

void oddcount_ref(const int32_t *in, int32_t *count, int n)
{
    int32_t sum = 0;
    for (int i = 0; i < n; i++)
        sum += in[i] & 1;
    *count = sum;
}
