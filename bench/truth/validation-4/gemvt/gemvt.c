// A transposed matrix times a vector, for the fourth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

void gemvt_ref(float *y, const float *a, const float *x, int rows, int cols)
{
    double *sums = calloc((size_t)cols, sizeof *sums);
    for (long r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++)
            sums[c] += (double)a[r * cols + c] * x[r];
    for (int c = 0; c < cols; c++)
        y[c] = (float)sums[c];
    free(sums);
}
