// Counts of pairs, for the fourth validation list.
// SPDX-License-Identifier: Apache-2.0
static int bin(float v)
{
    int b = (int)(v * 64);
    return b < 0 ? 0 : b > 63 ? 63 : b;
}

void hist2d_ref(unsigned *counts, const float *x, const float *y, int n)
{
    for (int i = 0; i < 4096; i++)
        counts[i] = 0;
    for (int i = 0; i < n; i++)
        counts[bin(y[i]) * 64 + bin(x[i])]++;
}
