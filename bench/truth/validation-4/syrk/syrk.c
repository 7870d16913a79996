// A matrix times its transpose, for the fourth validation list.
// SPDX-License-Identifier: Apache-2.0
void syrk_ref(float *c, const float *a, int n, int k)
{
    for (int y = 0; y < n; y++)
        for (int x = 0; x <= y; x++) {
            double sum = 0;
            for (int i = 0; i < k; i++)
                sum += (double)a[y * k + i] * a[x * k + i];
            c[y * n + x] = c[x * n + y] = (float)sum;
        }
}
