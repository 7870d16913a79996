// Edges of an image of bytes, for the eighth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

static void gradient(int *size, int *step, const unsigned char *p, int n)
{
    int gx = p[-n + 1] + 2 * p[1] + p[n + 1] - p[-n - 1] - 2 * p[-1] - p[n - 1];
    int gy = p[n - 1] + 2 * p[n] + p[n + 1] - p[-n - 1] - 2 * p[-n] - p[-n + 1];
    int ax = abs(gx), ay = abs(gy), diagonal = (gx > 0) == (gy > 0) ? n + 1 : n - 1;
    *size = ax + ay;
    *step = 5 * ay < 2 * ax ? 1 : 5 * ax < 2 * ay ? n : diagonal;
}

void canny_ref(unsigned char *edges, const unsigned char *in, int n)
{
    size_t count = (size_t)n * (size_t)n;
    int *size = calloc(count, sizeof *size), *step = calloc(count, sizeof *step);
    int *thin = calloc(count, sizeof *thin);
    for (int y = 1; y < n - 1; y++)
        for (int x = 1; x < n - 1; x++)
            gradient(&size[y * n + x], &step[y * n + x], in + y * n + x, n);
    for (int y = 1; y < n - 1; y++)
        for (int x = 1; x < n - 1; x++) {
            int i = y * n + x;
            if (size[i] >= size[i - step[i]] && size[i] > size[i + step[i]])
                thin[i] = size[i];
        }
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            int v = thin[y * n + x], edge = v >= 600;
            for (int k = 0; v >= 250 && k < 9; k++)
                edge |= thin[(y + k / 3 - 1) * n + x + k % 3 - 1] >= 600;
            edges[y * n + x] = edge ? 255 : 0;
        }
    free(size);
    free(step);
    free(thin);
}
