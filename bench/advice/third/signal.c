// References of signal.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdint.h>

static int clamped(int i, int n)
{
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

void edges_ref(float *out, const float *in, int w, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            const float *up = in + clamped(y - 1, h) * w, *at = in + y * w,
                        *down = in + clamped(y + 1, h) * w;
            int l = clamped(x - 1, w), r = clamped(x + 1, w);
            double gx = 0.25 * ((double)up[r] - up[l]) + 0.5 * ((double)at[r] - at[l]) +
                        0.25 * ((double)down[r] - down[l]);
            double gy = 0.25 * ((double)down[l] - up[l]) + 0.5 * ((double)down[x] - up[x]) +
                        0.25 * ((double)down[r] - up[r]);
            out[y * w + x] = (float)sqrt(gx * gx + gy * gy + 1e-12);
        }
}

void decimate_ref(float *out, const float *in, const float *taps, int n)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < 64; k++)
            sum += (double)taps[k] * in[4 * (int64_t)i + k];
        out[i] = (float)sum;
    }
}

void gamma_ref(uint32_t *out, const uint32_t *in, float power, int n)
{
    for (int i = 0; i < n; i++) {
        uint32_t made = 0;
        for (int k = 0; k < 4; k++) {
            uint32_t v = in[i] >> (8 * k) & 255;
            made |= (uint32_t)(powf((float)v / 255.0f, power) * 255.0f + 0.5f) << (8 * k);
        }
        out[i] = made;
    }
}

void digits10_ref(uint32_t *out, const uint32_t *in, uint32_t base, int n)
{
    for (int i = 0; i < n; i++) {
        uint32_t sum = 0;
        for (uint32_t v = in[i]; v > 0; v /= base)
            sum += v % base;
        out[i] = sum;
    }
}

void medians_ref(float *out, const float *in, int n)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 9; k++) {
            float v = in[clamped(i + k - 4, n)];
            int less = 0, same = 0;
            for (int j = 0; j < 9; j++) {
                float u = in[clamped(i + j - 4, n)];
                less += u < v;
                same += u == v;
            }
            if (less <= 4 && less + same > 4)
                out[i] = v;
        }
}

void polynomial_ref(float *out, const float *x, const float *factors, int n)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 63; k >= 0; k--)
            sum = sum * x[i] + factors[k];
        out[i] = (float)sum;
    }
}
