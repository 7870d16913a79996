// American puts by binomial trees, for the fifth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void binomial_ref(float *price, const float *spot, const float *strike, int options)
{
    double dt = 1.0 / 256, up = exp(0.3 * sqrt(dt)), growth = exp(0.05 * dt);
    double rise = (growth - 1 / up) / (up - 1 / up) / growth, fall = 1 / growth - rise;
    for (int o = 0; o < options; o++) {
        double v[257];
        for (int step = 256; step >= 0; step--)
            for (int j = 0; j <= step; j++) {
                double now = strike[o] - spot[o] * pow(up, 2 * j - step);
                double later = step < 256 ? rise * v[j + 1] + fall * v[j] : 0;
                v[j] = now > later ? now : later;
            }
        price[o] = (float)v[0];
    }
}
