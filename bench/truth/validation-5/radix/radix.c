// One pass of a radix sort, for the fifth validation list.
// SPDX-License-Identifier: Apache-2.0
void radix_ref(unsigned *out, const unsigned *keys, int n)
{
    int at[17] = {0};
    for (int i = 0; i < n; i++)
        at[(keys[i] >> 8 & 15) + 1]++;
    for (int d = 0; d < 16; d++)
        at[d + 1] += at[d];
    for (int i = 0; i < n; i++)
        out[at[keys[i] >> 8 & 15]++] = keys[i];
}
