// Inclusive scan, for the fourth validation list.
// SPDX-License-Identifier: Apache-2.0
void scan3_ref(int *out, const int *in, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        out[i] = sum += in[i];
}
