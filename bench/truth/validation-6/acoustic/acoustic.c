// A step of the wave equation, for the sixth validation list.
// SPDX-License-Identifier: Apache-2.0
void acoustic_ref(float *next, const float *u, const float *before, const float *speed, int n)
{
    static const double weight[5] = {-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};
    long plane = (long)n * n;
    for (int z = 0; z < n; z++)
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++) {
                long i = z * plane + (long)y * n + x;
                next[i] = 0;
                if (x < 4 || y < 4 || z < 4 || x >= n - 4 || y >= n - 4 || z >= n - 4)
                    continue;
                double sum = 3 * weight[0] * u[i];
                for (int d = 1; d < 5; d++)
                    sum += weight[d] * ((double)u[i - d] + u[i + d] + u[i - d * n] + u[i + d * n] +
                                        u[i - d * plane] + u[i + d * plane]);
                next[i] = (float)(2.0 * u[i] - before[i] + speed[i] * sum);
            }
}
