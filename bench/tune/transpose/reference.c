// SPDX-License-Identifier: Apache-2.0
void transpose_ref(float *out, const float *in, int n)
{
    for (long y = 0; y < n; y++)
        for (long x = 0; x < n; x++)
            out[x * n + y] = in[y * n + x];
}
