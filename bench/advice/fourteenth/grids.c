// References of grids.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void three1d_ref(const float *given, float *out, int n)
{
    float *now = malloc((size_t)n * sizeof *now);
    memcpy(out, given, (size_t)n * sizeof *out);
    for (int step = 0; step < 24; step++) {
        memcpy(now, out, (size_t)n * sizeof *now);
        for (int i = 1; i < n - 1; i++)
            out[i] = now[i] + 0.25f * (now[i - 1] - 2 * now[i] + now[i + 1]);
    }
    free(now);
}

void fdtd2d_ref(const float *e, float *hx, float *hy, int w, int h)
{
    for (int y = 0; y < h - 1; y++)
        for (int x = 0; x < w - 1; x++) {
            int i = y * w + x;
            double u = hx[i], v = hy[i];
            hx[i] = (float)(u * 0.995 -
                            0.4975 * sqrt(1 + u * u) * (e[i + w] - e[i]) / (1 + 0.1 * u * u));
            hy[i] = (float)(v * 0.995 +
                            0.4975 * sqrt(1 + v * v) * (e[i + 1] - e[i]) / (1 + 0.1 * v * v));
        }
}

void tracer_ref(const float *in, float *out, int n, int levels)
{
    size_t wide = (size_t)n;
    for (size_t k = 0; k < (size_t)levels; k++)
        for (size_t i = 0; i < wide; i++) {
            const float *at = in + k * wide + i;
            out[k * wide + i] = at[3 * wide] - 0.3f * (at[4 * wide] - at[2 * wide]) +
                                0.05f * (at[5 * wide] - at[wide]) +
                                0.01f * (at[6 * wide] + at[0] - 2 * at[3 * wide]);
        }
}

void perona_ref(const float *in, float *out, float edge, int w, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            double sum = 0, v = in[y * w + x];
            for (int k = 0; k < 9 && x > 0 && y > 0 && x < w - 1 && y < h - 1; k++) {
                double d = in[(y + k / 3 - 1) * w + x + k % 3 - 1] - v, r = d / edge;
                sum += d * exp(-r * r) / (1 + fabs(r));
            }
            out[y * w + x] = (float)(v + 0.1 * sum);
        }
}

void harris_ref(const float *in, float *out, int w, int h)
{
    size_t pitch = (size_t)w + 6;
    for (size_t y = 0; y < (size_t)h; y++)
        for (size_t x = 0; x < (size_t)w; x++) {
            double xx = 0, xy = 0, yy = 0;
            for (size_t j = 1; j < 6; j++)
                for (size_t k = 1; k < 6; k++) {
                    const float *at = in + (y + j) * pitch + x + k;
                    double gx = at[1] - at[-1], gy = at[pitch] - *(at - pitch);
                    xx += gx * gx;
                    xy += gx * gy;
                    yy += gy * gy;
                }
            out[y * (size_t)w + x] = (float)(xx * yy - xy * xy - 0.05 * (xx + yy) * (xx + yy));
        }
}

void pyrdown_ref(const uint8_t *in, uint8_t *out, int w, int h)
{
    size_t wide = (size_t)w;
    for (size_t y = 0; y < (size_t)h; y++)
        for (size_t x = 0; x < wide; x++) {
            const uint8_t *at = in + 4 * y * wide + 2 * x;
            out[y * wide + x] =
                (uint8_t)((at[0] + at[1] + at[2 * wide] + at[2 * wide + 1] + 2) / 4);
        }
}

void swapxy_ref(const float *in, float *out, int w, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            const float *at = in + (size_t)y * (size_t)w + x;
            float around = at[x > 0 ? -1 : 0] + at[x < w - 1 ? 1 : 0] + at[y > 0 ? -w : 0] +
                           at[y < h - 1 ? w : 0];
            out[(size_t)y * (size_t)w + (size_t)x] = 2 * at[0] - 0.25f * around;
        }
}

void fiveside_ref(const float *in, float *out, int w, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float sum = 0;
            for (int j = -2; j <= 2; j++)
                for (int k = -2; k <= 2; k++)
                    sum += in[(y + j + 2) * (w + 4) + x + k + 2] / (float)(1 + j * j + 2 * k * k);
            out[y * w + x] = sum;
        }
}

static size_t within(int i, int end)
{
    return (size_t)(i < 0 ? 0 : i >= end ? end - 1 : i);
}

void clampbox_ref(const uint8_t *in, uint8_t *out, int w, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int sum = 0;
            for (int j = -4; j <= 4; j++)
                for (int k = -4; k <= 4; k++)
                    sum += in[within(y + j, h) * (size_t)w + within(x + k, w)];
            out[(size_t)y * (size_t)w + (size_t)x] = (uint8_t)(sum / 81);
        }
}
