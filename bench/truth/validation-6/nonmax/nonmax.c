// Gradients that are largest along their direction, for the sixth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

// Sobel's gradient at a place within the border, else zero.
static int gradient(int *way, const unsigned char *in, int x, int y, int n)
{
    *way = 0;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1)
        return 0;
    const unsigned char *a = in + (y - 1) * n + x, *b = a + n, *c = b + n;
    int gx = a[1] + 2 * b[1] + c[1] - a[-1] - 2 * b[-1] - c[-1];
    int gy = c[-1] + 2 * c[0] + c[1] - a[-1] - 2 * a[0] - a[1];
    int ax = abs(gx), ay = abs(gy);
    *way = 5 * ay < 2 * ax ? 0 : 5 * ax < 2 * ay ? 2 : (gx > 0) == (gy > 0) ? 1 : 3;
    return ax + ay;
}

void nonmax_ref(short *out, const unsigned char *in, int n)
{
    static const int dx[4] = {1, 1, 0, -1}, dy[4] = {0, 1, 1, 1};
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            int way, other, size = gradient(&way, in, x, y, n);
            if (size < gradient(&other, in, x + dx[way], y + dy[way], n) ||
                size < gradient(&other, in, x - dx[way], y - dy[way], n))
                size = 0;
            out[y * n + x] = (short)size;
        }
}
