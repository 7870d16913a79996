// A recurrence of states over time, for the fifth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void ssm_ref(float *y, const float *x, const float *dt, const float *a, const float *b,
             const float *c, int channels)
{
    for (long d = 0; d < channels; d++) {
        double h[16] = {0};
        for (long t = 0; t < 128; t++) {
            double step = dt[t * channels + d], out = 0;
            for (int s = 0; s < 16; s++) {
                h[s] =
                    exp(step * a[16 * d + s]) * h[s] + step * b[16 * t + s] * x[t * channels + d];
                out += h[s] * c[16 * t + s];
            }
            y[t * channels + d] = (float)out;
        }
    }
}
