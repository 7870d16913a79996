// Cholesky factors, for the second validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void chol_ref(float *l, const float *a, int matrices)
{
    enum { N = 16 };
    for (long m = 0; m < matrices; m++, a += N * N, l += N * N)
        for (int y = 0; y < N; y++)
            for (int x = 0; x < N; x++) {
                double v = a[y * N + x] + (x == y ? 8.0 : 0);
                for (int k = 0; k < x && x <= y; k++)
                    v -= (double)l[y * N + k] * l[x * N + k];
                l[y * N + x] = x > y ? 0 : (float)(x == y ? sqrt(v) : v / l[x * N + x]);
            }
}
