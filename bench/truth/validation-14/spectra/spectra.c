// Matching spectra, for the fourteenth validation list.
// SPDX-License-Identifier: Apache-2.0
void spectra_ref(int *score, const int *query, const unsigned char *qheight, const int *library,
                 const unsigned char *lheight, int entries)
{
    for (int q = 0; q < 64; q++)
        for (int e = 0; e < entries; e++) {
            const int *a = query + 64 * q, *b = library + 64 * e;
            int sum = 0;
            for (int i = 0; i < 64; i++)
                for (int j = 0; j < 64; j++) {
                    int apart = b[j] - b[0] - (a[i] - a[0]);
                    if (apart >= -3 && apart <= 3) {
                        sum += qheight[64 * q + i] * lheight[64 * e + j];
                        break;
                    }
                }
            score[q * entries + e] = sum;
        }
}
