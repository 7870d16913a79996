// A histogram of 65536 bins, for the thirteenth validation list.
// SPDX-License-Identifier: Apache-2.0

void hist16_ref(unsigned *bins, const unsigned short *x, int n)
{
    for (int i = 0; i < 65536; i++)
        bins[i] = 0;
    for (int i = 0; i < n; i++)
        bins[x[i]]++;
}
