// Counts of digits by tiles, for the third validation list.
// SPDX-License-Identifier: Apache-2.0
void digits_ref(unsigned *counts, const unsigned *keys, int shift, int n)
{
    int tiles = (n + 2047) / 2048;
    for (int i = 0; i < 16 * tiles; i++)
        counts[i] = 0;
    for (int i = 0; i < n; i++)
        counts[(int)(keys[i] >> shift & 15) * tiles + i / 2048]++;
}
