// Forces between all bodies, for the third validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void nbody2_ref(float *force, const float *body, int n)
{
    for (int i = 0; i < n; i++) {
        double sum[3] = {0, 0, 0};
        for (int j = 0; j < n; j++) {
            double d[3], squared = 0.01f;
            for (int c = 0; c < 3; c++) {
                d[c] = (double)body[4 * j + c] - body[4 * i + c];
                squared += d[c] * d[c];
            }
            double strength = body[4 * j + 3] / (squared * sqrt(squared));
            for (int c = 0; c < 3; c++)
                sum[c] += d[c] * strength;
        }
        for (int c = 0; c < 3; c++)
            force[4 * i + c] = (float)sum[c];
        force[4 * i + 3] = 0;
    }
}
