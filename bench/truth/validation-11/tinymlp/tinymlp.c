// A network of three layers of 64, for the eleventh validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

static float number(unsigned short h)
{
    int exponent = h >> 10 & 31, fraction = h & 1023;
    double v = exponent == 0 ? ldexp(fraction, -24) : ldexp(fraction + 1024, exponent - 25);
    return (float)(h >> 15 ? -v : v);
}

// The nearest half, of numbers that are far from the largest one.
static unsigned short half(float v)
{
    unsigned short sign = v < 0 ? 0x8000 : 0;
    int exponent;
    double a = fabs((double)v);
    if (a < ldexp(1, -14))
        return (unsigned short)(sign | (int)rint(ldexp(a, 24)));
    frexp(a, &exponent);
    int bits = (int)rint(ldexp(a, 11 - exponent));
    return (unsigned short)(sign | (((exponent + 14) << 10) + bits - 1024));
}

void tinymlp_ref(unsigned short *out, const unsigned short *x, const unsigned short *w, int n)
{
    static float weights[3][64][64];
    for (int i = 0; i < 12288; i++)
        weights[i / 4096][i % 64][i / 64 % 64] = number(w[i]);
    for (int i = 0; i < n; i++) {
        float act[64], next[64];
        for (int k = 0; k < 64; k++)
            act[k] = number(x[64 * i + k]);
        for (int layer = 0; layer < 3; layer++) {
            for (int j = 0; j < 64; j++)
                next[j] = 0;
            for (int k = 0; k < 64; k++)
                for (int j = 0; j < 64; j++)
                    next[j] += act[k] * weights[layer][k][j];
            for (int j = 0; j < 64; j++)
                act[j] = layer < 2 && next[j] < 0 ? 0 : next[j];
        }
        for (int j = 0; j < 64; j++)
            out[64 * i + j] = half(act[j]);
    }
}
