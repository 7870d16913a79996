// References of strings.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
    int u = *(const int *)a, v = *(const int *)b;
    return (u > v) - (u < v);
}

void bitonicg_ref(const int *in, int *out, int chunks)
{
    memcpy(out, in, (size_t)chunks * 1024 * sizeof *out);
    for (size_t c = 0; c < (size_t)chunks; c++)
        qsort(out + c * 1024, 1024, sizeof *out, by_value);
}

void sort16_ref(const float *in, float *out, int count)
{
    size_t n = (size_t)count;
    for (size_t l = 0; l < n; l++) {
        float v[16];
        for (size_t i = 0; i < 16; i++) {
            size_t at = i;
            for (; at > 0 && v[at - 1] > in[i * n + l]; at--)
                v[at] = v[at - 1];
            v[at] = in[i * n + l];
        }
        for (size_t i = 0; i < 16; i++)
            out[i * n + l] = v[i];
    }
}

void partbit_ref(const uint32_t *in, uint32_t *out, int n)
{
    for (int first = 0; first < n; first += 512)
        for (uint32_t odd = 0, at = 0; odd < 2; odd++)
            for (int i = first; i < first + 512; i++)
                if (in[i] % 2 == odd)
                    out[first + (int)at++] = in[i];
}

void utf8_ref(const uint8_t *text, int *count, int n)
{
    memset(count, 0, (size_t)n / 4096 * sizeof *count);
    for (int i = 0; i < n; i++)
        count[i / 4096] += (text[i] & 0xc0) != 0x80;
}

void hexenc_ref(const uint8_t *in, uint8_t *out, int n)
{
    for (size_t i = 0; i < (size_t)n; i++) {
        out[2 * i] = (uint8_t) "0123456789abcdef"[in[i] >> 4];
        out[2 * i + 1] = (uint8_t) "0123456789abcdef"[in[i] & 15];
    }
}

void kmers_ref(const uint8_t *text, uint32_t *hash, int n)
{
    uint32_t word = 0;
    for (int i = 0; i < 15; i++)
        word = word >> 2 | (uint32_t)(text[i] >> 1 & 3) << 30;
    for (int i = 0; i < n; i++) {
        word = word >> 2 | (uint32_t)(text[i + 15] >> 1 & 3) << 30;
        uint32_t v = (word ^ word >> 16) * 0x85ebca6bu;
        hash[i] = v ^ v >> 13;
    }
}

static uint64_t turned(uint64_t v, int by)
{
    return v << by | v >> (64 - by);
}

static void sip_rounds(uint64_t *v, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = turned(v[1], 13) ^ v[0];
        v[3] = turned(v[3], 16) ^ v[2];
        v[0] = turned(v[0], 32);
        v[2] += v[1];
        v[0] += v[3];
        v[1] = turned(v[1], 17) ^ v[2];
        v[3] = turned(v[3], 21) ^ v[0];
        v[2] = turned(v[2], 32);
    }
}

void siphash_ref(const uint64_t *key, uint64_t *hash, int each)
{
    for (int i = 0; i < 132 * 64 * each; i++) {
        uint64_t v[4] = {0x736f6d6570736575, 0x646f72616e646f6d, 0x6c7967656e657261,
                         0x7465646279746573};
        uint64_t words[2] = {key[i], (uint64_t)8 << 56};
        for (int w = 0; w < 2; w++) {
            v[3] ^= words[w];
            sip_rounds(v, 2);
            v[0] ^= words[w];
        }
        v[2] ^= 0xff;
        sip_rounds(v, 4);
        hash[i] = v[0] ^ v[1] ^ v[2] ^ v[3];
    }
}

void md5_ref(const uint32_t *message, uint32_t *digest, int count)
{
    static const int by[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    static const uint32_t start[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    size_t n = (size_t)count;
    uint32_t sine[64];
    for (int r = 0; r < 64; r++)
        sine[r] = (uint32_t)(fabs(sin(r + 1)) * 4294967296);
    for (size_t i = 0; i < n; i++) {
        uint32_t a = start[0], b = start[1], c = start[2], d = start[3];
        for (uint32_t r = 0; r < 64; r++) {
            uint32_t f[4] = {(b & c) | (~b & d), (d & b) | (~d & c), b ^ c ^ d, c ^ (b | ~d)};
            uint32_t word[4] = {r, 5 * r + 1, 3 * r + 5, 7 * r};
            uint32_t sum = a + f[r / 16] + sine[r] + message[word[r / 16] % 16 * n + i];
            a = d;
            d = c;
            c = b;
            b += sum << by[r / 16][r % 4] | sum >> (32 - by[r / 16][r % 4]);
        }
        digest[i] = a + start[0];
        digest[n + i] = b + start[1];
        digest[2 * n + i] = c + start[2];
        digest[3 * n + i] = d + start[3];
    }
}

void bitrev_ref(const float *in, float *out, int bits)
{
    for (uint32_t i = 0; i < 1u << bits; i++) {
        uint32_t to = 0;
        for (int b = 0; b < bits; b++)
            to |= (i >> b & 1) << (bits - 1 - b);
        out[to] = in[i];
    }
}
