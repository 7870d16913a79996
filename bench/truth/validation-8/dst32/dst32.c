// Sine transforms of rows, for the eighth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void dst32_ref(float *out, const float *in, int rows)
{
    double sine[66];
    for (int i = 0; i < 66; i++)
        sine[i] = sin(M_PI * i / 33);
    for (int r = 0; r < rows; r++, in += 32)
        for (int k = 1; k <= 32; k++) {
            double sum = 0;
            for (int j = 1; j <= 32; j++)
                sum += in[j - 1] * sine[j * k % 66];
            *out++ = (float)sum;
        }
}
