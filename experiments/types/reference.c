// In double, by the library's sine.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void sines_ref(float *out, const float *in, int n)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < 64; k++)
            sum += sin((double)in[i] + k / 64.0);
        out[i] = (float)(sum / 64);
    }
}
