// The gradient of a convolution's filters, for the fifth validation list.
// SPDX-License-Identifier: Apache-2.0
static double tap(const float *dy, const float *x, int size)
{
    double sum = 0;
    for (int r = 0; r < size; r++)
        for (int q = 0; q < size; q++)
            sum += (double)dy[r * size + q] * x[r * (size + 2) + q];
    return sum;
}

void filtgrad_ref(float *dw, const float *dy, const float *x, int size)
{
    int outside = (size + 2) * (size + 2);
    for (int o = 0; o < 8; o++)
        for (int c = 0; c < 8; c++)
            for (int t = 0; t < 9; t++) {
                double sum = 0;
                for (int image = 0; image < 4; image++)
                    sum += tap(dy + (image * 8 + o) * size * size,
                               x + (image * 8 + c) * outside + t / 3 * (size + 2) + t % 3, size);
                dw[(o * 8 + c) * 9 + t] = (float)sum;
            }
}
