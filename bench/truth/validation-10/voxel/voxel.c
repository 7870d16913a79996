// Points to the means of cells, for the tenth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

void voxel_ref(float *mean, int *counts, const float *p, const float *f, int n)
{
    double *sums = calloc(16384, sizeof *sums);
    for (int i = 0; i < 4096; i++)
        counts[i] = 0;
    for (int i = 0; i < n; i++) {
        int cell =
            ((int)(p[3 * i + 2] * 16) * 16 + (int)(p[3 * i + 1] * 16)) * 16 + (int)(p[3 * i] * 16);
        counts[cell]++;
        for (int k = 0; k < 4; k++)
            sums[4 * cell + k] += f[4 * i + k];
    }
    for (int i = 0; i < 16384; i++)
        mean[i] = counts[i / 4] > 0 ? (float)(sums[i] / counts[i / 4]) : 0;
    free(sums);
}
