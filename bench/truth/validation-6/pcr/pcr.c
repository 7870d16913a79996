// Tridiagonal systems, for the sixth validation list.
// SPDX-License-Identifier: Apache-2.0
void pcr_ref(double *x, const double *a, const double *b, const double *c, const double *d,
             int systems)
{
    for (int k = 0; k < systems; k++, a += 64, b += 64, c += 64, d += 64, x += 64) {
        double up[64];
        up[0] = c[0] / b[0];
        x[0] = d[0] / b[0];
        for (int i = 1; i < 64; i++) {
            double pivot = b[i] - a[i] * up[i - 1];
            up[i] = c[i] / pivot;
            x[i] = (d[i] - a[i] * x[i - 1]) / pivot;
        }
        for (int i = 62; i >= 0; i--)
            x[i] -= up[i] * x[i + 1];
    }
}
