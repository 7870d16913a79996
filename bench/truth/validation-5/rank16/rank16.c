// Rows of 16 times a matrix of 16 x 16, for the fifth validation list.
// SPDX-License-Identifier: Apache-2.0
void rank16_ref(float *y, const float *x, const float *w, int rows)
{
    for (long r = 0; r < rows; r++)
        for (int j = 0; j < 16; j++) {
            double sum = 0;
            for (int i = 0; i < 16; i++)
                sum += (double)x[16 * r + i] * w[16 * i + j];
            y[16 * r + j] = (float)sum;
        }
}
