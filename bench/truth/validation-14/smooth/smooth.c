// Cross entropy with smoothed labels, for the fourteenth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

static double number(unsigned short h)
{
    int exponent = h >> 10 & 31, fraction = h & 1023;
    double v = exponent == 0 ? ldexp(fraction, -24) : ldexp(fraction + 1024, exponent - 25);
    return h >> 15 ? -v : v;
}

void smooth_ref(float *loss, const unsigned short *x, const int *target, int rows)
{
    for (int r = 0; r < rows; r++) {
        double sum = 0, all = 0;
        if (target[r] < 0) {
            loss[r] = 0;
            continue;
        }
        for (int i = 0; i < 1000; i++) {
            double v = number(x[1000 * r + i]);
            sum += exp(v);
            all += v;
        }
        loss[r] = (float)(log(sum) - 0.9 * number(x[1000 * r + target[r]]) - 0.1 * all / 1000);
    }
}
