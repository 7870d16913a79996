// Nearest seeds by jump flooding, for the twelfth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

static int distance(int p, int i, int n)
{
    int x = p % n - i % n, y = p / n - i / n;
    return x * x + y * y;
}

void voronoi_ref(int *out, const unsigned *seeds, int n)
{
    int count = n * n, *old = malloc((size_t)count * sizeof *old);
    for (int i = 0; i < count; i++)
        out[i] = -1;
    for (int i = 0; i < n; i++)
        out[seeds[i] % (unsigned)count] = (int)(seeds[i] % (unsigned)count);
    for (int k = n / 2; k > 0; k /= 2) {
        for (int i = 0; i < count; i++)
            old[i] = out[i];
        for (int i = 0; i < count; i++)
            for (int j = 0; j < 9; j++) {
                int x = i % n + k * (j % 3 - 1), y = i / n + k * (j / 3 - 1);
                int p = x >= 0 && x < n && y >= 0 && y < n ? old[y * n + x] : -1;
                if (p < 0)
                    continue;
                int d = distance(p, i, n), least = out[i] < 0 ? d + 1 : distance(out[i], i, n);
                if (d < least || (d == least && p < out[i]))
                    out[i] = p;
            }
    }
    free(old);
}
