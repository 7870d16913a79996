// A deformable convolution, for the twelfth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void deform_ref(float *out, const float *in, const float *moves, const float *weights, int n)
{
    int all = n * n;
    for (int i = 0; i < all; i++) {
        double sum[16] = {0};
        for (int k = 0; k < 9; k++) {
            float px = (float)(i % n + k % 3 - 1) + moves[2 * k * all + i];
            float py = (float)(i / n + k / 3 - 1) + moves[(2 * k + 1) * all + i];
            int x0 = (int)floorf(px), y0 = (int)floorf(py);
            for (int corner = 0; corner < 4; corner++) {
                int x = x0 + corner % 2, y = y0 + corner / 2;
                float weight = (1 - fabsf(px - (float)x)) * (1 - fabsf(py - (float)y));
                if (x < 0 || x >= n || y < 0 || y >= n)
                    continue;
                for (int c = 0; c < 16; c++)
                    for (int o = 0; o < 16; o++)
                        sum[o] += (double)(weight * in[c * all + y * n + x] *
                                           weights[(o * 16 + c) * 9 + k]);
            }
        }
        for (int o = 0; o < 16; o++)
            out[o * all + i] = (float)sum[o];
    }
}
