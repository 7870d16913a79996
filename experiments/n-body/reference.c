// All pairs in double.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void forces_ref(float *out, const float *bodies, int n, int first, int end)
{
    for (int i = first; i < end; i++) {
        double sum[3] = {0}, d[3];
        for (int k = 0; k < n; k++) {
            double square = 1.0e-4;
            for (int c = 0; c < 3; c++) {
                d[c] = (double)bodies[4 * k + c] - (double)bodies[4 * i + c];
                square += d[c] * d[c];
            }
            double s = (double)bodies[4 * k + 3] / (square * sqrt(square));
            for (int c = 0; c < 3; c++)
                sum[c] += d[c] * s;
        }
        for (int c = 0; c < 3; c++)
            out[4 * i + c] = (float)sum[c];
        out[4 * i + 3] = 0;
    }
}
