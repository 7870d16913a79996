// A search step from below, for the sixth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

void bfspull_ref(unsigned *next, const int *depth, const int *starts, const int *sources, int nodes)
{
    memset(next, 0, (size_t)nodes / 32 * sizeof *next);
    for (int v = 0; v < nodes; v++)
        for (int e = starts[v]; depth[v] > 6 && e < starts[v + 1]; e++)
            if (depth[sources[e]] == 6) {
                next[v / 32] |= 1u << v % 32;
                break;
            }
}
