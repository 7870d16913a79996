// Histograms of three channels, for the second validation list.
// SPDX-License-Identifier: Apache-2.0
void rgbhist_ref(unsigned *bins, const unsigned char *in, int n)
{
    for (int i = 0; i < 768; i++)
        bins[i] = 0;
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 3; c++)
            bins[256 * c + in[4 * i + c]]++;
}
