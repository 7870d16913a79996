// Stencil of 27 points, for the fourth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

void box27_ref(double *out, const double *in, int n)
{
    static const double weight[4] = {-2.0, 0.25, 0.0625, 0.015625};
    for (int z = 1; z < n - 1; z++)
        for (int y = 1; y < n - 1; y++)
            for (int x = 1; x < n - 1; x++) {
                double sum = 0;
                for (int k = -1; k <= 1; k++)
                    for (int j = -1; j <= 1; j++)
                        for (int i = -1; i <= 1; i++)
                            sum += weight[abs(i) + abs(j) + abs(k)] *
                                   in[((z + k) * n + y + j) * n + x + i];
                out[(z * n + y) * n + x] = sum;
            }
}
