// c = a b in double, rounded to bf16 at the end: the product is the one of matmul-f32.
// SPDX-License-Identifier: Apache-2.0
#include "../matmul-f32/reference.c"

#include <stdint.h>

static float *widened(const uint16_t *from, size_t count)
{
    float *to = malloc(count * sizeof *to);
    if (to == NULL)
        abort();
    for (size_t i = 0; i < count; i++) {
        uint32_t bits = (uint32_t)from[i] << 16;
        memcpy(&to[i], &bits, sizeof bits);
    }
    return to;
}

// To the nearest, ties to even.
static uint16_t narrowed(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

void matmul_bf16_ref(uint16_t *c, const uint16_t *a, const uint16_t *b, int M, int N, int K)
{
    size_t count = (size_t)M * (size_t)N;
    float *wide_a = widened(a, (size_t)M * (size_t)K), *wide_b = widened(b, (size_t)K * (size_t)N);
    float *wide_c = malloc(count * sizeof *wide_c);
    if (wide_c == NULL)
        abort();
    matmul_ref(wide_c, wide_a, wide_b, M, N, K);
    for (size_t i = 0; i < count; i++)
        c[i] = narrowed(wide_c[i]);
    free(wide_a);
    free(wide_b);
    free(wide_c);
}
