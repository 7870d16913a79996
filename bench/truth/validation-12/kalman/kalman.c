// Tracks filtered, for the twelfth validation list.
// SPDX-License-Identifier: Apache-2.0

void kalman_ref(double *out, const float *z, int n)
{
    for (int i = 0; i < n; i++) {
        double x[4] = {0}, p[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
        for (int step = 0; step < 32; step++) {
            double f[4][4], gain[4][2], low[2][4];
            for (int j = 0; j < 4; j++)
                for (int k = 0; k < 4; k++)
                    f[j][k] = p[j][k] + (j < 2 ? 0.1 * p[j + 2][k] : 0);
            for (int j = 0; j < 4; j++)
                for (int k = 0; k < 4; k++)
                    p[j][k] = f[j][k] + (k < 2 ? 0.1 * f[j][k + 2] : 0) + (j == k ? 0.01 : 0);
            x[0] += 0.1 * x[2];
            x[1] += 0.1 * x[3];
            double a = p[0][0] + 0.5, b = p[0][1], d = p[1][1] + 0.5, det = a * d - b * b;
            double e[2] = {(double)z[2 * step * n + i] - x[0],
                           (double)z[(2 * step + 1) * n + i] - x[1]};
            for (int j = 0; j < 4; j++) {
                gain[j][0] = (p[j][0] * d - p[j][1] * b) / det;
                gain[j][1] = (p[j][1] * a - p[j][0] * b) / det;
                low[0][j] = p[0][j];
                low[1][j] = p[1][j];
                x[j] += gain[j][0] * e[0] + gain[j][1] * e[1];
            }
            for (int j = 0; j < 4; j++)
                for (int k = 0; k < 4; k++)
                    p[j][k] -= gain[j][0] * low[0][k] + gain[j][1] * low[1][k];
        }
        for (int j = 0; j < 4; j++)
            out[j * n + i] = x[j];
    }
}
