// A triangular solve of many right sides, for the fifth validation list.
// SPDX-License-Identifier: Apache-2.0
void trsm_ref(double *x, const double *l, const double *diagonal, const double *b, int m)
{
    for (int i = 0; i < 32; i++)
        for (int c = 0; c < m; c++) {
            double v = b[i * m + c];
            for (int j = 0; j < i; j++)
                v -= l[32 * i + j] * x[j * m + c];
            x[i * m + c] = v / diagonal[i];
        }
}
