// Exact distances, for the thirteenth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

void edt_ref(int *out, const unsigned char *in, int n)
{
    int *g = malloc((size_t)n * (size_t)n * sizeof *g);
    for (int i = 0; i < n * n; i++) {
        g[i] = 2 * n;
        for (int y = 0; y < n; y++)
            if (in[y * n + i % n] == 0 && abs(y - i / n) < g[i])
                g[i] = abs(y - i / n);
    }
    for (int i = 0; i < n * n; i++) {
        out[i] = g[i] * g[i];
        for (int x = 0; x < n; x++) {
            int d = g[i / n * n + x] * g[i / n * n + x] + (x - i % n) * (x - i % n);
            if (d < out[i])
                out[i] = d;
        }
    }
    free(g);
}
