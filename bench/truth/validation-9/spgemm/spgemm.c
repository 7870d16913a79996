// A sparse matrix times a sparse matrix, for the ninth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

void spgemm_ref(float *c, const int *astart, const int *acol, const float *a, const int *bstart,
                const int *bcol, const float *b, int rows)
{
    for (int r = 0; r < rows; r++, c += 512) {
        double sum[512] = {0};
        for (int i = astart[r]; i < astart[r + 1]; i++)
            for (int k = bstart[acol[i]]; k < bstart[acol[i] + 1]; k++)
                sum[bcol[k]] += (double)a[i] * b[k];
        for (int j = 0; j < 512; j++)
            c[j] = (float)sum[j];
    }
}
