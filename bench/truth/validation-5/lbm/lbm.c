// Lattice Boltzmann with nine speeds, for the fifth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

static const int right[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
static const int down[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};

static void collide(double *g, const double *f)
{
    double density = 0, u = 0, v = 0;
    for (int i = 0; i < 9; i++) {
        density += f[i];
        u += right[i] * f[i];
        v += down[i] * f[i];
    }
    u /= density;
    v /= density;
    for (int i = 0; i < 9; i++) {
        double share = i == 0  ? 4.0 / 9
                       : i < 5 ? 1.0 / 9
                               : 1.0 / 36,
               c = right[i] * u + down[i] * v;
        double rest = share * density * (1 + 3 * c + 4.5 * c * c - 1.5 * (u * u + v * v));
        g[i] = f[i] + 0.6 * (rest - f[i]);
    }
}

static void step(double *next, const double *f, int size)
{
    for (int y = 0; y < size; y++)
        for (int x = 0; x < size; x++) {
            double g[9];
            collide(g, f + 9 * (y * size + x));
            for (int i = 0; i < 9; i++) {
                int to = (x + right[i] + size) % size, row = (y + down[i] + size) % size;
                next[9 * (row * size + to) + i] = g[i];
            }
        }
}

void lbm_ref(float *out, const float *f, int size)
{
    int count = 9 * size * size;
    double *now = malloc((size_t)count * sizeof *now), *next = malloc((size_t)count * sizeof *next);
    for (int i = 0; i < count; i++)
        now[i] = f[i];
    for (int t = 0; t < 4; t++) {
        step(next, now, size);
        memcpy(now, next, (size_t)count * sizeof *now);
    }
    for (int i = 0; i < count; i++)
        out[i] = (float)now[i];
    free(now);
    free(next);
}
