// Forces of particles by cells, for the eighth validation list.
// SPDX-License-Identifier: Apache-2.0
static void particle(float *force, const float *p, const float *place, const int *counts, int cell,
                     int c)
{
    double f[3] = {0, 0, 0};
    for (int k = 0; k < 27; k++) {
        int d[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        int x = (cell % c + d[0] + c) % c, y = (cell / c % c + d[1] + c) % c;
        int other = ((cell / c / c + d[2] + c) % c * c + y) * c + x;
        for (int j = 0; j < counts[other]; j++) {
            const float *q = place + 4L * (32L * other + j);
            double v[3], r2 = 0.3;
            for (int i = 0; i < 3; i++) {
                v[i] = (double)p[i] - q[i] - d[i];
                r2 += v[i] * v[i];
            }
            if (r2 >= 1.3)
                continue;
            double s3 = 1 / (r2 * r2 * r2);
            for (int i = 0; i < 3; i++)
                f[i] += s3 * (2 * s3 - 1) * v[i];
        }
    }
    for (int i = 0; i < 3; i++)
        force[i] = (float)f[i];
}

void mdcells_ref(float *force, const float *place, const int *counts, int c)
{
    for (long i = 0; i < 128L * c * c * c; i++)
        force[i] = 0;
    for (int cell = 0; cell < c * c * c; cell++)
        for (int i = 0; i < counts[cell]; i++) {
            long at = 4L * (32L * cell + i);
            particle(force + at, place + at, place, counts, cell, c);
        }
}
