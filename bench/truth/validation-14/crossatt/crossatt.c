// Attention to a text, for the fourteenth validation list.
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

void crossatt_ref(unsigned short *out, const unsigned short *q, const unsigned short *k,
                  const unsigned short *v, int queries)
{
    static double keys[77 * 64], values[77 * 64];
    for (int h = 0; h < 8; h++) {
        for (int i = 0; i < 77 * 64; i++) {
            keys[i] = number(k[h * 77 * 64 + i]);
            values[i] = number(v[h * 77 * 64 + i]);
        }
        for (int r = h * queries; r < (h + 1) * queries; r++) {
            double own[64], to[64] = {0}, sum = 0;
            for (int d = 0; d < 64; d++)
                own[d] = number(q[r * 64 + d]);
            for (int j = 0; j < 77; j++) {
                double s = 0;
                for (int d = 0; d < 64; d++)
                    s += own[d] * keys[j * 64 + d];
                s = exp(s / 8);
                sum += s;
                for (int d = 0; d < 64; d++)
                    to[d] += s * values[j * 64 + d];
            }
            for (int d = 0; d < 64; d++)
                out[r * 64 + d] = half(to[d] / sum);
        }
    }
}
