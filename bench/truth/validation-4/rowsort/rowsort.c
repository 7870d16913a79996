// Rows sorted, for the fourth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

static int order(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

void rowsort_ref(unsigned *out, const unsigned *in, int rows)
{
    for (int i = 0; i < 64 * rows; i++)
        out[i] = in[i];
    for (int r = 0; r < rows; r++)
        qsort(out + 64 * r, 64, sizeof *out, order);
}
