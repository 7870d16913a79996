// Periodogram of unevenly sampled data, for the eleventh validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void lomb_ref(float *out, const float *t, const float *y, int n)
{
    for (int i = 0; i < n; i++) {
        double w = (i + 1) / 128.0, yc = 0, ys = 0, cc = 0, cs = 0, ss = 0;
        for (int j = 0; j < 500; j++) {
            double c = cos(w * t[j]), s = sin(w * t[j]);
            yc += y[j] * c;
            ys += y[j] * s;
            cc += c * c;
            cs += c * s;
            ss += s * s;
        }
        out[i] =
            (float)((ss * yc * yc + cc * ys * ys - 2 * cs * yc * ys) / (cc * ss - cs * cs) / 2);
    }
}
