// Monte Carlo of one option, for the fourth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

static unsigned next(unsigned *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

void asian_ref(float *out, int n)
{
    double all = 0;
    for (int i = 0; i < n; i++) {
        unsigned s = (unsigned)i * 747796405u + 2891336453u;
        s = ((s >> ((s >> 28) + 4)) ^ s) * 277803737u;
        s = (s >> 22 ^ s) | 1;
        double log_price = 0, sum = 0;
        for (int k = 0; k < 32; k++) {
            double u = ((double)(next(&s) >> 8) + 0.5) / 16777216;
            double v = (double)(next(&s) >> 8) / 16777216;
            log_price += 0.0005 + 0.04 * sqrt(-2 * log(u)) * cos(6.28318530717958648 * v);
            sum += exp(log_price);
        }
        all += fmax(sum / 32 - 1, 0);
    }
    *out = (float)(all / n);
}
