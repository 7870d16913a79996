// Sums in double.
// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>

void rows_ref(float *out, const float *in, int rows, int columns)
{
    for (int r = 0; r < rows; r++) {
        double sum = 0;
        for (int i = 0; i < columns; i++)
            sum += (double)in[(size_t)r * (size_t)columns + (size_t)i];
        out[r] = (float)sum;
    }
}
