// Products of all pairs of columns, for the eighth validation list.
// SPDX-License-Identifier: Apache-2.0
void gramcol_ref(float *g, const float *a, int rows)
{
    static double sum[4096];
    for (int i = 0; i < 4096; i++)
        sum[i] = 0;
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < 64; i++)
            for (int j = 0; j < 64; j++)
                sum[64 * i + j] += (double)a[64 * r + i] * a[64 * r + j];
    for (int i = 0; i < 4096; i++)
        g[i] = (float)sum[i];
}
