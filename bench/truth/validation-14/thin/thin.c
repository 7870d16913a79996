// Thinning of images, for the fourteenth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

static int ink(const unsigned char *p, int n, int y, int x)
{
    return y >= 0 && y < n && x >= 0 && x < n && p[y * n + x];
}

void thin_ref(unsigned char *out, const unsigned char *in, int n)
{
    unsigned char *from = malloc((unsigned)(n * n));
    if (!from)
        abort();
    for (int i = 0; i < n * n; i++)
        out[i] = in[i] != 0;
    for (int half = 0; half < 4; half++) {
        for (int i = 0; i < n * n; i++)
            from[i] = out[i];
        for (int i = 0; i < n * n; i++) {
            static const int ys[] = {-1, -1, 0, 1, 1, 1, 0, -1}, xs[] = {0, 1, 1, 1, 0, -1, -1, -1};
            int p[9], sum = 0, changes = 0;
            for (int k = 0; k < 9; k++)
                p[k] = ink(from, n, i / n + ys[k % 8], i % n + xs[k % 8]);
            for (int k = 0; k < 8; k++) {
                sum += p[k];
                changes += !p[k] && p[k + 1];
            }
            int edge = half % 2 == 0 ? !(p[0] && p[2] && p[4]) && !(p[2] && p[4] && p[6])
                                     : !(p[0] && p[2] && p[6]) && !(p[0] && p[4] && p[6]);
            if (sum >= 2 && sum <= 6 && changes == 1 && edge)
                out[i] = 0;
        }
    }
    free(from);
}
