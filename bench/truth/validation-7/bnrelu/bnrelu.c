// Batch norm by known sums, a residual and ReLU, for the seventh validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

static double number(unsigned short h)
{
    int exponent = h >> 10 & 31, fraction = h & 1023;
    double v = exponent == 0 ? fraction * 0x1p-24 : (fraction + 1024) * 0x1p-25 * (1u << exponent);
    return h >> 15 ? -v : v;
}

// The nearest number of 16 bits; none is negative or as large as 65504.
static unsigned short bits(double v)
{
    int exponent = v < 0x1p-14 ? -14 : ilogb(v);
    unsigned units = (unsigned)nearbyint(ldexp(v, 10 - exponent));
    return (unsigned short)((unsigned)(exponent + 14) * 1024 + units);
}

void bnrelu_ref(unsigned short *y, const unsigned short *x, const unsigned short *residual,
                const float *mean, const float *var, const float *gain, const float *shift,
                int images)
{
    for (int plane = 0; plane < 64 * images; plane++) {
        int c = plane % 64;
        double scale = gain[c] / sqrt(var[c] + 1e-5), offset = shift[c] - mean[c] * scale;
        for (int i = 784 * plane; i < 784 * (plane + 1); i++) {
            double v = number(x[i]) * scale + offset + number(residual[i]);
            y[i] = bits(v > 0 ? v : 0);
        }
    }
}
