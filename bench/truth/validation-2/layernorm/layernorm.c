// Layer norm of x + residual, for the second validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void layernorm_ref(float *y, const float *x, const float *residual, const float *gain,
                   const float *shift, int rows, int cols)
{
    for (long r = 0; r < rows; r++) {
        const float *a = x + r * cols, *b = residual + r * cols;
        double mean = 0, square = 0;
        for (int i = 0; i < cols; i++)
            mean += a[i] + b[i];
        mean /= cols;
        for (int i = 0; i < cols; i++)
            square += (a[i] + b[i] - mean) * (a[i] + b[i] - mean);
        double scale = 1 / sqrt(square / cols + 1e-5);
        for (int i = 0; i < cols; i++)
            y[r * cols + i] = (float)((a[i] + b[i] - mean) * scale * gain[i] + shift[i]);
    }
}
