// Matrices by columns, for the thirteenth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>

static double number(unsigned short h)
{
    int exponent = h >> 10 & 31, fraction = h & 1023;
    double v = exponent == 0 ? ldexp(fraction, -24) : ldexp(fraction + 1024, exponent - 25);
    return h >> 15 ? -v : v;
}

void colmm_ref(float *c, const unsigned short *a, const unsigned short *b, int n)
{
    double *wide = malloc((size_t)n * (size_t)n * sizeof *wide),
           *sum = malloc((size_t)n * sizeof *sum);
    for (int i = 0; i < n * n; i++)
        wide[i] = number(a[i]);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            sum[i] = 0;
        for (int k = 0; k < n; k++) {
            double by = number(b[j * n + k]);
            for (int i = 0; i < n; i++)
                sum[i] += by * wide[k * n + i];
        }
        for (int i = 0; i < n; i++)
            c[j * n + i] = (float)sum[i];
    }
    free(wide);
    free(sum);
}
