// Potential of atoms on a plane, for the fourth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void coulomb_ref(float *out, const float *atoms, int count, int width, int height)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            double sum = 0;
            for (const float *p = atoms; p < atoms + 4 * count; p += 4) {
                double dx = 0.1 * x - p[0], dy = 0.1 * y - p[1], dz = p[2];
                sum += p[3] / sqrt(dx * dx + dy * dy + dz * dz);
            }
            out[y * width + x] = (float)sum;
        }
}
