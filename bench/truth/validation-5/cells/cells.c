// Forces within a radius by lists of cells, for the fifth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

// Adds the force of the particles of a cell, which lies by (dx, dy, dz) from that of p.
static void add_cell(double *sum, const float *place, int p, int first, int end, int dx, int dy,
                     int dz)
{
    for (int o = first; o < end; o++) {
        double x = place[4 * p] - place[4 * o] - dx, y = place[4 * p + 1] - place[4 * o + 1] - dy;
        double z = place[4 * p + 2] - place[4 * o + 2] - dz, r = sqrt(x * x + y * y + z * z);
        if (o == p || r >= 1)
            continue;
        double w = 1 - r;
        sum[0] += w / r * x;
        sum[1] += w / r * y;
        sum[2] += w / r * z;
        sum[3] += 0.5 * w * w;
    }
}

void cells_ref(float *force, const float *place, const int *starts, int side)
{
    for (int c = 0; c < side * side * side; c++)
        for (int p = starts[c]; p < starts[c + 1]; p++) {
            double sum[4] = {0};
            for (int k = 0; k < 27; k++) {
                int dx = k % 3 - 1, dy = k / 3 % 3 - 1, dz = k / 9 - 1;
                int x = (c % side + dx + side) % side, y = (c / side % side + dy + side) % side;
                int z = (c / (side * side) + dz + side) % side, near = (z * side + y) * side + x;
                add_cell(sum, place, p, starts[near], starts[near + 1], dx, dy, dz);
            }
            for (int i = 0; i < 4; i++)
                force[4 * p + i] = (float)sum[i];
        }
}
