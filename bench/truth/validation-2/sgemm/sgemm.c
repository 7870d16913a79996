// d = alpha*a*b + beta*c, for the second validation list.
// SPDX-License-Identifier: Apache-2.0
void sgemm_ref(float *d, const float *a, const float *b, const float *c, float alpha, float beta,
               int m, int n, int k)
{
    for (int y = 0; y < m; y++) {
        for (int x = 0; x < n; x++)
            d[y * n + x] = 0;
        for (int i = 0; i < k; i++)
            for (int x = 0; x < n; x++)
                d[y * n + x] += a[y * k + i] * b[i * n + x];
        for (int x = 0; x < n; x++)
            d[y * n + x] = alpha * d[y * n + x] + beta * c[y * n + x];
    }
}
