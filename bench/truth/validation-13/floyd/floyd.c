// Paths between all pairs, for the thirteenth validation list.
// SPDX-License-Identifier: Apache-2.0

void floyd_ref(int *d, const int *weights, int n)
{
    for (int i = 0; i < n * n; i++)
        d[i] = i / n == i % n ? 0 : weights[i];
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                if (d[i * n + k] + d[k * n + j] < d[i * n + j])
                    d[i * n + j] = d[i * n + k] + d[k * n + j];
}
