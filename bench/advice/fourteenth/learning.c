// References of learning.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static float widened(uint16_t v)
{
    uint32_t bits = (uint32_t)v << 16;
    float out;
    memcpy(&out, &bits, sizeof out);
    return out;
}

static uint16_t narrowed(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

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

void colsoft_ref(const float *in, float *out, int pixels)
{
    size_t n = (size_t)pixels;
    for (size_t p = 0; p < n; p++) {
        float most = in[p];
        double sum = 0;
        for (size_t c = 1; c < 64; c++)
            most = fmaxf(most, in[c * n + p]);
        for (size_t c = 0; c < 64; c++)
            sum += out[c * n + p] = expf(in[c * n + p] - most);
        for (size_t c = 0; c < 64; c++)
            out[c * n + p] = (float)(out[c * n + p] / sum);
    }
}

void sinksoft_ref(const float *in, const float *sink, float *out, int rows, int cols)
{
    for (size_t r = 0; r < (size_t)rows; r++) {
        const float *x = in + r * (size_t)cols;
        float most = sink[r % 16];
        for (int c = 0; c < cols; c++)
            most = fmaxf(most, x[c]);
        double sum = expf(sink[r % 16] - most);
        for (int c = 0; c < cols; c++)
            sum += expf(x[c] - most);
        for (int c = 0; c < cols; c++)
            out[r * (size_t)cols + (size_t)c] = (float)(expf(x[c] - most) / sum);
    }
}

void lnkept_ref(const float *in, const float *gain, const float *shift, float *out, int rows)
{
    for (size_t r = 0; r < (size_t)rows; r++) {
        const float *x = in + 1536 * r;
        double sum = 0, squares = 0;
        for (size_t c = 0; c < 1536; c++)
            sum += x[c];
        for (size_t c = 0; c < 1536; c++)
            squares += (x[c] - sum / 1536) * (x[c] - sum / 1536);
        double scale = 1 / sqrt(squares / 1536 + 1e-5);
        for (size_t c = 0; c < 1536; c++)
            out[1536 * r + c] = (float)((x[c] - sum / 1536) * scale * gain[c] + shift[c]);
    }
}

void alibi_ref(const float *score, const float *slopes, float *out, int heads, int seq, int rows)
{
    (void)slopes;
    for (int h = 0; h < heads; h++)
        for (int r = 0; r < rows; r++)
            for (int k = 0; k < seq; k++) {
                size_t at = ((size_t)h * (size_t)rows + (size_t)r) * (size_t)seq + (size_t)k;
                out[at] = tanhf(score[at] -
                                exp2f(-8.0f * (float)(h + 1) / (float)heads) * (float)abs(r - k));
            }
}

void triplet_ref(const float *a, const float *p, const float *n, float *loss, int rows)
{
    for (size_t r = 0; r < (size_t)rows; r++) {
        double near = 0, far = 0;
        for (size_t i = 96 * r; i < 96 * r + 96; i++) {
            near += (double)(a[i] - p[i]) * (a[i] - p[i]);
            far += (double)(a[i] - n[i]) * (a[i] - n[i]);
        }
        loss[r] = (float)fmax(0, sqrt(near) - sqrt(far) + 1);
    }
}

void contrast_ref(const float *text, const float *picture, float *out, int n)
{
    size_t items = (size_t)n;
    float *rows = malloc(2 * 16 * items * sizeof *rows), *other = rows + 16 * items;
    for (size_t i = 0; i < items; i++)
        for (size_t d = 0; d < 16; d++) {
            rows[16 * i + d] = text[d * items + i];
            other[16 * i + d] = picture[d * items + i];
        }
    for (size_t i = 0; i < items; i++) {
        double sum = 0;
        for (size_t j = 0; j < items; j++) {
            float score = 0;
            for (size_t d = 0; d < 16; d++)
                score += rows[16 * i + d] * other[16 * j + d];
            sum += expf(score);
        }
        out[i] = (float)sum;
    }
    free(rows);
}

void hardswish_ref(const uint16_t *in, uint16_t *out, int n)
{
    for (int i = 0; i < n; i++) {
        float v = from_half(in[i]);
        for (int k = 0; k < 3; k++)
            v = v / 6 * fminf(fmaxf(v + 3, 0), 6);
        out[i] = to_half(v);
    }
}

void elud_ref(const float *in, float *out, int n)
{
    for (int i = 0; i < n; i++) {
        double v = in[i];
        for (int k = 0; k < 3; k++)
            v = (v > 0 ? v : 1.3 * expm1(v)) - 0.3;
        out[i] = (float)v;
    }
}

void selu_ref(const float *in, float *out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = (float)(1.0507 * (in[i] > 0 ? in[i] : 1.67326 * expm1(in[i])));
}

void snake_ref(const float *in, float *out, int n)
{
    for (int i = 0; i < n; i++) {
        double v = in[i], sum = v;
        for (int k = 1; k <= 6; k++)
            sum += sin(k * v) * sin(k * v) / (k + v * v);
        out[i] = (float)sum;
    }
}

void rrelu_ref(const float *in, float *out, int n)
{
    uint32_t s = 0;
    for (int i = 0; i < n; i++) {
        if (i % 4 == 0) {
            s = (uint32_t)(i / 4) * 2654435761u + 12345u;
            for (int k = 0; k < 24; k++) {
                s ^= s << 13;
                s ^= s >> 17;
                s ^= s << 5;
            }
        } else {
            s = s * 1664525u + 1013904223u;
        }
        float slope = 0.125f + (float)(s >> 8) * (1.0f / 83886080.0f);
        out[i] = in[i] >= 0 ? in[i] : in[i] * slope;
    }
}

void adamax_ref(float *w, float *m, float *u, const float *grad, float rate, float first,
                float second, int n)
{
    for (int i = 0; i < n; i++) {
        m[i] = first * m[i] + (1 - first) * grad[i];
        u[i] = fmaxf(second * u[i], fabsf(grad[i]) + 1e-7f);
        w[i] -= rate * m[i] / u[i];
    }
}

void clipsum_ref(const float *grad, float *norm, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (double)grad[i] * grad[i];
    *norm = (float)sum;
}

void w2bits_ref(const uint8_t *weight, const float *x, float *y, int rows, int bytes)
{
    for (size_t r = 0; r < (size_t)rows; r++) {
        double sum = 0;
        for (size_t i = 0; i < (size_t)bytes; i++)
            for (size_t k = 0; k < 4; k++)
                sum += ((weight[r * (size_t)bytes + i] >> 2 * k & 3) - 1) * (double)x[4 * i + k];
        y[r] = (float)sum;
    }
}

void patches_ref(const float *in, float *out, int w, int h)
{
    size_t at = 0, wide = (size_t)w, high = (size_t)h;
    for (size_t top = 0; top < high; top += 16)
        for (size_t left = 0; left < wide; left += 16)
            for (size_t c = 0; c < 3; c++)
                for (size_t y = 0; y < 16; y++)
                    for (size_t x = 0; x < 16; x++)
                        out[at++] = in[(c * high + top + y) * wide + left + x];
}

void experts_ref(const float *value, const int32_t *chosen, float *out, int tokens, int count,
                 int dim)
{
    for (size_t t = 0; t < (size_t)tokens; t++)
        for (size_t d = 0; d < (size_t)dim; d++) {
            double sum = 0;
            for (size_t e = 0; e < (size_t)count; e++)
                sum += value[(size_t)chosen[t * (size_t)count + e] * (size_t)dim + d];
            out[t * (size_t)dim + d] = (float)(sum / count);
        }
}

void slidewin_ref(const float *query, const float *key, float *score, int seq)
{
    for (int q = 0; q < seq; q++)
        for (int k = 0; k < 64; k++) {
            int at = q - 63 + k;
            double sum = 0;
            if (at < 0)
                continue;
            for (int d = 0; d < 32; d++)
                sum += (double)query[32 * (size_t)q + (size_t)d] * key[32 * (size_t)at + (size_t)d];
            score[64 * (size_t)q + (size_t)k] = (float)sum;
        }
}

void bf16gate_ref(const uint16_t *a, const uint16_t *b, uint16_t *out, int n)
{
    for (int i = 0; i < n; i++) {
        float x = widened(a[i]), v = 0.125f;
        for (int k = 0; k < 4; k++)
            v = widened(narrowed(v * x + 0.25f + 0.125f * (float)k));
        out[i] = narrowed(v * widened(b[i]));
    }
}

void kvroom_ref(const float *cache, float *out, int rows, int cols)
{
    for (size_t r = 0; r < (size_t)rows; r++) {
        double sum = 0;
        for (size_t c = 0; c < (size_t)cols; c++)
            sum += (double)cache[r * (size_t)cols + c] * cache[r * (size_t)cols + c];
        double scale = 1 / sqrt(sum / cols + 1e-6);
        for (size_t c = 0; c < (size_t)cols; c++)
            out[r * (size_t)cols + c] = (float)(cache[r * (size_t)cols + c] * scale);
    }
}

void headmix_ref(const float *score, const float *weight, float *out, int n)
{
    size_t each = (size_t)n;
    for (size_t i = 0; i < each; i++)
        for (size_t o = 0; o < 24; o++) {
            double sum = 0;
            for (size_t h = 0; h < 24; h++)
                sum += (double)weight[o * 24 + h] * score[h * each + i];
            out[o * each + i] = (float)sum;
        }
}

void seqpool_ref(const float *value, const int32_t *start, float *out, int sequences)
{
    for (size_t s = 0; s < (size_t)sequences; s++)
        for (size_t d = 0; d < 64; d++) {
            double sum = 0;
            for (size_t i = (size_t)start[s]; i < (size_t)start[s + 1]; i++)
                sum += value[64 * i + d];
            out[64 * s + d] = (float)sum;
        }
}

void typegrad_ref(const uint8_t *type, const float *grad, float *out, int tokens)
{
    double sums[8][128] = {{0}};
    for (size_t t = 0; t < (size_t)tokens; t++)
        for (size_t d = 0; d < 128; d++)
            sums[type[t]][d] += grad[128 * t + d];
    for (size_t k = 0; k < 8; k++)
        for (size_t d = 0; d < 128; d++)
            out[128 * k + d] = (float)sums[k][d];
}

void rmsprop_ref(const float *grad, float *square, float *w, float rate, int n)
{
    for (int i = 0; i < n; i++) {
        square[i] = 0.9f * square[i] + 0.1f * grad[i] * grad[i];
        w[i] -= rate * grad[i] / (sqrtf(square[i]) + 1e-6f);
    }
}
