// Log-softmax, for the third validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void logsoft_ref(float *y, const float *x, int rows, int cols)
{
    for (int r = 0; r < rows; r++, x += cols, y += cols) {
        double largest = -INFINITY, sum = 0;
        for (int i = 0; i < cols; i++)
            largest = fmax(largest, x[i]);
        for (int i = 0; i < cols; i++)
            sum += exp(x[i] - largest);
        for (int i = 0; i < cols; i++)
            y[i] = (float)(x[i] - largest - log(sum));
    }
}
