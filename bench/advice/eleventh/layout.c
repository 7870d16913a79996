// References of layout.cu.
// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void hwc_ref(const float *in, float *out, int images, int channels, int size)
{
    for (size_t i = 0; i < (size_t)images; i++)
        for (size_t p = 0; p < (size_t)size; p++)
            for (size_t c = 0; c < (size_t)channels; c++)
                out[(i * (size_t)size + p) * (size_t)channels + c] =
                    in[(i * (size_t)channels + c) * (size_t)size + p];
}

void packbits_ref(const float *x, uint32_t *bits, double threshold, int n)
{
    memset(bits, 0, (size_t)n / 32 * sizeof *bits);
    for (int i = 0; i < n; i++)
        bits[i / 32] |= (uint32_t)((double)x[i] > threshold) << i % 32;
}

void zip16_ref(const uint16_t *left, const uint16_t *right, uint16_t *out, int n)
{
    for (int i = 0; i < n; i++) {
        out[2 * i] = left[i];
        out[2 * i + 1] = right[i];
    }
}

void axpyvec_ref(const float *x, float *y, double a, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = (float)(a * (double)x[i] + (double)y[i]);
}

void oddsign_ref(const float *x, float *y, int n)
{
    for (int i = 0; i < n; i++) {
        double v = (double)x[i];
        y[i] = (float)(i % 2 ? 1 - v * v : v / (1 + v));
    }
}

void deinter_ref(const float *in, float *even, float *odd, int chunks)
{
    for (int i = 0; i < chunks * 256; i++) {
        even[i] = in[2 * i];
        odd[i] = in[2 * i + 1];
    }
}

void halfroom_ref(const float *in, float *out, int pieces)
{
    for (size_t p = 0; p < (size_t)pieces; p++)
        for (size_t i = 0; i < 4096; i++)
            out[p * 4096 + i] = in[p * 4096 + 4095 - i];
}

void twofields_ref(float *f, float *g, double rate_f, double rate_g, int n)
{
    for (int i = 0; i < n; i++) {
        f[i] = (float)((double)f[i] * rate_f);
        g[i] = (float)((double)g[i] * rate_g);
    }
}
