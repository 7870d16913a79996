// Two of Jacobi's sweeps in f64, for the second validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

static void sweep(double *out, const double *in, const double *f, int n)
{
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            int i = y * n + x;
            if (x == 0 || y == 0 || x == n - 1 || y == n - 1)
                out[i] = in[i];
            else
                out[i] = 0.25 * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n] - f[i]);
        }
}

void jacobi_ref(double *out, const double *in, const double *f, int n)
{
    double *once = malloc((size_t)n * (size_t)n * sizeof *once);
    sweep(once, in, f, n);
    sweep(out, once, f, n);
    free(once);
}
