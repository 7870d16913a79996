// Rounds of a spanning tree, for the eleventh validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

void boruvka_ref(int *label, unsigned long long *total, const int *u, const int *v,
                 const unsigned *w, int n)
{
    unsigned long long *best = malloc((size_t)n * sizeof *best);
    int *parent = malloc((size_t)n * sizeof *parent);
    *total = 0;
    for (int i = 0; i < n; i++)
        label[i] = i;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < n; i++)
            best[i] = ~0ull;
        for (int e = 0; e < 5 * n; e++) {
            int a = label[u[e]], b = label[v[e]];
            unsigned long long key = (unsigned long long)w[e] << 32 | (unsigned)e;
            if (a != b && key < best[a])
                best[a] = key;
            if (a != b && key < best[b])
                best[b] = key;
        }
        for (int i = 0; i < n; i++) {
            parent[i] = i;
            if (label[i] != i || best[i] == ~0ull)
                continue;
            int e = (int)(best[i] & 0xffffffff);
            int other = label[u[e]] == i ? label[v[e]] : label[u[e]];
            if (best[other] != best[i] || other < i) {
                parent[i] = other;
                *total += best[i] >> 32;
            }
        }
        for (int i = 0; i < n; i++)
            while (parent[label[i]] != label[i])
                label[i] = parent[label[i]];
    }
    free(parent);
    free(best);
}
