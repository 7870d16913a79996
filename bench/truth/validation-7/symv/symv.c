// A symmetric matrix times a vector, for the seventh validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

void symv_ref(float *y, const float *a, const float *x, int n)
{
    double *sum = calloc((size_t)n, sizeof *sum);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++, a++) {
            sum[i] += (double)*a * x[j];
            if (j < i)
                sum[j] += (double)*a * x[i];
        }
    for (int i = 0; i < n; i++)
        y[i] = (float)sum[i];
    free(sum);
}
