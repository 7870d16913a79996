// Fluxes of the Euler equations, for the tenth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

// The flux along momentum `along` between two states, by the absolute values of the waves' speeds.
static void roe(double *f, const double *l, const double *r, int along)
{
    const double *q[2] = {l, r};
    double u[2], v[2], p[2], h[2], root[2], flux[2][4];
    int across = 3 - along;
    for (int s = 0; s < 2; s++) {
        u[s] = q[s][along] / q[s][0];
        v[s] = q[s][across] / q[s][0];
        p[s] = 0.4 * (q[s][3] - 0.5 * q[s][0] * (u[s] * u[s] + v[s] * v[s]));
        h[s] = (q[s][3] + p[s]) / q[s][0];
        root[s] = sqrt(q[s][0]);
        flux[s][0] = q[s][along];
        flux[s][along] = q[s][along] * u[s] + p[s];
        flux[s][across] = q[s][along] * v[s];
        flux[s][3] = q[s][along] * h[s];
    }
    double all = root[0] + root[1], um = (root[0] * u[0] + root[1] * u[1]) / all,
           vm = (root[0] * v[0] + root[1] * v[1]) / all,
           hm = (root[0] * h[0] + root[1] * h[1]) / all, half = (um * um + vm * vm) / 2,
           c = sqrt(0.4 * (hm - half)), rho = root[0] * root[1], dp = p[1] - p[0], du = u[1] - u[0];
    double down = fabs(um - c) * (dp - rho * c * du) / (2 * c * c),
           up = fabs(um + c) * (dp + rho * c * du) / (2 * c * c),
           still = fabs(um) * (r[0] - l[0] - dp / (c * c)), turn = fabs(um) * rho * (v[1] - v[0]);
    double less[4];
    less[0] = down + still + up;
    less[along] = down * (um - c) + still * um + up * (um + c);
    less[across] = (down + still + up) * vm + turn;
    less[3] = down * (hm - um * c) + still * half + turn * vm + up * (hm + um * c);
    for (int k = 0; k < 4; k++)
        f[k] = (flux[0][k] + flux[1][k] - less[k]) / 2;
}

void euler2d_ref(float *out, const float *density, const float *vx, const float *vy,
                 const float *pressure, int height)
{
    size_t size = 1200 * (size_t)height;
    double *q = malloc(size * sizeof *q), *next = malloc(size * sizeof *q);
    for (int i = 0; i < 300 * height; i++) {
        double r = density[i], u = vx[i], v = vy[i];
        q[4 * i] = r;
        q[4 * i + 1] = r * u;
        q[4 * i + 2] = r * v;
        q[4 * i + 3] = pressure[i] / 0.4 + 0.5 * r * (u * u + v * v);
    }
    for (int step = 0; step < 2; step++) {
        memcpy(next, q, size * sizeof *q);
        for (int y = 0; y <= height; y++)
            for (int x = 0; x <= 300; x++) {
                int left = x > 0 ? x - 1 : 0, right = x < 300 ? x : 299, low = y > 0 ? y - 1 : 0,
                    high = y < height ? y : height - 1;
                double f[4];
                if (y < height) {
                    roe(f, q + 4 * (300 * y + left), q + 4 * (300 * y + right), 1);
                    for (int k = 0; k < 4; k++) {
                        next[4 * (300 * y + left) + k] -= x > 0 ? 0.2 * f[k] : 0;
                        next[4 * (300 * y + right) + k] += x < 300 ? 0.2 * f[k] : 0;
                    }
                }
                if (x < 300) {
                    roe(f, q + 4 * (300 * low + x), q + 4 * (300 * high + x), 2);
                    for (int k = 0; k < 4; k++) {
                        next[4 * (300 * low + x) + k] -= y > 0 ? 0.2 * f[k] : 0;
                        next[4 * (300 * high + x) + k] += y < height ? 0.2 * f[k] : 0;
                    }
                }
            }
        memcpy(q, next, size * sizeof *q);
    }
    for (size_t i = 0; i < size; i++)
        out[i] = (float)q[i];
    free(q);
    free(next);
}
