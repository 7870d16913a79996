// SPDX-License-Identifier: Apache-2.0
void row_sums_ref(float *out, const float *in, int rows, int n)
{
    for (int r = 0; r < rows; r++) {
        double sum = 0;
        for (int i = 0; i < n; i++)
            sum += in[(long)r * n + i];
        out[r] = (float)sum;
    }
}
