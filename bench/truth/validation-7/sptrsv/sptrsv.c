// A sparse triangle solved by levels, for the seventh validation list.
// SPDX-License-Identifier: Apache-2.0
void sptrsv_ref(double *x, const int *starts, const int *column, const double *value,
                const double *diagonal, const double *b, int size)
{
    for (int row = 0; row < 12 * size; row++) {
        double sum = b[row];
        if (row >= size)
            for (int j = starts[row]; j < starts[row + 1]; j++)
                sum -= value[j] * x[(row / size - 1) * size + column[j]];
        x[row] = sum / diagonal[row];
    }
}
