// Keys and values to 8 bits, for the tenth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

static float number(unsigned short h)
{
    int exponent = h >> 10 & 31, fraction = h & 1023;
    double v = exponent == 0 ? ldexp(fraction, -24) : ldexp(fraction + 1024, exponent - 25);
    return (float)(h >> 15 ? -v : v);
}

void kvquant_ref(signed char *q, float *scale, const unsigned short *x, int rows)
{
    for (int r = 0; r < 2 * rows; r++) {
        float v[128], most = 0;
        for (int j = 0; j < 128; j++) {
            v[j] = number(*x++);
            most = fmaxf(most, fabsf(v[j]));
        }
        scale[r] = most / 127;
        for (int j = 0; j < 128; j++)
            *q++ = (signed char)rintf(v[j] / scale[r]);
    }
}
