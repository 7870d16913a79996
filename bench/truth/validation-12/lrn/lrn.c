// Responses normalised, for the twelfth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void lrn_ref(float *out, const float *in, int images, int n)
{
    int pixels = n * n;
    for (int i = 0; i < 64 * images * pixels; i++) {
        double sum = 0;
        int c = i / pixels % 64;
        for (int k = c < 2 ? -c : -2; k <= 2 && c + k < 64; k++)
            sum += (double)in[i + k * pixels] * in[i + k * pixels];
        double root = sqrt(2 + 2e-5 * sum);
        out[i] = (float)(in[i] / (root * sqrt(root)));
    }
}
