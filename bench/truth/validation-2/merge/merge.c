// Two sorted lists merged, for the second validation list.
// SPDX-License-Identifier: Apache-2.0
void merge_ref(unsigned *out, const unsigned *a, const unsigned *b, int na, int nb)
{
    for (int i = 0, j = 0; i + j < na + nb;) {
        int k = i + j;
        out[k] = j >= nb || (i < na && a[i] <= b[j]) ? a[i++] : b[j++];
    }
}
