// Keccak's permutation, for the seventh validation list.
// SPDX-License-Identifier: Apache-2.0
static unsigned long long turned(unsigned long long v, int by)
{
    return by ? v << by | v >> (64 - by) : v;
}

// The next bit of the round constants' register.
static int bit(unsigned *r)
{
    int out = *r & 1;
    *r = *r & 128 ? (*r << 1 & 255) ^ 0x71 : *r << 1;
    return out;
}

void keccak_ref(unsigned long long *out, const unsigned long long *in, int states)
{
    for (int n = 0; n < states; n++, in += 25, out += 25) {
        unsigned long long a[25], b[25], c[5];
        unsigned r = 1;
        for (int i = 0; i < 25; i++)
            a[i] = in[i];
        for (int round = 0; round < 24; round++) {
            for (int x = 0; x < 5; x++)
                c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
            for (int i = 0; i < 25; i++)
                a[i] ^= c[(i + 4) % 5] ^ turned(c[(i + 1) % 5], 1);
            b[0] = a[0];
            for (int t = 0, x = 1, y = 0; t < 24; t++) {
                int next = (2 * x + 3 * y) % 5;
                b[y + 5 * next] = turned(a[x + 5 * y], (t + 1) * (t + 2) / 2 % 64);
                x = y, y = next;
            }
            for (int i = 0; i < 25; i++)
                a[i] = b[i] ^ (~b[i / 5 * 5 + (i + 1) % 5] & b[i / 5 * 5 + (i + 2) % 5]);
            for (int j = 0; j < 7; j++)
                if (bit(&r))
                    a[0] ^= 1ull << ((1 << j) - 1);
        }
        for (int i = 0; i < 25; i++)
            out[i] = a[i];
    }
}
