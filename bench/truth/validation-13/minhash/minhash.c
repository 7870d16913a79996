// Least hashes of texts, for the thirteenth validation list.
// SPDX-License-Identifier: Apache-2.0

void minhash_ref(unsigned *out, const unsigned char *text, const unsigned *seeds, int texts)
{
    for (int t = 0; t < texts; t++)
        for (int k = 0; k < 64; k++) {
            unsigned least = 0xffffffffu;
            for (int i = 0; i + 8 <= 256; i++) {
                unsigned x = 2166136261u;
                for (int c = 0; c < 8; c++)
                    x = (x ^ text[256 * t + i + c]) * 16777619u;
                x ^= seeds[k];
                x = (x ^ x >> 16) * 0x85ebca6bu;
                x = (x ^ x >> 13) * 0xc2b2ae35u;
                x ^= x >> 16;
                least = x < least ? x : least;
            }
            out[64 * t + k] = least;
        }
}
