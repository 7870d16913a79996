// Gradient of RMS norm, for the fourth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

static double number(unsigned short bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double v = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return bits & 0x8000 ? -v : v;
}

// The nearest f16 of a number that is not too large for one.
static unsigned short rounded(double v)
{
    unsigned short sign = signbit(v) ? 0x8000 : 0;
    int exponent;
    v = fabs(v);
    frexp(v, &exponent);
    if (v < ldexp(1, -14))
        return (unsigned short)(sign | (unsigned)nearbyint(ldexp(v, 24)));
    unsigned fraction = (unsigned)nearbyint(ldexp(v, 11 - exponent)); // 1024 to 2048
    return (unsigned short)(sign | (((unsigned)(exponent + 13) << 10) + fraction));
}

void rmsback_ref(unsigned short *dx, const unsigned short *dy, const unsigned short *x,
                 const unsigned short *w, int rows, int cols)
{
    for (int r = 0; r < rows; r++, dx += cols, dy += cols, x += cols) {
        double square = 0, dot = 0;
        for (int c = 0; c < cols; c++) {
            double v = number(x[c]);
            square += v * v;
            dot += v * number(dy[c]) * number(w[c]);
        }
        double scale = 1 / sqrt(square / cols + 1e-5), back = dot * scale * scale / cols;
        for (int c = 0; c < cols; c++)
            dx[c] = rounded(scale * (number(dy[c]) * number(w[c]) - number(x[c]) * back));
    }
}
