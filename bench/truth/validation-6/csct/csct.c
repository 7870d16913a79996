// The transpose of a sparse matrix times a vector, for the sixth validation list.
// SPDX-License-Identifier: Apache-2.0
void csct_ref(double *y, const int *starts, const int *cols, const double *vals, const double *x,
              int rows, int width)
{
    for (int i = 0; i < width; i++)
        y[i] = 0;
    for (int r = 0; r < rows; r++)
        for (int i = starts[r]; i < starts[r + 1]; i++)
            y[cols[i]] += vals[i] * x[r];
}
