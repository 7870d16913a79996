// An image from projections, for the ninth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void backproj_ref(float *image, const float *sino, int n)
{
    int detectors = n * 3 / 2;
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            double sum = 0;
            for (int a = 0; a < 90; a++) {
                double s = (x - 0.5 * n) * cos(M_PI * a / 90) + (y - 0.5 * n) * sin(M_PI * a / 90) +
                           0.5 * detectors;
                const float *at = sino + a * detectors + (int)s;
                sum += at[0] + (s - (int)s) * (at[1] - at[0]);
            }
            *image++ = (float)(sum * M_PI / 90);
        }
}
