// Look-ups in a tree of 16 keys a node, for the eleventh validation list.
// SPDX-License-Identifier: Apache-2.0
void btree_ref(unsigned *out, const unsigned *key, const unsigned *value, const unsigned *query,
               int n)
{
    for (int i = 0; i < n; i++) {
        int low = 0;
        for (int step = 32768; step > 0; step /= 2)
            if (key[low + step] <= query[i])
                low += step;
        out[i] = value[low];
    }
}
