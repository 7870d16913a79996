// Energies of poses, for the thirteenth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

static double ramp(double v)
{
    return v < 0 ? 0 : v > 1 ? 1 : v;
}

void bude_ref(float *out, const float *poses, const float *ligand, const float *protein,
              const int *kinds, const float *field, int n)
{
    for (int i = 0; i < n; i++) {
        double a = (double)poses[i], b = (double)poses[n + i], c = (double)poses[2 * n + i],
               energy = 0;
        double m[3][3] = {{cos(b) * cos(c), sin(a) * sin(b) * cos(c) - cos(a) * sin(c),
                           cos(a) * sin(b) * cos(c) + sin(a) * sin(c)},
                          {cos(b) * sin(c), sin(a) * sin(b) * sin(c) + cos(a) * cos(c),
                           cos(a) * sin(b) * sin(c) - sin(a) * cos(c)},
                          {-sin(b), sin(a) * cos(b), cos(a) * cos(b)}};
        for (int l = 0; l < 16; l++) {
            double at[3];
            for (int k = 0; k < 3; k++)
                at[k] = m[k][0] * (double)ligand[3 * l] + m[k][1] * (double)ligand[3 * l + 1] +
                        m[k][2] * (double)ligand[3 * l + 2] + (double)poses[(3 + k) * n + i];
            const float *own = field + 3 * kinds[128 + l];
            for (int p = 0; p < 128; p++) {
                const float *other = field + 3 * kinds[p];
                double x = at[0] - (double)protein[3 * p], y = at[1] - (double)protein[3 * p + 1],
                       z = at[2] - (double)protein[3 * p + 2];
                double d = sqrt(x * x + y * y + z * z), radii = (double)own[0] + (double)other[0],
                       gap = d - radii;
                if (gap < 0)
                    energy += 38 * (1 - d / radii);
                energy +=
                    4.5 * ((double)own[1] - 1.25) * ((double)other[1] - 1.25) * ramp(1 - gap / 4);
                energy -= (double)own[2] * (double)other[2] * ramp(1 - gap / 5.5);
            }
        }
        out[i] = (float)(0.5 * energy);
    }
}
