// A product with weights of 4 bits, for the third validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

static double number(unsigned short h)
{
    int exponent = h >> 10 & 31, fraction = h & 1023;
    double v = exponent == 0 ? ldexp(fraction, -24) : ldexp(fraction + 1024, exponent - 25);
    return h >> 15 ? -v : v;
}

void int4_ref(float *y, const unsigned *w, const unsigned short *scale, const float *x, int rows,
              int cols)
{
    for (long r = 0; r < rows; r++) {
        double sum = 0;
        for (long group = 0; group < cols / 128; group++) {
            double dot = 0;
            for (long c = 128 * group; c < 128 * (group + 1); c++)
                dot += ((int)(w[(r * cols + c) / 8] >> 4 * (c % 8) & 15) - 8) * (double)x[c];
            sum += dot * number(scale[r * (cols / 128) + group]);
        }
        y[r] = (float)sum;
    }
}
