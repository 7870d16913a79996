// Sparse matrix times 32 columns, for the fourth validation list.
// SPDX-License-Identifier: Apache-2.0
void spmm_ref(float *c, const int *starts, const int *columns, const float *values, const float *b,
              int rows)
{
    for (int r = 0; r < rows; r++) {
        double sums[32] = {0};
        for (int e = starts[r]; e < starts[r + 1]; e++)
            for (int x = 0; x < 32; x++)
                sums[x] += (double)values[e] * b[columns[e] * 32 + x];
        for (int x = 0; x < 32; x++)
            c[r * 32 + x] = (float)sums[x];
    }
}
