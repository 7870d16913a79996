// Rows in int8, for the third validation list: rounded from the same product as the kernels'.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void absmax_ref(signed char *out, float *scale, const float *in, int rows, int cols)
{
    for (long r = 0; r < rows; r++) {
        float most = 0;
        for (int c = 0; c < cols; c++)
            most = fmaxf(most, fabsf(in[r * cols + c]));
        float inverse = most > 0 ? 127 / most : 0;
        scale[r] = most / 127;
        for (int c = 0; c < cols; c++)
            out[r * cols + c] = (signed char)rintf(in[r * cols + c] * inverse);
    }
}
