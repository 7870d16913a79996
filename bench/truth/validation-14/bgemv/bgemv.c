// Many matrices times vectors, for the fourteenth validation list.
// SPDX-License-Identifier: Apache-2.0
void bgemv_ref(float *y, const float *a, const float *x, int count)
{
    for (int r = 0; r < 64 * count; r++) {
        double sum = 0;
        for (int j = 0; j < 64; j++)
            sum += (double)a[64 * r + j] * (double)x[r / 64 * 64 + j];
        y[r] = (float)sum;
    }
}
