// Born radii over all pairs, for the eleventh validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void born_ref(float *out, const float *p, const float *radius, int n)
{
    for (int i = 0; i < n; i++) {
        double sum = 0, rho = radius[i];
        for (int j = 0; j < n; j++) {
            double dx = (double)p[3 * i] - p[3 * j], dy = (double)p[3 * i + 1] - p[3 * j + 1];
            double dz = (double)p[3 * i + 2] - p[3 * j + 2];
            double r = sqrt(dx * dx + dy * dy + dz * dz), s = 0.8 * radius[j];
            if (j == i || r + s <= rho)
                continue;
            double l = 1 / fmax(rho, fabs(r - s)), u = 1 / (r + s);
            sum += l - u + r / 4 * (u * u - l * l) + log(u / l) / (2 * r) +
                   s * s / (4 * r) * (l * l - u * u);
        }
        out[i] = (float)(1 / rho - sum / 2);
    }
}
