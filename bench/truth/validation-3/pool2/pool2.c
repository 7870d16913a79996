// The largest of every 2 x 2, for the third validation list.
// SPDX-License-Identifier: Apache-2.0
void pool2_ref(float *out, const float *in, int planes, int height, int width)
{
    int rows = height / 2, cols = width / 2;
    for (long p = 0; p < planes; p++)
        for (long r = 0; r < rows; r++)
            for (long c = 0; c < cols; c++) {
                const float *at = in + (p * height + 2 * r) * width + 2 * c;
                float most = at[0];
                most = at[1] > most ? at[1] : most;
                most = at[width] > most ? at[width] : most;
                most = at[width + 1] > most ? at[width + 1] : most;
                out[(p * rows + r) * cols + c] = most;
            }
}
