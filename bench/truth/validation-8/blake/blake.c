// BLAKE2s of blocks, for the eighth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <string.h>

static const unsigned char sigma[10][16] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                            {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
                                            {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
                                            {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
                                            {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
                                            {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
                                            {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
                                            {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
                                            {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
                                            {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};
static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

static uint32_t right(uint32_t v, int by)
{
    return v >> by | v << (32 - by);
}

static void mix(uint32_t *v, int a, int b, int c, int d, uint32_t x, uint32_t y)
{
    v[a] += v[b] + x, v[d] = right(v[d] ^ v[a], 16);
    v[c] += v[d], v[b] = right(v[b] ^ v[c], 12);
    v[a] += v[b] + y, v[d] = right(v[d] ^ v[a], 8);
    v[c] += v[d], v[b] = right(v[b] ^ v[c], 7);
}

void blake_ref(uint32_t *out, const uint32_t *m, int blocks)
{
    for (int i = 0; i < blocks; i++, m += 16, out += 8) {
        uint32_t v[16], h[8];
        memcpy(h, start, sizeof h);
        h[0] ^= 0x01010020;
        memcpy(v, h, sizeof h);
        memcpy(v + 8, start, sizeof start);
        v[12] ^= 64;
        v[14] = ~v[14];
        for (int r = 0; r < 10; r++)
            for (int k = 0; k < 8; k++) {
                int by = k / 4, b = 4 + (k + by) % 4, c = 8 + (k + 2 * by) % 4;
                mix(v, k % 4, b, c, 12 + (k + 3 * by) % 4, m[sigma[r][2 * k]],
                    m[sigma[r][2 * k + 1]]);
            }
        for (int k = 0; k < 8; k++)
            out[k] = h[k] ^ v[k] ^ v[k + 8];
    }
}
