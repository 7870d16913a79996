// Matrix times vector, for the thirteenth validation list.
// SPDX-License-Identifier: Apache-2.0

void dgemv_ref(double *out, const double *a, const double *x, const double *y, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = -0.5 * y[i];
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            out[i] += 1.5 * a[j * n + i] * x[j];
}
