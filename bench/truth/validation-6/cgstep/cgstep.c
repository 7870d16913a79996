// Three steps of conjugate gradients, for the sixth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

void cgstep_ref(double *x, const double *b, int n)
{
    long all = (long)n * n;
    double *r = malloc((size_t)all * 3 * sizeof *r), *p = r + all, *q = p + all, rest = 0;
    for (long i = 0; i < all; i++) {
        x[i] = 0;
        r[i] = p[i] = b[i];
        rest += b[i] * b[i];
    }
    for (int step = 0; step < 3; step++) {
        double along = 0, after = 0;
        for (long i = 0; i < all; i++) {
            long c = i % n;
            q[i] = 4 * p[i] - (c > 0 ? p[i - 1] : 0) - (c < n - 1 ? p[i + 1] : 0) -
                   (i >= n ? p[i - n] : 0) - (i < all - n ? p[i + n] : 0);
            along += p[i] * q[i];
        }
        for (long i = 0; i < all; i++) {
            x[i] += rest / along * p[i];
            r[i] -= rest / along * q[i];
            after += r[i] * r[i];
        }
        for (long i = 0; i < all; i++)
            p[i] = r[i] + after / rest * p[i];
        rest = after;
    }
    free(r);
}
