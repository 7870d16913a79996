// Paths of forward rates, for the ninth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void libor_ref(float *value, const float *z, const float *sigma, int paths)
{
    for (int p = 0; p < paths; p++) {
        double rate[24], discount = 1, sum = 0;
        for (int i = 0; i < 24; i++)
            rate[i] = 0.051;
        for (int t = 0; t < 14; t++) {
            double drift = 0;
            for (int i = t + 1; i < 24; i++) {
                double vol = sigma[i - t - 1];
                drift += vol * rate[i] / 4 / (1 + rate[i] / 4);
                rate[i] *= exp(vol * z[t * paths + p] / 2 + vol / 4 * (drift - vol / 2));
            }
        }
        for (int i = 14; i < 24; i++) {
            discount /= 1 + rate[i] / 4;
            sum += discount * fmax(rate[i] - 0.045, 0);
        }
        value[p] = (float)(25 * sum);
    }
}
