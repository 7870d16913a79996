// Copies.
// SPDX-License-Identifier: Apache-2.0
void gather_ref(float *out, const int *index, const float *table, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = table[index[i]];
}
