// Sums and counts by key, for the fifth validation list.
// SPDX-License-Identifier: Apache-2.0
void groupby_ref(int *sums, int *counts, const int *keys, const int *values, int n)
{
    for (int k = 0; k < 512; k++)
        sums[k] = counts[k] = 0;
    for (int i = 0; i < n; i++) {
        sums[keys[i]] += values[i];
        counts[keys[i]]++;
    }
}
