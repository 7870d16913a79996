// Weights of 4 bits, for the eleventh validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

static float number(unsigned short h)
{
    int exponent = h >> 10 & 31, fraction = h & 1023;
    double v = exponent == 0 ? ldexp(fraction, -24) : ldexp(fraction + 1024, exponent - 25);
    return (float)(h >> 15 ? -v : v);
}

void w4mma_ref(float *out, const unsigned short *x, const unsigned *w, const float *scale, int n)
{
    static float a[16][1024];
    for (int i = 0; i < 16384; i++)
        a[i / 1024][i % 1024] = number(x[i]);
    for (int j = 0; j < n; j++) {
        float b[1024];
        for (int k = 0; k < 1024; k++)
            b[k] =
                (float)((int)(w[128 * j + k / 8] >> k % 8 * 4 & 15) - 8) * scale[16 * j + k / 64];
        for (int i = 0; i < 16; i++) {
            float sum = 0;
            for (int k = 0; k < 1024; k++)
                sum += a[i][k] * b[k];
            out[i * n + j] = sum;
        }
    }
}
