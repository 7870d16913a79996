// Causal softmax, for the second validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void softmax_ref(float *out, const float *in, float scale, int rows, int cols)
{
    for (long r = 0; r < rows; r++) {
        const float *x = in + r * cols;
        float *y = out + r * cols, most = -INFINITY;
        int seen = (int)(r % cols) + 1;
        double sum = 0;
        for (int i = 0; i < seen; i++)
            most = fmaxf(most, x[i] * scale);
        for (int i = 0; i < cols; i++) {
            y[i] = i < seen ? expf(x[i] * scale - most) : 0;
            sum += y[i];
        }
        for (int i = 0; i < seen; i++)
            y[i] = (float)(y[i] / sum);
    }
}
