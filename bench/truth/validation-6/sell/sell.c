// A sparse matrix times a vector, twice, for the sixth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

static void product(double *out, const int *starts, const int *cols, const float *vals,
                    const double *x, int slices)
{
    for (int r = 0; r < 32 * slices; r++) {
        int first = starts[r / 32], width = starts[r / 32 + 1] - first;
        long at = 32L * first + (long)(r % 32) * width;
        out[r] = 0;
        for (int i = 0; i < width; i++)
            out[r] += vals[at + i] * x[cols[at + i]];
    }
}

void sell_ref(float *out, const int *starts, const int *cols, const float *vals, const float *x,
              int slices)
{
    int rows = 32 * slices;
    double *a = malloc((size_t)rows * sizeof *a), *b = malloc((size_t)rows * sizeof *b);
    for (int r = 0; r < rows; r++)
        a[r] = x[r];
    product(b, starts, cols, vals, a, slices);
    product(a, starts, cols, vals, b, slices);
    for (int r = 0; r < rows; r++)
        out[r] = (float)a[r];
    free(a);
    free(b);
}
