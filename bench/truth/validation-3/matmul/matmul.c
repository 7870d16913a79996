// c = a*b in f32, for the third validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

void matmul_ref(const float *a, const float *b, float *c, int m, int n, int k)
{
    double *sums = malloc((size_t)n * sizeof *sums);
    for (int y = 0; y < m; y++) {
        for (int x = 0; x < n; x++)
            sums[x] = 0;
        for (int i = 0; i < k; i++)
            for (int x = 0; x < n; x++)
                sums[x] += (double)a[y * k + i] * b[i * n + x];
        for (int x = 0; x < n; x++)
            c[y * n + x] = (float)sums[x];
    }
    free(sums);
}
