// c = a*b in f64, for the third validation list.
// SPDX-License-Identifier: Apache-2.0
void dgemm_ref(double *c, const double *a, const double *b, int m, int n, int k)
{
    for (int y = 0; y < m; y++) {
        for (int x = 0; x < n; x++)
            c[y * n + x] = 0;
        for (int i = 0; i < k; i++)
            for (int x = 0; x < n; x++)
                c[y * n + x] += a[y * k + i] * b[i * n + x];
    }
}
