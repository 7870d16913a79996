// Log-likelihood of label sequences, for the eighth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

static double both(double a, double b)
{
    double top = fmax(a, b);
    return top <= -1e29 ? -1e30 : top + log(exp(a - top) + exp(b - top));
}

void ctc_ref(float *loss, const float *logp, const int *labels, int sequences)
{
    for (int q = 0; q < sequences; q++, logp += 2560, labels += 32) {
        double alpha[65];
        for (int s = 0; s < 65; s++)
            alpha[s] = s < 2 ? (double)logp[s % 2 ? labels[0] : 0] : -1e30;
        for (int t = 1; t < 80; t++)
            for (int s = 64; s >= 0; s--) {
                double sum = alpha[s];
                if (s > 0)
                    sum = both(sum, alpha[s - 1]);
                if (s % 2 && s > 1 && labels[s / 2] != labels[s / 2 - 1])
                    sum = both(sum, alpha[s - 2]);
                alpha[s] = sum + (double)logp[32 * t + (s % 2 ? labels[s / 2] : 0)];
            }
        loss[q] = (float)-both(alpha[63], alpha[64]);
    }
}
