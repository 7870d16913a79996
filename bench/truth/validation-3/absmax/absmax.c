// Rows in int8, for the third validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void absmax_ref(signed char *out, float *scale, const float *in, int rows, int cols)
{
    for (long r = 0; r < rows; r++) {
        double most = 0;
        for (int c = 0; c < cols; c++)
            most = fmax(most, fabs((double)in[r * cols + c]));
        scale[r] = (float)(most / 127);
        for (int c = 0; c < cols; c++)
            out[r * cols + c] = (signed char)lrint(in[r * cols + c] * 127 / most);
    }
}
