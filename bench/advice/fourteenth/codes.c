// References of codes.cu.
// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
    int32_t u = *(const int32_t *)a, v = *(const int32_t *)b;
    return (u > v) - (u < v);
}

void shellrow_ref(const int32_t *in, int32_t *out, int n)
{
    for (size_t i = 0; i < (size_t)n; i++) {
        int32_t v[16];
        for (size_t k = 0; k < 16; k++)
            v[k] = in[k * (size_t)n + i];
        qsort(v, 16, sizeof *v, by_value);
        for (size_t k = 0; k < 16; k++)
            out[k * (size_t)n + i] = v[k];
    }
}

static uint32_t reversed(uint32_t v)
{
    uint32_t r = 0;
    for (int k = 0; k < 32; k++)
        r |= (v >> k & 1) << (31 - k);
    return r;
}

void bytecode_ref(const uint8_t *program, const uint32_t *in, uint32_t *out, int n)
{
    for (int i = 0; i < n; i++) {
        const uint8_t *p = program + 48 * (i % 32);
        uint32_t v = in[i];
        for (int k = 0; k < 48; k++) {
            if (p[k] == 0) {
                v = v * 1664525u + 1013904223u;
            } else if (p[k] == 1) {
                v ^= v << 13;
                v ^= v >> 17;
            } else if (p[k] == 2) {
                v = (uint32_t)__builtin_popcount(v) * 2654435761u ^ v;
            } else if (p[k] == 3) {
                v = reversed(v) + 12345u;
            } else if (p[k] == 4) {
                v += (uint32_t)((uint64_t)v * 3735928559u >> 32);
            } else {
                v = (v << 7 | v >> 25) ^ 0x5bd1e995u;
            }
        }
        out[i] = v;
    }
}

void rotbytes_ref(const uint8_t *in, const uint8_t *key, uint8_t *out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = in[i] ^ key[i % 64];
}

void lcgjump_ref(const uint32_t *seed, uint32_t *out, int n)
{
    for (int i = 0; i < n; i++) {
        uint64_t s = seed[i];
        out[i] = 0;
        for (int k = 0; k < 4096; k++) {
            s = s * 6364136223846793005u + 1442695040888963407u;
            out[i] ^= (uint32_t)(s >> 32);
        }
    }
}

void digit16_ref(const uint8_t *key, int32_t *count, int blocks)
{
    memset(count, 0, 16 * (size_t)blocks * sizeof *count);
    for (size_t i = 0; i < 4096 * (size_t)blocks; i++)
        count[i / 4096 * 16 + key[i]]++;
}

static void speck_round(uint32_t *x, uint32_t *y, uint32_t key)
{
    *x = ((*x >> 8 | *x << 24) + *y) ^ key;
    *y = (*y << 3 | *y >> 29) ^ *x;
}

void speckkeys_ref(const uint32_t *in, const uint32_t *key, uint32_t *out, int n)
{
    uint32_t keys[27], own = key[0], next[3] = {key[1], key[2], key[3]};
    for (uint32_t r = 0; r < 27; r++) {
        keys[r] = own;
        speck_round(&next[r % 3], &own, r);
    }
    for (int i = 0; i < n; i++) {
        uint32_t y = in[2 * i], x = in[2 * i + 1];
        for (int r = 0; r < 27; r++)
            speck_round(&x, &y, keys[r]);
        out[2 * i] = y;
        out[2 * i + 1] = x;
    }
}
