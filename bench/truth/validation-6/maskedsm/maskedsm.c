// Softmax under a mask, for the sixth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void maskedsm_ref(float *out, const float *in, const unsigned char *mask, int rows)
{
    for (int r = 0; r < rows; r++, in += 512, mask += 512, out += 512) {
        double most = -INFINITY, sum = 0;
        for (int i = 0; i < 512; i++)
            if (mask[i])
                most = fmax(most, 0.125 * in[i]);
        for (int i = 0; i < 512; i++)
            if (mask[i])
                sum += exp(0.125 * in[i] - most);
        for (int i = 0; i < 512; i++)
            out[i] = mask[i] ? (float)(exp(0.125 * in[i] - most) / sum) : 0;
    }
}
