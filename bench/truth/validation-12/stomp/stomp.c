// Nearest windows, for the twelfth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void stomp_ref(float *out, const float *x, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = INFINITY;
    for (int apart = 8; apart < n; apart++) {
        double sum = 0;
        for (int i = 0; i + apart < n; i++) {
            for (int k = i == 0 ? 0 : 31; k < 32; k++)
                sum += pow((double)x[i + k] - (double)x[i + apart + k], 2);
            if (i > 0)
                sum -= pow((double)x[i - 1] - (double)x[i + apart - 1], 2);
            out[i] = fminf(out[i], (float)sum);
            out[i + apart] = fminf(out[i + apart], (float)sum);
        }
    }
}
