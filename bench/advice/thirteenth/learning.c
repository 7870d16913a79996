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

// What is too small for a normal number goes to zero.
static uint16_t to_half(float v)
{
    int e;
    float m = frexpf(fabsf(v), &e);
    if (m == 0 || e < -13)
        return v < 0 ? 0x8000 : 0;
    long r = lrintf(m * 2048);
    return (uint16_t)((v < 0 ? 0x8000 : 0) + ((e + 13) << 10) + (int)r);
}

void smrows_ref(const float *in, float *out, int rows, int cols)
{
    for (int r = 0; r < rows; r++, in += cols, out += cols) {
        float most = in[0];
        double sum = 0;
        for (int i = 1; i < cols; i++)
            most = fmaxf(most, in[i]);
        for (int i = 0; i < cols; i++)
            sum += out[i] = expf(in[i] - most);
        for (int i = 0; i < cols; i++)
            out[i] = (float)(out[i] / sum);
    }
}

void lnrows_ref(const float *x, const float *gain, const float *bias, float *y, int rows)
{
    for (int r = 0; r < rows; r++, x += 512, y += 512) {
        double sum = 0, squares = 0;
        for (int i = 0; i < 512; i++)
            sum += x[i];
        for (int i = 0; i < 512; i++)
            squares += (x[i] - sum / 512) * (x[i] - sum / 512);
        double scale = 1 / sqrt(squares / 512 + 1e-5);
        for (int i = 0; i < 512; i++)
            y[i] = (float)((x[i] - sum / 512) * scale * gain[i] + bias[i]);
    }
}

void rmstwice_ref(const float *x, float *y, int rows)
{
    for (int r = 0; r < rows; r++, x += 16384, y += 16384) {
        double squares = 0;
        for (int i = 0; i < 16384; i++)
            squares += (double)x[i] * x[i];
        float scale = (float)(1 / sqrt(squares / 16384 + 1e-6));
        for (int i = 0; i < 16384; i++)
            y[i] = x[i] * scale;
    }
}

void gnapply_ref(const uint16_t *in, const float *mean, const float *scale, const float *gain,
                 uint16_t *out, int images, int channels, int pixels, int width)
{
    for (int p = 0; p < images * channels; p++)
        for (int i = 0; i < pixels; i++) {
            size_t at = (size_t)p * (size_t)pixels + (size_t)i;
            out[at] = to_half((from_half(in[at]) - mean[p / width]) * scale[p / width] *
                              gain[p % channels]);
        }
}

void gelupoly_ref(const uint16_t *x, uint16_t *y, int n)
{
    for (int i = 0; i < n; i++) {
        float v = from_half(x[i]), p = 0.0005f, q = 0.25f;
        for (int k = 0; k < 16; k++) {
            p = p * v + (0.05f * (float)(k % 5) - 0.1f);
            q = q * p + (0.04f * (float)(k % 7) - 0.1f);
        }
        y[i] = to_half(v * (q + 0.5f));
    }
}

void smoothhalf_ref(const uint16_t *x, uint16_t *y, int n)
{
    for (int i = 0; i < n; i++) {
        float v = from_half(x[i]);
        for (int k = 0; k < 12; k++)
            v = v * v * (3 - 2 * v) * 0.75f + 0.125f;
        y[i] = to_half(v);
    }
}

void wavegate_ref(const uint16_t *x, const uint16_t *gate, uint16_t *y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = to_half(tanhf(from_half(x[i])) / (1 + expf(-from_half(gate[i]))));
}

void softplusd_ref(const float *x, float *y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = (float)(log1p(exp(2.0 * x[i])) / 2);
}

void ropesin_ref(const float *in, float *out, int tokens)
{
    for (int t = 0; t < tokens; t++)
        for (int p = 0; p < 64; p++) {
            float angle = (float)t * powf(10000, -(float)p / 64), c = cosf(angle), s = sinf(angle);
            for (int h = 0; h < 4; h++) {
                size_t i = (((size_t)t * 4 + (size_t)h) * 64 + (size_t)p) * 2;
                out[i] = in[i] * c - in[i + 1] * s;
                out[i + 1] = in[i] * s + in[i + 1] * c;
            }
        }
}

void philox4_ref(const float *x, float *y, uint32_t seed, int n)
{
    for (int i = 0; i < n; i += 4) {
        uint32_t c[4] = {(uint32_t)i / 4, 0, 0, 0}, k0 = seed, k1 = 0x1234567;
        for (int r = 0; r < 10; r++) {
            uint64_t a = (uint64_t)0xD2511F53u * c[0], b = (uint64_t)0xCD9E8D57u * c[2];
            uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k0, (uint32_t)b,
                                (uint32_t)(a >> 32) ^ c[3] ^ k1, (uint32_t)a};
            memcpy(c, next, sizeof c);
            k0 += 0x9E3779B9u;
            k1 += 0xBB67AE85u;
        }
        for (int j = 0; j < 4; j++)
            y[i + j] = c[j] < 0xe6666666u ? x[i + j] * 1.1111111f : 0;
    }
}

void biasres_ref(const float *x, const float *bias, const float *residual, float *y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = fmaxf(x[i] + bias[i % 1024] + residual[i], 0);
}

void topfour_ref(const float *score, float *top, int rows, int n)
{
    for (size_t c = 0; c < (size_t)n; c++) {
        float best[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
        for (size_t r = 0; r < (size_t)rows; r++) {
            float v = score[r * (size_t)n + c];
            for (int k = 0; k < 4; k++) {
                float less = fminf(best[k], v);
                best[k] = fmaxf(best[k], v);
                v = less;
            }
        }
        for (size_t k = 0; k < 4; k++)
            top[k * (size_t)n + c] = best[k];
    }
}

void adamroot_ref(float *w, float *m, float *v, const float *g, const float *given, int n)
{
    for (int i = 0; i < n; i++) {
        m[i] = (float)(0.1 * g[i]);
        v[i] = (float)(0.001 * g[i] * g[i]);
        w[i] = (float)(given[i] - 0.001 * (m[i] / 0.1) / (sqrt(v[i] / 0.001) + 1e-8));
    }
}

void w8rows_ref(const int8_t *w, const float *x, const float *scale, float *y, int rows)
{
    for (int r = 0; r < rows; r++) {
        double sum = 0;
        for (int k = 0; k < 4096; k++)
            sum += w[(size_t)r * 4096 + (size_t)k] * (double)x[k];
        y[r] = (float)(sum * scale[r]);
    }
}

void embrow_ref(const float *table, const int32_t *token, float *out, int n)
{
    for (size_t i = 0; i < (size_t)n; i++)
        memcpy(out + 64 * i, table + 64 * (size_t)token[i], 64 * sizeof *out);
}

void embhot_ref(const float *grad, const int32_t *kind, float *sum, int n)
{
    double total[4 * 128] = {0};
    for (size_t i = 0; i < (size_t)n; i++)
        for (size_t k = 0; k < 128; k++)
            total[(size_t)kind[i] * 128 + k] += grad[i * 128 + k];
    for (int i = 0; i < 4 * 128; i++)
        sum[i] = (float)total[i];
}

void rowgain_ref(const float *x, const float *gain, const float *shift, float *y, int rows)
{
    for (size_t r = 0; r < (size_t)rows; r++)
        for (size_t i = r * 4096; i < r * 4096 + 4096; i++)
            y[i] = x[i] * gain[r] + shift[r];
}

void rootrows_ref(const float *x, float *y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = sqrtf(x[i]);
}

void maskheavy_ref(const float *x, const int32_t *kind, float *y, int n)
{
    for (int i = 0; i < n; i++) {
        float p = 1, q = 0.5f;
        for (int k = 0; k < 128 && kind[i] == 0; k++) {
            p = p * x[i] * 0.5f + 0.25f;
            q = q * p * 0.5f + 0.125f;
        }
        y[i] = kind[i] == 0 ? p + q : x[i];
    }
}

void xentrows_ref(const float *x, const int32_t *label, float *grad, int rows)
{
    smrows_ref(x, grad, rows, 2048);
    for (size_t r = 0; r < (size_t)rows; r++)
        grad[r * 2048 + (size_t)label[r]] -= 1;
}
