// A step of the Euler equations, for the eighth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

// Density, momentum across the face, along it, energy.
static void flux(double f[4], const double l[4], const double r[4])
{
    const double *side[2] = {l, r};
    double u[2], c[2], g[2][4];
    for (int k = 0; k < 2; k++) {
        const double *v = side[k];
        double p = 0.4 * (v[3] - 0.5 * (v[1] * v[1] + v[2] * v[2]) / v[0]);
        u[k] = v[1] / v[0];
        c[k] = sqrt(1.4 * p / v[0]);
        g[k][0] = v[1];
        g[k][1] = v[1] * u[k] + p;
        g[k][2] = v[2] * u[k];
        g[k][3] = (v[3] + p) * u[k];
    }
    double sl = fmin(0, fmin(u[0] - c[0], u[1] - c[1])),
           sr = fmax(0, fmax(u[0] + c[0], u[1] + c[1]));
    for (int i = 0; i < 4; i++)
        f[i] = (sr * g[0][i] - sl * g[1][i] + sl * sr * (r[i] - l[i])) / (sr - sl);
}

static int within(int i, int n)
{
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

void hll_ref(float *out, const float *rho, const float *mx, const float *my, const float *e, int n)
{
    static const int dx[5] = {0, -1, 1, 0, 0}, dy[5] = {0, 0, 0, -1, 1};
    long size = (long)n * n;
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            double v[5][4], w[5][4], left[4], right[4], above[4], below[4];
            for (int k = 0; k < 5; k++) {
                int i = within(y + dy[k], n) * n + within(x + dx[k], n);
                v[k][0] = w[k][0] = rho[i];
                v[k][1] = w[k][2] = mx[i];
                v[k][2] = w[k][1] = my[i];
                v[k][3] = w[k][3] = e[i];
            }
            flux(left, v[1], v[0]);
            flux(right, v[0], v[2]);
            flux(above, w[3], w[0]);
            flux(below, w[0], w[4]);
            for (int i = 0; i < 4; i++) {
                int j = i == 1 ? 2 : i == 2 ? 1 : i;
                out[i * size + y * n + x] =
                    (float)(v[0][i] - 0.1 * (right[i] - left[i] + below[j] - above[j]));
            }
        }
}
