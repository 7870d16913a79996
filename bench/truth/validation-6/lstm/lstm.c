// Gates of an LSTM cell, for the sixth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

void lstm_ref(float *h, float *next, const float *gates, const float *bias, const float *cell,
              int batch)
{
    for (int b = 0; b < batch; b++)
        for (int u = 0; u < 300; u++) {
            double g[4];
            for (int k = 0; k < 4; k++)
                g[k] = (double)gates[1200L * b + 300 * k + u] + bias[300 * k + u];
            double c = sigmoid(g[1]) * cell[300L * b + u] + sigmoid(g[0]) * tanh(g[2]);
            next[300L * b + u] = (float)c;
            h[300L * b + u] = (float)(sigmoid(g[3]) * tanh(c));
        }
}
