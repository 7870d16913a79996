// References of strings.cu.
// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int by_key(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

void warpsort_ref(const uint32_t *in, uint32_t *out, int chunks)
{
    memcpy(out, in, (size_t)chunks * 512 * sizeof *out);
    for (size_t c = 0; c < (size_t)chunks; c++)
        qsort(out + c * 512, 512, sizeof *out, by_key);
}

void linecount_ref(const char *text, uint32_t *lines, int n)
{
    *lines = 0;
    for (int i = 0; i < n; i++)
        *lines += text[i] == 'n';
}

void base64_ref(const uint8_t *in, uint8_t *out, int groups)
{
    static const char letter[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < (size_t)groups; i++) {
        uint32_t all = (uint32_t)in[3 * i] << 16 | (uint32_t)in[3 * i + 1] << 8 | in[3 * i + 2];
        for (size_t k = 0; k < 4; k++)
            out[4 * i + k] = (uint8_t)letter[all >> (18 - 6 * k) & 63];
    }
}

void lcs32_ref(const uint8_t *a, const uint8_t *b, int *longest, int n)
{
    for (int t = 0; t < n; t++) {
        int row[33] = {0};
        for (int i = 0; i < 32; i++) {
            int diagonal = 0;
            for (int j = 1; j <= 32; j++) {
                int above = row[j];
                row[j] = a[i * n + t] == b[(j - 1) * n + t] ? diagonal + 1
                         : above > row[j - 1]               ? above
                                                            : row[j - 1];
                diagonal = above;
            }
        }
        longest[t] = row[32];
    }
}

void fingerprints_ref(const uint32_t *print, const uint32_t *known, int *nearest, int n)
{
    for (int i = 0; i < n; i++) {
        nearest[i] = 256;
        for (int k = 0; k < 32; k++) {
            int count = 0;
            for (int w = 0; w < 8; w++)
                count += __builtin_popcount(print[w * n + i] ^ known[k * 8 + w]);
            nearest[i] = count < nearest[i] ? count : nearest[i];
        }
    }
}

void minhash_ref(const uint32_t *text, uint32_t *hash, int words, int seeds)
{
    for (int s = 0; s < seeds; s++) {
        uint32_t h = (uint32_t)s;
        for (int i = 0; i < words; i++) {
            h = (h ^ text[i]) * 0x85ebca6bu;
            h ^= h >> 13;
        }
        hash[s] = h;
    }
}

void threefry_ref(uint32_t *out, uint32_t k0, uint32_t k1, int n)
{
    static const int turn[8] = {13, 15, 26, 6, 17, 29, 16, 24};
    uint32_t key[3] = {k0, k1, 0x1bd11bdau ^ k0 ^ k1};
    for (int i = 0; i < n; i += 2) {
        uint32_t a = (uint32_t)i / 2 + key[0], b = key[1];
        for (int r = 0; r < 20; r++) {
            a += b;
            b = b << turn[r % 8] | b >> (32 - turn[r % 8]);
            b ^= a;
            if (r % 4 == 3) {
                int s = r / 4 + 1;
                a += key[s % 3];
                b += key[(s + 1) % 3] + (uint32_t)s;
            }
        }
        out[i] = a;
        out[i + 1] = b;
    }
}
