// References of strings.cu.
// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    uint32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

void bit512_ref(const uint32_t *in, uint32_t *out, int n)
{
    memcpy(out, in, (size_t)n * sizeof *out);
    for (int i = 0; i < n; i += 512)
        qsort(out + i, 512, sizeof *out, compare);
}

void rankfour_ref(const float *x, int32_t *rank, int n, int m)
{
    for (int i = 0; i < n; i++) {
        rank[i] = 0;
        for (int k = 0; k < m; k++)
            rank[i] += x[k] < x[i];
    }
}

void lookmany_ref(const int32_t *key, const int32_t *list, int32_t *place, int n)
{
    for (int i = 0; i < n; i++) {
        int at = 0;
        for (int d = 1 << 19; d > 0; d >>= 1)
            at += list[at + d - 1] < key[i] ? d : 0;
        place[i] = at;
    }
}

void rowhash_ref(const uint32_t *in, uint32_t *out, int n)
{
    for (int i = 0; i < n; i++) {
        out[i] = 2166136261u;
        for (int k = 0; k < 32; k++)
            out[i] = (out[i] ^ in[i * 32 + k]) * 16777619u;
    }
}

void base85_ref(const uint32_t *in, uint8_t *out, int n)
{
    for (int i = 0; i < n; i++) {
        uint32_t v = in[i];
        for (int k = 4; k >= 0; k--, v /= 85)
            out[k * n + i] = (uint8_t)(33 + v % 85);
    }
}

void pack12_ref(const uint16_t *in, uint8_t *out, int n)
{
    for (int i = 0; i < n; i += 2) {
        *out++ = (uint8_t)in[i];
        *out++ = (uint8_t)(in[i] >> 8 | in[i + 1] << 4);
        *out++ = (uint8_t)(in[i + 1] >> 4);
    }
}

void editdiag_ref(int32_t *table, const uint8_t *a, const uint8_t *b)
{
    for (int i = 0; i < 256; i++)
        for (int j = 0; j < 256; j++) {
            int best = i ? i : j;
            if (i && j) {
                int up = table[(i - 1) * 256 + j], left = table[i * 256 + j - 1],
                    corner = table[(i - 1) * 256 + j - 1] + (a[i] != b[j]);
                best = (up < left ? up : left) + 1;
                best = corner < best ? corner : best;
            }
            table[i * 256 + j] = best;
        }
}

void crcbits_ref(const uint32_t *in, uint32_t *out, int n)
{
    for (int i = 0; i < n; i++) {
        uint32_t c = ~in[i];
        for (int k = 0; k < 32; k++)
            c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
        out[i] = ~c;
    }
}

void onesloop_ref(const uint32_t *code, uint32_t *distance, int n)
{
    memset(distance, 0, (size_t)n * sizeof *distance);
    for (int i = 0; i < 4 * n; i++)
        distance[i / 4] += (uint32_t)__builtin_popcount(code[i] ^ 0x5a5a1234u);
}

void letters26_ref(const uint8_t *text, int32_t *count, int n)
{
    memset(count, 0, 26 * sizeof *count);
    for (int i = 0; i < n; i++)
        count[text[i] - 'a']++;
}
