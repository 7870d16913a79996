// Inverses of 16 x 16 matrices with 8 added to their diagonals, for the fifth validation list.
// SPDX-License-Identifier: Apache-2.0
static void invert(double a[16][16])
{
    for (int k = 0; k < 16; k++) {
        double p = 1 / a[k][k];
        for (int j = 0; j < 16; j++)
            a[k][j] *= p;
        a[k][k] = p;
        for (int i = 0; i < 16; i++) {
            double f = a[i][k];
            if (i == k)
                continue;
            a[i][k] = 0;
            for (int j = 0; j < 16; j++)
                a[i][j] -= f * a[k][j];
        }
    }
}

void inv16_ref(float *out, const float *in, int matrices)
{
    for (int m = 0; m < matrices; m++) {
        double a[16][16];
        for (int i = 0; i < 256; i++)
            a[i / 16][i % 16] = in[256L * m + i] + (i / 16 == i % 16 ? 8 : 0);
        invert(a);
        for (int i = 0; i < 256; i++)
            out[256L * m + i] = (float)a[i / 16][i % 16];
    }
}
