// A matrix times a transposed one, for the sixth validation list.
// SPDX-License-Identifier: Apache-2.0
void gemmnt_ref(float *c, const float *a, const float *b, int n, int k)
{
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            float sum = 0;
            for (int i = 0; i < k; i++)
                sum += a[y * k + i] * b[x * k + i];
            c[y * n + x] = sum;
        }
}
