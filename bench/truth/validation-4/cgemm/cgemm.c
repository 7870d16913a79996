// Product of complex matrices, for the fourth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

void cgemm_ref(const float *a, const float *b, float *c, int m, int n, int k)
{
    double *sums = malloc(2 * (size_t)n * sizeof *sums);
    for (int y = 0; y < m; y++) {
        for (int x = 0; x < 2 * n; x++)
            sums[x] = 0;
        for (int i = 0; i < k; i++) {
            double re = a[2 * (y * k + i)], im = a[2 * (y * k + i) + 1];
            for (int x = 0; x < n; x++) {
                const float *v = b + 2 * (i * n + x);
                sums[2 * x] += re * v[0] - im * v[1];
                sums[2 * x + 1] += re * v[1] + im * v[0];
            }
        }
        for (int x = 0; x < 2 * n; x++)
            c[2 * y * n + x] = (float)sums[x];
    }
    free(sums);
}
