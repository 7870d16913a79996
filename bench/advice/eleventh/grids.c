// References of grids.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void box27_ref(const float *in, float *out, int nx, int ny, int nz)
{
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++)
            for (int x = 0; x < nx; x++) {
                double sum = 0;
                for (int k = z > 0 ? z - 1 : 0; k <= z + 1 && k < nz; k++)
                    for (int j = y > 0 ? y - 1 : 0; j <= y + 1 && j < ny; j++)
                        for (int i = x > 0 ? x - 1 : 0; i <= x + 1 && i < nx; i++)
                            sum += (double)
                                in[((size_t)k * (size_t)ny + (size_t)j) * (size_t)nx + (size_t)i];
                out[((size_t)z * (size_t)ny + (size_t)y) * (size_t)nx + (size_t)x] =
                    (float)(sum / 27);
            }
}

void heat27_ref(const float *in, float *out, int nx, int ny, int nz)
{
    static const double weight[4] = {0.40, 0.05, 0.015, 0.015};
    int pitch = nx + 2, plane = pitch * (ny + 2);
    for (int z = 1; z <= nz; z++)
        for (int y = 1; y <= ny; y++)
            for (int x = 1; x <= nx; x++) {
                const float *p = in + z * plane + y * pitch + x;
                double sum = 0;
                for (int k = -1; k <= 1; k++)
                    for (int j = -1; j <= 1; j++)
                        for (int i = -1; i <= 1; i++)
                            sum += weight[k * k + j * j + i * i] *
                                   (double)p[k * plane + j * pitch + i];
                out[z * plane + y * pitch + x] = (float)sum;
            }
}

void jacobi128_ref(float *out, const float *in, int grids, int steps)
{
    double *now = malloc(2 * 16384 * sizeof *now), *next = now + 16384;
    for (int g = 0; g < grids; g++) {
        for (int i = 0; i < 16384; i++)
            now[i] = next[i] = (double)in[g * 16384 + i];
        for (int s = 0; s < steps; s++) {
            for (int y = 1; y < 127; y++)
                for (int x = 1; x < 127; x++) {
                    const double *p = now + y * 128 + x;
                    next[y * 128 + x] = 0.25 * (p[-1] + p[1] + p[-128] + p[128]);
                }
            memcpy(now, next, 16384 * sizeof *now);
        }
        for (int i = 0; i < 16384; i++)
            out[g * 16384 + i] = (float)now[i];
    }
    free(now);
}

static double spread(const float *f, int x, int y, int w, int h)
{
    int left = (x + w - 1) % w, right = (x + 1) % w, up = (y + h - 1) % h, down = (y + 1) % h;
    return (double)f[y * w + left] + (double)f[y * w + right] + (double)f[up * w + x] +
           (double)f[down * w + x] - 4 * (double)f[y * w + x];
}

void grayscott_ref(const float *u, const float *v, float *next_u, float *next_v, int w, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int i = y * w + x;
            double a = (double)u[i], b = (double)v[i], both = a * b * b;
            next_u[i] = (float)(a + 0.16 * spread(u, x, y, w, h) - both + 0.055 * (1 - a));
            next_v[i] = (float)(b + 0.08 * spread(v, x, y, w, h) + both - 0.117 * b);
        }
}

void gauss5_ref(const float *image, const float *weight, float *out, int w, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            double sum = 0;
            for (int j = 0; j < 5; j++)
                for (int i = 0; i < 5; i++)
                    sum += (double)weight[j * 5 + i] * (double)image[(y + j) * (w + 4) + x + i];
            out[y * w + x] = (float)sum;
        }
}

void erode7_ref(const float *image, float *out, int w, int h)
{
    float *rows = malloc(sizeof *rows * (size_t)w * (size_t)(h + 6));
    for (int y = 0; y < h + 6; y++)
        for (int x = 0; x < w; x++) {
            const float *p = image + y * (w + 6) + x;
            float least = p[0];
            for (int i = 1; i < 7; i++)
                least = p[i] < least ? p[i] : least;
            rows[y * w + x] = least;
        }
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float least = rows[y * w + x];
            for (int j = 1; j < 7; j++)
                least = rows[(y + j) * w + x] < least ? rows[(y + j) * w + x] : least;
            out[y * w + x] = least;
        }
    free(rows);
}

void unsharp_ref(const uint8_t *image, float *out, int w, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int sum = 0;
            for (int j = 0; j < 3; j++)
                for (int i = 0; i < 3; i++)
                    sum += image[(y + j) * (w + 2) + x + i];
            double p = image[(y + 1) * (w + 2) + x + 1], v = p + 1.5 * (p - sum / 9.0);
            out[y * w + x] = (float)((v < 0 ? 0 : v > 255 ? 255 : v) / 255);
        }
}

void warpimg_ref(const float *image, float *out, int w, int h, double angle)
{
    double c = cos(angle), s = sin(angle);
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            double dx = x - 0.5 * w, dy = y - 0.5 * h, sx = c * dx + s * dy + 0.5 * w,
                   sy = c * dy - s * dx + 0.5 * h;
            sx = fmin(fmax(sx, 0), w - 1.001);
            sy = fmin(fmax(sy, 0), h - 1.001);
            int i = (int)sx, j = (int)sy;
            double a = sx - i, b = sy - j;
            const float *p = image + j * w + i;
            out[y * w + x] = (float)((1 - b) * ((1 - a) * (double)p[0] + a * (double)p[1]) +
                                     b * ((1 - a) * (double)p[w] + a * (double)p[w + 1]));
        }
}

void rgbplanar_ref(const uint8_t *rgb, uint8_t *planes, int n)
{
    for (size_t i = 0; i < (size_t)n; i++)
        for (size_t c = 0; c < 3; c++)
            planes[c * (size_t)n + i] = rgb[3 * i + c];
}

void redblack_ref(const float *u, float *red, int w, int h)
{
    int pitch = w + 2;
    for (int y = 0; y < h; y++)
        for (int x = y % 2; x < w; x += 2) {
            const float *p = u + (y + 1) * pitch + x + 1;
            float mean = 0.25f * (p[-1] + p[1] + p[-pitch] + p[pitch]), v = p[0];
            for (int i = 0; i < 24; i++)
                v = v - 0.25f * (v + 0.3f * v * v * v - mean);
            red[(y * w + x) / 2] = v;
        }
}

void lap13_ref(const float *u, float *out, int w, int h)
{
    static const double weight[4] = {-5.4, 1.5, -0.16, 0.01};
    int pitch = w + 6;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            const float *p = u + (y + 3) * pitch + x + 3;
            double sum = weight[0] * (double)p[0];
            for (int k = 1; k < 4; k++)
                sum += weight[k] * ((double)p[-k] + (double)p[k] + (double)p[-k * pitch] +
                                    (double)p[k * pitch]);
            out[y * w + x] = (float)sum;
        }
}
