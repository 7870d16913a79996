// Experts' rows combined, for the thirteenth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

static double number(unsigned short h)
{
    int exponent = h >> 10 & 31, fraction = h & 1023;
    double v = exponent == 0 ? ldexp(fraction, -24) : ldexp(fraction + 1024, exponent - 25);
    return h >> 15 ? -v : v;
}

static unsigned short half(double v)
{
    int exponent, sign = v < 0 ? 0x8000 : 0;
    double fraction = frexp(fabs(v), &exponent);
    if (fraction == 0 || exponent < -13)
        return (unsigned short)(sign + lrint(ldexp(fraction, exponent + 24)));
    return (unsigned short)(sign + ((exponent + 13) * 1024) + lrint(ldexp(fraction, 11)));
}

void combine_ref(unsigned short *out, const unsigned short *h, const unsigned short *e,
                 const int *at, const float *weight, int tokens)
{
    for (int t = 0; t < tokens; t++)
        for (int i = 0; i < 1024; i++) {
            double sum = number(h[1024 * t + i]);
            for (int k = 2 * t; k < 2 * t + 2; k++)
                sum += (double)weight[k] * number(e[1024 * at[k] + i]);
            out[1024 * t + i] = half(sum);
        }
}
