// Means of bags of embedding rows, for the seventh validation list.
// SPDX-License-Identifier: Apache-2.0
void bag_ref(float *out, const float *table, const int *place, const int *starts, int bags)
{
    for (int b = 0; b < bags; b++) {
        double sum[64] = {0};
        int count = starts[b + 1] - starts[b];
        for (int j = starts[b]; j < starts[b + 1]; j++)
            for (int i = 0; i < 64; i++)
                sum[i] += table[64 * place[j] + i];
        for (int i = 0; i < 64; i++)
            out[64 * b + i] = count ? (float)(sum[i] / count) : 0;
    }
}
