// References of learning.cu.
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

// What is too small for a normal number becomes zero.
static uint16_t to_half(float v)
{
    int e;
    float m = frexpf(fabsf(v), &e);
    if (m == 0 || e < -13)
        return v < 0 ? 0x8000 : 0;
    long r = lrintf(m * 2048);
    return (uint16_t)((v < 0 ? 0x8000 : 0) + ((e + 13) << 10) + (int)r);
}

static float from_bfloat(uint16_t h)
{
    uint32_t bits = (uint32_t)h << 16;
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static uint16_t to_bfloat(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

void tempmask_ref(const float *x, const int32_t *length, float *y, int rows)
{
    for (int r = 0; r < rows; r++, x += 192, y += 192) {
        float most = -1e30f;
        double sum = 0;
        for (int i = 0; i < length[r]; i++)
            most = fmaxf(most, x[i] * 1.5f);
        for (int i = 0; i < 192; i++)
            sum += y[i] = i < length[r] ? expf(x[i] * 1.5f - most) : 0;
        for (int i = 0; i < 192; i++)
            y[i] = (float)(y[i] / sum);
    }
}

void grpkept_ref(const float *x, float *y, int groups)
{
    for (int g = 0; g < groups; g++, x += 12544, y += 12544) {
        double sum = 0, squares = 0;
        for (int i = 0; i < 12544; i++) {
            sum += x[i];
            squares += (double)x[i] * x[i];
        }
        double mean = sum / 12544, scale = 1 / sqrt(squares / 12544 - mean * mean + 1e-5);
        for (int i = 0; i < 12544; i++)
            y[i] = (float)((x[i] - mean) * scale);
    }
}

void bnfew_ref(const float *x, float *stats, int channels, int images)
{
    for (int c = 0; c < channels; c++) {
        double sum = 0, squares = 0;
        for (int i = 0; i < images; i++)
            for (size_t k = 0; k < 4096; k++) {
                float v = x[((size_t)i * (size_t)channels + (size_t)c) * 4096 + k];
                sum += v;
                squares += (double)v * v;
            }
        stats[2 * c] = (float)sum;
        stats[2 * c + 1] = (float)squares;
    }
}

void dropmod_ref(uint8_t *keep, int n)
{
    for (int i = 0; i < n; i++) {
        uint32_t v = (uint32_t)i;
        v = (v ^ v >> 16) * 0x7feb352du;
        v = (v ^ v >> 15) * 0x846ca68bu;
        v ^= v >> 16;
        keep[i] = v % 1000 >= 250;
    }
}

void onequery_ref(const float *q, const float *K, const float *V, float *out, int heads, int n)
{
    for (int h = 0; h < heads; h++, q += 64, out += 64, K += (size_t)n * 64, V += (size_t)n * 64) {
        double sum = 0, all[64] = {0};
        for (size_t k = 0; k < (size_t)n; k++) {
            float score = 0;
            for (size_t c = 0; c < 64; c++)
                score += q[c] * K[k * 64 + c];
            float weight = expf(score / 8);
            sum += weight;
            for (size_t c = 0; c < 64; c++)
                all[c] += weight * V[k * 64 + c];
        }
        for (int c = 0; c < 64; c++)
            out[c] = (float)(all[c] / sum);
    }
}

void gludual_ref(const float *a, const float *b, float *y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = (float)(a[i] / (1 + exp(-b[i])));
}

void bfblend_ref(const uint16_t *x, uint16_t *y, int n)
{
    for (int i = 0; i < n; i++) {
        float v = from_bfloat(x[i]), p = 0.125f;
        for (int k = 0; k < 24; k++)
            p = from_bfloat(to_bfloat(p * v + (k % 2 ? 0.25f : -0.5f)));
        y[i] = to_bfloat(p * v);
    }
}

void embsum_ref(const float *table, const int32_t *index, float *out, int bags)
{
    memset(out, 0, (size_t)bags * 64 * sizeof *out);
    for (size_t b = 0; b < (size_t)bags; b++)
        for (size_t k = 0; k < 8; k++)
            for (size_t c = 0; c < 64; c++)
                out[b * 64 + c] += table[(size_t)index[b * 8 + k] * 64 + c];
}

void focal2_ref(const float *logit, const float *target, float *loss, int n)
{
    for (int i = 0; i < n; i++) {
        float p = 1 / (1 + expf(-logit[i])), t = target[i] > 0.5f ? p : 1 - p;
        loss[i] = -powf(1 - t, 1.75f) * logf(t);
    }
}

void toptwo_ref(const float *score, int32_t *expert, int tokens)
{
    for (int t = 0; t < tokens; t++)
        for (int k = 0; k < 2; k++) {
            int best = -1;
            for (int e = 0; e < 16; e++)
                if ((k == 0 || e != expert[t]) &&
                    (best < 0 || score[e * tokens + t] > score[best * tokens + t]))
                    best = e;
            expert[k * tokens + t] = best;
        }
}

void sgdmom_ref(const float *w, const float *grad, const float *before, float *speed, float *out,
                int n)
{
    for (int i = 0; i < n; i++) {
        speed[i] = 0.9f * before[i] + (grad[i] + 0.01f * w[i]);
        out[i] = w[i] - 0.1f * speed[i];
    }
}

void posenc_ref(const float *x, float *y, int positions)
{
    for (size_t p = 0; p < (size_t)positions; p++)
        for (size_t c = 0; c < 256; c++) {
            double angle = (double)p * pow(10000, -(double)(c / 2) / 128),
                   v = c % 2 ? cos(angle) : sin(angle);
            for (size_t b = 0; b < 16; b++) {
                size_t i = (b * (size_t)positions + p) * 256 + c;
                y[i] = (float)(x[i] + v);
            }
        }
}

void lrelu16_ref(const uint16_t *x, uint16_t *y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] & 0x8000 ? to_half(from_half(x[i]) * 0.125f) : x[i];
}

void tokmask_ref(const float *x, const int32_t *mask, float *y, int n)
{
    for (int i = 0; i < n; i++) {
        float s = x[i];
        for (int k = 0; k < 24 && mask[i] == 0; k++)
            s = s * 0.75f + 0.5f * sinf(s + x[i]);
        y[i] = s;
    }
}

void rowscl_ref(const float *x, const float *scale, float *y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] / scale[i / 64];
}

void scalegrad_ref(const float *x, const float *grad, float *sum, int rows)
{
    double s[256] = {0};
    for (size_t i = 0; i < (size_t)rows * 256; i++)
        s[i % 256] += x[i] * grad[i];
    for (int c = 0; c < 256; c++)
        sum[c] = (float)s[c];
}
