// Sums down the columns, for the sixth validation list.
// SPDX-License-Identifier: Apache-2.0
void colsum_ref(float *sums, const float *in, int rows, int cols)
{
    for (int x = 0; x < cols; x++) {
        double sum = 0;
        for (int y = 0; y < rows; y++)
            sum += in[y * cols + x];
        sums[x] = (float)sum;
    }
}
