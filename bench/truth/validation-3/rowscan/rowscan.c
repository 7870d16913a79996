// Exclusive scans of rows, for the third validation list.
// SPDX-License-Identifier: Apache-2.0
void rowscan_ref(float *out, const float *in, int rows, int cols)
{
    for (int r = 0; r < rows; r++) {
        double sum = 0;
        for (int i = r * cols; i < (r + 1) * cols; i++) {
            out[i] = (float)sum;
            sum += in[i];
        }
    }
}
