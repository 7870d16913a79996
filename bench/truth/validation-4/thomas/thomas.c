// Tridiagonal systems, for the fourth validation list.
// SPDX-License-Identifier: Apache-2.0
void thomas_ref(double *x, const double *a, const double *b, const double *c, const double *d,
                int systems)
{
    for (int s = 0; s < systems; s++, x += 128, a += 128, b += 128, c += 128, d += 128) {
        double upper[128], right[128];
        upper[0] = c[0] / b[0];
        right[0] = d[0] / b[0];
        for (int i = 1; i < 128; i++) {
            double pivot = b[i] - a[i] * upper[i - 1];
            upper[i] = c[i] / pivot;
            right[i] = (d[i] - a[i] * right[i - 1]) / pivot;
        }
        x[127] = right[127];
        for (int i = 126; i >= 0; i--)
            x[i] = right[i] - upper[i] * x[i + 1];
    }
}
