// Likelihoods of GARCH(1,1), for the eleventh validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void garch_ref(double *out, const double *r, const double *omega, const double *alpha,
               const double *beta, int n)
{
    for (int i = 0; i < n; i++) {
        double h = omega[i] / (1 - alpha[i] - beta[i]), sum = 0;
        for (int t = 0; t < 700; t++) {
            sum += log(h) + r[t] * r[t] / h;
            h = omega[i] + alpha[i] * r[t] * r[t] + beta[i] * h;
        }
        out[i] = -sum / 2;
    }
}
