// Rows in bf16 to length one, for the fifth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

static float number(unsigned short bits)
{
    unsigned wide = (unsigned)bits << 16;
    float v;
    memcpy(&v, &wide, 4);
    return v;
}

static unsigned short rounded(float v)
{
    unsigned bits;
    memcpy(&bits, &v, 4);
    return (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

void unit_ref(unsigned short *y, const unsigned short *x, int rows)
{
    for (long r = 0; r < rows; r++) {
        double squares = 1e-6;
        for (int i = 0; i < 512; i++) {
            double v = number(x[512 * r + i]);
            squares += v * v;
        }
        for (int i = 0; i < 512; i++)
            y[512 * r + i] = rounded((float)(number(x[512 * r + i]) / sqrt(squares)));
    }
}
