// Local alignment of pairs, for the eighth validation list.
// SPDX-License-Identifier: Apache-2.0
static int larger(int a, int b)
{
    return a > b ? a : b;
}

void swat_ref(int *best, const unsigned char *a, const unsigned char *b, int pairs)
{
    for (int p = 0; p < pairs; p++, a += 128, b += 128) {
        int h[129] = {0}, top = 0;
        for (int i = 0; i < 128; i++)
            for (int j = 1, corner = 0; j <= 128; j++) {
                int score =
                    larger(larger(h[j], h[j - 1]) - 2, corner + (a[i] == b[j - 1] ? 3 : -2));
                corner = h[j];
                h[j] = larger(0, score);
                top = larger(top, score);
            }
        best[p] = top;
    }
}
