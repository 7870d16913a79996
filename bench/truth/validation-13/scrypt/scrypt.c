// A hard hash's memory, for the thirteenth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

static unsigned turned(unsigned v, int by)
{
    return v << by | v >> (32 - by);
}

static void salsa(unsigned *b)
{
    static const int quarters[8][4] = {{0, 4, 8, 12},  {5, 9, 13, 1},   {10, 14, 2, 6},
                                       {15, 3, 7, 11}, {0, 1, 2, 3},    {5, 6, 7, 4},
                                       {10, 11, 8, 9}, {15, 12, 13, 14}};
    unsigned x[16];
    memcpy(x, b, sizeof x);
    for (int round = 0; round < 4; round++)
        for (int q = 0; q < 8; q++) {
            const int *at = quarters[q];
            x[at[1]] ^= turned(x[at[0]] + x[at[3]], 7);
            x[at[2]] ^= turned(x[at[1]] + x[at[0]], 9);
            x[at[3]] ^= turned(x[at[2]] + x[at[1]], 13);
            x[at[0]] ^= turned(x[at[3]] + x[at[2]], 18);
        }
    for (int i = 0; i < 16; i++)
        b[i] += x[i];
}

static void mix(unsigned *x)
{
    for (int i = 0; i < 16; i++)
        x[i] ^= x[16 + i];
    salsa(x);
    for (int i = 0; i < 16; i++)
        x[16 + i] ^= x[i];
    salsa(x + 16);
}

void scrypt_ref(unsigned *out, const unsigned *in, int streams)
{
    static unsigned table[64][32];
    for (int s = 0; s < streams; s++) {
        unsigned x[32];
        memcpy(x, in + 32 * s, sizeof x);
        for (int i = 0; i < 64; i++) {
            memcpy(table[i], x, sizeof x);
            mix(x);
        }
        for (int i = 0; i < 64; i++) {
            unsigned j = x[16] % 64;
            for (int k = 0; k < 32; k++)
                x[k] ^= table[j][k];
            mix(x);
        }
        memcpy(out + 32 * s, x, sizeof x);
    }
}
