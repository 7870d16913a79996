// c = a b^T in double from e4m3, rounded to bf16 at the end: the product is the one of matmul-f32.
// SPDX-License-Identifier: Apache-2.0
#include "../matmul-f32/reference.c"

#include <math.h>
#include <stdint.h>

static float widened(uint8_t bits)
{
    int exponent = bits >> 3 & 15, fraction = bits & 7;
    float size = (bits & 0x7f) == 0x7f ? NAN
                 : exponent == 0       ? ldexpf((float)fraction, -9)
                                       : ldexpf((float)(8 + fraction), exponent - 10);
    return bits & 0x80 ? -size : size;
}

// To the nearest, ties to even.
static uint16_t narrowed(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

void matmul_fp8_ref(uint16_t *c, const uint8_t *a, const uint8_t *b, int M, int N, int K)
{
    size_t m = (size_t)M, n = (size_t)N, k = (size_t)K;
    float table[256], *wide_a = malloc(m * k * sizeof(float)), *wide_b = malloc(k * n * sizeof(float));
    float *wide_c = malloc(m * n * sizeof(float));
    if (wide_a == NULL || wide_b == NULL || wide_c == NULL)
        abort();
    for (int i = 0; i < 256; i++)
        table[i] = widened((uint8_t)i);
    for (size_t i = 0; i < m * k; i++)
        wide_a[i] = table[a[i]];
    for (size_t from = 0; from < n; from += 16) // turned round, in rows of 16 for the caches
        for (size_t i = 0; i < k; i++)
            for (size_t j = from; j < n && j < from + 16; j++)
                wide_b[i * n + j] = table[b[j * k + i]];
    matmul_ref(wide_c, wide_a, wide_b, M, N, K);
    for (size_t i = 0; i < m * n; i++)
        c[i] = narrowed(wide_c[i]);
    free(wide_a);
    free(wide_b);
    free(wide_c);
}
