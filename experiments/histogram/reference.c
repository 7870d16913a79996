// Counts are whole numbers: nothing to round.
// SPDX-License-Identifier: Apache-2.0
void histogram_ref(unsigned *bins, const unsigned char *in, int n)
{
    for (int b = 0; b < 256; b++)
        bins[b] = 0;
    for (int i = 0; i < n; i++)
        bins[in[i]]++;
}
