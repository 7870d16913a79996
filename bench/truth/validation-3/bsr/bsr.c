// A sparse matrix of 4 x 4 blocks times a vector, for the third validation list.
// SPDX-License-Identifier: Apache-2.0
void bsr_ref(float *y, const int *starts, const int *columns, const float *values, const float *x,
             int brows)
{
    for (int r = 0; r < brows; r++) {
        double sums[4] = {0};
        for (int b = starts[r]; b < starts[r + 1]; b++)
            for (int i = 0; i < 16; i++)
                sums[i / 4] += (double)values[b * 16 + i] * x[columns[b] * 4 + i % 4];
        for (int i = 0; i < 4; i++)
            y[r * 4 + i] = (float)sums[i];
    }
}
