// y = w*x with w in bf16, for the second validation list.
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

void gemv_ref(float *y, const unsigned short *w, const float *x, int rows, int cols)
{
    for (long r = 0; r < rows; r++) {
        double sum = 0;
        for (int i = 0; i < cols; i++) {
            unsigned bits = (unsigned)w[r * cols + i] << 16;
            float v;
            memcpy(&v, &bits, 4);
            sum += v * x[i];
        }
        y[r] = (float)sum;
    }
}
