// Residuals of planes, for the twelfth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void ransac_ref(float *out, const float *planes, const float *p, int n)
{
    for (int i = 0; i < 512; i++) {
        const float *h = planes + 4 * i;
        double sum = 0;
        for (int j = 0; j < n; j++) {
            const float *q = p + 4 * j;
            float r = h[0] * q[0] + h[1] * q[1] + h[2] * q[2] + h[3];
            sum += (double)(fabsf(q[3]) * (r * r < 0.01f ? r * r : 0.01f));
        }
        out[i] = (float)sum;
    }
}
