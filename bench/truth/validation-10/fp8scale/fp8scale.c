// Rows to 8-bit floats, for the tenth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

// The nearest number of 8 bits with 3 bits of fraction; none is larger than 448.
static unsigned char bits(float v)
{
    double size = fmin(fabs((double)v), 448);
    int exponent = size < 0x1p-6 ? -6 : ilogb(size);
    unsigned units = (unsigned)nearbyint(ldexp(size, 3 - exponent));
    return (unsigned char)((v < 0 ? 128u : 0u) | ((unsigned)(exponent + 6) * 8 + units));
}

void fp8scale_ref(unsigned char *q, float *scale, const float *x, int rows)
{
    for (int r = 0; r < rows; r++, x += 1024) {
        float most = 0;
        for (int j = 0; j < 1024; j++)
            most = fmaxf(most, fabsf(x[j]));
        scale[r] = most / 448;
        for (int j = 0; j < 1024; j++)
            *q++ = bits(x[j] / scale[r]);
    }
}
