// Update with norms of layers, for the tenth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void lamb_ref(float *out, float *m1, float *v1, const float *p, const float *g, const float *m,
              const float *v, int layers)
{
    static double step[6144];
    for (int layer = 0; layer < layers; layer++) {
        double own = 0, length = 0;
        for (int j = 0; j < 6144; j++) {
            int i = 6144 * layer + j;
            double mi = 0.9 * m[i] + 0.1 * g[i], vi = 0.999 * v[i] + 0.001 * g[i] * g[i];
            step[j] = mi / (sqrt(vi) + 1e-6) + 0.01 * p[i];
            m1[i] = (float)mi;
            v1[i] = (float)vi;
            own += (double)p[i] * p[i];
            length += step[j] * step[j];
        }
        for (int j = 0; j < 6144; j++)
            out[6144 * layer + j] =
                (float)(p[6144 * layer + j] - 0.01 * sqrt(own / length) * step[j]);
    }
}
