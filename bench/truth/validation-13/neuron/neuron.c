// Neurons over time, for the thirteenth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

static double ramp(double x)
{
    return fabs(x) < 1e-5 ? 1 + x / 2 : x / (1 - exp(-x));
}

void neuron_ref(float *out, const float *volts, const float *current, int count)
{
    for (int i = 0; i < count; i++) {
        double v = (double)volts[i], m = 0.053, h = 0.596, n = 0.318;
        for (int step = 0; step < 40; step++) {
            double am = ramp((v + 40) / 10), bm = 4 * exp((v + 65) / -18),
                   ah = 0.07 * exp((v + 65) / -20), bh = 1 / (1 + exp((v + 35) / -10)),
                   an = 0.1 * ramp((v + 55) / 10), bn = 0.125 * exp((v + 65) / -80);
            double flow =
                120 * m * m * m * h * (v - 50) + 36 * n * n * n * n * (v + 77) + 0.3 * (v + 54.387);
            m += 0.01 * (am * (1 - m) - bm * m);
            h += 0.01 * (ah * (1 - h) - bh * h);
            n += 0.01 * (an * (1 - n) - bn * n);
            v += 0.01 * ((double)current[i] - flow);
        }
        out[i] = (float)v;
    }
}
