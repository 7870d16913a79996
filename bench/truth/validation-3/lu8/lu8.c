// LU of many 8 x 8 matrices, for the third validation list.
// SPDX-License-Identifier: Apache-2.0
void lu8_ref(double *out, const double *a, double shift, int n)
{
    for (long m = 0; m < n; m++) {
        double *v = out + 64 * m;
        for (int i = 0; i < 64; i++)
            v[i] = a[64 * m + i] + (i / 8 == i % 8 ? shift : 0);
        for (int k = 0; k < 8; k++)
            for (int i = k + 1; i < 8; i++) {
                v[8 * i + k] /= v[8 * k + k];
                for (int j = k + 1; j < 8; j++)
                    v[8 * i + j] -= v[8 * i + k] * v[8 * k + j];
            }
    }
}
