// Attention over 8 bits, for the thirteenth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void kv8_ref(float *out, const float *q, const signed char *k, const float *kscale,
             const signed char *v, const float *vscale, int length)
{
    for (int head = 0; head < 32; head++) {
        double sum[128] = {0}, all = 0;
        for (int j = head * length; j < (head + 1) * length; j++) {
            double score = 0;
            for (int d = 0; d < 128; d++)
                score += (double)q[128 * head + d] * k[128 * j + d];
            double e = exp(score * (double)kscale[j] / sqrt(128));
            all += e;
            for (int d = 0; d < 128; d++)
                sum[d] += e * (double)vscale[j] * v[128 * j + d];
        }
        for (int d = 0; d < 128; d++)
            out[128 * head + d] = (float)(sum[d] / all);
    }
}
