// Product of int8 matrices, for the fourth validation list.
// SPDX-License-Identifier: Apache-2.0
void i8mm_ref(const signed char *a, const signed char *b, int *c, int m, int n, int k)
{
    for (int y = 0; y < m; y++)
        for (int x = 0; x < n; x++) {
            int sum = 0;
            for (int i = 0; i < k; i++)
                sum += a[y * k + i] * b[x * k + i];
            c[y * n + x] = sum;
        }
}
