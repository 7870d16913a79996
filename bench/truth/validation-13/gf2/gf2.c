// Ranks of matrices of bits, for the thirteenth validation list.
// SPDX-License-Identifier: Apache-2.0

void gf2_ref(int *ranks, const unsigned long long *rows, int n)
{
    for (int m = 0; m < n; m++) {
        unsigned long long basis[64] = {0};
        int rank = 0;
        for (int i = 0; i < 64; i++) {
            unsigned long long row = rows[64 * m + i];
            for (int bit = 0; bit < 64; bit++)
                if (row >> bit & 1) {
                    if (basis[bit] == 0) {
                        basis[bit] = row;
                        rank++;
                        break;
                    }
                    row ^= basis[bit];
                }
        }
        ranks[m] = rank;
    }
}
