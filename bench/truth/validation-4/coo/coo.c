// Sparse matrix in coordinates times vector, for the fourth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

void coo_ref(float *y, const int *row, const int *col, const float *value, const float *x, int rows,
             int entries)
{
    double *sums = calloc((size_t)rows, sizeof *sums);
    for (int e = 0; e < entries; e++)
        sums[row[e]] += (double)value[e] * x[col[e]];
    for (int r = 0; r < rows; r++)
        y[r] = (float)sums[r];
    free(sums);
}
