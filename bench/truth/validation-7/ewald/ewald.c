// Structure factors of charges, for the seventh validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void ewald_ref(float *out, const float *wave, const float *charge, int waves, int charges)
{
    for (int k = 0; k < waves; k++) {
        const float *w = wave + 3 * k, *c = charge;
        double real = 0, imaginary = 0;
        for (int j = 0; j < charges; j++, c += 4) {
            double phase = (double)w[0] * c[0] + (double)w[1] * c[1] + (double)w[2] * c[2];
            real += c[3] * cos(phase);
            imaginary += c[3] * sin(phase);
        }
        out[2 * k] = (float)real;
        out[2 * k + 1] = (float)imaginary;
    }
}
