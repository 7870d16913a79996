// References of sums.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void chunknorm_ref(const float *in, float *out, int chunks)
{
    for (size_t c = 0; c < (size_t)chunks; c++) {
        double sum = 0;
        for (size_t i = 0; i < 256; i++)
            sum += fabsf(in[c * 256 + i]);
        out[c] = (float)sum;
    }
}

void l1norm_ref(const float *x, float *result, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += fabsf(x[i]);
    *result = (float)sum;
}

void argmaxrow_ref(const float *logits, int32_t *token, int rows, int vocab)
{
    for (int r = 0; r < rows; r++) {
        const float *x = logits + (size_t)r * (size_t)vocab;
        int best = 0;
        for (int i = 1; i < vocab; i++)
            if (x[i] > x[best])
                best = i;
        token[r] = best;
    }
}

void dotdouble_ref(const float *x, const float *y, float *out, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (double)x[i] * y[i];
    *out = (float)sum;
}

void bins64_ref(const uint8_t *data, uint32_t *bins, int n)
{
    memset(bins, 0, 64 * sizeof *bins);
    for (int i = 0; i < n; i++)
        bins[data[i]]++;
}

void bins16_ref(const uint32_t *keys, uint32_t *counts, int blocks)
{
    memset(counts, 0, 16 * sizeof *counts * (size_t)blocks);
    for (size_t b = 0; b < (size_t)blocks; b++)
        for (size_t i = 0; i < 4096; i++)
            for (int d = 0; d < 32; d += 4)
                counts[b * 16 + (keys[b * 4096 + i] >> d & 15)]++;
}

void blelloch_ref(const int32_t *in, int32_t *out, int blocks)
{
    for (size_t b = 0; b < (size_t)blocks; b++) {
        int32_t sum = 0;
        for (size_t i = b * 512; i < b * 512 + 512; i++) {
            out[i] = sum;
            sum += in[i];
        }
    }
}

void segsum_ref(const float *values, const int32_t *offsets, float *sums, int segments)
{
    for (int s = 0; s < segments; s++) {
        double sum = 0;
        for (int i = offsets[s]; i < offsets[s + 1]; i++)
            sum += values[i];
        sums[s] = (float)sum;
    }
}

void rowtopk_ref(const float *scores, float *top, int candidates, int n)
{
    for (size_t i = 0; i < (size_t)n; i++) {
        float best[8];
        for (int j = 0; j < 8; j++)
            best[j] = -1e30f;
        for (size_t c = 0; c < (size_t)candidates; c++) {
            float v = scores[c * (size_t)n + i];
            for (int j = 0; j < 8; j++)
                if (v > best[j]) {
                    float less = best[j];
                    best[j] = v;
                    v = less;
                }
        }
        for (size_t j = 0; j < 8; j++)
            top[j * (size_t)n + i] = best[j];
    }
}

void standard_ref(const float *x, float *out, int rows)
{
    for (size_t r = 0; r < (size_t)rows; r++) {
        double sum = 0, squares = 0;
        for (size_t c = 0; c < 1024; c++)
            sum += x[r * 1024 + c];
        double mean = sum / 1024;
        for (size_t c = 0; c < 1024; c++)
            squares += (x[r * 1024 + c] - mean) * (x[r * 1024 + c] - mean);
        for (size_t c = 0; c < 1024; c++)
            out[r * 1024 + c] = (float)((x[r * 1024 + c] - mean) / sqrt(squares / 1024));
    }
}

void kahan_ref(const float *samples, const float *centre, float *out, int n, int centres)
{
    for (int c = 0; c < centres; c++) {
        double sum = 0;
        for (int i = 0; i < n; i++)
            sum += ((double)samples[i] - centre[c]) * ((double)samples[i] - centre[c]);
        out[c] = (float)sum;
    }
}

void lpnorm_ref(const float *x, float *out, float p, int rows, int cols)
{
    for (int r = 0; r < rows; r++) {
        double sum = 0;
        for (int c = 0; c < cols; c++)
            sum += powf(fabsf(x[(size_t)r * (size_t)cols + (size_t)c]), p);
        out[r] = (float)sum;
    }
}

void bytesum_ref(const uint8_t *image, uint32_t *brightness, int rows, int width)
{
    for (int r = 0; r < rows; r++) {
        brightness[r] = 0;
        for (int x = 0; x < width; x++)
            brightness[r] += image[(size_t)r * (size_t)width + (size_t)x];
    }
}

void longrow_ref(const float *in, float *out, int rows)
{
    for (int r = 0; r < rows; r++) {
        double sum = 0;
        for (size_t c = 0; c < 65536; c++)
            sum += in[(size_t)r * 65536 + c];
        out[r] = (float)sum;
    }
}

void cosine_ref(const float *a, const float *b, float *out, int rows, int dim)
{
    for (size_t r = 0; r < (size_t)rows; r++) {
        const float *x = a + r * (size_t)dim, *y = b + r * (size_t)dim;
        double dot = 0, xx = 0, yy = 0;
        for (int i = 0; i < dim; i++) {
            dot += (double)x[i] * y[i];
            xx += (double)x[i] * x[i];
            yy += (double)y[i] * y[i];
        }
        out[r] = (float)(dot / sqrt(xx * yy));
    }
}

void classloss_ref(const float *loss, const int32_t *label, float *total, int n)
{
    double sum[8] = {0};
    for (int i = 0; i < n; i++)
        sum[label[i]] += loss[i];
    for (int c = 0; c < 8; c++)
        total[c] = (float)sum[c];
}
