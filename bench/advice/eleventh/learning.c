// References of learning.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Table of all halves: references convert millions.
static const float *halves(void)
{
    static float table[65536];
    if (table[1] == 0)
        for (unsigned h = 0; h < 65536; h++) {
            int e = (int)(h >> 10 & 31);
            float m = (float)(h & 1023), v = e ? ldexpf(m + 1024, e - 25) : ldexpf(m, -24);
            table[h] = h & 0x8000 ? -v : v;
        }
    return table;
}

// What is too small for a normal number goes to zero.
static uint16_t to_half(double v)
{
    uint32_t bits;
    float f = (float)v;
    memcpy(&bits, &f, sizeof bits);
    uint32_t sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
    if (rest < 113u << 23)
        return (uint16_t)sign;
    rest += 0xfff + (rest >> 13 & 1);
    return (uint16_t)(sign | ((rest >> 13) - (112u << 10)));
}

void rmsgens_ref(const float *x, const float *gain, float *y, int rows, int cols)
{
    for (size_t r = 0; r < (size_t)rows; r++) {
        const float *row = x + r * (size_t)cols;
        double sum = 0;
        for (int c = 0; c < cols; c++)
            sum += (double)row[c] * (double)row[c];
        double factor = 1 / sqrt(sum / cols + 1e-6);
        for (int c = 0; c < cols; c++)
            y[r * (size_t)cols + (size_t)c] = (float)((double)row[c] * factor * (double)gain[c]);
    }
}

void smallsoft_ref(const float *x, float *y, int rows, int cols)
{
    double *e = malloc(sizeof *e * (size_t)cols);
    for (size_t r = 0; r < (size_t)rows; r++) {
        const float *row = x + r * (size_t)cols;
        double sum = 0;
        for (int c = 0; c < cols; c++)
            sum += e[c] = exp((double)row[c]);
        for (int c = 0; c < cols; c++)
            y[r * (size_t)cols + (size_t)c] = (float)(e[c] / sum);
    }
    free(e);
}

void instnorm_ref(const float *x, float *y, int planes, int size)
{
    for (size_t p = 0; p < (size_t)planes; p++) {
        const float *plane = x + p * (size_t)size;
        double sum = 0, squares = 0;
        for (int i = 0; i < size; i++)
            sum += (double)plane[i];
        double mean = sum / size;
        for (int i = 0; i < size; i++)
            squares += ((double)plane[i] - mean) * ((double)plane[i] - mean);
        double factor = 1 / sqrt(squares / size + 1e-5);
        for (int i = 0; i < size; i++)
            y[p * (size_t)size + (size_t)i] = (float)(((double)plane[i] - mean) * factor);
    }
}

void silud_ref(const float *x, const float *gate, float *y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = (float)((double)x[i] * (double)gate[i] / (1 + exp(-(double)x[i])));
}

void mish16_ref(const uint16_t *x, uint16_t *y, int n)
{
    const float *value = halves();
    for (int i = 0; i < n; i++) {
        double v = (double)value[x[i]], e = exp(v), top = e * (e + 2);
        y[i] = to_half(v * top / (top + 2));
    }
}

void fastsig_ref(const float *x, float *y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = (float)(1 / (1 + exp(-(double)x[i])));
}

void smoothce_ref(const float *logits, const int *target, float *loss, int rows, int vocab)
{
    for (size_t r = 0; r < (size_t)rows; r++) {
        const float *x = logits + r * (size_t)vocab;
        double sum = 0, all = 0;
        for (int c = 0; c < vocab; c++) {
            sum += (double)expf(x[c]);
            all += (double)x[c];
        }
        loss[r] = (float)(log(sum) - 0.9 * (double)x[target[r]] - 0.1 / vocab * all);
    }
}

void embgrad_ref(const int *token, const float *grad, float *table, int n, int vocab)
{
    double *sum = calloc((size_t)vocab * 64, sizeof *sum);
    for (size_t i = 0; i < (size_t)n; i++)
        for (size_t c = 0; c < 64; c++)
            sum[(size_t)token[i] * 64 + c] += (double)grad[i * 64 + c];
    for (size_t i = 0; i < (size_t)vocab * 64; i++)
        table[i] = (float)sum[i];
    free(sum);
}

void flashdec_ref(const float *q, const float *k, const float *v, float *out, int heads, int keys)
{
    for (size_t h = 0; h < (size_t)heads; h++) {
        double sum = 0, acc[64] = {0};
        for (size_t j = 0; j < (size_t)keys; j++) {
            const float *key = k + (h * (size_t)keys + j) * 64,
                        *value = v + (h * (size_t)keys + j) * 64;
            double score = 0;
            for (int d = 0; d < 64; d++)
                score += (double)q[h * 64 + (size_t)d] * (double)key[d];
            double p = exp(score / 8);
            sum += p;
            for (int d = 0; d < 64; d++)
                acc[d] += p * (double)value[d];
        }
        for (int d = 0; d < 64; d++)
            out[h * 64 + (size_t)d] = (float)(acc[d] / sum);
    }
}

void winattn_ref(const float *q, const float *k, const float *v, float *out, int windows)
{
    for (size_t w = 0; w < (size_t)windows; w++) {
        size_t base = w * 2048;
        float turned[32][64];
        for (int j = 0; j < 64; j++)
            for (int d = 0; d < 32; d++)
                turned[d][j] = k[base + (size_t)(j * 32 + d)];
        for (int i = 0; i < 64; i++) {
            double p[64] = {0}, acc[32] = {0}, sum = 0;
            for (int d = 0; d < 32; d++)
                for (int j = 0; j < 64; j++)
                    p[j] += (double)q[base + (size_t)(i * 32 + d)] * (double)turned[d][j];
            for (int j = 0; j < 64; j++)
                sum += p[j] = exp(p[j] / sqrt(32.0));
            for (int j = 0; j < 64; j++)
                for (int d = 0; d < 32; d++)
                    acc[d] += p[j] * (double)v[base + (size_t)(j * 32 + d)];
            for (int d = 0; d < 32; d++)
                out[base + (size_t)(i * 32 + d)] = (float)(acc[d] / sum);
        }
    }
}

void moegather_ref(const uint16_t *x, const int *from, const float *weight, uint16_t *y, int n,
                   int hidden)
{
    const float *value = halves();
    for (size_t t = 0; t < (size_t)n; t++)
        for (size_t c = 0; c < (size_t)hidden; c++)
            y[t * (size_t)hidden + c] =
                to_half((double)value[x[(size_t)from[t] * (size_t)hidden + c]] * (double)weight[t]);
}

void adagrad_ref(float *w, const float *grad, float *acc, double rate, double decay, int n)
{
    for (int i = 0; i < n; i++) {
        double g = (double)grad[i] + decay * (double)w[i], a = (double)acc[i] + g * g;
        acc[i] = (float)a;
        w[i] = (float)((double)w[i] - rate * g / (sqrt(a) + 1e-10));
    }
}

void pixshuffle_ref(const uint16_t *in, uint16_t *out, int images, int channels, int h, int w)
{
    size_t at = 0;
    for (size_t c = 0; c < (size_t)(images * channels); c++)
        for (size_t y = 0; y < 2 * (size_t)h; y++)
            for (size_t x = 0; x < 2 * (size_t)w; x++)
                out[at++] =
                    in[((c * 4 + y % 2 * 2 + x % 2) * (size_t)h + y / 2) * (size_t)w + x / 2];
}

void pqhalf_ref(const uint16_t *x, const uint16_t *code, uint16_t *out, int n)
{
    const float *value = halves();
    for (size_t i = 0; i < (size_t)n; i++) {
        float v[8], best = 1000;
        for (size_t d = 0; d < 8; d++)
            v[d] = value[x[d * (size_t)n + i]];
        for (size_t c = 0; c < 16; c++) {
            float sum = 0;
            for (size_t d = 0; d < 8; d++) {
                float off = v[d] - value[code[c * 8 + d]];
                sum += off * off;
            }
            best = sum < best ? sum : best;
        }
        out[i] = to_half((double)best);
    }
}

void hdamp_ref(const uint16_t *start, uint16_t *end, int n, int steps)
{
    const float *value = halves();
    for (int i = 0; i < n; i++) {
        float x = value[start[i]], v = 0;
        for (int s = 0; s < steps; s++) {
            v = -0.0625f * x + 0.9375f * v;
            x += v;
        }
        end[i] = to_half((double)x);
    }
}
