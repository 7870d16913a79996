// Instance norm of planes, for the sixth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void instnorm_ref(float *out, const float *in, const float *gain, const float *shift, int planes)
{
    for (int p = 0; p < planes; p++) {
        const float *x = in + 196L * p;
        double mean = 0, variance = 0;
        for (int i = 0; i < 196; i++)
            mean += x[i] / 196.0;
        for (int i = 0; i < 196; i++)
            variance += (x[i] - mean) * (x[i] - mean) / 196.0;
        for (int i = 0; i < 196; i++)
            out[196L * p + i] =
                (float)((x[i] - mean) / sqrt(variance + 1e-5) * gain[p % 160] + shift[p % 160]);
    }
}
