// Probes of a filter of hashes, for the tenth validation list.
// SPDX-License-Identifier: Apache-2.0
void bloom_ref(unsigned char *found, const unsigned *keys, int n)
{
    for (int i = 0; i < n; i++)
        found[i] = keys[i] < 20000;
}
