// Two grids of a Poisson equation, for the eighth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

static double at(const double *p, int x, int y, int n)
{
    return x >= 0 && y >= 0 && x < n && y < n ? p[y * n + x] : 0;
}

static double residual(const double *u, const double *f, int x, int y, int n)
{
    return f[y * n + x] - 4 * u[y * n + x] + at(u, x - 1, y, n) + at(u, x + 1, y, n) +
           at(u, x, y - 1, n) + at(u, x, y + 1, n);
}

void multigrid_ref(double *out, const double *u, const double *f, int m)
{
    int n = 2 * m + 1;
    double *coarse = malloc((size_t)m * (size_t)m * sizeof *coarse);
    for (int y = 0; y < m; y++)
        for (int x = 0; x < m; x++) {
            double sum = 0;
            for (int k = 0; k < 9; k++)
                sum += (k % 3 == 1 ? 2 : 1) * (k / 3 == 1 ? 2 : 1) *
                       residual(u, f, 2 * x + k % 3, 2 * y + k / 3, n);
            coarse[y * m + x] = sum / 20;
        }
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            int x0 = (x + 1) / 2 - 1, x1 = x / 2, y0 = (y + 1) / 2 - 1, y1 = y / 2;
            double sum = at(coarse, x0, y0, m) + at(coarse, x1, y0, m) + at(coarse, x0, y1, m) +
                         at(coarse, x1, y1, m);
            out[y * n + x] = u[y * n + x] + sum / 4;
        }
    free(coarse);
}
