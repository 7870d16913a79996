// Records to arrays, for the fourth validation list.
// SPDX-License-Identifier: Apache-2.0
void aos_ref(float *out, const float *in, int n)
{
    for (int i = 0; i < n; i++)
        for (int f = 0; f < 7; f++)
            out[f * n + i] = in[7 * i + f];
}
