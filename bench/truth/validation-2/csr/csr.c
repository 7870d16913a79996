// A sparse matrix times a vector in f64, for the second validation list.
// SPDX-License-Identifier: Apache-2.0
void csr_ref(double *y, const int *starts, const int *columns, const double *values,
             const double *x, int rows)
{
    for (int r = 0; r < rows; r++) {
        y[r] = 0;
        for (int i = starts[r]; i < starts[r + 1]; i++)
            y[r] += values[i] * x[columns[i]];
    }
}
