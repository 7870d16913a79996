// A layer norm over channels, for the fourteenth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void ln2d_ref(float *out, const float *x, const float *weight, const float *bias, int images,
              int pixels)
{
    for (int i = 0; i < images * pixels; i++) {
        int at = i / pixels * 64 * pixels + i % pixels;
        double mean = 0, squares = 0;
        for (int c = 0; c < 64; c++)
            mean += (double)x[at + c * pixels] / 64;
        for (int c = 0; c < 64; c++) {
            double d = (double)x[at + c * pixels] - mean;
            squares += d * d / 64;
        }
        for (int c = 0; c < 64; c++)
            out[at + c * pixels] = (float)(((double)x[at + c * pixels] - mean) /
                                               sqrt(squares + 1e-5) * (double)weight[c] +
                                           (double)bias[c]);
    }
}
