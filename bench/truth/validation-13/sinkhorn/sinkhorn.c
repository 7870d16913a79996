// Optimal transport, for the thirteenth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void sinkhorn_ref(float *u, float *v, const float *cost, int count)
{
    static double k[128][128];
    for (int m = 0; m < count; m++) {
        double row[128], col[128];
        for (int i = 0; i < 16384; i++)
            k[i / 128][i % 128] = exp((double)cost[16384 * m + i] / -0.2);
        for (int j = 0; j < 128; j++)
            col[j] = 1;
        for (int round = 0; round < 8; round++) {
            for (int i = 0; i < 128; i++) {
                double sum = 0;
                for (int j = 0; j < 128; j++)
                    sum += k[i][j] * col[j];
                row[i] = 1 / (128 * sum);
            }
            for (int j = 0; j < 128; j++) {
                double sum = 0;
                for (int i = 0; i < 128; i++)
                    sum += k[i][j] * row[i];
                col[j] = 1 / (128 * sum);
            }
        }
        for (int i = 0; i < 128; i++) {
            u[128 * m + i] = (float)row[i];
            v[128 * m + i] = (float)col[i];
        }
    }
}
