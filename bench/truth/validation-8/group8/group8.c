// Numbers of 8 bits with a scale for a group, for the eighth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void group8_ref(signed char *q, float *scales, const float *x, int groups)
{
    for (int g = 0; g < groups; g++, x += 32, q += 32) {
        double top = 0;
        for (int i = 0; i < 32; i++)
            top = fmax(top, fabs(x[i]));
        for (int i = 0; i < 32; i++)
            q[i] = (signed char)(top > 0 ? nearbyint(x[i] * 127 / top) : 0);
        scales[g] = (float)(top / 127);
    }
}
