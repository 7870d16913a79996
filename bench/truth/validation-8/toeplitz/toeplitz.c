// A Toeplitz matrix times vectors, for the eighth validation list.
// SPDX-License-Identifier: Apache-2.0
void toeplitz_ref(float *y, const float *d, const float *x, int n, int vectors)
{
    for (int v = 0; v < vectors; v++, x += n)
        for (int r = 0; r < n; r++) {
            double sum = 0;
            for (int j = 0; j < n; j++)
                sum += (double)d[r - j + n - 1] * x[j];
            *y++ = (float)sum;
        }
}
