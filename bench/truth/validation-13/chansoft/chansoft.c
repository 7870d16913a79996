// Softmax over channels, for the thirteenth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void chansoft_ref(float *out, const float *x, int images, int n)
{
    int pixels = n * n;
    for (int i = 0; i < images * pixels; i++) {
        int at = i / pixels * 21 * pixels + i % pixels;
        double sum = 0;
        for (int c = 0; c < 21; c++)
            sum += exp((double)x[at + c * pixels]);
        for (int c = 0; c < 21; c++)
            out[at + c * pixels] = (float)(exp((double)x[at + c * pixels]) / sum);
    }
}
