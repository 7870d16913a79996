// A product summed in f16, for the fourteenth validation list.
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

void hmm16_ref(unsigned short *c, const unsigned short *a, const unsigned short *b,
               const unsigned short *bias, int n)
{
    static double row[65536], wide[128 * 4096];
    for (int i = 0; i < 128 * n; i++)
        wide[i] = number(b[i]);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            row[j] = number(bias[j]);
        for (int p = 0; p < 128; p++) {
            double v = number(a[128 * i + p]);
            for (int j = 0; j < n; j++)
                row[j] += v * wide[p * n + j];
        }
        for (int j = 0; j < n; j++)
            c[i * n + j] = half(row[j]);
    }
}
