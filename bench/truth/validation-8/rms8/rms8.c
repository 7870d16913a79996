// A norm with rows to 8 bits, for the eighth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void rms8_ref(signed char *q, float *scales, const float *x, const float *gamma, int rows)
{
    for (int r = 0; r < rows; r++, x += 1024, q += 1024) {
        double sum = 0, top = 0;
        for (int i = 0; i < 1024; i++) {
            sum += (double)x[i] * x[i];
            top = fmax(top, fabs((double)x[i] * gamma[i]));
        }
        for (int i = 0; i < 1024; i++)
            q[i] = (signed char)nearbyint((double)x[i] * gamma[i] * 127 / top);
        scales[r] = (float)(top / sqrt(sum / 1024 + 1e-6) / 127);
    }
}
