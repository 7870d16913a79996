// Attention over a window of keys, for the fourth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void window_ref(float *out, const float *q, const float *k, const float *v, int heads, int length)
{
    for (int h = 0; h < heads; h++) {
        for (int i = 0; i < length; i++) {
            double score[64], most = -1e30, sum = 0, values[32] = {0};
            int first = i < 63 ? 0 : i - 63;
            for (int j = first; j <= i; j++) {
                double s = 0;
                for (int d = 0; d < 32; d++)
                    s += (double)q[i * 32 + d] * k[j * 32 + d];
                score[j - first] = s / sqrt(32);
                most = fmax(most, score[j - first]);
            }
            for (int j = first; j <= i; j++) {
                double p = exp(score[j - first] - most);
                sum += p;
                for (int d = 0; d < 32; d++)
                    values[d] += p * v[j * 32 + d];
            }
            for (int d = 0; d < 32; d++)
                out[i * 32 + d] = (float)(values[d] / sum);
        }
        out += 32 * length;
        q += 32 * length;
        k += 32 * length;
        v += 32 * length;
    }
}
