// A step of Newton and Schulz, for the twelfth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

static float number(unsigned short h)
{
    int exponent = h >> 10 & 31, fraction = h & 1023;
    double v = exponent == 0 ? ldexp(fraction, -24) : ldexp(fraction + 1024, exponent - 25);
    return (float)(h >> 15 ? -v : v);
}

void muon_ref(float *y, const unsigned short *h, int n)
{
    static float x[64][64], a[64][64], b[64][64];
    for (int m = 0; m < n; m++, y += 4096, h += 4096) {
        for (int i = 0; i < 4096; i++)
            x[i / 64][i % 64] = number(h[i]);
        for (int i = 0; i < 64; i++)
            for (int j = 0; j < 64; j++) {
                a[i][j] = 0;
                for (int k = 0; k < 64; k++)
                    a[i][j] += x[i][k] * x[j][k];
            }
        for (int i = 0; i < 64; i++) {
            float *to = y + 64 * i;
            for (int j = 0; j < 64; j++) {
                b[i][j] = -4.775f * a[i][j];
                to[j] = 3.4445f * x[i][j];
            }
            for (int k = 0; k < 64; k++)
                for (int j = 0; j < 64; j++)
                    b[i][j] += 2.0315f * a[i][k] * a[k][j];
            for (int k = 0; k < 64; k++)
                for (int j = 0; j < 64; j++)
                    to[j] += b[i][k] * x[k][j];
        }
    }
}
