// Where runs begin, for the sixth validation list.
// SPDX-License-Identifier: Apache-2.0
void rle_ref(int *starts, int *runs, const int *in, int n)
{
    int found = 0;
    for (int i = 0; i < n; i++)
        if (i == 0 || in[i] != in[i - 1])
            starts[found++] = i;
    *runs = found;
}
