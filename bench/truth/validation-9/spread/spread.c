// Charges spread over a grid, for the ninth validation list.
// SPDX-License-Identifier: Apache-2.0
static void weights(double *w, double f)
{
    double g = 1 - f;
    w[0] = g * g * g / 6;
    w[1] = (4 - 6 * f * f + 3 * f * f * f) / 6;
    w[2] = (4 - 6 * g * g + 3 * g * g * g) / 6;
    w[3] = f * f * f / 6;
}

void spread_ref(float *grid, const float *x, const float *y, const float *charge, const int *starts)
{
    static double sums[16384];
    for (int i = 0; i < 16384; i++)
        sums[i] = 0;
    for (int s = 0; s < 64; s++)
        for (int i = starts[s]; i < starts[s + 1]; i++) {
            int cx = (int)x[i], cy = (int)y[i];
            double wx[4], wy[4];
            weights(wx, (double)x[i] - cx);
            weights(wy, (double)y[i] - cy);
            for (int k = 0; k < 16; k++) {
                int column = s % 8 * 16 + cx + k % 4 - 1, row = s / 8 * 16 + cy + k / 4 - 1;
                sums[(row & 127) * 128 + (column & 127)] += charge[i] * wx[k % 4] * wy[k / 4];
            }
        }
    for (int i = 0; i < 16384; i++)
        grid[i] = (float)sums[i];
}
