// Rotary positions, for the second validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void rope_ref(float *out, const float *in, int tokens, int heads, int half)
{
    for (long t = 0; t < tokens; t++)
        for (int i = 0; i < half; i++) {
            double angle = (double)t * pow(10000, -(double)i / half), c = cos(angle),
                   s = sin(angle);
            for (int h = 0; h < heads; h++) {
                const float *x = in + (t * heads + h) * 2 * half + i;
                float *y = out + (t * heads + h) * 2 * half + i;
                y[0] = (float)(x[0] * c - x[half] * s);
                y[half] = (float)(x[0] * s + x[half] * c);
            }
        }
}
