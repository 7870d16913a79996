// A sparse matrix times a vector, five times in turn, for the third validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

void ell_ref(float *y, const int *columns, const float *values, const float *x, int rows, int width)
{
    double *from = malloc((size_t)rows * sizeof *from), *to = malloc((size_t)rows * sizeof *to);
    for (int r = 0; r < rows; r++)
        from[r] = x[r];
    for (int turn = 0; turn < 5; turn++) {
        for (int r = 0; r < rows; r++) {
            to[r] = 0;
            for (int i = r * width; i < (r + 1) * width; i++)
                to[r] += values[i] * from[columns[i]];
        }
        memcpy(from, to, (size_t)rows * sizeof *from);
    }
    for (int r = 0; r < rows; r++)
        y[r] = (float)from[r];
    free(from);
    free(to);
}
