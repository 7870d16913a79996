// Levels of noise, for the twelfth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

void cfar_ref(float *out, const float *in, int rows)
{
    for (int i = 0; i < 1024 * rows; i++) {
        double sum = 0;
        int count = 0;
        for (int k = -20; k <= 20; k++)
            if (abs(k) > 4 && i % 1024 + k >= 0 && i % 1024 + k < 1024) {
                sum += (double)in[i + k];
                count++;
            }
        out[i] = (float)(sum / count);
    }
}
