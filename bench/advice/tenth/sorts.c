// References of sorts.cu.
// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int by_key(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static int by_float(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

void bitonic1k_ref(int32_t *out, const int32_t *in, int blocks)
{
    memcpy(out, in, sizeof *out * 1024 * (size_t)blocks);
    for (size_t b = 0; b < (size_t)blocks; b++)
        qsort(out + 1024 * b, 1024, sizeof *out, by_key);
}

void oephase_ref(float *keys, const float *in, int n)
{
    memcpy(keys, in, sizeof *keys * (size_t)n);
    qsort(keys, (size_t)n, sizeof *keys, by_float);
}

void radixcount_ref(uint32_t *count, const uint32_t *keys, int shift, int n)
{
    memset(count, 0, sizeof *count * 16);
    for (int i = 0; i < n; i++)
        count[(keys[i] >> shift) & 15] += keys[i] & 255;
}

void split1_ref(uint32_t *out, const uint32_t *in, int blocks)
{
    for (size_t b = 0; b < (size_t)blocks; b++) {
        size_t to = 256 * b;
        for (uint32_t v = 0; v < 256; v++)
            for (size_t i = 256 * b; i < 256 * b + 256; i++)
                if ((in[i] & 255) == v)
                    out[to++] = in[i];
    }
}

void mergeruns_ref(int32_t *out, const int32_t *in, int pairs)
{
    for (size_t p = 0; p < (size_t)pairs; p++) {
        for (size_t i = 0; i < 32; i++)
            out[32 * p + i] = (in[32 * p + i] & 4095) + 4096 * (int32_t)(i % 16);
        qsort(out + 32 * p, 32, sizeof *out, by_key);
    }
}

void ranksort_ref(int32_t *rank, const int32_t *keys, const int32_t *splitters, int n, int m)
{
    for (int i = 0; i < n; i++) {
        rank[i] = 0;
        for (int j = 0; j < m; j++)
            rank[i] += splitters[j] < keys[i];
    }
}

void sort8_ref(float *out, const float *in, int n)
{
    for (size_t t = 0; t < (size_t)n; t++) {
        float a[8];
        for (size_t k = 0; k < 8; k++)
            a[k] = in[k * (size_t)n + t];
        qsort(a, 8, sizeof *a, by_float);
        for (size_t k = 0; k < 8; k++)
            out[k * (size_t)n + t] = a[k];
    }
}

void payload_ref(float *out, const float *in, const int32_t *order, int n)
{
    for (size_t i = 0; i < (size_t)n; i++)
        memcpy(out + 16 * i, in + 16 * (size_t)order[i], 64);
}
