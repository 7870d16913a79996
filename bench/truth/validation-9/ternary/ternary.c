// A vector times rows of ternary weights, for the ninth validation list.
// SPDX-License-Identifier: Apache-2.0
void ternary_ref(float *y, const unsigned *w, const signed char *x, const float *scale, int rows)
{
    static const int weight[4] = {0, 1, -1, 0};
    for (int r = 0; r < rows; r++, w += 128) {
        int sum = 0;
        for (int i = 0; i < 2048; i++)
            sum += x[i] * weight[w[i / 16] >> (i % 16 * 2) & 3];
        y[r] = (float)sum * scale[r];
    }
}
