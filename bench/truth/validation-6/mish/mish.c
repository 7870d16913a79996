// Mish in f16, for the sixth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

static double number(unsigned short h)
{
    int exponent = h >> 10 & 31, fraction = h & 1023;
    double v = exponent == 0 ? ldexp(fraction, -24) : ldexp(fraction + 1024, exponent - 25);
    return h >> 15 ? -v : v;
}

// The nearest number of 16 bits; none is as large as 65504.
static unsigned short bits(double v)
{
    double size = fabs(v);
    int exponent = size < 0x1p-14 ? -14 : ilogb(size);
    unsigned units = (unsigned)nearbyint(ldexp(size, 10 - exponent));
    return (unsigned short)((unsigned)signbit(v) << 15 |
                            ((unsigned)(exponent + 14) * 1024 + units));
}

void mish_ref(unsigned short *out, const unsigned short *in, int n)
{
    for (int i = 0; i < n; i++) {
        double x = number(in[i]);
        out[i] = bits(x * tanh(log1p(exp(x))));
    }
}
