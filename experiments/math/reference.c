// In double.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void sines_ref(float *out, const float *in, int n)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < 16; k++)
            sum += sin((double)in[i] + k * 0.125);
        out[i] = (float)sum;
    }
}
