// Histograms of rows, for the fourteenth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

static float number(unsigned short h)
{
    int exponent = h >> 10 & 31, fraction = h & 1023;
    float v = exponent == 0 ? ldexpf((float)fraction, -24)
                            : ldexpf((float)(fraction + 1024), exponent - 25);
    return h >> 15 ? -v : v;
}

void histrows_ref(unsigned *bins, const unsigned short *x, int rows)
{
    for (int r = 0; r < rows; r++) {
        for (int b = 0; b < 64; b++)
            bins[64 * r + b] = 0;
        for (int i = 0; i < 2048; i++) {
            float v = (number(x[2048 * r + i]) + 4) * 8;
            int b = (int)floorf(v);
            bins[64 * r + (b < 0 ? 0 : b > 63 ? 63 : b)]++;
        }
    }
}
