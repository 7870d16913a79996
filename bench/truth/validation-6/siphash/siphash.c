// SipHash-2-4 of keys of 32 bytes, for the sixth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

static uint64_t left(uint64_t v, int by)
{
    return v << by | v >> (64 - by);
}

static void rounds(uint64_t v[4], int count)
{
    while (count--) {
        v[0] += v[1], v[1] = left(v[1], 13) ^ v[0], v[0] = left(v[0], 32);
        v[2] += v[3], v[3] = left(v[3], 16) ^ v[2];
        v[0] += v[3], v[3] = left(v[3], 21) ^ v[0];
        v[2] += v[1], v[1] = left(v[1], 17) ^ v[2], v[2] = left(v[2], 32);
    }
}

void siphash_ref(uint64_t *out, const uint64_t *in, int count)
{
    uint64_t k0 = 0x0706050403020100, k1 = 0x0f0e0d0c0b0a0908;
    for (int i = 0; i < count; i++) {
        uint64_t v[4] = {k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261,
                         k1 ^ 0x7465646279746573};
        for (int j = 0; j < 5; j++) {
            uint64_t word = j < 4 ? in[4 * i + j] : (uint64_t)32 << 56;
            v[3] ^= word;
            rounds(v, 2);
            v[0] ^= word;
        }
        v[2] ^= 255;
        rounds(v, 4);
        out[i] = v[0] ^ v[1] ^ v[2] ^ v[3];
    }
}
