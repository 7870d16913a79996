// Local alignment of pairs, for the second validation list.
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

void align_ref(int *score, const unsigned char *a, const unsigned char *b, int pairs)
{
    enum { LENGTH = 64 };
    for (long p = 0; p < pairs; p++) {
        int row[LENGTH + 1], best = 0;
        memset(row, 0, sizeof row);
        for (int y = 0; y < LENGTH; y++)
            for (int x = 1, corner = 0; x <= LENGTH; x++) {
                int above = row[x],
                    v = corner + (a[p * LENGTH + x - 1] == b[p * LENGTH + y] ? 3 : -2);
                int side = (row[x - 1] > above ? row[x - 1] : above) - 2;
                v = v > side ? v : side;
                row[x] = v > 0 ? v : 0;
                corner = above;
                best = row[x] > best ? row[x] : best;
            }
        score[p] = best;
    }
}
