// A layer norm that samples modulate, for the thirteenth validation list.
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

void adaln_ref(unsigned short *out, const unsigned short *x, const unsigned short *scale,
               const unsigned short *shift, int rows)
{
    for (int r = 0; r < rows; r++) {
        double v[768], mean = 0, squares = 0;
        int sample = r / 256 * 768;
        for (int i = 0; i < 768; i++) {
            v[i] = number(x[768 * r + i]);
            mean += v[i] / 768;
        }
        for (int i = 0; i < 768; i++)
            squares += (v[i] - mean) * (v[i] - mean);
        double by = 1 / sqrt(squares / 768 + 1e-6);
        for (int i = 0; i < 768; i++)
            out[768 * r + i] = half((v[i] - mean) * by * (1 + number(scale[sample + i])) +
                                    number(shift[sample + i]));
    }
}
