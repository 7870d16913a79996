// Potential of Gaussian charges, for the ninth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void boys_ref(double *v, const double *points, const double *atoms, int n)
{
    for (int i = 0; i < n; i++, points += 3) {
        v[i] = 0;
        for (const double *a = atoms; a < atoms + 480; a += 5) {
            double t = 0;
            for (int d = 0; d < 3; d++)
                t += (points[d] - a[d]) * (points[d] - a[d]) * a[3];
            v[i] += a[4] * sqrt(a[3]) * (t < 1e-12 ? 2 / sqrt(M_PI) : erf(sqrt(t)) / sqrt(t));
        }
    }
}
