// In double.
// SPDX-License-Identifier: Apache-2.0
void spmv_ref(float *y, const int *starts, const int *columns, const float *values, const float *x,
              int rows)
{
    for (int r = 0; r < rows; r++) {
        double sum = 0;
        for (int i = starts[r]; i < starts[r + 1]; i++)
            sum += (double)values[i] * (double)x[columns[i]];
        y[r] = (float)sum;
    }
}
