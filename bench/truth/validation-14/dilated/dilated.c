// A dilated convolution, for the fourteenth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void dilated_ref(float *out, const float *x, const float *w, const float *bias, int batch,
                 int length)
{
    for (int b = 0; b < batch; b++)
        for (int o = 0; o < 32; o++)
            for (int t = 0; t < length; t++) {
                double sum = (double)bias[o];
                for (int c = 0; c < 32; c++)
                    for (int k = 0; k < 3; k++) {
                        int at = t - 4 * (2 - k);
                        if (at >= 0)
                            sum += (double)w[(o * 32 + c) * 3 + k] *
                                   (double)x[(b * 32 + c) * length + at];
                    }
                out[(b * 32 + o) * length + t] = (float)tanh(sum);
            }
}
