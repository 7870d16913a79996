// Dot product, for the fourth validation list.
// SPDX-License-Identifier: Apache-2.0
void dotf64_ref(double *out, const double *x, const double *y, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    *out = sum;
}
