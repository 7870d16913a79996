// Counts of words of six letters, for the ninth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

void kmer_ref(int *counts, const unsigned char *reads, int n)
{
    memset(counts, 0, 4096 * sizeof *counts);
    for (int r = 0; r < n; r++)
        for (int i = 0, word = 0; i < 100; i++) {
            word = (word * 4 + (reads[100 * r + i] >> 1 & 3)) % 4096;
            counts[word] += i >= 5;
        }
}
