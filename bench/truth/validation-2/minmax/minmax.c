// Smallest and largest, for the second validation list.
// SPDX-License-Identifier: Apache-2.0
void minmax_ref(int *out, const int *in, int n)
{
    out[0] = out[1] = in[0];
    for (int i = 1; i < n; i++) {
        out[0] = in[i] < out[0] ? in[i] : out[0];
        out[1] = in[i] > out[1] ? in[i] : out[1];
    }
}
