// Patterns in a transformed text, for the twelfth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

void fmindex_ref(int *out, const unsigned char *text, const unsigned char *patterns, int n)
{
    // before[4*i+c] is how many letters c are above row i.
    int *before = calloc(4 * (size_t)n + 4, sizeof *before), first[4] = {0};
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 4; c++)
            before[4 * i + 4 + c] = before[4 * i + c] + (text[i] == c);
    for (int c = 1; c < 4; c++)
        first[c] = first[c - 1] + before[4 * n + c - 1];
    for (int i = 0; i < n / 16; i++) {
        int low = 0, high = n;
        for (int k = 15; k >= 0; k--) {
            int c = patterns[16 * i + k];
            low = first[c] + before[4 * low + c];
            high = first[c] + before[4 * high + c];
        }
        out[2 * i] = low < high ? low : 0;
        out[2 * i + 1] = low < high ? high : 0;
    }
    free(before);
}
