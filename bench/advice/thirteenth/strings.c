// References of strings.cu.
// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void caesar16_ref(uint8_t *out, const uint8_t *in, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = (uint8_t)(in[i] >= 'x' ? in[i] - 23 : in[i] + 3);
}

void vigenere_ref(uint8_t *out, const uint8_t *in, const uint8_t *key, int length, int n)
{
    for (int i = 0; i < n; i++) {
        int c = in[i] + key[i % length];
        out[i] = (uint8_t)(c > 'z' ? c - 26 : c);
    }
}

static uint32_t rotated(uint32_t x, int k)
{
    return x << k | x >> (32 - k);
}

void sha1w_ref(uint32_t *out, uint32_t seed, int n)
{
    for (int i = 0; i < n; i++) {
        uint32_t w[80], a = 0x67452301u, b = 0xefcdab89u, c = 0x98badcfeu, d = 0x10325476u,
                        e = 0xc3d2e1f0u;
        for (uint32_t k = 0; k < 16; k++)
            w[k] = k == 0 ? (uint32_t)i : k == 15 ? 32 : seed * k;
        for (int k = 16; k < 80; k++)
            w[k] = rotated(w[k - 3] ^ w[k - 8] ^ w[k - 14] ^ w[k - 16], 1);
        for (int k = 0; k < 80; k++) {
            uint32_t f = k < 20              ? (b & c) | (~b & d)
                         : k < 40 || k >= 60 ? b ^ c ^ d
                                             : (b & c) | (b & d) | (c & d);
            static const uint32_t add[4] = {0x5a827999u, 0x6ed9eba1u, 0x8f1bbcdcu, 0xca62c1d6u};
            uint32_t t = rotated(a, 5) + f + e + add[k / 20] + w[k];
            e = d, d = c, c = rotated(b, 30), b = a, a = t;
        }
        out[i] = a + 0x67452301u;
    }
}

void bitturn_ref(uint32_t *out, const uint32_t *in, int n)
{
    memset(out, 0, sizeof *out * (size_t)n);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 32; k++)
            out[i / 32 * 32 + k] |= (in[i] >> k & 1) << (i % 32);
}

static int by_value(const void *a, const void *b)
{
    const int32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

void oesort_ref(int32_t *out, const int32_t *in, int blocks)
{
    memcpy(out, in, sizeof *out * 512 * (size_t)blocks);
    for (size_t b = 0; b < (size_t)blocks; b++)
        qsort(out + b * 512, 512, sizeof *out, by_value);
}

void digitrows_ref(int32_t *count, const uint32_t *key, int blocks)
{
    memset(count, 0, 16 * sizeof *count * (size_t)blocks);
    for (size_t b = 0; b < (size_t)blocks; b++)
        for (size_t i = 0; i < 8192; i++)
            for (int s = 0; s < 32; s += 8)
                count[b * 16 + (key[b * 8192 + i] >> s & 15)]++;
}
