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

// From and to half; no infinities, and what is too small for a normal number goes to zero.
static float from_half(uint16_t h)
{
    int e = h >> 10 & 31;
    float m = (float)(h & 1023), v = e ? ldexpf(m + 1024, e - 25) : ldexpf(m, -24);
    return h & 0x8000 ? -v : v;
}

static uint16_t to_half(float v)
{
    int e;
    float m = frexpf(fabsf(v), &e);
    if (m == 0 || e < -13)
        return v < 0 ? 0x8000 : 0;
    long r = lrintf(m * 2048);
    return (uint16_t)((v < 0 ? 0x8000 : 0) + ((e + 13) << 10) + (int)r);
}

// The largest of n numbers, and the sum of their exponentials less it.
static double exponentials(const float *x, size_t n, float *most)
{
    double sum = 0;
    *most = x[0];
    for (size_t i = 1; i < n; i++)
        *most = x[i] > *most ? x[i] : *most;
    for (size_t i = 0; i < n; i++)
        sum += expf(x[i] - *most);
    return sum;
}

void logsoftmax_ref(const float *input, float *output, int rows)
{
    for (size_t r = 0; r < (size_t)rows; r++) {
        float most;
        double sum = exponentials(input + r * 1000, 1000, &most);
        for (size_t c = 0; c < 1000; c++)
            output[r * 1000 + c] = (float)(input[r * 1000 + c] - most - log(sum));
    }
}

void lngrad_ref(const float *dy, const float *x, const float *mean, const float *rstd,
                float *dgamma, float *dbeta, int rows, int cols)
{
    double *sums = calloc(2 * (size_t)cols, sizeof *sums);
    for (size_t r = 0; r < (size_t)rows; r++)
        for (size_t c = 0; c < (size_t)cols; c++) {
            size_t at = r * (size_t)cols + c;
            sums[c] += dy[at] * (x[at] - mean[r]) * rstd[r];
            sums[(size_t)cols + c] += dy[at];
        }
    for (int c = 0; c < cols; c++) {
        dgamma[c] = (float)sums[c];
        dbeta[c] = (float)sums[cols + c];
    }
    free(sums);
}

void focal_ref(const float *logit, const float *label, float *loss, int n)
{
    for (int i = 0; i < n; i++) {
        double p = 1 / (1 + exp(-(double)logit[i])), pt = label[i] > 0.5f ? p : 1 - p;
        loss[i] = (float)(-(label[i] > 0.5f ? 0.25 : 0.75) * (1 - pt) * (1 - pt) * log(pt + 1e-8));
    }
}

void gelugrad_ref(const float *dout, const float *inp, float *dinp, int n)
{
    for (int i = 0; i < n; i++) {
        double x = inp[i], a = 0.7978845608028654, t = tanh(a * (x + 0.044715 * x * x * x));
        dinp[i] = (float)(dout[i] *
                          (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * a * (1 + 3 * 0.044715 * x * x)));
    }
}

void dropmask_ref(const float *x, float *y, int seed, int threshold, float scale, int n)
{
    for (int i = 0; i < n; i += 4) {
        uint32_t c[4] = {(uint32_t)i / 4, 0, 0, 0}, k0 = (uint32_t)seed, k1 = 0x1234567;
        for (int round = 0; round < 10; round++) {
            uint64_t a = 0xD2511F53ull * c[0], b = 0xCD9E8D57ull * c[2];
            uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k0, (uint32_t)b,
                                (uint32_t)(a >> 32) ^ c[3] ^ k1, (uint32_t)a};
            memcpy(c, next, sizeof c);
            k0 += 0x9E3779B9u;
            k1 += 0xBB67AE85u;
        }
        for (int j = 0; j < 4 && i + j < n; j++)
            y[i + j] = c[j] >= (uint32_t)threshold ? x[i + j] * scale : 0;
    }
}

void xentgrad_ref(const float *logits, const int32_t *target, float *dlogits, float scale, int rows)
{
    for (size_t r = 0; r < (size_t)rows; r++) {
        float most;
        double sum = exponentials(logits + r * 4096, 4096, &most);
        for (size_t c = 0; c < 4096; c++)
            dlogits[r * 4096 + c] =
                (float)((expf(logits[r * 4096 + c] - most) / sum - (c == (size_t)target[r])) *
                        scale);
    }
}

void biasgrad_ref(const float *dout, float *dbias, int n)
{
    double sum[64] = {0};
    for (int i = 0; i < n; i++)
        sum[i % 64] += dout[i];
    for (int c = 0; c < 64; c++)
        dbias[c] = (float)sum[c];
}

void rotary_ref(const uint16_t *x, uint16_t *y, int tokens, int heads)
{
    for (int t = 0; t < tokens; t++)
        for (int i = 0; i < 64; i++) {
            float angle = (float)t * (float)(1 / pow(10000, i / 64.0)), c = cosf(angle),
                  s = sinf(angle);
            for (int h = 0; h < heads; h++) {
                size_t at = (((size_t)t * (size_t)heads + (size_t)h) * 64 + (size_t)i) * 2;
                float a = widened(x[at]), b = widened(x[at + 1]);
                y[at] = narrowed(a * c - b * s);
                y[at + 1] = narrowed(a * s + b * c);
            }
        }
}

void qscores_ref(const float *q, const float *k, float *scores, int keys, int heads)
{
    for (size_t h = 0; h < (size_t)heads; h++)
        for (size_t j = 0; j < (size_t)keys; j++) {
            double sum = 0;
            for (size_t d = 0; d < 128; d++)
                sum += q[h * 128 + d] * k[(h * (size_t)keys + j) * 128 + d];
            scores[h * (size_t)keys + j] = (float)(sum * 0.08838835);
        }
}

void attnhead_ref(const float *q, const float *k, const float *v, float *out, int queries, int keys,
                  int heads)
{
    size_t n = (size_t)queries, m = (size_t)keys;
    float *score = malloc(sizeof *score * m);
    for (size_t h = 0; h < (size_t)heads; h++)
        for (size_t i = 0; i < n; i++) {
            const float *query = q + (h * n + i) * 32;
            for (size_t j = 0; j < m; j++) {
                float part[8] = {0};
                for (size_t d = 0; d < 32; d++)
                    part[d % 8] += query[d] * k[(h * m + j) * 32 + d];
                score[j] = 0;
                for (size_t e = 0; e < 8; e++)
                    score[j] += part[e] * 0.17677670f;
            }
            float most, o[32] = {0};
            double sum = exponentials(score, m, &most);
            for (size_t j = 0; j < m; j++) {
                float p = expf(score[j] - most);
                for (size_t d = 0; d < 32; d++)
                    o[d] += p * v[(h * m + j) * 32 + d];
            }
            for (size_t d = 0; d < 32; d++)
                out[(h * n + i) * 32 + d] = (float)(o[d] / sum);
        }
    free(score);
}

void w8gemv_ref(const int8_t *weight, const float *scale, const float *x, float *y, int rows,
                int cols)
{
    for (size_t r = 0; r < (size_t)rows; r++) {
        double sum = 0;
        for (size_t c = 0; c < (size_t)cols; c++)
            sum += (float)weight[r * (size_t)cols + c] * x[c];
        y[r] = (float)(sum * scale[r]);
    }
}

void bnapply_ref(const uint16_t *x, const float *scale, const float *shift, uint16_t *y, int images,
                 int channels, int plane)
{
    size_t at = 0;
    for (int i = 0; i < images; i++)
        for (int c = 0; c < channels; c++)
            for (int p = 0; p < plane; p++, at++)
                y[at] = narrowed(widened(x[at]) * scale[c] + shift[c]);
}

void maxpool2_ref(const float *in, float *out, int w, int h)
{
    for (size_t y = 0; y < (size_t)h; y++)
        for (size_t x = 0; x < (size_t)w; x++) {
            const float *a = in + (4 * y * (size_t)w + 2 * x), *b = a + 2 * (size_t)w;
            out[y * (size_t)w + x] = fmaxf(fmaxf(a[0], a[1]), fmaxf(b[0], b[1]));
        }
}

void dw7_ref(const float *in, const float *weight, float *out, int w, int h, int channels)
{
    for (int c = 0; c < channels; c++)
        for (int y = 0; y < h; y++) {
            float *row = out + ((size_t)c * (size_t)h + (size_t)y) * (size_t)w;
            memset(row, 0, sizeof *row * (size_t)w);
            for (int r = y < 3 ? 3 - y : 0; r < 7 && y + r - 3 < h; r++)
                for (int s = 0; s < 7; s++) {
                    const float *from =
                        in + ((size_t)c * (size_t)h + (size_t)(y + r - 3)) * (size_t)w;
                    int first = s < 3 ? 3 - s : 0, end = s > 3 ? w + 3 - s : w;
                    for (int x = first; x < end; x++)
                        row[x] += from[x + s - 3] * weight[c * 49 + r * 7 + s];
                }
        }
}

void highway_ref(const float *gate, const float *h, const float *x, float *y, int n)
{
    for (int i = 0; i < n; i++) {
        float g = 1 / (1 + expf(-gate[i]));
        y[i] = g * h[i] + (1 - g) * x[i];
    }
}

void momentum_ref(float *w, float *v, const float *grad, float lr, float mu, float decay, int n)
{
    for (int i = 0; i < n; i++) {
        v[i] = mu * v[i] + (grad[i] + decay * w[i]);
        w[i] -= lr * v[i];
    }
}

void causal_ref(const float *scores, float *prob, int seq)
{
    for (size_t i = 0; i < (size_t)seq; i++) {
        const float *x = scores + i * (size_t)seq;
        float most;
        double sum = exponentials(x, i + 1, &most);
        for (size_t j = 0; j < (size_t)seq; j++)
            prob[i * (size_t)seq + j] = j <= i ? (float)(expf(x[j] - most) / sum) : 0;
    }
}

void halfpoly_ref(const uint16_t *in, uint16_t *out, int n)
{
    for (int i = 0; i < n; i++) {
        float x = from_half(in[i]), sum = 0;
        for (int k = 24; k > 0; k--)
            sum = sum * x + 1.0f / (float)k;
        out[i] = to_half(sum);
    }
}

void rowstash_ref(const float *in, float *out, int rows)
{
    for (size_t r = 0; r < (size_t)rows; r++) {
        float most;
        double sum = exponentials(in + r * 1024, 1024, &most);
        for (size_t c = r * 1024; c < r * 1024 + 1024; c++)
            out[c] = (float)(expf(in[c] - most) / sum);
    }
}

void convseq_ref(const float *in, const float *weight, float *out, int length, int sequences)
{
    for (int s = 0; s < sequences; s++) {
        const float *x = in + (size_t)s * (size_t)length;
        for (int t = 0; t < length; t++) {
            float sum = 0;
            for (int k = 0; k < 32 && k <= t; k++)
                sum += weight[k] * x[t - k];
            out[(size_t)s * (size_t)length + (size_t)t] = sum;
        }
    }
}

void rankloss_ref(const float *score, const float *negative, float *loss, int n, int m)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < m; j++)
            sum += log1pf(expf(negative[j] - score[i]));
        loss[i] = (float)(sum / m);
    }
}

void bagmean_ref(const int32_t *ids, const float *table, float *out, int bags)
{
    for (size_t b = 0; b < (size_t)bags; b++) {
        double sum[64] = {0};
        int count = 0;
        for (; count < 64 && ids[b * 64 + (size_t)count] >= 0; count++)
            for (size_t d = 0; d < 64; d++)
                sum[d] += table[(size_t)ids[b * 64 + (size_t)count] * 64 + d];
        for (size_t d = 0; d < 64; d++)
            out[b * 64 + d] = (float)(sum[d] / (count ? count : 1));
    }
}

void mlp_ref(const float *points, const float *weight, float *out, int n)
{
    for (size_t i = 0; i < (size_t)n; i++) {
        double sum = 0;
        for (size_t c = 0; c < 32; c++) {
            const float *w = weight + 6 * c;
            double cell = w[4];
            for (size_t d = 0; d < 4; d++)
                cell += w[d] * points[4 * i + d];
            sum += cell > 0 ? w[5] * cell : 0;
        }
        out[i] = (float)sum;
    }
}

void rowquant_ref(const float *x, int8_t *q, float *scale, int rows)
{
    for (size_t r = 0; r < (size_t)rows; r++) {
        float most = 0;
        for (size_t c = r * 16384; c < (r + 1) * 16384; c++)
            most = fmaxf(most, fabsf(x[c]));
        for (size_t c = r * 16384; c < (r + 1) * 16384; c++)
            q[c] = (int8_t)lrintf(x[c] * (127 / most));
        scale[r] = most / 127;
    }
}

void ragged_ref(const int32_t *length, const float *frequency, float *out, int n)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < length[i]; j++) {
            float t = (float)j * frequency[i];
            t -= rintf(t);
            sum += t * (1 - 4 * t * t);
        }
        out[i] = (float)sum;
    }
}

void mixact_ref(const float *x, float *y, int n)
{
    for (int i = 0; i < n; i += 4) {
        y[i] = tanhf(x[i]);
        y[i + 1] = x[i + 1] * erff(x[i + 1]);
        y[i + 2] = log1pf(expf(x[i + 2]));
        y[i + 3] = atanf(x[i + 3]) / sqrtf(1 + x[i + 3] * x[i + 3]);
    }
}

void halfkernel_ref(const uint16_t *x, uint16_t *y, int n)
{
    for (int i = 0; i < n; i++) {
        float v = from_half(x[i]), sum = 0;
        for (int c = 0; c < 32; c++) {
            float d = v - ((float)c / 16 - 1);
            sum += fmaxf(0, 1 - d * d);
        }
        y[i] = to_half(sum);
    }
}
