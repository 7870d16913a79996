// The fewest numbers that have a share of a sum, for the eighth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

static int falling(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x < y) - (x > y);
}

void nucleus_ref(int *fewest, const unsigned *in, int rows)
{
    for (int r = 0; r < rows; r++) {
        unsigned v[2048];
        unsigned long sum = 0, part = 0;
        for (int i = 0; i < 2048; i++)
            sum += v[i] = in[2048 * r + i];
        qsort(v, 2048, sizeof *v, falling);
        int count = 0;
        while (10 * part < 9 * sum)
            part += v[count++];
        fewest[r] = count;
    }
}
