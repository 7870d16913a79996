// Moving sums and ranks over partitions, for the tenth validation list.
// SPDX-License-Identifier: Apache-2.0
void window2_ref(long long *sum, int *rank, const long long *value, const int *key,
                 const int *starts, int parts)
{
    for (int p = 0; p < parts; p++)
        for (int i = starts[p], first = i; i < starts[p + 1]; i++) {
            if (key[i] != key[first])
                first = i;
            rank[i] = first - starts[p] + 1;
            sum[i] = 0;
            for (int k = i; k > i - 16 && k >= starts[p]; k--)
                sum[i] += value[k];
        }
}
