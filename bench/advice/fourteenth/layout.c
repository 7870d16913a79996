// References of layout.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void rgb3_ref(const uint8_t *in, uint8_t *out, int n)
{
    for (size_t i = 0; i < (size_t)n; i++)
        out[i] = (uint8_t)((in[3 * i] * 77 + in[3 * i + 1] * 150 + in[3 * i + 2] * 29) >> 8);
}

void recs9_ref(const float *in, float *out, int n)
{
    for (size_t i = 0; i < (size_t)n; i++) {
        double sum = 0;
        for (size_t k = 9 * i; k < 9 * i + 9; k++)
            sum += (double)in[k] * in[k];
        out[i] = (float)sqrt(sum);
    }
}

void rowsum64_ref(const float *in, float *out, int tiles)
{
    for (size_t row = 0; row < 64 * (size_t)tiles; row++) {
        double sum = 1;
        for (size_t k = 64 * row; k < 64 * row + 64; k++)
            sum += in[k];
        for (size_t k = 64 * row; k < 64 * row + 64; k++)
            out[k] = (float)(in[k] / sum);
    }
}

void tr16_ref(const uint16_t *in, uint16_t *out, int w, int h)
{
    for (size_t y = 0; y < (size_t)h; y++)
        for (size_t x = 0; x < (size_t)w; x++)
            out[x * (size_t)h + y] = in[y * (size_t)w + x];
}

void perm4d_ref(const uint8_t *in, uint8_t *out, int na, int nb, int nc, int nd)
{
    for (int c = 0; c < nc; c++)
        for (int a = 0; a < na; a++)
            for (int b = 0; b < nb; b++) {
                memcpy(out, in + ((a * nb + b) * nc + c) * nd, (size_t)nd);
                out += nd;
            }
}

void firrt_ref(const uint8_t *in, const int32_t *tap, int32_t *out, int n, int taps)
{
    for (int i = 0; i < n; i++) {
        int32_t sum = 0;
        for (int k = 0; k < taps; k++)
            sum += tap[k] * in[i + k];
        out[i] = sum;
    }
}

void warpjac_ref(const float *in, float *out, int rings)
{
    for (size_t r = 0; r < (size_t)rings; r++) {
        double v[32], next[32];
        for (size_t i = 0; i < 32; i++)
            v[i] = in[32 * r + i];
        for (int k = 0; k < 40; k++) {
            for (size_t i = 0; i < 32; i++)
                next[i] = 0.5 * v[i] + 0.25 * (v[(i + 31) % 32] + v[(i + 1) % 32]);
            memcpy(v, next, sizeof v);
        }
        for (size_t i = 0; i < 32; i++)
            out[32 * r + i] = (float)v[i];
    }
}

void revchunk_ref(const float *in, float *out, int chunks)
{
    for (size_t c = 0; c < (size_t)chunks; c++)
        for (size_t i = 0; i < 512; i++)
            out[512 * c + i] = in[512 * c + 511 - i];
}

void upmix_ref(const float *in, float *out, int tiles)
{
    for (size_t k = 0; k < (size_t)tiles; k++)
        for (size_t i = 0; i < 512; i++) {
            double sum = 0;
            for (size_t j = 0; j < 24; j++)
                sum += in[512 * k + (i + j) % 512] * (0.1 + 0.01 * (double)j);
            out[512 * k + i] = (float)sum;
        }
}

void fiveops_ref(float *v, const float *in, const float *bias, const float *other, float factor,
                 float low, float high, int n)
{
    for (int i = 0; i < n; i++)
        v[i] = sqrtf(fabsf(fminf(fmaxf(in[i] * factor + bias[i], low), high))) * other[i];
}

void tinyblk_ref(const float *a, const float *b, float *out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = sqrtf(a[i] * a[i] + b[i] * b[i]);
}

void minihist_ref(const uint8_t *in, uint32_t *out, int n, int items)
{
    memset(out, 0, 16 * (size_t)n * sizeof *out);
    for (size_t k = 0; k < (size_t)items; k++)
        for (size_t i = 0; i < (size_t)n; i++)
            out[(in[k * (size_t)n + i] & 15u) * (size_t)n + i]++;
}

void padvain_ref(const float *in, float *out, int tiles)
{
    for (size_t t = 0; t < (size_t)tiles; t++)
        for (size_t k = 0; k < 32; k++)
            for (size_t x = 0; x < 32; x++)
                out[1024 * t + 32 * k + x] = in[1024 * t + 32 * (31 - k) + (x + k) % 32];
}

void gridvain_ref(const float *in, float *out, float factor, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = in[i] * factor;
}

void weekday_ref(const uint32_t *day, uint32_t *out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = (day[i] + 4) % 7;
}
