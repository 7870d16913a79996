// A lower triangle times a matrix, for the fifth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

void trmm_ref(float *c, const float *l, const float *b, int n, int m)
{
    double *sums = malloc((size_t)m * sizeof *sums);
    for (int y = 0; y < n; y++) {
        for (int x = 0; x < m; x++)
            sums[x] = 0;
        for (int i = 0; i <= y; i++)
            for (int x = 0; x < m; x++)
                sums[x] += (double)l[y * n + i] * b[i * m + x];
        for (int x = 0; x < m; x++)
            c[y * m + x] = (float)sums[x];
    }
    free(sums);
}
