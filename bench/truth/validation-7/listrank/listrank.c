// Places in linked lists, for the seventh validation list.
// SPDX-License-Identifier: Apache-2.0
void listrank_ref(int *out, const int *order, int n)
{
    for (int i = 0; i < n; i++)
        out[order[i]] = 999 - i % 1000;
}
