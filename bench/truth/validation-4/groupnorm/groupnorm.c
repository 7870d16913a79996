// Group norm, for the fourth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void groupnorm_ref(float *out, const float *in, const float *gamma, const float *beta, int images,
                   int channels, int pixels)
{
    int each = channels / 8, count = each * pixels;
    for (int i = 0; i < images; i++)
        for (int g = 0; g < 8; g++, in += count, out += count) {
            double sum = 0, square = 0;
            for (int k = 0; k < count; k++)
                sum += in[k];
            double mean = sum / count;
            for (int k = 0; k < count; k++)
                square += (in[k] - mean) * (in[k] - mean);
            double scale = 1 / sqrt(square / count + 1e-5);
            for (int k = 0; k < count; k++) {
                int c = g * each + k / pixels;
                out[k] = (float)((in[k] - mean) * scale * gamma[c] + beta[c]);
            }
        }
}
