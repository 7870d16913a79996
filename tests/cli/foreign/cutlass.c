// What bench/foreign/cutlass.cu should give, in double.
// SPDX-License-Identifier: Apache-2.0

void product_ref(float *c, const _Float16 *a, const _Float16 *b, int m, int n, int k)
{
    for (int row = 0; row < m; row++)
        for (int column = 0; column < n; column++) {
            double sum = 0;
            for (int i = 0; i < k; i++)
                sum += (double)a[row * k + i] * (double)b[column * k + i];
            c[row * n + column] = (float)sum;
        }
}
