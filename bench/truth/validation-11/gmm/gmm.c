// Responsibilities of Gaussians, for the eleventh validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void gmm_ref(float *out, const float *x, const float *mean, const float *inverse, const float *bias,
             int n)
{
    for (int i = 0; i < n; i++, x += 8, out += 16) {
        double p[16], top = -1e30, sum = 0;
        for (int k = 0; k < 16; k++) {
            double far = 0;
            for (int d = 0; d < 8; d++) {
                double diff = (double)x[d] - mean[8 * k + d];
                far += diff * diff * inverse[8 * k + d];
            }
            p[k] = bias[k] - far / 2;
            top = fmax(top, p[k]);
        }
        for (int k = 0; k < 16; k++)
            sum += p[k] = exp(p[k] - top);
        for (int k = 0; k < 16; k++)
            out[k] = (float)(p[k] / sum);
    }
}
