// References of learning.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static float from_half(uint16_t bits)
{
    int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    float v =
        exponent ? ldexpf((float)(mantissa + 1024), exponent - 25) : ldexpf((float)mantissa, -24);
    return bits >> 15 ? -v : v;
}

static uint16_t to_half(float v)
{
    uint16_t sign = signbit(v) ? 0x8000 : 0;
    float size = fabsf(v);
    if (size < ldexpf(1, -14))
        return sign | (uint16_t)lrintf(ldexpf(size, 24));
    int exponent = ilogbf(size);
    return sign | (uint16_t)(((exponent + 14) << 10) + (int)lrintf(ldexpf(size, 10 - exponent)));
}

void resnorm_ref(const float *x, const float *skip, const float *gain, float *y, int rows, int cols)
{
    size_t width = (size_t)cols;
    for (size_t r = 0; r < (size_t)rows * width; r += width) {
        double sum = 0, squares = 0;
        for (size_t i = 0; i < width; i++)
            sum += (double)(x[r + i] + skip[r + i]);
        sum /= cols;
        for (size_t i = 0; i < width; i++) {
            double off = (double)(x[r + i] + skip[r + i]) - sum;
            squares += off * off;
        }
        double scale = 1 / sqrt(squares / cols + 1e-5);
        for (size_t i = 0; i < width; i++)
            y[r + i] = (float)(((double)(x[r + i] + skip[r + i]) - sum) * scale) * gain[i];
    }
}

void tempsoft_ref(const float *x, float *y, int rows, float temperature)
{
    for (size_t r = 0; r < (size_t)rows * 4096; r += 4096) {
        double sum = 0;
        for (size_t i = r; i < r + 4096; i++)
            sum += (double)(y[i] = expf(x[i] / temperature));
        for (size_t i = r; i < r + 4096; i++)
            y[i] = (float)((double)y[i] / sum);
    }
}

void gqa_ref(const float *q, const float *k, float *score, int keys)
{
    size_t n = (size_t)keys;
    memset(score, 0, 8 * n * sizeof *score);
    for (size_t h = 0; h < 8; h++)
        for (size_t d = 0; d < 64; d++)
            for (size_t i = 0; i < n; i++)
                score[h * n + i] += q[h * 64 + d] * 0.125f * k[d * n + i];
}

void trisoft_ref(const float *x, float *y, int size)
{
    size_t n = (size_t)size;
    memset(y, 0, n * n * sizeof *y);
    for (size_t r = 0; r < n; r++) {
        double sum = 0;
        for (size_t i = 0; i <= r; i++)
            sum += (double)(y[r * n + i] = expf(x[r * n + i]));
        for (size_t i = 0; i <= r; i++)
            y[r * n + i] = (float)((double)y[r * n + i] / sum);
    }
}

void geglu_ref(const float *gate, const float *up, float *y, int n)
{
    for (int i = 0; i < n; i++) {
        double g = (double)gate[i];
        y[i] = (float)(0.5 * g * (1 + tanh(0.7978845608 * (g + 0.044715 * g * g * g))) *
                       (double)up[i]);
    }
}

void gumbel_ref(const float *logit, const float *uniform, float *pick, int count)
{
    size_t n = (size_t)count;
    for (size_t i = 0; i < n; i++) {
        pick[i] = -1e30f;
        for (size_t k = i; k < 8 * n; k += n)
            pick[i] = fmaxf(pick[i], logit[k] - logf(-logf(uniform[k])));
    }
}

void sinpos_ref(const float *x, float *y, int tokens)
{
    for (size_t i = 0; i < 512; i++) {
        double frequency = pow(10000, (double)i / -512);
        for (size_t t = 0; t < (size_t)tokens; t++) {
            size_t at = t * 1024 + 2 * i;
            y[at] = x[at] + sinf((float)((double)t * frequency));
            y[at + 1] = x[at + 1] + cosf((float)((double)t * frequency));
        }
    }
}

void kldiv_ref(const float *a, const float *b, float *loss, int rows)
{
    for (size_t r = 0; r < (size_t)rows; r++) {
        double sum_a = 0, sum_b = 0, part = 0;
        for (size_t i = r * 2048; i < (r + 1) * 2048; i++) {
            double weight = (double)expf(a[i]);
            sum_a += weight;
            part += weight * (double)(a[i] - b[i]);
            sum_b += (double)expf(b[i]);
        }
        loss[r] = (float)(part / sum_a + log(sum_b / sum_a));
    }
}

void bceloss_ref(const float *logit, const float *label, float *loss, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum +=
            (double)(fmaxf(logit[i], 0) - logit[i] * label[i] + logf(1 + expf(-fabsf(logit[i]))));
    *loss = (float)sum;
}

void hinge_ref(const float *score, const int *label, float *loss, int n)
{
    for (int i = 0; i < n; i++) {
        float missing = fmaxf(1 - (label[i] ? score[i] : -score[i]), 0);
        loss[i] = missing * missing;
    }
}

static float sigmoid(float v)
{
    return 1 / (1 + expf(-v));
}

void lstmstep_ref(const float *gates, const float *cell, float *out, int count, int steps)
{
    size_t n = (size_t)count;
    for (size_t i = 0; i < n; i++) {
        float c = cell[i];
        for (size_t t = 0; t < (size_t)steps; t++) {
            const float *at = gates + t * 4 * n + i;
            c = sigmoid(at[0]) * c + sigmoid(at[n]) * tanhf(at[2 * n]);
            out[t * n + i] = sigmoid(at[3 * n]) * tanhf(c);
        }
    }
}

void lion16_ref(const uint16_t *g, const uint16_t *m, uint16_t *w, int n)
{
    for (int i = 0; i < n; i++) {
        float c = 0.1f * from_half(g[i]) + 0.9f * from_half(m[i]);
        w[i] = to_half(fminf(fmaxf(16 * c, -1), 1) * 0.1f);
    }
}

void ema16_ref(const uint16_t *x, uint16_t *y, int n)
{
    float quick = powf(0.875f, 64), slow = powf(0.9375f, 64);
    for (int i = 0; i < n; i++) {
        float v = from_half(x[i]);
        y[i] = to_half((v + (0.5f - v) * quick) * (v + (0.5f - v) * slow));
    }
}

void rsqrt16_ref(const uint16_t *x, uint16_t *y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = to_half(1 / sqrtf(from_half(x[i])));
}

void fourbit_ref(const uint32_t *code, const float *level, const float *scale, float *w, int n)
{
    for (int i = 0; i < n; i++)
        w[i] = level[code[i / 8] >> i % 8 * 4 & 15] * scale[i / 64];
}

void chshuffle_ref(const uint16_t *in, uint16_t *out, int images, int groups, int each, int size)
{
    size_t bytes = (size_t)size * sizeof *in;
    for (int i = 0; i < images; i++)
        for (int g = 0; g < groups; g++)
            for (int e = 0; e < each; e++)
                memcpy(out + (size_t)((i * each + e) * groups + g) * (size_t)size,
                       in + (size_t)((i * groups + g) * each + e) * (size_t)size, bytes);
}

void gap_ref(const float *x, float *y, int planes)
{
    for (size_t p = 0; p < (size_t)planes; p++) {
        double sum = 0;
        for (size_t i = 0; i < 49; i++)
            sum += (double)x[p * 49 + i];
        y[p] = (float)(sum / 49);
    }
}

void requant_ref(const int *x, int8_t *y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = (int8_t)lrintf((float)x[i] / 256);
}
