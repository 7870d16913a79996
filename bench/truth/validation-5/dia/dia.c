// A matrix of diagonals times a vector, for the fifth validation list.
// SPDX-License-Identifier: Apache-2.0
void dia_ref(double *y, const double *a, const int *offsets, const double *x, int n)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int d = 0; d < 11; d++) {
            int j = i + offsets[d];
            if (j >= 0 && j < n)
                sum += a[(long)d * n + i] * x[j];
        }
        y[i] = sum;
    }
}
