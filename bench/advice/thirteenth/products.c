// References of products.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void prod768_ref(const float *a, const float *b, float *c, int m, int n, int k)
{
    memset(c, 0, sizeof *c * (size_t)m * (size_t)n);
    for (size_t i = 0; i < (size_t)m; i++)
        for (size_t l = 0; l < (size_t)k; l++)
            for (size_t j = 0; j < (size_t)n; j++)
                c[i * (size_t)n + j] += a[i * (size_t)k + l] * b[l * (size_t)n + j];
}

// Both by rows of k.
void bt96_ref(const float *a, const float *b, float *c, int m, int n, int k)
{
    float *turned = malloc(sizeof *turned * (size_t)n * (size_t)k);
    for (size_t j = 0; j < (size_t)n; j++)
        for (size_t l = 0; l < (size_t)k; l++)
            turned[l * (size_t)n + j] = b[j * (size_t)k + l];
    prod768_ref(a, turned, c, m, n, k);
    free(turned);
}

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

static float *halves(const uint16_t *h, size_t n)
{
    float *v = malloc(sizeof *v * n);
    for (size_t i = 0; i < n; i++)
        v[i] = from_half(h[i]);
    return v;
}

void hdirect_ref(const uint16_t *a, const uint16_t *b, float *c, int m, int n, int k)
{
    float *x = halves(a, (size_t)m * (size_t)k), *y = halves(b, (size_t)n * (size_t)k);
    bt96_ref(x, y, c, m, n, k);
    free(x);
    free(y);
}

void hnt_ref(const uint16_t *a, const uint16_t *b, float *c, int m, int n, int k)
{
    hdirect_ref(a, b, c, m, n, k);
}

static float *brains(const uint16_t *h, size_t n)
{
    float *v = malloc(sizeof *v * n);
    for (size_t i = 0; i < n; i++) {
        uint32_t bits = (uint32_t)h[i] << 16;
        memcpy(&v[i], &bits, sizeof bits);
    }
    return v;
}

void bfnn_ref(const uint16_t *a, const uint16_t *b, float *c, int m, int n, int k)
{
    float *x = brains(a, (size_t)m * (size_t)k), *y = brains(b, (size_t)n * (size_t)k);
    prod768_ref(x, y, c, m, n, k);
    free(x);
    free(y);
}

void batch32_ref(const float *a, const float *b, float *c, int batch)
{
    for (size_t p = 0; p < (size_t)batch; p++)
        prod768_ref(a + 1024 * p, b + 1024 * p, c + 1024 * p, 32, 32, 32);
}

void lowerfew_ref(const float *l, const float *x, float *y, int n)
{
    for (size_t r = 0; r < (size_t)n; r++)
        prod768_ref(l + r * (size_t)n, x, y + 32 * r, 1, 32, (int)r + 1);
}

void outers_ref(float *c, const float *x, const float *y, int m, int n, int s)
{
    memset(c, 0, sizeof *c * (size_t)m * (size_t)n);
    for (int t = 0; t < s; t++)
        for (size_t i = 0; i < (size_t)m; i++)
            for (size_t j = 0; j < (size_t)n; j++)
                c[i * (size_t)n + j] += x[t * m + (int)i] * y[t * n + (int)j];
}

void fewvec_ref(const float *a, const float *x, float *y, int rows, int cols)
{
    for (int v = 0; v < 4; v++)
        for (int r = 0; r < rows; r++) {
            double sum = 0;
            for (int c = 0; c < cols; c++)
                sum += (double)a[(size_t)r * (size_t)cols + (size_t)c] * x[v * cols + c];
            y[v * rows + r] = (float)sum;
        }
}

void alldist_ref(const float *p, float *d, int n)
{
    for (size_t i = 0; i < (size_t)n; i++)
        for (size_t j = 0; j < (size_t)n; j++) {
            float sum = 0;
            for (size_t k = 0; k < 32; k++)
                sum += (p[i * 32 + k] - p[j * 32 + k]) * (p[i * 32 + k] - p[j * 32 + k]);
            d[i * (size_t)n + j] = sum;
        }
}

void fiveone_ref(const float *in, const float *weight, float *out, int w, int h)
{
    for (int c = 0; c < 8; c++)
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) {
                float sum = 0;
                for (int k = 0; k < 25; k++)
                    sum += in[(y + k / 5) * (w + 4) + x + k % 5] * weight[c * 25 + k];
                out[((size_t)c * (size_t)h + (size_t)y) * (size_t)w + (size_t)x] = sum;
            }
}

void stridech_ref(const uint16_t *in, const uint16_t *weight, uint16_t *out, int channels, int w,
                  int h, int images)
{
    for (size_t p = 0; p < (size_t)images * (size_t)channels; p++)
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) {
                const uint16_t *v = in + p * 4 * (size_t)(w * h) + 4 * w * y + 2 * x,
                               *f = weight + 4 * (p % (size_t)channels);
                float a = from_half(v[0]) * from_half(f[0]) + from_half(v[1]) * from_half(f[1]);
                float b = from_half(v[2 * w]) * from_half(f[2]) +
                          from_half(v[2 * w + 1]) * from_half(f[3]);
                out[p * (size_t)(w * h) + (size_t)(y * w + x)] = to_half(a + b);
            }
}

void onewave_ref(const float *a, const float *b, float *c, int m, int n, int k)
{
    prod768_ref(a, b, c, m, n, k);
}
