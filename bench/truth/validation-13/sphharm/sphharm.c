// Spherical harmonics, for the thirteenth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void sphharm_ref(float *out, const float *dir, int n)
{
    double pi = acos(-1), norm[5][5];
    for (int l = 0; l < 5; l++)
        for (int m = 0; m <= l; m++)
            norm[l][m] = sqrt((2 * l + 1) / (4 * pi) * tgamma(l - m + 1) / tgamma(l + m + 1) *
                              (m > 0 ? 2 : 1));
    for (int i = 0; i < n; i++) {
        double x = (double)dir[3 * i], y = (double)dir[3 * i + 1], z = (double)dir[3 * i + 2],
               length = sqrt(x * x + y * y + z * z);
        double cosine = z / length, sine = sqrt(x * x + y * y) / length, turn = atan2(y, x),
               top = 1;
        for (int m = 0; m < 5; m++) {
            double last = 0, p = top;
            for (int l = m; l < 5; l++) {
                out[25 * i + l * l + l + m] = (float)(norm[l][m] * p * cos(m * turn));
                if (m > 0)
                    out[25 * i + l * l + l - m] = (float)(norm[l][m] * p * sin(m * turn));
                double next = ((2 * l + 1) * cosine * p - (l + m) * last) / (l - m + 1);
                last = p;
                p = next;
            }
            top *= (2 * m + 1) * sine;
        }
    }
}
