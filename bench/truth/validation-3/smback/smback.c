// Softmax, the gradient of its input, for the third validation list.
// SPDX-License-Identifier: Apache-2.0
void smback_ref(const float *dy, const float *y, float *dx, int rows, int cols)
{
    for (int r = 0; r < rows; r++, dy += cols, y += cols, dx += cols) {
        double dot = 0;
        for (int i = 0; i < cols; i++)
            dot += (double)y[i] * dy[i];
        for (int i = 0; i < cols; i++)
            dx[i] = (float)(y[i] * (dy[i] - dot));
    }
}
