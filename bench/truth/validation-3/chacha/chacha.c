// ChaCha20, for the third validation list.
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

static void quarter(unsigned *s, int a, int b, int c, int d)
{
    static const int by[4] = {16, 12, 8, 7};
    for (int k = 0; k < 4; k++) {
        int to = k % 2 ? c : a, from = k % 2 ? d : b, turned = k % 2 ? b : d;
        s[to] += s[from];
        s[turned] ^= s[to];
        s[turned] = s[turned] << by[k] | s[turned] >> (32 - by[k]);
    }
}

void chacha_ref(unsigned *out, const unsigned *in, const unsigned *key, const unsigned *nonce,
                int n)
{
    for (int block = 0; block < n; block++) {
        unsigned first[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}, s[16];
        memcpy(first + 4, key, 8 * sizeof *key);
        first[12] = (unsigned)block;
        memcpy(first + 13, nonce, 3 * sizeof *nonce);
        memcpy(s, first, sizeof s);
        for (int round = 0; round < 10; round++) {
            for (int i = 0; i < 4; i++)
                quarter(s, i, 4 + i, 8 + i, 12 + i);
            for (int i = 0; i < 4; i++)
                quarter(s, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4);
        }
        for (int i = 0; i < 16; i++)
            out[16 * block + i] = in[16 * block + i] ^ (s[i] + first[i]);
    }
}
