// Sums over a chain's tags, for the twelfth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void crf_ref(float *out, const float *scores, const float *moves, int n)
{
    float by[1024];
    for (int i = 0; i < 1024; i++)
        by[i] = expf(moves[i]);
    for (int i = 0; i < n; i++, scores += 2048) {
        double base = 0, a[32], b[32];
        for (int j = 0; j < 32; j++)
            a[j] = exp((double)scores[j]);
        for (int step = 1; step < 64; step++) {
            double all = 0;
            for (int j = 0; j < 32; j++)
                b[j] = 0;
            for (int k = 0; k < 32; k++)
                for (int j = 0; j < 32; j++)
                    b[j] += a[k] * (double)by[32 * k + j];
            for (int j = 0; j < 32; j++)
                all += b[j] *= (double)expf(scores[32 * step + j]);
            for (int j = 0; j < 32; j++)
                a[j] = b[j] / all;
            base += log(all);
        }
        double sum = 0;
        for (int j = 0; j < 32; j++)
            sum += a[j];
        out[i] = (float)(base + log(sum));
    }
}
