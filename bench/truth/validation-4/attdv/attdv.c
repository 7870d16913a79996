// Gradient of attention's values, for the fourth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void attdv_ref(float *dv, const float *s, const float *lse, const float *dout, int heads,
               int length)
{
    for (int h = 0; h < heads; h++) {
        for (int j = 0; j < length; j++) {
            double sums[64] = {0};
            for (int i = 0; i < length; i++) {
                double p = exp((double)s[i * length + j] - lse[i]);
                for (int d = 0; d < 64; d++)
                    sums[d] += p * dout[i * 64 + d];
            }
            for (int d = 0; d < 64; d++)
                dv[j * 64 + d] = (float)sums[d];
        }
        s += length * length;
        lse += length;
        dv += length * 64;
        dout += length * 64;
    }
}
