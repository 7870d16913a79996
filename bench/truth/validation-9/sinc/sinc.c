// Audio resampled by a windowed sinc, for the ninth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void sinc_ref(float *out, const float *in, int blocks)
{
    for (int o = 0; o < 588 * blocks; o++) {
        double sum = 0;
        for (int k = -11; k <= 12; k++) {
            int i = o * 160 / 147 + k;
            double x = o * 160 % 147 / 147.0 - k, c = cos(M_PI * x / 24);
            if (i >= 0 && i < 640 * blocks)
                sum += in[i] * (x == 0 ? 1 : sin(M_PI * x) / (M_PI * x) * c * c);
        }
        out[o] = (float)sum;
    }
}
