// Columns to 8 bits, for the thirteenth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void colq8_ref(signed char *out, float *scale, const float *x, int rows, int n)
{
    for (int j = 0; j < n; j++) {
        float largest = 0;
        for (int i = 0; i < rows; i++)
            largest = fmaxf(largest, fabsf(x[i * n + j]));
        scale[j] = largest / 127;
        float by = 127 / largest;
        for (int i = 0; i < rows; i++)
            out[i * n + j] = (signed char)rintf(x[i * n + j] * by);
    }
}
