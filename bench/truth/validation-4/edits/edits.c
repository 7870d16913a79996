// Edit distances of pairs, for the fourth validation list.
// SPDX-License-Identifier: Apache-2.0
void edits_ref(int *out, const unsigned char *a, const unsigned char *b, int pairs)
{
    for (int p = 0; p < pairs; p++, a += 64, b += 64) {
        int row[65];
        for (int j = 0; j <= 64; j++)
            row[j] = j;
        for (int i = 1; i <= 64; i++) {
            int corner = row[0];
            row[0] = i;
            for (int j = 1; j <= 64; j++) {
                int best = corner + (a[i - 1] != b[j - 1]);
                if (row[j] + 1 < best)
                    best = row[j] + 1;
                if (row[j - 1] + 1 < best)
                    best = row[j - 1] + 1;
                corner = row[j];
                row[j] = best;
            }
        }
        out[p] = row[64];
    }
}
