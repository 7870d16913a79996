// Rows added by an index, for the third validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

void addrows_ref(float *out, const float *in, const int *index, int items, int rows, int width)
{
    double *sums = calloc((size_t)rows * (size_t)width, sizeof *sums);
    for (int i = 0; i < items; i++)
        for (int j = 0; j < width; j++)
            sums[index[i] * width + j] += in[i * width + j];
    for (int i = 0; i < rows * width; i++)
        out[i] = (float)sums[i];
    free(sums);
}
