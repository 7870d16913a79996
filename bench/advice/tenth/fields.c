// References of fields.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void sobel4_ref(uint8_t *out, const uint8_t *in, int w, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            const uint8_t *a = in + y * (w + 4) + x, *b = a + w + 4, *c = b + w + 4;
            int u = a[2] + 2 * b[2] + c[2] - a[0] - 2 * b[0] - c[0],
                v = c[0] + 2 * c[1] + c[2] - a[0] - 2 * a[1] - a[2], sum = abs(u) + abs(v);
            out[y * w + x] = (uint8_t)(sum < 255 ? sum : 255);
        }
}

static int by_float(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

void median9_ref(float *out, const float *in, int w, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float v[9];
            for (int k = 0; k < 9; k++)
                v[k] = in[(y + k / 3) * (w + 2) + x + k % 3];
            qsort(v, 9, sizeof *v, by_float);
            out[y * w + x] = v[4];
        }
}

void bilat7_ref(float *out, const float *in, int w, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float centre = in[(y + 3) * (w + 6) + x + 3], sum = 0, weights = 0;
            for (int k = 0; k < 49; k++) {
                int dy = k / 7 - 3, dx = k % 7 - 3;
                float v = in[(y + 3 + dy) * (w + 6) + x + 3 + dx],
                      e = expf((float)(dx * dx + dy * dy) / -12.5f -
                               (v - centre) * (v - centre) / 0.08f);
                sum += e * v;
                weights += e;
            }
            out[y * w + x] = sum / weights;
        }
}

void iirrows_ref(float *out, const float *in, float a, int w, int h)
{
    for (int y = 0; y < h; y++) {
        float state = 0;
        for (int x = 0; x < w; x++) {
            state = a * state + (1 - a) * in[y * w + x];
            out[y * w + x] = state;
        }
    }
}

void wave1d_ref(float *now, const float *given, int n, int steps)
{
    size_t size = sizeof *now * (size_t)n;
    float *before = malloc(size), *next = malloc(size);
    memcpy(now, given, size);
    memcpy(before, given, size);
    memcpy(next, given, size);
    for (int k = 0; k < steps; k++) {
        for (int i = 1; i < n - 1; i++)
            next[i] = 2 * now[i] - before[i] + 0.25f * (now[i - 1] - 2 * now[i] + now[i + 1]);
        memcpy(before, now, size);
        memcpy(now, next, size);
    }
    free(before);
    free(next);
}

void seven_ref(float *out, const float *in, int nx, int ny, int nz)
{
    for (int z = 0, i = 0; z < nz; z++)
        for (int y = 0; y < ny; y++)
            for (int x = 0; x < nx; x++, i++) {
                int face = x == 0 || x == nx - 1 || y == 0 || y == ny - 1 || z == 0 || z == nz - 1;
                out[i] =
                    face ? in[i]
                         : 0.4f * in[i] + 0.1f * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] +
                                                  in[i - nx * ny] + in[i + nx * ny]);
            }
}

void lbcollide_ref(float *out, const float *in, float omega, int n)
{
    static const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    for (size_t i = 0; i < (size_t)n; i++) {
        const float *f = in + 9 * i;
        double rho = 0, ux = 0, uy = 0;
        for (int q = 0; q < 9; q++) {
            rho += (double)f[q];
            ux += cx[q] * (double)f[q];
            uy += cy[q] * (double)f[q];
        }
        ux /= rho;
        uy /= rho;
        for (int q = 0; q < 9; q++) {
            double weight = q == 0  ? 4.0 / 9
                            : q < 5 ? 1.0 / 9
                                    : 1.0 / 36,
                   cu = 3 * (cx[q] * ux + cy[q] * uy),
                   even = weight * rho * (1 + cu + 0.5 * cu * cu - 1.5 * (ux * ux + uy * uy));
            out[9 * i + (size_t)q] = (float)((double)f[q] + (double)omega * (even - (double)f[q]));
        }
    }
}

static int cell(const uint32_t *in, int words, int x, int y)
{
    x = (x + 32 * words) % (32 * words);
    return in[y * words + x / 32] >> (x % 32) & 1;
}

void lifebits_ref(uint32_t *out, const uint32_t *in, int words, int h)
{
    memset(out, 0, sizeof *out * (size_t)words * (size_t)h);
    for (int y = 0; y < h; y++)
        for (int x = 0; x < 32 * words; x++) {
            int count = 0;
            for (int k = 0; k < 9; k++)
                count += k == 4 ? 0 : cell(in, words, x + k % 3 - 1, y + k / 3);
            if (count == 3 || (count == 2 && cell(in, words, x, y + 1)))
                out[y * words + x / 32] |= 1u << (x % 32);
        }
}

void fir17_ref(float *out, const float *in, float scale, int n)
{
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int k = 0; k < 17; k++)
            sum += in[i + k] * (scale + (float)k);
        out[i] = sum;
    }
}

void edgeif_ref(float *out, const float *in, int w, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float c = in[y * w + x], sum = 0;
            sum += x > 0 ? in[y * w + x - 1] - c : 0;
            sum += x < w - 1 ? in[y * w + x + 1] - c : 0;
            sum += y > 0 ? in[(y - 1) * w + x] - c : 0;
            sum += y < h - 1 ? in[(y + 1) * w + x] - c : 0;
            out[y * w + x] = c + 0.2f * sum;
        }
}

void rotate90_ref(float *out, const float *in, int w, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            out[x * h + h - 1 - y] = in[y * w + x];
}

void syncs_ref(float *out, const float *in, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = in[i + 1] - in[i];
}

// What is beyond a row stays as it was: zero.
void flatcopy_ref(float *out, const float *in, int w, int h, int pitch)
{
    memset(out, 0, sizeof *out * (size_t)pitch * (size_t)h);
    for (int y = 0; y < h; y++)
        memcpy(out + y * pitch, in + y * w, sizeof *out * (size_t)w);
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

void fade16_ref(uint16_t *out, const uint16_t *in, int n)
{
    for (int i = 0; i < n; i++) {
        float v = widened(in[i]);
        for (int k = 0; k < 64; k++)
            v += 0.125f * 0.03125f - 0.125f * v * v;
        out[i] = narrowed(v);
    }
}
