// Votes of edge points for lines, for the seventh validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

void hough_ref(int *votes, const unsigned char *in, int n)
{
    memset(votes, 0, (size_t)n * 540 * sizeof *votes);
    for (int a = 0; a < 180; a++) {
        int c = (int)lrint(1024 * cos(M_PI * a / 180)), s = (int)lrint(1024 * sin(M_PI * a / 180));
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++)
                if (in[y * n + x] > 242)
                    votes[3 * n * a + n + ((x * c + y * s) >> 10)]++;
    }
}
