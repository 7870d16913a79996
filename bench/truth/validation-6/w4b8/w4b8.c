// Eight vectors times 4-bit weights, for the sixth validation list.
// SPDX-License-Identifier: Apache-2.0
void w4b8_ref(float *y, const unsigned *weights, const float *scales, const float *x, int rows)
{
    for (int r = 0; r < rows; r++)
        for (int b = 0; b < 8; b++) {
            double sum = 0;
            for (int i = 0; i < 1024; i++) {
                int w = (int)(weights[128L * r + i / 8] >> 4 * (i % 8) & 15) - 8;
                sum += (double)w * scales[16L * r + i / 64] * x[1024 * b + i];
            }
            y[(long)b * rows + r] = (float)sum;
        }
}
