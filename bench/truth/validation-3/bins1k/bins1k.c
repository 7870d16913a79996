// A histogram of floats, for the third validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void bins1k_ref(unsigned *bins, const float *in, int n)
{
    for (int i = 0; i < 1024; i++)
        bins[i] = 0;
    for (int i = 0; i < n; i++) {
        double at = floor((double)in[i] * 1024);
        bins[at < 0 ? 0 : at > 1023 ? 1023 : (int)at]++;
    }
}
