// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static double wide(uint16_t v)
{
    uint32_t bits = (uint32_t)v << 16;
    float f;
    memcpy(&f, &bits, sizeof f);
    return (double)f;
}

void product_ref(float *c, const uint16_t *a, const uint16_t *b, int M, int N, int K)
{
    for (int row = 0; row < M; row++)
        for (int col = 0; col < N; col++) {
            double sum = 0;
            for (int k = 0; k < K; k++)
                sum += wide(a[(size_t)row * (size_t)K + (size_t)k]) *
                       wide(b[(size_t)k * (size_t)N + (size_t)col]);
            c[(size_t)row * (size_t)N + (size_t)col] = (float)sum;
        }
}
