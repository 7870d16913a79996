// Every 512 keys sorted, for the second validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

static int by_key(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

void blocksort_ref(unsigned *out, const unsigned *in, int n)
{
    memcpy(out, in, (size_t)n * sizeof *out);
    for (int i = 0; i < n; i += 512)
        qsort(out + i, 512, sizeof *out, by_key);
}
