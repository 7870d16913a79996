// References of grids.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int within(int i, int n)
{
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

void filt9_ref(const float *in, const float *weight, float *out, int w, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float sum = 0;
            for (int j = 0; j < 9; j++)
                for (int i = 0; i < 9; i++)
                    sum += weight[j * 9 + i] * in[within(y + j - 4, h) * w + within(x + i - 4, w)];
            out[y * w + x] = sum;
        }
}

void taps25_ref(const float *in, const float *weight, float *out, int w, int h)
{
    for (int y = 0; y < h; y++, in += w, out += w)
        for (int x = 0; x < w; x++) {
            out[x] = 0;
            for (int k = 0; k < 25; k++)
                out[x] += weight[k] * in[within(x + k - 12, w)];
        }
}

void cube27_ref(const float *in, float *out, int w, int h, int d)
{
    memset(out, 0, (size_t)w * (size_t)h * (size_t)d * sizeof *out);
    for (int z = 1; z < d - 1; z++)
        for (int y = 1; y < h - 1; y++)
            for (int x = 1; x < w - 1; x++) {
                float sum = 0;
                for (int k = 0; k < 27; k++)
                    sum += in[((z + k / 9 - 1) * h + y + k / 3 % 3 - 1) * w + x + k % 3 - 1];
                out[(z * h + y) * w + x] = sum / 27;
            }
}

void heatfew_ref(float *out, const float *in, int n, int steps)
{
    float *next = malloc((size_t)n * sizeof *next);
    memcpy(out, in, (size_t)n * sizeof *out);
    for (int s = 0; s < steps; s++) {
        for (int i = 0; i < n; i++)
            next[i] = out[i] + 0.25f * (out[within(i - 1, n)] - 2 * out[i] + out[within(i + 1, n)]);
        memcpy(out, next, (size_t)n * sizeof *out);
    }
    free(next);
}

void med5loc_ref(const float *in, float *out, int n)
{
    for (int i = 0; i < n; i++) {
        float v[5];
        for (int k = 0; k < 5; k++) {
            float a = in[within(i + k - 2, n)];
            int j = k;
            for (; j > 0 && v[j - 1] > a; j--)
                v[j] = v[j - 1];
            v[j] = a;
        }
        out[i] = v[2];
    }
}

void sumrows_ref(const float *in, float *out, int w, int h)
{
    for (int y = 0; y < h; y++) {
        double sum = 0;
        for (int x = 0; x < w; x++)
            *out++ = (float)(sum += *in++);
    }
}

void pool8_ref(const uint8_t *in, uint8_t *out, int w, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            const uint8_t *p = in + 4 * y * w + 2 * x;
            *out++ = (uint8_t)((p[0] + p[1] + p[2 * w] + p[2 * w + 1] + 2) / 4);
        }
}

void lanczos3_ref(const float *in, float *out, int w, int h, int wide)
{
    double weight[24];
    for (int k = 0; k < 24; k++) {
        double x = k % 4 * 0.25 - k / 4 + 2, p = 3.14159265358979 * x;
        weight[k] = fabs(x) < 1e-3 ? 1 : sin(p) * sin(p / 3) * 3 / (p * p);
    }
    for (int y = 0; y < h; y++, in += w)
        for (int x = 0; x < wide; x++) {
            double sum = 0;
            for (int k = -2; k <= 3; k++)
                sum += weight[(k + 2) * 4 + x * 3 % 4] * in[within(x * 3 / 4 + k, w)];
            *out++ = (float)sum;
        }
}

void wave64_ref(float *next, const float *now, const float *before, int n)
{
    for (int i = 0; i < n; i++) {
        double v = now[i];
        next[i] = (float)(1.98 * v - 0.98 * before[i] +
                          0.2 * (now[within(i - 1, n)] - 2 * v + now[within(i + 1, n)]) -
                          0.01 * v * v * v + 0.002 * v);
    }
}

void cellcol_ref(const float *in, float *out, int w, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++, in++, out++)
            *out = x > 0 && y > 0 && x < w - 1 && y < h - 1
                       ? 0.5f * *in + 0.125f * (in[-1] + in[1] + in[-w] + in[w])
                       : *in;
}

void erodevain_ref(const float *in, float *out, int w, int h)
{
    for (int y = 0; y < h; y++, in += w)
        for (int x = 0; x < w; x++)
            *out++ = fminf(fminf(in[within(x - 1, w)], in[x]), in[within(x + 1, w)]);
}

void yuvbytes_ref(const uint8_t *rgba, uint8_t *luma, int n)
{
    for (int i = 0; i < n; i++)
        luma[i] =
            (uint8_t)((77 * rgba[4 * i] + 150 * rgba[4 * i + 1] + 29 * rgba[4 * i + 2] + 128) >> 8);
}

void rowsahead_ref(const float *in, float *out, int rows, int parts)
{
    for (int r = 0; r < rows; r++)
        for (int t = 0; t < 256; t++) {
            float sum = 0;
            for (int p = 0; p < parts; p++) {
                const float *part = in + (size_t)(r * parts + p) * 256;
                float v = part[t];
                for (int k = 1; k < 64; k++)
                    v = v * 0.9f + part[(t + k) % 256];
                sum = sum * 0.5f + v;
            }
            *out++ = sum;
        }
}
