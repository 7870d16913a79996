// Kepler's equation, for the thirteenth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void kepler_ref(double *out, const double *mean, const double *e, int n)
{
    for (int i = 0; i < n; i++) {
        double low = mean[i] - 1, high = mean[i] + 1, x = mean[i];
        for (int k = 0; k < 60; k++) {
            double f = x - e[i] * sin(x) - mean[i], next = x - f / (1 - e[i] * cos(x));
            if (f < 0)
                low = x;
            else
                high = x;
            if (next <= low || next >= high)
                next = 0.5 * (low + high);
            if (fabs(next - x) < 1e-15)
                break;
            x = next;
        }
        out[i] = x;
    }
}
