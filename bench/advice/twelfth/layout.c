// References of layout.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void ctrans_ref(const float *in, float *out, int w, int h)
{
    for (size_t y = 0; y < (size_t)h; y++)
        for (size_t x = 0; x < (size_t)w; x++)
            memcpy(out + 2 * (x * (size_t)h + y), in + 2 * (y * (size_t)w + x), 2 * sizeof *out);
}

void recs6_ref(const float *in, float *out, int n)
{
    for (size_t i = 0; i < 6 * (size_t)n; i += 6)
        for (size_t k = i; k < i + 3; k++) {
            out[k + 3] = in[k + 3] * 0.99f;
            out[k] = in[k] + 0.01f * out[k + 3];
        }
}

void corrwait_ref(const float *signal, const float *pattern, float *best, int blocks, int tiles)
{
    size_t length = 256 * (size_t)tiles + 64;
    for (size_t b = 0; b < (size_t)blocks; b++)
        for (size_t t = 0; t < 256; t++) {
            best[b * 256 + t] = -1e30f;
            for (size_t i = t; i < 256 * (size_t)tiles; i += 256) {
                float part[4] = {0};
                for (size_t k = 0; k < 64; k++)
                    part[k % 4] += pattern[k] * signal[b * length + i + k];
                best[b * 256 + t] = fmaxf(best[b * 256 + t], part[0] + part[1] + part[2] + part[3]);
            }
        }
}

void polywait_ref(const float *weight, const float *x, float *y, int blocks, int tiles)
{
    size_t rows = 16 * (size_t)tiles;
    for (size_t b = 0; b < (size_t)blocks; b++) {
        double sum[32] = {0};
        for (size_t r = 0; r < rows; r++)
            for (size_t c = 0; c < 32; c++)
                sum[c] += (double)(x[r] * weight[(b * rows + r) * 32 + c]);
        for (size_t c = 0; c < 32; c++)
            y[b * 32 + c] = (float)sum[c];
    }
}

void bounded_ref(const float *x, float *y, int n, int m)
{
    for (int i = 0; i < n; i++) {
        float v = x[i], sum = 0;
        for (int k = 0; k < m; k++) {
            v = v * 0.9375f + 0.03125f;
            sum = sum * 0.75f + v;
        }
        y[i] = sum * 10;
    }
}

void roomy_ref(const float *in, float *out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = in[i] + in[i + 16] + in[i + 32] + in[i + 48];
}

void hops5_ref(const int *next, int *end, int n)
{
    for (int i = 0; i < n; i++)
        end[i] = next[next[next[next[next[i]]]]];
}

void scratch8_ref(const uint8_t *in, int *most, int n)
{
    for (size_t i = 0; i < (size_t)n; i++) {
        int count[64] = {0};
        most[i] = 0;
        for (size_t w = 0; w < 32; w++)
            for (size_t e = 0; e < 4; e++) {
                int c = ++count[in[4 * (w * (size_t)n + i) + e]];
                most[i] = c > most[i] ? c : most[i];
            }
    }
}

void manysmall_ref(const float *in, float *sum, int n, int vectors)
{
    for (int i = 0; i < n; i++) {
        sum[i] = 0;
        for (int k = 0; k < vectors; k++)
            sum[i] += in[k * n + i];
    }
}

void halve64_ref(const float *x, float *y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = (float)((double)x[i] * 0.7 + 1);
}

void oddstride_ref(const float *in, float *out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = in[i ^ 1];
}

void biasrow_ref(const float *x, const float *bias, float *y, int rows, int cols)
{
    for (size_t i = 0; i < (size_t)rows * (size_t)cols; i++)
        y[i] = x[i] + bias[i % (size_t)cols];
}

void wideload_ref(const float *in, float *out, int chunks)
{
    for (size_t c = 0; c < (size_t)chunks * 4096; c += 4096) {
        float m = 0;
        for (size_t i = c; i < c + 4096; i++)
            m = fmaxf(m, in[i]);
        for (size_t i = c; i < c + 4096; i++)
            out[i] = in[i] / m;
    }
}

void raggedmean_ref(const int *starts, const float *x, float *mean, int segments)
{
    for (int s = 0; s < segments; s++) {
        double sum = 0;
        for (int i = starts[s]; i < starts[s + 1]; i++)
            sum += (double)x[i];
        mean[s] = starts[s + 1] > starts[s] ? (float)(sum / (starts[s + 1] - starts[s])) : 0;
    }
}
