// Keys and values with a decay a channel, for the eleventh validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void rwkv_ref(float *y, const float *w, const float *u, const float *k, const float *v, int batches)
{
    for (int b = 0; b < batches; b++)
        for (int c = 0; c < 512; c++) {
            double above = 0, below = 0, top = -1e38;
            for (int t = 0; t < 256; t++) {
                int at = (b * 256 + t) * 512 + c;
                double now = fmax(top, (double)u[c] + k[at]);
                double a = exp(top - now), e = exp((double)u[c] + k[at] - now);
                y[at] = (float)((a * above + e * v[at]) / (a * below + e));
                top += w[c];
                now = fmax(top, k[at]);
                a = exp(top - now);
                e = exp(k[at] - now);
                above = a * above + e * v[at];
                below = a * below + e;
                top = now;
            }
        }
}
