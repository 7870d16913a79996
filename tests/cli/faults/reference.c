// SPDX-License-Identifier: Apache-2.0
void copy_ref(int *out, const int *in, int N)
{
    for (int i = 0; i < N; i++)
        out[i] = in[i];
}
