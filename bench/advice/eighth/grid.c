// References of grid.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void wrap_ref(float *out, const float *in, int w, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int right = x == w - 1 ? 0 : x + 1, left = x == 0 ? w - 1 : x - 1,
                below = y == h - 1 ? 0 : y + 1, above = y == 0 ? h - 1 : y - 1;
            out[y * w + x] = 0.25f * (in[y * w + right] + in[y * w + left] + in[below * w + x] +
                                      in[above * w + x]) -
                             in[y * w + x];
        }
}

void conv5_ref(float *out, const float *in, const float *filter, int w, int h)
{
    for (int y = 0; y < h; y++) {
        memset(out + y * w, 0, sizeof *out * (size_t)w);
        for (int r = 0; r < 5; r++)
            for (int s = 0; s < 5; s++)
                for (int x = 0; x < w; x++)
                    out[y * w + x] += in[(y + r) * (w + 4) + x + s] * filter[r * 5 + s];
    }
}

void dilate_ref(float *out, const float *in, int w, int h)
{
    float *rows = malloc(sizeof *rows * (size_t)w * (size_t)h);
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float most = 0;
            for (int i = x < 7 ? 0 : x - 7; i < w && i <= x + 7; i++)
                most = in[y * w + i] > most ? in[y * w + i] : most;
            rows[y * w + x] = most;
        }
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float most = 0;
            for (int i = y < 7 ? 0 : y - 7; i < h && i <= y + 7; i++)
                most = rows[i * w + x] > most ? rows[i * w + x] : most;
            out[y * w + x] = most;
        }
    free(rows);
}

void fd3d_ref(float *out, const float *in, int w, int h, int d)
{
    static const float weight[] = {-2.5f, 0.8f, -0.1f, 0.0125f, -0.0009f};
    size_t pitch = (size_t)w + 8, plane = pitch * ((size_t)h + 8);
    for (size_t z = 0; z < (size_t)d; z++)
        for (size_t y = 0; y < (size_t)h; y++)
            for (size_t x = 0; x < (size_t)w; x++) {
                const float *at = in + (z + 4) * plane + (y + 4) * pitch + x + 4;
                float sum = 3 * weight[0] * at[0];
                for (size_t r = 1; r <= 4; r++)
                    sum += weight[r] * (at[r] + *(at - r) + at[r * pitch] + *(at - r * pitch) +
                                        at[r * plane] + *(at - r * plane));
                out[(z * (size_t)h + y) * (size_t)w + x] = sum;
            }
}

void heat5_ref(float *out, const float *in, int w, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            const float *at = in + y * w + x;
            out[y * w + x] = *at;
            if (x > 0 && x < w - 1 && y > 0 && y < h - 1)
                out[y * w + x] += 0.2f * (at[-1] + at[1] + *(at - w) + at[w] - 4 * *at);
        }
}

void batches_ref(float *out, const float *in, int n)
{
    for (int i = 0; i < n; i++) {
        float v = in[i];
        for (int k = 0; k < 48; k++)
            v = 0.5f * v * v + 0.2f;
        out[i] = v;
    }
}

void dct_ref(float *out, const float *in, int transforms)
{
    double c[8][8];
    for (int u = 0; u < 8; u++)
        for (int x = 0; x < 8; x++)
            c[u][x] = (u ? 0.5 : sqrt(0.125)) * cos((2 * x + 1) * u * 3.14159265358979323846 / 16);
    for (int i = 0; i < transforms; i++, in += 64, out += 64) {
        double rows[8][8];
        for (int y = 0; y < 8; y++)
            for (int u = 0; u < 8; u++) {
                rows[y][u] = 0;
                for (int x = 0; x < 8; x++)
                    rows[y][u] += in[y * 8 + x] * c[u][x];
            }
        for (int v = 0; v < 8; v++)
            for (int u = 0; u < 8; u++) {
                double sum = 0;
                for (int y = 0; y < 8; y++)
                    sum += rows[y][u] * c[v][y];
                out[v * 8 + u] = (float)sum;
            }
    }
}

void hog_ref(float *out, const int32_t *in, int w, int h)
{
    memset(out, 0, sizeof *out * 8 * (size_t)(w / 64) * (size_t)(h / 64));
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            const int32_t *at = in + y * (w + 1) + x;
            int gx = at[1] - at[0], gy = at[w + 1] - at[0];
            int bin = (gx < 0) | (gy < 0) << 1 | (abs(gx) < abs(gy)) << 2;
            out[(y / 64 * (w / 64) + x / 64) * 8 + bin] += (float)(abs(gx) + abs(gy));
        }
}

void luma_ref(uint32_t *bins, const uint32_t *in, int n)
{
    memset(bins, 0, sizeof *bins * 256);
    for (int i = 0; i < n; i++)
        bins[((in[i] & 255) * 77 + (in[i] >> 8 & 255) * 150 + (in[i] >> 16 & 255) * 29) >> 8]++;
}

// The number of a half; no infinities here.
static float widened(uint16_t v)
{
    float size = (v & 0x7c00) ? ldexpf((float)((v & 0x3ff) | 0x400), (v >> 10 & 31) - 25)
                              : ldexpf((float)(v & 0x3ff), -24);
    return v & 0x8000 ? -size : size;
}

// The nearest half, ties to even; below 65504.
static uint16_t narrowed(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    float size = fabsf(v);
    if (size < 6.103515625e-5f)
        return (uint16_t)(sign | (uint16_t)rintf(ldexpf(size, 24)));
    bits = (bits & 0x7fffffff) - 0x38000000;
    return (uint16_t)(sign | (bits + 0xfff + (bits >> 13 & 1)) >> 13);
}

void hconv_ref(uint16_t *out, const uint16_t *x, const uint16_t *w, int steps)
{
    size_t n = 256 * (size_t)steps;
    float *wide = malloc(sizeof *wide * (n + 4096)), weight[4096];
    for (size_t i = 0; i < n + 4096; i++)
        wide[i] = widened(x[i]);
    for (size_t i = 0; i < 4096; i++)
        weight[i] = widened(w[i]);
    for (size_t i = 0; i < n; i++) {
        float sum = 0;
        for (size_t k = 0; k < 4096; k += 256)
            sum += weight[k + i % 256] * wide[i + k];
        out[i] = narrowed(sum);
    }
    free(wide);
}

void hheat_ref(uint16_t *out, const uint16_t *in, int rods)
{
    float u[2][512];
    for (int i = 0; i < rods; i++, in += 512, out += 512) {
        for (int c = 0; c < 512; c++)
            u[0][c] = u[1][c] = widened(in[c]);
        for (int s = 0; s < 64; s++)
            for (int c = 1; c < 511; c++) {
                const float *from = u[s % 2] + c;
                u[(s + 1) % 2][c] = *from + 0.25f * (from[-1] + from[1] - 2 * *from);
            }
        for (int c = 0; c < 512; c++)
            out[c] = narrowed(u[0][c]);
    }
}
