// Filters of an image format, for the fourteenth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

static int filtered(const unsigned char *in, int row, int n, int i, int kind)
{
    const unsigned char *own = in + row * 3 * n + i;
    int a = i >= 3 ? own[-3] : 0, b = row > 0 ? own[-3 * n] : 0;
    int c = i >= 3 && row > 0 ? own[-3 * n - 3] : 0;
    int pa = abs(b - c), pb = abs(a - c), pc = abs(a + b - 2 * c);
    int from[] = {0, a, b, (a + b) / 2, pa <= pb && pa <= pc ? a : pb <= pc ? b : c};
    return (own[0] - from[kind]) & 255;
}

void paeth_ref(unsigned char *out, unsigned char *filter, const unsigned char *in, int n)
{
    for (int row = 0; row < n; row++) {
        int best = 0, least = 1 << 30;
        for (int kind = 0; kind < 5; kind++) {
            int sum = 0;
            for (int i = 0; i < 3 * n; i++) {
                int v = filtered(in, row, n, i, kind);
                sum += v < 128 ? v : 256 - v;
            }
            if (sum < least) {
                least = sum;
                best = kind;
            }
        }
        filter[row] = (unsigned char)best;
        for (int i = 0; i < 3 * n; i++)
            out[row * 3 * n + i] = (unsigned char)filtered(in, row, n, i, best);
    }
}
