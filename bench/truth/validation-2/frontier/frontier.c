// A step of breadth-first search, for the second validation list.
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

void frontier_ref(unsigned *next, const int *level, const int *starts, const int *edges, int now,
                  int nodes)
{
    memset(next, 0, (size_t)nodes / 8);
    for (int n = 0; n < nodes; n++)
        for (int i = starts[n]; level[n] == now && i < starts[n + 1]; i++)
            if (level[edges[i]] < 0)
                next[edges[i] / 32] |= 1u << edges[i] % 32;
}
