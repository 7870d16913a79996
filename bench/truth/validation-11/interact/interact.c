// Products of all pairs of feature vectors, for the eleventh validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

static float number(unsigned short h)
{
    int exponent = h >> 10 & 31, fraction = h & 1023;
    double v = exponent == 0 ? ldexp(fraction, -24) : ldexp(fraction + 1024, exponent - 25);
    return (float)(h >> 15 ? -v : v);
}

void interact_ref(float *out, const unsigned short *x, int samples)
{
    for (int s = 0; s < samples; s++) {
        float v[32][64];
        for (int i = 0; i < 2048; i++)
            v[i / 64][i % 64] = number(*x++);
        for (int i = 1; i < 32; i++)
            for (int j = 0; j < i; j++) {
                float sum = 0;
                for (int d = 0; d < 64; d++)
                    sum += v[i][d] * v[j][d];
                *out++ = sum;
            }
    }
}
