// Sight lines over a terrain, for the fourteenth validation list.
// SPDX-License-Identifier: Apache-2.0
static int nearest(int d, int k, int m)
{
    int v = 2 * d * k + m;
    return v >= 0 ? v / (2 * m) : -((-v + 2 * m - 1) / (2 * m));
}

void viewshed_ref(unsigned char *out, const int *ground, int n)
{
    int c = n / 2, from = ground[c * n + c] + 60;
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            int dx = x - c, dy = y - c, ax = dx < 0 ? -dx : dx, ay = dy < 0 ? -dy : dy;
            int m = ax > ay ? ax : ay, own = ground[y * n + x] - from, seen = 1;
            for (int k = 1; k < m; k++) {
                int h = ground[(c + nearest(dy, k, m)) * n + c + nearest(dx, k, m)] - from;
                if (h * m > own * k)
                    seen = 0;
            }
            out[y * n + x] = (unsigned char)seen;
        }
}
