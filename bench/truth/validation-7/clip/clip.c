// Gradients scaled to a norm, for the seventh validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

static double number(unsigned short h)
{
    int exponent = h >> 10 & 31, fraction = h & 1023;
    double v = exponent == 0 ? fraction * 0x1p-24 : (fraction + 1024) * 0x1p-25 * (1u << exponent);
    return h >> 15 ? -v : v;
}

// The nearest number of 16 bits; none is as large as 65504.
static unsigned short bits(double v)
{
    double size = fabs(v);
    int exponent = size < 0x1p-14 ? -14 : ilogb(size);
    unsigned units = (unsigned)nearbyint(ldexp(size, 10 - exponent));
    return (unsigned short)((unsigned)!!signbit(v) << 15 |
                            ((unsigned)(exponent + 14) * 1024 + units));
}

void clip_ref(unsigned short *out, const unsigned short *grad, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += number(grad[i]) * number(grad[i]);
    double scale = fmin(1, 100 / (sqrt(sum) + 1e-6));
    for (int i = 0; i < n; i++)
        out[i] = bits(number(grad[i]) * scale);
}
