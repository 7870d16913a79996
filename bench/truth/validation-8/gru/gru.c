// A step of a GRU, for the eighth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

static double sigmoid(double v)
{
    return 1 / (1 + exp(-v));
}

void gru_ref(float *out, const float *x, const float *h, const float *wx, const float *wh,
             int batch)
{
    for (int b = 0; b < batch; b++, x += 256, h += 256) {
        double sx[768] = {0}, sh[768] = {0};
        for (int k = 0; k < 256; k++)
            for (int u = 0; u < 768; u++) {
                int at = u / 256 * 65536 + k * 256 + u % 256;
                sx[u] += (double)x[k] * wx[at];
                sh[u] += (double)h[k] * wh[at];
            }
        for (int u = 0; u < 256; u++) {
            double z = sigmoid(sx[u] + sh[u]), r = sigmoid(sx[256 + u] + sh[256 + u]);
            *out++ = (float)((1 - z) * tanh(sx[512 + u] + r * sh[512 + u]) + z * h[u]);
        }
    }
}
