// Softmax of scores with a slope a head, for the tenth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void alibi_ref(float *out, const float *scores, const float *slopes, int heads)
{
    for (int r = 0; r < 128 * heads; r++, scores += 512, out += 512) {
        int query = r % 128 * 4 + 3;
        float v[512], most = -INFINITY;
        double sum = 0;
        for (int k = 0; k <= query; k++) {
            v[k] = scores[k] * 0.125f - slopes[r / 128] * (float)(query - k);
            most = fmaxf(most, v[k]);
        }
        for (int k = 0; k <= query; k++)
            sum += v[k] = expf(v[k] - most);
        for (int k = 0; k < 512; k++)
            out[k] = k <= query ? (float)(v[k] / sum) : 0;
    }
}
