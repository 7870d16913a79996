// Places of a motif, for the twelfth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void pwm_ref(float *out, const unsigned char *bases, const float *weights, int n)
{
    for (int i = 0; i < n; i++, bases += 200) {
        out[i] = -INFINITY;
        for (int p = 0; p < 185; p++) {
            double ahead = 0, back = 0;
            for (int k = 0; k < 16; k++) {
                ahead += (double)weights[4 * k + bases[p + k]];
                back += (double)weights[4 * k + 3 - bases[p + 15 - k]];
            }
            out[i] = fmaxf(out[i], (float)(ahead > back ? ahead : back));
        }
    }
}
