// A vector times rows of int8 with scales, for the fourth validation list.
// SPDX-License-Identifier: Apache-2.0
void q8_ref(float *y, const signed char *w, const float *ws, const signed char *x, const float *xs,
            int rows, int blocks)
{
    for (int r = 0; r < rows; r++) {
        double sum = 0;
        for (int b = 0; b < blocks; b++) {
            int dot = 0;
            for (int i = 0; i < 32; i++)
                dot += w[(r * blocks + b) * 32 + i] * x[b * 32 + i];
            sum += (double)ws[r * blocks + b] * xs[b] * dot;
        }
        y[r] = (float)sum;
    }
}
